"""Looking a host over: settings, database, disk, secrets, folders, clock. The mail servers are in doctor_mail.py.

What lives here: looks that need this machine alone. What never may: a change; a host that is looked at stays as it was.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from pbem.config import Config
from pbem.mail.tokens import hide
from pbem.service import doctor_mail
from pbem.service.findings import Finding, Look, note, ok, private, wanting
from pbem.service.keys import BadKeys, host_keys
from pbem.service.room import in_words, room
from pbem.store import eventlog, files, postmaster
from pbem.store.db import Store, StoreError, open_store, sqlite_file, sqlite_version
from pbem.store.upgrade import NewerDatabase, pending

SAFE_SQLITE: Final = (3, 51, 3)
"""The first version without the fault that damages a file in WAL mode."""
MOST_SKEW: Final = 5.0
"""Seconds that the clock of the disk may differ from ours."""


def examine(config: Config) -> Iterator[Finding]:
    """Everything that can be looked at, in the order in which it is needed."""
    for look in LOOKS:
        try:
            yield from look(config)
        except Exception as error:  # one look that fails keeps no other from being taken
            name = look.__name__.strip("_").replace("_", " ")
            yield wanting(name, f"could not be looked at ({type(error).__name__}: {error})", "see the words")


def _settings(config: Config) -> Iterator[Finding]:
    yield ok("settings", f"{config.path} can be used")
    if (
        "@" in config.database.partition("://")[2]
        and ":" in config.database.partition("://")[2].partition("@")[0]
    ):
        yield from private("settings", config.path)
    if config.mail.domain.endswith(".example"):
        cure = "set [mail] address to where your players write"
        yield note("address", f"{config.mail.address} is the sample's, which no mail can reach", cure)
    else:
        yield ok("address", f"players write to {config.mail.address}")
    yield _proof(config)
    yield _operator(config)


def _operator(config: Config) -> Finding:
    address = config.mail.operator
    if address is None:
        says = (
            "nobody is told by mail of what is the host's to see to, such as a full disk or a mail set aside"
        )
        return note("operator", says, "set [mail] operator to your own address")
    if address.endswith(".example"):
        return note("operator", f"{address} is a sample's, which no mail can reach", "set [mail] operator")
    return ok("operator", f"what is the host's to see to is mailed to {address}")


def _proof(config: Config) -> Finding:
    if config.identity.believe_from:
        says = "From is believed, so anybody who can send mail here can vote for anybody"
        return note("identity", says, "set [identity] believe_from = false, unless this host is closed")
    if not config.identity.trusted_receivers:
        says = "no mail server's word on who wrote a mail counts, so much will be asked about"
        return note("identity", says, "name your mail server in [identity] trusted_receivers")
    return ok("identity", f"{', '.join(config.identity.trusted_receivers)} says whether a From is genuine")


def _database(config: Config) -> Iterator[Finding]:
    file = sqlite_file(config.database, config.path.parent)
    if file is not None:
        yield from _file(file)
        if not file.exists():
            yield wanting(
                "database",
                f"there is none at {file}",
                "`pbem init` makes one, `pbem restore` brings one back",
            )
            return
    store = open_store(config.database, config.path.parent) if file is None else files.open_copy(file)
    try:
        with store.reading():
            yield _whole(store, file)
            yield from _shape(store, config.mail.operator)
    except StoreError as error:
        yield wanting("database", f"it cannot be read ({error})", "start it, or `pbem restore` a backup")
    finally:
        store.close()


def _file(file: Path) -> Iterator[Finding]:
    yield _version()
    yield from private("database", file)
    if file.exists() and file.stat().st_uid != os.geteuid():
        yield note(
            "user", f"{file} belongs to another user than this command's", "run pbem as that user only"
        )
    folder = file.parent
    if not os.access(folder, os.W_OK | os.X_OK):
        yield wanting(
            "database", f"nothing can be written in {folder}", f"give {folder} to the user pbem runs as"
        )
    elif folder.is_dir():
        yield _room(file)


def _version() -> Finding:
    version = tuple(int(part) for part in sqlite_version().split("."))
    if version < SAFE_SQLITE:
        return wanting("sqlite", f"{sqlite_version()} can damage a database", "install apsw 3.51.3 or later")
    return ok("sqlite", f"version {sqlite_version()}")


def _room(file: Path) -> Finding:
    there = room(file)
    says = f"{in_words(there.free)} free on the disk of a database of {in_words(there.size)}"
    if there.is_short:
        return wanting("disk", says, f"make room for {in_words(there.needed)}: a backup needs as much again")
    return ok("disk", says)


def _whole(store: Store, file: Path | None) -> Finding:
    if file is None:
        ((version,),) = store.rows("SHOW server_version")
        return ok("database", f"PostgreSQL {version}; back it up with pg_dump")
    if found := files.damage(store):
        return wanting("database", f"{file} is damaged ({found})", "`pbem restore` the last backup")
    mode = files.journal_mode(store)
    return ok(
        "database", f"{file} is whole{'' if mode == 'wal' else '; WAL is switched on at the next start'}"
    )


def _shape(store: Store, operator: str | None) -> Iterator[Finding]:
    try:
        todo = pending(store)
    except NewerDatabase as error:
        yield wanting("version", f"the database is of a later version of pbem ({error})", "install that one")
        return
    if todo:
        yield note(
            "version", f"the database waits for {', '.join(todo)}", "`pbem upgrade` backs it up and does it"
        )
        return
    yield from _clock(store)
    yield from _refused(store, operator)


def _refused(store: Store, operator: str | None) -> Iterator[Finding]:
    """The host's own address must take our mails."""
    gone = [
        mail for mail in postmaster.outgoing(store) if (mail.recipient, mail.state) == (operator, "given up")
    ]
    for mail in gone[-1:]:
        says = f"a mail to {operator} was refused for good ({hide(mail.error or '')})"
        yield wanting("operator", says, f"set another [mail] operator, or `pbem retry out{mail.id}`")


