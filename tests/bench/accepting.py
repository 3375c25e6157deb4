"""Mails of 3 KB over 20 connections, each acknowledged when it is on the disk: our listener beside Postfix.

`python -m tests.bench --only accept`. Our listener has one core and works no mail off; Postfix has all cores, as it comes, and
throws away what it has taken. The client has the other core.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from pbem.cli.app import open_host
from pbem.config import load
from pbem.service.door import Offered
from pbem.service.receive import receive_all
from pbem.service.smtp_in import Guards, SmtpListener
from pbem.service.worker import clock
from tests.bench import machine
from tests.bench.host import opened
from tests.bench.letters import OURS, letter
from tests.bench.wire import Sent, send
from tests.servers.postfix import Postfix

MAILS, LINES, SIZE = 4_000, 20, 3_000
POSTFIX = """
smtpd_relay_restrictions = permit_mynetworks, reject
mynetworks = 127.0.0.0/8
virtual_mailbox_domains = nomic.example
virtual_transport = discard:
smtpd_client_connection_count_limit = 0
smtpd_client_connection_rate_limit = 0
smtpd_client_message_rate_limit = 0
in_flow_delay = 0
"""
_OPEN = ExitStack()
"""What a listener's process keeps open to its end."""


def lines_of_mails() -> list[list[tuple[str, bytes]]]:
    author = ("Alva Alm", "alva@g0.example")
    mails = [
        (author[1], letter(author, "Table talk", "Words of mine.\n", number, size=SIZE))
        for number in range(MAILS)
    ]
    return [mails[line::LINES] for line in range(LINES)]


@contextmanager
def listening() -> Iterator[tuple[int, int]]:
    """The port of a listener in a process of its own, on our core, and that process."""
    with tempfile.TemporaryDirectory() as name:
        with opened(Path(name)):
            pass
        process, port = machine.apart(_listen, name)
        yield port, process.pid or 0
        process.terminate()
        process.join()


def _listen(folder: str) -> int:
    """Starts a listener that goes on in a thread; returns its port."""
    machine.stay_on(machine.OURS)
    config = load(Path(folder) / "pbem.toml", {})
    assert config.intake.smtp is not None
    host = _OPEN.enter_context(open_host(config))

    def take(offered: Sequence[Offered]) -> list[str]:
        with host.store.connected():
            return receive_all(host, offered)

    listener = SmtpListener(config.intake.smtp, config.mail.addresses, Guards.of(config.limits), take, clock)
    listener.start()
    return listener.port


def ours() -> tuple[Sent, float]:
    """How it went, and the milliseconds of processor time a mail."""
    with listening() as (port, process):
        before = machine.used(process)
        sent = send(port, lines_of_mails(), OURS, machine.OTHERS)
        return sent, (machine.used(process) - before) / MAILS * 1000


def postfix() -> Sent:
    with Postfix(POSTFIX) as server:
        return send(server.port, lines_of_mails(), OURS, machine.OTHERS)


def told(sent: Sent) -> str:
    return f"{sent.rate:.0f}/s, p50 {sent.at(0.5):.1f} ms, p99 {sent.at(0.99):.1f} ms"
