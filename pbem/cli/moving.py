"""A host that has outgrown its database: `migrate-store`.

What lives here: what the command prints. What never may: the copying (service/moving.py).
"""

from __future__ import annotations

import click

from pbem.cli.app import Settings, main, now, progress_bar
from pbem.service import backups, moving


@main.command("migrate-store")
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@click.pass_obj
def migrate_store(obj: Settings, source: str, target: str) -> None:
    """Copy everything from the database FROM into the empty database TO, and check each game's chain there.

    They are named as in the settings: sqlite:///FILE or postgresql://HOST/NAME. Stop the server first; what is left stays as
    it was.

    \b
    Example: pbem migrate-store sqlite:///pbem.db postgresql:///pbem?host=/run/postgresql
    """
    with progress_bar("moving") as progress:
        moved = moving.move(source, target, obj.path.parent, now(), progress)
    for game, head in moved.heads.items():
        click.echo(backups.told(game, head))
    click.echo(
        f"{sum(moved.rows.values())} row(s) are there, {moved.rows['inbox']} mail(s) taken in among them."
    )
    click.echo(f'Now write `database = "…"` with the new address in {obj.path.name}, and start the server.')
