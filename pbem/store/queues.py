"""Mail in and mail out, durable: what was taken and what became of it, what is to be sent and who is at it.

What lives here: the inbox and the outbox, raw bytes included. What never may: reading or writing a mail, a socket,
a clock. Functions that write are called inside `Store.transaction`, the others inside any block of it.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from peewee import Case, fn

from pbem.store import hand
from pbem.store.db import Raced, Store
from pbem.store.tables import Inbox, Outbox, columns, storable

InboxState = Literal["new", "done", "held", "failed", "parked", "on hold"]
OutboxState = Literal["ready", "sent", "given up", "withdrawn", "on hold"]

WAITING: tuple[InboxState, ...] = ("new", "failed")
UNSENT: tuple[OutboxState, ...] = ("ready", "on hold")
TRIES = 3
"""So often is a mail tried that our own code fails on; then it is parked for the keeper."""
RETRY_AFTER = 5 * 60 * 1_000_000
"""µs from the first failure to the next try; twice as long from the second."""

PAUSED = 2**62
"""When a mail to an address that does not work is due (UTC µs): never, until a mail comes from there."""

MOST_BYTES = 4_000_000
"""So many bytes of mail are opened at once, and the rest of the last one."""

READING_INBOX = 0x70626502
"""The matter (`Store.alone`) of working off the inbox: the order of arrival is the order of the games."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A mail as taken: raw bytes, `key` (the same key is one mail), `letter` (a hash of author and Message-ID, None
    without one), SHA-256 `digest` of the bytes, moment (UTC µs), envelope sender and recipient where known, by
    which way it came, and its lane (lanes.py)."""

    content: bytes
    key: str
    letter: str | None
    digest: str
    received: int
    sender: str | None
    recipient: str | None
    source: str
    lane: str = ""


@dataclass(frozen=True, slots=True)
class Accepted:
    """The number of a mail in the inbox, and whether it had been taken before."""

    id: int
    repeat: bool


@dataclass(frozen=True, slots=True)
class InboxMail:
    """A mail to be worked off; `attempts` counts the times our code failed on it, `result` is what became of it before."""

    id: int
    content: bytes
    digest: str
    received: int
    sender: str | None
    recipient: str | None
    source: str
    attempts: int
    result: str | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a mail turned out to be (`kind`), for which game, the address it was attributed to, and the result in words."""

    kind: str
    game: str | None
    author: str | None
    result: str


