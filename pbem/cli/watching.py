"""Watching a host: `doctor` before it is relied on, `health` while it runs.

What lives here: what these commands print, and their exit codes. What never may: a look (service/doctor.py).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import click

from pbem.cli.app import Settings, json_option, main, now
from pbem.config import ConfigError
from pbem.service import doctor as looking
from pbem.service import health as keeping_up
from pbem.service.findings import Finding, wanting

_COLOURS = {"ok": "green", "note": "yellow", "wanting": "red"}


@main.command()
@json_option
@click.pass_obj
def doctor(obj: Settings, as_json: bool) -> None:
    """Try settings, database, disk, secrets, clock, folders, and each login at a mail server; say what to do.

    Nothing is changed, taken or sent. Exit code 1 when something is wanting.

    \b
    Example: pbem doctor
    """
    try:
        findings = list(looking.examine(obj.load()))
    except ConfigError as error:
        findings = [wanting("settings", fault, f"change {obj.path}") for fault in error.faults]
    well = all(finding.state != "wanting" for finding in findings)
    if as_json:
        shown = {"ok": well, "findings": [asdict(finding) for finding in findings]}
        click.echo(json.dumps(shown, ensure_ascii=False, indent=1))
    else:
        _show(findings)
    if not well:
        raise click.exceptions.Exit(1)


def _show(findings: Sequence[Finding]) -> None:
    width = max(len(finding.what) for finding in findings)
    for finding in findings:
        mark = click.style(f"{finding.state:7}", fg=_COLOURS[finding.state])
        cure = f". Cure: {finding.cure}" if finding.cure else ""
        click.echo(f"{mark}  {finding.what:{width}}  {finding.says}{cure}")


@main.command()
@json_option
@click.pass_obj
def health(obj: Settings, as_json: bool) -> None:
    """Tell what waits and since when, when each part last did its round, and how each game's log ends.

    Exit code 1 when something is late or wrong, with a sentence for each: made for a monitor.

    \b
    Example: pbem health --json
    """
    with obj.host() as host:
        found = keeping_up.health(host, now())
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False, indent=1))
    else:
        _show_health(found)
    if not found["ok"]:
        raise click.exceptions.Exit(1)


def _show_health(found: dict[str, Any]) -> None:
    for name in ("unread", "unapplied", "overdue", "unsent"):
        oldest = found[name]["oldest"]
        click.echo(
            f"{name:10} {found[name]['count']:5}{'' if oldest is None else f'  oldest {_age(oldest)}'}"
        )
    for name in ("parked", "held", "given_up"):
        click.echo(f"{name.replace('_', ' '):10} {found[name]:5}")
    click.echo(f"{'on hold':10} {sum(found['on_hold'].values()):5}")
    for name, age in {**found["polls"], **found["parts"]}.items():
        click.echo(f"{name}: {'never yet' if age is None else f'{_age(age)} ago'}")
    for game in found["games"]:
        click.echo(f"{game['game']}: {game['events']} events, head {game['hash']}")
    for sentence in found["wanting"]:
        click.echo(click.style(sentence, fg="red"))
    if found["ok"]:
        click.echo(click.style("All is well.", fg="green"))


def _age(seconds: int) -> str:
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds // length} {unit}"
    return f"{seconds} s"
