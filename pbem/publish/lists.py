"""Long lists: lines of thousands of rules, turns or awards, on pages that change with every turn.

What lives here: lines by fifties, put together and encoded once. What never may: going through every line because one
changed. While a page is printed a list stands in its text as a mark; when the page is made into bytes, the bytes of the
list take the place of the mark.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
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


def fifties(numbers: Sequence[int]) -> Iterator[tuple[int, slice]]:
    """Where in numbers that go up each fifty of them stands (1 to 49, 50 to 99, …), with the place of that fifty."""
    begin = 0
    while begin < len(numbers):
        place = numbers[begin] // TOGETHER
        end = bisect_left(numbers, (place + 1) * TOGETHER, begin)
        yield place, slice(begin, end)
        begin = end


def together(numbers: Sequence[int], things: Sequence[Thing]) -> Blocks[Thing]:
    """Things by fifties of their numbers, which go up."""
    return [(place, tuple(things[part])) for place, part in fifties(numbers)]


def last_first(blocks: Blocks[Thing]) -> Blocks[Thing]:
    """The same things in the other order."""
    return [(place, held[::-1]) for place, held in reversed(blocks)]


def with_lists(text: str, lists: Mapping[str, Long]) -> bytes:
    """The text in UTF-8, with each of the lists, by their marks, where it stands; what only looks like a mark stays as it is."""
    return b"".join(lists[each].content if each in lists else each.encode() for each in _MARK.split(text))
