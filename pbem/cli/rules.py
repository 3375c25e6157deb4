"""`pbem rules`: a group's own rules, looked at before a game is made of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from pbem.cli.app import Settings, json_option, main
from pbem.config import Limits
from pbem.game.linting import Findings, lint
from pbem.game.model import Problem


@main.group()
def rules() -> None:
    """A ruleset of your own, before it is played."""


@rules.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@json_option
@click.pass_obj
def check(obj: Settings, file: Path, as_json: bool) -> None:
    """Look through a ruleset FILE: faults with what to write instead, and notes on how it would be played.

    The exit code is 1 when there are faults; notes are not faults.

    \b
    Example: pbem rules check our-rules.md
    """
    findings = lint(_text(file), _longest_rule(obj))
    if as_json:
        click.echo(json.dumps(_as_json(file, findings), ensure_ascii=False, indent=1))
    else:
        click.echo("\n".join([*_sentences(findings), _summary(file, findings)]))
    if findings.faults:
        raise click.exceptions.Exit(1)


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise click.UsageError(
            f"{file} is not UTF-8 text (byte {error.start}); save it as UTF-8 and try again"
        ) from None


def _longest_rule(obj: Settings) -> int:
    """This host's limit; where no host is set up, the one a new host begins with."""
    if obj.config is None and not obj.path.is_file():
        return Limits().rule_text
    return obj.load().limits.rule_text


def _sentences(findings: Findings) -> Iterator[str]:
    for fault in findings.faults:
        yield f"line {fault.line}: {fault.why}{_cure(fault)}"
    for note in findings.notes:
        yield f"note, line {note.line}: {note.why}" if note.line else f"note: {note.why}"


def _cure(fault: Problem) -> str:
    return f" Write: {' or '.join(fault.cure)}" if fault.cure else ""


def _summary(file: Path, findings: Findings) -> str:
    mutable = sum(rule.mutable for rule in findings.rules)
    kinds = (
        f"{len(findings.rules) - mutable} immutable and {mutable} mutable rules, {_clauses(findings)} clauses"
    )
    if not findings.faults:
        return f"{file}: {kinds}; no fault, {_count(len(findings.notes), 'note')}."
    return f"{file}: {kinds}; {_count(len(findings.faults), 'fault')}."


def _clauses(findings: Findings) -> int:
    return sum(len(rule.clauses) for rule in findings.rules)


def _count(many: int, what: str) -> str:
    return f"{many} {what}" if many == 1 else f"{many} {what}s"


def _as_json(file: Path, findings: Findings) -> dict[str, Any]:
    return {
        "file": str(file),
        "rules": len(findings.rules),
        "clauses": _clauses(findings),
        "faults": [
            {"line": fault.line, "said": fault.said, "why": str(fault.why), "try": "\n".join(fault.cure)}
            for fault in findings.faults
        ],
        "notes": [{"line": note.line, "why": str(note.why)} for note in findings.notes],
    }
