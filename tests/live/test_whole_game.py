"""One game, played three ways: by IMAP, by SMTP and LMTP, and from files. All lead to the same state."""

from __future__ import annotations

import email
import email.policy
import json
import smtplib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any, Protocol

import pytest

from pbem.store import eventlog, queues
from pbem.store.db import Store, open_store
from pbem.store.queues import InboxEntry
from tests.servers.dovecot import PASSWORD, Dovecot
from tests.servers.running import Running, pbem, until
from tests.servers.smarthost import SmartHost

pytestmark = pytest.mark.live

PEOPLE = {
    "Anna": ("Anna Alm", "anna@alm.example"),
    "Bo": ("Bo Berg", "bo@berg.example"),
    "Cleo": ("Cleo Crane", "cleo@crane.example"),
}
KEEPER = "Kim Kvist <kim@kvist.example>"
OURS = "nomic@nomic.example"


@dataclass(frozen=True)
class Words:
    """What a player writes, out of the blue or in answer to the newest mail about a proposal.

    `forged`: it is somebody else who writes, and the receiving server has noticed.
    """

    player: str
    text: str
    about: int | None = None
    forged: bool = False


HALF = """föreslå ändra 203: Mer än hälften räcker
En regeländring antas när mer än hälften av de röstberättigade röstar för den.

klausul antas när: votes_for * 2 > eligible
slut"""
FIKA = "föreslå ny: Fika\nDen som har turen bjuder på kaffe.\nslut\n\ntill omröstning"
FIFTEEN = """föreslå ändra 208: Femton poäng vinner
Den som först når 15 poäng över noll är vinnaren.

klausul vinner när: score >= 15
slut

till omröstning"""

WAVES = (
    (Words("Anna", HALF),),
    (
        Words("Anna", "dra tillbaka 301", about=301, forged=True),
        Words("Cleo", "Half of all of us, or half of those who vote?", about=301),
        Words("Anna", "Av alla.\n\ntill omröstning", about=301),
    ),
    (
        Words("Cleo", "I vote for 301.", about=301),
        Words("Anna", "för 301", about=301),
        Words("Bo", "ja", about=301),
        Words("Bo", FIKA),
    ),
    (
        Words("Anna", "mot 302", about=302),
        Words("Bo", "ja", about=302),
        Words("Cleo", "I drink tea.\n\nno", about=302),
        Words("Cleo", "propose transmute 103\n\ncall vote"),
    ),
    (
        Words("Anna", "nej", about=303),
        Words("Cleo", "+1 303", about=303),
        Words("Anna", "Jag har tänkt om.\n\nför 303", about=303),
        Words("Bo", "Jag röstar ja på 303", about=303),
        Words("Anna", FIFTEEN),
    ),
    (
        Words("Anna", "ja", about=304),
        Words("Bo", "nej", about=304),
        Words("Cleo", "for", about=304),
    ),
)
"""A wave is written when the one before is answered. Its last ballot closes a vote (the cooling time is 0) and
the next player, who has looked at the clock alone, proposes at once."""

# 301  Anna, 3 of 3 for, adopted by the original 203.   202: (301 - 291) × 3/3 = 10       Anna  10
# 302  Bo, 1 of 3 for: not more than half, defeated.    206: -10
#                                                       202: 11 × 1/3 = 3.67, so 4        Bo    -6
# 303  Cleo, 3 of 3 for, as 109 asks.                   202: 12 × 3/3 = 12                Cleo  12
# 304  Anna, 2 of 3 for, more than half, adopted: from now on 15 points win, and nobody has them yet.
#                                                       204: Bo, against: 10              Bo     4
#                                                       202: 13 × 2/3 = 8.67, so 9        Anna  19, who wins
SCORES = {"Anna Alm": 19, "Bo Berg": 4, "Cleo Crane": 12}
STAGES = {301: "adopted", 302: "defeated", 303: "adopted", 304: "adopted"}
BALLOTS = {
    301: {"Anna Alm": "for", "Bo Berg": "for", "Cleo Crane": "for"},
    302: {"Anna Alm": "against", "Bo Berg": "for", "Cleo Crane": "against"},
    303: {"Anna Alm": "for", "Bo Berg": "for", "Cleo Crane": "for"},
    304: {"Anna Alm": "for", "Bo Berg": "against", "Cleo Crane": "for"},
}
LINEAGES = {301: [203, 301], 303: [103, 303], 304: [208, 304]}


class Way(Protocol):
    """A way for mails to the game and back."""

    vouched: bool
    """Whether a receiving server stands before us and writes down what it has found out about senders."""

    def carry(self, wave: int, mails: Sequence[bytes]) -> None:
        """To the game, in this order."""

    def delivered(self) -> list[EmailMessage]:
        """Everything that has come from the game, the oldest first."""


