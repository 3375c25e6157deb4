"""Publishing: a whole new version of a game's pages beside the old one, then one swap of a symbolic link.

    FOLDER/index.html                 the index of games, replaced file by file
    FOLDER/GAME → .versions/GAME-12   what readers see
    FOLDER/.versions/GAME-12/…        complete, never changed again

What lives here: writing. What never may: following a link or writing over a file inside a version. All
goes through descriptors of folders, with names that `Page` has let pass. A reader meets the old version or
the new one; the one before stays, for those who have just opened a page of it. After a crash the old
version is up, and what was left half built goes at the next publishing. A file that did not change is one
file with two names (a hard link).
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

from pbem.publish.page import SAFE_NAME, Page

_VERSIONS: Final = ".versions"
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_NEW_FILE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW


def publish(folder: Path, game: str, version: int, pages: Iterable[Page]) -> None:
    """Puts `pages` up as version `version` of `game`. Publishing a version again is allowed.

    Raises ValueError for a game whose name is not safe in a path, OSError if the disk fails; readers then
    still see the version before.
    """
    if not SAFE_NAME.fullmatch(game):
        raise ValueError(f"no game on the site may be called {game!r}")
    with _alone(folder) as (site, versions):
        live = _live(site, versions, game)
        build = f".build-{game}"
        _clear(versions, build)
        os.mkdir(build, dir_fd=versions)
        # With no version before, the new one is compared with itself, where nothing is yet.
        with _at(build, versions) as new, _at(live or build, versions) as old:
            _fill(new, old, pages)
        name = _free_name(versions, game, version)
        os.rename(build, name, src_dir_fd=versions, dst_dir_fd=versions)
        os.fsync(versions)
        _swap(site, game, name)
        _prune(versions, game, (name, live))


def write_index(folder: Path, pages: Iterable[Page]) -> None:
    """Writes files straight into the site's folder, each replaced in one step. Raises OSError if the disk fails."""
    with _alone(folder) as (site, _):
        for page in pages:
            (name,) = page.path
            beside = f".new-{name}"
            _clear(site, beside)
            _write(site, beside, page.content)
            _flush(site, [beside])
            os.replace(beside, name, src_dir_fd=site, dst_dir_fd=site)
        os.fsync(site)


@contextmanager
def _alone(folder: Path) -> Iterator[tuple[int, int]]:
    """Descriptors of the site's folder and of its versions, with no other publisher at work."""
    (folder / _VERSIONS).mkdir(parents=True, exist_ok=True)
    site = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with _at(_VERSIONS, site) as versions:
            fcntl.flock(versions, fcntl.LOCK_EX)
            yield site, versions
    finally:
        os.close(site)


@contextmanager
def _at(name: str, folder: int) -> Iterator[int]:
    """A descriptor of the folder `name` in `folder`."""
    here = os.open(name, _FOLDER, dir_fd=folder)
    try:
        yield here
    finally:
        os.close(here)


@contextmanager
def _down(top: int, folders: Sequence[str], *, make: bool = False) -> Iterator[int]:
    """A descriptor of the folder that `folders` lead to from `top`; made on the way if `make`."""
    with ExitStack() as opened:
        here = top
        for name in folders:
            if make:
                with suppress(FileExistsError):
                    os.mkdir(name, dir_fd=here)
            here = opened.enter_context(_at(name, here))
        yield here


def _fill(new: int, old: int, pages: Iterable[Page]) -> None:
    for page in pages:
        _put(page, new, old)
    _flush(new, list(_everything(new)))


def _everything(top: int) -> Iterator[str]:
    """The paths of all folders and files from `top` down."""
    for root, _, names, _ in os.fwalk(".", dir_fd=top):
        yield root
        yield from (f"{root}/{name}" for name in names)


def _put(page: Page, new: int, old: int) -> None:
    """Writes a page, or gives the same page of the version before a second name."""
    *folders, name = page.path
    with _down(new, folders, make=True) as here:
        # Whatever keeps the old file from being read or linked (there is none; the disk has no hard links):
        # then the page is written.
        with suppress(OSError), _down(old, folders) as there:
            if _read(there, name) == page.content:
                os.link(name, name, src_dir_fd=there, dst_dir_fd=here, follow_symlinks=False)
                return
        _write(here, name, page.content)


def _read(folder: int, name: str) -> bytes:
    with open(os.open(name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=folder), "rb") as file:
        return file.read()


def _write(folder: int, name: str, content: bytes) -> None:
    with open(os.open(name, _NEW_FILE, 0o644, dir_fd=folder), "wb") as file:
        file.write(content)


def _flush(folder: int, paths: Sequence[str]) -> None:
    """Waits until files and folders are on the disk. At once, since a disk takes many as fast as one."""

    def flush(path: str) -> None:
        opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=folder)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)

    with ThreadPoolExecutor(16) as threads:
        list(threads.map(flush, paths))


def _live(site: int, versions: int, game: str) -> str | None:
    """The name of the version readers see, None if there is none."""
    try:
        name = os.path.basename(os.readlink(game, dir_fd=site))
    except FileNotFoundError:
        return None
    return name if name in os.listdir(versions) else None


def _free_name(versions: int, game: str, version: int) -> str:
    """The version's folder: `kaffe-12`, or `kaffe-12.1` when it is published again."""
    taken = set(os.listdir(versions))
    names = (f"{game}-{version}{again}" for again in ("", *(f".{n}" for n in range(1, len(taken) + 1))))
    return next(name for name in names if name not in taken)


def _swap(site: int, game: str, name: str) -> None:
    beside = f".new-{game}"
    _clear(site, beside)
    os.symlink(f"{_VERSIONS}/{name}", beside, dir_fd=site)
    os.replace(beside, game, src_dir_fd=site, dst_dir_fd=site)
    os.fsync(site)


def _prune(versions: int, game: str, kept: tuple[str | None, ...]) -> None:
    """Removes every version of the game but those kept."""
    own = re.compile(rf"{re.escape(game)}-\d+(\.\d+)?")
    for name in os.listdir(versions):
        if own.fullmatch(name) and name not in kept:
            _clear(versions, name)


def _clear(folder: int, name: str) -> None:
    """Removes a file, a link or a whole folder, if it is there."""
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return
    except IsADirectoryError:
        shutil.rmtree(name, dir_fd=folder)
