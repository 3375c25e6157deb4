"""A mailbox that filled up while nobody looked: read from Dovecot, worked off, answered. `python -m tests.bench --only mailbox`"""

from __future__ import annotations

import ssl
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from pbem.config import ImapIntake, Secret
from pbem.service import process, worker
from pbem.service.books import Host
from pbem.service.imap_in import ImapPoller
from pbem.service.receive import receive_all
from tests.bench import machine
from tests.bench.chain import mails_of
from tests.bench.host import begin, opened
from tests.bench.wire import Sink
from tests.servers.dovecot import PASSWORD, Dovecot

MAILS = 2_000
TURNS = 2


@dataclass(frozen=True, slots=True)
class Backlog:
    """Mails a second taken in, and taken in, worked off and answered; the same by our processor time alone."""

    taken: float
    done: float
    taken_cpu: float
    done_cpu: float


def _fill(dovecot: Dovecot, mails: Sequence[bytes]) -> None:
    """Puts mails into the mailbox of `nomic`."""
    with dovecot.client("nomic") as client:
        for mail in mails:
            client.append("INBOX", mail)


def worked_off(mails: int = MAILS) -> Backlog:
    games = [f"g{number}" for number in range(max(1, mails // (8 * TURNS)))]
    with ExitStack() as opened_now:
        name = opened_now.enter_context(tempfile.TemporaryDirectory())
        sink, dovecot = opened_now.enter_context(Sink(machine.OTHERS)), opened_now.enter_context(Dovecot())
        host = opened_now.enter_context(opened(Path(name), sink.port))
        begin(host, games)
        letters = [mail for _, mail in sorted_by_turn(host, games)]
        _fill(dovecot, letters)
        clock, cpu = time.perf_counter(), time.process_time()
        _poller(host, dovecot, Path(name)).poll_once()
        taken, taken_cpu = time.perf_counter() - clock, time.process_time() - cpu
        process.work_off(host, worker.clock())
        worker.send_all(host)
        done, done_cpu = time.perf_counter() - clock, time.process_time() - cpu
    count = len(letters)
    return Backlog(count / taken, count / done, count / taken_cpu, count / done_cpu)


def sorted_by_turn(host: Host, games: Sequence[str]) -> list[tuple[str, bytes]]:
    """The mails of all games mixed, each game's in order."""
    made = mails_of(host, games, TURNS)
    return [game[at] for at in range(len(made[0])) for game in made]


def _poller(host: Host, dovecot: Dovecot, folder: Path) -> ImapPoller:
    (folder / "imap-password").write_text(PASSWORD)
    account = ImapIntake(
        "127.0.0.1",
        "nomic",
        port=dovecot.port,
        tls="none",
        password_file=Secret(folder / "imap-password"),
        processed="Done",
    )

    def alarm(sentence: str) -> None:
        raise RuntimeError(sentence)

    return ImapPoller(
        account,
        host.store,
        lambda mails: receive_all(host, mails),
        worker.clock,
        limit=1_000_000,
        alarm=alarm,
        tls=ssl.create_default_context(),
    )
