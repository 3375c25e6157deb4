"""The shape of every table: columns, keys and indexes.

What lives here: peewee models without methods, and what text a column can hold. What never may: queries, and a
database: models are bound to none, each query is given one. No instance of a model is ever made; rows become frozen
values in the module that asks. Times are UTC µs. `migrations/` brings a database to this shape; a test compares.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from peewee import (
    SQL,
    BigAutoField,
    BigIntegerField,
    BlobField,
    BooleanField,
    CompositeKey,
    Field,
    ForeignKeyField,
    IntegerField,
    Model,
    TextField,
)


class Table(Model):
    """One table, named after its model."""

    class Meta:
        legacy_table_names = False


class Game(Table):
    """`seq` and `hash` are the head of its log, `due` when it next wants attention, `wanted`/`published` site versions,
    `privacy` who may read its pages, `line` what the index of games says of it, and `listed` what it was last written
    with."""

    slug = TextField(primary_key=True)
    created = BigIntegerField()
    seq = IntegerField()
    hash = TextField()
    due = BigIntegerField(null=True, index=True)
    wanted = IntegerField(default=0)
    published = IntegerField(default=0)
    privacy = TextField(default="public")
    line = TextField(default="")
    listed = TextField(default="")


Game.add_index(Game.slug, name="game_stale", where=Game.published < Game.wanted)
Game.add_index(
    Game.slug, name="game_unlisted", where=Game.listed != Game.privacy.concat(" ").concat(Game.line)
)


class Event(Table):
    """One record of a game's log."""

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
    """Every mail taken, as it came. `letter` stands for its author and Message-ID; `content` is empty once its author
    asked to be forgotten. `lane` is the game that it waits for, "" where that is not certain: see lanes.py."""

    id = BigAutoField()
    key = TextField(unique=True)
    letter = TextField(null=True)
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
    # Last, so that a listing need not walk past the bytes to reach the other columns.
    content = BlobField(null=True)
    # After them, since it is younger; an index has it for those mails that are asked for it.
    lane = TextField(default="")

    class Meta:
        indexes = ((("state", "received", "id"), False), (("letter", "state"), False))


_WAITS = SQL("state IN ('new', 'failed')")
Inbox.add_index(Inbox.received, Inbox.id, Inbox.lane, name="inbox_waiting", where=_WAITS)
Inbox.add_index(Inbox.lane, Inbox.received, Inbox.id, name="inbox_lane", where=_WAITS)


class Hold(Table):
    """What waits until `address` confirms it: a mail, the wishes in one, or that `address` is to be `person`'s."""

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
        indexes = (
            (("mail", "kind", "address"), True),
            (("state", "until"), False),
            (("game", "state"), False),
        )


class Outbox(Table):
    """Every mail to send, as final bytes. While a worker holds one, `due` is when its lease ends."""

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
    """How far one folder has been read."""

    account = TextField()
    folder = TextField()
    uidvalidity = BigIntegerField()
    last_uid = BigIntegerField()

    class Meta:
        primary_key = CompositeKey("account", "folder")


class Person(Table):
    """The erasable part of a human being; nothing in a log refers to it. `gathered` is when their posts last were."""

    id = BigAutoField()
    name = TextField()
    language = TextField(null=True)
    spoke = TextField(null=True)
    zone = TextField(null=True)
    mail = TextField(default="each")
    html = BooleanField(default=True)
    digests = BooleanField(default=True)
    gathered = BigIntegerField(default=0)


Person.add_index(Person.id, name="person_daily", where=Person.mail == "daily")


class Address(Table):
    """Lower case. A person's oldest address (lowest id) is the registered one: mails go there."""

    id = BigAutoField()
    address = TextField(unique=True)
    person = ForeignKeyField(Person, column_name="person", object_id_name="person_id", on_delete="CASCADE")
    bounces = IntegerField(default=0)


class Former(Table):
    """Lower case. An address that a person has taken away, and that is nobody's since."""

    address = TextField(primary_key=True)
    person = ForeignKeyField(Person, column_name="person", object_id_name="person_id", on_delete="CASCADE")


class Seat(Table):
    """A person's part in a game. `player` is the player's id, for the role of player alone; `gathered` the record of
    the log up to which they have got the posts."""

    game = ForeignKeyField(Game, column_name="game", object_id_name="game_slug")
    role = TextField()
    person = ForeignKeyField(Person, column_name="person", object_id_name="person_id", on_delete="CASCADE")
    player = IntegerField(null=True)
    gathered = IntegerField(default=0)

    class Meta:
        primary_key = CompositeKey("game", "role", "person")
        indexes = ((("game", "player"), True),)


class Invitation(Table):
    """An address that may join a game."""

    game = ForeignKeyField(Game, column_name="game", object_id_name="game_slug")
    address = TextField(index=True)
    name = TextField()
    at = BigIntegerField()

    class Meta:
        primary_key = CompositeKey("game", "address")


class Answer(Table):
    """Automatic answers counted by address and day (days since 1970, UTC)."""

    address = TextField()
    day = IntegerField(index=True)
    count = IntegerField()

    class Meta:
        primary_key = CompositeKey("address", "day")


class Pulse(Table):
    """When a part of a running server last did its round."""

    part = TextField(primary_key=True)
    at = BigIntegerField()


TABLES: tuple[type[Table], ...] = (
    Game,
    Event,
    Inbox,
    Hold,
    Outbox,
    ImapPosition,
    Person,
    Address,
    Former,
    Seat,
    Invitation,
    Answer,
    Pulse,
)


def columns(table: type[Table], value: type[Any]) -> tuple[Field[Any], ...]:
    """The columns that fill the frozen `value`: one for each of its fields, by name and in order."""
    return tuple(getattr(table, field.name) for field in dataclasses.fields(value))


def storable(text: str | None) -> str | None:
    """`text` without what a database refuses: NUL (PostgreSQL) and lone surrogates (both)."""
    if text is None:
        return None
    return text.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")
