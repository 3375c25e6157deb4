"""How a mail is read, shown step by step without doing anything.

What lives here: the layout on a terminal. What never may: a reading; `service/reader.py` gives it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from pbem.cli.app import Settings, json_option, main, now
from pbem.mail.message import Envelope
from pbem.service import reader

_WIDEST = 44
"""Columns of a step's finding or of a line, before its evidence begins."""
_COLUMNS = ("file", "kind", "sender", "game", "reading")
_BECOMES = {
    "understood": "understood: {understood}",
    "asked back": "asked back: {why}",
    "text": "text of the command above",
    "posted": "posted to the others",
}


@main.command()
@click.argument("path", type=click.Path(path_type=Path, exists=True))
@json_option
@click.pass_obj
def explain(obj: Settings, path: Path, as_json: bool) -> None:
    """Show how a mail is read and by what evidence, without doing anything. A folder gives a table of its .eml files.

    \b
    Example: pbem explain ballot.eml --json
    """
    config = obj.load()
    files = sorted(path.glob("*.eml")) if path.is_dir() else [path]
    readings = {file.name: reader.explain(file.read_bytes(), Envelope(now()), config) for file in files}
    if as_json:
        shown = readings if path.is_dir() else readings[path.name]
        click.echo(json.dumps(shown, ensure_ascii=False, indent=1))
    elif path.is_dir():
        click.echo("\n".join(_table(_row(name, reading) for name, reading in readings.items())))
    else:
        click.echo("\n".join(_at_length(readings[path.name])))


def _table(rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """Rows under the names of their columns, each as wide as it must be."""
    lines = [_COLUMNS, *rows]
    widths = [min(_WIDEST, max(len(line[at]) for line in lines)) for at in range(len(_COLUMNS))]
    for line in lines:
        yield "  ".join(f"{cell:{width}}" for cell, width in zip(line, widths, strict=True)).rstrip()


def _row(name: str, reading: dict[str, Any]) -> tuple[str, ...]:
    who = reading["sender"] or (f"({reading['claimed']})" if reading["claimed"] else "–")
    said = [command["understood"] for command in reading["commands"]]
    asked = [f"? {problem['said']}" for problem in reading["problems"]]
    talk = ["posted"] if any(line["outcome"] == "posted" for line in reading["lines"]) else []
    return name, reading["kind"], who, reading["game"] or "–", "; ".join(said + asked or talk) or "–"


def _at_length(reading: dict[str, Any]) -> Iterator[str]:
    yield from _steps(reading["steps"])
    if reading["held"]:
        yield f"\nIt is held until its sender confirms it: {reading['held']}."
    yield from _left_out(reading["left_out"])
    yield from _new_text(reading)


def _steps(steps: list[dict[str, str]]) -> Iterator[str]:
    width = min(_WIDEST, max(len(step["found"]) for step in steps))
    for step in steps:
        yield f"{step['name']:10} {step['found']:{width}}  {step['because']}"


def _left_out(cuts: list[dict[str, Any]]) -> Iterator[str]:
    if cuts:
        yield "\nLeft out:"
    for cut in cuts:
        where = f"below line {cut['above']}" if cut["above"] else "above the text"
        rows = f"{cut['rows']} line{'s' * (cut['rows'] > 1)}"
        yield f"  {cut['why']:10} {rows:>9} {where}, from “{cut['row'].strip()[:_WIDEST]}”"


def _new_text(reading: dict[str, Any]) -> Iterator[str]:
    """Each line and what becomes of it, with its cure where it is asked back."""
    lines = reading["lines"]
    yield "\nWhat is read:" if lines else "\nThere is nothing to read in it."
    width = min(_WIDEST, max((len(line["said"]) for line in lines), default=0))
    for line in lines:
        found = {
            key: "; ".join(each[key] for each in reading[kind] if each["line"] == line["line"])
            for kind, key in (("commands", "understood"), ("problems", "why"), ("problems", "try"))
        }
        said = line["said"] if len(line["said"]) <= width else f"{line['said'][: width - 1]}…"
        yield f"{line['line']:4}  {said:{width}}  {_BECOMES[line['outcome']].format(**found)}"
        yield from (f"{'':{width + 8}}try: {cure}" for cure in found["try"].split("\n") if cure)
