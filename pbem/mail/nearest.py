"""The nearest right lines to one that has gone wrong.

What lives here: what to offer for pasting. What never may: deciding what the sender meant.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from pbem.mail.doubts import BALLOTS, DOING, SECONDS, is_number, opens_a_proposal
from pbem.mail.forms import Match, Miss, match
from pbem.mail.lines import Line
from pbem.mail.tree import CHOICES, ROOT, SAY_FOR, VALUES, forms_of
from pbem.mail.vocabulary import Language
from pbem.mail.words import VOCABULARY, shown

_LONGEST_WORD = 40
"""Letters of a word that may be a misspelt one of ours."""


def _vocabulary(language: Language) -> frozenset[str]:
    forms = " ".join(form for _, form in forms_of(VOCABULARY[language])).lower().split()
    return frozenset(forms).union(*VOCABULARY[language].choices.values())


_SWEDISH = _vocabulary("sv") - _vocabulary("en")


def mended(line: Line, miss: Miss) -> tuple[Match, ...]:
    """What the line says when one or two misspelt words are put right; () for most prose."""
    if not line.tokens or (miss.at == 0 and len(line.tokens) > 4 and line.word(1) not in SECONDS):
        return ()
    return tuple(_mend(line, miss, _respelt, again=True))


def _mend(
    line: Line, miss: Miss, edits: Callable[[Line, Miss], Iterator[str]], *, again: bool = False
) -> Iterator[Match]:
    for raw in edits(line, miss):
        edited = Line.of(raw)
        found = match(edited)
        if isinstance(found, Match):
            yield found
        elif again and found.at > miss.at:
            yield from _mend(edited, found, edits)


def _respelt(line: Line, miss: Miss) -> Iterator[str]:
    """The line with the word that does not fit spelt like one that would."""
    if miss.at == len(line.tokens):
        return
    word, start, end = line.tokens[miss.at]
    if (3 if miss.steps else 4) <= len(word) <= _LONGEST_WORD:
        cutoff = 0.75 if miss.steps else 0.82
        for near in _close(word, frozenset(_expected(miss)), cutoff):
            yield line.raw[:start] + near + line.raw[end:]


@lru_cache(maxsize=4_096)
def _close(word: str, expected: frozenset[str], cutoff: float) -> tuple[str, ...]:
    """The one or two expected words most like `word`. Remembered: people greet and thank in the same words each time."""
    likely = [near for near in expected if abs(len(near) - len(word)) <= 2]
    return tuple(sorted(difflib.get_close_matches(word, likely, n=2, cutoff=cutoff)))


def _with_colon(line: Line, miss: Miss) -> Iterator[str]:
    """The line with a colon before the word, or the mail address, that does not fit."""
    if ":" in miss.node.words and miss.at < len(line.tokens):
        start = line.tokens[miss.at].start
        if line.word(miss.at) == "@":
            start = line.raw.rfind(" ", 0, start) + 1
        yield f"{line.raw[:start].rstrip()}: {line.raw[start:]}"


def _expected(miss: Miss) -> set[str]:
    words = set(miss.node.words)
    for place in miss.node.places:
        words |= set(CHOICES if place == "choice" else VALUES.get(place, ()))
    return words


def nearest(line: Line, miss: Miss) -> tuple[Match, ...]:
    """The right lines nearest to one that has gone wrong, best first."""
    return (
        mended(line, miss)
        or _proposed(line)
        or tuple(_mend(line, miss, _with_colon))
        or _cut_short(line, miss)
        or _said_in_a_sentence(line)
        or tuple(_ballots(line))
        or _cut_short(line, miss, losing=True)
    )


def _cut_short(line: Line, miss: Miss, *, losing: bool = False) -> tuple[Match, ...]:
    """The line up to what does not fit: `withdraw 301 please`; a number or vote in the rest is lost only if `losing`. A
    mail address is never cut in two."""
    rest = line.tokens[miss.at :]
    told = any(is_number(token.word) or token.word in CHOICES for token in rest)
    if miss.at == 0 or line.word(miss.at) == "@" or (told and not losing):
        return ()
    fits = line.raw[: rest[0].start] if rest else line.raw
    found = match(Line.of(fits.rstrip(" :-=,")))
    return (found,) if isinstance(found, Match) else ()


def _proposed(line: Line) -> tuple[Match, ...]:
    """`Amend Rule 206 (Penalties) by …`, `check repeal 204`: the change proposed outright, up to what does not fit."""
    for table in VOCABULARY.values():
        checked = line.word(0) == table.check
        if line.word(int(checked)) in table.doubt["kinds"]:
            propose, check = table.doubt["proposing"][0], f"{table.check} " if checked else ""
            outright = Line.of(f"{check}{propose} {line.raw[len(check) :]}")
            found = match(outright)
            return (found,) if isinstance(found, Match) else _cut_short(outright, found, losing=True)
    return ()


def _said_in_a_sentence(line: Line) -> tuple[Match, ...]:
    """`I hereby withdraw 301`: from the verb on."""
    verb = next((token for token in line.tokens[1:] if token.word in DOING), None)
    if verb is None:
        return ()
    act = Line.of(line.raw[verb.start :])
    found = match(act)
    if isinstance(found, Match):
        return (found,)
    return mended(act, found) or _cut_short(act, found)


def _choices(line: Line) -> list[str]:
    return [token.word for token in line.tokens if token.word in CHOICES]


def _is_another_command(line: Line) -> bool:
    """Whether the line does something else than vote: `please withdraw 301 now`, `extend 301 until Sunday`."""
    opening = ROOT.words.get(line.word(0))
    begins = opening is not None and opening.acts.isdisjoint(BALLOTS)
    return begins or not DOING.isdisjoint(token.word for token in line.tokens)


def _ballots(line: Line) -> Iterator[Match]:
    """The ballots that a line with votes or numbers in it may stand for."""
    numbers = list(dict.fromkeys(token.word for token in line.tokens if is_number(token.word)))
    choices = _choices(line)
    if opens_a_proposal(line) or not (choices or (numbers and not _is_another_command(line))):
        return
    if len({CHOICES[word] for word in choices}) == 1:
        pairs = [(choices[0], number) for number in numbers or [""]]
    elif len(choices) == len(numbers):
        pairs = list(zip(choices, numbers, strict=True))
    else:
        pairs = [(word, number) for number in numbers or [""] for word in _both(line)]
    for word, number in pairs:
        found = match(Line.of(f"{word} {number}"))
        if isinstance(found, Match):
            yield found


def _both(line: Line) -> list[str]:
    """For and against, in the language of the line."""
    table = VOCABULARY["sv" if any(token.word in _SWEDISH for token in line.tokens) else "en"]
    return [words[0] for words in table.choices.values()]


def examples(line: Line) -> tuple[str, ...]:
    """The forms that begin most like the line (or like what its speaker does), with its number filled in."""
    opening = next((token.word for token in line.tokens if token.word in DOING), line.word(0))
    near = difflib.get_close_matches(opening, ROOT.words, n=1, cutoff=0.82)
    words = [*near, *(token.word for token in line.tokens[1:])]
    numbers = [token.word for token in line.tokens if is_number(token.word)]
    plainest = _WITH_NUMBER if numbers else _PLAINEST
    alike = [(_shared(form, words), form, language) for form, language in plainest]
    most = max(shared for shared, _, _ in alike)
    if most == 0:
        return tuple(shown(VOCABULARY[language].forms["vote"][0], language) for language in VOCABULARY)
    known = {"rule": numbers[0], "number": numbers[0]} if numbers else {}
    return tuple(shown(form, language, **known) for shared, form, language in alike if shared == most)


def _shared(form: str, words: Sequence[str]) -> int:
    """How many words at their beginning are the same."""
    pairs = list(zip(form.split(), words, strict=False))
    return next((n for n, (one, other) in enumerate(pairs) if one.rstrip(":") != other), len(pairs))


def _with_number(forms: Sequence[str]) -> str:
    """The plainest form that names a number, if any does: `extend {number} {time}` beside `extend {time}`."""
    return next((form for form in forms if any(place in form for place in _NUMBERS)), forms[0])


_NUMBERS = ("{number}", "{numbers}", "{rule}")
_FORMS = [
    (forms, language)
    for language, table in VOCABULARY.items()
    for act, forms in table.forms.items()
    if act != SAY_FOR  # begins like much prose, and has another line in it
]
_PLAINEST = [(forms[0], language) for forms, language in _FORMS]
_WITH_NUMBER = [(_with_number(forms), language) for forms, language in _FORMS]
HANGING_BALLOTS = tuple(shown(table.forms["vote if"][0], language) for language, table in VOCABULARY.items())
"""How a ballot hangs on another proposal, in each language."""
