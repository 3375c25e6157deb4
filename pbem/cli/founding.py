"""`pbem init`, `pbem new` and `pbem privacy`: a host, a game on it, and who may read that."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

import click

from pbem.cli.app import Settings, at_option, main, now, open_host
from pbem.config import SAMPLE, load
from pbem.render import languages
from pbem.service.founding import Plan, found, parse_settings
from pbem.store import eventlog
from pbem.store.eventlog import Privacy

PERSON = re.compile(r"(?P<name>[^<>]*)<(?P<address>[^<>@\s]+@[^<>@\s]+)>|(?P<alone>[^<>@\s]+@[^<>@\s]+)")


PRIVACY = click.Choice(get_args(Privacy))


@main.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=".")
def init(folder: Path) -> None:
    """Write a commented pbem.toml and an empty database into FOLDER.

    \b
    Example: pbem init /srv/pbem
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "pbem.toml"
    if file.exists():
        raise click.UsageError(f"{file} is there already; change it, or name another folder")
    file.write_text(SAMPLE, "utf-8")
    with open_host(load(file, {})):
        pass
    click.echo(f"Wrote {file}, and the database and the host's secret (pbem.key) beside it.")
    click.echo("Set next, in pbem.toml:")
    click.echo("  [mail] address       where your players write")
    click.echo(
        "  [intake…]            how that mail reaches pbem: an IMAP mailbox, LMTP from your mail server, a Maildir"
    )
    click.echo("  [delivery.smtp]      the smart host that carries your mail")
    click.echo("  [identity]           whose Authentication-Results say that a From is genuine")
    click.echo("Then: pbem new GAME …, and pbem serve.")


@main.command()
@click.argument("game")
@click.option("--title", default="", help="What people call the game [default: its name].")
@click.option("--language", type=click.Choice(languages()), default="en", show_default=True)
@click.option("--ruleset", default="suber", show_default=True, help="A shipped set, or a file of your own.")
@click.option("--keeper", required=True, help="'Name <address>' or an address.")
@click.option("--player", "players", multiple=True, help="'Name <address>', one for each player.")
@click.option("--set", "settings", multiple=True, help="NAME=VALUE, a house rule such as 'cooling time=0'.")
@click.option(
    "--privacy",
    type=PRIVACY,
    default="public",
    show_default=True,
    help="Published; published, but in no index; or not published.",
)
@click.option("--start", is_flag=True, help="Start now: you vouch that all players have said yes.")
@at_option
@click.pass_obj
def new(
    obj: Settings,
    game: str,
    title: str,
    language: str,
    ruleset: str,
    keeper: str,
    players: tuple[str, ...],
    settings: tuple[str, ...],
    privacy: Privacy,
    start: bool,
    at: int | None,
) -> None:
    """Make a game. Its players are invited by mail, or seated at once with --start.

    \b
    Example:
      pbem new kaffe --title Kaffe --language sv --keeper 'Kim <kim@nomic.example>' \\
        --player 'Ann Alm <ann@home.example>' --player 'Bo Berg <bo@home.example>' \\
        --set 'cooling time=0' --start
    """
    plan = Plan(
        game=game,
        title=title or game,
        language=language,
        ruleset=ruleset,
        keeper=_person(keeper),
        players=tuple(map(_person, players)),
        house=parse_settings(settings),
        start=start,
        at=at if at is not None else now(),
        privacy=privacy,
    )
    with obj.host() as host:
        found(host, plan)
    click.echo(f"{game} has started." if start else f"{game} is made, and its players are invited.")
    click.echo("`pbem serve` (or `pbem send`) carries the mails.")
    if not start:
        click.echo(f"When they have joined: pbem do {game} start")


_BECOMES: Mapping[Privacy, str] = {
    "public": "is public: its pages are published, and in the index of games",
    "unlisted": "is unlisted: its pages are published, but no index of games or search engine leads to them",
    "private": "is private: nothing of it is published, and its mails and answers are for its people alone",
}


@main.command()
@click.argument("game")
@click.argument("privacy", type=PRIVACY, required=False)
@click.pass_obj
def privacy(obj: Settings, game: str, privacy: Privacy | None) -> None:
    """Tell who may read the pages of GAME, or change it: public, unlisted or private.

    The pages follow at the next publishing: within seconds where `pbem serve` runs, else by `pbem publish`.

    \b
    Example: pbem privacy kaffe private
    """
    with obj.host() as host, host.store.transaction():
        if privacy is not None:
            eventlog.set_privacy(host.store, game, privacy)
        found = eventlog.privacy(host.store, game)
    click.echo(f"{game} {_BECOMES[found]}.")


def _person(text: str) -> tuple[str, str]:
    """A name and an address; a bare address lends its local part as the name."""
    found = PERSON.fullmatch(text.strip())
    if found is None:
        raise click.UsageError(f"write a person as 'Name <name@example.org>': not {text!r}")
    address = (found["address"] or found["alone"]).lower()
    return " ".join((found["name"] or "").strip(' "').split()) or address.partition("@")[0], address
