"""PostgreSQL is stopped hard and cuts workers off, again and again: what was acknowledged is there, once, and in the log."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random

import psycopg
import pytest

from pbem.game import codec
from pbem.store import eventlog
from pbem.store.db import Store, open_store
from pbem.store.upgrade import upgrade
from tests.live.working_on import GAMES, Work, arrival
from tests.promises.table import Promise
from tests.servers.postgres import Postgres
from tests.servers.running import until

pytestmark = [pytest.mark.live, pytest.mark.slow, pytest.mark.promise(5)]

WORKERS, STOPS, ACKNOWLEDGED = 6, 10, 10_000
SEED = 5


@pytest.fixture
def server() -> Iterator[Postgres]:
    """Its own: others must not be in the way of its stops."""
    with Postgres() as server:
        yield server


@pytest.fixture
def store(server: Postgres) -> Iterator[Store]:
    """With games whose logs are empty."""
    store = open_store(server.url, Path("."))
    upgrade(store, now=0)
    with store.transaction():
        for game in GAMES:
            eventlog.create_game(store, game, at=0)
    yield store
    store.close()


def worked(server: Postgres, stops: int, least: int, fault: str) -> list[dict[str, int]]:
    """What each worker tells after so many stops, and at least so many mails in all."""
    with ExitStack() as room:
        workers = [room.enter_context(worker_on(server, number, fault)) for number in range(WORKERS)]
        for worker in workers:
            room.callback(worker.kill)
        stopped_again_and_again(server, stops, least)
        return [json.loads(worker.communicate(timeout=60)[0]) for worker in workers]


def worker_on(server: Postgres, number: int, fault: str) -> subprocess.Popen[str]:
    """It goes on until its standard input ends."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.live.working_on", server.url, str(number), fault],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # psycopg tells of every line that breaks
        text=True,
    )


def stopped_again_and_again(server: Postgres, stops: int, least: int) -> None:
    """Returns when there have been so many stops, and at least so many mails."""
    chance = Random(SEED)  # noqa: S311  # the same each time
    for stop in range(1, stops + 1):
        until(lambda: stored(server) >= least * stop // (stops + 1), "they work")  # noqa: B023  # called at once
        cut_off(server, chance)
        time.sleep(chance.uniform(0, 0.2))
        server.stop_hard()
        server.start()
    until(lambda: stored(server) >= least, "they go on")


def stored(server: Postgres) -> int:
    with psycopg.connect(server.url, autocommit=True) as line:
        ((count,),) = line.execute("SELECT count(*) FROM inbox")
        return int(count)


def cut_off(server: Postgres, chance: Random) -> None:
    """Half of the workers lose their connection."""
    with psycopg.connect(server.url, autocommit=True) as line:
        others = "SELECT pid FROM pg_stat_activity WHERE datname = 'postgres' AND pid <> pg_backend_pid()"
        pids = sorted(pid for (pid,) in line.execute(others))
        for pid in chance.sample(pids, len(pids) // 2):
            line.execute("SELECT pg_terminate_backend(%s)", (pid,))


def told(server: Postgres, store: Store, stops: int, least: int, fault: str = "") -> dict[str, int]:
    """The figures, when all is worked off."""
    workers = worked(server, stops, least, fault)
    rest = Work(store, lambda *_: pytest.fail("nothing more is taken"))
    while rest.work_off():
        """Until nothing waits."""
    wanted = {
        arrival(worker, number).digest
        for worker, counts in enumerate(workers)
        for number in range(1, counts["taken"] + 1)
    }
    with store.reading():
        inbox = Counter(digest for (digest,) in store.rows("SELECT digest FROM inbox"))
        logs = {game: tuple(eventlog.load(store, game)) for game in GAMES}
    events = Counter(record.mail for log in logs.values() for record in log)
    assert [game for game, log in logs.items() if not whole(log)] == []
    assert all(counts["errors"] for counts in workers), "each has had something in its way"
    if not fault:
        assert sum(counts["found_done"] for counts in workers), (
            "some commits were done without anybody knowing"
        )
    return {
        "faults": sum(counts["errors"] for counts in workers),
        "mails": len(wanted),
        "lost": len(wanted - inbox.keys()) + len(wanted - events.keys()),
        "doubled": sum(count - 1 for found in (inbox, events) for count in found.values()),
    }


def whole(log: tuple[codec.Record, ...]) -> bool:
    """Whether the numbers leave no gap and each hash follows from the one before."""
    before = codec.GENESIS
    for seq, record in enumerate(log, 1):
        linked = codec.link(before, record.seq, record.at, record.mail, record.kind, record.body)
        if (record.seq, record.hash) != (seq, linked):
            return False
        before = record.hash
    return True


def test_what_is_acknowledged_is_there_once(server: Postgres, store: Store, promise: Promise) -> None:
    figures = told(server, store, STOPS, ACKNOWLEDGED)
    promise.shows(**figures)
    assert figures["mails"] >= ACKNOWLEDGED


def test_of_this_test_a_missing_key_is_seen(server: Postgres, store: Store, promise: Promise) -> None:
    with store.transaction():
        store.write("DROP INDEX inbox_key")
    figures = told(server, store, 1, 1_000, "no key")
    with promise.breaks("the unique key of the inbox is dropped"):
        promise.shows(**figures)
