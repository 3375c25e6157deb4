"""What the host does with mails by hand: looks through the queues, tries again, stops a mail and lets it go.

What lives here: the inbox and the outbox as a list of what waits, and finding a mail in them by its words. What never
may: the working off and the sending (queues.py). Functions that write are called inside `Store.transaction`, the
others inside any block of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from peewee import fn

from pbem.game.codec import Record
from pbem.store.db import Store
from pbem.store.queues import PAUSED
from pbem.store.tables import Event, Inbox, Outbox, columns

ON_HOLD: Final = "on hold"
"""The state of a mail that the host has stopped."""
MOST: Final = 1000
"""Mails of each queue that are listed."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """How many mails wait, and since when the oldest does (UTC µs; None: none waits)."""

    count: int
    oldest: int | None


@dataclass(frozen=True, slots=True)
class Incoming:
    """A mail taken in that is not done with: since when, how often our code failed on it, and what became of it so far."""

    id: int
    state: str
    received: int
    game: str | None
    sender: str | None
    author: str | None
    attempts: int
    due: int
    result: str | None
    digest: str


@dataclass(frozen=True, slots=True)
class Queued:
    """A mail to be sent: since when, how often it was tried, when it is next, and why it was not sent."""

    id: int
    state: str
    made: int
    game: str | None
    recipient: str
    attempts: int
    due: int
    error: str | None
    key: str


_INCOMING = columns(Inbox, Incoming)
_QUEUED = columns(Outbox, Queued)
_NOT_DONE: Final = ("new", "failed", "parked", "held", ON_HOLD)
_NOT_SENT: Final = ("ready", "given up", ON_HOLD)


def unread(store: Store) -> Waiting:
    """Mails taken in and not looked at yet."""
    return _incoming_waiting(store, "new")


def unapplied(store: Store) -> Waiting:
    """Mails that our code failed on and that are tried again."""
    return _incoming_waiting(store, "failed")


def _incoming_waiting(store: Store, state: str) -> Waiting:
    found = Inbox.select(fn.COUNT(Inbox.id), fn.MIN(Inbox.received)).where(Inbox.state == state)
    ((count, oldest),) = found.tuples().execute(store.db)
    return Waiting(count, oldest)


def unsent(store: Store) -> Waiting:
    """Mails to be sent, but those to addresses that mails come back from."""
    goes_out = (Outbox.state == "ready") & (Outbox.due < PAUSED)
    found = Outbox.select(fn.COUNT(Outbox.id), fn.MIN(Outbox.made)).where(goes_out)
    ((count, oldest),) = found.tuples().execute(store.db)
    return Waiting(count, oldest)


def incoming(store: Store) -> tuple[Incoming, ...]:
    """The mails taken in that are not done with, oldest first."""
    return _in_state(store, *_NOT_DONE)


def parked(store: Store) -> tuple[Incoming, ...]:
    """The mails that our code failed on as often as it tries, oldest first."""
    return _in_state(store, "parked")


def _in_state(store: Store, *states: str) -> tuple[Incoming, ...]:
    found = Inbox.select(*_INCOMING).where(Inbox.state.in_(states)).order_by(Inbox.received, Inbox.id)
    return tuple(Incoming(*row) for row in found.limit(MOST).tuples().execute(store.db))


def outgoing(store: Store) -> tuple[Queued, ...]:
    """The mails that are not sent, oldest first."""
    found = Outbox.select(*_QUEUED).where(Outbox.state.in_(_NOT_SENT)).order_by(Outbox.made, Outbox.id)
    return tuple(Queued(*row) for row in found.limit(MOST).tuples().execute(store.db))


def incoming_by_id(store: Store, number: int) -> Incoming | None:
    """The mail with that number in the inbox, whatever became of it."""
    found = Inbox.select(*_INCOMING).where(Inbox.id == number)
    return next((Incoming(*row) for row in found.tuples().execute(store.db)), None)


def outgoing_by_id(store: Store, number: int) -> Queued | None:
    """The mail with that number in the outbox, whatever became of it."""
    found = Outbox.select(*_QUEUED).where(Outbox.id == number)
    return next((Queued(*row) for row in found.tuples().execute(store.db)), None)


def set_incoming(store: Store, mail: Incoming, state: str, **change: Any) -> bool:
    """The mail goes from the state it was seen in to another; False when it has gone elsewhere meanwhile."""
    same = (Inbox.id == mail.id) & (Inbox.state == mail.state)
    return bool(Inbox.update(state=state, **change).where(same).execute(store.writer))


def set_outgoing(store: Store, mail: Queued, state: str, now: int, **change: Any) -> bool:
    """As `set_incoming`; False, too, while it is being sent."""
    same = (Outbox.id == mail.id) & (Outbox.state == mail.state)
    free = Outbox.worker.is_null() | (Outbox.due <= now)
    changed = Outbox.update(state=state, worker=None, **change).where(same & free)
    return bool(changed.execute(store.writer))


def incoming_with(store: Store, words: bytes) -> Iterator[tuple[int, bytes]]:
    """The number and bytes of each mail taken in whose bytes hold these words."""
    return store.rows(f"SELECT id, content FROM inbox WHERE {_holding(store)} ORDER BY id", words)  # noqa: S608


def incoming_by_digest(store: Store, digest: str) -> list[int]:
    """The numbers of the mails whose SHA-256 begins with `digest`."""
    found = Inbox.select(Inbox.id).where(Inbox.digest.between(digest, digest + "g")).order_by(Inbox.id)
    return [number for (number,) in found.tuples().execute(store.db)]


def outgoing_with(store: Store, words: bytes) -> tuple[Queued, ...]:
    """The mails of ours whose bytes hold these words."""
    found = store.rows(f"SELECT id FROM outbox WHERE {_holding(store)} ORDER BY id", words)  # noqa: S608
    numbers = [number for (number,) in found]
    return tuple(filter(None, (outgoing_by_id(store, number) for number in numbers)))


def _holding(store: Store) -> str:
    return "position(? in content) > 0" if store.postgres else "instr(content, ?) > 0"


def answers_to(store: Store, digest: str) -> tuple[Queued, ...]:
    """The mails of ours that answer the mail with that SHA-256: their keys bear its beginning."""
    found = Outbox.select(*_QUEUED).where(Outbox.key.contains(digest[:16])).order_by(Outbox.id)
    return tuple(Queued(*row) for row in found.tuples().execute(store.db))


def deeds_of(store: Store, digest: str) -> tuple[tuple[str, Record], ...]:
    """The records that the mail with that SHA-256 brought about, each with its game."""
    found = Event.select(Event.game, *columns(Event, Record)).where(Event.mail == digest)
    rows = found.order_by(Event.game, Event.seq).tuples().execute(store.db)
    return tuple((game, Record(*row)) for game, *row in rows)
