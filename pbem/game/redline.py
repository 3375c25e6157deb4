"""What changed between two texts, word by word.

What lives here: the comparison. How it is shown (`[-old-]{+new+}`, <del>/<ins>) is the templates' matter.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterator
from typing import Literal, NamedTuple

_WORDS = re.compile(r"\s+|\w+|[^\w\s]")
_LINES = re.compile(r"[^\n]*\n|[^\n]+")

_WRAP = re.compile(r"(?<=\S) ?\n(?=[^\s\d*+>#|-])")

MOST_PAIRS = 300_000
"""Pairs of like words that are looked at; beyond them whole lines are compared, and beyond that nothing: the
comparison is quadratic in them, and a rule is a player's to write."""


class Piece(NamedTuple):
    """A run of text that stayed, went or came."""

    what: Literal["same", "gone", "new"]
    text: str


def redline(old: str, new: str) -> tuple[Piece, ...]:
    """The pieces that lead from `old` to `new`, in reading order: what went stands before what came."""
    for cut, before, after in ((_WORDS, _unwrapped(old), _unwrapped(new)), (_LINES, old, new)):
        gone, come = cut.findall(before), cut.findall(after)
        begin = _alike(gone, come)
        end = _alike(gone[begin:][::-1], come[begin:][::-1])
        middle = gone[begin : len(gone) - end], come[begin : len(come) - end]
        if _pairs(*middle) <= MOST_PAIRS:
            return tuple(_joined(_framed(gone[:begin], _pieces(*middle), gone[len(gone) - end :])))
    return tuple(_change(old, new, ""))


def _alike(before: list[str], after: list[str]) -> int:
    """How many words two texts begin with alike."""
    pairs = enumerate(zip(before, after, strict=False))
    return next((at for at, (old, new) in pairs if old != new), min(len(before), len(after)))


def _framed(begin: list[str], pieces: Iterator[Piece], end: list[str]) -> Iterator[Piece]:
    """The pieces between two runs that stayed: most changes leave most of a text alone, and that is told fast."""
    if begin:
        yield Piece("same", "".join(begin))
    yield from pieces
    if end:
        yield Piece("same", "".join(end))


def _pairs(before: list[str], after: list[str]) -> int:
    """How many pairs of like words there are: what the comparison costs."""
    counted = Counter(after)
    return sum(times * counted[word] for word, times in Counter(before).items() if not word.isspace())


def _unwrapped(text: str) -> str:
    """Without the line ends that a mail program put inside paragraphs: they are no change of the rule."""
    return _WRAP.sub(" ", text)


def _pieces(before: list[str], after: list[str]) -> Iterator[Piece]:
    # Spaces are like each other everywhere, and say nothing of what belongs together.
    matcher = difflib.SequenceMatcher(str.isspace, before, after, autojunk=False)
    for change, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        gone, come = "".join(before[old_from:old_to]), "".join(after[new_from:new_to])
        if change == "equal":
            yield Piece("same", gone)
            continue
        if gone:
            yield Piece("gone", gone)
        if come:
            yield Piece("new", come)


def _joined(pieces: Iterator[Piece]) -> Iterator[Piece]:
    """Changes with nothing but a space between them read better as one."""
    gone, new, space = "", "", ""
    for piece in pieces:
        if piece.what == "gone":
            gone, new, space = gone + space + piece.text, new + space, ""
        elif piece.what == "new":
            gone, new, space = gone + space, new + space + piece.text, ""
        elif piece.text.isspace() and "\n" not in piece.text and (gone or new) and not space:
            space = piece.text
        else:
            yield from _change(gone, new, space)
            gone, new, space = "", "", ""
            yield piece
    yield from _change(gone, new, space)


def _change(gone: str, new: str, space: str) -> Iterator[Piece]:
    if gone:
        yield Piece("gone", gone)
    if new:
        yield Piece("new", new)
    if space:
        yield Piece("same", space)
