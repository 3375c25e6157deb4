"""A post office for tests: players write mails, the host takes them in, and what they get is read from Maildirs.

What lives here: the driver of the stories. What never may: a way into a game that is not a mail, or a look at a
player's mail that is not what lies in their Maildir.
"""

from __future__ import annotations

import email
import email.policy
import os
import re
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from pbem.mail.message import Envelope
from pbem.service import calendar, process, publishing, worker
from pbem.service.books import Host
from pbem.service.founding import Plan, found
from pbem.service.receive import TRUSTED, receive
from pbem.store import queues
from pbem.store.queues import InboxEntry
from tests.flow.console import Console

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
BEGINNING = int(datetime(2026, 12, 1, 10, tzinfo=UTC).timestamp()) * SECOND

PROBLEM = re.compile(r"\[\w+\] (OK: )?\d+ (problems?|questions?|fråga|frågor)\b")
"""How the subject of an answer begins when something was not done."""

ADDRESS = "nomic@nomic.example"
RECEIVER = "mx.nomic.example"
GAME = "kaffe"
KEEPER = ("Kim Kvist", "kim@kvist.example")
PEOPLE = {
    "Alice": ("Alice Ahlgren", "alice@ahlgren.example"),
    "Bo": ("Bo Berg", "bo@berg.example"),
    "Cia": ("Cia Crane", "cia@crane.example"),
    "Dan": ("Dan Dahl", "dan@dahl.example"),
    "Eve": ("Eve Ek", "eve@ek.example"),
    "Zoe": ("Zoe Zell", "zoe@zell.example"),
    "Kim": KEEPER,
}

MAJORITY = """propose amend 203: A majority is enough
A rule change is adopted when more than half of the eligible votes are for it.

clause adopted when: votes_for * 2 > eligible"""
TEA = """propose enact: Tea
Tea is served at four."""

SETTINGS = f"""
[mail]
address = "{ADDRESS}"
[identity]
trusted_receivers = ["{RECEIVER}"]
[delivery.maildir]
folder = "mail"
[site]
folder = "site"
url = "https://nomic.example/"
"""


class Letter:
    """A mail as it lies in a Maildir."""

    def __init__(self, file: Path) -> None:
        self.file = file

    @cached_property
    def message(self) -> EmailMessage:
        return read(self.file.read_bytes())

    @property
    def is_receipt(self) -> bool:
        """Whether it answers one of its reader's (RFC 3834)."""
        return str(self.message["Auto-Submitted"]) == "auto-replied"

    @property
    def subject(self) -> str:
        return str(self.message["Subject"])

    @property
    def text(self) -> str:
        return self._body("plain")

    @property
    def words(self) -> str:
        """The text on one line, with single spaces."""
        return " ".join(self.text.split())

    @property
    def html(self) -> str:
        return self._body("html")

    @property
    def shown(self) -> str:
        """What a reader of the HTML sees: its text, without tags."""
        reading = _Shown()
        reading.feed(self.html)
        return reading.text

    def _body(self, kind: str) -> str:
        part = self.message.get_body((kind,))
        assert part is not None, f"every mail has a text/{kind} part"
        return str(part.get_content())


