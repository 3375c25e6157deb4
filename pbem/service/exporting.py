"""A game carried from one host to another: everything of it into a file, and out of one.

What lives here: what goes into the file and what does not, and the one transaction that takes a game in. What never may:
the shape of a line (exported.py). A secret of the host is never written: tokens that stand in mails are worth nothing
without its key.
"""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Final

from pbem.game import views
from pbem.game.fold import replay
from pbem.progress import Progress
from pbem.service import exported
from pbem.service.books import Books, Host, moved_on
from pbem.service.exported import Exported, Writer
from pbem.service.founding import GAME_NAME
from pbem.service.notdone import NotDone
from pbem.store import carried, eventlog, people
from pbem.store.db import Store

CONFIDENTIAL: Final = (
    "confidential: addresses of people, their mails to the byte, with the secret reply addresses in them,"
    " and the ballots of running votes"
)
PUBLIC: Final = "public: the log alone; no address and no mail"
_ALL: Final = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC


def export(host: Host, game: str, file: Path, progress: Progress, *, public: bool, force: bool) -> Exported:
    """Writes a game into a file, looked through afterwards; returns what it holds.

    `public` leaves out people and mails, and is refused while a hidden vote runs. Raises NotDone and NoSuchGame.
    """
    if file.exists() and not force:
        raise NotDone(f"{file} is there already: name another file, or replace it with --force")
    part = file.with_name(f".{file.name}.part")
    part.unlink(missing_ok=True)
    mode = 0o644 if public else 0o600
    try:
        with os.fdopen(os.open(part, _ALL | os.O_EXCL, mode), "wb") as out, host.store.reading():
            _write(host, game, Writer(out.write), progress, public=public)
            out.flush()
            os.fsync(out.fileno())
        found = exported.checked(part, lambda *_: None)
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)
    return found


def _write(host: Host, game: str, writer: Writer, progress: Progress, *, public: bool) -> None:
    store, state = host.store, Books(host).state(game)
    entry = next(each for each in eventlog.games(store) if each.slug == game)
    if public and (hidden := views.hidden_votes(state)):
        votes = ", ".join(map(str, sorted(hidden)))
        raise NotDone(f"ballots of the running vote on {votes} would be told: export when it has closed")
    opening = exported.Opening(
        format=exported.FORMAT,
        game=game,
        created=entry.created,
        events=entry.head.seq,
        hash=entry.head.hash,
        public=public,
        note=PUBLIC if public else CONFIDENTIAL,
        privacy=entry.privacy,
    )
    writer.line("export", **dataclasses.asdict(opening))
    for record in eventlog.load(store, game):
        progress(record.seq, entry.head.seq)
        writer.line("event", **exported.record_line(record))
    if not public:
        _write_people(store, game, writer)
    writer.line("end", lines=writer.lines)


def _write_people(store: Store, game: str, writer: Writer) -> None:
    for mail in carried.mails(store, game):
        writer.line("mail", **exported.mail_line(mail))
    for member in carried.members(store, game):
        writer.line("person", **dataclasses.asdict(member))
    for invitation in people.invitations(store, game):
        values = dataclasses.asdict(invitation)
        del values["game"]
        writer.line("invitation", **values)


def take_in(host: Host, file: Path, progress: Progress) -> Exported:
    """Takes the game of a file in, looked through first, in one transaction; returns what the file holds.

    Raises NotDone, and GameExists when a game of that name is here.
    """
    found = exported.checked(file, progress)
    game = found.opening.game
    if found.opening.public:
        raise NotDone(
            f"{file} is a public export, without the people of the game: it can be verified, not played"
        )
    if not GAME_NAME.fullmatch(game):
        raise NotDone(f"{file} is of a game called {game!r}, which is no name for one")
    with host.store.transaction():
        eventlog.create_game(host.store, game, found.opening.created, found.opening.privacy)
        eventlog.append(host.store, game, 0, found.records)
        _take_people(host.store, game, file, found)
        moved_on(host.store, game, replay(found.records))
    return found


def _take_people(store: Store, game: str, file: Path, found: Exported) -> None:
    for number, line in exported.lines(file, lambda *_: None):
        if line["kind"] == "mail":
            try:
                carried.take_mail(store, exported.mail_of(line))
            except (KeyError, TypeError, ValueError) as error:
                raise NotDone(f"{file} line {number} was changed just now ({error})") from error
    for member in found.members:
        carried.seat(store, game, member)
    for invitation in found.invitations:
        people.invite(store, invitation)
