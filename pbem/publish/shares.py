"""Work in shares, each done by a process of its own: the first publishing of a long game uses every processor.

What lives here: the fork, and who does what. What never may: a fork beside other threads. A lock that one of them holds
would never be let go in the child; a server has threads, and there the process does all the work itself.
"""

from __future__ import annotations

import gc
import os
import pickle
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Final, TypeVar

from pbem.progress import Progress, untold

MANY: Final = 400
"""Pieces of work that are worth a second process."""
_RUNS: Final = 100
"""Into so many runs the work is cut; who is done with one takes the next, so that all end at nearly the same time."""

Piece = TypeVar("Piece")


def in_shares(pieces: Sequence[Piece], work: Callable[[Piece], None], progress: Progress = untold) -> None:
    """Does `work` on every piece, in no certain order. Raises what any of it raises, once every process has ended.

    `progress` is nearly right while other processes are at work."""
    many = len(pieces) >= MANY
    more = len(os.sched_getaffinity(0)) - 1 if many and threading.active_count() == 1 else 0
    with _without_search() if many else nullcontext(), _runs(len(pieces)) as runs:
        children = [_begun(pieces, work, runs) for _ in range(more)]
        try:
            for place in _taken(runs, len(pieces)):
                work(pieces[place])
                progress(place + 1, len(pieces))
        finally:
            errors = [error for error in map(_ended, children) if error is not None]
    for error in errors:
        raise error


@contextmanager
def _without_search() -> Iterator[None]:
    """Nothing is gone through for garbage meanwhile: there is little, and the search would take a tenth of the time and have
    every process copy what there is already."""
    searching = gc.isenabled()
    gc.disable()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
        if searching:
            gc.enable()


@contextmanager
def _runs(pieces: int) -> Iterator[int]:
    """A descriptor that gives the number of each run once, a byte each, to whichever process asks first."""
    reading, writing = os.pipe()
    os.write(writing, bytes(range(min(_RUNS, pieces))))
    os.close(writing)
    try:
        yield reading
    finally:
        os.close(reading)


def _taken(runs: int, pieces: int) -> Iterator[int]:
    """The places of the pieces in the runs that are still to be done, one run after the other."""
    many = min(_RUNS, pieces)
    while taken := os.read(runs, 1):
        yield from range(taken[0] * pieces // many, (taken[0] + 1) * pieces // many)


def _begun(pieces: Sequence[Piece], work: Callable[[Piece], None], runs: int) -> tuple[int, int]:
    """A child at work: its process, and where to read what went wrong in it."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        return child, reading
    try:
        for place in _taken(runs, len(pieces)):
            work(pieces[place])
    except BaseException as error:  # it goes on in the parent
        os.write(writing, pickle.dumps(error))
        os._exit(1)
    os._exit(0)


def _ended(child: tuple[int, int]) -> BaseException | None:
    """What went wrong in a child, when it has ended."""
    process, reading = child
    with open(reading, "rb") as said:
        error = said.read()
    _, status = os.waitpid(process, 0)
    if error:
        raised: BaseException = pickle.loads(error)  # noqa: S301  # our own child's
        return raised
    return None if status == 0 else OSError(f"a process that wrote pages ended with status {status}")
