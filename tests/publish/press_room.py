"""Readers and a publisher of one site, each a process of its own; the publisher dies again and again.

What lives here: those processes, run with `python -m tests.publish.press_room`. What never may: a verdict; they count.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from pbem.publish.page import Page, plain
from pbem.publish.versions import publish, write_index

PATHS = ("index.html", "rules/index.html", "rules/301/index.html", "rulebook.txt")
SIZE = 20_000
PAUSE = 0.04
"""Seconds from one publishing to the next. A version goes with the second one after it: who has found its way to a file
of it must be given a moment to open that, however busy the machine is."""


def content(number: int) -> bytes:
    """A page that says which edition it is of, from the first byte to the last."""
    return f"{number:06d}".encode() * (SIZE // 6)


def edition(number: int) -> list[Page]:
    return [plain(path, content(number)) for path in PATHS]


def swapped_in(folder: Path, number: int) -> None:
    """What pbem does."""
    publish(folder, "kaffe", number, edition(number))
    write_index(folder, edition(number)[:1])


def in_place(folder: Path, number: int) -> None:
    """The planted fault."""
    for path in ("index.html", *(f"kaffe/{path}" for path in PATHS)):
        (folder / path).write_bytes(content(number))


WAYS: dict[str, Callable[[Path, int], None]] = {"swapped in": swapped_in, "in place": in_place}


def read_on(folder: Path) -> None:
    """Reads pages until standard input ends; then tells how many there were, how many were missing, and how many were not
    of one edition from beginning to end."""
    os.set_blocking(0, False)
    counts = {"reads": 0, "missing": 0, "mixed": 0}
    while not _is_over():
        time.sleep(0.001)
        for page in _pages(folder):
            counts["reads"] += 1
            counts["missing"] += page is None
            counts["mixed"] += page is not None and page != page[:6] * (SIZE // 6)
    print(json.dumps(counts))  # noqa: T201  # how it answers the test


def _is_over() -> bool:
    try:
        return os.read(0, 1) == b""
    except BlockingIOError:
        return False


def _pages(folder: Path) -> Iterator[bytes | None]:
    for path in ("index.html", *(f"kaffe/{path}" for path in PATHS)):
        try:
            yield (folder / path).read_bytes()
        except FileNotFoundError:
            yield None


def publish_on(folder: Path, way: str, editions: int, seed: int) -> None:
    """Publishes so many editions, each in a process of its own; every second one is killed at a random moment of it, and
    the next one is the same again. Tells how many were killed."""
    chance, longest, killed = random.Random(seed), 0.001, 0  # noqa: S311  # the same each time
    for number in range(1, editions + 1):
        time.sleep(PAUSE)
        if number % 2:
            killed += _published(folder, way, number, chance.uniform(0, longest))
            time.sleep(PAUSE)
        began = time.monotonic()
        assert not _published(folder, way, number, None)
        longest = time.monotonic() - began
    print(json.dumps({"killed": killed}))  # noqa: T201  # as above


def _published(folder: Path, way: str, number: int, until: float | None) -> bool:
    """Whether the process was killed on the way, which is after `until` seconds."""
    child = os.fork()
    if child == 0:
        WAYS[way](folder, number)
        os._exit(0)
    if until is not None:
        time.sleep(until)
        os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


if __name__ == "__main__":
    if sys.argv[1] == "read":
        read_on(Path(sys.argv[2]))
    else:
        publish_on(Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
