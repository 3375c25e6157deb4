"""Mails that wait until the registered address confirms them, and wishes in mails that always do.

What lives here: asking, understanding the answer, and what a hold keeps waiting. What never may: doing what a mail
says (process.py), or an answer to an address that nothing connects with the mail.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Literal

from pbem.game import codec, regulation
from pbem.game.commands import AddAddress, Command, RetractVote, Vote
from pbem.game.events import BallotCast, BallotRetracted
from pbem.game.model import Problem, say
from pbem.mail import letters
from pbem.mail.grammar import read_commands
from pbem.mail.message import Envelope, MailRules
from pbem.mail.notice import Notice
from pbem.mail.parse import read_mail
from pbem.mail.readings import Reading, Understood
from pbem.mail.tokens import DAYS, Claim, tagged
from pbem.service import answering, telling
from pbem.service.answering import DAY, Letter
from pbem.service.books import Books, Host
from pbem.service.desk import Desk
from pbem.service.sender import sender_of
from pbem.service.telling import Recipient
from pbem.store import eventlog, holds, people, queues
from pbem.store.holds import Hold, State

HOLD_TIME: Final = 2 * DAY
"""How long a mail waits that is for no game; a game has its own `hold time`."""
YES: Final = frozenset({"ok", "okay", "yes", "ja"})
NO: Final = frozenset({"no", "nej", "nein"})
OWN: Final = frozenset((
    "i", "i'm", "it", "it's", "that", "that's", "this", "was", "is", "me", "mine", "my", "mail", "wrote", "did",
    "sent", "have", "written", "correct", "right", "thanks", "thank", "you", "det", "den", "där", "här", "var",
    "är", "jag", "mig", "min", "mitt", "mejl", "mejlet", "mailet", "skrev", "skrivit", "har", "skickade",
    "skickat", "stämmer", "tack",
))  # fmt: skip
"""What may follow a yes: `that was me`, `det var jag`."""
_WORD: Final = re.compile(r"\w+(?:['’]\w+)*")

Answer = Literal["yes", "yes, and from there", "no", "unclear"]


def ask(books: Books, letter: Letter, address: str) -> None:
    """Asks the registered address whether the mail is its owner's, unless it has been asked enough that day."""
    reading = read_commands(letter.inbound.text or "", letter.inbound.subject_core)
    seated = letter.game is not None and sender_of(books.host.store, address).player(letter.game) is not None
    ballot = seated and any(isinstance(line.command, Vote | RetractVote) for line in reading.commands)
    _ask(books, letter, address, ballot=ballot, wishes=())


def ask_about(books: Books, letter: Letter, wishes: Sequence[Command]) -> None:
    """Asks the registered address whether these wishes in a mail of its owner's are meant."""
    assert letter.sender.person is not None  # noqa: S101  # a stranger has no such wishes
    _ask(books, letter, letter.sender.person.address, ballot=False, wishes=tuple(wishes))


def _ask(books: Books, letter: Letter, address: str, *, ballot: bool, wishes: tuple[Command, ...]) -> None:
    host, to = books.host, replace(letter, sender=replace(letter.sender, address=address))
    state = books.state(letter.game) if letter.game else None
    until = regulation.deadline(state, "hold time", letter.now) if state else letter.now + HOLD_TIME
    asked = bool(wishes) or answering.may_answer(host, to)
    row = Hold(0, letter.mail, letter.inbound.digest, address, letter.game, letter.at, until, ballot, bool(wishes),
               "open" if asked else "unasked")  # fmt: skip
    hold = holds.open_hold(host.store, row)
    if hold is not None and asked:
        title = state.title if state else ""
        notice = letters.confirm(letter.inbound, hold.at, until, title, _other_address(letter, hold), wishes)
        _send(books, hold, notice, letter)
    elif hold is not None:
        answering.sum_up(host, to, language_of(books, letter.game))


def _other_address(letter: Letter, hold: Hold) -> str:
    """Where the mail came from, if that is not an address of whoever is asked."""
    author, known = letter.inbound.author or "", {hold.address}
    if letter.sender.person is not None:
        known.add(letter.sender.address)
    return "" if author in known or letter.inbound.munged else author


