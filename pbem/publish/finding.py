"""The index of a game's words, which Pagefind makes of its pages: beside them, in a place of its own.

    FOLDER/GAME.search → .versions/GAME.search-12     made of version 12 of the pages

What lives here: making the index and putting it up in one step. What never may: a change to the pages. Pagefind reads a
copy (of hard links), so that a publisher may go on at the same time. Without Pagefind there is no index, and the search
page is the plain list that it also is without script.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pbem.publish.page import safe
from pbem.publish.versions import VERSIONS, alone, withdraw

FOUND_IN: Final = ("rules", "proposals", "cases", "archive")
"""The folders whose pages are searched; their templates say which part of them is."""
NOT_FOUND: Final = ".acts, .unseen, .pager"
BESIDE: Final = ".search"
LONGEST: Final = 600
"""Seconds that making an index may take."""
_NOT_ASKED_FOR: Final = ("*ui*", "pagefind-highlight.js", "pagefind-worker.js", "wasm.unknown.pagefind")
"""What Pagefind writes besides and our page never fetches."""


class NoIndex(RuntimeError):
    """Pagefind did not make one; its own words say why."""


def can_be_made() -> bool:
    """Whether Pagefind is installed (the extra `search`)."""
    return all(importlib.util.find_spec(name) for name in ("pagefind", "pagefind_bin"))


def index_of(game: str) -> str:
    """The folder of a game's index, beside that of its pages. No game has a name with a dot."""
    return f"{game}{BESIDE}"


def is_stale(folder: Path, game: str) -> bool:
    """Whether the pages of a game are newer than its index, or have none."""
    pages = _version(folder / game)
    return pages is not None and pages != _version(folder / index_of(game))


def make(folder: Path, game: str) -> None:
    """Makes the index anew and puts it in the place of the old. Raises NoIndex, with the old one still up."""
    copy, built = _workshop(folder, game)
    with alone(folder):
        version = _version(folder / game)
        _clear(copy, built)
        _copied(folder / game, copy)
    try:
        _made(copy, built)
        with alone(folder):
            if _version(folder / game) is not None:  # else its pages were taken away meanwhile
                _put_up(folder, game, built, f"{index_of(game)}-{version}")
    finally:
        _clear(copy, built)


def take_away(folder: Path, game: str) -> None:
    """Takes the index of a game away, and what a program that was killed has left of one. Raises OSError."""
    withdraw(folder, game, BESIDE)
    _clear(*_workshop(folder, game))


def _workshop(folder: Path, game: str) -> tuple[Path, Path]:
    """Where the pages to be searched, and the index while it is made, have their place."""
    versions, name = folder / VERSIONS, index_of(safe(game))
    return versions / f".pages-{name}", versions / f".build-{name}"


def _version(link: Path) -> str | None:
    """The version that a link leads to: 12 of `kaffe → .versions/kaffe-12`; None without a link."""
    try:
        return os.readlink(link).rpartition("-")[2]
    except OSError:
        return None


def _copied(pages: Path, copy: Path) -> None:
    """Second names for all pages that are searched."""
    for page in _searched(pages):
        there = copy / page.relative_to(pages)
        there.parent.mkdir(parents=True, exist_ok=True)
        os.link(page, there)


def _searched(pages: Path) -> Iterator[Path]:
    for name in FOUND_IN:
        yield from (pages / name).glob("*/index.html")


def _made(copy: Path, built: Path) -> None:
    command = [sys.executable, "-m", "pagefind", "--site", str(copy), "--output-path", str(built)]
    command += ["--exclude-selectors", NOT_FOUND, "--keep-index-url", "--quiet"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, check=False)  # noqa: S603  # our own words
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoIndex(str(error)) from error
    if done.returncode or not (built / "pagefind.js").is_file():
        raise NoIndex((done.stderr or done.stdout).strip()[-500:])
    for pattern in _NOT_ASKED_FOR:
        for file in built.glob(pattern):
            file.unlink()


def _put_up(folder: Path, game: str, built: Path, name: str) -> None:
    """The index under its name, and the link to it in one step. The one before goes: a reader's page has it in memory."""
    link, beside = folder / index_of(game), folder / f".new-{index_of(game)}"
    _clear(folder / VERSIONS / name)
    built.rename(folder / VERSIONS / name)
    beside.unlink(missing_ok=True)
    beside.symlink_to(f"{VERSIONS}/{name}")
    beside.replace(link)
    for old in (folder / VERSIONS).glob(f"{index_of(game)}-*"):
        if old.name != name:
            _clear(old)


def _clear(*folders: Path) -> None:
    for each in folders:
        shutil.rmtree(each, ignore_errors=True)
