"""Publishing: a whole new version of a game's pages beside the old one, then one swap of a symbolic link.

    FOLDER/index.html                 the index of games, replaced file by file
    FOLDER/GAME → .versions/GAME-12   what readers see
    FOLDER/.versions/GAME-12/…        complete, never changed again

What lives here: which version holds what. What never may: a change in what readers see. A reader meets the old version or
the new one; the one before stays, for those who have just opened a page of it, until the next is built from it: then
only what differs is made, so a turn costs the same in a long game as in a short one. After a crash the old version is
up, and what was left half built goes at the next publishing. A file that did not change is one file with two names
(a hard link).
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from collections.abc import Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path
from typing import Final, NamedTuple

from pbem.progress import Progress, untold
from pbem.publish import folders
from pbem.publish.folders import Folders, Tree, tree
from pbem.publish.page import Page, Shelf, parted, safe, single
from pbem.publish.shares import in_shares

VERSIONS: Final = ".versions"


class Held(NamedTuple):
    """A shelf as it stands on the disk: its key, and the key of each of its pages by path."""

    key: object = object()
    pages: Mapping[str, object] = {}


Library = dict[Hashable, Held]
"""Every shelf of a version by its name."""


@dataclass
class Standing:
    """What a publisher knows of the versions of a game it wrote: by name, what stands in it, and the mark the folder had
    then. A folder with another mark is somebody else's, and nothing is known of it."""

    held: dict[str, Library] = field(default_factory=dict)
    marks: dict[str, tuple[int, int]] = field(default_factory=dict)

    def of(self, versions: int, name: str | None) -> Library:
        """What stands in version `name`; nothing if it is not known."""
        known = name is not None and self.marks.get(name) == _mark(versions, name)
        return self.held[name] if known and name is not None else {}

    def only(self, versions: int, now: dict[str, Library]) -> None:
        """From now on these versions are known, and no others."""
        self.held = now
        self.marks = {name: _mark(versions, name) for name in now}


_NOT_THERE: Final = (0, 0)


def _mark(versions: int, name: str) -> tuple[int, int]:
    """What tells a folder from any other that has, had, or will have its name."""
    try:
        found = os.stat(name, dir_fd=versions, follow_symlinks=False)
    except FileNotFoundError:
        return _NOT_THERE
    return found.st_ino, found.st_ctime_ns


def publish(
    folder: Path,
    game: str,
    version: int,
    shelves: Iterable[Page | Shelf],
    standing: Standing | None = None,
    progress: Progress = untold,
) -> None:
    """Puts the pages on `shelves`, and those beside them, up as version `version` of `game`. Publishing a version again is
    allowed.

    A page whose key is that of the same page in `standing` is not made; `standing` is brought up to date. Raises
    ValueError for a game whose name is not safe in a path, OSError if the disk fails; readers then still see the version
    before.
    """
    safe(game)
    known = standing or Standing()
    with alone(folder) as (site, versions):
        live, build = _live(site, versions, game), f".build-{game}"
        shown, half = known.of(versions, live), f".half-{game}"
        # All games' lie in one folder: it is looked through where somebody else was at work, or anybody broke off.
        there = {*known.held} if shown and not _is_there(versions, half) else _those_of(versions, game)
        stale = _begin(versions, live, build, known)
        with tree(build, versions) as new, tree(live, versions) if live else nullcontext() as old:
            held = _fill(new, old, shelves, stale, shown, progress)
        name = _free_name(versions, game, version)
        with suppress(FileExistsError):  # until this ends, more versions may be there than anybody knows of
            os.mkdir(half, dir_fd=versions)
        os.rename(build, name, src_dir_fd=versions, dst_dir_fd=versions)
        os.fsync(versions)
        _swap(site, game, name)
        _prune(versions, there - {name, live})
        os.rmdir(half, dir_fd=versions)
        known.only(versions, {name: held, live: shown} if live else {name: held})


def _begin(versions: int, live: str | None, build: str, known: Standing) -> Library:
    """Makes the folder to build in: out of the version before the live one, if it is known what stands in it; else empty.
    Returns what stands in it."""
    _clear(versions, build)
    for name in known.held:
        if name != live and (held := known.of(versions, name)):
            os.rename(name, build, src_dir_fd=versions, dst_dir_fd=versions)
            return held
    os.mkdir(build, dir_fd=versions)
    return {}


def withdraw(folder: Path, game: str, beside: str = "") -> None:
    """Takes away what is up under the name of a game, or that of something `beside` its pages (".search"), with every
    version of it. Raises ValueError for a game whose name is not safe in a path, OSError if the disk fails."""
    name = safe(game) + beside
    with alone(folder) as (site, versions):
        _clear(site, name)
        _prune(versions, _those_of(versions, name) | {f".build-{name}", f".half-{name}"})
        os.fsync(site)


def write_index(folder: Path, pages: Iterable[Page]) -> None:
    """Writes files straight into the site's folder, each replaced in one step. Raises OSError if the disk fails."""
    with alone(folder) as (site, _):
        for page in pages:
            _, name = parted(page.path)
            beside = f".new-{name}"
            _clear(site, beside)
            folders.write(site, beside, page.content)
            folders.flush(site, beside)
            os.replace(beside, name, src_dir_fd=site, dst_dir_fd=site)
        os.fsync(site)


