"""The log of every game, and what hangs on it: when a game is next due, which pages are wanted, who may read them.

What lives here: games and their records. What never may: the meaning of a record, its hash, a clock. Records are
appended, never changed. Functions that write are called inside `Store.transaction`, the others inside any block of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import starmap
from typing import Literal, cast

from peewee import fn

from pbem.game.codec import GENESIS, Record
from pbem.store.db import Raced, Store
from pbem.store.tables import Game

Privacy = Literal["public", "unlisted", "private"]
"""Whether a game is published and in the index of games, published alone, or not published."""


PUBLISHING = 0x70626503
"""The matter (`Store.reserved`) of publishing a game."""


class GameExists(ValueError):
    """There is a game of that name already."""


class NoSuchGame(LookupError):
    """There is no game of that name."""


@dataclass(frozen=True, slots=True)
class Head:
    """The last record of a game's log: its number and hash; 0 and `GENESIS` before the first."""

    seq: int
    hash: str


@dataclass(frozen=True, slots=True)
class GameEntry:
    """A game as the store lists it: `created` and `due` (None: nothing awaits it) are UTC µs."""

    slug: str
    created: int
    head: Head
    due: int | None
    privacy: Privacy = "public"


@dataclass(frozen=True, slots=True)
class Listed:
    """A game as the index of games knows it: `line` is what it says of it ("" for a game in which nothing has happened since
    that is kept here), `shown` with what it was last written."""

    slug: str
    privacy: Privacy
    line: str
    shown: str


def create_game(store: Store, slug: str, at: int, privacy: Privacy = "public") -> None:
    """A new game with an empty log. Raises GameExists."""
    made = Game.insert(slug=slug, created=at, seq=0, hash=GENESIS, privacy=privacy).on_conflict_ignore()
    if not made.as_rowcount().execute(store.writer):
        raise GameExists(slug)


def games(store: Store) -> tuple[GameEntry, ...]:
    """All games, oldest first."""
    found = Game.select(Game.slug, Game.created, Game.seq, Game.hash, Game.due, Game.privacy)
    return tuple(
        GameEntry(slug, created, Head(seq, hash_), due, privacy)
        for slug, created, seq, hash_, due, privacy in found.order_by(Game.created, Game.slug)
        .tuples()
        .execute(store.db)
    )


def known(store: Store, *slugs: str) -> tuple[str, ...]:
    """Those of these names that games have, in the order given."""
    found = Game.select(Game.slug).where(Game.slug.in_(slugs))
    there = {slug for (slug,) in found.tuples().execute(store.db)}
    return tuple(slug for slug in slugs if slug in there)


def privacy(store: Store, slug: str) -> Privacy:
    """Who may read the pages of the game. Raises NoSuchGame."""
    for (found,) in store.rows("SELECT privacy FROM game WHERE slug = ?", slug):
        return cast(Privacy, found)
    raise NoSuchGame(slug)


def set_privacy(store: Store, slug: str, privacy: Privacy) -> None:
    """Who may read the pages of the game from now on; they are out of date. Raises NoSuchGame."""
    if not store.write("UPDATE game SET privacy = ? WHERE slug = ?", privacy, slug):
        raise NoSuchGame(slug)
    want_site(store, slug)


def head(store: Store, slug: str) -> Head:
    """Where the log of `slug` ends. Raises NoSuchGame."""
    for seq, hash_ in store.rows("SELECT seq, hash FROM game WHERE slug = ?", slug):
        return Head(seq, hash_)
    raise NoSuchGame(slug)


def head_before(store: Store, slug: str, at: int) -> Head:
    """Where the log of `slug` ended when the first record was not yet written that is as late as `at` (UTC µs)."""
    last = "SELECT seq, hash FROM event WHERE game = ? AND at < ? ORDER BY seq DESC LIMIT 1"
    return next((Head(*row) for row in store.rows(last, slug, at)), Head(0, GENESIS))


def append(store: Store, slug: str, expected_seq: int, records: Iterable[Record]) -> Head:
    """Write `records` after number `expected_seq`, the head they were decided on; returns the new head.

    Raises Raced, having written nothing, when the head is another by now or the numbers leave a gap.
    """
    written = tuple(records)
    if not written:
        return head(store, slug)
    new = Head(written[-1].seq, written[-1].hash)
    _move_head(store, slug, expected_seq, written, new)
    store.write_many(
        "INSERT INTO event (game, seq, at, mail, kind, body, hash) VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (slug, record.seq, record.at, record.mail, record.kind, record.body, record.hash)
            for record in written
        ],
    )
    return new


