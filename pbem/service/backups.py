"""A host's database as one file that is known to be whole: made while the server writes, and put back.

What lives here: what is checked of a backup, and what is not overwritten. What never may: a SQL word; or a backup that
has its name before it has been looked through.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from pbem.config import Config
from pbem.progress import Progress
from pbem.service import reader
from pbem.service.notdone import NotDone
from pbem.store import eventlog, files, queues
from pbem.store.db import Store, StoreError, open_store, sqlite_file
from pbem.store.eventlog import Head
from pbem.store.upgrade import NewerDatabase, pending

PG_DUMP: Final = "pg_dump --format=custom --file=FILE DATABASE"
_POSTGRES: Final = (
    f"the database is PostgreSQL's, which has its own way: `{PG_DUMP}` makes a backup while the server runs, and"
    " `pg_restore --clean --dbname=DATABASE FILE` brings it back; `pbem verify GAME` then checks each game"
)


@dataclass(frozen=True, slots=True)
class Contents:
    """What a backup holds: each game with the end of its log, and how many mails were taken in."""

    games: tuple[tuple[str, Head], ...]
    mails: int

    def __bool__(self) -> bool:
        """Whether there is anything in it."""
        return bool(self.games or self.mails)


def backup(config: Config, file: Path, progress: Progress, *, force: bool = False) -> Contents:
    """A copy of the database as `file`, looked through before it has that name. Others go on writing.

    What stands there already is replaced by force alone. Raises NotDone.
    """
    database = _database(config)
    if not database.exists():
        raise NotDone(f"there is no database at {database} to back up; `pbem init` makes one")
    if file.exists() and file.samefile(database):
        raise NotDone(f"{file} is the database itself: name another file for the backup")
    if file.exists() and not force:
        raise NotDone(f"{file} is there already: name another file, or replace it with --force")
    with _aside(file) as copy:
        store = open_store(config.database, config.path.parent)
        files.copy(store, copy)
        contents = check(copy, progress)
        copy.replace(file)
    files.sync(file.parent)
    return contents


def check(file: Path, progress: Progress) -> Contents:
    """What a backup holds, once its pages, references and each game's chain are found whole. Raises NotDone."""
    if not files.is_database(file):
        raise NotDone(f"{file} is no SQLite database, so no backup made by `pbem backup`")
    store = files.open_copy(file)
    try:
        with store.reading():
            return _checked(store, file, progress)
    except NewerDatabase as error:
        raise NotDone(f"{file} is of a later version of pbem ({error}): install that one first") from error
    except StoreError as error:
        raise NotDone(
            f"{file} cannot be read as a database of pbem ({error}): take an older backup"
        ) from error


def _checked(store: Store, file: Path, progress: Progress) -> Contents:
    if found := files.damage(store):
        raise NotDone(f"{file} is damaged ({found}): take an older backup")
    pending(store)
    games = eventlog.games(store)
    for done, game in enumerate(games):
        progress(done, len(games))
        if fault := reader.fault(tuple(eventlog.load(store, game.slug)), game.head.seq, game.head.hash):
            raise NotDone(f"{file}: {game.slug}: {fault}; take an older backup")
    progress(len(games), len(games))
    return _contents(store)


def _contents(store: Store) -> Contents:
    heads = tuple((game.slug, game.head) for game in eventlog.games(store))
    return Contents(heads, sum(queues.inbox_counts(store).values()))


def restore(
    config: Config, file: Path, now: int, progress: Progress, *, force: bool = False
) -> tuple[Contents, Path | None]:
    """Puts a backup in the place of the database; returns what it holds, and where what was there is kept (None: there
    was nothing).

    A database with anything in it gives way by force alone, and none that is in use. `now` in UTC µs. Raises NotDone.
    """
    database = _database(config)
    if database.exists() and file.samefile(database):
        raise NotDone(f"{file} is the database itself; name a backup of it")
    if not force and (there := _holds(database)):
        raise NotDone(
            f"{database} {there}: --force puts the backup in its place, and keeps that one beside it"
        )
    with _aside(database) as copy:
        shutil.copyfile(file, copy)
        files.sync(copy)
        contents = check(copy, progress)
        return contents, _put(copy, database, now)


def _put(copy: Path, database: Path, now: int) -> Path | None:
    if not database.exists():
        copy.replace(database)
        files.sync(database.parent)
        return None
    aside = database.with_name(f"{database.name}.replaced-{stamp(now)}")
    try:
        files.replace(database, copy, aside)
    except files.InUse:
        raise NotDone(f"{database} is in use: stop `pbem serve` and other commands first") from None
    return aside


def _holds(database: Path) -> str:
    """What a database that must not be lost holds, in words; "" for none, or one in which nothing is."""
    if not database.exists() or not database.stat().st_size:
        return ""
    store = files.open_copy(database)
    try:
        with store.reading():
            held = _contents(store)
    except StoreError:
        return "is there already, though it cannot be read"
    return f"holds {len(held.games)} game(s) and {held.mails} mail(s)" if held else ""


def _database(config: Config) -> Path:
    found = sqlite_file(config.database, config.path.parent)
    if found is None:
        raise NotDone(_POSTGRES)
    return found


@contextmanager
def _aside(file: Path) -> Iterator[Path]:
    """An empty file for its owner alone, in the folder of `file`; gone afterwards unless it was given a name."""
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")  # mode 0600
    os.close(handle)
    try:
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


def stamp(now: int) -> str:
    """A moment (UTC µs) as part of a file's name."""
    return datetime.fromtimestamp(now / 1e6, UTC).strftime("%Y%m%dT%H%M%SZ")


def told(game: str, head: Head) -> str:
    """That a game's log was found whole, in a line."""
    return f"{game}: {head.seq} events, every link of the chain holds, head {head.hash}."
