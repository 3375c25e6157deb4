"""Who the players, keepers and observers are outside the game: the erasable part, kept out of the log.

What lives here: persons, addresses, preferences, seats, invitations, and how often an address was answered. What never
may: what happens in a game. Addresses are lower case here, however they come. Functions that write are called inside
`Store.transaction`, the others inside any block of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import starmap
from typing import Literal

from pbem.store import tables
from pbem.store.db import Store
from pbem.store.tables import Address, storable

Role = Literal["player", "keeper", "observer"]
MailPreference = Literal["each", "daily", "results", "none"]
Preference = Literal["name", "language", "spoke", "zone", "mail", "html", "digests"]


class AddressTaken(ValueError):
    """The address belongs to a person already."""


@dataclass(frozen=True, slots=True)
class Person:
    """A human being: `address` is the registered one, `language` the one set, `spoke` the one last written in."""

    id: int
    name: str
    address: str
    language: str | None
    spoke: str | None
    zone: str | None
    mail: MailPreference
    html: bool


@dataclass(frozen=True, slots=True)
class Seat:
    """A part in a game; `player` is the player's id there, None for keeper and observer."""

    game: str
    player: int | None
    role: Role


@dataclass(frozen=True, slots=True)
class Reader:
    """Somebody who gets a game's mail. `language` is the one set, else the one spoken, else None; `digests` is false
    for whoever has unsubscribed from them.

    `bounces` counts mails to `address` that came back in a row.
    """

    person: int
    role: Role
    player: int | None
    name: str
    address: str
    language: str | None
    zone: str | None
    mail: MailPreference
    html: bool
    digests: bool
    bounces: int


@dataclass(frozen=True, slots=True)
class Gatherer:
    """A player who gets posts gathered by the day: their zone, when that was last done (UTC µs), their seat in a game,
    and the record of its log up to which they have got them."""

    person: int
    zone: str | None
    at: int
    game: str
    player: int
    seq: int


@dataclass(frozen=True, slots=True)
class Invitation:
    """An address asked to join a game under a name, and when (UTC µs)."""

    game: str
    address: str
    name: str
    at: int


def add_person(store: Store, name: str, address: str) -> int:
    """A new person with one address; returns the person's id. Raises AddressTaken."""
    with store.transaction():
        person: int = tables.Person.insert(name=storable(name)).execute(store.writer)
        add_address(store, person, address)
    return person


def add_address(store: Store, person: int, address: str) -> None:
    """One more address the person writes from. Raises AddressTaken."""
    added = Address.insert(person=person, address=_folded(address)).on_conflict_ignore().as_rowcount()
    if not added.execute(store.writer):
        raise AddressTaken(address)
    tables.Former.delete().where(tables.Former.address == _folded(address)).execute(store.writer)


def person_by_id(store: Store, person: int) -> Person | None:
    """The person of that number; None when there is none, or they have no address."""
    registered = next(iter(addresses_of(store, person)), "")
    return person_by_address(store, registered)


def remove_address(store: Store, address: str) -> None:
    """The address is nobody's any more; if it was the registered one, the next oldest takes its place."""
    this = Address.address == _folded(address)
    taken = Address.select(Address.address, Address.person).where(this)
    tables.Former.insert_from(taken, [tables.Former.address, tables.Former.person]).execute(store.writer)
    Address.delete().where(this).execute(store.writer)


def addresses_of(store: Store, person: int) -> tuple[str, ...]:
    """All addresses of a person, the registered one first."""
    found = Address.select(Address.address).where(Address.person == person).order_by(Address.id)
    return tuple(address for (address,) in found.tuples().execute(store.db))


def is_free(store: Store, address: str) -> bool:
    """Whether an address is nobody's, and is not invited to a game."""
    return person_by_address(store, address) is None and not invitations_to(store, address)


def former_addresses_of(store: Store, person: int) -> tuple[str, ...]:
    """The addresses that a person has taken away, and that are nobody's since."""
    found = tables.Former.select(tables.Former.address).where(tables.Former.person == person)
    return tuple(address for (address,) in found.tuples().execute(store.db))


