"""A host that is outgrown moves from SQLite to PostgreSQL, plays on there, and moves back: each game is the same to the last hash."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pbem.config import Config
from pbem.mail.message import Envelope
from pbem.service import moving, process
from pbem.service.receive import TRUSTED, receive
from pbem.store import eventlog, queues
from tests.flow.post import BEGINNING, MINUTE
from tests.live.crew import begin, opened, settled, words
from tests.servers.postgres import empty, postgres_url

pytestmark = pytest.mark.live
__all__ = ["postgres_url"]

GAMES = ("kaffe", "te")


def play(config: Config, numbers: range) -> None:
    """Some mails for both games; the last of them is taken in, and waits."""
    with opened(config) as host:
        for number in numbers:
            now = BEGINNING + (1 + number) * MINUTE
            receive(host, words(GAMES[number % 2], number), Envelope(now), TRUSTED)
            if number != numbers[-1]:
                process.work_off(host, now)


def found(config: Config) -> tuple[dict[str, list[str]], dict[str, int], int]:
    """The hashes of each log, the mails taken in by their state, and how many wait to be sent."""
    with opened(config) as host, host.store.reading():
        logs = {game: [record.hash for record in eventlog.load(host.store, game)] for game in GAMES}
        return logs, dict(queues.inbox_counts(host.store)), queues.outbox_counts(host.store)["ready"]


def test_a_host_moves_to_postgresql_plays_on_and_moves_back(tmp_path: Path, postgres_url: str) -> None:
    empty(postgres_url)
    stays, back = "sqlite:///stays.db", "sqlite:///back.db"
    config = settled(tmp_path, stays)
    with opened(config) as host:
        begin(host, GAMES, BEGINNING)
    play(config, range(12))

    moving.move(stays, postgres_url, tmp_path, BEGINNING, lambda *_: None)
    moved = replace(config, database=postgres_url)
    assert found(moved) == found(config)
    assert found(moved)[1] == {"done": 11, "new": 1}

    for each in (config, moved):
        play(each, range(12, 24))
    assert found(moved) == found(config)

    moving.move(postgres_url, back, tmp_path, BEGINNING, lambda *_: None)
    returned = replace(config, database=back)
    assert found(returned) == found(config)
    for each in (config, returned):
        play(each, range(24, 30))
    assert found(returned) == found(config)
