"""A game in a file, and whether a log is whole: `export`, `import`, `verify`.

What lives here: what these commands print. What never may: the shape of the file (service/exported.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from pbem.cli.app import Failure, Settings, main, progress_bar
from pbem.cli.keeping import force_option
from pbem.game.codec import Record
from pbem.service import backups, exported, exporting, reader
from pbem.service.exported import Exported
from pbem.store import eventlog, files
from pbem.store.eventlog import GameExists, Head


@main.command()
@click.argument("game")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--public", is_flag=True, help="The log alone, without people and mails: for anybody.")
@force_option
@click.pass_obj
def export(obj: Settings, game: str, file: Path, public: bool, force: bool) -> None:
    """Write GAME into FILE as JSON lines: its log, its mails to the byte, and who plays.

    The file is confidential, unless --public leaves all but the log out. Anybody can check it with `pbem verify`.

    \b
    Example: pbem export kaffe kaffe.jsonl
    """
    with obj.host() as host, progress_bar("exporting") as progress:
        found = exporting.export(host, game, file, progress, public=public, force=force)
    click.echo(_told(file, found))
    click.echo(f"{file} is {found.opening.note}.")


@main.command(name="import")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.pass_obj
def take_in(obj: Settings, file: Path) -> None:
    """Take the game of an exported FILE in, with its mails and people, after it is found whole.

    \b
    Example: pbem import kaffe.jsonl
    """
    with obj.host() as host, progress_bar("checking") as progress:
        try:
            found = exporting.take_in(host, file, progress)
        except GameExists as error:
            raise Failure(f"there is a game called {error} here already; nothing was changed") from error
    click.echo(_told(file, found))
    click.echo(f"{found.opening.game} is here. `pbem serve` goes on with it and publishes its pages.")


@main.command()
@click.argument("what", metavar="GAME|FILE")
@click.option("--event", type=(int, str), metavar="NUMBER HASH", help="An event's hash as it was told once.")
@click.pass_obj
def verify(obj: Settings, what: str, event: tuple[int, str] | None) -> None:
    """Replay the log of a game, compare with what is kept, and check the chain of hashes.

    Of a FILE (an export or a backup) the same, and every line, mail and page of it; that needs no settings.

    \b
    Examples:
      pbem verify kaffe
      pbem verify kaffe.jsonl
    """
    file = Path(what)
    with progress_bar("checking") as progress:
        if not file.is_file():
            head, records = _verified(obj, what)
            click.echo(backups.told(what, head))
        elif files.is_database(file):
            for game, end in backups.check(file, progress).games:
                click.echo(backups.told(game, end))
            records = ()
        else:
            found = exported.checked(file, progress)
            click.echo(_told(file, found))
            records = found.records
    if event is not None:
        _compare(records, *event)


def _compare(records: Sequence[Record], number: int, told: str) -> None:
    """Whether an event has the hash that somebody was told."""
    found = next((record.hash for record in records if record.seq == number), None)
    if found is None:
        raise Failure(f"there is no event {number} here to compare")
    if found != told.strip().lower():
        raise Failure(
            f"event {number} has the hash {found}, which is not the one told: what happened was changed"
        )
    click.echo(f"Event {number} has the hash that was told, so nothing up to it was changed since.")


def _verified(obj: Settings, game: str) -> tuple[Head, tuple[Record, ...]]:
    with obj.host() as host, host.store.reading():
        head = eventlog.head(host.store, game)
        records = tuple(eventlog.load(host.store, game))
    fault = reader.fault(records, head.seq, head.hash)
    if fault:
        raise Failure(f"{game}: {fault}")
    return head, records


def _told(file: Path, found: Exported) -> str:
    said = [backups.told(found.opening.game, found.head)]
    if not found.opening.public:
        erased = f", {found.erased} erased at their authors' wish" if found.erased else ""
        said.append(f"{found.mails} mail(s), each to the byte as the log names it{erased}.")
    if found.unseen and not found.opening.public:
        said.append(f"{found.unseen} mail(s) that the log names are not in {file}.")
    return "\n".join(said)
