"""Workers side by side on one PostgreSQL: games go on together, each in the order in which its mails came, whoever dies."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from pbem.config import Config
from pbem.service import worker
from pbem.store import lanes
from tests.live import crew
from tests.live.crew import FORKED, Crew, acted, arrived, begin, opened, settled
from tests.promises.table import Promise
from tests.servers.postgres import empty, postgres_url
from tests.servers.running import until

pytestmark = [pytest.mark.live, pytest.mark.slow, pytest.mark.promise(5)]
__all__ = ["postgres_url"]

GAMES = tuple(f"game{number}" for number in range(8))
WORKERS, MAILS, KILLED_FOR = 4, 600, 5.0
BETWEEN = 0.1, 0.9
"""Seconds from one killing to the next."""
LOST = 0.02
"""Of so many mails the game is not certain at the door."""


@pytest.fixture
def config(tmp_path: Path, postgres_url: str) -> Config:
    empty(postgres_url)
    return settled(tmp_path, postgres_url)


def killed(
    config: Config, mails: int, seconds: float, lost: float = LOST, *, all_come: bool = True
) -> dict[str, float]:
    """What came of so many mails, or of those that came in the time, while workers are killed at random for so long. `lost` is
    the share of those whose game is not certain at the door; `gap` the longest time (seconds) in which mails waited and
    none was done with."""
    chance = Random(4)  # noqa: S311  # the same each time
    with opened(config) as host:
        begin(host, GAMES, worker.clock())
        feeder = FORKED.Process(target=crew.feed, args=(config, GAMES, range(mails), lost))
        feeder.start()
        until(lambda: crew.waiting(host) > min(mails // 10, 500), "mails wait")
        killings, gap = 0, 0.0
        with Crew(config) as workers:
            workers.grow(WORKERS)
            end, next_one = time.monotonic() + seconds, 0.0
            before, since = crew.done(host), time.monotonic()
            until(lambda: crew.done(host), "they work")
            while feeder.is_alive() or crew.waiting(host):
                if next_one < time.monotonic() < end:
                    workers.lose_one(chance)
                    killings += 1
                    next_one = time.monotonic() + chance.uniform(*BETWEEN)
                if not all_come and time.monotonic() > end:
                    feeder.terminate()
                time.sleep(0.02)
                if (now := crew.done(host)) > before or not crew.waiting(host):
                    before, since = now, time.monotonic()
                gap = max(gap, time.monotonic() - since)
                assert gap < 40, "nobody works any more"  # it hangs
        came, done = arrived(host), acted(host, GAMES)
    missing = sum((Counter(came[game]) - Counter(done[game])).total() for game in GAMES)
    doubled = sum((Counter(done[game]) - Counter(came[game])).total() for game in GAMES)
    out_of_order = sum(
        one != other for game in GAMES for one, other in zip(came[game], done[game], strict=False)
    )
    return {
        "faults": killings,
        "mails": before,
        "lost": missing,
        "doubled": doubled + out_of_order,
        "gap": gap,
    }


def test_workers_that_are_killed_lose_nothing_do_nothing_twice_and_keep_the_order(
    config: Config, promise: Promise
) -> None:
    figures = killed(config, MAILS, KILLED_FOR)
    gap = figures.pop("gap")
    print(f"{figures}; nobody finished a mail for {gap:.2f} s at most")  # noqa: T201  # for whoever looks
    promise.shows(**figures)
    assert figures["mails"] >= MAILS
    assert figures["faults"] > 5


def test_of_this_test_mails_that_pass_by_one_of_no_lane_are_seen(
    config: Config, promise: Promise, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lanes, "_barrier", lambda *_: (2**63 - 1, 0))
    figures = killed(config, 200, 0, lost=0.2)
    figures.pop("gap")
    with promise.breaks("no mail waits for one of no lane"):
        promise.shows(**figures)
