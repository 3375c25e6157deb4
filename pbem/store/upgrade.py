"""Bringing a database to the shape this version of pbem wants.

What lives here: the runner of the numbered files in `migrations/`. What never may: the shape itself.
All pending files are applied in one transaction, once, however many processes start at the same moment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playhouse.migrate import SchemaMigrator  # type: ignore[import-untyped]  # peewee's stubs leave playhouse out
from playhouse.migrations import Migration  # type: ignore[import-untyped]  # peewee's stubs leave playhouse out

from pbem.store.db import Store

MIGRATIONS = Path(__file__).parent / "migrations"
UPGRADING = 0x70626501
"""The matter (`Store.alone`) of changing the schema."""


class NewerDatabase(Exception):
    """The database has been used by a later version of pbem; this one cannot read it."""


def _nothing(_: tuple[str, ...]) -> None:
    """Whoever has nothing to do before."""


def upgrade(
    store: Store, now: int, folder: Path = MIGRATIONS, before: Callable[[tuple[str, ...]], None] = _nothing
) -> tuple[str, ...]:
    """Apply what is pending and return its names. With any failure the database stays as it was.

    Unless the database is new, `before` is told their names first: nobody else changes the database then, and whoever
    reads it sees it as it was. What it raises calls everything off. Raises NewerDatabase.
    """
    with store.connected(), _without_foreign_keys(store), store.transaction():
        store.alone(UPGRADING)
        is_new = not _applied(store)
        store.write(
            "CREATE TABLE IF NOT EXISTS migration (name TEXT NOT NULL PRIMARY KEY, at BIGINT NOT NULL)"
        )
        todo = _pending(store, folder)
        if todo and not is_new:
            before(tuple(migration.name for migration in todo))
        for migration in todo:
            migration.load().up(SchemaMigrator.from_database(store.db), store.db)
            store.write("INSERT INTO migration (name, at) VALUES (?, ?)", migration.name, now)
        return tuple(migration.name for migration in todo)


def pending(store: Store, folder: Path = MIGRATIONS) -> tuple[str, ...]:
    """The names of what `upgrade` would apply. Raises NewerDatabase."""
    with store.reading():
        return tuple(migration.name for migration in _pending(store, folder))


def _pending(store: Store, folder: Path) -> list[Migration]:
    known = Migration.load_directory(str(folder))
    applied = _applied(store)
    unknown = applied - {migration.name for migration in known}
    if unknown:
        raise NewerDatabase(", ".join(sorted(unknown)))
    return [migration for migration in known if migration.name not in applied]


def _applied(store: Store) -> set[str]:
    if not store.db.table_exists("migration"):
        return set()
    return {name for (name,) in store.rows("SELECT name FROM migration")}


@contextmanager
def _without_foreign_keys(store: Store) -> Iterator[None]:
    # SQLite changes some columns by rebuilding the table; dropping the old one would cascade to rows that refer to it.
    if store.postgres:
        yield
        return
    store.db.execute_sql("PRAGMA foreign_keys = 0")
    try:
        yield
    finally:
        store.db.execute_sql("PRAGMA foreign_keys = 1")
