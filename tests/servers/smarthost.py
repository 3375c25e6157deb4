"""A smart host that does as it is told: a real SMTP server on loopback whose every reply can be scripted.

It knows nothing of the code under test: it keeps what it was given, and on how many connections.
"""

from __future__ import annotations

import base64
import re
import socket
import socketserver
import ssl
import threading
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

DROP = "drop"
"""In place of a reply: the line goes dead."""
SWALLOW = "swallow"
"""In place of the reply to a mail: it is taken, and then the line goes dead."""
YES_AND_DROP = "yes and drop"
"""The success, and then the line goes dead."""
DRIP = "drip"
"""The success, a byte at a time."""
ENDLESS = "endless"
"""The same, in a reply that has always one line more."""
CUT = "cut"
"""The first digits of the success, and then the line goes dead."""
GARBAGE = "\x00\x1b%PDF 250 ok"
"""No reply at all."""


@dataclass(frozen=True)
class Delivery:
    """One mail as the smart host took it: envelope, and content with the dots unstuffed."""

    sender: str
    recipient: str
    content: bytes


@dataclass
class SmartHost:
    """`with SmartHost() as host:`, then write replies into `host.script`.

    The script holds for a verb (`GREETING`, `EHLO`, `MAIL`, `RCPT`, `DATA`, `CONTENT`, `QUIT`) the replies
    to give, one a time; where it holds none the reply is a success. A reply is a line, one of the words above, or
    a number of seconds to be silent before the success. Addresses that are `unknown` are always refused.
    """

    extensions: tuple[str, ...] = ("SIZE 1000000", "8BITMIME", "PIPELINING")
    login: tuple[str, str] | None = None
    certificate: tuple[Path, Path] | None = None
    tls_from_the_start: bool = False
    script: dict[str, deque[str | float]] = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)
    taken: list[Delivery] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    connections: int = 0

    def __enter__(self) -> SmartHost:
        self._server = _Server(self)
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def then(self, verb: str, *replies: str | float) -> None:
        """The next replies to a verb."""
        self.script.setdefault(verb, deque()).extend(replies)

    def reply(self, verb: str, success: str) -> str:
        """The reply that the script has for a verb, else the success."""
        waiting = self.script.get(verb)
        scripted = waiting.popleft() if waiting else success
        if isinstance(scripted, str):
            return scripted
        time.sleep(scripted)
        return success

    def tls(self) -> ssl.SSLContext:
        """The server's side of TLS."""
        assert self.certificate is not None
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self.certificate)
        return context


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, host: SmartHost) -> None:
        self.host = host
        super().__init__(("127.0.0.1", 0), _Conversation)


class _Hung(Exception):
    """The line is dead."""


class _Swallowed(_Hung):
    """The mail has been taken nevertheless."""


class _Conversation(socketserver.BaseRequestHandler):
    server: _Server

    def handle(self) -> None:
        self.host = self.server.host
        self.host.connections += 1
        self.line = self.request
        # Several short replies in a row would each wait for the peer's acknowledgement of the one before.
        self.line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.encrypted = False
        try:
            if self.host.tls_from_the_start:
                self._encrypt()
            self._open()
            self._say("GREETING", "220 smarthost.example ESMTP")
            self._converse()
        except (_Hung, OSError):
            pass
        finally:
            self.line.close()

    def _open(self) -> None:
        self.file = self.line.makefile("rb")

    def _encrypt(self) -> None:
        self.line = self.host.tls().wrap_socket(self.line, server_side=True)
        self.encrypted = True

    def _say(self, verb: str, success: str) -> int:
        reply = self.host.reply(verb, success)
        if reply in (DROP, SWALLOW):
            raise _Hung if reply == DROP else _Swallowed
        if reply == CUT:
            self.line.sendall(success[:2].encode())
            raise _Hung
        said = success if reply in (DRIP, ENDLESS, YES_AND_DROP) else reply
        while reply == ENDLESS:
            self._drip(f"{said[:3]}-and more\r\n")
        if reply == DRIP:
            self._drip(f"{said}\r\n")
        else:
            self.line.sendall(f"{said}\r\n".encode())
        if reply == YES_AND_DROP:
            raise _Swallowed
        if said.startswith("421"):
            raise _Hung
        return int(said[:3]) if said[:3].isdigit() else 0

    def _drip(self, said: str) -> None:
        for byte in said:
            self.line.sendall(byte.encode())
            time.sleep(0.01)

    def _converse(self) -> None:
        self.sender: str | None = None
        self.recipient: str | None = None
        self.known = self.host.login is None
        while line := self.file.readline().decode("utf-8").rstrip("\r\n"):
            self.host.lines.append(line)
            verb = line.split()[0].upper()
            getattr(self, f"_{verb.lower()}", self._unknown)(line)
            if verb == "QUIT":
                return

    def _unknown(self, _line: str) -> None:
        self._say("UNKNOWN", "500 what?")

    def _ehlo(self, _line: str) -> None:
        offers = ["smarthost.example", *self.host.extensions]
        if self.host.certificate and not self.encrypted:
            offers.append("STARTTLS")
        if self.host.login:
            offers.append("AUTH PLAIN")
        replies = [f"250-{offer}" for offer in offers[:-1]] + [f"250 {offers[-1]}"]
        self._say("EHLO", "\r\n".join(replies))

    def _helo(self, _line: str) -> None:
        self._say("HELO", "250 smarthost.example")

    def _starttls(self, _line: str) -> None:
        self._say("STARTTLS", "220 go ahead")
        self._encrypt()
        self._open()

    def _auth(self, line: str) -> None:
        given = tuple(base64.b64decode(line.split()[2]).decode().split("\0")[1:])
        self.known = given == self.host.login
        self._say("AUTH", "235 welcome" if self.known else "535 5.7.8 wrong user or password")

    def _mail(self, line: str) -> None:
        usual = "250 sender ok" if self.sender is None else "503 5.5.1 nested MAIL"
        if self._say("MAIL", usual if self.known else "530 5.7.0 log in first") == 250:
            self.sender = _path(line)

    def _rcpt(self, line: str) -> None:
        usual = "503 need MAIL" if self.sender is None else "250 recipient ok"
        if _path(line) in self.host.unknown:
            usual = "550 5.1.1 no such user"
        if self._say("RCPT", usual) == 250:
            self.recipient = _path(line)

    def _rset(self, _line: str) -> None:
        self.sender = self.recipient = None
        self._say("RSET", "250 forgotten")

    def _data(self, _line: str) -> None:
        if self._say("DATA", "354 go on" if self.recipient else "503 need RCPT") != 354:
            return
        content = b"".join(self._lines())
        delivery = Delivery(self.sender or "", self.recipient or "", re.sub(rb"(?m)^\.", b"", content))
        self.sender = self.recipient = None
        try:
            if self._say("CONTENT", "250 queued") == 250:
                self.host.taken.append(delivery)
        except _Swallowed:
            self.host.taken.append(delivery)
            raise

    def _lines(self) -> Iterator[bytes]:
        """The lines of a mail; of one that breaks off nothing is taken."""
        while (line := self.file.readline()) != b".\r\n":
            if not line:
                raise _Hung
            yield line

    def _quit(self, _line: str) -> None:
        self._say("QUIT", "221 goodbye")


def _path(line: str) -> str:
    return line.partition("<")[2].partition(">")[0]
