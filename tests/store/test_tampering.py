"""Whoever changes, drops, swaps or inserts a record of a game's log in the database is found out, on both engines.

`PBEM_EDITS=100000 pytest --timeout 0 tests/store/test_tampering.py` forges more of them.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import astuple, replace
from random import Random

import pytest

from pbem.game import codec
from pbem.game.codec import Record
from pbem.game.fold import replay
from pbem.game.model import Refused
from pbem.service import reader
from pbem.store import eventlog
from pbem.store.db import Store
from tests.game.conftest import NAMES, Table
from tests.game.random_moves import Lot
from tests.promises.table import Promise

pytestmark = [pytest.mark.slow, pytest.mark.promise(26)]

RECORDS, SEED = 500, 26
EDITS = int(os.environ.get("PBEM_EDITS", "2000"))
Forgery = Callable[[Random, list[Record]], list[Record]]


def played() -> Table:
    """A random game whose log is at least that long."""
    chance = Random(SEED)  # noqa: S311  # the same each time
    table = Table(NAMES)
    while len(table.log) < RECORDS and table.state.status != "ended":
        lot = Lot(chance, table)
        for by, command in lot.next():
            try:
                table.ask(by, command)
            except Refused:
                continue
        table.wait(lot.time())
    return table


# ---- what a forger does; the last one knows how a hash is made ----


def changed(chance: Random, log: list[Record]) -> list[Record]:
    """One character, digit, or whole value of one record; its own hash is made anew as often as not."""
    place = chance.randrange(len(log))
    record = log[place]
    forged = chance.choice(_CHANGES)(record)
    if chance.random() < 0.5:
        forged = replace(forged, hash=_hash(log[place - 1].hash if place else codec.GENESIS, forged))
    return [*log[:place], forged, *log[place + 1 :]]


_CHANGES: tuple[Callable[[Record], Record], ...] = (
    lambda record: replace(record, at=record.at + 1),
    lambda record: replace(record, mail=hashlib.sha256(b"another").hexdigest()),
    lambda record: replace(record, mail=None if record.mail else "0" * 64),
    lambda record: replace(record, kind=record.kind + "s"),
    lambda record: replace(record, body=record.body.replace(":", ": ", 1)),
    lambda record: replace(record, body=record.body[:-1] + ',"more":1}'),
    lambda record: replace(record, body=record.body.replace("1", "2", 1).replace("e", "o", 1) + " "),
    lambda record: replace(record, hash=record.hash[::-1]),
)


def dropped(chance: Random, log: list[Record]) -> list[Record]:
    """One record, or some in a row; those that follow are numbered anew as often as not."""
    first = chance.randrange(len(log))
    rest = [*log[:first], *log[first + chance.choice((1, 1, 5)) :]]
    return _numbered(rest) if chance.random() < 0.5 else rest


def swapped(chance: Random, log: list[Record]) -> list[Record]:
    """Two records, neighbours as often as not; each gets the other's number."""
    one, other = sorted(chance.sample(range(len(log)), 2))
    if chance.random() < 0.5:
        one = other - 1
    mixed = list(log)
    mixed[one], mixed[other] = log[other], log[one]
    return _numbered(mixed)


def inserted(chance: Random, log: list[Record]) -> list[Record]:
    """A record of elsewhere in the log, with a hash that is right where it stands."""
    place = chance.randrange(len(log) + 1)
    forged = replace(chance.choice(log), seq=place + 1)
    forged = replace(forged, hash=_hash(log[place - 1].hash if place else codec.GENESIS, forged))
    return _numbered([*log[:place], forged, *log[place:]])


def _numbered(log: Sequence[Record]) -> list[Record]:
    return [replace(record, seq=seq) for seq, record in enumerate(log, 1)]


def _hash(before: str, record: Record) -> str:
    return codec.link(before, record.seq, record.at, record.mail, record.kind, record.body)


FORGERIES: tuple[Forgery, ...] = (changed, dropped, swapped, inserted)

# ---- how it is found ----


class Undone(Exception):
    """The forgery is taken back."""


def verdict(store: Store, log: Sequence[Record]) -> str | None:
    """What is found when these stand in the place of the records in the database."""
    before = {record.seq: record for record in _stored(store)}
    wanted = {record.seq: record for record in log}
    other = [seq for seq in before.keys() | wanted.keys() if before.get(seq) != wanted.get(seq)]
    found: str | None = None
    try:
        with store.transaction():
            store.write_many("DELETE FROM event WHERE game = 'kaffe' AND seq = ?", [(seq,) for seq in other])
            insert = (
                "INSERT INTO event (game, seq, at, mail, kind, body, hash) VALUES ('kaffe', ?, ?, ?, ?, ?, ?)"
            )
            store.write_many(insert, [astuple(wanted[seq]) for seq in other if seq in wanted])
            head = eventlog.head(store, "kaffe")
            found = reader.fault(tuple(eventlog.load(store, "kaffe")), head.seq, head.hash)
            raise Undone
    except Undone:
        return found


def _stored(store: Store) -> tuple[Record, ...]:
    with store.reading():
        return tuple(eventlog.load(store, "kaffe"))


def overlooked(store: Store, log: list[Record], edits: int) -> int:
    """How many of so many forgeries nobody finds."""
    chance, missed = Random(SEED), 0  # noqa: S311  # as above
    for number in range(edits):
        forge = FORGERIES[number % len(FORGERIES)]
        while (forged := forge(chance, log)) == log:
            """A hash that was turned round and then made anew, for one."""
        missed += verdict(store, forged) is None
    return missed


def stored(store: Store) -> Table:
    """A random game in the database."""
    table = played()
    with store.transaction():
        eventlog.create_game(store, "kaffe", at=0)
        eventlog.append(store, "kaffe", 0, table.log)
    return table


def test_every_forgery_is_found_and_the_state_is_rebuilt(store: Store, promise: Promise) -> None:
    table = stored(store)
    assert len(table.log) >= RECORDS
    edits = EDITS // 4 if store.postgres else EDITS
    promise.shows(faults=edits, accepted=overlooked(store, table.log, edits))
    assert verdict(store, table.log) is None
    assert replay(_stored(store)) == table.state


def test_of_this_test_a_chain_that_leaves_the_moment_out_is_seen(
    store: Store, promise: Promise, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = codec.link

    def timeless(previous: str, seq: int, at: int, mail: str | None, kind: str, body: str) -> str:
        return link(previous, seq, 0 * at, mail, kind, body)

    monkeypatch.setattr(codec, "link", timeless)
    table = stored(store)
    with promise.breaks("the hash of a record leaves its moment out"):
        promise.shows(faults=200, accepted=overlooked(store, table.log, 200))
