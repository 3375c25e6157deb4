"""A game's mails and people as they are carried from one database to another.

What lives here: whole rows as values, without the numbers that only one database knows. What never may: a file, or the
log (eventlog.py). Functions that write are called inside `Store.transaction`, the others inside any block of it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, get_args

from peewee import Expression

from pbem.store import people, tables
from pbem.store.db import Store
from pbem.store.tables import Inbox, columns


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail taken in and what became of it; `content` is None when its author asked to be forgotten."""

    key: str
    letter: str | None
    digest: str
    received: int
    sender: str | None
    recipient: str | None
    source: str
    repeats: int
    state: str
    kind: str | None
    game: str | None
    author: str | None
    result: str | None
    content: bytes | None


@dataclass(frozen=True, slots=True)
class Preferences:
    """What a person has set, as `people.Person` tells it, and whether they get digests."""

    name: str
    language: str | None
    spoke: str | None
    zone: str | None
    mail: str
    html: bool
    digests: bool


@dataclass(frozen=True, slots=True)
class Part:
    """A part in the game; `player` is the player's id there, None for keeper and observer."""

    role: people.Role
    player: int | None


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody with a part in the game: their addresses, the registered one first, and what they have set."""

    preferences: Preferences
    addresses: tuple[str, ...]
    parts: tuple[Part, ...]


_MAIL = columns(Inbox, Mail)
_PREFERENCES = columns(tables.Person, Preferences)


def mails(store: Store, game: str) -> Iterator[Mail]:
    """The mails of the game that are worked off, and those that wait for a confirmation, as they came, one at a time."""
    for number in _numbers(store, game):
        for row in Inbox.select(*_MAIL).where(Inbox.id == number).tuples().execute(store.db):
            yield _mail(row)


def _mail(row: tuple[Any, ...]) -> Mail:
    mail = Mail(*row)
    # PostgreSQL's driver may give another kind of bytes.
    return mail if mail.content is None else dataclasses.replace(mail, content=bytes(mail.content))


def _numbers(store: Store, game: str) -> list[int]:
    found = Inbox.select(Inbox.id).where(_of(game)).order_by(Inbox.received, Inbox.id)
    return [number for (number,) in found.tuples().execute(store.db)]


def _of(game: str) -> Expression:
    """The mails of a game, and those that its log names: whoever confirmed another mail may have named no game."""
    named = tables.Event.select(tables.Event.mail).where(tables.Event.game == game)
    settled = Inbox.state.in_(("done", "held"))
    return settled & ((Inbox.game == game) | Inbox.digest.in_(named))


def take_mail(store: Store, mail: Mail) -> None:
    """A mail with what became of it elsewhere; one that was taken here as well stays as it is."""
    row = {field.name: getattr(mail, field.name) for field in dataclasses.fields(mail)}
    Inbox.insert(**row).on_conflict_ignore().execute(store.writer)


def members(store: Store, game: str) -> tuple[Member, ...]:
    """Everybody with a part in the game who has an address."""
    seats: dict[int, list[Part]] = {}
    found = tables.Seat.select(tables.Seat.person, tables.Seat.role, tables.Seat.player).where(
        tables.Seat.game == game
    )
    for person, role, player in (
        found.order_by(tables.Seat.person, tables.Seat.role).tuples().execute(store.db)
    ):
        seats.setdefault(person, []).append(Part(role, player))
    made = (
        Member(_preferences(store, person), people.addresses_of(store, person), tuple(parts))
        for person, parts in seats.items()
    )
    return tuple(member for member in made if member.addresses)


def _preferences(store: Store, person: int) -> Preferences:
    found = tables.Person.select(*_PREFERENCES).where(tables.Person.id == person)
    (row,) = found.tuples().execute(store.db)
    made = Preferences(*row)
    # SQLite knows no booleans.
    return dataclasses.replace(made, html=bool(made.html), digests=bool(made.digests))


def seat(store: Store, game: str, member: Member) -> None:
    """Gives somebody their parts in a game. Whoever has an address here already stays who they are here: a file must
    not add an address to somebody's, nor change what they have set."""
    known = (people.person_by_address(store, address) for address in member.addresses)
    person = next((each.id for each in known if each), None)
    if person is None:
        person = people.add_person(store, member.preferences.name, member.addresses[0])
        for address in member.addresses[1:]:
            people.add_address(store, person, address)
        for name in get_args(people.Preference):
            people.set_preference(store, person, name, getattr(member.preferences, name))
    for part in member.parts:
        people.sit(store, game, person, part.role, part.player)
