"""A host for measuring: real settings and a real SQLite, some games in which mails come, and any number of others beside them.

What lives here: making it, and the mails of its players. What never may: a measurement.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pbem.cli.app import open_host
from pbem.config import load
from pbem.game import turns
from pbem.mail.phrasing import phrase
from pbem.render import Printer
from pbem.service.books import Books, Host
from pbem.service.founding import Plan, found
from pbem.store.db import Store
from tests.bench.letters import OURS, RECEIVER, letter

SETTINGS = """
[mail]
address = "{ours}"
[identity]
trusted_receivers = ["{receiver}"]
[limits]
connections_an_address = 100
[intake.smtp]
port = 0
[delivery.smtp]
host = "127.0.0.1"
port = {port}
[site]
folder = "site"
url = "https://nomic.example/"
"""
NAMES = ("Alva Alm", "Bo Berg", "Cia Ceder", "Dan Dahl", "Eva Ek")
KEEPER = ("Kim Kvist", "kim@kvist.example")
HOUSE = {"cooling time": "0"}
WORDS = "I have read it twice now, and on the whole I should like a cup of it, with milk rather than without."
PRINTER = Printer(phrase)
SECRET = "the same on each host, so that their mails can be compared"
MAILS_A_TURN = 8


@dataclass(frozen=True, slots=True)
class Player:
    """A seat of a game: the name, and the address mails come from."""

    name: str
    address: str


@contextmanager
def opened(folder: Path, sink: int = 25) -> Iterator[Host]:
    """A host in `folder` whose mails go to port `sink`."""
    (folder / "pbem.toml").write_text(SETTINGS.format(ours=OURS, receiver=RECEIVER, port=sink), "utf-8")
    (folder / "pbem.key").write_text(SECRET, "utf-8")
    (folder / "pbem.key").chmod(0o600)
    logging.getLogger("pbem").setLevel(logging.INFO)
    with open_host(load(folder / "pbem.toml", {})) as host:
        yield host


def seats(game: str) -> list[Player]:
    """Five players who play in this game alone."""
    return [Player(name, f"{name.split()[0].lower()}@{game}.example") for name in NAMES]


def begin(host: Host, games: Sequence[str]) -> None:
    """These games have begun, and their first mails are out."""
    for game in games:
        players = tuple((player.name, player.address) for player in seats(game))
        now = time.time_ns() // 1000
        found(host, Plan(game, game.title(), "en", "suber", KEEPER, players, HOUSE, True, now))
    with host.store.transaction():
        host.store.write("UPDATE outbox SET state = 'sent'")
        host.store.write("UPDATE game SET published = wanted")


def crowd(store: Store, count: int, of: str) -> None:
    """`count` more games like `of`, each with five players, its log, and its next moment a week from now or later."""
    soon = time.time_ns() // 1000 + 7 * 86_400_000_000
    n = "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?)"
    with store.transaction():
        ((first,),) = store.rows("SELECT MAX(id) FROM person")
        for asked, values in (
            (
                "game (slug, created, seq, hash, due, wanted, published, privacy)"
                " SELECT 'crowd' || n, created, seq, hash, ? + n, wanted, wanted, privacy FROM n, game WHERE slug = ?",
                (soon, of),
            ),
            (
                "event (game, seq, at, mail, kind, body, hash) SELECT 'crowd' || n, seq, at, mail, kind, body, hash FROM n, event WHERE game = ?",
                (of,),
            ),
            (
                "person (id, name, mail, html, digests, gathered) SELECT ? + n, 'Somebody', 'each', 1, 1, 0 FROM n",
                (first,),
            ),
            (
                "address (address, person, bounces) SELECT 'p' || n || '@crowd.example', ? + n, 0 FROM n",
                (first,),
            ),
        ):
            store.write(f"{n} INSERT INTO {asked}", count, *values)  # no value
        for player in range(1, 6):
            seat = "seat (game, role, person, player, gathered) SELECT 'crowd' || n, 'player', ? + 1 + (n + ?) % ?, ?, 0 FROM n"
            store.write(f"{n} INSERT INTO {seat}", count, first, player * 7, count, player)  # no value


def turn(host: Host, game: str, number: int, first: int = 0) -> Iterator[tuple[str, bytes]]:
    """The mails of the next turn of a game, in order, each with its sender: a proposal, two words in its debate, five
    ballots. `number` is the proposal's, `first` tells the mails from those of other turns."""
    order = _order(host, game)
    who = {player.name: player for player in seats(game)}
    turn_of = order[(number - 301) % len(order)]
    at = f"nomic+{game}@nomic.example"
    asked = "propose enact: Tea\nTea is served at four, with milk and without.\nend\n\ncall vote\n"
    yield _by(who[turn_of], f"[{game}] My proposal", asked, first, at)
    for place, name in enumerate(order[1:3], 1):
        yield _by(who[name], f"Re: [{game}] Proposal {number}: Tea", WORDS, first + place, at)
    for place, name in enumerate(order, 3):
        yield _by(
            who[name], f"Re: [{game}] Vote on proposal {number}: Tea", f"for {number}\n", first + place, at
        )


def _order(host: Host, game: str) -> list[str]:
    """The players' names in the order of their turns, beginning with whoever is on turn."""
    with host.store.reading():
        state = Books(host).state(game)
    names = [player.name for player in turns.order(state)]
    at = names.index(state.players[state.on_turn].name)  # type: ignore[index]
    return names[at:] + names[:at]


def _by(player: Player, subject: str, words: str, number: int, to: str) -> tuple[str, bytes]:
    return player.address, letter((player.name, player.address), subject, words, number, to=to)