@contextmanager
def alone(folder: Path) -> Iterator[tuple[int, int]]:
    """Descriptors of the site's folder and of its versions, with no other publisher at work."""
    (folder / VERSIONS).mkdir(parents=True, exist_ok=True)
    site = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with tree(VERSIONS, site) as versions:
            fcntl.flock(versions.top, fcntl.LOCK_EX)
            yield site, versions.top
    finally:
        os.close(site)


def _fill(
    new: Tree,
    old: Tree | None,
    shelves: Iterable[Page | Shelf],
    stale: Library,
    live: Library,
    progress: Progress,
) -> Library:
    """Brings the folder `new`, in which `stale` stands, to hold the shelves; what stands on those of `live`, in the folder
    `old` (None: there is none), is taken from there. Returns what then stands in it."""
    held: Library = {}
    changed: list[tuple[Page, bool]] = []
    gone: set[str] = set()
    for shelf in (single(item) if isinstance(item, Page) else item for item in shelves):
        before, shown = stale.get(shelf.name, _EMPTY), live.get(shelf.name, _EMPTY)
        if _same(before.key, shelf.key):
            held[shelf.name] = before
            continue
        pages = list(shelf.pages())
        held[shelf.name] = Held(shelf.key, {page.path: page.key for page in pages})
        fresh = [page for page in pages if not _stands(page, before)]
        changed += [(page, _stands(page, shown)) for page in fresh]
        gone |= before.pages.keys() - {page.path for page in pages if _stands(page, before)}
    gone.update(*(shelf.pages for name, shelf in stale.items() if name not in held))
    for path in gone:
        _remove(new, path)
    with folders.flushing(new.top, len(changed) + len(gone)) as flush:

        def put(each: tuple[Page, bool]) -> None:
            _put(each[0], new, old, unchanged=each[1])
            flush(each[0].path)

        in_shares(changed, put, progress)
        for folder in _folders_of(chain((page.path for page, _ in changed), gone)):
            flush(folder)
    return held


def _folders_of(paths: Iterable[str]) -> Iterable[str]:
    """Every folder down to the paths."""
    found = {".": None}
    for path in paths:
        parts = path.split("/")
        found |= dict.fromkeys("/".join(parts[:depth]) for depth in range(1, len(parts)))
    return found


_EMPTY: Final = Held()
_NOTHING: Final = object()


def _stands(page: Page, shelf: Held) -> bool:
    """Whether the page stands on that shelf as it is now."""
    return _same(shelf.pages.get(page.path, _NOTHING), page.key)


def _same(one: object, other: object) -> bool:
    return one is other or one == other


def _put(page: Page, new: Tree, old: Tree | None, *, unchanged: bool) -> None:
    """Writes a page, or gives the same page of the live version a second name."""
    place, name = parted(page.path)
    with new.at(place, make=True) as here:
        if unchanged and old and _linked(old, here, place, name):
            return
        content = page.make()
        if not (old and _linked(old, here, place, name, content)):
            folders.write(here, name, content)


def _linked(old: Tree, here: int, place: Folders, name: str, content: bytes | None = None) -> bool:
    """Gives a page of the live version a second name, if it has that content; whether that could be done. Whatever keeps it
    from being read or linked (there is none; the disk has no hard links): then the page is written."""
    with suppress(OSError), old.at(place) as there:
        if content is None or folders.holds(there, name, content):
            folders.link(name, there, here)
            return True
    return False


def _remove(top: Tree, path: str) -> None:
    """Takes a page away; a folder left empty stays for the pages to come."""
    place, name = parted(path)
    with top.at(place) as here:
        os.unlink(name, dir_fd=here)


def _live(site: int, versions: int, game: str) -> str | None:
    """The name of the version readers see, None if there is none."""
    try:
        name = os.path.basename(os.readlink(game, dir_fd=site))
    except FileNotFoundError:
        return None
    return name if _is_there(versions, name) else None


def _free_name(versions: int, game: str, version: int) -> str:
    """The version's folder: `kaffe-12`, or `kaffe-12.1` when it is published again."""
    again = (f".{number}" for number in count(1))
    names = (f"{game}-{version}{more}" for more in chain(("",), again))
    return next(name for name in names if not _is_there(versions, name))


def _is_there(folder: int, name: str) -> bool:
    return _mark(folder, name) != _NOT_THERE


def _swap(site: int, game: str, name: str) -> None:
    beside = f".new-{game}"
    _clear(site, beside)
    os.symlink(f"{VERSIONS}/{name}", beside, dir_fd=site)
    os.replace(beside, game, src_dir_fd=site, dst_dir_fd=site)
    os.fsync(site)


def _those_of(versions: int, game: str) -> set[str]:
    """The names of a game's versions."""
    named = re.compile(rf"{re.escape(game)}-\d+(\.\d+)?")
    return {name for name in os.listdir(versions) if named.fullmatch(name)}


def _prune(versions: int, names: Iterable[str]) -> None:
    """Removes what has these names, as far as it is there."""
    for name in names:
        _clear(versions, name)


def _clear(folder: int, name: str) -> None:
    """Removes a file, a link or a whole folder, if it is there."""
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return
    except IsADirectoryError:
        shutil.rmtree(name, dir_fd=folder)
