"""How an invitation is answered: any plain yes is one, under whichever name it was made; anything else is asked back.

What lives here: the reading of words from an address that is invited. What never may: seating anybody, or a name.
Of a language's words, `yes` begins a line that says yes, with `beside` before it at most, `no` one that does not;
`against`, a condition or a denial in it takes a yes back.
"""

from __future__ import annotations

from itertools import islice
from typing import Final, Literal

from pbem.game.commands import Join, Observe, Vote
from pbem.game.model import Problem, Say, say
from pbem.mail import doubts
from pbem.mail.lines import Line
from pbem.mail.readings import Reading, Understood
from pbem.mail.vocabulary import Language
from pbem.mail.words import VOCABULARY

_MOST_LINES = 100
"""Lines looked at; a person's answer has a few."""
_LONGEST_LINE = 500

ASK: Final[Say] = say(
    "You are invited to play. The first line below takes your seat, the second lets you watch. "
    "If you want neither, you need do nothing."
)

_Kind = Literal["yes", "no", "against", "beside"]
_Phrases = dict[tuple[str, ...], Language | None]


def _phrases(kind: _Kind) -> _Phrases:
    """The phrases of a kind with their language (None: of several), the longest first, so that each is found whole."""
    found: _Phrases = {}
    for language, table in VOCABULARY.items():
        for words in table.invited[kind]:
            phrase = tuple(words.split())
            found[phrase] = None if phrase in found else language
    return dict(sorted(found.items(), key=lambda each: -len(each[0])))


_YES, _NO, _BESIDE = _phrases("yes"), _phrases("no"), _phrases("beside")
_AGAINST = frozenset(
    word
    for table in VOCABULARY.values()
    for word in (*table.invited["against"], *table.doubt["conditions"], *table.doubt["denials"], "?")
) - {word for phrase in _BESIDE for word in phrase}


def answered(reading: Reading, text: str) -> Reading:
    """What `text`, read as `reading`, answers to an invitation: its first yes as the command to join, and nothing else as
    a ballot. What is neither that nor a command is one question with the lines that answer."""
    lines = text.split("\n")
    yes = _accepting(lines)
    kept = tuple(
        line for line in reading.lines
        if isinstance(line, Understood) and not (isinstance(line.command, Vote) or (line.line in yes and not _decides(line)))
    )  # fmt: skip
    if any(map(_decides, kept)):
        return Reading(kept, _without(reading.prose, lines, yes))
    if yes:
        at, language = next(iter(yes.items()))
        joining = Understood(at, lines[at - 1].strip(), Join(), language)
        return Reading((joining, *kept), _without(reading.prose, lines, yes))
    if kept and len(kept) == len(reading.lines):
        return reading
    return Reading((*kept, Problem(1, text.strip(), ASK, (Join(), Observe()))), "")


def spoken(text: str) -> Language | None:
    """The language that most of the known words of greeting and answering in `text` are in, None if that is unsure."""
    words = {word for line in islice(text.split("\n"), _MOST_LINES) for word in _words(line)}
    hits = [
        language
        for known in (_YES, _NO, _BESIDE)
        for phrase, language in known.items()
        if words >= set(phrase)
    ]
    counts = {language: hits.count(language) for language in VOCABULARY}
    most = max(counts.values())
    best = [language for language, count in counts.items() if count == most]
    return best[0] if len(best) == 1 else None


def _decides(line: Understood) -> bool:
    return isinstance(line.command, Join | Observe)


def _accepting(lines: list[str]) -> dict[int, Language | None]:
    """The numbers of the lines that say yes (from 1), with their language; none if any line says no."""
    found: dict[int, Language | None] = {}
    for at, line in enumerate(lines[:_MOST_LINES]):
        words = _after(_words(line), _BESIDE)
        if _first(words, _NO):
            return {}
        yes = _first(words, _YES)
        below = lines[at + 1] if at + 1 < len(lines) else ""
        if yes and _AGAINST.isdisjoint(_signed(line)) and not doubts.takes_back(below):
            found[at + 1] = _YES[yes]
    return found


def _words(line: str) -> list[str]:
    return [word for word in _signed(line) if word[0].isalpha()]


def _signed(line: str) -> list[str]:
    """The words and signs of a line; none of one that is quoted."""
    tokens = Line.of(line[:_LONGEST_LINE]).tokens if not line.startswith(">") else ()
    return [token.word for token in tokens]


def _after(words: list[str], known: _Phrases) -> list[str]:
    """The words behind all of the phrases that stand first."""
    while phrase := _first(words, known):
        words = words[len(phrase) :]
    return words


def _first(words: list[str], known: _Phrases) -> tuple[str, ...]:
    """The phrase that the words begin with, () if none."""
    return next((phrase for phrase in known if tuple(words[: len(phrase)]) == phrase), ())


def _without(prose: str, lines: list[str], yes: dict[int, Language | None]) -> str:
    """The prose less the lines that are understood."""
    understood = {lines[at - 1] for at in yes}
    return "\n".join(line for line in prose.split("\n") if line not in understood).strip()
