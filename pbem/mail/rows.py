"""Answers under quoted rows: which proposal the row above a line names, and which rows got no answer.

What lives here: the binding, and the answer as it may stand there. What never may: a game; whoever asks says which
proposals are voted on.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from pbem.game.model import Choice
from pbem.mail import doubts
from pbem.mail.lines import Line
from pbem.mail.message import Cut
from pbem.mail.tree import CHOICES

_NUMBER = re.compile(r"(?<![\w.])\d{3,6}(?![\w-]|\.\d)")
_TITLE = re.compile(
    r"[>\s*•|+-]*(?:(?:proposal|förslag|nr|no)\.?\s*)?#?(\d{3,6})(?=$|[\s:.,)\]|–—-])", re.IGNORECASE
)
"""How a row that is about one proposal begins."""
_SEVERAL = re.compile(
    r"[^\d]{0,60}\d{3,6}(?:\s*(?:,|&|and|och|,\s*and|,\s*och)\s*\d{3,6})+[\s.]*\Z", re.IGNORECASE
)
"""A row that does nothing but list proposals."""
_ENDS_A_SENTENCE = (".", "!", "?", "…")
_MOST_KIND_WORDS = 5
_BEFORE_A_REMARK = frozenset(",.!;:-–—(")


@dataclass(frozen=True, slots=True)
class Rows:
    """What the quoted rows of a mail name among the open votes.

    `under` leads from a line of the new text (1 is the first) to the proposal that the row right above it is about, and
    `doubtful` to those that such a row speaks of otherwise, or asks about. `named` are the proposals that rows are about
    or list, each with the line of the new text that it stands below; `blank` those whose rows stand among answered ones
    and have nothing below them. `about` is the proposal whose conversation the mail answers; `ends` are the lines below
    which something was left out.
    """

    under: Mapping[int, int] = field(default_factory=lambda: MappingProxyType({}))
    doubtful: Mapping[int, tuple[int, ...]] = field(default_factory=lambda: MappingProxyType({}))
    named: tuple[tuple[int, int], ...] = ()
    blank: tuple[int, ...] = ()
    about: int | None = None
    ends: tuple[int, ...] = ()

    def last_below(self, line: int) -> int:
        """How many lines stand below that line before the next row."""
        return next((end for end in self.ends if end >= line), line + 1_000) - line

    def these(self, line: int) -> tuple[int, ...]:
        """The proposals that `all of these` in that line means: those of the rows above it or, if there are none, all."""
        above = [number for at, number in self.named if at < line]
        return tuple(dict.fromkeys(above or [number for _, number in self.named]))


NO_ROWS = Rows()


def read_rows(text: str, cuts: Sequence[Cut], voted_on: Collection[int], about: int | None) -> Rows:
    """What the rows left out of `text` name. `about` is the proposal whose conversation the mail answers, if any."""
    quotes = [cut for cut in cuts if cut.why in ("quote", "original")]
    lines = text.split("\n")
    under: dict[int, int] = {}
    doubtful: dict[int, tuple[int, ...]] = {}
    above: list[int] = []
    for cut in quotes:
        line = next((n for n in range(cut.above + 1, len(lines) + 1) if lines[n - 1].strip()), None)
        titles = [_title(row, voted_on) for row in cut.rows]
        spoken = tuple(dict.fromkeys(_all(cut.rows[-1:], voted_on)))
        if line is None or cut.why != "quote":
            continue
        if titles[-1] is not None:
            under[line] = titles[-1]
            above += [number for number in titles[:-1] if number is not None]
        elif spoken not in ((), (about,)) or _asks(cut.rows[-1]):
            doubtful[line] = spoken or ((about,) if about else ())
    if len(under) == 1 and about is not None and about not in under.values():
        doubtful |= {line: (number, about) for line, number in under.items()}
        under = {}
    named = tuple(
        (cut.above, number) for cut in quotes for row in cut.rows for number in _about(row, voted_on)
    )
    blank = tuple(dict.fromkeys(number for number in above if number not in under.values()))
    ends = tuple(cut.above for cut in cuts)
    return Rows(under, doubtful, named, blank if len(under) > 1 else (), about, ends)


def _title(row: str, voted_on: Collection[int]) -> int | None:
    """The proposal that a row is about and says no more of than its title."""
    found = _TITLE.match(row)
    number = int(found[1]) if found else 0
    if number not in voted_on:
        return None
    prose = row.rstrip().endswith(_ENDS_A_SENTENCE) or doubts.speaks_of_a_vote(row) or _SEVERAL.match(row)
    return None if prose else number


def _about(row: str, voted_on: Collection[int]) -> Iterator[int]:
    """The proposals that a row is about, or lists."""
    if (number := _title(row, voted_on)) is not None:
        yield number
    elif _SEVERAL.match(row):
        yield from _all([row], voted_on)


def _asks(row: str) -> bool:
    """Whether a row is a question, or says what somebody votes: a bare yes or no below it answers that."""
    return row.rstrip().endswith("?") or doubts.speaks_of_a_vote(row)


def _all(rows: Sequence[str], voted_on: Collection[int]) -> Iterator[int]:
    numbers = (int(number) for row in rows for number in _NUMBER.findall(row))
    return (number for number in numbers if number in voted_on)


def answer(line: Line) -> Choice | None:
    """The ballot that a line under a row is: the word alone, or with a kind word after a sign."""
    choice = CHOICES.get(line.word(0))
    if choice is None or len(line.tokens) == 1:
        return choice
    words = [token.word for token in line.tokens[1:] if token.word[-1].isalnum()]
    kind = line.word(1) in _BEFORE_A_REMARK and 0 < len(words) <= _MOST_KIND_WORDS and doubts.is_kind(words)
    return choice if kind else None
