"""Opening a database, connections and transactions, on SQLite or PostgreSQL.

What lives here: the two engines and everything in which they differ. What never may: a table's name, a clock.
A thread holds its own connection for as long as it is inside `connected`, `transaction` or `reading`; no `await`
may stand inside one. SQLite comes with apsw, since a system's own may have the WAL-reset bug (fixed in 3.51.3).
"""

from __future__ import annotations

import os
import threading
import weakref
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import apsw
import peewee
from playhouse.pool import PooledPostgresqlDatabase  # type: ignore[import-untyped]  # peewee's stubs leave playhouse out

from pbem.store import disk

StoreError = peewee.PeeweeException
"""Whatever the database reports: full, locked, unreachable, damaged. The mail was not stored; try again later."""

WAIT = 30
"""Seconds to wait for another writer, or for a free connection, before giving up."""

PRAGMAS = {
    "journal_mode": "wal",
    "synchronous": "full",  # a mail acknowledged after commit is still there after a power cut
    "foreign_keys": 1,
    "trusted_schema": 0,
    "secure_delete": 1,  # "forget me" leaves no bytes behind in free pages
}


CROSSED = ("40001", "40P01")
"""How PostgreSQL calls a transaction that it undid for the sake of another."""


CHANNEL = "pbem"
"""Where PostgreSQL tells of what was written."""
News = Literal["mail in", "mail out", "site"]
"""A mail was taken in; one is to be sent; pages are out of date."""


class Raced(Exception):
    """Somebody else was there first; nothing of this write stands. Read again and decide anew."""


class Broken(peewee.OperationalError):
    """The disk has failed under the database, which this process leaves alone from then on; another one may open it."""


class _Told(threading.local):
    """What a thread's transaction has to tell when it is committed, and how deep in transactions within it is."""

    def __init__(self) -> None:
        self.depth = 0
        self.news: set[News] = set()


