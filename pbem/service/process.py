"""One mail, one transaction: read, attributed, given to its game, answered.

What lives here: the way of a mail from the inbox to its outcome. What never may: anything outside the
database; the mails that follow lie in the outbox when the transaction ends, or nothing has happened.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pbem.game import regulation
from pbem.mail import letters
from pbem.mail.compose import Thread
from pbem.mail.grammar import read_commands
from pbem.mail.message import Envelope, Inbound
from pbem.mail.notice import Notice
from pbem.mail.parse import read_mail
from pbem.mail.receipt import ASKED, Beside, receipt
from pbem.service import calendar, sender, telling
from pbem.service.books import Books, Host, open_books
from pbem.service.desk import Desk, Writing, summary
from pbem.service.receive import reading_rules
from pbem.service.sender import Sender
from pbem.service.telling import Answering, Recipient
from pbem.store import people, queues
from pbem.store.db import Raced
from pbem.store.queues import InboxMail, Outcome

log = logging.getLogger(__name__)

DAY: Final = 86_400_000_000
VERDICT: Final = re.compile(r"\A(?:(?:OK|\d+ \w+): )+")
"""How the subjects of our own answers begin: a reply to one is about what that one was about."""
UNPROVEN: Final = "held: nothing proves who wrote it"
REWRITTEN: Final = "held: a mail with the same Message-ID and other words was here before"
HELD: Final = (UNPROVEN, REWRITTEN)


def work_off(host: Host, now: int, stopped: Callable[[], bool] = lambda: False) -> int:
    """Works off the mails that wait, in order of arrival, until none is left or `stopped`; returns how many."""
    worked = 0
    while not stopped() and _work_off_next(host, now):
        worked += 1
    return worked


def _work_off_next(host: Host, now: int) -> bool:
    mail: InboxMail | None = None
    try:
        with open_books(host) as books:
            mail = next(iter(queues.claim_new(host.store, now, 1)), None)
            if mail is None:
                return False
            _close(books, mail, _work(books, mail))
    except Raced:  # somebody else wrote in the same game meanwhile: the mail is judged anew
        return True
    except Exception as error:  # a mail that our own code fails on is set aside; the others go on
        if mail is None:
            raise
        log.exception("mail=%s failed", mail.digest[:16])
        with host.store.transaction():
            queues.fail(host.store, mail.id, f"{type(error).__name__}: {error}", now)
    return True


def _close(books: Books, mail: InboxMail, outcome: Outcome) -> None:
    close = queues.hold if outcome.result in HELD else queues.finish
    close(books.host.store, mail.id, outcome)
    log.info(
        "mail=%s kind=%s game=%s result=%s", mail.digest[:16], outcome.kind, outcome.game, outcome.result
    )


@dataclass(frozen=True, slots=True)
class Letter:
    """A person's mail, taken at `at` (UTC µs), and who wrote it (or, if it is held, is said to have)."""

    inbound: Inbound
    sender: Sender
    at: int

    @property
    def key(self) -> str:
        return self.inbound.digest[:24]


def _work(books: Books, mail: InboxMail) -> Outcome:
    """Everything that follows from one mail."""
    host = books.host
    envelope = Envelope(mail.received, mail.sender, mail.recipient)
    inbound = read_mail(mail.content, envelope, reading_rules(host.config, mail.source))
    if inbound.kind != "human":
        return Outcome(inbound.kind, None, None, inbound.because)
    letter = Letter(inbound, sender.sender_of(host.store, inbound.author or ""), mail.received)
    if inbound.authenticated is None:
        return _hold(host, letter, letters.unproven(letter.key, inbound.subject), UNPROVEN)
    if inbound.letter is not None and queues.counted(host.store, inbound.letter):
        return _hold(host, letter, letters.rewritten(letter.key, inbound.subject), REWRITTEN)
    return _read(books, letter)


def _read(books: Books, letter: Letter) -> Outcome:
    """What a mail that counts leads to."""
    host, inbound = books.host, letter.inbound
    if "too long" in inbound.notes:
        _reply(host, letter, letters.too_long(letter.key, host.config.limits.mail_read), "en")
        return Outcome("human", None, letter.sender.address, "too long")
    game = sender.game_of(host.store, inbound, letter.sender, host.config)
    return _no_game(books, letter) if game is None else _play(books, game, letter)


