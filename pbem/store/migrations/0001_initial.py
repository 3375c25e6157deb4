"""The tables as the first release made them.

A released migration is never edited: this is a copy of `tables.py` as it was, which later changes there do not reach.
"""

from __future__ import annotations

from peewee import (
    BigAutoField,
    BigIntegerField,
    BlobField,
    BooleanField,
    CompositeKey,
    Database,
    ForeignKeyField,
    IntegerField,
    Model,
    TextField,
)


class Table(Model):
    class Meta:
        legacy_table_names = False


class Game(Table):
    slug = TextField(primary_key=True)
    created = BigIntegerField()
    seq = IntegerField()
    hash = TextField()
    due = BigIntegerField(null=True, index=True)
    wanted = IntegerField(default=0)
    published = IntegerField(default=0)


Game.add_index(Game.slug, name="game_stale", where=Game.published < Game.wanted)


class Event(Table):
    game = ForeignKeyField(Game, column_name="game", object_id_name="game_slug")
    seq = IntegerField()
    at = BigIntegerField()
    mail = TextField(null=True)
    kind = TextField()
    body = TextField()
    hash = TextField()

    class Meta:
        primary_key = CompositeKey("game", "seq")


class Inbox(Table):
    id = BigAutoField()
    key = TextField(unique=True)
    letter = TextField(null=True, index=True)
    digest = TextField(index=True)
    received = BigIntegerField()
    sender = TextField(null=True)
    recipient = TextField(null=True)
    source = TextField()
    repeats = IntegerField(default=0)
    state = TextField(default="new")
    attempts = IntegerField(default=0)
    due = BigIntegerField(default=0)
    kind = TextField(null=True)
    game = TextField(null=True, index=True)
    author = TextField(null=True)
    result = TextField(null=True)
    content = BlobField(null=True)

    class Meta:
        indexes = ((("state", "received", "id"), False),)


class Hold(Table):
    id = BigAutoField()
    mail = ForeignKeyField(Inbox, column_name="mail", object_id_name="mail_id")
    kind = TextField()
    digest = TextField()
    address = TextField()
    game = TextField(null=True)
    at = BigIntegerField()
    until = BigIntegerField()
    ballot = BooleanField()
    person = BigIntegerField(null=True)
    state = TextField(default="open")

    class Meta:
        indexes = ((("mail", "kind", "address"), True), (("state", "until"), False))


class Outbox(Table):
    id = BigAutoField()
    key = TextField(unique=True)
    game = TextField(null=True)
    sender = TextField()
    recipient = TextField()
    made = BigIntegerField()
    state = TextField(default="ready")
    due = BigIntegerField()
    worker = TextField(null=True)
    attempts = IntegerField(default=0)
    error = TextField(null=True)
    closed = BigIntegerField(null=True)
    content = BlobField(null=True)

    class Meta:
        indexes = ((("state", "due", "id"), False),)


class ImapPosition(Table):
    account = TextField()
    folder = TextField()
    uidvalidity = BigIntegerField()
    last_uid = BigIntegerField()

    class Meta:
        primary_key = CompositeKey("account", "folder")


class Person(Table):
    id = BigAutoField()
    name = TextField()
    language = TextField(null=True)
    spoke = TextField(null=True)
    zone = TextField(null=True)
    mail = TextField(default="each")
    html = BooleanField(default=True)
    digests = BooleanField(default=True)
    gathered = BigIntegerField(default=0)


class Address(Table):
    id = BigAutoField()
    address = TextField(unique=True)
    person = ForeignKeyField(Person, column_name="person", object_id_name="person_id", on_delete="CASCADE")
    bounces = IntegerField(default=0)


class Former(Table):
    address = TextField(primary_key=True)
    person = ForeignKeyField(Person, column_name="person", object_id_name="person_id", on_delete="CASCADE")


class Seat(Table):
    game = ForeignKeyField(Game, column_name="game", object_id_name="game_slug")
    role = TextField()
    person = ForeignKeyField(Person, column_name="person", object_id_name="person_id", on_delete="CASCADE")
    player = IntegerField(null=True)
    gathered = IntegerField(default=0)

    class Meta:
        primary_key = CompositeKey("game", "role", "person")
        indexes = ((("game", "player"), True),)


class Invitation(Table):
    game = ForeignKeyField(Game, column_name="game", object_id_name="game_slug")
    address = TextField(index=True)
    name = TextField()
    at = BigIntegerField()

    class Meta:
        primary_key = CompositeKey("game", "address")


class Answer(Table):
    address = TextField()
    day = IntegerField(index=True)
    count = IntegerField()

    class Meta:
        primary_key = CompositeKey("address", "day")


TABLES = (Game, Event, Inbox, Hold, Outbox, ImapPosition, Person, Address, Former, Seat, Invitation, Answer)


def up(_migrator: object, db: Database) -> None:
    """Create them all."""
    with db.bind_ctx(TABLES):
        db.create_tables(TABLES)
