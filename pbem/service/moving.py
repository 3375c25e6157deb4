"""A host moved to another database: from SQLite to PostgreSQL when it is outgrown, or back.

What lives here: that nothing is moved from or to where it must not be, and that what has arrived is what was there. What
never may: a change in the database that is left, which stays as it was.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pbem.progress import Progress
from pbem.service import reader
from pbem.service.notdone import NotDone
from pbem.store import eventlog, moving
from pbem.store.db import Store, open_store, sqlite_file
from pbem.store.upgrade import pending, upgrade


@dataclass(frozen=True, slots=True)
class Moved:
    """How many rows of each table have arrived, and the end of each game's log."""

    rows: dict[str, int]
    heads: dict[str, eventlog.Head]


def move(source: str, target: str, folder: Path, now: int, progress: Progress) -> Moved:
    """Moves everything from one address of a database to another; files are looked for in `folder`. All or nothing of it;
    `progress` is told of rows. `now` in UTC µs. Raises NotDone."""
    file = sqlite_file(source, folder)
    if file is not None and not file.is_file():
        raise NotDone(f"there is no database at {file} to move")
    left, entered = _open(source, folder), _open(target, folder)
    try:
        with left.connected(), entered.connected():
            if pending(left):
                raise NotDone(
                    "the database to move is of an earlier version: `pbem upgrade` brings it up to date"
                )
            upgrade(entered, now)
            # While SQLite is read nobody writes into it; PostgreSQL shows one moment of itself.
            with left.reading() if left.postgres else left.transaction(), entered.transaction():
                return _carry(left, entered, progress)
    finally:
        left.close()
        entered.close()


def _open(url: str, folder: Path) -> Store:
    try:
        return open_store(url, folder)
    except ValueError as error:
        raise NotDone(str(error)) from error


def _carry(left: Store, entered: Store, progress: Progress) -> Moved:
    if full := [name for name, count in moving.counts(entered).items() if count]:
        raise NotDone(
            f"the database to move into is not empty ({', '.join(full)}); nothing was changed in it"
        )
    there = moving.counts(left)
    done, of = 0, sum(there.values())
    for rows in moving.copy(left, entered):
        done += rows
        progress(done, of)
    if (arrived := moving.counts(entered)) != there:
        wanting = ", ".join(name for name in there if there[name] != arrived[name])
        raise NotDone(f"not every row has arrived ({wanting}); nothing was kept of it")
    return Moved(arrived, _whole(entered))


def _whole(store: Store) -> dict[str, eventlog.Head]:
    """The end of each log, each of whose records must be the one that follows. Raises NotDone."""
    heads = {}
    for game in eventlog.games(store):
        head = heads[game.slug] = game.head
        if fault := reader.fault(tuple(eventlog.load(store, game.slug)), head.seq, head.hash):
            raise NotDone(f"{game.slug}: {fault}; nothing was kept of what was moved")
    return heads
