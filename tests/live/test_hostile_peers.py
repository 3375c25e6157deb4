"""Peers that smuggle, flood or fall asleep: nothing of theirs becomes a mail, memory stays where it was, and an honest mail is taken
meanwhile.

What lives here: what they send, to a listener with the guards that the settings have by themselves. What never may: a time that is a
verdict; how long the honest mail took is told.
"""

from __future__ import annotations

import smtplib
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict
from time import perf_counter

import pytest
from aiosmtpd.smtp import SMTP

from pbem.config import Limits
from pbem.service import smtp_in
from pbem.service.smtp_in import Guards, SmtpListener
from tests.live.test_smtp_in import VOTE, Line, Store, flood, listening, post, store
from tests.promises.cost import cost
from tests.promises.table import Promise

pytestmark = pytest.mark.live

__all__ = ["store"]

MOST_MEGABYTES = 16
FLOOD = 200_000_000
PEERS = 200
GUARDS = asdict(Guards.of(Limits()))
SECOND = b"MAIL FROM:<keeper@nomic.example>\r\nRCPT TO:<nomic@nomic.example>\r\nDATA\r\nSubject: x\r\n\r\nfor 301\r\n.\r\n"
ENDINGS = (
    *(b"\n.\n", b"\n.\r\n", b"\r\n.\n", b"\r.\r", b"\r\n.\r", b"\n\n.\r\n", b"\r.\r\n", b"\r\n.\r\r\n"),
    *(b"\r\n\0.\r\n\n.\n", b"\r\n.\0\r\n.\n", b"\x85.\x85\n", b"\r\n..\n.\r", b"\r\r\n.\r\r\n"),
)
"""Ends of a mail for a server that is less strict than the standard, or more lenient than the one before it."""
INJECTED = {
    "behind STARTTLS, without a hello": b"STARTTLS\r\n" + SECOND,
    "lines that end in LF": SECOND.replace(b"\r\n", b"\n"),
    "lines that end in CR": SECOND.replace(b"\r\n", b"\r"),
    "in an address": b"EHLO x\r\nMAIL FROM:<a@b.example\nRCPT TO:<nomic@nomic.example>\nDATA\n>\r\nDATA\r\n"
    + SECOND[83:],
    "in an address, all of it": b"EHLO x\r\nMAIL FROM:<a@b.example\n"
    + SECOND.replace(b"\r\n", b"\n")
    + b">\r\n.\r\n",
    "in a hello": b"EHLO x\n" + SECOND.replace(b"\r\n", b"\n") + b"\r\n",
    "for somebody who is not here": b"EHLO x\r\n" + SECOND.replace(b"<nomic@", b"<nobody@"),
    "HTTP": b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 999\r\n\r\n" + SECOND,
}


def honest_mail(listener: SmtpListener) -> float:
    """Somebody else's mail comes in meanwhile; the seconds that it takes."""
    begun = perf_counter()
    post(listener)
    return perf_counter() - begun


def stays_out(promise: Promise, store: Store, *said: bytes, data: bool = False) -> None:
    """A peer says this, and hangs up; an honest one comes after it. Only that one's mail is there."""
    with listening(store) as listener, cost() as spent:
        with Line(listener) as line:
            if data:
                line.open_data()
            for part in said:
                line.socket.sendall(part)
            line.socket.settimeout(0.2)
            with suppress(TimeoutError, OSError):
                while line.file.readline():
                    pass
        took = honest_mail(listener)
    promise.shows(
        faults=1,
        mails=1,
        accepted=sum(content != VOTE for content, _, _ in store.mails),
        lost=int(VOTE not in [content for content, _, _ in store.mails]),
        seconds=took,
        megabytes=spent.megabytes,
    )


@pytest.mark.promise(15)
@pytest.mark.parametrize("end", ENDINGS)
def test_no_second_mail_is_smuggled_in_one(promise: Promise, store: Store, end: bytes) -> None:
    stays_out(promise, store, b"Subject: one\r\n\r\nbody" + end + SECOND, data=True)


@pytest.mark.promise(15)
@pytest.mark.parametrize("way", INJECTED)
def test_no_mail_is_injected(promise: Promise, store: Store, way: str) -> None:
    stays_out(promise, store, INJECTED[way])


