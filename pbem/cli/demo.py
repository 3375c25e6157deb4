"""`pbem demo`: the whole job on embedded parts."""

from __future__ import annotations

import socket
import sys
from contextlib import suppress
from pathlib import Path

import click

from pbem.cli.app import main, open_host
from pbem.cli.stopping import hold_stops, stop_now, wait_for_stop
from pbem.config import load
from pbem.service import demo, worker
from pbem.service.books import Books, Host

SMTP_PORT, WEB_PORT = 8025, 8080


@main.command(name="demo")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default="pbem-demo")
@click.option("--serve", is_flag=True, help="Keep the server and the pages up afterwards.")
def demo_(folder: Path, serve: bool) -> None:
    """Play a whole sample game: four scripted players, real mail, digests and pages in FOLDER.

    \b
    Example: pbem demo --serve
    """
    earlier = (folder / demo.DATABASE).is_file()
    try:
        settings = demo.make_room(folder, *(map(_free_port, (SMTP_PORT, WEB_PORT)) if serve else ()))
    except demo.NoRoom as error:
        raise click.UsageError(str(error)) from None
    if earlier:
        click.echo(f"The earlier demo in {folder} is replaced: nobody had written to it.")
    with open_host(load(settings, {})) as host:
        mails = demo.script()
        with click.progressbar(length=len(mails), label="Players are writing") as bar:
            demo.play(host, folder, mails, lambda: bar.update(1))
        _report(host, folder, len(mails))
        if serve:
            demo.begin_another(host)
            _serve(host, folder)


def _free_port(wanted: int) -> int:
    """The port wanted, or where another program has it any free one: a demo is no reason to stop that."""
    for port in (wanted, 0):
        with suppress(OSError), socket.create_server(("127.0.0.1", port)) as found:
            return int(found.getsockname()[1])
    return wanted


def _report(host: Host, folder: Path, sent: int) -> None:
    """What happened, and where to look."""
    with host.store.reading():
        state = Books(host).state(demo.GAME)
    winners = " and ".join(state.players[player].name for player in state.winners)
    received = sum(1 for _ in (folder / "mail").glob("*/new/*"))
    click.echo(
        f"A game of {state.turn} turns: {sent} mails from four players, {received} to them. {winners} won."
    )
    click.echo()
    click.echo("Look at:")
    click.echo(f"  {folder}/site/index.html                 the published site: open it in a browser")
    click.echo(f"  {folder}/site/{demo.GAME}/rules/index.html     the rulebook as it ended")
    click.echo(
        f"  {folder}/mail/Alice Ahlgren/new/         what one player got: receipts, ballot papers, digests"
    )
    click.echo(f"  {folder}/sent/                           what the players wrote")
    click.echo()
    click.echo(f"Ask it:  {sys.argv[0]} --config {folder}/pbem.toml show {demo.GAME}")
    click.echo(f"         {sys.argv[0]} --config {folder}/pbem.toml verify {demo.GAME}")


def _serve(host: Host, folder: Path) -> None:
    hold_stops()
    server = worker.Server(host, stop_now)
    server.start()
    assert server.listener is not None and server.preview is not None  # noqa: S101, PT018  # make_room set both
    click.echo()
    name, address = demo.PLAYERS["Alice"]
    click.echo(
        f"The pages are at {server.preview.url}; mail is taken on port {server.listener.port}. Ctrl-C stops."
    )
    click.echo(
        f"A second game, “{demo.ANOTHER}”, has just begun, and it is {name}’s turn. Write as {address}"
    )
    click.echo(f"to nomic+{demo.ANOTHER}@nomic.example, for instance from another terminal:")
    click.echo()
    click.echo(f"  {_a_mail(server.listener.port, name, address)}")
    click.echo()
    click.echo(f"The answer comes to {folder}/mail/{name}/new/")
    wait_for_stop()
    server.stop()


def _a_mail(port: int, name: str, address: str) -> str:
    """A command for a shell that sends a mail to the second game: smtplib is wherever this runs, curl is not."""
    game = f"nomic+{demo.ANOTHER}@nomic.example"
    mail = rf"From: {name} <{address}>\nTo: {game}\n\nhelp\n"
    return (
        f'python3 -c \'import smtplib; smtplib.SMTP("127.0.0.1", {port})'
        f'.sendmail("{address}", "{game}", "{mail}")\''
    )
