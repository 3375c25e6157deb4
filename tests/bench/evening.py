"""One evening on a large host: in every game each of five players votes, and the turn ends. `python -m tests.bench --only evening`, with
`--long` ten thousand games.

What lives here: the evening, with its memory and its outcome. What never may: a shortcut; the votes are mails.
"""

from __future__ import annotations

import itertools
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import process_time

from pbem.mail.message import Envelope
from pbem.service import process, worker
from pbem.service.receive import receive
from tests.bench import machine
from tests.bench.host import MAILS_A_TURN, OURS, begin, opened, turn

GAMES = 300
WORDS_BEFORE = 2
"""Posts in the debate, which nobody sends this evening."""
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
        # Written when they are sent: it is the server's memory that counts.
        evenings: list[Iterator[tuple[str, bytes]]] = []
        for place, game in enumerate(names):
            begin(host, [game])
            evening = turn(host, game, 301, place * MAILS_A_TURN)
            sender, content = next(evening)
            receive(host, content, Envelope(worker.clock(), sender, OURS), "smtp 127.0.0.1")
            evenings.append(itertools.islice(evening, WORDS_BEFORE, None))
        process.work_off(host, worker.clock())
        votes, cpu = 0, 0.0
        for sender, content in itertools.chain.from_iterable(evenings):
            begun = process_time()
            receive(host, content, Envelope(worker.clock(), sender, OURS), "smtp 127.0.0.1")
            cpu += process_time() - begun
            votes += 1
        begun = process_time()
        process.work_off(host, worker.clock())
        cpu += process_time() - begun
        digests = "SELECT COUNT(*) FROM outbox WHERE key LIKE '%/digest:%' GROUP BY game"
        with host.store.reading():
            right = sum(count == READERS for (count,) in host.store.rows(digests))
        return Evening(votes, cpu / votes * 1000, right, machine.memory(os.getpid()))
