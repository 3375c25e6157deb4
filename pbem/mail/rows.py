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
from pbem.mail.forms import CHOICES
from pbem.mail.lines import Line
from pbem.mail.message import Cut

_NUMBER = re.compile(r"(?<![\w.])\d{3,6}(?![\w-]|\.\d)")
_LONGEST_REMARK = 12
"""Words that may follow an answer and be a remark."""
_BEFORE_A_REMARK = frozenset(",.!;:-–—(")


@dataclass(frozen=True, slots=True)
class Rows:
    """What the quoted rows of a mail name among the open votes.

    `under` leads from a line of the new text (1 is the first) to the proposal that the row right above it names;
    `doubtful` are such lines where the mail itself answers another proposal; `named` are all that rows name, `blank`
    those whose rows stand among answered ones and have nothing below them.
    """

    under: Mapping[int, int] = field(default_factory=lambda: MappingProxyType({}))
    doubtful: frozenset[int] = frozenset()
    named: tuple[int, ...] = ()
    blank: tuple[int, ...] = ()


NO_ROWS = Rows()


def read_rows(text: str, cuts: Sequence[Cut], voted_on: Collection[int], about: int | None) -> Rows:
    """What the rows left out of `text` name. `about` is the proposal whose conversation the mail answers, if any."""
    quotes = [cut for cut in cuts if cut.why in ("quote", "original")]
    lines = text.split("\n")
    under: dict[int, int] = {}
    above: list[int] = []
    for cut in quotes:
        line = next((n for n in range(cut.above + 1, len(lines) + 1) if lines[n - 1].strip()), None)
        rows = [_one(row, voted_on) for row in cut.rows]
        if line is not None and rows[-1] is not None and cut.why == "quote":
            under[line] = rows[-1]
            above += [number for number in rows[:-1] if number is not None]
    named = tuple(dict.fromkeys(number for cut in quotes for number in _all(cut.rows, voted_on)))
    doubtful = frozenset(under) if len(under) == 1 and about not in (None, *under.values()) else frozenset()
    blank = tuple(dict.fromkeys(number for number in above if number not in under.values()))
    return Rows(under, doubtful, named, blank if len(under) > 1 else ())


def _one(row: str, voted_on: Collection[int]) -> int | None:
    """The one proposal that is voted on which a row names."""
    numbers = set(_all([row], voted_on))
    return numbers.pop() if len(numbers) == 1 else None


def _all(rows: Sequence[str], voted_on: Collection[int]) -> Iterator[int]:
    numbers = (int(number) for row in rows for number in _NUMBER.findall(row))
    return (number for number in numbers if number in voted_on)


def answer(line: Line) -> Choice | None:
    """The ballot that a line under a row is: the word alone, or with a remark after a sign that takes nothing back."""
    choice = CHOICES.get(line.word(0))
    if choice is None or len(line.tokens) == 1:
        return choice
    words = [token.word for token in line.tokens[1:] if token.word[-1].isalnum()]
    remarks = line.word(1) in _BEFORE_A_REMARK and len(words) <= _LONGEST_REMARK
    return choice if remarks and doubts.takes_nothing_back(words) else None