class Store:
    """One open database. Made by `open_store`; shared by threads."""

    def __init__(self, db: peewee.Database) -> None:
        self.db: Any = db  # peewee's stubs leave its raw SQL methods untyped
        self.postgres = isinstance(db, peewee.PostgresqlDatabase)
        self._told = _Told()

    @contextmanager
    def connected(self) -> Iterator[None]:
        """Keep this thread's connection open until the end of the block, for transactions to share."""
        with self._on_a_disk_that_works(), self.db.connection_context():
            yield

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """One write transaction: all of the block, or with an exception nothing of it.

        On SQLite it is the only writer from its first moment. Inside another one it is a savepoint:
        what it undoes is its own. Never inside `reading`.
        """
        works = self._on_a_disk_that_works
        # Asked again inside: the one who wrote before us, and for whom we have waited, may have found it broken.
        with works(), self.db.connection_context(), self._telling(), self.db.atomic(), works():
            yield
            if self._told.depth == 1 and self._told.news:
                self._pass_on()

    def tell(self, news: News) -> None:
        """Other processes hear it (news.py) when the outermost transaction is committed. SQLite tells nobody."""
        if self.postgres:
            self._told.news.add(news)

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """What is told in a transaction that is undone is told to nobody."""
        self._told.depth += 1
        try:
            yield
        finally:
            self._told.depth -= 1
            if not self._told.depth:
                self._told.news = set()

    def _pass_on(self) -> None:
        """Once for each news, however often it was told: PostgreSQL holds up all who commit news for one another."""
        news = sorted(self._told.news)
        self.db.execute_sql("SELECT pg_notify(%s, news) FROM unnest(%s::text[]) AS news", (CHANNEL, news))

    @contextmanager
    def reading(self) -> Iterator[None]:
        """All reads of the block see the database at one moment. It never waits for a writer."""
        with self._on_a_disk_that_works(), self.db.connection_context():
            if self.db.in_transaction():
                yield
                return
            with self.db.atomic("REPEATABLE READ" if self.postgres else "DEFERRED"):
                yield

    @contextmanager
    def _on_a_disk_that_works(self) -> Iterator[None]:
        """Raises Broken when the disk fails, and ever after. PostgreSQL does as much by itself."""
        if self.postgres:
            yield
            return
        if self.db.failed is not None:
            raise Broken(str(self.db.failed)) from self.db.failed
        try:
            yield
        except Broken:
            raise
        except Exception as error:
            if (failure := disk.failure(error)) is None:
                raise
            self.db.failed = failure
            raise Broken(str(failure)) from error

    @property
    def writer(self) -> Any:
        """The database, for a statement that writes. Raises RuntimeError outside `transaction`."""
        if not self.db.in_transaction():
            raise RuntimeError("a write belongs inside Store.transaction()")
        return self.db

    def write(self, sql: str, *values: object) -> int:
        """Run one hot statement (`?` marks the values) and return how many rows it touched."""
        db = self.writer
        return int(db.rows_affected(db.execute_sql(self._marked(sql), values)))

    def returned(self, query: peewee.BaseQuery) -> list[tuple[Any, ...]]:
        """The rows of a query that ends in RETURNING: all of them, since SQLite cannot commit with one left unread."""
        return list(query.tuples().execute(self.writer))

    def write_returning(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """As `returned`, for a hot statement."""
        return list(self.writer.execute_sql(self._marked(sql), values))

    def write_many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """Run one hot statement once for each row of values."""
        with peewee.__exception_wrapper__:  # type: ignore[attr-defined]  # peewee's own drivers use it so
            self.writer.cursor().executemany(self._marked(sql), rows)

    def rows(self, sql: str, *values: object) -> Iterator[tuple[Any, ...]]:
        """The rows of one hot query, as they come."""
        return iter(self.db.execute_sql(self._marked(sql), values))

    def alone(self, matter: int) -> None:
        """Wait until no other transaction is at `matter`; held to the end of this one.

        A write transaction on SQLite is alone as it is.
        """
        if self.postgres:
            self.writer.execute_sql("SELECT pg_advisory_xact_lock(%s)", (matter,))

    def beside(self, matter: int) -> None:
        """As `alone`, but only those wait who want to be alone, and those are waited for."""
        if self.postgres:
            self.writer.execute_sql("SELECT pg_advisory_xact_lock_shared(%s)", (matter,))

    @contextmanager
    def reserved(self, matter: int, name: str) -> Iterator[bool]:
        """Whether nobody else is at `name` of a matter, which then is this thread's alone to the end of the block, over
        all its transactions in there; whoever dies lets go. On SQLite everybody may be."""
        if not self.postgres:
            yield True
            return
        key = (matter, zlib.crc32(name.encode()) - 2**31)
        with self.connected():
            ((free,),) = self.db.execute_sql("SELECT pg_try_advisory_lock(%s, %s)", key)
            try:
                yield free
            finally:
                if free:
                    self.db.execute_sql("SELECT pg_advisory_unlock(%s, %s)", key)

    def crossed(self, error: BaseException) -> bool:
        """Whether a transaction was undone because it and another one waited for each other: it is to be tried again."""
        return any(getattr(each, "sqlstate", None) in CROSSED for each in disk.behind(error))

    def could_not(self, error: BaseException) -> bool:
        """Whether an error is the database's own (full, locked, unreachable, broken), whatever it was asked to do."""
        return isinstance(error, peewee.OperationalError) if self.postgres else disk.could_not(error)

    def copy_to(self, file: Path) -> None:
        """Write a consistent copy of a SQLite database to a new file, while others go on writing."""
        if self.postgres:
            raise ValueError("a PostgreSQL database is backed up with pg_dump")
        _create_private(file)
        with self.connected():
            self.db.execute_sql("VACUUM INTO ?", (str(file),))

    def wipe(self) -> None:
        """Empty SQLite's log of what was written, which else keeps what was erased for a while. Outside a transaction."""
        if not self.postgres:
            with self.connected():
                self.db.execute_sql("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        """Close what idle connections there are. Threads close their own."""
        if isinstance(self.db, PooledPostgresqlDatabase):
            self.db.close_all()

    def _marked(self, sql: str) -> str:
        # psycopg marks values by %s, and takes any other % for the beginning of a mark.
        return sql.replace("%", "%%").replace("?", "%s") if self.postgres else sql


def open_store(url: str, folder: Path) -> Store:
    """The database at `url`: `sqlite:///pbem.db` (in `folder`), `sqlite:////var/lib/pbem.db` or `postgresql://…`.

    No connection is made yet; a SQLite file that is not there is created, readable by its owner
    alone. Raises ValueError for another kind of address and OSError when the file cannot be made.
    """
    if file := sqlite_file(url, folder):
        return Store(_sqlite(file))
    if url.startswith("postgresql://"):
        return Store(_postgres(url))
    raise ValueError(f"a database is sqlite:///FILE or postgresql://HOST/NAME, not {url.partition(':')[0]}:…")


def sqlite_file(url: str, folder: Path) -> Path | None:
    """The file of a SQLite database, there or not; None for another kind."""
    return folder / url.removeprefix("sqlite:///") if url.startswith("sqlite:///") else None


def is_locked(error: StoreError) -> bool:
    """Whether all that is wrong is that another process has been writing for too long."""
    return isinstance(error, peewee.OperationalError) and "locked" in str(error)


def sqlite_version() -> str:
    """The version of SQLite in use."""
    return apsw.sqlite_lib_version()


def _sqlite(file: Path) -> peewee.Database:
    _create_private(file)
    db: peewee.Database = disk.DiskDatabase(
        str(file), autoconnect=False, timeout=WAIT, lock_type="IMMEDIATE", pragmas=PRAGMAS
    )
    return db


def _postgres(url: str) -> peewee.Database:
    db: peewee.Database = PooledPostgresqlDatabase(
        url, autoconnect=False, prefer_psycopg3=True, max_connections=20, timeout=WAIT, connect_timeout=WAIT
    )
    _apart_from_children(weakref.ref(db))
    return db


def _apart_from_children(database: weakref.ref[Any]) -> None:
    """A process that is forked gets no idle connection of ours: two would speak on one line."""

    def let_go() -> None:
        if (db := database()) is not None:
            db.close_idle()

    os.register_at_fork(before=let_go)


def _create_private(file: Path) -> None:
    # SQLite gives the -wal and -shm files the mode of the database itself.
    os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
