"""The queues by hand: `queue`, `retry`, `hold`, `release`, and `why` of one mail.

What lives here: what these commands print. What never may: what may be done with a mail (service/queue_work.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import click

from pbem.cli.app import Settings, json_option, main, now
from pbem.service import queue_work
from pbem.service.became import became
from pbem.service.queue_work import Deed, moment

names_argument = click.argument("names", nargs=-1, required=True, metavar="ID...")


@main.command()
@json_option
@click.pass_obj
def queue(obj: Settings, as_json: bool) -> None:
    """List the mails that are not worked off and those that are not sent, each with the reason.

    \b
    Example: pbem queue
    """
    with obj.host() as host:
        entries = queue_work.queue(host.store, now())
    if as_json:
        click.echo(json.dumps([asdict(entry) for entry in entries], ensure_ascii=False, indent=1))
        return
    for entry in entries:
        about = f"{moment(entry.since)}  {entry.game or '–':12}  {entry.who}"
        click.echo(f"{entry.id:8} {entry.state:8}  {about}: {entry.why}")
    if not entries:
        click.echo("Nothing waits.")


@main.command()
@names_argument
@click.pass_obj
def retry(obj: Settings, names: tuple[str, ...]) -> None:
    """Try mails again: those that are parked or failed, and those that are given up or not sent yet.

    \b
    Example: pbem retry in12 out34
    """
    _change(obj, "retry", names)


@main.command()
@names_argument
@click.pass_obj
def hold(obj: Settings, names: tuple[str, ...]) -> None:
    """Stop mails: they are not worked off, or not sent, until they are let go with `pbem release`.

    \b
    Example: pbem hold out34
    """
    _change(obj, "hold", names)


@main.command()
@names_argument
@click.pass_obj
def release(obj: Settings, names: tuple[str, ...]) -> None:
    """Let mails go that were stopped with `pbem hold`.

    \b
    Example: pbem release out34
    """
    _change(obj, "release", names)


def _change(obj: Settings, deed: Deed, names: tuple[str, ...]) -> None:
    with obj.host() as host:
        for sentence in queue_work.change(host.store, deed, names, now()):
            click.echo(sentence)


@main.command()
@click.argument("mail", metavar="MESSAGE-ID")
@json_option
@click.pass_obj
def why(obj: Settings, mail: str, as_json: bool) -> None:
    """Tell what became of a mail: how it came and was read, what it did, and which mails answered it.

    MESSAGE-ID may also be the beginning of a mail's SHA-256, or a name from `pbem queue`.

    \b
    Example: pbem why '<1@pc.example>'
    """
    with obj.host() as host:
        found = became(host, mail, now())
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False, indent=1))
        return
    for each in found:
        click.echo("\n".join(_came(each) if each["way"] == "in" else [_went(each)]))


def _came(mail: dict[str, Any]) -> Iterator[str]:
    way = f" by {mail['source']}" if mail["source"] else "; erased at its author's wish"
    yield f"{mail['id']}  taken {moment(mail['at'])}{way}  SHA-256 {mail['digest']}"
    yield from _read(mail["reading"])
    credit = f", credited to {mail['credited_to']}" if mail["credited_to"] else ""
    yield f"became     {mail['state']}, {mail['game'] or 'no game'}{credit}: {mail['why'] or '–'}"
    for deed in mail["did"]:
        yield f"did        {deed['game']} {deed['seq']}: {deed['said']}"
    for answer in mail["answers"]:
        yield f"answered   {_went(answer)}"


def _read(reading: dict[str, Any] | None) -> Iterator[str]:
    for step in reading["steps"] if reading else ():
        yield f"{step['name']:10} {step['found']}  ({step['because']})"
    for line in reading["commands"] if reading else ():
        yield f"line {line['line']:<5} {line['said']}: {line['understood']}"
    for line in reading["problems"] if reading else ():
        yield f"line {line['line']:<5} {line['said']}: asked back, {line['why']}"


def _went(mail: dict[str, Any]) -> str:
    reason = f": {mail['why']}" if mail["why"] != mail["state"] else ""
    return f"{mail['id']}  made {moment(mail['at'])} for {mail['recipient']}  {mail['state']}{reason}"
