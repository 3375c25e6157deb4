"""What the people of the simulation write: right, wrong, hostile, and by machines; each mail with its true author.

What lives here: mails and the ways they come by. What never may: a look inside the host, but for the game as everybody
knows it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from random import Random
from typing import Literal

from pbem.game.state import State
from pbem.mail import tokens
from tests.flow.forging import forged
from tests.flow.post import ADDRESS, KEEPER, PEOPLE, RECEIVER, SECOND
from tests.simulation.smarthost import Taken
from tests.soak.hostile import SCRAPS

Door = Literal["smtp", "lmtp", "imap"]
"""From the world, where no header is a receiver's word; from our own mail server; from a mailbox."""
Kind = Literal["talk", "move", "answer", "forgery", "other body", "machine", "broken"]

DOORS: tuple[Door, ...] = ("smtp", "lmtp", "lmtp", "imap", "imap")
SOURCES: dict[Door, str] = {"smtp": "smtp 192.0.2.7", "lmtp": "lmtp 127.0.0.1", "imap": "imap"}
MALLORY = ("Mallory", "mallory@evil.example")
CHANGES = (
    "propose amend 203: A majority is enough\nA change is adopted when more than half are for it.\n\n"
    "clause adopted when: votes_for * 2 > eligible",
    "propose enact: Tea\nTea is served at four.",
    "propose enact: Coins\nEverybody has coins.\n\nclause counter coins: 3",
    "propose repeal 211",
    "propose transmute 105",
    "propose amend 202: Two proposals\nA turn is two proposals.\n\nclause proposals per turn: 2",
    "propose amend 208: Soon\nWhoever has 30 points wins.\n\nclause wins when: score >= 30",
)
QUESTIONS = ("status", "rules", "scores", "proposals", "rule 203", "log", "help", "läge", "hjälp röst")
WRONG = ("for 999", "agianst 301", "vote", "propose", "propose amend 7: x\ny", "for 301-", "retract vote 301",
         "verdict legal: so it is", "clause adopted when: true", "ja", "")  # fmt: skip


@dataclass(frozen=True)
class Written:
    """A mail as somebody wrote it: who it was, whom From names, and the words on which an effect can be known again.
    `id` is its Message-ID; `body` all below the headers; `lines` the headers that every copy has."""

    number: int
    author: str
    claims: str
    kind: Kind
    id: str
    lines: tuple[str, ...]
    body: str
    signed: bool = False
    mark: str = ""
    sender: str | None = None
    recipient: str | None = None
    raw: bytes | None = None


@dataclass(frozen=True)
class Copy:
    """A mail on its way: its bytes, and the door it will come by."""

    written: Written
    door: Door
    content: bytes


@dataclass
class Person:
    """Somebody with a mailbox. `signs`: their provider does, so that our receiver passes what it hands on."""

    name: str
    display: str
    address: str
    signs: bool
    box: list[Taken] = field(default_factory=list)
    questions: list[Taken] = field(default_factory=list)

    @property
    def host(self) -> str:
        return self.address.partition("@")[2]


