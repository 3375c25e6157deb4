"""The listener: mail from the world (SMTP) or from a mail server in front of us (LMTP).

What lives here: the conversation, and the guards on it. What never may: reading a mail, or saying 250 before
the mail is stored.
"""

from __future__ import annotations

import asyncio
import logging
import re
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import cast

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Session
from aiosmtpd.smtp import Envelope as Transaction

from pbem.config import Limits, SmtpIntake
from pbem.mail.addresses import is_ours
from pbem.mail.message import Envelope
from pbem.service.door import Offered, ReceiveAll, offer
from pbem.service.smtp_heard import Heard
from pbem.store.db import StoreError

log = logging.getLogger(__name__)

STORED = "250 2.0.0 stored"
TRY_AGAIN = "451 4.3.0 not stored, try again later"
BARE = "550 5.6.0 a line ends in CR LF: bare CR or LF is not taken"
ONE_AT_A_TIME = "452 4.5.3 one recipient at a time"
NOT_HERE = "550 5.1.1 nobody of that name here"
TOO_MANY = b"421 4.7.0 too many connections, try again later\r\n"
A_LINE = 32
"""Bytes: aiosmtpd keeps each line that begins with a dot by itself, and a short one costs as much as fifty signs."""
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_ADDRESS = re.compile(rf"<({_ATOM}(?:\.{_ATOM})*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*)>\s*(?![\s(])")
GOING_DOWN = b"421 4.3.2 going down, try again later\r\n"


@dataclass(frozen=True, slots=True)
class Guards:
    """What the peers may ask of a listener. aiosmtpd by itself keeps a line without end in memory."""

    size: int
    """Bytes of a mail; advertised (RFC 1870)."""
    bytes_a_mail: int
    """Bytes that may arrive from one mail stored to the next, commands and refused mails included; a line counts as `A_LINE`
    more."""
    session_seconds: float
    idle_seconds: float
    connections: int
    connections_an_address: int
    commands: int
    """How often each command may be given in a session."""

    @classmethod
    def of(cls, limits: Limits) -> Guards:
        """The guards that the settings ask for."""
        return cls(
            size=limits.mail_taken,
            bytes_a_mail=4 * limits.mail_taken,
            session_seconds=limits.session_seconds,
            # aiosmtpd counts the whole of DATA as one wait; RFC 5321 §4.5.3.2.7 asks for five minutes.
            idle_seconds=300,
            connections=limits.connections,
            connections_an_address=limits.connections_an_address,
            commands=1000,
        )


def has_bare_ends(content: bytes) -> bool:
    """Whether a CR or a LF stands alone, as in SMTP smuggling (RFC 5321 §2.3.8)."""
    pairs = content.count(b"\r\n")
    return not pairs == content.count(b"\r") == content.count(b"\n")


