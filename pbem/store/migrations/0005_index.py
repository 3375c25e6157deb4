"""What the index of games says of each, and what it was last written with; an index of those who get posts by the day."""

from __future__ import annotations

from peewee import Database
from playhouse.migrate import SchemaMigrator  # type: ignore[import-untyped]  # peewee's stubs leave playhouse out


def up(_migrator: SchemaMigrator, db: Database) -> None:
    for sql in (
        "ALTER TABLE game ADD COLUMN line TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE game ADD COLUMN listed TEXT NOT NULL DEFAULT ''",
        "CREATE INDEX game_unlisted ON game (slug) WHERE listed <> privacy || ' ' || line",
        "CREATE INDEX person_daily ON person (id) WHERE mail = 'daily'",
    ):
        db.execute_sql(sql)  # type: ignore[no-untyped-call]  # peewee's stubs
