"""What may stand in a place of a form: a reader gives the value and the token after it, or None.

What lives here: one reader for each place. What never may: leaving a word of its own unread, or more than one look at
a token.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from pbem.game.vocabulary import clause_name
from pbem.mail.lines import LONGEST_NUMBER, Line
from pbem.mail.tree import AFTER_NAMES, BEFORE_NUMBER, BETWEEN, CHOICES, UPTO, VALUES
from pbem.mail.words import THOSE, VOCABULARY

MOST_COMMANDS = 200
"""Commands read from one mail; also the longest range of numbers on a line."""

_CODE = re.compile(r"[a-z]{2,3}")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MAILBOX = re.compile(r"<?([^\s<>@]*@[^\s<>@]*?)>?(?=:?\s|:?$)")
_GUEST = re.compile(r"(\S.{0,120}?)\s+(?=<?[^\s<>]*@)")
_DASHES = ("-", "–", "−")
_SIGNED = frozenset("+-±")

Found = tuple[Any, int] | None


def _choice(line: Line, at: int) -> Found:
    choice = CHOICES.get(line.word(at))
    return (choice, at + 1) if choice else None


def _number(line: Line, at: int) -> Found:
    at = _before_number(line, at)
    number = line.number(at)
    return None if number is None else (number, at + 1)


def _before_number(line: Line, at: int) -> int:
    while line.word(at) in BEFORE_NUMBER:
        at += 1
    return at


def _numbers(line: Line, at: int) -> Found:
    """`301`, `301, 302 and 304`, `301-303`, `301 to 303`: each number once, in the order written."""
    found: list[int] = []
    at = _before_number(line, at)
    while (first := line.number(at)) is not None:
        last, at = _range_end(line, at, first)
        if last < first or len(found) + last - first >= MOST_COMMANDS:
            return None
        found.extend(range(first, last + 1))
        after = _after_comma(line, at)
        if line.number(after) is None:
            break
        at = after
    return (tuple(dict.fromkeys(found)), at) if found else None


def _range_end(line: Line, at: int, first: int) -> tuple[int, int]:
    last = line.number(at + 2) if line.word(at + 1) in UPTO else None
    return (first, at + 1) if last is None else (last, at + 3)


def _after_comma(line: Line, at: int) -> int:
    while line.word(at) in BETWEEN:
        at += 1
    return at


def _those(line: Line, at: int) -> Found:
    """`all`, or `the rest`."""
    at = _before_number(line, at)
    for words, meaning in THOSE.items():
        if tuple(line.word(at + n) for n in range(len(words))) == words:
            return meaning, at + len(words)
    return None


def _title(line: Line, at: int) -> Found:
    """All that is left of the line, with its final signs."""
    words = line.raw[line.tokens[at].start :].strip()
    return None if _is_example(words) else (words, len(line.tokens))


def _who(line: Line, at: int) -> Found:
    """A name, and a colon after it."""
    found = _name(line, at, ":")
    return found if found and line.word(found[1]) == ":" else None


def _name(line: Line, at: int, stop: str = ",") -> Found:
    """The words up to a comma (or `stop`) or the end of the line."""
    until = at
    while line.word(until) not in ("", stop):
        until += 1
    if until == at or not line.word(at)[0].isalnum():
        return None
    name = line.between(at, until)
    return None if _is_example(name) else (name, until)


def _player(line: Line, at: int) -> Found:
    """A few words, which may be a name."""
    until = at
    while _is_of_a_name(line, until) and sum(token.word.isalpha() for token in line.tokens[at:until]) < 4:
        until += 1
    return (line.between(at, until), until) if until > at and line.word(at).isalpha() else None


def _is_of_a_name(line: Line, at: int) -> bool:
    word = line.word(at)
    if word == "-":  # Anna-Karin, but not Anna -3
        return at > 0 and line.tokens[at - 1].end == line.tokens[at].start and line.word(at + 1).isalpha()
    return word.isalpha() and word not in AFTER_NAMES


def _time(line: Line, at: int) -> Found:
    """`2d`, `12h`, `30m`."""
    number, unit = line.number(at), line.word(at + 1)
    if number is None or unit not in ("m", "h", "d") or line.tokens[at].end < line.tokens[at + 1].start:
        return None
    return f"{number}{unit}", at + 2


def _date(line: Line, at: int) -> Found:
    """`2027-01-10`."""
    end = at + 5
    found = _DATE.fullmatch(line.between(at, end)) if end <= len(line.tokens) else None
    return (found[0], end) if found else None


def _word(line: Line, at: int) -> Found:
    """What stands between two spaces: a zone, an address, a topic."""
    start = line.tokens[at].start
    words = line.raw[start : line.tokens[-1].end].split(maxsplit=1)
    until = at
    while until < len(line.tokens) and line.tokens[until].start < start + len(words[0]):
        until += 1
    word = words[0].removesuffix(":")
    return (word, until - (word != words[0])) if word[:1].isalnum() or word[:1] in _SIGNED else None


def _guest(line: Line, at: int) -> Found:
    """A name up to the mail address after it; without one, a few words that may be a name."""
    start = line.tokens[at].start
    named = _GUEST.match(line.raw[start:])
    if named is None:
        return _player(line, at)
    until = next(n for n in range(at, len(line.tokens)) if line.tokens[n].start >= start + named.end())
    return None if _is_example(named[1]) else (named[1].strip("\"'“”„ ,"), until)


def _mailbox(line: Line, at: int) -> Found:
    """An address, in angle brackets or not."""
    start = line.tokens[at].start
    found = _MAILBOX.match(line.raw[start:])
    if found is None or (start and not line.raw[start - 1].isspace()):
        return None
    end = start + found.end()
    until = next((n for n in range(at, len(line.tokens)) if line.tokens[n].start >= end), len(line.tokens))
    return found[1], until


def _points(line: Line, at: int) -> Found:
    """A whole number with its sign: +5, -3. Whatever dash stands right before it is a minus."""
    signed = re.match(r"([+\-–−]?)(\d+)", line.raw[line.tokens[at].start :])
    stray = (
        line.raw[: line.tokens[at].start].rstrip()[-1:] in _DASHES
        and line.raw[line.tokens[at].start - 1].isspace()
    )
    if signed is None or stray or len(signed[2]) > LONGEST_NUMBER:
        return None
    start, end = line.tokens[at].start, line.tokens[at].start + signed.end()
    sign = signed[1] or line.raw[start - 1 : start]
    until = next((n for n in range(at, len(line.tokens)) if line.tokens[n].end >= end), at) + 1
    return (-int(signed[2]) if sign in _DASHES else int(signed[2])), until


def _event(line: Line, at: int) -> Found:
    number = line.number(at)
    return None if number is None else (number, at + 1)


def _text(line: Line, at: int) -> Found:
    return line.between(at, len(line.tokens)), len(line.tokens)


def _case(line: Line, at: int) -> Found:
    """`J1`: the number of a case."""
    number = line.number(at + 1)
    return (number, at + 2) if line.word(at) == "j" and number is not None else None


def _clause(line: Line, at: int) -> Found:
    """The name of a clause, up to the colon."""
    until = next((n for n in range(at, len(line.tokens)) if line.word(n) == ":"), at)
    named = until > at and clause_name(line.between(at, until))
    return (named, until) if named else None


def _value(setting: str) -> Callable[[Line, int], Found]:
    def read(line: Line, at: int) -> Found:
        word = line.word(at)
        is_code = setting == "language" and _CODE.fullmatch(
            word
        )  # a host may have more than those with words
        value = word if is_code else VALUES[setting].get(word)
        return (value, at + 1) if value else None

    return read


def _is_example(words: str) -> bool:
    """`<NAME>`: a place in our own help that was sent back as it stood."""
    return words.startswith("<") and words.endswith(">")


READERS: Mapping[str, Callable[[Line, int], Found]] = {
    "choice": _choice,
    "number": _number,
    "rule": _number,
    "turn": _number,
    "until": _number,
    "numbers": _numbers,
    "on": _number,
    "otherwise": _choice,
    "those": _those,
    "title": _title,
    "name": _name,
    "team": _name,
    "player": _player,
    "by": _player,
    "points": _points,
    "event": _event,
    "time": _time,
    "date": _date,
    "why": _title,
    "word": _word,
    "guest": _guest,
    "mailbox": _mailbox,
    "address": _word,
    "text": _text,
    "question": _title,
    "words": _title,
    "who": _who,
    "case": _case,
    "clause": _clause,
    **{setting: _value(setting) for setting in VOCABULARY["en"].values},
}
