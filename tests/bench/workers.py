"""How much faster two workers on one PostgreSQL read mail than one. `python -m tests.bench.workers`

The same mails wait for the same games twice; one worker works them off, then two do, each a process of its own. The ratio is
the figure: what a mail costs depends on the machine. It means something on a machine with two processors that does
nothing else meanwhile; the processor time a mail, which hardly depends on it, tells how many times as much two could do if
they had all they ask for (`by their cost`).
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from pbem.config import Config
from pbem.service import worker
from pbem.service.books import Host
from tests.live import crew
from tests.live.crew import Crew, begin, opened, settled
from tests.servers.postgres import Postgres, empty

WARM = 8
"""Mails a game before it is measured."""


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def measured(
    config: Config, server: Postgres, workers: int, mails: int, games: int
) -> tuple[float, float, float]:
    """Mails a second with so many workers, and processor seconds a mail: theirs, and the database's."""
    empty(config.database)
    names = tuple(f"game{number}" for number in range(games))
    with opened(config) as host, Crew(config) as team:
        begin(host, names, worker.clock())
        team.grow(workers)
        # So that each has read what it needs, and knows the games.
        crew.feed(config, names, range(WARM * games), lost=0)
        _all_done(host)
        team.rest()
        crew.feed(config, names, range(WARM * games, WARM * games + mails), lost=0)
        spent, served, began = team.processor_seconds(), server.processor_seconds(), time.monotonic()
        team.go_on()
        _all_done(host)
        seconds = time.monotonic() - began
        spent, served = team.processor_seconds() - spent, server.processor_seconds() - served
    return mails / seconds, spent / mails, served / mails


def _all_done(host: Host) -> None:
    while crew.waiting(host):
        time.sleep(0.1)


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--mails", type=int, default=2000)
    asked.add_argument("--games", type=int, default=50)
    asked.add_argument("--least", type=float, default=0.0, help="the ratio below which it fails")
    given = asked.parse_args()
    with Postgres() as server, tempfile.TemporaryDirectory() as folder:
        config = settled(Path(folder), server.url)
        found = {count: measured(config, server, count, given.mails, given.games) for count in (1, 2)}
    for count, (rate, cost, served) in found.items():
        say(
            f"{count} worker(s): {rate:.0f} mails/s; a mail takes {cost * 1000:.2f} ms of processor,"
            f" and {served * 1000:.2f} ms of the database's"
        )
    ratio, alone, together = found[2][0] / found[1][0], sum(found[1][1:]), sum(found[2][1:])
    say(
        f"2 against 1: {ratio:.2f} ×, {2 * alone / together:.2f} × by their cost;"
        f" load of the machine {os.getloadavg()[0]:.1f}"
    )
    return 0 if ratio >= given.least else 1


if __name__ == "__main__":
    sys.exit(main())
