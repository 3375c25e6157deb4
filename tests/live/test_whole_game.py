"""One game, played three ways: by IMAP, by SMTP and LMTP, and from files. All lead to the same state."""

from __future__ import annotations

import email
import email.policy
import hashlib
import json
import smtplib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.message import EmailMessage
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import pytest

from pbem.store import eventlog, queues
from pbem.store.db import Store, open_store
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


@cache
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
        answered = until(
            lambda: newest(way, address, words.about), f"a mail to {address} about {words.about}"
        )
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
    mails = (
        mail for mail in reversed(way.delivered()) if address in mail["To"] and about in mail["Message-ID"]
    )
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
    begin(folder, *more)


def begin(folder: Path, *more: str) -> None:
    """The game on the host in `folder`."""
    people = [word for name, address in PEOPLE.values() for word in ("--player", f"{name} <{address}>")]
    rules = ("--language", "sv", "--set", "cooling time=0", "--start")
    pbem(folder, "new", "kaffe", "--title", "Kaffe", "--keeper", KEEPER, *people, *rules, *more)


def state(folder: Path) -> dict[str, Any]:
    """The state of the game but for the hash, in which the times and mails are."""
    found: dict[str, Any] = json.loads(pbem(folder, "state", "kaffe", "--json"))
    assert found.pop("hash")
    return found


@contextmanager
def looking_into(folder: Path) -> Iterator[Store]:
    """The database of a host, to look only."""
    store = open_store("sqlite:///pbem.db", folder)
    with store.reading():
        yield store


def still_to_send(folder: Path) -> int:
    with looking_into(folder) as store:
        return queues.outbox_counts(store).get("ready", 0)


def still_to_publish(folder: Path) -> int:
    with looking_into(folder) as store:
        return len(eventlog.sites_to_publish(store))


@dataclass
class ByFiles:
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


@dataclass
class BySmtp:
    """A running `pbem serve` takes mails by SMTP or LMTP, and sends its own to a smart host."""

    client: type[smtplib.SMTP]
    served: Running
    smarthost: SmartHost
    vouched: bool = True

    def carry(self, wave: int, mails: Sequence[bytes]) -> None:
        with self.client("127.0.0.1", self.served.port, f"wave{wave}.example") as server:
            for mail in mails:
                to = read(mail)["To"].addresses[0].addr_spec
                server.sendmail("player@mx.example", to, mail, ["BODY=8BITMIME"])

    def delivered(self) -> list[EmailMessage]:
        return taken(self.smarthost)


@dataclass
class ByImap:
    """A running `pbem serve` finds mails in a mailbox, through whatever happens to both of them."""

    folder: Path
    dovecot: Dovecot
    served: Running
    smarthost: SmartHost
    vouched: bool = True
    put: list[bytes] = field(default_factory=list)

    def carry(self, wave: int, mails: Sequence[bytes]) -> None:
        match wave:
            case 0:
                self._append(mails)
                self.served.start()
            case 2:
                # All in one second, before what the game has seen; then they get the numbers of earlier ones.
                self.served.stop()
                self._append(mails, datetime(2026, 3, 1, 12, 30, tzinfo=UTC))
                self.dovecot.renumber("nomic")
                self.served.start()
            case 4:
                until(lambda: still_to_send(self.folder) == 0, "all is sent")
                self.served.kill()
                self._append(mails)
                self.served.start()
            case 5:
                self.dovecot.stop()
                self.dovecot.start()
                self._append(mails)
            case _:
                self._append(mails)

    def _append(self, mails: Sequence[bytes], arrived: datetime | None = None) -> None:
        self.put += mails
        with self.dovecot.client("nomic") as client:
            for mail in mails:
                client.append("INBOX", mail, msg_time=arrived)

    def delivered(self) -> list[EmailMessage]:
        return taken(self.smarthost)

    def found_in(self, name: str) -> Counter[bytes]:
        """The mails in a folder of the mailbox."""
        with self.dovecot.client("nomic") as client:
            client.select_folder(name, readonly=True)
            found = client.fetch(client.search("ALL"), ["BODY.PEEK[]"])
        return Counter(fetched[b"BODY[]"] for fetched in found.values())


def taken(smarthost: SmartHost) -> list[EmailMessage]:
    """What a smart host has been given; the envelope must name whom the mail names."""
    deliveries = tuple(smarthost.taken)
    mails = [read(delivery.content) for delivery in deliveries]
    named = [mail["To"].addresses[0].addr_spec for mail in mails]
    assert named == [delivery.recipient for delivery in deliveries]
    return mails


