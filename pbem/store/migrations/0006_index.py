"""A mail that came before is found by what it is, not among all that are done with; so are a game's open confirmations."""

from __future__ import annotations

from peewee import Database
from playhouse.migrate import SchemaMigrator  # type: ignore[import-untyped]  # peewee's stubs leave playhouse out


def up(_migrator: SchemaMigrator, db: Database) -> None:
    for sql in (
        "DROP INDEX inbox_letter",
        "CREATE INDEX inbox_letter_state ON inbox (letter, state)",
        "CREATE INDEX hold_game_state ON hold (game, state)",
    ):
        db.execute_sql(sql)  # type: ignore[no-untyped-call]  # peewee's stubs
