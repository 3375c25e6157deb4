"""A line to a smart host on which every reply comes whole and in time, or not at all.

What lives here: connecting, and the patience with a reply. What never may: a command, or a mail.
"""

from __future__ import annotations

import smtplib
import socket
import ssl
import time
from typing import Final

from pbem.config import SmtpDelivery

_AT_ONCE: Final = 8192
"""Bytes of replies that are taken from the line at once."""


class _Timely(smtplib.SMTP):
    """smtplib, whose time-out is for each byte: a server that says one now and then would hold up all mails for days. Here
    a reply must be there as a whole within it. And what smtplib takes for a reply is not enough: a line that broke off
    after `25` is no yes."""

    def getreply(self) -> tuple[int, bytes]:
        if self.sock is None:
            return super().getreply()
        patience = self.sock.gettimeout()
        self.file = self.file or _Replies(self.sock)
        self.file.begin(patience)
        try:
            return super().getreply()
        finally:
            if self.sock is not None:
                self.sock.settimeout(patience)


class _Replies:
    """What a server says, by lines; what is no whole one is the end."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._had = b""
        self.begin(None)

    def begin(self, patience: float | None) -> None:
        """A reply is awaited for so many seconds from now."""
        self._until = None if patience is None else time.monotonic() + patience

    def readline(self, most: int) -> bytes:
        while (end := self._had.find(b"\n", 0, most) + 1) == 0 and len(self._had) < most:
            more = self._receive()
            if not more:
                return b""
            self._had += more
        line, self._had = self._had[: end or most], self._had[end or most :]
        return line

    def _receive(self) -> bytes:
        if self._until is not None:
            left = self._until - time.monotonic()
            if left <= 0:
                raise TimeoutError("the reply took too long")
            self._sock.settimeout(left)
        return self._sock.recv(_AT_ONCE)

    def close(self) -> None:
        """The line itself is closed elsewhere."""
        self._had = b""


class _TimelyTls(_Timely, smtplib.SMTP_SSL):
    """The same, encrypted from the start."""


def call(way: SmtpDelivery, hostname: str, tls: ssl.SSLContext | None, timeout: float) -> smtplib.SMTP:
    """A line to the smart host, once it has greeted us; `hostname` is what we call ourselves, `tls` what is needed when it
    is encrypted from the start, `timeout` the patience with each reply in seconds. Raises SMTPException and OSError."""
    if tls is not None:
        return _TimelyTls(way.host, way.port, hostname, timeout=timeout, context=tls)
    return _Timely(way.host, way.port, hostname, timeout=timeout)
