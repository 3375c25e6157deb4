"""The same random game, by mail, on SQLite and on PostgreSQL: the same log to the last hash, whatever is asked; and the same
random games on PostgreSQL with two workers at them.

`PBEM_GAMES=500 pytest --timeout 0 tests/live/test_same_on_both.py` plays more of them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from email.message import EmailMessage
from pathlib import Path
from random import Random

import pytest

from pbem.cli.app import open_host
from pbem.config import Config, load
from pbem.game import codec
from pbem.game.commands import Command
from pbem.game.events import Fact
from pbem.game.state import State
from pbem.mail.message import Envelope
from pbem.mail.phrasing import phrase
from pbem.service import calendar, process
from pbem.service.books import Books, Host
from pbem.service.founding import Plan, found
from pbem.service.receive import TRUSTED, receive
from pbem.store import eventlog, lanes, queues
from pbem.store.db import Store
from pbem.store.queues import Accepted, Arrival
from tests.flow.conftest import PRINTER, SECRET
from tests.flow.post import ADDRESS, GAME, KEEPER, PEOPLE, SETTINGS
from tests.game.conftest import BEGINNING, HOUR, SECOND
from tests.game.random_moves import Lot
from tests.live.crew import Crew, settled, waiting
from tests.promises.table import Promise
from tests.servers.postgres import empty, postgres_url
from tests.servers.running import until

pytestmark = [pytest.mark.live, pytest.mark.slow, pytest.mark.promise(27)]
__all__ = ["postgres_url"]

GAMES = int(os.environ.get("PBEM_GAMES", "10"))
STEPS = 200
PLAYERS = tuple(PEOPLE[name] for name in ("Alice", "Bo", "Cia", "Dan"))
Step = tuple[int, bytes]
"""A moment (UTC µs) and the mail that comes then."""


@dataclass
class At:
    """Where a game stands, as the lot wants to see it."""

    state: State
    facts: list[Fact]


@contextmanager
def begun(config: Config, games: tuple[str, ...] = (GAME,)) -> Iterator[Host]:
    """A host with games that have just begun."""
    (config.path.parent / "pbem.key").write_text(SECRET, "utf-8")
    (config.path.parent / "pbem.key").chmod(0o600)
    with open_host(config) as opened:
        host = replace(opened, printer=PRINTER)
        for game in games:
            found(
                host,
                Plan(game, "Kaffe", "en", "suber", KEEPER, PLAYERS, {"cooling time": "0"}, True, BEGINNING),
            )
        yield host


def drawn(host: Host, chance: Random, game: str = GAME) -> Iterator[Step]:
    """Random moves as mails, each by what the ones before have led to."""
    now, number = BEGINNING, 0
    facts: list[Fact] = []
    while True:
        at = standing(host, facts, game)
        lot = Lot(chance, at)  # type: ignore[arg-type]  # it looks at these two alone
        for by, command in lot.next():
            if (said := words(command)) is None:
                continue
            now += 60 * SECOND
            number += 1
            yield now, letter(at.state, by, said, number, game)
        now += lot.time()


def drawn_in_turn(host: Host, chance: Random, games: tuple[str, ...]) -> Iterator[Step]:
    """Random moves in several games, as they come."""
    steps = {game: drawn(host, chance, game) for game in games}
    coming = {game: next(each) for game, each in steps.items()}
    while True:
        game = min(coming, key=lambda each: coming[each][0])
        yield coming[game]
        coming[game] = next(steps[game])


def standing(host: Host, facts: list[Fact], game: str) -> At:
    """Brings the facts up to date."""
    with host.store.reading():
        facts += [codec.decode(record) for record in eventlog.load(host.store, game, len(facts))]
        return At(Books(host).state(game), facts)


def words(command: Command) -> str | None:
    """A command as a player would write it, with the text below that it asks for; None where no line says it."""
    try:
        line = phrase(command, "en")
    except StopIteration:
        return None
    text = getattr(command, "text", "") or ""
    clauses = [f"clause {each.name}: {each.expression}" for each in getattr(command, "clauses", ())]
    return "\n".join([line, text, "", *clauses, "end", ""])


def letter(state: State, by: object, said: str, number: int, game: str) -> bytes:
    people = dict(PLAYERS) | {KEEPER[0]: KEEPER[1]}
    name = state.players[by].name if by in state.players else KEEPER[0] if by == "keeper" else "Zoe Zell"
    mail = EmailMessage()
    mail["From"] = people.get(name, "zoe@zell.example")
    mail["To"] = ADDRESS
    mail["Subject"] = f"[{game}] {number}"
    mail["Message-ID"] = f"<{game}.{number}@players.example>"
    mail.set_content(said)
    return mail.as_bytes()


def play(host: Host, steps: Iterator[Step], count: int) -> list[Step]:
    """Plays so many of the steps; returns them."""
    played: list[Step] = []
    for now, content in steps:
        calendar.tick(host, now)
        receive(host, content, Envelope(now), TRUSTED)
        process.work_off(host, now)
        played.append((now, content))
        if len(played) == count:
            break
    return played


def log(host: Host, game: str = GAME) -> list[str]:
    with host.store.reading():
        return [record.hash for record in eventlog.load(host.store, game)]


def differences(folder: Path, url: str, seed: int, count: int) -> tuple[int, int]:
    """How many records there are, and how many of them are not the same on both."""
    empty(url)
    (folder / "pbem.toml").write_text(SETTINGS, "utf-8")
    config = load(folder / "pbem.toml", {})
    with begun(config) as host:
        chance = Random(seed)  # noqa: S311  # the same each time
        steps = play(host, drawn(host, chance), count)
        first = log(host)
    with begun(replace(config, database=url)) as host:
        play(host, iter(steps), count)
        second = log(host)
    return len(first), unlike(first, second)


def unlike(first: list[str], second: list[str]) -> int:
    """How many records of two logs are not the same."""
    pairs = zip(first, second, strict=False)
    return abs(len(first) - len(second)) + sum(one != other for one, other in pairs)


def worked_off_by_two(config: Config, steps: list[Step], games: tuple[str, ...]) -> dict[str, list[str]]:
    """The logs, when all these mails have waited and two workers were at them."""
    with begun(config, games) as host:
        for now, content in steps:
            receive(host, content, Envelope(now), TRUSTED)
        with Crew(config) as workers:
            workers.grow(2)
            until(lambda: not waiting(host), "all is worked off")
        calendar.tick(host, steps[-1][0])
        return {game: log(host, game) for game in games}


@pytest.mark.parametrize("seed", range(GAMES))
def test_a_random_game_is_the_same_on_both(
    tmp_path: Path, postgres_url: str, promise: Promise, seed: int
) -> None:
    print(f"seed {seed}")  # noqa: T201  # to play it again
    records, other = differences(tmp_path, postgres_url, seed, STEPS)
    promise.shows(mails=STEPS, doubled=other)
    assert records > STEPS // 5


def test_of_this_test_a_moment_without_its_zone_is_seen(
    tmp_path: Path, postgres_url: str, promise: Promise, monkeypatch: pytest.MonkeyPatch
) -> None:
    accept = queues.accept

    def naive(store: Store, mail: Arrival) -> Accepted:
        return accept(store, replace(mail, received=mail.received + HOUR * store.postgres))

    monkeypatch.setattr(queues, "accept", naive)
    _, other = differences(tmp_path, postgres_url, 0, 20)
    with promise.breaks("PostgreSQL gives a moment back in Stockholm's time"):
        promise.shows(mails=20, doubled=other)


SIDE_BY_SIDE = ("kaffe", "te", "saft", "mjolk")


def two_workers(folder: Path, url: str, count: int) -> tuple[int, int]:
    """How many records there are of several games, and how many of them are not the same with two workers on PostgreSQL."""
    empty(url)
    config = settled(folder, url)
    with begun(replace(config, database="sqlite:///pbem.db"), SIDE_BY_SIDE) as host:
        chance = Random(0)  # noqa: S311  # the same each time
        steps = play(host, drawn_in_turn(host, chance, SIDE_BY_SIDE), count)
        calendar.tick(host, steps[-1][0])
        first = {game: log(host, game) for game in SIDE_BY_SIDE}
    second = worked_off_by_two(config, steps, SIDE_BY_SIDE)
    return sum(map(len, first.values())), sum(unlike(first[game], second[game]) for game in SIDE_BY_SIDE)


def test_random_games_are_the_same_with_two_workers(
    tmp_path: Path, postgres_url: str, promise: Promise
) -> None:
    records, other = two_workers(tmp_path, postgres_url, 2 * STEPS)
    promise.shows(mails=2 * STEPS, doubled=other)
    assert records > STEPS


def test_of_this_test_workers_without_order_are_seen(
    tmp_path: Path, postgres_url: str, promise: Promise, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim = lanes.claim

    def newest(store: Store, now: int, limit: int) -> lanes.Claim | None:
        found = claim(store, now, limit)
        return replace(found, mails=found.mails[-1:]) if found and store.postgres else found

    monkeypatch.setattr(lanes, "claim", newest)
    _, other = two_workers(tmp_path, postgres_url, 60)
    with promise.breaks("each worker takes the newest mail first"):
        promise.shows(mails=60, doubled=other)