@dataclass(frozen=True, slots=True)
class InboxEntry:
    """What became of a mail: its state, kind, game, the address it was attributed to, and the result in words."""

    id: int
    digest: str
    received: int
    sender: str | None
    recipient: str | None
    source: str
    repeats: int
    state: InboxState
    attempts: int
    kind: str | None
    game: str | None
    author: str | None
    result: str | None


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A mail ready to send: `key` names it for ever, `content` is final to the byte, `due` the first moment to send it."""

    key: str
    game: str | None
    sender: str
    recipient: str
    content: bytes
    made: int
    due: int


@dataclass(frozen=True, slots=True)
class OutboxMail:
    """A mail leased to one worker; `attempts` includes this one."""

    id: int
    key: str
    game: str | None
    sender: str
    recipient: str
    content: bytes
    made: int
    attempts: int


_INBOX_MAIL = columns(Inbox, InboxMail)
_INBOX_ENTRY = columns(Inbox, InboxEntry)
_OUTBOX_MAIL = columns(Outbox, OutboxMail)


def accept(store: Store, mail: Arrival) -> Accepted:
    """Store a mail, unless its key is known: then it is counted as a repeat and the first copy kept. Acknowledge (250,
    flag, move, unlink) only after the transaction has ended."""
    ((mail_id, repeats),) = store.write_returning(
        "INSERT INTO inbox"
        " (key, letter, digest, received, sender, recipient, source, content, lane, repeats, state, attempts, due)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 'new', 0, 0)"
        " ON CONFLICT (key) DO UPDATE SET repeats = inbox.repeats + 1 RETURNING id, repeats",
        *(mail.key, mail.letter, mail.digest, mail.received, storable(mail.sender), storable(mail.recipient)),
        *(mail.source, mail.content, mail.lane),
    )
    store.tell("mail in")
    return Accepted(mail_id, repeats > 0)


def claim_new(store: Store, now: int, limit: int) -> tuple[InboxMail, ...]:
    """Up to `limit` mails to work off, and not many bytes of them, in order of arrival; failed ones when their wait is over.
    They are this transaction's own until it ends: other workers wait their turn. Each is then given to `finish` or `hold`
    in the same transaction, or to `fail` when what it did was undone."""
    store.alone(READING_INBOX)
    # The index of what waits is for a query that says so in these words.
    found = store.rows(
        "SELECT id, LENGTH(content) FROM inbox WHERE state IN ('new', 'failed') AND due <= ? ORDER BY received, id LIMIT ?",
        *(now, limit),
    )
    return opened(store, found)


def opened(store: Store, waiting: Iterable[tuple[int, int]]) -> tuple[InboxMail, ...]:
    """The first of these mails (number, bytes): as many as a worker should have in memory, one at least."""
    sizes = list(waiting)
    sums = itertools.accumulate(size for _, size in sizes)
    ids = [number for (number, size), total in zip(sizes, sums, strict=True) if total - size < MOST_BYTES]
    found = Inbox.select(*_INBOX_MAIL).where(Inbox.id.in_(ids)).order_by(Inbox.received, Inbox.id)
    return tuple(InboxMail(*row) for row in found.tuples().execute(store.writer))


def counted(store: Store, letter: str) -> bool:
    """Whether a mail with this author and Message-ID was credited to somebody and is done with."""
    done = "SELECT 1 FROM inbox WHERE letter = ? AND state = 'done' AND author IS NOT NULL LIMIT 1"
    return bool(store.write_returning(done, letter))


def finish(store: Store, mail_id: int, outcome: Outcome) -> None:
    """The mail is done with. Raises Raced when another worker was first: undo everything done for it."""
    _close(store, mail_id, "done", outcome)


def hold(store: Store, mail_id: int, outcome: Outcome) -> None:
    """As `finish`, but nothing in the mail was done and it is kept; `take_held` brings it back."""
    _close(store, mail_id, "held", outcome)


def take_held(store: Store, mail_id: int, again: Arrival) -> InboxMail | None:
    """A mail held with no author that came `again` with proof, made new so that it can be worked off; else None.

    The later copy takes its place, but it counts as having come when the first did.
    """
    held = (Inbox.id == mail_id) & (Inbox.state == "held") & Inbox.author.is_null()
    copy = {"content": again.content, "digest": again.digest, "source": again.source, "lane": again.lane}
    taken = Inbox.update(state="new", sender=again.sender, recipient=again.recipient, **copy).where(held)
    rows = store.returned(taken.returning(*_INBOX_MAIL))
    return next((InboxMail(*row) for row in rows), None)


def held(store: Store, mail_id: int) -> InboxMail | None:
    """A mail that waits for a confirmation, or part of which does; None when its author asked to be forgotten."""
    found = Inbox.select(*_INBOX_MAIL).where((Inbox.id == mail_id) & Inbox.content.is_null(False))
    return next((InboxMail(*row) for row in found.tuples().execute(store.db)), None)


def unowned(store: Store) -> Iterator[InboxMail]:
    """The mails that are attributed to nobody and not erased, one at a time."""
    theirs = Inbox.author.is_null() & Inbox.content.is_null(False)
    numbers = [number for (number,) in Inbox.select(Inbox.id).where(theirs).tuples().execute(store.db)]
    yield from filter(None, (held(store, number) for number in numbers))


def release(store: Store, mail_id: int, outcome: Outcome) -> None:
    """A held mail is done with: it was confirmed and worked off, or dropped."""
    done = {"game": outcome.game, "author": outcome.author, "result": storable(outcome.result)}
    held = (Inbox.id == mail_id) & (Inbox.state == "held")
    Inbox.update(state="done", **done).where(held).execute(store.writer)


def fail(store: Store, mail_id: int, why: str, now: int) -> InboxState:
    """Our code failed on the mail: it is tried again after a while ("failed"), or set aside ("parked")."""
    tries = Inbox.attempts + 1
    failed = Inbox.update(
        attempts=tries,
        state=Case(None, [(tries >= TRIES, "parked")], "failed"),
        due=tries * RETRY_AFTER + now,
        result=storable(why),
    ).where((Inbox.id == mail_id) & Inbox.state.in_(WAITING))
    state: InboxState
    for (state,) in store.returned(failed.returning(Inbox.state)):
        return state
    raise Raced(f"inbox {mail_id} is no longer waiting")


def mail(store: Store, digest: str) -> bytes | None:
    """The bytes of a mail taken, by their SHA-256; None when unknown, or erased at its author's wish."""
    found: bytes | None = Inbox.select(Inbox.content).where(Inbox.digest == digest).scalar(store.db)
    return found


