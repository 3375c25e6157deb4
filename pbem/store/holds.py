"""What waits for a confirmation: a mail that nothing proves, or wishes in one that are never done at once.

What lives here: the table of them. What never may: the mails (queues.py), or what a hold keeps waiting. Functions that
write are called inside `Store.transaction`, the others inside any block of it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from itertools import starmap
from typing import Literal

from peewee import Expression

from pbem.store import tables
from pbem.store.db import Store
from pbem.store.tables import columns

Kind = Literal["mail", "wishes", "address"]
"""Whether a mail waits, the wishes in one, or the word of an address that is to be somebody's."""
State = Literal["open", "unasked", "confirmed", "denied", "dropped", "proven"]
"""Unasked: the address has been asked often enough that day. Proven: the mail came again with proof."""


@dataclass(frozen=True, slots=True)
class Hold:
    """What waits, on which mail (its number in the inbox, its SHA-256), which address is asked, which game it is for,
    when the mail came and until when it can be confirmed (UTC µs), whether there is a ballot in it, whose the address
    is to be (the kind `address` alone), and how that stands."""

    id: int
    mail: int
    kind: Kind
    digest: str
    address: str
    game: str | None
    at: int
    until: int
    ballot: bool
    person: int | None
    state: State


_HOLD = columns(tables.Hold, Hold)
_WAITS = tables.Hold.state.in_(("open", "unasked"))


def open_hold(store: Store, hold: Hold) -> Hold | None:
    """A new hold with a number of its own (that of `hold` says nothing); None if the mail has had one of that kind."""
    row = {"address": hold.address.lower(), "game": hold.game, "at": hold.at, "until": hold.until}
    what = {"kind": hold.kind, "ballot": hold.ballot, "person": hold.person, "state": hold.state}
    made = tables.Hold.insert(mail=hold.mail, digest=hold.digest, **row, **what)
    rows = store.returned(made.on_conflict_ignore().returning(tables.Hold.id))
    return next((replace(hold, id=number) for (number,) in rows), None)


def find(store: Store, number: int) -> Hold | None:
    """The hold of that number, settled or not."""
    return next(iter(_holds(store, tables.Hold.id == number)), None)


def ballots(store: Store, game: str) -> tuple[Hold, ...]:
    """The open holds on mails with a ballot in that game."""
    asked = store.rows(
        "SELECT id, mail, kind, digest, address, game, at, until, ballot, person, state FROM hold"
        " WHERE state = 'open' AND game = ? AND ballot ORDER BY id",
        game,
    )
    return tuple(map(_held, starmap(Hold, asked)))


def waiting(store: Store) -> tuple[Hold, ...]:
    """The holds, asked about or not, that are not settled."""
    return _holds(store, _WAITS)


def overdue(store: Store, now: int) -> tuple[Hold, ...]:
    """The holds, asked about or not, whose time is over."""
    return _holds(store, _WAITS & (tables.Hold.until <= now))


def unasked(store: Store, before: int) -> tuple[Hold, ...]:
    """The holds on mails from before that moment (UTC µs) that their address could not be asked about, oldest first."""
    return _holds(store, (tables.Hold.state == "unasked") & (tables.Hold.at < before))


def reopen(store: Store, hold: Hold) -> None:
    """It is asked about after all."""
    tables.Hold.update(state="open").where(tables.Hold.id == hold.id).execute(store.writer)


def close(store: Store, hold: Hold, end: State) -> None:
    """It is settled."""
    tables.Hold.update(state=end).where(tables.Hold.id == hold.id).execute(store.writer)


def close_on(store: Store, mail: int) -> None:
    """Whatever was asked about the mail need not be answered any more: it was proven otherwise."""
    store.write("UPDATE hold SET state = 'proven' WHERE mail = ? AND state IN ('open', 'unasked')", mail)


def erase(store: Store, person: int, addresses: Collection[str]) -> tuple[int, ...]:
    """Forget all holds of a person with these addresses (lower case); returns the mails in their name that they were on."""
    theirs = tables.Hold.address.in_(addresses) | (tables.Hold.person == person)
    named = tables.Hold.address.in_(addresses) & (tables.Hold.kind != "address")
    mails = tuple(
        mail for (mail,) in tables.Hold.select(tables.Hold.mail).where(named).tuples().execute(store.writer)
    )
    tables.Hold.delete().where(theirs).execute(store.writer)
    return mails


def _holds(store: Store, which: Expression) -> tuple[Hold, ...]:
    found = tables.Hold.select(*_HOLD).where(which).order_by(tables.Hold.id)
    return tuple(map(_held, starmap(Hold, found.tuples().execute(store.db))))


def _held(hold: Hold) -> Hold:
    # SQLite knows no booleans.
    return replace(hold, ballot=bool(hold.ballot))