def end(folder: Path, way: Way, sent: Sequence[bytes]) -> dict[str, Any]:
    """The state at the end, when nothing was lost or doubled, and all of it is verified and published."""
    with looking_into(folder) as store:
        rows = queues.inbox_log(store)
    forged = sum(words.forged for wave in WAVES for words in wave) if way.vouched else 0
    assert Counter(row.state for row in rows) == +Counter(done=len(sent) - forged, held=forged)
    assert {row.digest for row in rows} == {hashlib.sha256(mail).hexdigest() for mail in sent}
    assert sum(row.repeats for row in rows) >= len(WAVES)

    assert [len(answers(way, mail)) for mail in sent] == [1] * len(sent)
    assert still_to_send(folder) == still_to_publish(folder) == 0
    assert max(Counter(mail["Message-ID"] for mail in way.delivered()).values()) == 1

    assert "every link of the chain holds" in pbem(folder, "verify", "kaffe")
    assert "Anna Alm" in (folder / "site/kaffe/index.html").read_text("utf-8")
    assert (folder / "site/kaffe/proposals/304/index.html").is_file()
    return state(folder)


@pytest.fixture(scope="module", name="by_files")
def _by_files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The state at the end of the game that was played by files."""
    folder = tmp_path_factory.mktemp("files")
    make(folder, "", "--at", "2026-12-01T09:00Z")
    way = ByFiles(folder)
    return end(folder, way, play(way))


def test_by_files_the_game_ends_as_the_rules_have_it(by_files: dict[str, Any]) -> None:
    proposals = {proposal["number"]: proposal for proposal in by_files["proposals"]}
    rules = {rule["number"]: rule for rule in by_files["rules"]}

    assert {player["name"]: player["score"] for player in by_files["players"]} == SCORES
    assert {number: proposal["stage"] for number, proposal in proposals.items()} == STAGES
    assert {number: proposal["ballots"] for number, proposal in proposals.items()} == BALLOTS
    assert {number: rules[number]["lineage"] for number in LINEAGES} == LINEAGES
    assert rules[303]["mutable"]
    assert not {103, 203, 208, 302} & rules.keys()
    assert by_files["clauses"]["wins when"]["rule"] == 304
    assert (by_files["status"], by_files["winners"]) == ("won", ["Anna Alm"])
    assert (by_files["turn"], by_files["circuit"]) == (4, 2)


@pytest.mark.parametrize(("protocol", "client"), [("smtp", smtplib.SMTP), ("lmtp", smtplib.LMTP)])
def test_by_a_listener_the_game_ends_the_same(
    tmp_path: Path, by_files: dict[str, Any], protocol: str, client: type[smtplib.SMTP]
) -> None:
    with SmartHost() as smarthost:
        intake = f'[intake.smtp]\nport = 0\nprotocol = "{protocol}"\n'
        make(tmp_path, f'{intake}[delivery.smtp]\nhost = "127.0.0.1"\nport = {smarthost.port}\n')
        with Running(tmp_path, "serve").start() as served:
            way = BySmtp(client, served, smarthost)
            sent = play(way)
            until(lambda: still_to_send(tmp_path) == still_to_publish(tmp_path) == 0, "all is done")
        assert end(tmp_path, way, sent) == by_files


def test_by_a_mailbox_the_game_ends_the_same_whatever_happens_on_the_way(
    tmp_path: Path, by_files: dict[str, Any]
) -> None:
    with Dovecot() as dovecot, SmartHost() as smarthost, Running(tmp_path, "serve") as served:
        account = f'host = "127.0.0.1"\nport = {dovecot.port}\nuser = "nomic"\npassword_file = "password"\n'
        intake = f'[[intake.imap]]\n{account}processed = "Processed"\n'
        make(tmp_path, f'{intake}[delivery.smtp]\nhost = "127.0.0.1"\nport = {smarthost.port}\n')
        way = ByImap(tmp_path, dovecot, served, smarthost)
        sent = play(way)
        until(lambda: way.found_in("Processed") == Counter(way.put), "all mails are put away")
        assert not way.found_in("INBOX")
        until(lambda: still_to_send(tmp_path) == still_to_publish(tmp_path) == 0, "all is done")
        served.stop()
        assert end(tmp_path, way, sent) == by_files
