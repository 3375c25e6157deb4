"""Mail comes in by SMTP and LMTP, from the honest, the clumsy and the hostile."""

from __future__ import annotations

import asyncio
import smtplib
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import pytest
from aiosmtpd.smtp import SMTP

from pbem.config import SmtpIntake
from pbem.mail.message import Envelope
from pbem.service.smtp_in import Guards, SmtpListener, _Session

pytestmark = pytest.mark.live

OURS = ("nomic@nomic.example", "vote@nomic.example")
VOTE = b"From: alice@mail.example\r\nTo: nomic@nomic.example\r\nSubject: 301\r\n\r\nfor 301\r\n"
NOON = 1_796_000_000_000_000
GUARDS = Guards(
    size=100_000,
    bytes_a_mail=400_000,
    session_seconds=30,
    idle_seconds=30,
    connections=20,
    connections_an_address=10,
    commands=100,
)

BAD = VOTE.replace(b"Subject", b"X-Bad")


@dataclass
class Store:
    """A store that keeps mails in a list, and fails or dawdles when told to."""

    mails: list[tuple[bytes, Envelope, str]] = field(default_factory=list)
    failure: Exception | None = None
    unbearable: tuple[bytes, ...] = ()
    together: list[int] = field(default_factory=list)
    begun: threading.Event = field(default_factory=threading.Event)
    go_on: threading.Event = field(default_factory=threading.Event)

    def receive_all(self, mails: Sequence[tuple[bytes, Envelope, str]]) -> list[str]:
        self.begun.set()
        assert self.go_on.wait(20)
        if self.failure:
            raise self.failure
        if any(content in self.unbearable for content, _, _ in mails):
            raise RuntimeError("this mail is too much for us")
        self.mails += mails
        self.together.append(len(mails))
        return ["new"] * len(mails)


@pytest.fixture
def store() -> Store:
    quick = Store()
    quick.go_on.set()
    return quick


@contextmanager
def listening(
    store: Store, protocol: Literal["smtp", "lmtp"] = "smtp", **guards: Any
) -> Iterator[SmtpListener]:
    intake = SmtpIntake(port=0, protocol=protocol)
    listener = SmtpListener(intake, OURS, replace(GUARDS, **guards), store.receive_all, lambda: NOON)
    listener.start()
    try:
        yield listener
    finally:
        listener.stop()


def connect(listener: SmtpListener) -> smtplib.SMTP:
    kind = smtplib.LMTP if listener.intake.protocol == "lmtp" else smtplib.SMTP
    return kind("127.0.0.1", listener.port, local_hostname="mail.example", timeout=20)


def post(
    listener: SmtpListener, content: bytes = VOTE, to: str = OURS[0], by: str = "alice@mail.example"
) -> None:
    with connect(listener) as client:
        client.sendmail(by, [to], content)


class Line:
    """A bare connection: what is written goes out as it is."""

    def __init__(self, listener: SmtpListener) -> None:
        self.socket = socket.create_connection(("127.0.0.1", listener.port), timeout=20)
        self.file = self.socket.makefile("rb")
        self.hello = "LHLO" if listener.intake.protocol == "lmtp" else "EHLO"

    def __enter__(self) -> Line:
        assert self.reply().startswith(b"220")
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()
        self.socket.close()

    def reply(self) -> bytes:
        """The last line of the next reply; empty when the connection is closed."""
        try:
            while (line := self.file.readline())[3:4] == b"-":
                pass
        except ConnectionResetError:
            return b""
        return line

    def say(self, command: str) -> bytes:
        self.socket.sendall(command.encode() + b"\r\n")
        return self.reply()

    def open_data(self, to: str = OURS[0]) -> None:
        """Everything up to the reply to DATA."""
        for command in (f"{self.hello} mail.example", "MAIL FROM:<alice@mail.example>", f"RCPT TO:<{to}>"):
            assert self.say(command).startswith(b"250")
        assert self.say("DATA").startswith(b"354")


def test_a_mail_is_stored_as_it_came_with_what_the_envelope_said(store: Store) -> None:
    with listening(store) as listener:
        post(listener, VOTE + b"..dots\r\n.\xe5\0\r\n", to="Nomic+K7@Nomic.example")
    ((content, envelope, source),) = store.mails
    assert content == VOTE + b"..dots\r\n.\xe5\0\r\n"
    assert envelope == Envelope(NOON, "alice@mail.example", "Nomic+K7@Nomic.example")
    assert source == "smtp 127.0.0.1"


def test_the_null_sender_of_a_bounce_is_kept_apart_from_none(store: Store) -> None:
    with listening(store) as listener:
        post(listener, by="")
    assert store.mails[0][1].sender == ""