class SmtpListener:
    """Listens from `start` to `stop` in a thread of its own and hands every mail to `receive_all`: each time all that have
    come while those before them were written to the disk. No mail waits for company.

    `clock` gives the present moment (UTC µs), `addresses` are ours, lower case. The intake's name
    given with a mail is "smtp" or "lmtp" and the peer's address.
    """

    def __init__(
        self,
        intake: SmtpIntake,
        addresses: tuple[str, ...],
        guards: Guards,
        receive_all: ReceiveAll,
        clock: Callable[[], int],
    ) -> None:
        self.intake = intake
        self.addresses = addresses
        self.guards = guards
        self.receive_all = receive_all
        self.clock = clock
        self.port = intake.port
        self.hostname = intake.hostname or addresses[0].rpartition("@")[2]
        self._open: Counter[str] = Counter()
        self._sessions: set[_Session] = set()
        self._waiting: list[tuple[Offered, asyncio.Future[str]]] = []
        self._storing: asyncio.Task[None] | None = None
        self._thread = threading.Thread(target=self._run, name="smtp-in", daemon=True)
        self._up = threading.Event()
        self._failure: OSError | None = None

    def start(self) -> None:
        """Listen; `port` is then the real one. Raises OSError when the port cannot be had."""
        # At DEBUG aiosmtpd writes the mails to the log, at INFO every command, at WARNING those it does not know: a password
        # that a peer says where none is asked for is one of these.
        logging.getLogger("mail.log").setLevel(logging.ERROR)
        self._thread.start()
        self._up.wait()
        if self._failure:
            raise self._failure

    def stop(self) -> None:
        """Take no new connection, finish the mails that are being stored, and close the rest. Twice is as once."""
        with suppress(RuntimeError):  # its loop is closed already
            self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join()

    def admit(self, session: _Session) -> bool:
        """Count one more connection from an address, unless that is one too many."""
        if self._open.total() >= self.guards.connections:
            return False
        if self._open[session.peer] >= self.guards.connections_an_address:
            return False
        self._open[session.peer] += 1
        self._sessions.add(session)
        return True

    def leave(self, session: _Session) -> None:
        """A connection that was admitted is over."""
        self._sessions.discard(session)
        self._open -= Counter((session.peer,))

    async def store(self, content: bytes, envelope: Envelope, source: str) -> str:
        """The reply to a mail, once it is known to be stored or not.

        It is stored to the end even if the peer is gone meanwhile: it will send again, and the
        store knows a mail that it has seen.
        """
        reply = self._loop.create_future()
        self._waiting.append(((content, envelope, source), reply))
        if self._storing is None:
            self._storing = asyncio.create_task(self._store_waiting())
        return await asyncio.shield(reply)

    async def _store_waiting(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            replies = await asyncio.to_thread(self._replies, [offered for offered, _ in batch])
            for (_, reply), said in zip(batch, replies, strict=True):
                reply.set_result(said)
        self._storing = None

    def _replies(self, mails: Sequence[Offered]) -> list[str]:
        """What became of mails that are stored together."""
        failures = offer(self.receive_all, mails)
        for failure in dict.fromkeys(filter(None, failures)):
            which = [mail for mail, met in zip(mails, failures, strict=True) if met is failure]
            ours = None if isinstance(failure, StoreError) else failure
            log.error("%s not stored: %s", _told(which), failure, exc_info=ours)
        return [TRY_AGAIN if failure else STORED for failure in failures]

    def _run(self) -> None:
        try:
            asyncio.run(self._listen())
        except OSError as failure:
            self._failure = failure
        finally:
            self._up.set()

    async def _listen(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        server = await self._loop.create_server(self._session, self.intake.host, self.intake.port)
        self.port = server.sockets[0].getsockname()[1]
        self._up.set()
        await self._stopping.wait()
        server.close()
        if self._storing:
            await self._storing
        # The sessions that wait for these replies have their turn before they are closed.
        await asyncio.sleep(0)
        for session in tuple(self._sessions):
            session.hang_up(GOING_DOWN)
        while self._sessions:
            await asyncio.sleep(0.01)

    def _session(self) -> SMTP:
        return _LmtpSession(self) if self.intake.protocol == "lmtp" else _Session(self)


class _Session(SMTP):
    """One connection: aiosmtpd's conversation within our guards."""

    def __init__(self, listener: SmtpListener) -> None:
        guards = listener.guards
        self.line_length_limit = guards.size
        self._listener = listener
        self.peer = ""
        self._arrived = 0
        self._wire: asyncio.Transport
        self._deadline: asyncio.TimerHandle | None = None
        super().__init__(
            _Hooks(listener),
            data_size_limit=guards.size,
            enable_SMTPUTF8=True,
            hostname=listener.hostname,
            ident="pbem",
            timeout=guards.idle_seconds,
            command_call_limit=guards.commands,
            loop=asyncio.get_running_loop(),
        )

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._wire = cast(asyncio.Transport, transport)
        self.peer = str((transport.get_extra_info("peername") or ("?",))[0])
        if not self._listener.admit(self):
            self.hang_up(TOO_MANY)
            return
        self._deadline = self.loop.call_later(self._listener.guards.session_seconds, self._wire.abort)
        super().connection_made(transport)

    def data_received(self, data: bytes) -> None:
        self._arrived += len(data) + A_LINE * data.count(b"\n")
        if self._arrived > self._listener.guards.bytes_a_mail:
            self._wire.abort()
        elif self._deadline:
            super().data_received(data)

    def eof_received(self) -> bool | None:
        return super().eof_received() if self._deadline else None

    def connection_lost(self, error: Exception | None) -> None:
        if self._deadline:
            self._deadline.cancel()
            self._listener.leave(self)
            super().connection_lost(error)

    def _cb_client_connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        strict = self._listener.intake.protocol == "smtp"
        heard = Heard(reader, self.line_length_limit, strict=strict)
        super()._cb_client_connected(cast(asyncio.StreamReader, heard), writer)

    def _getaddr(self, arg: str) -> tuple[str | None, str | None]:
        """The address of a command and what stands behind it. aiosmtpd reads any address there can be, which takes as long as
        all the rest of a mail; nearly all are plain."""
        plain = _ADDRESS.match(arg or "")
        return (plain[1], arg[plain.end() :]) if plain else super()._getaddr(arg)

    def mail_stored(self) -> None:
        """The next mail may ask for as much as the last one."""
        self._arrived = 0

    def hang_up(self, farewell: bytes) -> None:
        """Say a last line and close."""
        self._wire.write(farewell)
        self._wire.close()


class _LmtpSession(_Session, LMTP):
    """The same in LMTP (RFC 2033)."""


class _Hooks:
    """Our answers to EHLO, RCPT and DATA, under the names that aiosmtpd looks for."""

    def __init__(self, listener: SmtpListener) -> None:
        self._listener = listener

    async def handle_EHLO(  # noqa: N802  # aiosmtpd's name, for LHLO too
        self, _server: _Session, peer: Session, _mail: Transaction, hostname: str, replies: list[str]
    ) -> list[str]:
        """A peer may say several commands at once (RFC 2920; RFC 2033 §5 asks for it): they are answered one after the other."""
        peer.host_name = hostname
        return [*replies[:-1], "250-PIPELINING", replies[-1]]

    async def handle_RCPT(  # noqa: N802  # aiosmtpd's name
        self, _server: _Session, _peer: Session, mail: Transaction, address: str, _options: list[str]
    ) -> str:
        # LMTP answers once for each recipient and aiosmtpd once for each mail: with two, the peer would wait for ever.
        if mail.rcpt_tos:
            return ONE_AT_A_TIME
        if not is_ours(address, self._listener.addresses):
            return NOT_HERE
        mail.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_DATA(self, server: _Session, _peer: Session, mail: Transaction) -> str:  # noqa: N802  # as above
        content = mail.original_content or b""
        protocol = self._listener.intake.protocol
        if protocol == "smtp" and has_bare_ends(content):
            return BARE
        envelope = Envelope(
            received=self._listener.clock(),
            sender=_plain((mail.mail_from or "").removeprefix("<>")),
            recipient=_plain(mail.rcpt_tos[0]),
        )
        reply = await self._listener.store(content, envelope, f"{protocol} {server.peer}")
        if reply == STORED:
            server.mail_stored()
        return reply

    async def handle_exception(self, _error: Exception) -> str:
        log.exception("a conversation failed")
        return TRY_AGAIN


def _told(mails: Sequence[Offered]) -> str:
    size = sum(len(content) for content, _, _ in mails)
    return f"a mail of {size} bytes was" if len(mails) == 1 else f"{len(mails)} mails of {size} bytes were"


def _plain(address: str) -> str:
    """An address without the lone surrogates that stand for bytes which are no UTF-8."""
    return address.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
