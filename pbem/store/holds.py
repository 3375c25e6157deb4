"""What waits for a confirmation: a mail that nothing proves, or wishes in one that are never done at once.

What lives here: the table of them. What never may: the mails (queues.py), or what a hold keeps waiting. Functions that
write are called inside `Store.transaction`, the others inside any block of it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Literal

from peewee import Expression

from pbem.store import tables
from pbem.store.db import Store
from pbem.store.tables import columns

State = Literal["open", "unasked", "confirmed", "denied", "dropped", "proven"]
"""Unasked: the address has been asked often enough that day. Proven: the mail came again with proof."""


@dataclass(frozen=True, slots=True)
class Hold:
    """On which mail (its number in the inbox, its SHA-256), whose registered address is asked, which game it is for,
    when the mail came and until when it can be confirmed (UTC µs), whether there is a ballot in it, whether only
    the wishes in it wait (`wishes`), and how that stands."""

    id: int
    mail: int
    digest: str
    address: str
    game: str | None
    at: int
    until: int
    ballot: bool
    wishes: bool
    state: State


_HOLD = columns(tables.Hold, Hold)
_IS_OPEN = tables.Hold.state == "open"


def open_hold(store: Store, hold: Hold) -> Hold | None:
    """A new hold with a number of its own (that of `hold` says nothing); None if the mail has had one."""
    row = {"address": hold.address.lower(), "game": hold.game, "at": hold.at, "until": hold.until}
    what = {"ballot": hold.ballot, "wishes": hold.wishes, "state": hold.state}
    made = tables.Hold.insert(mail=hold.mail, digest=hold.digest, **row, **what)
    rows = store.returned(made.on_conflict_ignore().returning(tables.Hold.id))
    return next((replace(hold, id=number) for (number,) in rows), None)


def find(store: Store, number: int) -> Hold | None:
    """The hold of that number, settled or not."""
    return next(iter(_holds(store, tables.Hold.id == number)), None)


def ballots(store: Store, game: str) -> tuple[Hold, ...]:
    """The open holds on mails with a ballot in that game."""
    return _holds(store, _IS_OPEN & (tables.Hold.game == game) & tables.Hold.ballot)


def overdue(store: Store, now: int) -> tuple[Hold, ...]:
    """The open holds whose time is over."""
    return _holds(store, _IS_OPEN & (tables.Hold.until <= now))


def close(store: Store, hold: Hold, end: State) -> None:
    """It is settled."""
    tables.Hold.update(state=end).where(tables.Hold.id == hold.id).execute(store.writer)


def close_on(store: Store, mail: int) -> None:
    """Whatever was asked about the mail need not be answered any more: it was proven otherwise."""
    tables.Hold.update(state="proven").where(_IS_OPEN & (tables.Hold.mail == mail)).execute(store.writer)


def erase(store: Store, addresses: Collection[str]) -> tuple[int, ...]:
    """Forget all holds of these addresses (lower case); returns the mails they were on."""
    theirs = tables.Hold.address.in_(addresses)
    mails = tuple(
        mail for (mail,) in tables.Hold.select(tables.Hold.mail).where(theirs).tuples().execute(store.writer)
    )
    tables.Hold.delete().where(theirs).execute(store.writer)
    return mails


def _holds(store: Store, which: Expression) -> tuple[Hold, ...]:
    found = tables.Hold.select(*_HOLD).where(which).order_by(tables.Hold.id)
    rows = (Hold(*row) for row in found.tuples().execute(store.db))
    return tuple(replace(hold, ballot=bool(hold.ballot), wishes=bool(hold.wishes)) for hold in rows)