def read(content: bytes) -> EmailMessage:
    mail = email.message_from_bytes(content, policy=email.policy.default)
    assert isinstance(mail, EmailMessage)
    return mail


def play(way: Way) -> list[bytes]:
    """The whole game; returns the mails that were sent. The first mail of each wave comes twice."""
    sent: list[bytes] = []
    for number, wave in enumerate(WAVES):
        written = [words for words in wave if way.vouched or not words.forged]
        mails = [write(way, words, f"{number}.{place}") for place, words in enumerate(written)]
        way.carry(number, [*mails, mails[0]])
        until(lambda: all(answers(way, mail) for mail in mails), f"answers to wave {number}")  # noqa: B023  # at once
        sent += mails
    return sent


def write(way: Way, words: Words, name: str) -> bytes:
    """The mail with these words as it reaches us."""
    person, address = PEOPLE[words.player]
    mail = EmailMessage(policy=email.policy.SMTP)
    mail["From"] = f"{person} <{address}>"
    mail["To"] = OURS
    mail["Subject"] = f"Kaffe {name}"
    mail["Message-ID"] = f"<{name}@{address.partition('@')[2]}>"
    quoted = ""
    if words.about is not None:
        answered = until(lambda: newest(way, address, words.about), f"a mail to {address} about {words.about}")
        mail.replace_header("To", answered["Reply-To"])
        mail.replace_header("Subject", f"Re: {answered['Subject']}")
        mail["In-Reply-To"] = answered["Message-ID"]
        quoted = f"\n\n{answered['From']}:\n" + "\n".join(f"> {line}" for line in body(answered).splitlines())
    mail.set_content(words.text + quoted + "\n", cte="8bit")
    verdict = f"dmarc={'fail' if words.forged else 'pass'} header.from={address.partition('@')[2]}"
    trace = f"Authentication-Results: mx.nomic.example; {verdict}\r\n" if way.vouched else ""
    return trace.encode() + mail.as_bytes()


def newest(way: Way, address: str, proposal: int | None) -> EmailMessage | None:
    about = f"<kaffe.proposal.{proposal}."
    mails = (mail for mail in reversed(way.delivered()) if address in mail["To"] and about in mail["Message-ID"])
    return next(mails, None)


def body(mail: EmailMessage) -> str:
    part = mail.get_body(("plain",))
    assert part is not None
    return str(part.get_content())


def answers(way: Way, content: bytes) -> list[EmailMessage]:
    """What came in answer to a mail, to the address that it bears."""
    mail = read(content)
    to_it = [each for each in way.delivered() if each["In-Reply-To"] == mail["Message-ID"]]
    assert all(each["To"].addresses[0].addr_spec == mail["From"].addresses[0].addr_spec for each in to_it)
    return [each for each in to_it if each["Auto-Submitted"] == "auto-replied"]


def make(folder: Path, settings: str, *more: str) -> None:
    """A host in `folder`, and the game on it."""
    head = f'[mail]\naddress = "{OURS}"\n[identity]\ntrusted_receivers = ["mx.nomic.example"]\n'
    (folder / "pbem.toml").write_text(head + settings, "utf-8")
    (folder / "password").write_text(PASSWORD)
    people = [word for name, address in PEOPLE.values() for word in ("--player", f"{name} <{address}>")]
    rules = ("--language", "sv", "--set", "cooling time=0", "--start")
    pbem(folder, "new", "kaffe", "--title", "Kaffe", "--keeper", KEEPER, *people, *rules, *more)


def state(folder: Path) -> dict[str, Any]:
    """The state of the game but for the hash, in which the times and mails are."""
    found: dict[str, Any] = json.loads(pbem(folder, "state", "kaffe", "--json"))
    assert found.pop("hash")
    return found


def store_of(folder: Path) -> Store:
    return open_store("sqlite:///pbem.db", folder)


def outgoing(folder: Path) -> int:
    """How many mails are still to be sent."""
    with store_of(folder).reading() as _:
        return queues.outbox_counts(store_of(folder)).get("ready", 0)


@dataclass
class Files:
    """`pbem deliver` takes each wave from files, and mails go into Maildirs."""

    folder: Path
    vouched: bool = False

    def carry(self, wave: int, mails: Sequence[bytes]) -> None:
        files = [self.folder / f"{wave}.{place}.eml" for place in range(len(mails))]
        for file, mail in zip(files, mails, strict=True):
            file.write_bytes(mail)
        when = ("--at", f"2026-12-0{wave + 1}T10:00Z", "--step", "1m")
        pbem(self.folder, "deliver", "--trust-from", *when, *map(str, files))

    def delivered(self) -> list[EmailMessage]:
        files = sorted((self.folder / "mail").glob("*/new/*"), key=lambda file: file.name)
        return [read(file.read_bytes()) for file in files]