def move(store: Store, game: str, person: int, address: str) -> None:
    """Every part that a person has in the game, with all their wishes, goes over to a new person at that address: the same
    human being, who has lost the old ones. These are former ones, unless the person has parts in other games. Raises
    AddressTaken."""
    wishes = "name, language, spoke, zone, mail, html, digests, gathered"
    made = f"INSERT INTO person ({wishes}) SELECT {wishes} FROM person WHERE id = ? RETURNING id"  # noqa: S608  # no value
    ((new,),) = store.write_returning(made, person)
    add_address(store, new, address)
    theirs = tables.Seat.person == person
    tables.Seat.update(person=new).where(theirs & (tables.Seat.game == game)).execute(store.writer)
    if not tables.Seat.select().where(theirs).exists(store.writer):
        for old in addresses_of(store, person):
            remove_address(store, old)
        tables.Former.update(person=new).where(tables.Former.person == person).execute(store.writer)


def person_by_address(store: Store, address: str) -> Person | None:
    """Whose address it is, registered or not; None for a stranger's."""
    found = store.rows(
        "SELECT person.id, person.name, registered.address, language, spoke, zone, mail, html"
        " FROM address JOIN person ON person.id = address.person"
        " JOIN address AS registered ON registered.id = (SELECT MIN(id) FROM address AS own WHERE own.person = person.id)"
        " WHERE address.address = ?",
        _folded(address),
    )
    return next((replace(person, html=bool(person.html)) for person in starmap(Person, found)), None)


def set_preference(store: Store, person: int, preference: Preference, value: str | bool | None) -> None:
    """Remember one wish of a person; the caller has checked it (`html`, `digests` a bool, `mail` a MailPreference)."""
    mine = tables.Person.id == person
    tables.Person.update({preference: value}).where(mine).execute(store.writer)


def forget(store: Store, person: int) -> None:
    """Erase a person: name, addresses, preferences, seats, and invitations and counted answers to those addresses.

    What they did in a game stays in its log; for their mails see `queues.erase_mails`. An empty row stays, so that the
    number, which tokens bear, is never another's.
    """
    theirs = Address.select(Address.address).where(Address.person == person)
    for table in (tables.Invitation, tables.Answer):
        table.delete().where(table.address.in_(theirs)).execute(store.writer)
    for owned in (Address, tables.Former, tables.Seat):
        owned.delete().where(owned.person == person).execute(store.writer)
    nothing = dict.fromkeys(("language", "spoke", "zone"))
    usual = {"name": "", "mail": "each", "html": True, "digests": True, "gathered": 0}
    tables.Person.update(**nothing, **usual).where(tables.Person.id == person).execute(store.writer)


def sit(store: Store, game: str, person: int, role: Role, player: int | None = None) -> None:
    """Give a person a part in a game. A player's seat and the keepership pass from whoever had them."""
    replaced = {
        "player": (tables.Seat.player == player) | (tables.Seat.person == person),
        "keeper": tables.Seat.role == "keeper",
        "observer": tables.Seat.person == person,
    }[role]
    tables.Seat.delete().where((tables.Seat.game == game) & (tables.Seat.role == role) & replaced).execute(
        store.writer
    )
    so_far = tables.Game.select(tables.Game.seq).where(tables.Game.slug == game)
    row = {"role": role, "player": player, "gathered": so_far}
    tables.Seat.insert(game=game, person=person, **row).execute(store.writer)


def gatherers(store: Store) -> tuple[Gatherer, ...]:
    """Everybody who gets posts gathered by the day, once for each game they play."""
    found = store.rows(
        "SELECT person.id, person.zone, person.gathered, seat.game, seat.player, seat.gathered"
        " FROM person JOIN seat ON seat.person = person.id AND seat.role = 'player' WHERE person.mail = 'daily'"
        " ORDER BY person.id, seat.game"
    )
    return tuple(starmap(Gatherer, found))


def set_gathered(store: Store, person: int, at: int) -> None:
    """The person has got, or need not get, all posts of their games up to now (`at`, UTC µs)."""
    tables.Person.update(gathered=at).where(tables.Person.id == person).execute(store.writer)
    store.write(
        "UPDATE seat SET gathered = (SELECT seq FROM game WHERE game.slug = seat.game) WHERE person = ?",
        person,
    )


def leave(store: Store, game: str, person: int, role: Role) -> None:
    """The person has that part no more."""
    part = (tables.Seat.game == game) & (tables.Seat.person == person) & (tables.Seat.role == role)
    tables.Seat.delete().where(part).execute(store.writer)


