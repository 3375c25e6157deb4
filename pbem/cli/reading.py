"""Reading: how a game stands, whether its log is whole."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import click

from pbem.cli.app import Failure, Settings, json_option, main
from pbem.game import codec, editions, regulation, views
from pbem.game.codec import Record
from pbem.game.commands import Ask, Compare
from pbem.game.events import TurnEnded
from pbem.game.fold import evolve
from pbem.game.model import RuleText
from pbem.game.state import State
from pbem.mail.answers import answer
from pbem.mail.tokens import hide
from pbem.service.books import Books, Host
from pbem.store import eventlog, queues

turn_option = click.option("--at-turn", type=int, default=None, help="As it was when that turn had ended.")

MOST_MAILS = 10_000
"""Mails that `show GAME log` looks back over."""

TOPICS = ("status", "rules", "rule", "scores", "proposals", "cases", "log")


@main.command(name="list")
@json_option
@click.pass_obj
def list_games(obj: Settings, as_json: bool) -> None:
    """List the games of this host.

    \b
    Example: pbem list
    """
    with obj.host() as host, host.store.reading():
        books = Books(host)
        games = [(books.state(entry.slug), entry.privacy) for entry in eventlog.games(host.store)]
    if as_json:
        listed = [_listed(state) | {"privacy": privacy} for state, privacy in games]
        click.echo(json.dumps(listed, ensure_ascii=False, indent=1))
        return
    for state, privacy in games:
        on_turn = state.players[state.on_turn].name if state.on_turn else "–"
        click.echo(
            f"{state.game:20} {state.status:8} turn {state.turn:<4} {on_turn:24} {state.title}"
            f"{'' if privacy == 'public' else f' ({privacy})'}"
        )
    if not games:
        click.echo("There is no game yet. `pbem new --help` shows how to make one.")


def _listed(state: State) -> dict[str, Any]:
    keys = ("game", "title", "status", "language", "turn", "on_turn", "events")
    told = views.summary_json(state, None)
    return {key: told[key] for key in keys}


@main.command()
@click.argument("game")
@click.argument("topic", type=click.Choice(TOPICS), default="status")
@click.argument("about", default="")
@turn_option
@click.option(
    "--from", "first", type=click.IntRange(0), default=None, help="What changed since that turn had ended."
)
@click.option("--to", "last", type=click.IntRange(0), default=None, help="Up to the end of that turn.")
@json_option
@click.pass_obj
def show(
    obj: Settings,
    game: str,
    topic: str,
    about: str,
    at_turn: int | None,
    first: int | None,
    last: int | None,
    as_json: bool,
) -> None:
    """Show a game: status, rules, rule N, scores, proposals, cases or log.

    \b
    Examples:
      pbem show kaffe
      pbem show kaffe rule 203
      pbem show kaffe rules --at-turn 3
      pbem show kaffe rules --from 0 --to 3
    """
    asked = _asked(topic, about, first, last)
    with obj.host() as host, host.store.reading():
        records, state, head = _read(host, game, at_turn)
        if as_json and isinstance(asked, Compare):
            click.echo(json.dumps(_changes_json(state, asked), ensure_ascii=False, indent=1))
        elif as_json:
            shown = _topic_json(topic, about, views.state_json(state, head), records)
            click.echo(json.dumps(shown, ensure_ascii=False, indent=1))
        elif topic == "log":
            click.echo(
                "\n".join(
                    line for _, line in sorted(_log_lines(host, game, records), key=lambda each: each[0])
                )
            )
        else:
            click.echo(_answer(host, state, asked).rstrip())


def _asked(topic: Any, about: str, first: int | None, last: int | None) -> Ask | Compare:
    """The question that the options of `show` make."""
    if first is None and last is None:
        return Ask(topic, about)
    if topic != "rules":
        raise click.UsageError(
            "--from and --to compare the rules of two turns: pbem show GAME rules --from 0"
        )
    return Compare(first or 0, last)


def _changes_json(state: State, asked: Compare) -> list[dict[str, Any]]:
    """Every rule that is not the same at the ends of two turns, as it was and as it is (null: not in force)."""
    last = state.turn if asked.last is None else asked.last
    return [
        {
            "lineage": list(each.rule.lineage),
            "before": _text_json(each.before),
            "after": _text_json(each.after),
        }
        for each in editions.between(state, asked.first, last)
    ]


def _text_json(rule: RuleText | None) -> dict[str, Any] | None:
    if rule is None:
        return None
    clauses = {clause.name: clause.expression for clause in rule.clauses}
    return {
        "number": rule.number,
        "mutable": rule.mutable,
        "title": rule.title,
        "text": rule.text,
        "clauses": clauses,
    }


def _answer(host: Host, state: State, asked: Ask | Compare) -> str:
    """The text a player would get by mail."""
    answered = answer(state, asked, state.language)
    view = {"answer": answered.view, "site": ""}
    return host.printer.text(answered.template, view, language=state.language, zone=regulation.zone(state))


def _topic_json(topic: str, about: str, state: dict[str, Any], records: tuple[Record, ...]) -> Any:
    if topic == "rule":
        found = [rule for rule in state["rules"] if about in map(str, rule["lineage"])]
        if not found:
            raise Failure(f"no rule in force has or had the number {about or '(none was given)'}")
        return found[0]
    if topic == "log":
        return [_record_json(record) for record in records]
    return state if topic == "status" else state[{"scores": "players"}.get(topic, topic)]


def _record_json(record: Record) -> dict[str, Any]:
    body = json.loads(record.body)
    return {
        "seq": record.seq,
        "at": record.at,
        "kind": record.kind,
        "mail": record.mail,
        "body": body,
        "hash": record.hash,
    }


def _log_lines(host: Host, game: str, records: tuple[Record, ...]) -> Iterator[tuple[tuple[int, int], str]]:
    """Every record, and every mail of the game or of no game with what became of it, with when it stands."""
    for record in records:
        yield (
            (record.at, record.seq),
            f"{record.seq:>6}  {_when(record.at)}  {record.hash[:12]}  {record.kind}: {record.body}",
        )
    for mail in queues.inbox_log(host.store, limit=MOST_MAILS):
        if mail.game in (game, None):
            who = hide(mail.author or mail.sender or "–")
            yield (
                (mail.received, 0),
                f"  mail  {_when(mail.received)}  {mail.digest[:12]}  {who}: {mail.result or mail.state}",
            )


def _when(at: int) -> str:
    return datetime.fromtimestamp(at / 1e6, UTC).strftime("%Y-%m-%d %H:%M:%S")


@main.command()
@click.argument("game")
@json_option
@turn_option
@click.pass_obj
def state(obj: Settings, game: str, as_json: bool, at_turn: int | None) -> None:
    """The state of a game as the host sees it, running ballots included.

    \b
    Example: pbem state kaffe --json
    """
    with obj.host() as host, host.store.reading():
        _, found, head = _read(host, game, at_turn)
    shown = views.state_json(found, head)
    if as_json:
        click.echo(json.dumps(shown, ensure_ascii=False, indent=1))
        return
    for name, value in shown.items():
        if not isinstance(value, list | dict) or name in ("waiting_for", "winners"):
            click.echo(f"{name + ':':13}{', '.join(value) if isinstance(value, list) else value}")


def _read(host: Host, game: str, at_turn: int | None) -> tuple[tuple[Record, ...], State, str]:
    """The log of a game up to the end of a turn (None: all), the state there, and the hash of the last record."""
    eventlog.head(host.store, game)
    kept: list[Record] = []
    state = State()
    for record in eventlog.load(host.store, game):
        fact = codec.decode(record)
        state = evolve(state, fact, record.at, record.mail)
        kept.append(record)
        if isinstance(fact, TurnEnded) and fact.turn == at_turn:
            break
    else:
        if at_turn is not None and at_turn != state.turn:
            raise Failure(f"{game} has had {state.turn} turn(s); there is no turn {at_turn} to look at")
    return tuple(kept), state, kept[-1].hash if kept else codec.GENESIS
