"""`pbem do`: a command line as if mailed by the keeper or a player, from the host."""

from __future__ import annotations

import click

from pbem.cli.app import Settings, at_option, main, now
from pbem.game import regulation
from pbem.game.state import State
from pbem.mail.receipt import Line, receipt
from pbem.service import calendar, erasing, publishing, telling, worker
from pbem.service.books import Books, Host, open_books
from pbem.service.desk import Desk
from pbem.service.sender import Sender, sender_of
from pbem.service.writing import Writing
from pbem.store import people


@main.command(name="do")
@click.argument("game")
@click.option("--as", "name", default=None, help="The player who says it [default: the keeper].")
@at_option
@click.argument("command", nargs=-1, required=True)
@click.pass_obj
def do(obj: Settings, game: str, name: str | None, at: int | None, command: tuple[str, ...]) -> None:
    """Say COMMAND in GAME, as the keeper or as a player. Exit code 1 when it is refused or not understood.

    \b
    Examples:
      pbem do kaffe start
      pbem do kaffe --as 'Ann Alm' for 301
    """
    with obj.host() as host:
        text, done = _done(host, game, name, at if at is not None else now(), " ".join(command))
        publishing.publish_due(host)
        worker.send_all(host)
    click.echo(text.rstrip())
    if not done:
        raise click.exceptions.Exit(1)


def _done(host: Host, game: str, name: str | None, at: int, words: str) -> tuple[str, bool]:
    """The receipt in words, and whether everything was done."""
    with open_books(host) as books:
        calendar.advance(books, game, at)
        before = books.state(game)
        desk = Desk(books, game, _speaker(books, game, name), Writing(words, at))
        lines = desk.work()
        calendar.advance(books, game, at)
        telling.tell(books, at)
        text = _receipt(host, desk, lines, before)
        erased = erasing.erase(books)
    if erased:
        host.store.wipe()
    return text, all(line.refused is None and line.problem is None for line in lines)


def _receipt(host: Host, desk: Desk, lines: list[Line], before: State) -> str:
    notice = receipt(lines, before, desk.state, desk.player, "do")
    view = {**notice.view, "site": telling.site_of(host, desk.game)}
    return host.printer.text(notice.template, view, language=desk.language, zone=regulation.zone(desk.state))


def _speaker(books: Books, game: str, name: str | None) -> Sender:
    """The keeper, or the player of that name. Fails naming those there are."""
    state = books.state(game)
    readers = people.readers(books.host.store, game)
    if name is None:
        found = next((reader for reader in readers if reader.role == "keeper"), None)
    else:
        player = state.named(name)
        found = next((r for r in readers if r.role == "player" and player and r.player == player.id), None)
    if found is None:
        known = ", ".join(player.name for player in state.players.values()) or "nobody yet"
        raise click.UsageError(f"there is no player called {name!r} in {game}; players are: {known}")
    who = sender_of(books.host.store, found.address)
    return who if name is None else who.only("player")
