"""How much faster two workers on one PostgreSQL read mail than one. `python -m tests.bench.workers`

The same mails wait for the same games twice; one worker works them off, then two do, each a process of its own. The ratio is
the figure: what a mail costs depends on the machine. It means something on a machine with two processors that does
nothing else meanwhile; the processor time a mail tells whether that was so, since it hardly depends on it.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

from pbem.config import Config
from pbem.service import worker
from tests.live import crew
from tests.live.crew import Crew, begin, opened, settled
from tests.servers.postgres import Postgres, empty


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def measured(config: Config, workers: int, mails: int, games: int) -> tuple[float, float]:
    """Mails a second with so many workers, and processor seconds of theirs a mail."""
    empty(config.database)
    names = tuple(f"game{number}" for number in range(games))
    with opened(config) as host:
        begin(host, names, worker.clock())
        crew.feed(config, names, range(mails), lost=0)
        before, began = _spent(), time.monotonic()
        with Crew(config) as team:
            team.grow(workers)
            while crew.waiting(host):
                time.sleep(0.02)
            seconds = time.monotonic() - began
    return mails / seconds, (_spent() - before) / mails


def _spent() -> float:
    """Processor seconds of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--mails", type=int, default=2000)
    asked.add_argument("--games", type=int, default=50)
    asked.add_argument("--least", type=float, default=0.0, help="the ratio below which it fails")
    given = asked.parse_args()
    with Postgres() as server, tempfile.TemporaryDirectory() as folder:
        config = settled(Path(folder), server.url)
        found = {count: measured(config, count, given.mails, given.games) for count in (1, 2)}
    for count, (rate, cost) in found.items():
        say(f"{count} worker(s): {rate:.0f} mails/s, {cost * 1000:.2f} ms of processor a mail")
    ratio = found[2][0] / found[1][0]
    say(f"2 against 1: {ratio:.2f} ×; load of the machine {os.getloadavg()[0]:.1f}")
    return 0 if ratio >= given.least else 1


if __name__ == "__main__":
    sys.exit(main())
