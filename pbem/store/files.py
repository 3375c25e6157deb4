"""A SQLite database as a file: looked at without touching it, copied, and put in the place of another.

What lives here: what needs the file rather than its tables. What never may: a table's name. PostgreSQL keeps no file
that is ours to copy; pg_dump is its way.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path

import apsw

from pbem.store.db import WAIT, Store, StoreError, is_locked
from pbem.store.disk import DiskDatabase

HEADER = b"SQLite format 3\0"
"""How every SQLite database begins."""
_BESIDE = ("-wal", "-shm", "-journal")


class InUse(Exception):
    """Somebody has the database open."""


def is_database(file: Path) -> bool:
    """Whether a file begins as a SQLite database does."""
    with file.open("rb") as opened:
        return opened.read(len(HEADER)) == HEADER


def open_copy(file: Path) -> Store:
    """A database that is looked at and never written, such as a backup. No connection is made yet."""
    # A reader of a database that nobody has open would leave a log of its own beside it, which may be another user's.
    alone = not file.with_name(f"{file.name}-wal").exists()
    db = DiskDatabase(
        f"{file.absolute().as_uri()}?immutable={int(alone)}",
        autoconnect=False,
        timeout=WAIT,
        flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI,
        pragmas={"query_only": 1, "trusted_schema": 0},
    )
    return Store(db)


def damage(store: Store) -> str | None:
    """What SQLite finds wrong with its file, the first of it; None if it is whole. Within a block of the store."""
    for check in ("PRAGMA integrity_check(1)", "PRAGMA foreign_key_check"):
        for found in store.rows(check):
            if found != ("ok",):
                return " ".join(map(str, found))
    return None


def journal_mode(store: Store) -> str:
    """How SQLite keeps what is not yet in its file: "wal" for a database that is read while it is written."""
    return next((str(mode) for (mode,) in store.rows("PRAGMA journal_mode")), "")


def copy(store: Store, file: Path) -> None:
    """A consistent copy of a SQLite database under a new name, on the disk when this returns; others go on writing."""
    store.copy_to(file)
    sync(file)
    sync(file.parent)


def replace(old: Path, new: Path, aside: Path) -> None:
    """Puts the database `new` in the place of `old`, which is kept as `aside`, whole or damaged. Raises InUse, having
    changed nothing."""
    with ExitStack() as held:
        _hold(old, held)
        # The log of a damaged database stays with it: beside the new one it would be read as that one's.
        for part in ("", *_BESIDE):
            if (file := old.with_name(old.name + part)).exists():
                file.replace(aside.with_name(aside.name + part))
        new.replace(old)
    sync(old.parent)


def _hold(file: Path, held: ExitStack) -> None:
    """Nobody else has the database open until `held` ends, and its log is in the one file. Raises InUse."""
    db = DiskDatabase(str(file), autoconnect=False, timeout=1)
    try:
        held.enter_context(db.connection_context())
        # Leaving WAL mode needs the file for oneself, and puts the log into it.
        db.execute_sql("PRAGMA journal_mode = delete").fetchall()
        db.execute_sql("BEGIN EXCLUSIVE")
    except StoreError as error:
        if is_locked(error):
            raise InUse(str(file)) from error
        # Otherwise it is so damaged that nobody works with it.


def sync(path: Path) -> None:
    """What is in the file or folder is on the disk when this returns."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
