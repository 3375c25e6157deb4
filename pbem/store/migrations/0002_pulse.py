"""When each part of a running server last did its round, for `pbem health`."""

from __future__ import annotations

from peewee import BigIntegerField, Database, Model, TextField
from playhouse.migrate import SchemaMigrator  # type: ignore[import-untyped]  # peewee's stubs leave playhouse out


class Pulse(Model):
    part = TextField(primary_key=True)
    at = BigIntegerField()

    class Meta:
        legacy_table_names = False


def up(_migrator: SchemaMigrator, db: Database) -> None:
    with db.bind_ctx([Pulse]):
        db.create_tables([Pulse], safe=False)
