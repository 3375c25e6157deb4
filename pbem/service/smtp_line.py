"""A line to a smart host on which every reply comes whole and in time, or not at all.

What lives here: connecting, and the patience with a reply. What never may: a command, or a mail.
"""

from __future__ import annotations

import smtplib
import socket
import ssl
import threading
from contextlib import suppress
from io import BufferedReader

from pbem.config import SmtpDelivery


class _Timely(smtplib.SMTP):
    """smtplib, whose time-out is for each byte: a server that says one now and then would hold up all mails for days. Here
    a reply must be there as a whole within it. And what smtplib takes for a reply is not enough: a line that broke off
    after `25` is no yes."""

    def getreply(self) -> tuple[int, bytes]:
        if self.sock is None:
            return super().getreply()
        self.file = self.file or _WholeLines(self.sock.makefile("rb"))
        too_late = threading.Timer(self.sock.gettimeout() or 0, _hang_up, (self.sock,))
        too_late.daemon = True
        too_late.start()
        try:
            return super().getreply()
        finally:
            too_late.cancel()


class _WholeLines:
    """What a server says, by lines; what is no whole one is the end."""

    def __init__(self, file: BufferedReader) -> None:
        self._file = file
        self.close = file.close

    def readline(self, most: int) -> bytes:
        line = self._file.readline(most)
        return line if line.endswith(b"\n") or len(line) == most else b""


class _TimelyTls(_Timely, smtplib.SMTP_SSL):
    """The same, encrypted from the start."""


def call(way: SmtpDelivery, hostname: str, tls: ssl.SSLContext, timeout: float) -> smtplib.SMTP:
    """A line to the smart host, once it has greeted us; `hostname` is what we call ourselves, `timeout` the patience with each
    reply in seconds. Raises SMTPException and OSError."""
    if way.encryption == "tls":
        return _TimelyTls(way.host, way.port, hostname, timeout=timeout, context=tls)
    return _Timely(way.host, way.port, hostname, timeout=timeout)


def _hang_up(line: socket.socket) -> None:
    with suppress(OSError):  # it is closed already
        # That of the socket itself: the one of an encrypted line would meddle with a read that is under way.
        socket.socket.shutdown(line, socket.SHUT_RDWR)
