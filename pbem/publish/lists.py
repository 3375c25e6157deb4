"""Long lists: lines of thousands of rules, turns or awards, on pages that change with every turn.

What lives here: lines by fifties, put together and encoded once. What never may: going through every line because one
changed. While a page is printed a list stands in its text as a mark; when the page is made into bytes, the bytes of the
list take the place of the mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, TypeVar

TOGETHER: Final = 50
"""Numbers whose pages, or lines of a list, are looked through at once."""
_MARK: Final = re.compile("(\0[0-9]{1,6}\0)")
"""No mail leaves a control character in a text; a game that was imported may."""

Thing = TypeVar("Thing")
Blocks = Sequence[tuple[int, tuple[Thing, ...]]]
"""Things by fifties of their numbers, with the place of each fifty."""


@dataclass(frozen=True, slots=True)
class Long:
    """A list in UTF-8, in pieces with `between` each two, and its place among the lists of this printing."""

    place: int
    pieces: tuple[bytes, ...]
    between: bytes = b""

    def __bool__(self) -> bool:
        return bool(self.pieces)

    def __str__(self) -> str:
        return f"\0{self.place}\0"

    __html__ = __str__

    @property
    def content(self) -> bytes:
        """All of it."""
        return self.between.join(self.pieces)


def together(numbered: Iterable[tuple[int, Thing]]) -> Iterator[tuple[int, tuple[Thing, ...]]]:
    """Things in the order of their numbers (up or down), those with numbers close to each other together."""
    for place, held in groupby(numbered, lambda each: each[0] // TOGETHER):
        yield place, tuple([thing for _, thing in held])


def with_lists(text: str, lists: Mapping[str, Long]) -> bytes:
    """The text in UTF-8, with each of the lists, by their marks, where it stands; what only looks like a mark stays as it is."""
    return b"".join(lists[each].content if each in lists else each.encode() for each in _MARK.split(text))