def _play(books: Books, game: str, letter: Letter) -> Outcome:
    """What is due before the mail, the mail, what is due after it; then everybody is told."""
    inbound = letter.inbound
    calendar.advance(books, game, letter.at)
    thread = sender.thread(inbound, game, books.host.config)
    subject = VERDICT.sub("", inbound.subject_core)
    packed = "unreadable" in inbound.notes
    earlier = _asked_back(books.host, game, thread, letter)
    words = inbound.text or ""
    writing = Writing(words, letter.at, subject, thread, inbound.digest, packed, inbound.cuts, earlier)
    before = books.state(game)
    desk = Desk(books, game, letter.sender, writing)
    lines = desk.work()
    calendar.advance(books, game, letter.at)
    beside = Beside(subject, desk.aside, desk.rows.blank)
    _answer(desk, receipt(lines, before, desk.state, desk.player, letter.key, beside), letter)
    telling.tell(books, letter.at)
    return Outcome("human", game, letter.sender.address, summary(lines))


def _asked_back(host: Host, game: str, thread: Thread | None, letter: Letter) -> Writing | None:
    """The sender's earlier mail, read again, if this one answers what we asked about it."""
    if thread is None or not thread.about.startswith(ASKED):
        return None
    mail = queues.taken_from(host.store, letter.sender.address, thread.about.removeprefix(ASKED))
    if mail is None:
        return None
    envelope = Envelope(mail.received, mail.sender, mail.recipient)
    inbound = read_mail(mail.content, envelope, reading_rules(host.config, mail.source))
    subject, conversation = VERDICT.sub("", inbound.subject_core), sender.thread(inbound, game, host.config)
    return Writing(inbound.text or "", letter.at, subject, conversation, inbound.digest)


def _answer(desk: Desk, notice: Notice, letter: Letter) -> None:
    """To the registered address of whoever wrote, or (nobody we know, and not too often) to where the mail came from."""
    store, zone = desk.books.host.store, regulation.zone(desk.state)
    known = people.person_by_address(store, letter.sender.address)
    if known is None and not _may_answer(desk.books.host, letter.sender.address, letter.at):
        return
    recipient = Recipient(letter.sender.address, "", desk.language, zone, "")
    if known is not None:
        recipient = Recipient(known.address, known.name, desk.language, known.zone or zone, "", known.html)
    telling.answer(desk.books.host, desk.game, notice, recipient, _answering(letter), letter.at)


def _answering(letter: Letter) -> Answering:
    return Answering(letter.inbound.message_id or "", letter.inbound.digest)


def _hold(host: Host, letter: Letter, notice: Notice, why: str) -> Outcome:
    """Nothing in it is done, and the registered address, if it is one, is told why."""
    if letter.sender.person is not None and _may_answer(host, letter.sender.address, letter.at):
        _reply(host, letter, notice, "en")
    return Outcome("human", None, letter.inbound.authenticated, why)


def _no_game(books: Books, letter: Letter) -> Outcome:
    """The sender has a part in several games, and is asked which; or in none, and is told once a day who we are."""
    host, games = books.host, letter.sender.games
    language = read_commands(letter.inbound.text or "", letter.inbound.subject_core).language or "en"
    if games:
        titled = [(game, books.state(game).title) for game in games]
        _reply(host, letter, letters.which_game(letter.key, titled), language)
        return Outcome("human", None, letter.sender.address, "asked which game")
    if _may_answer(host, letter.sender.address, letter.at, cap=1):
        _reply(host, letter, letters.to_stranger(letter.key, language), language)
    return Outcome("human", None, letter.sender.address, "a stranger")


def _may_answer(host: Host, address: str, at: int, cap: int | None = None) -> bool:
    """Whether one more automatic answer may go to somebody outside a game today."""
    people.forget_answers(host.store, before=at // DAY)
    return people.may_answer(host.store, address, at // DAY, cap or max(1, host.config.limits.answers_a_day))


def _reply(host: Host, letter: Letter, notice: Notice, spoken: str) -> None:
    """An answer that belongs to no game."""
    person, address, zone = letter.sender.person, letter.sender.address, host.config.zone
    recipient = Recipient(address, "", spoken, zone, "")
    if person is not None:
        language = person.language or person.spoke or spoken
        recipient = Recipient(person.address, person.name, language, person.zone or zone, "", person.html)
    telling.answer(host, "", notice, recipient, _answering(letter), letter.at)