@dataclass
class Pen:
    """Writes mails by lot. `people` have a seat in the game."""

    lot: Random
    people: dict[str, Person]
    written: list[Written] = field(default_factory=list)
    by_id: dict[str, Written] = field(default_factory=dict)

    # ---- what is written ----

    def anything(self, state: State, now: int) -> Written:
        """A mail of any kind, for a game that stands so."""
        author = self.lot.choice(sorted(self.people))
        kind = self.lot.choices(
            (self._move, self._talk, self._forgery, self._other_body, self._machine, self._broken),
            (12, 4, 4, 1, 2, 1),
        )[0]
        return kind(author, state, now)

    def answer(self, name: str, now: int) -> Written | None:
        """What somebody says to the oldest question whether a mail is theirs: the truth. None: nobody asks."""
        person = self.people[name]
        if not person.questions:
            return None
        asked = person.questions.pop(0)
        held = self._asked_about(asked)
        words = "yes" if held is not None and held.author == name else "no"
        return self._write(name, name, "answer", words, now, answering=asked)

    def _asked_about(self, asked: Taken) -> Written | None:
        """The mail that a question is about: known by its words where they have a mark, else by its Message-ID."""
        mark = re.search(rb"nonce(\d+)", asked.content)
        return self.written[int(mark[1])] if mark else self.by_id.get(_header(asked.content, "In-Reply-To"))

    def _move(self, name: str, state: State, now: int) -> Written:
        words = self._words(name, state)
        person = self.people[name]
        answering = self.lot.choice(person.box[-3:]) if person.box and self.lot.random() < 0.6 else None
        return self._write(name, name, "move", words, now, answering=answering)

    def _talk(self, name: str, _: State, now: int) -> Written:
        return self.talk(name, now)

    def talk(self, name: str, now: int) -> Written:
        """Words to the table, which nobody else has said."""
        mark = f"nonce{len(self.written)}"
        return self._write(name, name, "talk", f"I wonder about {mark} today.", now, mark=mark)

    def _words(self, name: str, state: State) -> str:
        """One thing to ask of the game, sensible as a rule; now and then two."""
        words = (
            self._sensible(name, state) if self.lot.random() < 0.75 else self.lot.choice(WRONG + QUESTIONS)
        )
        return f"{words}\n\n{self.lot.choice(QUESTIONS)}" if self.lot.random() < 0.15 else words

    def _sensible(self, name: str, state: State) -> str:
        player = state.named(self.people[name].display)
        if player is None or name == "Kim":
            return self._of_keeper(state)
        for proposal in state.open_proposals:
            if proposal.stage == "debate" and proposal.proponent == player.id:
                return f"call vote {proposal.number}"
            if proposal.stage == "voting":
                return f"{self.lot.choice(('for', 'for', 'for', 'against'))} {proposal.number}"
        if state.docket.waits:
            return "consent"
        if state.docket.open_cases and self.lot.random() < 0.5:
            return "verdict legal: So it is."
        return (
            self._in_turn()
            if state.on_turn == player.id
            else self.lot.choice(
                ("absent until 2027-01-02", "back", "judgment: Is it so?", "forfeit", *QUESTIONS)
            )
        )

    def _in_turn(self) -> str:
        return f"{self.lot.choice(CHANGES)}\nend\n\ncall vote" if self.lot.random() < 0.9 else "end turn"

    def _of_keeper(self, state: State) -> str:
        number = state.open[0] if state.open else 301
        return self.lot.choice(
            (
                f"close {number}: it takes too long",
                "pass turn: it takes too long",
                f"extend {number} 2d",
                "announce: Hello",
                "status",
                "resume: on we go",
                "pause: away",
            )
        )

    # ---- what nobody should believe ----

    def _forgery(self, name: str, state: State, now: int) -> Written:
        """In another's name, by a stranger or by a player, who has a token of their own."""
        forger = self.lot.choice([MALLORY[0], *(each for each in sorted(self.people) if each != name)])
        mark = f"nonce{len(self.written)}"
        words = self.lot.choice(
            (self._sensible(name, state), f"I wonder about {mark} today.", "yes", "forfeit")
        )
        return self._write(forger, name, "forgery", words, now, mark=mark, to=self._stolen(forger))

    def _stolen(self, forger: str) -> str:
        """The address a forger writes to: ours, with a token of their own or one made up as often as not."""
        own = self.people[forger].box if forger in self.people else []
        made_up = tokens.tagged(ADDRESS, forged(tokens.claim("reply", 1, 0, 7)))
        theirs = _header(own[-1].content, "Reply-To") if own else made_up
        return self.lot.choice((ADDRESS, made_up, theirs))

    def _other_body(self, name: str, state: State, now: int) -> Written:
        """The Message-ID of an earlier mail over other words; by its author, or by somebody who saw it."""
        earlier = [each for each in self.written if each.kind in ("talk", "move")]
        if not earlier:
            return self._talk(name, state, now)
        first = self.lot.choice(earlier)
        return self.again(first, now, self.lot.choice((first.author, MALLORY[0])))

    def again(self, first: Written, now: int, author: str = "") -> Written:
        """Other words under the Message-ID of an earlier mail; by its author unless told otherwise."""
        author, mark = author or first.author, f"nonce{len(self.written)}"
        words = f"I wonder about {mark}."
        return self._write(author, first.claims, "other body", words, now, mark=mark, again=first.id)

    def _machine(self, name: str, state: State, now: int) -> Written:
        """Away notes, bounces, our own mails back, a list that puts itself into From: none of them acts."""
        words = self._sensible(name, state)
        box = self.people[name].box
        last = self.lot.choice(box[-4:]) if box else None
        which = self.lot.choice(("away", "bounce", "list", "echo"))
        if which == "bounce" and last is not None:
            return self._bounce(name, last, now)
        if which == "echo" and last is not None:
            before = next((each for each in self.written if each.raw == last.content), None)
            return before or self._write(name, name, "machine", "", now, raw=last.content)
        if which == "list":
            more = ("List-Id: <talk.lists.example>", f"X-Original-From: {self.people[name].address}")
            return self._write(
                name, name, "machine", words, now, more=more, shows="Bo via Talk <talk@lists.example>"
            )
        return self._write(name, name, "machine", words, now, more=("Auto-Submitted: auto-replied",))

    def _bounce(self, name: str, last: Taken, now: int) -> Written:
        """A report that a mail did not arrive: to its return path, or by a forger who does not know that."""
        more = ('Content-Type: multipart/report; report-type=delivery-status; boundary="b"',)
        body = "--b\r\nContent-Type: text/plain\r\n\r\nNo.\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\n"
        body += "Reporting-MTA: dns; mx.example\r\n\r\nFinal-Recipient: rfc822; x@y.example\r\nAction: failed\r\nStatus: 5.1.1\r\n--b--\r\n"
        to = self.lot.choice((last.sender, last.sender, ADDRESS))
        shows = "Mail Delivery System <MAILER-DAEMON@mx.example>"
        return self._write(name, name, "machine", body, now, more=more, shows=shows, to=to, sender="")

    def _broken(self, name: str, state: State, now: int) -> Written:
        """A mail of somebody's cut up, with scraps of other mails in it, as the world delivers it."""
        whole = self._copy_bytes(self._move(name, state, now), "smtp", now)
        pieces = [whole[: self.lot.randrange(len(whole))]]
        pieces += self.lot.choices(SCRAPS, k=self.lot.randrange(1, 6))
        pieces.append(whole[self.lot.randrange(len(whole)) :])
        return self._write(name, name, "broken", "", now, raw=b"".join(pieces))

    # ---- how it is written ----

    def _write(
        self,
        author: str,
        claims: str,
        kind: Kind,
        words: str,
        now: int,
        *,
        answering: Taken | None = None,
        to: str = "",
        shows: str = "",
        more: tuple[str, ...] = (),
        mark: str = "",
        again: str = "",
        sender: str | None = None,
        raw: bytes | None = None,
    ) -> Written:
        person, number = self.people[claims], len(self.written)
        to = to or (_header(answering.content, "Reply-To") if answering else ADDRESS)
        name = again or f"<{number}.sim@{person.host if author == claims else 'evil.example'}>"
        lines = [
            f"From: {shows or f'{person.display} <{person.address}>'}",
            f"To: {to}",
            f"Date: {format_datetime(datetime.fromtimestamp(now // SECOND, UTC))}",
            f"Message-ID: {name}",
            f"Subject: {'Re: ' + _header(answering.content, 'Subject') if answering else 'My words'}",
            *((f"In-Reply-To: {answering.id}",) if answering else ()),
            *more,
        ]
        signed = author == claims and person.signs and not shows and raw is None
        if sender is None:
            sender = person.address if author == claims else MALLORY[1]
        made = Written(number, author, claims, kind, name, tuple(lines), words, signed, mark, sender, to, raw)
        self.written.append(made)
        self.by_id.setdefault(name, made)
        return made

    def copies(self, written: Written, now: int) -> list[Copy]:
        """One as a rule, up to three; each by its own way, with the lines that way adds."""
        count = self.lot.choices((1, 2, 3), (7, 2, 1))[0]
        doors = [self.lot.choice(DOORS) for _ in range(count)]
        return [self.copy(written, door, now) for door in doors]

    def copy(self, written: Written, door: Door, now: int) -> Copy:
        """One that comes by that door, with the lines that its way adds."""
        return Copy(written, door, self._copy_bytes(written, door, now))

    def _copy_bytes(self, written: Written, door: Door, now: int) -> bytes:
        hop = f"{self.lot.randrange(10**6)} by mx.nomic.example; {format_datetime(datetime.fromtimestamp(now // SECOND, UTC))}"
        received = f"Received: from relay{hop}"
        if written.raw is not None:
            return received.encode() + b"\r\n" + written.raw
        head = [*self._results(written, door), received, *written.lines]
        words = written.body.replace("\r\n", "\n").replace("\n", "\r\n")
        return "\r\n".join([*head, "", words, ""]).encode()

    def _results(self, written: Written, door: Door) -> tuple[str, ...]:
        """What our receiver says of it; from the world, what a forger says it said."""
        host = self.people[written.claims].host
        passed = f"Authentication-Results: {RECEIVER}; dmarc=pass header.from={host}"
        if door == "smtp":
            return (passed,) if written.author != written.claims or self.lot.random() < 0.2 else ()
        if written.signed:
            return (passed,)
        if self.people[written.claims].signs:
            return (passed.replace("=pass", "=fail"),)
        return (f"Authentication-Results: {RECEIVER}; dmarc=none header.from={host}",)


def _header(content: bytes, name: str) -> str:
    """The value of a header of a mail of ours, on one line."""
    head = content.partition(b"\r\n\r\n")[0].decode("utf-8", "replace").replace("\r\n ", " ")
    found = re.search(rf"(?im)^{name}:\s*(.*?)\r?$", head)
    return found[1] if found else ""


def is_question(mail: Taken) -> bool:
    """Whether it asks if a mail was written by its reader: its Reply-To bears a token to confirm with."""
    found = tokens.found_in([_header(mail.content, "Reply-To")])
    said = tokens.read(found[0]) if found else None
    return said is not None and said.purpose == "confirm"


def seated(lot: Random, count: int) -> dict[str, Person]:
    """Players and a keeper who does not play, each with a provider that signs or not."""
    names = [name for name in PEOPLE if PEOPLE[name] != KEEPER][:count]
    people = {name: Person(name, *PEOPLE[name], signs=lot.random() < 0.6) for name in names}
    return {**people, "Kim": Person("Kim", *KEEPER, signs=True)}
