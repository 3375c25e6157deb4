"""A smart host without a network: what `SmtpPost` says is answered, or not, as the lot falls.

What lives here: its side of the conversation, and what it knows of the mails it took. What never may: a look at the
outbox.
"""

from __future__ import annotations

import email
import io
import smtplib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest

from pbem.service import smtp_out
from tests.simulation.fate import Fate

REPLIES = {
    "busy at MAIL": ("MAIL", b"451 try again later"),
    "busy at RCPT": ("RCPT", b"450 mailbox is busy"),
    "busy at the end": (".", b"451 local error"),
    "going away at MAIL": ("MAIL", b"421 closing"),
    "nonsense at RCPT": ("RCPT", b"hello there"),
    "unknown at RCPT": ("RCPT", b"550 no such user"),
    "refused at the end": (".", b"554 not wanted"),
}
"""Troubles that are an answer: to what, and which."""
TROUBLES = (*REPLIES, "gone at DATA", "gone before the end", "gone after the end", "silent after the end")
AT_QUIT = ("421 at QUIT", "gone at QUIT", "silent at QUIT")
FOR_GOOD = ("unknown at RCPT", "refused at the end")
UNSURE = ("gone after the end", "silent after the end")
"""The mail is taken, and the client cannot know it."""


@dataclass(frozen=True)
class Taken:
    """A mail as it came."""

    sender: str
    recipient: str
    content: bytes
    id: str


@dataclass
class SmartHost:
    """`trouble` is how often something goes wrong (0 to 1)."""

    lot: Random
    fate: Fate
    trouble: float = 0.0
    taken: list[Taken] = field(default_factory=list)
    refused: set[bytes] = field(default_factory=set)
    faults: Counter[str] = field(default_factory=Counter)
    may_repeat: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    _first: dict[str, bytes] = field(default_factory=dict)

    def connect(self, *_: object) -> Line:
        """A connection to it. Raises ConnectionRefusedError at times."""
        if self._is_struck(0.3):
            self.faults["nobody there"] += 1
            raise ConnectionRefusedError(111, "Connection refused")
        return Line(self)

    def trouble_now(self) -> str:
        """What will go wrong with the next mail, "" for nothing. What is refused for good is rare."""
        if not self._is_struck(1.0):
            return ""
        found = self.lot.choice(TROUBLES)
        return "" if found in FOR_GOOD and self.lot.random() < 0.5 else found

    def trouble_at_quit(self) -> str:
        return self.lot.choice(AT_QUIT) if self._is_struck(1.0) else ""

    def _is_struck(self, share: float) -> bool:
        return self.lot.random() < self.trouble * share

    def take(self, sender: str, recipient: str, content: bytes, *, unsure: bool) -> None:
        """The mail is its own from now on."""
        self.fate.step("before the smart host takes a mail")
        name = str(email.message_from_bytes(content)["Message-ID"])
        if name in self._first:
            self._again(name, content)
        self._first.setdefault(name, content)
        self.may_repeat[name] += unsure
        self.taken.append(Taken(sender, recipient, content, name))
        self.fate.step("after the smart host has taken a mail")

    def _again(self, name: str, content: bytes) -> None:
        if self._first[name] != content:
            self.wrong.append(f"{name} was sent again with other bytes")
        if not self.may_repeat[name]:
            self.wrong.append(f"{name} was sent again though its answer was known")
        self.may_repeat[name] -= 1


class Line:
    """A connection: what is needed of a socket."""

    def __init__(self, host: SmartHost) -> None:
        self._host = host
        self._replies = [b"220 smart.example ESMTP"]
        self._open, self._silent = True, False
        self._rest = b""
        self._content: list[bytes] | None = None
        self._sender = self._recipient = self._trouble = ""

    def sendall(self, data: bytes) -> None:
        if not self._open:
            raise BrokenPipeError(32, "Broken pipe")
        lines = io.BytesIO(self._rest + data)
        for line in lines:
            self._rest = b"" if line.endswith(b"\r\n") else line
            if not self._rest:
                self._hear(line)

    def recv(self, _: int) -> bytes:
        if self._replies:
            return self._replies.pop(0) + b"\r\n"
        if self._silent:
            raise TimeoutError("timed out")
        return b""

    def settimeout(self, _: float) -> None:
        """Nothing here takes time."""

    def gettimeout(self) -> float:
        return 60.0

    def close(self) -> None:
        self._open = False

    def _hear(self, line: bytes) -> None:
        if self._content is not None:
            self._hear_content(line)
            return
        verb, _, words = line.decode().strip().partition(" ")
        verb = verb.upper()
        if verb == "MAIL":
            self._trouble = self._host.trouble_now()
            self._host.faults[self._trouble] += bool(self._trouble)
            self._sender = words.partition("<")[2].partition(">")[0]
        if verb == "RCPT":
            self._recipient = words.partition("<")[2].partition(">")[0]
        self._answer(verb)

    def _answer(self, verb: str) -> None:
        if verb == "QUIT":
            self._goodbye()
        elif self._trouble == "gone at DATA" and verb == "DATA":
            self._go()
        elif not self._answered_wrongly(verb):
            if verb == "DATA":
                self._content = []
            self._replies.append({"DATA": b"354 go on", "EHLO": b"250 8BITMIME"}.get(verb, b"250 OK"))

    def _answered_wrongly(self, at: str) -> bool:
        place, reply = REPLIES.get(self._trouble, ("", b""))
        if place != at:
            return False
        self._replies.append(reply)
        if reply.startswith(b"421"):
            self._open = False
        return True

    def _hear_content(self, line: bytes) -> None:
        assert self._content is not None
        if line != b".\r\n":
            self._content.append(line[1:] if line.startswith(b".") else line)
            return
        content, self._content = b"".join(self._content), None
        if self._trouble == "gone before the end":
            self._go()
        elif not self._answered_wrongly("."):
            self._host.take(self._sender, self._recipient, content, unsure=self._trouble in UNSURE)
            self._tell_taken()

    def _tell_taken(self) -> None:
        if self._trouble == "silent after the end":
            self._silent = True
        elif self._trouble == "gone after the end":
            self._go()
        else:
            self._replies.append(b"250 taken")

    def _goodbye(self) -> None:
        trouble = self._host.trouble_at_quit()
        self._host.faults[trouble] += bool(trouble)
        self._silent = trouble.startswith("silent")
        if not trouble:
            self._replies.append(b"221 bye")
        if trouble.startswith("421"):
            self._replies.append(b"421 closing")

    def _go(self) -> None:
        self._open = False
        self._replies.clear()


@contextmanager
def reached(host: SmartHost) -> Iterator[None]:
    """Whatever connects to a smart host, to the end of the block, reaches this one."""

    def no_tls() -> Any:
        """Making a real one takes longer than a step of the simulation."""

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(smtplib.SMTP, "_get_socket", lambda _, *where: host.connect(*where))
        patch.setattr(smtp_out.ssl, "create_default_context", no_tls)
        yield