def seats_of(store: Store, address: str) -> tuple[Seat, ...]:
    """Every part in every game of the person with this address, by game."""
    found = store.rows(
        "SELECT seat.game, seat.player, seat.role FROM address JOIN seat ON seat.person = address.person"
        " WHERE address.address = ? ORDER BY seat.game, seat.role",
        _folded(address),
    )
    return tuple(Seat(*row) for row in found)


def games_of(store: Store, person: int) -> tuple[str, ...]:
    """The games in which the person of that number has a part."""
    return tuple(game for (game,) in store.rows("SELECT DISTINCT game FROM seat WHERE person = ?", person))


def readers(store: Store, game: str) -> tuple[Reader, ...]:
    """Everybody with a part in the game, once for each part: keeper, observers, then players by id.

    A person without any address left is not among them.
    """
    found = store.rows(
        "SELECT seat.person, role, player, name, address, COALESCE(language, spoke), zone, mail, html, digests, bounces"
        " FROM seat JOIN person ON person.id = seat.person"
        " JOIN address ON address.id = (SELECT MIN(id) FROM address AS own WHERE own.person = seat.person)"
        " WHERE game = ? ORDER BY role, player, seat.person",
        game,
    )
    # SQLite knows no booleans.
    return tuple(
        replace(reader, html=bool(reader.html), digests=bool(reader.digests))
        for reader in starmap(Reader, found)
    )


def invite(store: Store, invitation: Invitation) -> None:
    """Remember an invitation; a second one to the same address and game takes the place of the first."""
    row = {"name": invitation.name, "at": invitation.at}
    tables.Invitation.insert(game=invitation.game, address=_folded(invitation.address), **row).on_conflict(
        conflict_target=[tables.Invitation.game, tables.Invitation.address], update=row
    ).execute(store.writer)


def invitations(store: Store, game: str) -> tuple[Invitation, ...]:
    """The open invitations to a game, oldest first."""
    return _invitations(store, "game", game)


def invitations_to(store: Store, address: str) -> tuple[Invitation, ...]:
    """The open invitations to an address, oldest first."""
    return _invitations(store, "address", _folded(address))


def uninvite(store: Store, game: str, address: str) -> None:
    """The invitation is used or withdrawn."""
    this = (tables.Invitation.game == game) & (tables.Invitation.address == _folded(address))
    tables.Invitation.delete().where(this).execute(store.writer)


def add_bounce(store: Store, address: str) -> int:
    """One more mail to the address came back; returns how many have in a row, 0 for nobody's address."""
    bounced = Address.update(bounces=Address.bounces + 1).where(Address.address == _folded(address))
    return next((bounces for (bounces,) in store.returned(bounced.returning(Address.bounces))), 0)


def bounces(store: Store, address: str) -> int:
    """How many mails to the address have come back in a row."""
    found = store.rows("SELECT bounces FROM address WHERE address = ?", _folded(address))
    return next((int(counted) for (counted,) in found), 0)


def clear_bounces(store: Store, address: str) -> None:
    """The address works: a mail came from it."""
    store.write("UPDATE address SET bounces = 0 WHERE address = ? AND bounces > 0", _folded(address))


def may_answer(store: Store, address: str, day: int, cap: int) -> bool:
    """Count one automatic answer to an address, unless `cap` of them (at least 1) went there that day (days since 1970, UTC).

    After a False, asking once more with `cap` + 1 gives the one summary of that day.
    """
    counted = store.write_returning(
        "INSERT INTO answer (address, day, count) VALUES (?, ?, 1)"
        " ON CONFLICT (address, day) DO UPDATE SET count = answer.count + 1 WHERE answer.count < ? RETURNING count",
        *(_folded(address), day, cap),
    )
    return bool(counted)


def forget_answers(store: Store, before: int) -> None:
    """Drop the counts of days before `before`: strangers' addresses are kept no longer than they serve."""
    store.write("DELETE FROM answer WHERE day < ?", before)


def _folded(address: str) -> str:
    return address.strip().lower()


_INVITED = {
    "game": "SELECT game, address, name, at FROM invitation WHERE game = ? ORDER BY at, game, address",
    "address": "SELECT game, address, name, at FROM invitation WHERE address = ? ORDER BY at, game, address",
}


def _invitations(store: Store, column: Literal["game", "address"], value: str) -> tuple[Invitation, ...]:
    return tuple(starmap(Invitation, store.rows(_INVITED[column], value)))
