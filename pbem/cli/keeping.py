"""Keeping what a host has: backups, and bringing a database up to date.

What lives here: what these commands print. What never may: the copying (service/backups.py).
"""

from __future__ import annotations

from pathlib import Path

import click

from pbem.cli.app import Settings, main, now, progress_bar
from pbem.service import backups
from pbem.service.backups import Contents
from pbem.service.upgrading import bring_up_to_date
from pbem.store.db import open_store

force_option = click.option("--force", is_flag=True, help="Replace what is there already.")


@main.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@force_option
@click.pass_obj
def backup(obj: Settings, file: Path, force: bool) -> None:
    """Copy the database into FILE while the server goes on, and check the copy: its pages, and every game's chain.

    Players' addresses and mails are in it, so only you can read the file. Keep pbem.toml and pbem.key with it.

    \b
    Example: pbem backup /var/backups/pbem-monday.db --force
    """
    config = obj.load()
    with progress_bar("checking") as progress:
        contents = backups.backup(config, file, progress, force=force)
    _tell(contents)
    click.echo(
        f"{file} is whole. Not in it: {config.path.name} and {config.identity.key.name}; keep them with it."
    )


@main.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@force_option
@click.pass_obj
def restore(obj: Settings, file: Path, force: bool) -> None:
    """Check the backup FILE and put it in the place of the database in the settings. Stop the server first.

    A database that holds anything gives way only with --force, and is then kept beside the new one.

    \b
    Example: pbem restore /var/backups/pbem-monday.db --force
    """
    config = obj.load()
    with progress_bar("checking") as progress:
        contents, aside = backups.restore(config, file, now(), progress, force=force)
    _tell(contents)
    click.echo("The backup is in place. `pbem serve` goes on from there.")
    if aside is not None:
        click.echo(f"What was there before is kept as {aside}.")
    if not config.identity.key.exists():
        click.echo(
            f"Bring {config.identity.key.name} back too, to {config.identity.key}: without it replies to"
        )
        click.echo("mails that were sent before are asked about, since their secret addresses are not known.")


@main.command()
@click.option("--backed-up", is_flag=True, help="You vouch for a backup of your own (PostgreSQL).")
@click.pass_obj
def upgrade(obj: Settings, backed_up: bool) -> None:
    """Bring the database to the shape that this version of pbem wants, after a backup beside it.

    Every command does so by itself, but for PostgreSQL, whose backup is yours. Others that start meanwhile wait.

    \b
    Example: pbem upgrade
    """
    config = obj.load()
    store = open_store(config.database, config.path.parent)
    try:
        done = bring_up_to_date(config, store, now(), backed_up=backed_up)
    finally:
        store.close()
    if done.kept is not None:
        click.echo(f"The database as it was is kept as {done.kept}, which is whole.")
    click.echo(f"Applied {', '.join(done.names)}." if done.names else "The database is up to date.")


def _tell(contents: Contents) -> None:
    for game, head in contents.games:
        click.echo(backups.told(game, head))
    if not contents.games:
        click.echo("There is no game in it.")
