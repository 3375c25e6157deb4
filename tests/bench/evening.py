"""One evening on a large host: in every game each of five players votes, and the turn ends. `python -m tests.bench --only evening`, with
`--long` ten thousand games.

What lives here: the evening, with its memory and its outcome. What never may: a shortcut; the votes are mails.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import process_time

from pbem.mail.message import Envelope
from pbem.service import process, worker
from pbem.service.receive import receive
from tests.bench import machine
from tests.bench.host import OURS, begin, opened, turn

GAMES = 300
READERS = 6
"""Five players and the keeper get a digest."""


@dataclass(frozen=True, slots=True)
class Evening:
    """How many votes came, milliseconds of processor time a vote (stored, worked off), how many games got all their digests,
    and the most megabytes of memory."""

    votes: int
    cpu: float
    right: int
    memory: float


def spent(games: int = GAMES) -> Evening:
    """In a process of its own."""
    child, evening = machine.apart(_evening, games)
    child.terminate()
    child.join()
    assert isinstance(evening, Evening)
    return evening


def _evening(games: int) -> Evening:
    machine.stay_on(machine.OURS)
    with tempfile.TemporaryDirectory() as name, opened(Path(name)) as host:
        names = [f"g{number}" for number in range(games)]
        votes: list[tuple[str, bytes]] = []
        for place, game in enumerate(names):
            begin(host, [game])
            asked, *_, one, two, three, four, five = turn(host, game, 301, place * 8)
            receive(host, asked[1], Envelope(worker.clock(), asked[0], OURS), "smtp 127.0.0.1")
            votes += (one, two, three, four, five)
        process.work_off(host, worker.clock())
        begun = process_time()
        for sender, content in votes:
            receive(host, content, Envelope(worker.clock(), sender, OURS), "smtp 127.0.0.1")
        process.work_off(host, worker.clock())
        cpu = process_time() - begun
        digests = "SELECT COUNT(*) FROM outbox WHERE key LIKE '%/digest:%' GROUP BY game"
        with host.store.reading():
            right = sum(count == READERS for (count,) in host.store.rows(digests))
        return Evening(len(votes), cpu / len(votes) * 1000, right, machine.memory(os.getpid()))