def taken_from(store: Store, author: str, digest: str) -> InboxMail | None:
    """The mail of that author whose SHA-256 begins with `digest`; None when there is none, or it was erased."""
    theirs = (
        (Inbox.author == author) & Inbox.digest.between(digest, digest + "g") & Inbox.content.is_null(False)
    )
    for row in Inbox.select(*_INBOX_MAIL).where(theirs).tuples().execute(store.db):
        return InboxMail(*row)
    return None


def inbox_log(
    store: Store,
    *,
    game: str | None = None,
    state: InboxState | None = None,
    digest: str | None = None,
    limit: int = 100,
) -> tuple[InboxEntry, ...]:
    """The latest mails taken, newest first; only those of a game, in a state, or with a digest if asked."""
    wanted = ((Inbox.game, game), (Inbox.state, state), (Inbox.digest, digest))
    found = Inbox.select(*_INBOX_ENTRY).order_by(Inbox.received.desc(), Inbox.id.desc()).limit(limit)
    for column, value in wanted:
        if value is not None:
            found = found.where(column == value)
    return tuple(InboxEntry(*row) for row in found.tuples().execute(store.db))


def inbox_counts(store: Store) -> dict[InboxState, int]:
    """How many mails are in each state."""
    found = Inbox.select(Inbox.state, fn.COUNT(Inbox.id)).group_by(Inbox.state)
    return dict(found.tuples().execute(store.db))


def enqueue(store: Store, mails: Iterable[Outgoing]) -> None:
    """Mails to send after this transaction. One whose key is there already changes nothing."""
    store.write_many(
        "INSERT INTO outbox (key, game, sender, recipient, content, made, due, state, attempts)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, 'ready', 0) ON CONFLICT (key) DO NOTHING",
        [(out.key, out.game, out.sender, out.recipient, out.content, out.made, out.due) for out in mails],
    )
    store.tell("mail out")


def claim_outbox(store: Store, now: int, limit: int, worker: str, lease: int) -> tuple[OutboxMail, ...]:
    """Up to `limit` mails due, for `worker` alone during `lease` µs, the longest due first.

    Commit before sending. When a lease ends unanswered the mail is due again: at worst it is sent
    twice, with the same bytes.
    """
    due = (Outbox.state == "ready") & (Outbox.due <= now)
    free = Outbox.select(Outbox.id).where(due).order_by(Outbox.due, Outbox.id).limit(limit)
    if store.postgres:
        free = free.for_update(skip_locked=True)
    ids = [mail_id for (mail_id,) in free.tuples().execute(store.writer)]
    mine = {"worker": worker, "due": now + lease, "attempts": Outbox.attempts + 1}
    held = Outbox.update(**mine).where(Outbox.id.in_(ids))
    rows = {row[0]: row for row in store.returned(held.returning(*_OUTBOX_MAIL))}
    return tuple(OutboxMail(*rows[mail_id]) for mail_id in ids)


def sent(store: Store, ids: Collection[int], worker: str, now: int) -> int:
    """The smart host has said 250 to these; returns how many of them were still this worker's."""
    done = (
        "UPDATE outbox SET worker = NULL, state = 'sent', closed = ?, error = NULL"
        " WHERE id = ? AND worker = ? AND state = 'ready'"
    )
    return sum(store.write(done, now, mail_id, worker) for mail_id in ids)


