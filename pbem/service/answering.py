"""Answers to mail: to whom, in which language, and how often.

What lives here: the letter that is answered, and the caps on what goes to strangers and about errors. What never may:
the words of an answer, or an address that has not been proven or registered.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

from pbem.game import regulation
from pbem.mail import letters
from pbem.mail.message import Inbound
from pbem.mail.notice import Notice
from pbem.service import telling
from pbem.service.books import Host
from pbem.service.desk import Desk
from pbem.service.sender import Sender, thread
from pbem.service.telling import Answering, Recipient
from pbem.service.writing import Standing
from pbem.store import people
from pbem.store.people import Person

DAY = 86_400_000_000


@dataclass(frozen=True, slots=True)
class Letter:
    """A person's mail, number `mail` in the inbox, taken at `at` (UTC µs), and who wrote it (or, if it is held, is said
    to have). `now` is when it is dealt with: later than `at` only if it was held. `game` is the one it is for, if that
    is known; `standing` is what shows who wrote it, `unsigned` if that was a token alone, `waited`
    whether it was held before."""

    inbound: Inbound
    sender: Sender
    mail: int
    at: int
    now: int
    game: str | None
    standing: Standing = "proven"
    unsigned: bool = False
    waited: bool = False

    @property
    def key(self) -> str:
        return self.inbound.digest[:24]


def receipt(desk: Desk, notice: Notice, letter: Letter) -> None:
    """To the registered address of whoever wrote, or (nobody we know) to where the mail came from. Whoever has a part in
    no game, not too often: once a day, or as errors are if they are invited or wrote a command."""
    host, zone = desk.books.host, regulation.zone(desk.state)
    known = people.person_by_address(host.store, letter.sender.address)
    meant = bool(desk.who.invitation(desk.game) or desk.reading.commands)
    if not desk.who.seats and not may_answer(host, letter, None if meant else 1):
        return
    recipient = Recipient(letter.sender.address, "", desk.language, zone, "", html=False)
    if known is not None:
        recipient = registered(known, desk.language, zone)
    within = thread(letter.inbound, desk.game, host.config)
    answering = replace(_answering(letter), within=within.about if within else "")
    telling.answer(host, desk.game, notice, recipient, answering, letter.now)


def error(host: Host, letter: Letter, notice: Notice, spoken: str) -> None:
    """An answer that belongs to no game: a few a day to an address, then one that says so, then none."""
    if may_answer(host, letter):
        reply(host, letter, notice, spoken)
    else:
        sum_up(host, letter, spoken)


def reply(host: Host, letter: Letter, notice: Notice, spoken: str) -> None:
    """An answer that belongs to no game, in the reader's language or else in the one `spoken` in the mail."""
    person, zone = letter.sender.person, host.config.zone
    recipient = Recipient(letter.sender.address, "", spoken, zone, "", html=False)
    if person is not None:
        recipient = registered(person, person.language or person.spoke or spoken, zone)
    telling.answer(host, "", notice, recipient, _answering(letter), letter.now)


def note(host: Host, letter: Letter, notice: Notice, spoken: str) -> None:
    """A mail of our own accord to a registered address, about `letter`: it answers none of its owner's."""
    person, zone = letter.sender.person, host.config.zone
    recipient = Recipient(letter.sender.address, "", spoken, zone, "", html=False)
    if person is not None:
        recipient = registered(person, person.language or person.spoke or spoken, zone)
    telling.send(host, "", notice, [recipient], letter.now)


def sum_up(host: Host, letter: Letter, spoken: str) -> None:
    """Says, once a day, that no more is answered that day."""
    if may_answer(host, letter, most(host) + 1):
        reply(host, letter, letters.no_more(letter.key), spoken)


def may_answer(host: Host, letter: Letter, cap: int | None = None) -> bool:
    """Whether one more automatic answer may go to that address today. Receipts to players are not counted."""
    people.forget_answers(host.store, before=letter.now // DAY)
    return people.may_answer(host.store, letter.sender.address, letter.now // DAY, cap or most(host))


def is_new(host: Host, what: str, address: str, now: int, cap: int = 1) -> bool:
    """Whether `what` has been told to the address less than `cap` times that day: a count that nothing else uses up."""
    counted = hashlib.sha256(f"{what}\0{address}".encode()).hexdigest()
    return people.may_answer(host.store, counted, now // DAY, cap)


def most(host: Host) -> int:
    """How many answers of that kind an address gets on a day."""
    return max(1, host.config.limits.answers_a_day)


def registered(person: Person, language: str, zone: str) -> Recipient:
    """A person at their registered address."""
    zone = person.zone or zone
    return Recipient(person.address, person.name, language, zone, "", person.html, person.id)


def _answering(letter: Letter) -> Answering:
    return Answering(letter.inbound.message_id or "", letter.inbound.digest)
