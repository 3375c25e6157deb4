"""A server with nothing to do: how soon it answers the one mail that comes, and what ten thousand games cost it that wait.

`python -m tests.bench --only idle`
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

from tests.bench import machine
from tests.bench.chain import SERVING
from tests.bench.host import OURS, begin, crowd, opened, seats
from tests.bench.letters import letter
from tests.bench.wire import Sink, send
from tests.servers.running import Running

CROWD, SECONDS, ASKED = 10_000, 20, 20


def answered() -> float:
    """Milliseconds in the middle from the 250 to a mail until its receipt is with the smart host."""
    with tempfile.TemporaryDirectory() as name, Sink(machine.OTHERS) as sink:
        folder, player = Path(name), seats("g0")[0]
        with opened(folder, sink.port) as host:
            begin(host, ["g0"])
        author = (player.name, player.address)
        with Running(folder, "serve", within=(*machine.ON_OUR_CORE, *SERVING)).start() as up:
            times = []
            for number in range(ASKED + 3):
                mail = letter(author, "[g0] a question", "scores\n", number)
                time.sleep(0.3)
                taken = send(up.port, [[(player.address, mail)]], OURS, machine.OTHERS).ended
                while sink.taken <= number and time.monotonic_ns() < taken + 20e9:
                    time.sleep(0.001)
                times.append((sink.last - taken) / 1e6)
    return statistics.median(times[3:])


def resting(games: int = CROWD) -> float:
    """The share of one core (%) that `pbem serve` takes while nothing happens in so many games."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with opened(folder) as host:
            begin(host, ["g0"])
            crowd(host.store, games, "g0")
        with Running(folder, "serve", within=(*machine.ON_OUR_CORE, *SERVING)).start() as up:
            time.sleep(6)  # the first rounds
            before, begun = machine.used(up.process.pid), time.monotonic()
            time.sleep(SECONDS)
            return (machine.used(up.process.pid) - before) / (time.monotonic() - begun) * 100