def _send(books: Books, hold: Hold, notice: Notice, letter: Letter) -> None:
    """The mail that asks, in answer to the one that is held. Its token is for this hold alone, and bound to the bytes
    of that mail."""
    host, person = books.host, people.person_by_address(books.host.store, hold.address)
    state = books.state(hold.game) if hold.game else None
    language, zone = (state.language, regulation.zone(state)) if state else ("en", host.config.zone)
    recipient = Recipient(hold.address, "", language, zone, "", html=False)
    if person is not None:
        recipient = answering.registered(person, person.language or person.spoke or language, zone)
    day = hold.until // DAY + DAYS["confirm"]
    claim = Claim("confirm", person.id if person else 0, day, hold.id)
    token, game = host.keys.make(claim, hold.digest), hold.game or ""
    mail = telling.mail_of(host, game, notice, recipient, letter.now)
    mail = replace(mail, token=token, reply_to=tagged(mail.sender, token))
    answered = letter.inbound.message_id or ""
    telling.queue(host, game, [replace(mail, auto="auto-replied", answers=answered)])


def drop(host: Host, hold: Hold, end: State, why: str) -> None:
    """The hold is over and nothing comes of it."""
    holds.close(host.store, hold, end)
    if not hold.wishes:
        queues.release(host.store, hold.mail, queues.Outcome("human", hold.game, None, why))


def drop_overdue(host: Host, now: int) -> None:
    """Drops what was not confirmed in time, and says so to whom it was asked."""
    with host.store.reading():
        if not holds.overdue(host.store, now):
            return
    with host.store.transaction():
        for hold in holds.overdue(host.store, now):
            drop(host, hold, "dropped", "dropped: it was not confirmed in time")
            _tell(host, hold, now)


def _tell(host: Host, hold: Hold, now: int) -> None:
    held = queues.held(host.store, hold.mail)
    if held is None:
        return
    inbound = read_mail(held.content, Envelope(held.received), MailRules())
    letter = Letter(inbound, sender_of(host.store, hold.address), hold.mail, hold.at, now, hold.game)
    if answering.may_answer(host, letter):
        notice = letters.not_confirmed(hold.digest[:24], inbound.subject, hold.at)
        answering.note(host, letter, notice, language_of(Books(host), hold.game))


def language_of(books: Books, game: str | None) -> str:
    """What a reader who has chosen no language is written in."""
    return books.state(game).language if game else "en"


def answer_in(text: str, offered: str) -> Answer:
    """What the new words of a reply say to the question: a word on a line of its own, or the first line with it first.
    `offered` is the address that could be added, "" for none."""
    lines = [
        words for line in text.splitlines() if "?" not in line and (words := _WORD.findall(line.casefold()))
    ]
    said = {words[0] for words in lines if len(words) == 1} | {_first(words) for words in lines[:1]}
    adding = any(line.command == AddAddress(offered) for line in read_commands(text).commands)
    if bool(said & NO) == bool(said & YES or adding):
        return "unclear"
    if said & NO:
        return "no"
    return "yes, and from there" if adding else "yes"


def _first(words: Sequence[str]) -> str:
    """The first word if it answers and the others take nothing from it, else "". A yes is never more than the plainest
    words of a person about themselves, so that no robot says it ("OK, your mail has been received")."""
    first, rest = words[0], frozenset(words[1:])
    if first in NO:
        return "" if rest & YES else first
    return first if first in YES and rest <= YES | OWN else ""


def without_overtaken(desk: Desk, at: int) -> Reading:
    """The words of a mail that came at `at` and is confirmed only now, less the ballots that newer ones have replaced."""
    records = eventlog.load(desk.books.host.store, desk.game)
    facts = [codec.decode(record) for record in records if record.at > at]
    cast = {fact.number for fact in facts
            if isinstance(fact, BallotCast | BallotRetracted) and fact.player == desk.player}  # fmt: skip
    return replace(desk.reading, lines=tuple(_overtaken(desk, line, cast) for line in desk.reading.lines))


def _overtaken(desk: Desk, line: Understood | Problem, cast: set[int]) -> Understood | Problem:
    command = desk.meant(line.command) if isinstance(line, Understood) else None
    if not isinstance(command, Vote | RetractVote) or not cast:
        return line
    if isinstance(command.number, int) and command.number not in cast:
        return line
    why = say("You have voted anew since you wrote this, and the newer ballot counts.")
    return Problem(line.line, line.said, why, (command,))
