"""Which game a mail waits for, and indexes of the mails that wait: none of them grows with those that are done with."""

from __future__ import annotations

from peewee import Database
from playhouse.migrate import SchemaMigrator  # type: ignore[import-untyped]  # peewee's stubs leave playhouse out


def up(_migrator: SchemaMigrator, db: Database) -> None:
    waiting = "WHERE state IN ('new', 'failed')"
    for sql in (
        "ALTER TABLE inbox ADD COLUMN lane TEXT NOT NULL DEFAULT ''",
        f"CREATE INDEX inbox_waiting ON inbox (received, id, lane) {waiting}",
        f"CREATE INDEX inbox_lane ON inbox (lane, received, id) {waiting}",
    ):
        db.execute_sql(sql)  # type: ignore[no-untyped-call]  # peewee's stubs
