"""Watching a host: `doctor` before it is relied on.

What lives here: what these commands print, and their exit codes. What never may: a look (service/doctor.py).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

import click

from pbem.cli.app import Settings, json_option, main
from pbem.config import ConfigError
from pbem.service import doctor as looking
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