@pytest.mark.promise(15)
def test_nothing_stands_behind_starttls_for_there_is_none(promise: Promise, store: Store) -> None:
    """What is said behind it is said in clear, as all before it: a peer gains nothing, and no reply is taken for another's."""
    with listening(store) as listener, Line(listener) as line:
        line.socket.sendall(b"EHLO x\r\nSTARTTLS\r\nNOOP\r\n")
        replies = [line.reply()[:3] for _ in range(3)]
    promise.shows(faults=1, accepted=int(replies[1] == b"220"))
    assert (replies[0], replies[2]) == (b"250", b"250")


FLOODS = {
    "a mail without a line end": (True, b"x" * 65_536),
    "a mail of lines": (True, b"x" * 998 + b"\r\n"),
    "a mail of line ends": (True, b"\r\n" * 32_768),
    "a command without a line end": (False, b"x" * 65_536),
    "commands": (False, b"RSET\r\n" * 10_000),
    "recipients": (False, b"RCPT TO:<nobody@nomic.example>\r\n" * 2_000),
    "nought": (False, b"\0" * 65_536),
}


def stays_small(promise: Promise, store: Store, flood_: str) -> None:
    """A peer sends two hundred megabytes, or as much as is taken from it, while an honest mail comes in."""
    data, chunk = FLOODS[flood_]
    with listening(store, **GUARDS) as listener, Line(listener) as line:
        line.say("EHLO mail.example")
        with cost() as spent:
            if data:
                line.open_data()
            sent = flood(line, chunk, FLOOD)
            took = honest_mail(listener)
    promise.shows(
        faults=1,
        mails=1,
        lost=int([content for content, _, _ in store.mails] != [VOTE]),
        seconds=took,
        megabytes=spent.megabytes,
    )
    assert spent.megabytes < MOST_MEGABYTES
    assert sent < FLOOD, "it was cut off"


@pytest.mark.promise(15)
@pytest.mark.parametrize("way", FLOODS)
def test_a_flood_fills_no_memory(promise: Promise, store: Store, way: str) -> None:
    stays_small(promise, store, way)


@contextmanager
def slow_peers(listener: SmtpListener, count: int) -> Iterator[list[socket.socket]]:
    """From five addresses; each has said half of what it wants to say."""
    with ExitStack() as opened:
        peers = []
        for number in range(count):
            here = (f"127.0.1.{number % 5 + 1}", 0)
            peer = opened.enter_context(
                socket.create_connection(("127.0.0.1", listener.port), timeout=20, source_address=here)
            )
            with suppress(OSError):
                peer.sendall((b"EHLO", b"EHLO x\r\nMAIL FR", SECOND[:70], b"")[number % 4])
            peers.append(peer)
        yield peers


def lets_others_in(promise: Promise, store: Store, peers: int, honest: int = 10) -> None:
    with listening(store, **GUARDS) as listener, cost() as spent, slow_peers(listener, peers):
        took, lost = 0.0, 0
        for number in range(honest):
            begun = perf_counter()
            try:
                post(listener, VOTE + b"%d\r\n" % number)
            except smtplib.SMTPException:
                lost += 1
            took = max(took, perf_counter() - begun)
    promise.shows(
        faults=peers,
        mails=honest,
        lost=lost,
        accepted=sum(not content.startswith(VOTE) for content, _, _ in store.mails),
        seconds=took,
        megabytes=spent.megabytes,
    )
    assert spent.megabytes < MOST_MEGABYTES


@pytest.mark.promise(15)
def test_two_hundred_peers_that_fall_asleep_keep_nobody_out(promise: Promise, store: Store) -> None:
    lets_others_in(promise, store, PEERS)


@pytest.mark.promise(15)
@pytest.mark.parametrize("way", ["a mail without a line end", "a command without a line end"])
def test_aiosmtpd_by_itself_is_seen(
    promise: Promise, store: Store, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setattr(smtp_in._Session, "data_received", SMTP.data_received)
    with promise.breaks("no guard on what arrives"):
        stays_small(promise, store, way)


@pytest.mark.promise(15)
def test_a_listener_that_takes_any_line_end_is_seen(
    promise: Promise, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(smtp_in, "has_bare_ends", lambda _: False)
    with promise.breaks("bare line ends are taken"):
        stays_out(promise, store, b"Subject: one\r\n\r\nbody\n.\n" + SECOND, data=True)


@pytest.mark.promise(15)
def test_a_listener_that_counts_no_addresses_is_seen(
    promise: Promise, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(GUARDS, "connections_an_address", 1_000)
    with promise.breaks("one address may have all places"):
        lets_others_in(promise, store, PEERS)
