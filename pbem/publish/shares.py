"""Work in shares, each done by a process of its own: the first publishing of a long game uses every processor.

What lives here: the fork. What never may: a fork beside other threads. A lock that one of them holds would never be let
go in the child; a server has threads, and there the process does all the work itself.
"""

from __future__ import annotations

import os
import pickle
import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from pbem.progress import Progress, untold

MANY = 400
"""Pieces of work that are worth a second process."""

Piece = TypeVar("Piece")


def in_shares(pieces: Sequence[Piece], work: Callable[[Piece], None], progress: Progress = untold) -> None:
    """Does `work` on every piece, in no certain order. Raises what any of it raises, once every share has ended.

    `progress` is nearly right while other processes are at their shares."""
    shares = len(os.sched_getaffinity(0)) if len(pieces) >= MANY and threading.active_count() == 1 else 1
    children = [_begun(pieces[share::shares], work) for share in range(1, shares)]
    try:
        for place, piece in enumerate(pieces[::shares], 1):
            work(piece)
            progress(min(place * shares, len(pieces)), len(pieces))
    finally:
        errors = [error for error in map(_ended, children) if error is not None]
    for error in errors:
        raise error


def _begun(pieces: Sequence[Piece], work: Callable[[Piece], None]) -> tuple[int, int]:
    """A child at work: its process, and where to read what went wrong in it."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        return child, reading
    try:
        for piece in pieces:
            work(piece)
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