def _clock(store: Store) -> Iterator[Finding]:
    """The newest event cannot lie in the future."""
    games = eventlog.games(store)
    ends = [record.at for game in games for record in eventlog.load(store, game.slug, game.head.seq - 1)]
    newest, now = max(ends, default=0), time.time_ns() // 1000
    if newest > now:
        says = f"it is {_moment(now)}, and the newest event is of {_moment(newest)}"
        yield wanting("clock", says, "set the clock (timedatectl): deadlines wait for it")
    else:
        yield ok("clock", f"it is {_moment(now)}, after the newest event")


def _disk_clock(config: Config) -> Iterator[Finding]:
    with tempfile.NamedTemporaryFile(dir=config.path.parent) as probe:
        skew = abs(Path(probe.name).stat().st_mtime - time.time())
    if skew > MOST_SKEW:
        says = f"the disk's clock differs from this machine's by {skew:.0f} s"
        yield wanting("clock", says, "set both by NTP: a Maildir's times are the disk's")


def _secrets(config: Config) -> Iterator[Finding]:
    key = config.identity.key
    if not key.exists() and not key.is_symlink():
        yield note(
            "key", f"{key} is not there yet", "it is made at the first start; bring it back if you had one"
        )
        return
    try:
        host_keys(key)
        yield ok("key", f"{key} is there, for its owner alone")
    except BadKeys as error:
        says, _, cure = str(error).rpartition(": ")
        yield wanting("key", says or cure, cure if says else "bring it back from your backup")


def _site(config: Config) -> Iterator[Finding]:
    folder = config.site.folder
    yield folder_found("site", folder)
    if not config.site.url:
        yield note("site", "mails have no link to the pages", "set [site] url")
    if config.site.after:
        yield _after(config.site.after[0])


def _after(program: str) -> Finding:
    found = shutil.which(program)
    if found is None:
        return wanting("after", f"{program} is no program here", "install it, or change [site] after")
    return ok("after", f"{found} is run after publishing")


def folder_found(what: str, folder: Path) -> Finding:
    """Whether we can write in a folder, or make it."""
    there = next(place for place in (folder, *folder.parents) if place.exists())
    if there.is_dir() and os.access(there, os.W_OK | os.X_OK):
        return ok(what, f"{folder} can be written in{'' if there == folder else ', once it is made'}")
    return wanting(what, f"nothing can be written in {there}", f"give {there} to the user pbem runs as")


def _delivery_and_intake(config: Config) -> Iterator[Finding]:
    yield from doctor_mail.looks(config, folder_found)


def _moment(at: int) -> str:
    return datetime.fromtimestamp(at / 1e6, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


LOOKS: Final[tuple[Look, ...]] = (_settings, _secrets, _database, _disk_clock, _delivery_and_intake, _site)
