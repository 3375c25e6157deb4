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
from pbem.mail.letters import Held
from pbem.mail.notice import Notice
from pbem.mail.readings import Reading, Understood
from pbem.mail.tokens import DAYS, Claim, tagged
from pbem.service import answering, opening, telling
from pbem.service.answering import DAY, Letter
from pbem.service.books import Books, Host, open_books
from pbem.service.desk import Desk
from pbem.service.sender import sender_of
from pbem.service.telling import Recipient
from pbem.store import eventlog, holds, people, queues
from pbem.store.holds import Hold, State
from pbem.store.people import Person

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
    letter = replace(letter, sender=sender_of(books.host.store, address))
    seated = letter.game is not None and letter.sender.player(letter.game) is not None
    commands = opening.understood(books, letter)
    ballot = seated and any(isinstance(command, Vote | RetractVote) for command in commands)
    asked = answering.may_answer(books.host, letter)
    hold = _open(books, letter, Hold(0, letter.mail, "mail", letter.inbound.digest, address, letter.game, letter.at,
                 0, ballot and asked, None, "open" if asked else "unasked"))  # fmt: skip
    if hold is not None and asked:
        _send(books, hold, _question(books, letter, hold, commands), letter)
    elif hold is not None:
        answering.sum_up(books.host, letter, language_of(books, letter.game))


def ask_about(books: Books, letter: Letter, wishes: Sequence[Command]) -> None:
    """Asks the registered address whether these wishes in a mail of its owner's are meant."""
    assert letter.sender.person is not None  # noqa: S101  # a stranger has no such wishes
    hold = _open(books, letter, Hold(0, letter.mail, "wishes", letter.inbound.digest, letter.sender.person.address,
                 letter.game, letter.at, 0, False, None, "open"))  # fmt: skip
    if hold is not None:
        _send(books, hold, letters.meant(_key(hold), hold.at, hold.until, tuple(wishes)), letter)


def ask_address(books: Books, letter: Letter, address: str, person: Person) -> None:
    """Asks an address that is nobody's yet whether mails from it are to be this person's, unless it has been asked
    something too often that day."""
    to = replace(letter, sender=sender_of(books.host.store, address))
    asked = answering.may_answer(books.host, to)
    hold = _open(books, letter, Hold(0, letter.mail, "address", letter.inbound.digest, address, letter.game, letter.at,
                 0, False, person.id, "open" if asked else "unasked"))  # fmt: skip
    if hold is not None and asked:
        _send(books, hold, letters.offered(_key(hold), person.name, hold.until), letter)


def _open(books: Books, letter: Letter, hold: Hold) -> Hold | None:
    """The hold, until its time is over: one that is asked about the next day only has two days at least."""
    state = books.state(hold.game) if hold.game else None
    until = regulation.deadline(state, "hold time", letter.now) if state else letter.now + HOLD_TIME
    if hold.state == "unasked":
        until = max(until, letter.now + HOLD_TIME)
    return holds.open_hold(books.host.store, replace(hold, until=until))


def _question(books: Books, letter: Letter, hold: Hold, commands: tuple[Command, ...]) -> Notice:
    title = books.state(hold.game).title if hold.game else ""
    held = Held(hold.at, hold.until, title, _other_address(books.host, letter, hold), commands)
    return letters.confirm(_key(hold), letter.inbound, held)


def _key(hold: Hold) -> str:
    return f"{hold.digest[:24]}.{hold.id}"


def _other_address(host: Host, letter: Letter, hold: Hold) -> str:
    """Where the mail came from, if that could become an address of whoever is asked."""
    author = letter.inbound.author or ""
    free = author != hold.address and people.is_free(host.store, author)
    return author if free and not letter.inbound.munged else ""


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
    mail = replace(mail, auto="auto-replied", answers=answered)
    telling.queue(
        host, game, [mail], though_paused=True
    )  # else a paused address could never show that it works


def drop(host: Host, hold: Hold, end: State, why: str) -> None:
    """The hold is over and nothing comes of it."""
    holds.close(host.store, hold, end)
    if hold.kind == "mail":
        queues.release(host.store, hold.mail, queues.Outcome("human", hold.game, None, why))


def look_after(host: Host, now: int) -> None:
    """Drops what was not confirmed in time, and says so to whom it was asked; asks what could not be asked before."""
    with host.store.reading():
        if not holds.overdue(host.store, now) and not holds.unasked(host.store, before=now // DAY * DAY):
            return
    with open_books(host) as books:
        for hold in holds.overdue(host.store, now):
            drop(host, hold, "dropped", "dropped: it was not confirmed in time")
            if hold.state == "open" and hold.kind != "address":
                _tell(books, hold, now)
        for hold in holds.unasked(host.store, before=now // DAY * DAY):
            _ask_late(books, hold, now)


def _tell(books: Books, hold: Hold, now: int) -> None:
    letter = _letter(books.host, hold, now)
    if letter is not None and answering.may_answer(books.host, letter):
        notice = letters.not_confirmed(_key(hold), hold.kind, letter.inbound.subject, hold.at)
        answering.note(books.host, letter, notice, language_of(books, hold.game))


def _ask_late(books: Books, hold: Hold, now: int) -> None:
    """Asks on a new day what its address could not be asked on the day it came."""
    letter, person = _letter(books.host, hold, now), people.person_by_id(books.host.store, hold.person or 0)
    if letter is None or not answering.is_new(
        books.host, "asked late", hold.address, now, answering.most(books.host)
    ):
        return
    holds.reopen(books.host.store, hold)
    if person is not None:
        _send(books, hold, letters.offered(_key(hold), person.name, hold.until), letter)
    else:
        _send(books, hold, _question(books, letter, hold, opening.understood(books, letter)), letter)


def _letter(host: Host, hold: Hold, now: int) -> Letter | None:
    """The mail of a hold, as of whoever is asked about it."""
    held = queues.held(host.store, hold.mail)
    if held is None:
        return None
    inbound = opening.read(host, held)
    return Letter(inbound, sender_of(host.store, hold.address), hold.mail, hold.at, now, hold.game)


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
    """The words of a mail that came at `at` and counts only now, less the ballots that newer ones have replaced."""
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
