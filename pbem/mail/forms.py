"""A line held against the forms of words.py: which act it names, with what in its places.

What lives here: the tree of all forms, the walk down it. What never may: leaving a word of the line unaccounted
for, or going back on a step (the walk is one pass, whatever the line).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pbem.game.model import KINDS, Choice
from pbem.game.vocabulary import clause_name
from pbem.mail.lines import LONGEST_NUMBER, QUOTES, Line
from pbem.mail.vocabulary import Language, Vocabulary
from pbem.mail.words import ALL, THOSE, VOCABULARY

MOST_COMMANDS = 200
"""Commands read from one mail; also the longest range of numbers on a line."""
LATER = "later"
"""The act of every form that is not taken yet; the form itself is in the match's values."""
INSIDE = "inside"
"""The act of every form that belongs in a proposal's text and stands outside one."""
CHECK = "check "
"""Stands before a kind in the act of `check propose …`."""

_FORM_PART = re.compile(r"\{\w+\}|[^\W\d_]+|\S")
_CODE = re.compile(r"[a-z]{2,3}")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DASHES = ("-", "–", "−")
_SIGNED = frozenset("+-±")
_PASSED_OVER = frozenset(":-=")


@dataclass(slots=True)
class Node:
    """A fork in the tree of forms: by word, by place, and the act (with its languages) of a line that ends here."""

    words: dict[str, Node] = field(default_factory=dict)
    places: dict[str, Node] = field(default_factory=dict)
    act: str = ""
    form: str = ""
    languages: frozenset[Language] = frozenset()
    acts: set[str] = field(default_factory=set)
    """All acts that can still be reached."""


@dataclass(frozen=True, slots=True)
class Match:
    """A line understood whole: the act, what stands in its places, and the languages it may be in.

    `form` is the form it fits (for an act that is not taken yet).
    """

    act: str
    values: Mapping[str, Any]
    languages: frozenset[Language]
    form: str


@dataclass(frozen=True, slots=True)
class Miss:
    """A line that fits no form: the fork it got to, the first token that does not fit, and the steps made."""

    node: Node
    at: int
    steps: int


def match(line: Line) -> Match | Miss:
    """The act the whole line names, or how far it got."""
    node, at, steps = ROOT, 0, 0
    values: dict[str, Any] = {}
    while at < len(line.tokens):
        step = _step(node, line, at, values)
        if step is None:
            if not _passes_over(line, at, steps):
                return Miss(node, at, steps)
            at += 1
            continue
        (node, at), steps = step, steps + 1
    if not node.act:
        return Miss(node, at, steps)
    return Match(node.act, values, node.languages & _choice_languages(line, values), node.form)


def _step(node: Node, line: Line, at: int, values: dict[str, Any]) -> tuple[Node, int] | None:
    """One step down the tree: by the word itself, else by the first place that it can fill."""
    if (below := node.words.get(line.tokens[at].word)) is not None:
        return below, at + 1
    for place, below in node.places.items():
        if (found := _READERS[place](line, at)) is not None:
            values[place], at = found
            return below, at
    return None


def _passes_over(line: Line, at: int, steps: int) -> bool:
    """Quotes anywhere; `:` `-` `=` between two words."""
    word = line.tokens[at].word
    return word in QUOTES or (word in _PASSED_OVER and steps > 0 and at + 1 < len(line.tokens))


def _choice_languages(line: Line, values: Mapping[str, Any]) -> frozenset[Language]:
    """The languages whose word for the choice was used; all of them where there is no choice."""
    languages = frozenset(VOCABULARY)
    if "choice" in values:
        for token in line.tokens:
            languages &= CHOICE_LANGUAGES.get(token.word, languages)
    return languages


# ---- what may stand in a place: a reader gives the value and the token after it, or None ----

Found = tuple[Any, int] | None


def _choice(line: Line, at: int) -> Found:
    choice = CHOICES.get(line.word(at))
    return (choice, at + 1) if choice else None