def test_an_address_in_broken_bytes_does_not_stop_the_mail(store: Store) -> None:
    with listening(store) as listener, Line(listener) as line:
        line.say("EHLO mail.example")
        line.socket.sendall(b"MAIL FROM:<\xe5sa@mail.example>\r\n")
        assert line.reply().startswith(b"250")
        line.say(f"RCPT TO:<{OURS[0]}>")
        line.say("DATA")
        assert line.say("Subject: 301\r\n\r\nfor\r\n.").startswith(b"250")
    assert store.mails[0][1].sender == "\N{REPLACEMENT CHARACTER}sa@mail.example"


def test_250_is_said_only_after_the_mail_is_stored() -> None:
    store = Store()
    with listening(store) as listener, Line(listener) as line:
        line.open_data()
        line.socket.sendall(VOTE + b".\r\n")
        assert store.begun.wait(20)
        line.socket.settimeout(0.3)
        with pytest.raises(TimeoutError):
            line.socket.recv(1)
        assert store.mails == []
        store.go_on.set()
        line.socket.settimeout(20)
        assert line.socket.recv(100).startswith(b"250 2.0.0")
        assert len(store.mails) == 1


def test_while_one_mail_is_being_stored_another_peer_is_served() -> None:
    store = Store()
    with listening(store) as listener, Line(listener) as slow, Line(listener) as other:
        slow.open_data()
        slow.socket.sendall(VOTE + b".\r\n")
        assert store.begun.wait(20)
        assert other.say("EHLO mail.example").startswith(b"250")
        store.go_on.set()
        assert slow.reply().startswith(b"250")


@pytest.mark.parametrize(
    ("second", "replies", "together"),
    [(VOTE, [b"250"] * 4, [1, 3]), (BAD, [b"250", b"250", b"451", b"250"], [1, 1, 1])],
    ids=["all are good", "a bad one keeps no other back"],
)
def test_what_comes_while_a_mail_is_being_stored_is_stored_together(
    second: bytes, replies: list[bytes], together: list[int]
) -> None:
    store = Store(unbearable=(BAD,))
    with ExitStack() as open_lines:
        listener = open_lines.enter_context(listening(store))
        lines = [open_lines.enter_context(Line(listener)) for _ in range(4)]
        for line, mail in zip(lines, (VOTE, VOTE, second, VOTE), strict=True):
            line.open_data()
            line.socket.sendall(mail + b".\r\n")
            assert store.begun.wait(20)
        with Line(listener) as last:  # whoever is answered has been listened to, and so have those before
            assert last.say("EHLO mail.example").startswith(b"250")
        store.go_on.set()
        said = [line.reply()[:3] for line in lines]

    assert said == replies
    assert store.together == together


