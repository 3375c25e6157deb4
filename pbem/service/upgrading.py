"""Bringing a host's database to the shape this version wants, with a backup of it as it was.

What lives here: that nothing is changed without a backup, and that one process does it while the others wait. What
never may: the changes (store/migrations).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pbem.config import Config
from pbem.service import backups
from pbem.service.notdone import NotDone
from pbem.store.db import WAIT, Store, StoreError, is_locked, sqlite_file
from pbem.store.upgrade import pending, upgrade


@dataclass(frozen=True, slots=True)
class Upgraded:
    """The names of what was applied, and where the database as it was before is kept (None: it was new)."""

    names: tuple[str, ...] = ()
    kept: Path | None = None


def bring_up_to_date(config: Config, store: Store, now: int, *, backed_up: bool = False) -> Upgraded:
    """Applies what is pending, after a backup. Other processes that start meanwhile wait, and find it done.

    PostgreSQL has a way of its own to be backed up, so the host must say that they have one (`backed_up`). `now` in
    UTC µs. Raises NotDone, and NewerDatabase.
    """
    if not pending(store):
        return Upgraded()
    kept: list[Path] = []

    def before(names: tuple[str, ...]) -> None:
        kept.extend(_kept(config, names[-1], backed_up=backed_up))

    try:
        names = upgrade(store, now, before=before)
    except StoreError as error:
        if not is_locked(error):
            raise
        raise NotDone(
            f"another process has been upgrading the database, or writing, for {WAIT} seconds:"
            " try again when it has ended"
        ) from error
    return Upgraded(names, next(iter(kept), None))


def _kept(config: Config, last: str, *, backed_up: bool) -> tuple[Path, ...]:
    """The backup, named after the last change that is to come."""
    database = sqlite_file(config.database, config.path.parent)
    if database is not None:
        file = database.with_name(f"{database.name}.before-{last}")
        backups.backup(config, file, lambda *_: None, force=True)
        return (file,)
    if not backed_up:
        raise NotDone(
            "the database must be brought up to date, and pbem makes no backup of PostgreSQL's:"
            f" `{backups.PG_DUMP}`, then `pbem upgrade --backed-up`"
        )
    return ()
