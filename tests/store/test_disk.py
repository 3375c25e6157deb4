"""SQLite on a disk whose syncs fail, which a VFS of our own makes them do (https://sqlite.org/vfs.html)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from pbem.store import queues
from pbem.store.db import Broken, Store, open_store
from pbem.store.upgrade import upgrade
from tests.store.samples import arrival


class Syncing(apsw.VFS):
    """The usual VFS; the files whose names end in `broken` are never synced."""

    def __init__(self) -> None:
        self.broken: str | None = None
        self.asked = 0
        super().__init__("syncing", "unix", makedefault=True)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802  # apsw's
        return _File(self, name, flags)


class _File(apsw.VFSFile):
    def __init__(self, vfs: Syncing, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        self.vfs = vfs
        self.name = name.filename() if isinstance(name, apsw.URIFilename) else name or ""
        super().__init__("unix", name, flags)

    def xSync(self, flags: int) -> None:  # noqa: N802  # as above
        if self.vfs.broken is None:
            super().xSync(flags)
            return
        self.vfs.asked += 1
        if self.name.endswith(self.vfs.broken):
            error = apsw.IOError("the disk is broken")
            error.extendedresult = apsw.SQLITE_IOERR_FSYNC
            raise error


@pytest.fixture
def vfs() -> Iterator[Syncing]:
    vfs = Syncing()
    yield vfs
    vfs.unregister()


@pytest.fixture
def store(vfs: Syncing, tmp_path: Path) -> Store:
    del vfs  # it is the one that is used now
    store = open_store("sqlite:///pbem.db", tmp_path)
    upgrade(store, now=0)
    return store


def take(store: Store, *numbers: int) -> None:
    """Mails, each in a transaction, over one connection."""
    with store.connected():
        for number in numbers:
            with store.transaction():
                queues.accept(store, arrival(str(number), content=b"x" * 40_000))


def taken(folder: Path) -> list[str]:
    """What the next process finds."""
    store = open_store("sqlite:///pbem.db", folder)
    with store.reading():
        return [key for (key,) in store.rows("SELECT key FROM inbox ORDER BY id")]


def test_after_a_log_that_is_not_synced_nothing_more_is_asked_of_the_disk(
    vfs: Syncing, store: Store, tmp_path: Path
) -> None:
    take(store, 1)
    vfs.broken = "-wal"
    for _ in range(2):
        with pytest.raises(Broken):
            take(store, 3)
        with pytest.raises(Broken), store.reading():
            pass
    assert vfs.asked == 1, "closing the last connection asks for nothing either"
    vfs.unregister()
    assert taken(tmp_path) == ["1"]


def test_a_failure_after_the_commit_is_told_and_what_was_committed_stands(
    vfs: Syncing, store: Store, tmp_path: Path
) -> None:
    """The log is put into the database now and then: here after some hundred pages."""
    vfs.broken = "pbem.db"
    with pytest.raises(Broken):
        take(store, *range(1000))
    vfs.unregister()
    there = taken(tmp_path)
    assert 50 < len(there) < 1000
    assert there == [str(number) for number in range(len(there))]
    with pytest.raises(Broken):
        take(store, 1001)
