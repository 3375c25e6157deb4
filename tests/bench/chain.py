"""The whole way of a mail, from the listener to the page: `python -m tests.bench --only chain`

Players' mails of 8 KB go to `pbem serve` by SMTP over 20 connections, each game's in order. They are stored, read, their
sender is found by the word of the receiving server, the game judges them, and receipts, ballot papers and digests go out by
SMTP; pages are published. The server has one core; the client and the smart host have another.

What lives here: the two measurements, the server as a whole and its work by stages. What never may: a part of the server
that is not the real one.
"""

from __future__ import annotations

import functools
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time

from pbem.mail.message import Envelope
from pbem.service import answering, attributing, calendar, opening, process, publishing, telling, worker
from pbem.service.books import Host
from pbem.service.desk import Desk
from pbem.service.receive import receive
from pbem.store import queues
from pbem.store.db import open_store
from tests.bench import machine
from tests.bench.host import MAILS_A_TURN, OURS, begin, crowd, opened, turn
from tests.bench.stages import REST, Meter
from tests.bench.wire import Sink, send
from tests.servers.running import Running

GAMES, TURNS, LINES = 100, 2, 20
PATIENCE = 300
"""Seconds."""
SERVING = (sys.executable, "-m", "tests.bench.serving")
Mails = list[tuple[str, bytes]]


@dataclass(frozen=True, slots=True)
class Chain:
    """Mails a second by the clock, milliseconds of processor time a mail, how many mails went out for each that came in, and
    how many files were written (0: not counted)."""

    rate: float
    cpu: float
    out: float


def mails_of(host: Host, games: Sequence[str], turns: int) -> list[Mails]:
    """For each game the mails of so many turns, in order."""
    made = []
    for place, game in enumerate(games):
        begins = place * turns * MAILS_A_TURN
        made.append(
            [mail for at in range(turns) for mail in turn(host, game, 301 + at, begins + at * MAILS_A_TURN)]
        )
    return made


def served(games: int = GAMES, turns: int = TURNS) -> Chain:
    """`pbem serve` as a whole."""
    with tempfile.TemporaryDirectory() as name, Sink(machine.OTHERS) as sink:
        folder = Path(name)
        with opened(folder, sink.port) as host:
            names = [f"g{number}" for number in range(games)]
            begin(host, names)
            _show_again(host)
            mails = mails_of(host, names, turns)
        lines = [[mail for game in mails[line::LINES] for mail in game] for line in range(LINES)]
        server = Running(folder, "serve", within=(*machine.ON_OUR_CORE, *SERVING))
        with server.start() as up:
            _wait_for_the_end(folder)  # every page is up, as it is in games that go on
            before, begun = machine.used(up.process.pid), time.monotonic()
            send(up.port, lines, OURS, machine.OTHERS)
            _wait_for_the_end(folder)
            seconds, cpu = time.monotonic() - begun, machine.used(up.process.pid) - before
        count = sum(map(len, lines))
        return Chain(count / seconds, cpu / count * 1000, sink.taken / count)


def _wait_for_the_end(folder: Path) -> None:
    """Until no mail waits to be worked off or to be sent, and no page to be published."""
    store, end = open_store("sqlite:///pbem.db", folder), time.monotonic() + PATIENCE
    asked = (
        "SELECT (SELECT COUNT(*) FROM inbox WHERE state = 'new') + (SELECT COUNT(*) FROM outbox WHERE state = 'ready')"
        " + (SELECT COUNT(*) FROM game WHERE published < wanted)"
    )
    with store.connected():
        while list(store.rows(asked)) != [(0,)]:
            if time.monotonic() > end:
                raise RuntimeError("the server does not come to an end")
            time.sleep(0.05)


STAGES: tuple[tuple[str, object, str], ...] = (
    ("read it", opening, "read"),
    ("find its sender and game", attributing, "borne"),
    ("find its sender and game", attributing, "attributed"),
    ("the game", opening, "desk"),
    ("the game", Desk, "work"),
    ("the game", calendar, "advance"),
    ("word and compose what goes out", answering, "receipt"),
    ("word and compose what goes out", telling, "tell"),
    ("rows of what goes out", queues, "enqueue"),
)

TAKEN, SENT, SHOWN = "read enough to store it, and store it", "send", "publish"
BESIDE_THE_WORKER = (TAKEN, SENT, SHOWN)
OF_THE_SENDER = ("find its sender and game",)


@dataclass(frozen=True, slots=True)
class Stages:
    """Milliseconds of processor time: a mail by stage, of so many `mails`; and a game, for its first pages."""

    shares: dict[str, float]
    mails: int
    first_pages: float


def by_stages(games: int = 60, turns: int = 2, beside: int = 0) -> Stages:
    """One stage after the other in this process; `beside` more games are on the host. What is made once for all (templates,
    clauses) is made before, and so are the first pages of each game."""
    with (
        tempfile.TemporaryDirectory() as name,
        Sink(machine.OTHERS) as sink,
        opened(Path(name), sink.port) as host,
    ):
        names = [f"g{number}" for number in range(games + 1)]
        begin(host, names)
        if beside:
            crowd(host.store, beside, "g0")
        mails = mails_of(host, names, turns)
        _all_stages(host, mails.pop())
        _show_again(host)
        first = _measured(functools.partial(publishing.publish_due, host)) / games * 1000
        shares = _all_stages(host, [mail for game in mails for mail in game])
        return Stages(shares, games * turns * MAILS_A_TURN, first)


def _show_again(host: Host) -> None:
    """The pages of our games, not of the crowd's, are to be published once more; whoever has not made them makes them all."""
    with host.store.transaction():
        host.store.write("UPDATE game SET published = 0 WHERE slug LIKE 'g%'")


def in_the_worker(games: int, beside: int = 0) -> dict[str, float]:
    """The stages of a mail in the worker alone, as in `by_stages`: nothing is sent or published."""
    with tempfile.TemporaryDirectory() as name, opened(Path(name)) as host:
        names = [f"g{number}" for number in range(games + 1)]
        begin(host, names)
        if beside:
            crowd(host.store, beside, "g0")
        mails = mails_of(host, names, 1)
        _worked(host, mails.pop())
        stages = _worked(host, [mail for game in mails for mail in game])
        return {stage: cost for stage, cost in stages.items() if stage not in BESIDE_THE_WORKER}


def _all_stages(host: Host, mails: Mails) -> dict[str, float]:
    shares = _worked(host, mails)
    for stage, part in ((SENT, worker.send_all), (SHOWN, publishing.publish_due)):
        shares[stage] = _measured(functools.partial(part, host)) / len(mails) * 1000
    return shares


def _worked(host: Host, mails: Mails) -> dict[str, float]:
    meter = Meter()
    with meter.watching(*STAGES, ("commit", host.store.db, "commit")):
        taken = _measured(lambda: _take(host, mails))
        with meter.at(REST):
            process.work_off(host, worker.clock())
    shares = {TAKEN: taken, **{stage: spent / 1e9 for stage, spent in meter.spent.items()}}
    return {stage: seconds / len(mails) * 1000 for stage, seconds in shares.items()}


def _take(host: Host, mails: Mails) -> None:
    for sender, content in mails:
        receive(host, content, Envelope(worker.clock(), sender, OURS), "smtp 127.0.0.1")


def _measured(part: Callable[[], object]) -> float:
    begun = process_time()
    part()
    return process_time() - begun