def _number(line: Line, at: int) -> Found:
    at = _before_number(line, at)
    number = line.number(at)
    return None if number is None else (number, at + 1)


def _before_number(line: Line, at: int) -> int:
    while line.word(at) in _BEFORE_NUMBER:
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
    last = line.number(at + 2) if line.word(at + 1) in _UPTO else None
    return (first, at + 1) if last is None else (last, at + 3)


def _after_comma(line: Line, at: int) -> int:
    while line.word(at) in _BETWEEN:
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
    return word.isalpha() and word not in _AFTER_NAMES


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


def _command(line: Line, at: int) -> Found:
    return _text(line, at) if line.word(at) in OPENINGS else None


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


_READERS: Mapping[str, Callable[[Line, int], Found]] = {
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
    "address": _word,
    "text": _text,
    "question": _title,
    "words": _title,
    "who": _who,
    "case": _case,
    "command": _command,
    "clause": _clause,
    **{setting: _value(setting) for setting in VOCABULARY["en"].values},
}


# ---- the tables of all languages, put together once ----


def forms_of(table: Vocabulary) -> list[tuple[str, str]]:
    """All (act, form) of a language."""
    forms = [(act, form) for rows in (table.forms, table.also) for act in rows for form in rows[act]]
    checks = [(CHECK + act, f"{table.check} {form}") for act, form in forms if act in KINDS]
    ballots = [form for act, form in forms if act == "vote" and "{those}" not in form]
    hanging = [("vote if", f"{ballot} {condition}") for ballot in ballots for condition in table.conditions]
    others = [(LATER, form) for form in table.later] + [(INSIDE, form) for form in table.inside]
    return forms + checks + hanging + others


def _tree() -> Node:
    root = Node()
    for language, table in VOCABULARY.items():
        for act, form in forms_of(table):
            _plant(root, act, form, language)
    return root


def _plant(root: Node, act: str, form: str, language: Language) -> None:
    node = root
    for part in _FORM_PART.findall(form.lower()):
        node.acts.add(act)
        branches = node.places if part[0] == "{" else node.words
        node = branches.setdefault(part.strip("{}"), Node())
    node.acts.add(act)
    if node.act not in ("", act):
        raise ValueError(f"two acts have the form {form!r}: {node.act}, {act}")
    node.act, node.form, node.languages = act, form, node.languages | {language}


def _words_after(place: str, node: Node) -> set[str]:
    """The words that may follow a place, anywhere below `node`."""
    below = [*node.words.values(), *node.places.values()]
    here = set(node.places[place].words) if place in node.places else set()
    return here.union(*(_words_after(place, fork) for fork in below))


def _choice_words() -> dict[str, Choice]:
    return {word: choice for table in ALL for choice, words in table.choices.items() for word in words}


CHOICES: Mapping[str, Choice] = _choice_words()
CHOICE_LANGUAGES: Mapping[str, frozenset[Language]] = {
    word: frozenset(
        language
        for language, table in VOCABULARY.items()
        if any(word in words for words in table.choices.values())
    )
    for word in CHOICES
    if word.isalpha()
}
VALUES: Mapping[str, Mapping[str, str]] = {
    setting: {
        word: value
        for table in VOCABULARY.values()
        for value, words in table.values[setting].items()
        for word in words
    }
    for setting in VOCABULARY["en"].values
}
_BEFORE_NUMBER = frozenset(word for table in ALL for word in table.before_number) | {"#"}
AND = frozenset(word for table in ALL for word in table.between)
"""Words that join two numbers, or two commands."""
_BETWEEN = AND | {",", "&"}
_UPTO = frozenset(word for table in ALL for word in table.upto) | {"-"}
ROOT = _tree()
OPENINGS: frozenset[str] = frozenset(ROOT.words) | frozenset(CHOICES)
"""Every word a command may begin with."""
_AFTER_NAMES = frozenset(_words_after("player", ROOT))
"""Words that end a name by going on with the form."""
