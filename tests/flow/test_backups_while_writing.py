"""Backups made while a thousand mails a second come in: each is whole, holds all that was there when it began, and the game
goes on from it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pbem.service import backups
from pbem.service.notdone import NotDone
from tests.flow.conftest import opened
from tests.flow.console import Console
from tests.flow.post import GAME, SETTINGS
from tests.promises.table import Promise
from tests.servers.memory import in_memory

pytestmark = [pytest.mark.slow, pytest.mark.promise(29)]

BACKUPS = 10
Copy = Callable[["Writing", Path], None]
"""Makes a backup of what is written, and puts it back in a folder elsewhere."""


class Writing:
    """The process of writing_on.py, and how many mails it has told of."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.mails = 0

    def __enter__(self) -> Writing:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.flow.writing_on", str(self.folder)],
            cwd=Path(__file__).parents[2],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.until(1)
        self.began = time.monotonic()
        return self

    def until(self, mails: int) -> int:
        """Waits until there are at least so many; returns how many there are."""
        assert self.process.stdout is not None
        while self.mails < mails:
            self.mails = int(self.process.stdout.readline())
        return self.mails

    def catch_up(self) -> int:
        """How many are committed at this moment, at least."""
        asked = Console(self.folder).json("health")
        return self.until(int(asked["unread"]["count"]) - 25)

    def __exit__(self, *_: object) -> None:
        self.process.communicate(timeout=20)


@pytest.fixture
def room() -> Iterator[Path]:
    with in_memory() as room:
        yield room


@pytest.fixture
def here(room: Path) -> Path:
    """A host with a game."""
    (room / "here").mkdir()
    with opened(room / "here") as post:
        post.found("Alice", "Bo", "Cia")
    return room / "here"


def by_pbem(writing: Writing, there: Path) -> None:
    file = there / "backup"
    Console(writing.folder).done("backup", str(file))
    Console(there).done("restore", str(file))


def by_cp(writing: Writing, there: Path) -> None:
    """The planted fault: the database is copied, then its log, which meanwhile has begun anew."""
    shutil.copy(writing.folder / "pbem.db", there)
    writing.until(writing.catch_up() + 2_000)
    shutil.copy(writing.folder / "pbem.db-wal", there)


def wanting(writing: Writing, copy: Copy, there: Path) -> tuple[int, bool]:
    """How many mails a backup has not that were there before it, and whether it is damaged."""
    there.mkdir()
    (there / "pbem.toml").write_text(SETTINGS, "utf-8")
    before = writing.catch_up()
    copy(writing, there)
    if damaged(there / "pbem.db"):
        return before, True
    elsewhere = Console(there)
    mails = int(elsewhere.json("health")["unread"]["count"])
    log = [record["hash"] for record in elsewhere.json("show", GAME, "log")]
    elsewhere.done("do", GAME, "--as", "Alice Ahlgren", "propose repeal 209")
    after = [record["hash"] for record in elsewhere.json("show", GAME, "log")]
    assert after[: len(log)] == log
    assert len(after) > len(log)
    assert "every link of the chain holds" in elsewhere.done("verify", GAME)
    return max(0, before - mails), False


def damaged(file: Path) -> bool:
    try:
        backups.check(file, lambda *_: None)
    except NotDone:
        return True
    return False


def backed_up(here: Path, copy: Copy, times: int) -> dict[str, int]:
    """What came of so many backups, each restored in a folder of its own."""
    with Writing(here) as writing:
        found = [wanting(writing, copy, here.parent / str(number)) for number in range(times)]
        rate = writing.mails / (time.monotonic() - writing.began)
    print(f"{rate:.0f} mails a second")  # noqa: T201  # told, never asserted: it is the machine's
    return {
        "faults": times,
        "mails": writing.mails,
        "lost": sum(lost for lost, _ in found),
        "uncaught": sum(damage for _, damage in found),
    }


def test_each_backup_is_whole_and_the_game_goes_on_from_it(promise: Promise, here: Path) -> None:
    promise.shows(**backed_up(here, by_pbem, BACKUPS))
    assert "every link of the chain holds" in Console(here).done("verify", GAME)


def test_of_this_test_a_copy_by_cp_is_seen(promise: Promise, here: Path) -> None:
    figures = backed_up(here, by_cp, 1)
    with promise.breaks("the database and its log are copied with cp"):
        promise.shows(**figures)