def test_what_cannot_be_stored_is_to_be_sent_again_and_nothing_is_told(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    store.failure = OSError("disk /var/lib/pbem is full")
    with listening(store) as listener:
        with pytest.raises(smtplib.SMTPDataError) as refusal:
            post(listener)
        assert refusal.value.smtp_code == 451
        assert "disk" not in str(refusal.value.smtp_error)
        store.failure = None
        post(listener)
    assert len(store.mails) == 1
    assert "disk /var/lib/pbem is full" in caplog.text


@pytest.mark.parametrize(
    "said",
    [
        "<a@b.example>",
        "<a.b+c@d-e.example> SIZE=10 BODY=8BITMIME",
        "<>",
        "<> SIZE=3",
        "a@b.example",
        "<a..b@c.example>",
        "<.a@b.example>",
        "<a@b..example>",
        "<a@[192.0.2.1]>",
        '<"x y"@b.example>',
        "<åsa@b.example>",
        "<a@b_c.example>",
        "<a@b.example> (c) SIZE=1",
        "<a@b.example>x",
        "<@x.example:a@b.example>",
        "<a @b.example>",
        "<a@b.example>\t ",
    ],
)
def test_an_address_that_is_plain_is_read_as_the_library_reads_it(store: Store, said: str) -> None:
    with listening(store) as listener:

        async def both() -> tuple[object, object]:
            session = _Session(listener)
            return session._getaddr(said), SMTP._getaddr(session, said)

        ours, theirs = asyncio.run(both())
    assert ours == theirs


@pytest.mark.parametrize(
    "to", ["stranger@nomic.example", "nomic@elsewhere.example", "nomic-k7@nomic.example"]
)
def test_nobody_of_another_name_is_here(store: Store, to: str) -> None:
    with listening(store) as listener, pytest.raises(smtplib.SMTPRecipientsRefused) as refusal:
        post(listener, to=to)
    assert refusal.value.recipients[to][0] == 550
    assert store.mails == []


def test_a_second_recipient_is_for_another_time(store: Store) -> None:
    with listening(store) as listener, connect(listener) as client:
        refused = client.sendmail("alice@mail.example", list(OURS), VOTE)
    assert [code for code, _ in refused.values()] == [452]
    assert [envelope.recipient for _, envelope, _ in store.mails] == [OURS[0]]


def test_an_lmtp_mail_with_several_recipients_never_hangs(store: Store) -> None:
    with listening(store, "lmtp") as listener, connect(listener) as client:
        refused = client.sendmail("alice@mail.example", ["stranger@nomic.example", *OURS], VOTE)
        assert client.noop()[0] == 250
    assert {address: code for address, (code, _) in refused.items()} == {
        "stranger@nomic.example": 550,
        OURS[1]: 452,
    }
    assert [(envelope.recipient, source) for _, envelope, source in store.mails] == [
        (OURS[0], "lmtp 127.0.0.1")
    ]


def test_one_connection_carries_many_mails(store: Store) -> None:
    with listening(store, bytes_a_mail=2_000) as listener, connect(listener) as client:
        for number in range(30):
            client.sendmail("alice@mail.example", [OURS[0]], VOTE + b"%d\r\n" % number)
    assert [content for content, _, _ in store.mails] == [VOTE + b"%d\r\n" % number for number in range(30)]


@pytest.mark.parametrize("protocol", ["smtp", "lmtp"])
def test_commands_that_come_together_are_answered_one_after_the_other(store: Store, protocol: str) -> None:
    def commands(to: str) -> bytes:
        said = f"MAIL FROM:<alice@mail.example>\r\nRCPT TO:<{to}>\r\nDATA\r\n"
        return said.encode()

    with listening(store, protocol) as listener, Line(listener) as line:
        line.socket.sendall(f"{line.hello} mail.example\r\n".encode())
        said = [line.file.readline()]
        while said[-1][3:4] == b"-":
            said.append(line.file.readline())
        assert b"250-PIPELINING\r\n" in said
        line.socket.sendall(commands(to="stranger@nomic.example"))
        assert [line.reply()[:3] for _ in range(3)] == [b"250", b"550", b"503"]
        line.socket.sendall(b"RSET\r\n" + commands(to=OURS[0]))
        assert [line.reply()[:3] for _ in range(4)] == [b"250", b"250", b"250", b"354"]
        line.socket.sendall(VOTE + b".\r\n" + commands(to=OURS[1]))
        assert [line.reply()[:3] for _ in range(4)] == [b"250", b"250", b"250", b"354"]
        line.socket.sendall(VOTE + b".\r\nQUIT\r\n")
        assert [line.reply()[:3] for _ in range(2)] == [b"250", b"221"]
    assert [envelope.recipient for _, envelope, _ in store.mails] == list(OURS)


@pytest.mark.parametrize(
    "end", [b"\n.\n", b"\n.\r\n", b"\r\n.\n", b"\r.\r", b"\r\n.\r", b"\n\n.\r\n", b"\r.\r\n"]
)
def test_no_second_mail_is_smuggled_in_the_first(store: Store, end: bytes) -> None:
    second = b"MAIL FROM:<keeper@nomic.example>\r\nRCPT TO:<nomic@nomic.example>\r\nDATA\r\nfor 301\r\n"
    with listening(store) as listener, Line(listener) as line:
        line.open_data()
        line.socket.sendall(b"Subject: one\r\n\r\nbody" + end + second + b".\r\n")
        assert line.reply().startswith(b"550 5.6.0")
        assert line.say("NOOP").startswith(b"250")
    assert store.mails == []


@pytest.mark.parametrize("bare", [b"\n", b"\r"])
def test_the_mail_server_before_us_may_hand_over_bare_line_ends(store: Store, bare: bytes) -> None:
    with listening(store, "lmtp") as listener, Line(listener) as line:
        line.open_data()
        line.socket.sendall(b"Subject: 301\r\n\r\nfor" + bare + b"301\r\n.\r\n")
        assert line.reply().startswith(b"250")
    assert store.mails[0][0] == b"Subject: 301\r\n\r\nfor" + bare + b"301\r\n"


def test_a_line_far_beyond_the_standard_is_taken(store: Store) -> None:
    with listening(store) as listener:
        post(listener, VOTE + b"x" * 60_000 + b"\r\n")
    assert len(store.mails[0][0]) == len(VOTE) + 60_002


def test_the_size_limit_is_advertised_and_kept(store: Store) -> None:
    with listening(store) as listener:
        with connect(listener) as client:
            client.ehlo()
            assert client.esmtp_features["size"] == "100000"
            assert client.mail("alice@mail.example", ["SIZE=100001"])[0] == 552
        with Line(listener) as line:
            line.open_data()
            line.socket.sendall(b"x" * 78 + b"\r\n")
            for _ in range(1_250):
                line.socket.sendall(b"x" * 78 + b"\r\n")
            assert line.say(".").startswith(b"552")
            assert line.say("NOOP").startswith(b"250")
    assert store.mails == []


def flood(line: Line, chunk: bytes, most: int) -> int:
    """Send `chunk` over and over; how many bytes went out before the line was cut."""
    sent = 0
    try:
        while sent < most:
            line.socket.sendall(chunk)
            sent += len(chunk)
    except (ConnectionResetError, BrokenPipeError):
        pass
    return sent


@pytest.mark.parametrize("chunk", [b"x" * 10_000, b"x" * 998 + b"\r\n"], ids=["no line end at all", "lines"])
def test_a_flood_is_cut_off(store: Store, chunk: bytes) -> None:
    with listening(store) as listener:
        with Line(listener) as line:
            line.open_data()
            # The kernel holds some megabytes on loopback; without the guard all of these would go through.
            assert flood(line, chunk, 60_000_000) < 30_000_000
            assert line.reply() == b""
        post(listener)
    assert len(store.mails) == 1


def test_a_flood_of_refused_mails_is_cut_off_too(store: Store) -> None:
    with listening(store, bytes_a_mail=50_000, commands=10_000) as listener, Line(listener) as line:
        line.say("EHLO mail.example")
        assert flood(line, b"RCPT TO:<nobody@nomic.example>\r\nRSET\r\n" * 100, 60_000_000) < 30_000_000


def test_a_command_repeated_without_end_is_cut_off(store: Store) -> None:
    with listening(store, commands=5) as listener, Line(listener) as line:
        assert [line.say("NOOP")[:3] for _ in range(6)] == [b"250"] * 5 + [b"421"]
        assert line.reply() == b""


def test_a_session_ends_however_busy_it_looks(store: Store) -> None:
    with listening(store, session_seconds=0.5, commands=10_000) as listener, Line(listener) as line:
        begun = time.monotonic()
        while line.say("NOOP"):
            time.sleep(0.02)
            assert time.monotonic() - begun < 10
        assert time.monotonic() - begun > 0.4


def test_a_silent_peer_is_let_go(store: Store) -> None:
    with listening(store, idle_seconds=0.3) as listener, Line(listener) as line:
        begun = time.monotonic()
        assert line.reply() == b""
        assert 0.2 < time.monotonic() - begun < 10


@pytest.mark.parametrize("guard", ["connections", "connections_an_address"])
def test_more_connections_than_agreed_are_asked_to_come_back(store: Store, guard: str) -> None:
    two: dict[str, Any] = {guard: 2}
    with listening(store, **two) as listener:
        with Line(listener), Line(listener), pytest.raises(smtplib.SMTPConnectError) as refusal:
            connect(listener)
        assert refusal.value.smtp_code == 421
        end = time.monotonic() + 20
        # The two have left; the server needs a moment to notice.
        while time.monotonic() < end:
            try:
                post(listener)
                break
            except smtplib.SMTPConnectError:
                time.sleep(0.02)
    assert len(store.mails) == 1


def test_a_peer_that_leaves_in_the_middle_leaves_nothing(store: Store) -> None:
    with listening(store) as listener:
        with Line(listener) as line:
            line.open_data()
            line.socket.sendall(VOTE)
        post(listener)
    assert len(store.mails) == 1


def test_a_mail_under_way_is_stored_and_answered_before_the_listener_stops() -> None:
    store = Store()
    with listening(store) as listener, Line(listener) as line:
        line.open_data()
        line.socket.sendall(VOTE + b".\r\n")
        assert store.begun.wait(20)
        stopping = threading.Thread(target=listener.stop)
        stopping.start()
        stopping.join(0.2)
        assert stopping.is_alive()
        store.go_on.set()
        assert line.reply().startswith(b"250")
        assert line.reply().startswith(b"421")
        stopping.join(20)
        with pytest.raises(ConnectionRefusedError):
            connect(listener)
    assert len(store.mails) == 1


def test_a_port_in_use_is_told_at_the_start(store: Store) -> None:
    with listening(store) as first:
        taken = SmtpIntake(port=first.port)
        with pytest.raises(OSError, match="address already in use"):
            SmtpListener(taken, OURS, GUARDS, store.receive_all, lambda: NOON).start()


def test_neither_mails_nor_commands_reach_the_log(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    with listening(store) as listener:
        post(listener, VOTE.replace(b"for 301", b"my secret"))
    assert len(store.mails) == 1
    assert "my secret" not in caplog.text
    assert "alice@mail.example" not in caplog.text
