"""What is kept in memory because it was used of late: a host may have more games than memory.

What lives here: how much is kept, and what goes first. What never may: anything that cannot be made again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Thing = TypeVar("Thing")


class Recent(Generic[Key, Thing]):
    """Things by key, as many as there is `room` for by their `size`; those go first that were not asked for or put in for
    the longest time, the last one never. Several threads may share it."""

    def __init__(self, room: int, size: Callable[[Thing], int]) -> None:
        self._room = room
        self._size = size
        self._held: OrderedDict[Key, tuple[Thing, int]] = OrderedDict()
        self._taken = 0
        self._lock = Lock()

    def get(self, key: Key) -> Thing | None:
        """What is kept under the key; None if nothing is."""
        with self._lock:
            if key not in self._held:
                return None
            self._held.move_to_end(key)
            return self._held[key][0]

    def put(self, key: Key, thing: Thing) -> None:
        """Keeps a thing; one that has grown is put in again."""
        size = self._size(thing)
        with self._lock:
            self._taken += size - self._held.pop(key, (thing, 0))[1]
            self._held[key] = thing, size
            while self._taken > self._room and len(self._held) > 1:
                _, (_, gone) = self._held.popitem(last=False)
                self._taken -= gone
