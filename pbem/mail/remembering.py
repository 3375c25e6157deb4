"""What is read out of short values again and again, kept: mails are much alike.

What lives here: how much is kept. What never may: a long value. It is somebody's to write, and would fill the memory.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final, TypeVar

_KEPT: Final = 1_024

Read = TypeVar("Read")


def remembered(longest: int) -> Callable[[Callable[[str], Read]], Callable[[str], Read]]:
    """Keeps what a reader made of values of at most so many characters. What it makes must never be changed."""

    def kept(read: Callable[[str], Read]) -> Callable[[str], Read]:
        known = lru_cache(maxsize=_KEPT)(read)

        def reading(value: str) -> Read:
            return known(value) if len(value) <= longest else read(value)

        reading.__doc__ = read.__doc__
        return reading

    return kept
