"""Who may read the pages of a game: every game was public before."""

from __future__ import annotations

from peewee import Database
from playhouse.migrate import SchemaMigrator  # type: ignore[import-untyped]  # peewee's stubs leave playhouse out


def up(_migrator: SchemaMigrator, db: Database) -> None:
    db.execute_sql("ALTER TABLE game ADD COLUMN privacy TEXT NOT NULL DEFAULT 'public'")  # type: ignore[no-untyped-call]  # peewee's stubs
