"""Files below a folder, all by descriptors: what is written stays inside.

What lives here: reading, writing, linking and removing, and waiting for the disk. What never may: following a link,
writing over a file, or a name that `parted` has not let pass.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from threading import Lock
from typing import Final

MANY: Final = 400
"""Files beyond which the disk is asked for all at once."""
_THREADS: Final = 8
_AT_ONCE: Final = 6
"""Files that one thread waits for in turn: handing each over by itself costs more than a fast disk takes."""
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_NEW_FILE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW

Folders = tuple[str, ...]
"""The names that lead down to a file, without its own."""


class Tree:
    """A folder and those below it. Those that hold folders are opened once: thousands of pages lie in a few of them."""

    def __init__(self, top: int) -> None:
        self.top = top
        self._opened: dict[Folders, int] = {(): top}
        self._opening = Lock()

    def close(self) -> None:
        """Lets all go, the top too."""
        for here in self._opened.values():
            os.close(here)

    @contextmanager
    def at(self, folders: Folders, *, make: bool = False) -> Iterator[int]:
        """A descriptor of the folder that `folders` lead to; made on the way if `make`. Raises OSError."""
        if not folders:
            yield self.top
            return
        with self._opening:
            above = self._above(folders[:-1], make)
        here = _opened(folders[-1], above, make)
        try:
            yield here
        finally:
            os.close(here)

    def _above(self, folders: Folders, make: bool) -> int:
        if folders not in self._opened:
            self._opened[folders] = _opened(folders[-1], self._above(folders[:-1], make), make)
        return self._opened[folders]


@contextmanager
def tree(name: str, folder: int) -> Iterator[Tree]:
    """The folder `name` in `folder`, with what is below it. Raises OSError."""
    opened = Tree(_opened(name, folder, make=False))
    try:
        yield opened
    finally:
        opened.close()


def _opened(name: str, folder: int, make: bool) -> int:
    try:
        return os.open(name, _FOLDER, dir_fd=folder)
    except FileNotFoundError:
        if not make:
            raise
    with suppress(FileExistsError):  # by now another process has made it
        os.mkdir(name, dir_fd=folder)
    return os.open(name, _FOLDER, dir_fd=folder)


def holds(folder: int, name: str, content: bytes) -> bool:
    """Whether that is what a file holds. Raises OSError."""
    with open(os.open(name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=folder), "rb") as file:
        return os.fstat(file.fileno()).st_size == len(content) and file.read() == content


def write(folder: int, name: str, content: bytes) -> None:
    """Writes a file that is not there yet. Raises FileExistsError, OSError if the disk fails."""
    file = os.open(name, _NEW_FILE, 0o644, dir_fd=folder)
    try:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(file, rest) :]
    finally:
        os.close(file)


def link(name: str, there: int, here: int) -> None:
    """Gives the file in `there` a second name in `here`. Raises OSError."""
    os.link(name, name, src_dir_fd=there, dst_dir_fd=here, follow_symlinks=False)


@contextmanager
def flushing(folder: int, many: int) -> Iterator[Callable[[str], object]]:
    """Yields by what to tell of each file and folder below a folder that was changed, about so many: at the end all are on
    the disk. A file is waited for while others are still made; beyond `MANY` the shorter way is to wait once until all is
    there that any program has written. Raises OSError if the disk fails."""
    if many > MANY:
        yield lambda _: None
        os.sync()
        return
    with ThreadPoolExecutor(_THREADS) as threads:
        told: list[str] = []
        asked: list[Future[None]] = []

        def ask() -> None:
            asked.append(threads.submit(_flush_all, folder, tuple(told)))
            told.clear()

        def tell(path: str) -> None:
            told.append(path)
            if len(told) == _AT_ONCE:
                ask()

        yield tell
        ask()
        for flushed in asked:
            flushed.result()


def _flush_all(folder: int, paths: tuple[str, ...]) -> None:
    for path in paths:
        flush(folder, path)


def flush(folder: int, path: str) -> None:
    """Waits until a file or folder below a folder is on the disk. Raises OSError."""
    opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=folder)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
