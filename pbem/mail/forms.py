"""A line held against the forms of words.py: which act it names, with what in its places.

What lives here: the walk down the tree of all forms. What never may: leaving a word of the line unaccounted
for, or going back on a step (the walk is one pass, whatever the line).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pbem.mail.lines import QUOTES, Line
from pbem.mail.places import READERS, Found
from pbem.mail.tree import CHOICE_LANGUAGES, INSIDE, ROOT, SAY_FOR, Node
from pbem.mail.vocabulary import Language
from pbem.mail.words import VOCABULARY

_PASSED_OVER = frozenset(":-=")


@dataclass(frozen=True, slots=True)
class Match:
    """A line understood whole: the act, what stands in its places, and the languages it may be in.

    `form` is the form it fits.
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
        found = _command(line, at) if place == "command" else READERS[place](line, at)
        if found is not None:
            values[place], at = found
            return below, at
    return None


def _command(line: Line, at: int) -> Found:
    """All that is left of the line, if it is a command of its own that names nobody else: as what it is understood."""
    if says_for_another(line, at):
        return None
    found = match(Line.of(line.raw[line.tokens[at].start :]))
    return None if isinstance(found, Miss) or found.act == INSIDE else (found, len(line.tokens))


def says_for_another(line: Line, at: int = 0) -> bool:
    """Whether the words from there on begin like those said for somebody else. They never hold others like them."""
    opening = ROOT.words.get(line.word(at))
    return opening is not None and SAY_FOR in opening.acts


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
