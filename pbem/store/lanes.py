"""Which of the mails that wait a worker takes: those of some games, with no other worker at these games; or any, alone.

What lives here: lanes, and the locks by which several workers on PostgreSQL keep the order of arrival. What never may: the
choice of a mail's lane (service/lanes.py). A mail's lane is the game that it is for, "" when that is not certain.

The law. Whoever works off mails of a lane holds the row of its game, and the inbox in common with others who do; so
in each game the order is that of arrival, and games go on side by side. A mail of no lane may concern any game: it
is worked off by a worker who is alone at the inbox, when all that came before it is done, and nothing that came after it
is begun before. A worker who dies lets go at once of what it held, with its transaction. On SQLite, where one writes at a
time, whoever writes is alone, and lanes are not asked for.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from pbem.store import queues
from pbem.store.db import Store
from pbem.store.queues import READING_INBOX, InboxMail

ENOUGH = 20
"""Mails for which a worker takes games: the rest is for others."""
WINDOW = 100
"""Mails looked at for games that are free."""

# Others may refer to the key of such a row meanwhile: a seat does.
_AWAITED = (
    "SELECT slug FROM game WHERE slug = ANY(?) ORDER BY array_position(?, slug) LIMIT ? FOR NO KEY UPDATE"
)
_FREE = f"{_AWAITED} SKIP LOCKED"


@dataclass(frozen=True, slots=True)
class Claim:
    """Mails of this transaction's own, in order of arrival, and the games that it holds, None if it is alone with all. There
    may be no mail left in it though others wait: another worker was first."""

    games: frozenset[str] | None
    mails: tuple[InboxMail, ...]


def claim(store: Store, now: int, limit: int) -> Claim | None:
    """Up to `limit` mails to be worked off now; None when none waits. Each is then given to `queues.finish`, `queues.hold`,
    `queues.fail` or `relane` in this transaction."""
    if not store.postgres:
        mails = queues.claim_new(store, now, limit)
        return Claim(None, mails) if mails else None
    front = _front(store, now)
    if front is None:
        return None
    return _alone(store, now, limit) if front == "" else _beside_others(store, now, limit)


def relane(store: Store, mail: int) -> None:
    """The mail turned out to concern more than its lane: it waits until a worker is alone."""
    store.write("UPDATE inbox SET lane = '' WHERE id = ?", mail)


def has_copies(store: Store, letter: str | None, mail: int) -> bool:
    """Whether another mail with this author and Message-ID waits, whose lane may be another one."""
    found = store.rows(
        "SELECT id FROM inbox WHERE letter = ? AND id <> ? AND state IN ('new', 'failed')", letter, mail
    )
    return any(True for _ in found)


def _front(store: Store, now: int) -> str | None:
    """The lane of the first mail that waits; None when none does."""
    return next((lane for _, _, lane in _waiting(store, now, 1, None, ())), None)


def _alone(store: Store, now: int, limit: int) -> Claim:
    """The mails of no lane that stand at the front, or the first mail: whoever is alone may do that one too."""
    store.alone(READING_INBOX)
    found = list(_waiting(store, now, limit, None, ()))
    leading = list(itertools.takewhile(lambda row: row[2] == "", found)) or found[:1]
    return Claim(None, queues.opened(store, ((number, size) for number, size, _ in leading)))


def _beside_others(store: Store, now: int, limit: int) -> Claim:
    """Mails of games that nobody else is at, none of which came after the first mail of no lane."""
    store.beside(READING_INBOX)
    before = _barrier(store, now)
    games = _taken(store, now, before)
    if not games:
        return Claim(frozenset(), ())
    # Only now: whoever held one of them may have worked off what was there before.
    found = store.rows(
        "SELECT id, LENGTH(content) FROM inbox WHERE state IN ('new', 'failed') AND due <= ? AND lane = ANY(?)"
        " AND (received, id) < (?, ?) ORDER BY received, id LIMIT ?",
        *(now, list(games), *before, limit),
    )
    return Claim(games, queues.opened(store, found))


def _barrier(store: Store, now: int) -> tuple[int, int]:
    """When the first mail of no lane came, and its number; beyond all when there is none."""
    first = store.rows(
        "SELECT received, id FROM inbox WHERE state IN ('new', 'failed') AND due <= ? AND lane = ''"
        " ORDER BY received, id LIMIT 1",
        now,
    )
    return next(((received, number) for received, number in first), (2**63 - 1, 0))


def _taken(store: Store, now: int, before: tuple[int, int]) -> frozenset[str]:
    """Games with mails that wait, taken for this transaction: those whose mails came first and that are free. When none
    is, the first, as soon as whoever is at it has done."""
    passed: list[str] = []
    while lanes := Counter(lane for _, _, lane in _waiting(store, now, WINDOW, before, passed)):
        wanted = _enough(lanes)
        if taken := _locked(store, _FREE, list(lanes), wanted):
            return taken
        passed += lanes
    return _locked(store, _AWAITED, passed[:1], 1)


def _enough(lanes: Counter[str]) -> int:
    """How many of these games have mails enough for one worker."""
    sums = itertools.accumulate(lanes.values())
    return 1 + sum(total < ENOUGH for total in sums)


def _locked(store: Store, how: str, games: list[str], count: int) -> frozenset[str]:
    """The rows of so many of the games, in the order given."""
    return frozenset(slug for (slug,) in store.rows(how, games, games, count))


def _waiting(
    store: Store, now: int, limit: int, before: tuple[int, int] | None, passed: Collection[str]
) -> list[tuple[int, int, str]]:
    """The first mails that wait and came `before` that one, less those of some games: number, bytes and lane."""
    found = store.rows(
        "SELECT id, LENGTH(content), lane FROM inbox WHERE state IN ('new', 'failed') AND due <= ?"
        " AND (received, id) < (?, ?) AND lane <> ALL(?) ORDER BY received, id LIMIT ?",
        *(now, *(before or (2**63 - 1, 0)), list(passed), limit),
    )
    return list(found)
