"""Several workers on one PostgreSQL, each a process of its own, with mails for many games waiting or coming in.

What lives here: the workers, the mails, and the looks at what came of them. What never may: a way to work off a mail that is not
the product's own.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from email.message import EmailMessage
from multiprocessing.process import BaseProcess
from pathlib import Path
from random import Random

from pbem.cli.app import open_host
from pbem.config import Config, load
from pbem.game import codec
from pbem.mail import tokens
from pbem.mail.message import Envelope
from pbem.service import process, worker
from pbem.service.books import Host
from pbem.service.founding import Plan, found
from pbem.service.receive import TRUSTED, receive
from pbem.store import eventlog
from tests.flow.conftest import PRINTER, SECRET
from tests.flow.post import ADDRESS, KEEPER, PEOPLE, SETTINGS

NAMES = ("Alice", "Bo", "Cia", "Dan")
FORKED = multiprocessing.get_context("fork")
"""A child that begins with all that this process has read."""


def settled(folder: Path, url: str) -> Config:
    """The settings of a host on that database."""
    (folder / "pbem.key").write_text(SECRET, "utf-8")
    (folder / "pbem.key").chmod(0o600)
    (folder / "pbem.toml").write_text(SETTINGS, "utf-8")
    return replace(load(folder / "pbem.toml", {}), database=url)


@contextmanager
def opened(config: Config) -> Iterator[Host]:
    """The host, with its templates compiled before."""
    with open_host(config) as host:
        yield replace(host, printer=PRINTER)


def begin(host: Host, games: tuple[str, ...], at: int, start: bool = True) -> None:
    """So many games, all with the same players."""
    players = tuple(PEOPLE[name] for name in NAMES)
    for game in games:
        found(host, Plan(game, game, "en", "suber", KEEPER, players, {"cooling time": "0"}, start, at))


def words(game: str, number: int, lost: bool = False) -> bytes:
    """A mail with a post for everybody in a game. One that is `lost` has a word in its address that might be a token of ours:
    then nobody can tell at the door which game it is for."""
    mail = EmailMessage()
    mail["From"] = PEOPLE[NAMES[number % len(NAMES)]][1]
    word = tokens.Keyring((b"another host",)).make(tokens.claim("reply", 1, 0, number))
    mail["To"] = tokens.tagged(ADDRESS, word) if lost else ADDRESS
    mail["Subject"] = f"[{game}] {number}"
    mail["Message-ID"] = f"<{game}.{number}@players.example>"
    mail.set_content(f"I should like to say as number {number} that this game is a good one.\n")
    return mail.as_bytes()


class Crew:
    """Workers that work off what waits until they are told to stop, or are killed."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.workers: list[BaseProcess] = []

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        for each in self.workers:
            each.terminate()
        for each in self.workers:
            each.join(20)
            each.kill()

    def grow(self, count: int) -> None:
        """So many more workers."""
        for _ in range(count):
            self.workers.append(FORKED.Process(target=_work, args=(self.config,)))
            self.workers[-1].start()

    def rest(self) -> None:
        """They stand still, and it is as if they had never been told."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """After they have rested."""
        self._signal(signal.SIGCONT)

    def processor_seconds(self) -> float:
        """What they have taken of the processors so far, those that are there."""
        stats = [
            Path(f"/proc/{each.pid}/stat").read_text().rpartition(")")[2].split() for each in self.workers
        ]
        return sum(int(stat[11]) + int(stat[12]) for stat in stats) / os.sysconf("SC_CLK_TCK")

    def _signal(self, number: int) -> None:
        for each in self.workers:
            assert each.pid is not None
            os.kill(each.pid, number)

    def lose_one(self, chance: Random) -> None:
        """One of them dies at whatever it is at, and another takes its place."""
        dying = self.workers.pop(chance.randrange(len(self.workers)))
        dying.kill()
        dying.join()
        self.grow(1)


def _work(config: Config) -> None:
    stopped: list[bool] = []
    signal.signal(signal.SIGTERM, lambda *_: stopped.append(True))
    with opened(config) as host:
        while not stopped:
            try:
                worked = process.work_off(host, worker.clock(), lambda: bool(stopped))
            except Exception:
                if not stopped:
                    raise
                break
            if not worked:
                time.sleep(0.01)


def feed(config: Config, games: tuple[str, ...], numbers: range, lost: float, pause: float = 0) -> None:
    """Mails are taken in, one after the other, for one game and another."""
    chance = Random(0)  # noqa: S311  # the same each time
    with opened(config) as host:
        for number in numbers:
            mail = words(chance.choice(games), number, lost=chance.random() < lost)
            receive(host, mail, Envelope(worker.clock()), TRUSTED)
            time.sleep(pause)


def waiting(host: Host) -> int:
    """How many mails are not done with."""
    with host.store.reading():
        ((count,),) = host.store.rows("SELECT count(*) FROM inbox WHERE state <> 'done'")
        return int(count)


def done(host: Host) -> int:
    with host.store.reading():
        ((count,),) = host.store.rows("SELECT count(*) FROM inbox WHERE state = 'done'")
        return int(count)


def lanes(host: Host) -> dict[str, int]:
    """How many mails were taken in for each lane, as it stands now."""
    with host.store.reading():
        return dict(host.store.rows("SELECT lane, count(*) FROM inbox GROUP BY lane"))  # type: ignore[arg-type]  # pairs


def arrived(host: Host) -> dict[str, list[str]]:
    """The mails of each game in order of arrival, by their digests."""
    found = defaultdict(list)
    with host.store.reading():
        for game, digest in host.store.rows("SELECT game, digest FROM inbox ORDER BY received, id"):
            found[game].append(digest)
    return dict(found)


def acted(host: Host, games: tuple[str, ...]) -> dict[str, list[str]]:
    """The mails that stand behind each game's log, in its order, as often as they do; each log must be whole."""
    with host.store.reading():
        logs = {game: tuple(eventlog.load(host.store, game)) for game in games}
    for game, log in logs.items():
        before = codec.GENESIS
        for seq, record in enumerate(log, 1):
            linked = codec.link(before, record.seq, record.at, record.mail, record.kind, record.body)
            assert (record.seq, record.hash) == (seq, linked), f"{game}: the log breaks off at {seq}"
            before = record.hash
    return {game: [record.mail for record in log if record.mail] for game, log in logs.items()}