class _Shown(HTMLParser):
    """Collects the text a browser would show."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self._silent = 0

    def handle_starttag(self, tag: str, _: list[tuple[str, str | None]]) -> None:
        self._silent += tag in ("style", "script", "title")

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in ("style", "script", "title")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.text += data


def maildir(box: Path) -> list[Path]:
    """The files in a Maildir, oldest first."""
    return sorted((box / "new").iterdir()) if (box / "new").is_dir() else []


def read(content: bytes) -> EmailMessage:
    message = email.message_from_bytes(content, policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    return message


class Post:
    """One game on a host of its own. Each mail comes a minute after the one before, unless told when."""

    def __init__(self, host: Host, folder: Path) -> None:
        self.host = host
        self.folder = folder
        self.now = BEGINNING
        self.pbem = Console(folder)
        self.written = 0
        self.stored = 0
        self._read: dict[Path, Letter] = {}

    def found(self, *names: str, language: str = "en", game: str = GAME, **house: str) -> None:
        """A game started for these players on the host's word, by `cooling time` 0 unless told otherwise."""
        rules = {"cooling time": "0"} | {name.replace("_", " "): value for name, value in house.items()}
        players = tuple(PEOPLE[name] for name in names)
        plan = Plan(game, game.title(), language, "suber", KEEPER, players, rules, True, self.now)
        found(self.host, plan)
        self._carry_on()

    def compose(self, name: str, body: str, *, subject: str = "", re: str = "", **headers: str) -> bytes:
        """A player's mail as their mail program writes it; `re` names the mail answered, by its subject's words."""
        self.written += 1
        display, address = PEOPLE[name]
        mail = EmailMessage(policy=email.policy.SMTP)
        mail["From"] = Address(display, addr_spec=address)
        mail["To"] = ADDRESS
        mail["Date"] = format_datetime(datetime.fromtimestamp(self.now // SECOND, UTC))
        mail["Message-ID"] = f"<{self.written}.{self.now}@{address.partition('@')[2]}>"
        mail["Subject"] = subject
        if re:
            self._answering(mail, self.newest(name, re))
        for header, value in headers.items():
            del mail[header.replace("_", "-")]
            mail[header.replace("_", "-")] = value
        mail.set_content(body)
        return mail.as_bytes()

    def _answering(self, mail: EmailMessage, answered: Letter) -> None:
        """As a reply is addressed: to Reply-To, with the thread's headers."""
        for header in ("To", "Subject"):
            del mail[header]
        mail["To"] = str(answered.message["Reply-To"])
        mail["Subject"] = f"Re: {answered.subject}"
        before = answered.message["References"] or ""
        mail["In-Reply-To"] = answered.message["Message-ID"]
        mail["References"] = f"{before} {answered.message['Message-ID']}".strip()

    def mail(self, name: str, body: str, *, subject: str = "", re: str = "", at: int | None = None) -> Letter:
        """A player writes; returns the one receipt they get."""
        return self.answer(name, self.compose(name, body, subject=subject, re=re), at=at)

    def answer(self, name: str, content: bytes, *, at: int | None = None, source: str = TRUSTED) -> Letter:
        """The host takes a mail in; returns the one answer that comes into the player's Maildir."""
        before = {letter.file for letter in self.inbox(name)}
        self.take(content, at=at, source=source)
        answers = [each for each in self.inbox(name) if each.file not in before and each.is_receipt]
        assert len(answers) == 1, f"one answer, not {[each.subject for each in answers]}"
        return answers[0]

    def take(
        self,
        content: bytes,
        *,
        at: int | None = None,
        source: str = TRUSTED,
        sender: str | None = None,
        recipient: str | None = None,
    ) -> str:
        """The host takes a mail in and works it off, as `pbem deliver` does; "taken" or "repeat"."""
        self.now = self.now + MINUTE if at is None else at
        taken = receive(self.host, content, Envelope(self.now, sender, recipient), source)
        self.stored += taken == "taken"
        self._carry_on()
        return taken

    def refuses(self, name: str, body: str, **reply: Any) -> Letter:
        """The one answer to a mail that changes nothing; nobody else gets any."""
        events, boxes = self.state()["events"], self._of_others(name)
        answer = self.mail(name, body, **reply)
        assert PROBLEM.match(answer.subject), f"{answer.subject}\n{answer.text}"
        assert self.state()["events"] == events, "nothing has happened"
        assert self._of_others(name) == boxes, "nobody else is troubled"
        return answer

    def ignores(self, content: bytes, **way: Any) -> None:
        """The mail is taken and changes nothing, and nobody gets anything for it."""
        events, boxes = self.state()["events"], self.everybody()
        assert self.take(content, **way) == "taken"
        assert self.everybody() == boxes
        assert self.state()["events"] == events

    def wait(self, time: int) -> None:
        """Lets time pass (µs), and the calendar do what is due."""
        self.now += time
        self._carry_on()

    def _carry_on(self) -> None:
        calendar.tick(self.host, self.now)
        process.work_off(self.host, self.now)
        calendar.tick(self.host, self.now)
        worker.send_all(self.host, lambda: self.now)

    def inbox(self, name: str) -> list[Letter]:
        """What lies in somebody's Maildir, oldest first; a stranger's is named by their address."""
        files = [file for box in PEOPLE[name] for file in maildir(self.folder / "mail" / box)]
        return [self._letter(file) for file in files]

    def letters(self) -> list[Letter]:
        """Every mail that has come to anybody."""
        return [
            self._letter(file) for box in sorted((self.folder / "mail").glob("*")) for file in maildir(box)
        ]

    def _letter(self, file: Path) -> Letter:
        return self._read.setdefault(file, Letter(file))

    def newest(self, name: str, words: str) -> Letter:
        """The newest mail a player has whose subject has these words, receipts left out."""
        letters_ = self.inbox(name)
        for letter in reversed(letters_):
            if words in letter.subject and not letter.is_receipt:
                return letter
        subjects = [letter.subject for letter in letters_]
        raise AssertionError(f"{name} has no mail about {words!r} among {subjects}")

    def propose(self, name: str, words: str) -> int:
        """A proposal whose debate ends at once; returns its number."""
        before = {each["number"] for each in self.state()["proposals"]}
        receipt = self.mail(name, f"{words}\nend\n\ncall vote\n", subject="My proposal")
        made = [each for each in self.state()["proposals"] if each["number"] not in before]
        assert [each["stage"] for each in made] == ["voting"], receipt.text
        return int(made[0]["number"])

    def vote(self, number: int, **ballots: str) -> None:
        """Ballots, each in a reply to the ballot paper."""
        for name, words in ballots.items():
            self.mail(name, words, re=str(number))

    def turn(self, name: str, words: str, **ballots: str) -> int:
        """A whole turn with these ballots; returns the number of its proposal."""
        number = self.propose(name, words)
        self.vote(number, **ballots)
        return number

    def everybody(self) -> dict[str, int]:
        """How many mails lie in each Maildir."""
        return {box.name: len(maildir(box)) for box in sorted((self.folder / "mail").glob("*"))}

    def _of_others(self, name: str) -> dict[str, int]:
        return {box: count for box, count in self.everybody().items() if box not in PEOPLE[name]}

    def taken(self) -> tuple[InboxEntry, ...]:
        """What the host has taken in and what became of it, newest first."""
        with self.host.store.reading():
            return queues.inbox_log(self.host.store, limit=1000)

    def unsent(self) -> int:
        """How many mails to players wait to be sent."""
        with self.host.store.reading():
            return queues.outbox_counts(self.host.store).get("ready", 0)

    def state(self, game: str = GAME) -> Any:
        """What `pbem state GAME --json` says."""
        return self.pbem.json("state", game)

    def scores(self) -> dict[str, int]:
        """Each player's score by first name."""
        return {player["name"].partition(" ")[0]: player["score"] for player in self.state()["players"]}

    def proposal(self, number: int) -> Any:
        return next(each for each in self.state()["proposals"] if each["number"] == number)

    def rule(self, number: int) -> Any:
        """The rule that has or had the number."""
        return next(rule for rule in self.state()["rules"] if number in rule["lineage"])

    def page(self, *path: str, game: str = GAME) -> str:
        """A published page. Pages are made only when a story looks at them."""
        publishing.publish_due(self.host)
        return (self.folder / "site").joinpath(game, *path).read_text("utf-8")

    def pages(self) -> dict[str, str]:
        """All that is published, as text, by path."""
        publishing.publish_due(self.host)
        site = self.folder / "site"
        files = (Path(at, name) for at, _, names in os.walk(site, followlinks=True) for name in names)
        return {str(file.relative_to(site)): file.read_text("utf-8", "replace") for file in files}

    def is_whole(self, game: str = GAME) -> bool:
        """Whether `pbem verify` finds nothing wanting."""
        return self.pbem("verify", game).exit_code == 0