def _move_head(store: Store, slug: str, expected: int, records: tuple[Record, ...], new: Head) -> None:
    gapless = all(record.seq == seq for seq, record in enumerate(records, expected + 1))
    # On PostgreSQL this row is also the lock of the game: a second writer waits here, then matches nothing.
    moved = "UPDATE game SET seq = ?, hash = ? WHERE slug = ? AND seq = ?"
    if not gapless or not store.write(moved, new.seq, new.hash, slug, expected):
        raise Raced(f"{slug}: the log does not end at {expected}")


_TO_THE_END = 2**31 - 1


def load(store: Store, slug: str, after: int = 0, last: int = _TO_THE_END) -> Iterator[Record]:
    """The records of `slug` that follow number `after`, up to number `last`, in order; read them within the block."""
    wanted = "SELECT seq, at, mail, kind, body, hash FROM event WHERE game = ? AND seq > ? AND seq <= ? ORDER BY seq"
    return starmap(Record, store.rows(wanted, slug, after, last))


def moments(store: Store, slug: str, every: int) -> tuple[int, ...]:
    """When each record was written whose number is a multiple of `every` (UTC µs), in order."""
    wanted = "SELECT at FROM event WHERE game = ? AND seq % ? = 0 ORDER BY seq"
    return tuple(at for (at,) in store.rows(wanted, slug, every))


def moved_on(store: Store, slug: str, due: int | None, line: str) -> None:
    """Something has happened in the game: when it is next due (see `set_due`), and its line in the index of games. Its
    pages are out of date as of this transaction."""
    store.write("UPDATE game SET due = ?, line = ?, wanted = wanted + 1 WHERE slug = ?", due, line, slug)
    store.tell("site")


def set_due(store: Store, slug: str, due: int | None) -> None:
    """When time alone will next change something in the game (UTC µs; None: never)."""
    store.write("UPDATE game SET due = ? WHERE slug = ?", due, slug)


def due_games(store: Store, now: int) -> tuple[str, ...]:
    """The games whose moment has come, longest overdue first."""
    found = Game.select(Game.slug).where(Game.due <= now).order_by(Game.due, Game.slug)
    return tuple(slug for (slug,) in found.tuples().execute(store.db))


def next_due(store: Store) -> int | None:
    """The nearest moment at which a game is due (UTC µs), None when none is."""
    nearest: int | None = Game.select(fn.MIN(Game.due)).scalar(store.db)
    return nearest


def want_site(store: Store, slug: str) -> None:
    """The pages of the game are out of date as of this transaction."""
    store.write("UPDATE game SET wanted = wanted + 1 WHERE slug = ?", slug)
    store.tell("site")


def sites_to_publish(store: Store) -> tuple[tuple[str, int], ...]:
    """(slug, version wanted) of each game whose pages are out of date."""
    stale = Game.select(Game.slug, Game.wanted).where(Game.published < Game.wanted).order_by(Game.slug)
    return tuple(stale.tuples().execute(store.db))


def site_wanted(store: Store, slug: str) -> int | None:
    """The version wanted of the pages of a game; None when they are up to date."""
    wanted = store.rows("SELECT wanted FROM game WHERE slug = ? AND published < wanted", slug)
    return next((version for (version,) in wanted), None)


def index_is_stale(store: Store) -> bool:
    """Whether the index of games is to say something else of any game."""
    # The partial index is for a query that says so in these words.
    found = store.rows("SELECT 1 FROM game WHERE listed <> privacy || ' ' || line LIMIT 1")
    return any(True for _ in found)


def games_listed(store: Store) -> tuple[Listed, ...]:
    """All games, oldest first."""
    return tuple(
        starmap(Listed, store.rows("SELECT slug, privacy, line, listed FROM game ORDER BY created, slug"))
    )


def list_games(store: Store, shown: Iterable[Listed]) -> None:
    """The index of games now shows these as they were read."""
    now = ((f"{game.privacy} {game.line}", game) for game in shown)
    told = [(written, game.slug) for written, game in now if written != game.shown]
    store.write_many("UPDATE game SET listed = ? WHERE slug = ?", told)


def published(store: Store, slug: str, version: int) -> None:
    """The pages now show `version`, read before they were made; an older one changes nothing."""
    newer = (Game.slug == slug) & (Game.published < version)
    Game.update(published=version).where(newer).execute(store.writer)
