"""What a mail costs late in a game beside one early in it, from the inbox to the outbox. `python -m tests.bench.growing`"""

from __future__ import annotations

import statistics
import sys
import tempfile
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
MEASURED = 5
"""Turns."""


def cost_at(*events: int) -> list[float]:
    """Milliseconds of processor time a mail, in the middle of some turns, in a game whose log is so long; its state is at hand,
    as it is after its first mail."""
    game, costs = LongGame(), []
    for length in events:
        game.grow(length)
        with tempfile.TemporaryDirectory() as name, opened(Path(name)) as host:
            _put(host, game)
            costs.append(_turns(host, game.now))
    return costs


def _put(host: Host, game: LongGame) -> None:
    """The game into the database, with its people."""
    with host.store.transaction():
        eventlog.create_game(host.store, GAME, game.log[0].at)
        eventlog.append(host.store, GAME, 0, game.log)
        for player, who in enumerate(PLAYERS, 1):
            people.sit(host.store, GAME, people.add_person(host.store, who, _address(who)), "player", player)


def _address(who: str) -> str:
    return f"{who.split(maxsplit=1)[0].lower()}@{GAME}.example"


def _turns(host: Host, now: int) -> float:
    costs: list[float] = []
    with host.store.reading():
        state = Books(host).state(GAME)
    order = [player.name for player in turns.order(state)]
    first = order.index(state.players[state.on_turn or 0].name)
    for at in range(MEASURED + 1):
        number = state.last_number + 1 + at
        asked = "propose enact: Tea\nTea is served at four.\nend\n\ncall vote\n"
        mails = [(order[(first + at) % len(order)], asked), *((name, f"for {number}\n") for name in order)]
        costs += [_mail(host, *mail, now := now + 1_000_000) for mail in mails][0 if at else len(mails) :]
    return statistics.median(costs) * 1000


def _mail(host: Host, who: str, words: str, now: int) -> float:
    content = letter((who, _address(who)), f"[{GAME}] a mail", words, now // 1_000_000)
    begun = process_time()
    receive(host, content, Envelope(now, _address(who), OURS), "smtp 127.0.0.1")
    process.work_off(host, now)
    return process_time() - begun


def main() -> None:
    early, late = cost_at(EARLY, LATE)
    sys.stdout.write(
        f"a mail costs {early:.2f} ms at event {EARLY:,} and {late:.2f} ms at event {LATE:,}: {late / early:.2f} times as much\n"
    )


if __name__ == "__main__":
    main()
