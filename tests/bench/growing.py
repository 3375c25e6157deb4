"""What a mail costs late in a game beside one early in it, from the inbox to the outbox. `python -m tests.bench --only growth`"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from time import process_time

from pbem.game import turns
from pbem.mail.message import Envelope
from pbem.service import process
from pbem.service.books import Books, Host
from pbem.service.receive import receive
from pbem.store import eventlog, people
from tests.bench.host import opened
from tests.bench.letters import OURS, letter
from tests.bench.long_game import PLAYERS, LongGame

GAME = "long"
EARLY, LATE = 1_000, 100_000
MEASURED = 10
"""Turns."""


def costs() -> tuple[float, float]:
    """Milliseconds of processor time a mail, early and late in a game: in the middle of some turns, played in turn. The state is
    at hand, as it is after a game's first mail."""
    game, played = LongGame(), []
    with ExitStack() as hosts:
        for length in (EARLY, LATE):
            game.grow(length)
            host = hosts.enter_context(opened(Path(hosts.enter_context(tempfile.TemporaryDirectory()))))
            _put(host, game)
            played.append(_turns(host, game.now))
        turns_played = [[next(one) for one in played] for _ in range(MEASURED + 1)][1:]
    early, late = (
        statistics.median([each for turn in column for each in turn]) * 1000
        for column in zip(*turns_played, strict=True)
    )
    return early, late


def _put(host: Host, game: LongGame) -> None:
    """The game into the database, with its people."""
    with host.store.transaction():
        eventlog.create_game(host.store, GAME, game.log[0].at)
        eventlog.append(host.store, GAME, 0, game.log)
        for player, who in enumerate(PLAYERS, 1):
            people.sit(host.store, GAME, people.add_person(host.store, who, _address(who)), "player", player)


def _address(who: str) -> str:
    return f"{who.split(maxsplit=1)[0].lower()}@{GAME}.example"


def _turns(host: Host, now: int) -> Iterator[list[float]]:
    """One turn after another: what each of its mails costs."""
    with host.store.reading():
        state = Books(host).state(GAME)
    order = [player.name for player in turns.order(state)]
    first = order.index(state.players[state.on_turn or 0].name)
    for at in count():
        number = state.last_number + 1 + at
        asked = "propose enact: Tea\nTea is served at four.\nend\n\ncall vote\n"
        mails = [(order[(first + at) % len(order)], asked), *((name, f"for {number}\n") for name in order)]
        yield [_mail(host, *mail, now := now + 1_000_000) for mail in mails]


def _mail(host: Host, who: str, words: str, now: int) -> float:
    content = letter((who, _address(who)), f"[{GAME}] a mail", words, now // 1_000_000)
    begun = process_time()
    receive(host, content, Envelope(now, _address(who), OURS), "smtp 127.0.0.1")
    process.work_off(host, now)
    return process_time() - begun