def defer(store: Store, mail_id: int, worker: str, until: int, error: str) -> bool:
    """Not now: due again at `until` (UTC µs). False when it was no longer this worker's."""
    return _answer(store, (mail_id,), worker, due=until, error=storable(error)) == 1


def give_up(store: Store, mail_id: int, worker: str, now: int, error: str) -> bool:
    """Never: refused for good. False when it was no longer this worker's."""
    return _answer(store, (mail_id,), worker, state="given up", closed=now, error=storable(error)) == 1


def resume(store: Store, address: str, now: int) -> None:
    """Mails to the address (lower case) that were `PAUSED` are due now."""
    paused = "UPDATE outbox SET due = ? WHERE state = 'ready' AND due = ? AND recipient = ?"
    store.write(paused, now, PAUSED, address)


def withdraw(store: Store, key: str, now: int) -> bool:
    """Take back a mail that a correction replaces; False when it is sent, or being sent, already."""
    queued = (Outbox.key == key) & _can_be_taken_back(now)
    return bool(Outbox.update(state="withdrawn", closed=now).where(queued).execute(store.writer))


def _can_be_taken_back(now: int) -> Any:
    """Whether a mail is neither sent nor being sent."""
    return Outbox.state.in_(UNSENT) & (Outbox.worker.is_null() | (Outbox.due <= now))


def withdraw_to(store: Store, game: str, recipient: str, now: int) -> None:
    """Take back every mail of a game that waits to go to an address (lower case)."""
    queued = (Outbox.recipient == recipient) & (Outbox.game == game) & _can_be_taken_back(now)
    Outbox.update(state="withdrawn", closed=now).where(queued).execute(store.writer)


def outgoing(store: Store, key: str) -> bytes | None:
    """The bytes of a mail of ours by its key; None when unknown or erased."""
    found: bytes | None = Outbox.select(Outbox.content).where(Outbox.key == key).scalar(store.db)
    return found


def is_queued(store: Store, key: str) -> bool:
    """Whether a mail of ours with that key was ever to be sent."""
    return bool(Outbox.select().where(Outbox.key == key).exists(store.db))


def outbox_counts(store: Store) -> dict[OutboxState, int]:
    """How many mails are in each state."""
    found = Outbox.select(Outbox.state, fn.COUNT(Outbox.id)).group_by(Outbox.state)
    return dict(found.tuples().execute(store.db))


def next_due_outbox(store: Store) -> int | None:
    """When the next mail is to be sent, or the first lease ends (UTC µs); None when all are closed."""
    nearest: int | None = Outbox.select(fn.MIN(Outbox.due)).where(Outbox.state == "ready").scalar(store.db)
    return nearest


def erase_mails(store: Store, addresses: Collection[str], mails: Collection[int] = ()) -> None:
    """Forget all mails from or to these addresses (lower case), and those with these numbers in the inbox; none is
    worked off or sent any more.

    Digests stay, so the chain of the log still verifies. Call it after `finish` of the mail that asked.
    """
    theirs = Inbox.author.in_(addresses) | fn.LOWER(Inbox.sender).in_(addresses) | Inbox.id.in_(mails)
    nothing = dict.fromkeys(("content", "sender", "recipient", "author", "result"))
    Inbox.update(state="done", **nothing).where(theirs).execute(store.writer)
    to_them = fn.LOWER(Outbox.recipient).in_(addresses)
    Outbox.update(state="withdrawn").where(to_them & Outbox.state.in_(UNSENT)).execute(store.writer)
    Outbox.update(content=None, recipient="").where(to_them).execute(store.writer)


def _close(store: Store, mail_id: int, state: InboxState, outcome: Outcome) -> None:
    closed = store.write(
        "UPDATE inbox SET state = ?, kind = ?, game = ?, author = ?, result = ?"
        " WHERE id = ? AND state IN ('new', 'failed')",
        *(state, outcome.kind, outcome.game, outcome.author, storable(outcome.result), mail_id),
    )
    if not closed:
        raise Raced(f"inbox {mail_id} is no longer waiting")


def _answer(store: Store, ids: Collection[int], worker: str, **change: object) -> int:
    return int(Outbox.update(worker=None, **change).where(hand.mine(ids, worker)).execute(store.writer))
