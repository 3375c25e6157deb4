"""The table of figures: its rows, and its place on docs/performance.md between two marks.

What lives here: how a row is written. What never may: a measurement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "performance.md"
BEGIN, END = "<!-- begin: written by python -m tests.bench -->", "<!-- end -->"
HEAD = ("| what | pbem | beside it, in the same run | ratio | wanted |", "|---|---|---|---|---|")


@dataclass(frozen=True, slots=True)
class Row:
    """One figure: what was measured, ours, the peer's with its name, how many times better we are, and what is wanted. "–" where
    there is no such thing; why something was not measured stands in its place."""

    what: str
    ours: str
    peer: str = "–"
    ratio: str = "–"
    wanted: str = "–"

    def __str__(self) -> str:
        return f"| {self.what} | {self.ours} | {self.peer} | {self.ratio} | {self.wanted} |"


def times(ours: float, theirs: float) -> str:
    """A ratio as it is read: `3.4 ×`."""
    return f"{ours / theirs:.2g} ×" if ours < 10 * theirs else f"{ours / theirs:.0f} ×"


def written(rows: Sequence[Row], machine: str, day: str) -> str:
    """The block between the marks."""
    lines = (f"Measured on {day}: {machine}.", "", *HEAD, *map(str, rows))
    return "\n".join(lines)


def put_into(page: str, block: str) -> str:
    """The page with the block in the place of the one it has. Raises ValueError when the marks are not there."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"{PAGE.name} has no place for the table: {BEGIN} … {END}")
    return f"{before}{BEGIN}\n{block}\n{END}{after}"
