"""The mails that wait, some in one transaction: each read, attributed, given to its game, answered.

What lives here: the way of a mail from the inbox to its outcome. What never may: anything outside the
database; the mails that follow lie in the outbox when the transaction ends, or nothing has happened. A mail that our own
code fails on is undone by itself. Which mails a worker takes beside others is in store/lanes.py.
"""

from __future__ import annotations

import hashlib
import logging
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pbem.mail import letters
from pbem.mail.accepting import spoken
from pbem.mail.grammar import read_commands
from pbem.mail.message import Inbound
from pbem.mail.notice import Notice
from pbem.mail.receipt import Beside, Line, receipt
from pbem.service import (
    adopting,
    answering,
    asides,
    attributing,
    bounces,
    calendar,
    erasing,
    holding,
    opening,
    sender,
    telling,
    wishes,
)
from pbem.service.answering import DAY, Letter
from pbem.service.attributing import Attributed, Borne
from pbem.service.books import Books, Elsewhere, Host, open_books
from pbem.service.desk import Desk
from pbem.service.loglines import line
from pbem.service.sender import sender_of
from pbem.service.writing import Standing
from pbem.store import holds, lanes, people, queues
from pbem.store.db import Raced
from pbem.store.queues import InboxMail, Outcome

log = logging.getLogger(__name__)

MOST: Final = 20
"""Mails in one transaction. On SQLite others wait for its end, those with new mail too."""
PATIENCE: Final = 0.5
"""Seconds after which a worker beside others begins no further mail in a transaction: what it has done is safe only at its end."""
HELD: Final = "held: "
"""How the result of a mail begins in which nothing was done, and which is kept."""
UNPROVEN: Final = f"{HELD}nothing proves who wrote it"
ANOTHERS: Final = f"{HELD}it bears the token of somebody else"
REWRITTEN: Final = f"{HELD}a mail with the same Message-ID and other words was here before"


def work_off(host: Host, now: int, stopped: Callable[[], bool] = lambda: False) -> int:
    """Works off the mails that wait, in order of arrival, until none is left or `stopped`; returns how many."""
    worked = 0
    while not stopped() and (begun := _work_off_some(host, now, stopped)) is not None:
        worked += begun
    return worked


def _work_off_some(host: Host, now: int, stopped: Callable[[], bool]) -> int | None:
    """Works off some mails in one transaction; returns how many were begun, None when none waits."""
    done = _Done()
    try:
        with open_books(host) as books:
            claim = lanes.claim(host.store, now, MOST)
            if claim is None:
                return None
            books.held = claim.games
            begun = _work_off_claimed(books, claim, now, done, stopped)
    except Exception as error:
        if isinstance(error, Raced) or host.store.crossed(error):
            return 1
        raise  # it is not the mails: they keep their places before those that came later
    _tell_done(host, done, now)
    return begun


@dataclass(slots=True)
class _Done:
    """What is to be done when the transaction stands: lines for the log, mails to tell a keeper of, bytes to wipe out."""

    lines: list[str] = field(default_factory=list)
    parked: list[InboxMail] = field(default_factory=list)
    erased: bool = False


def _tell_done(host: Host, done: _Done, now: int) -> None:
    for told in done.lines:
        log.info("%s", told)
    if done.erased:
        host.store.wipe()
    for mail in done.parked:
        asides.tell_keeper(host, mail, now)


def _work_off_claimed(
    books: Books, claim: lanes.Claim, now: int, done: _Done, stopped: Callable[[], bool]
) -> int:
    """Works off the mails of a claim, until one of them ends it or `stopped`; returns how many were begun."""
    until = math.inf if claim.games is None else time.monotonic() + PATIENCE
    begun = 0
    for mail in claim.mails:
        if begun and (stopped() or time.monotonic() > until):
            break
        begun += 1
        if not _work_off_one(books, mail, now, done):
            break
    return begun


def _work_off_one(books: Books, mail: InboxMail, now: int, done: _Done) -> bool:
    """Works off one mail, all or nothing of it; whether those that follow can be worked off in the same transaction."""
    store = books.host.store
    try:
        with books.attempt():
            outcome = _work(books, mail)
            state = _close(books, mail, outcome)
            erased = erasing.erase(books, mail.id)
    except Raced:  # somebody else wrote in the same game meanwhile: the mail is judged anew
        return False
    except Elsewhere:
        lanes.relane(store, mail.id)
        return False
    except Exception as error:  # a mail that our own code fails on is set aside; the others go on
        if store.could_not(error):
            raise
        log.exception("mail=%s failed", mail.digest[:16])
        if queues.fail(store, mail.id, f"{type(error).__name__}: {error}", now) == "parked":
            done.parked.append(mail)
        return True
    done.lines.append(_line(mail, outcome, state))
    done.erased |= erased
    return not erased  # the next ones may have been among what was erased


def _close(books: Books, mail: InboxMail, outcome: Outcome) -> str:
    """The mail is done with, or held: which of the two."""
    held = outcome.result.startswith(HELD)
    (queues.hold if held else queues.finish)(books.host.store, mail.id, outcome)
    return "held" if held else "done"


def _line(mail: InboxMail, outcome: Outcome, state: str) -> str:
    seen = {"mail": mail.digest[:16], "id": f"in{mail.id}", "way": mail.source.partition(" ")[0]}
    return line(**seen, kind=outcome.kind, game=outcome.game, state=state, result=outcome.result)


def _work(books: Books, mail: InboxMail) -> Outcome:
    """Everything that follows from one mail. Raises Elsewhere for one that concerns more than these books hold."""
    host, inbound = books.host, opening.read(books.host, mail)
    borne = attributing.borne(host, inbound, mail.received)
    if attributing.purpose(borne) != "reply":
        books.must_hold(None)
    match attributing.purpose(borne):
        case "bounce":
            return bounces.count(books, inbound, borne[0], mail.received)
        case "leave" if inbound.kind in ("human", "auto-reply"):
            return _unsubscribe(books, _letter(mail, inbound), borne[0])
        case "confirm" if inbound.kind == "human":
            return _answered(books, _letter(mail, inbound), borne[0])
    if inbound.kind != "human":
        return Outcome(inbound.kind, None, None, inbound.because)
    return _attributed(books, mail, inbound, attributing.attributed(host, inbound, borne))


def _letter(mail: InboxMail, inbound: Inbound) -> Letter:
    """A mail that is no player's words to a game, whoever sent it."""
    nobody = sender.Sender(inbound.author or "", None, (), ())
    return Letter(inbound, nobody, mail.id, mail.received, mail.received, None)


def _attributed(books: Books, mail: InboxMail, inbound: Inbound, found: Attributed) -> Outcome:
    """A person's mail, by the table of who is believed (mail/attribution.py)."""
    if found.game is not None:
        books.must_hold(found.game)
    waited = (mail.result or "").startswith(HELD)
    letter = Letter(inbound, found.sender, mail.id, mail.received, mail.received, found.game, waited=waited)
    match found.what:
        case "count" | "count with a remark" | "answer once":
            unsigned = found.what == "count with a remark"
            standing: Standing = "vouched" if inbound.proof == "vouched" else "proven"
            return _proven(books, replace(letter, standing=standing, unsigned=unsigned))
        case "hold":
            person = found.sender.person
            return _hold(books, letter, person.address if person else found.sender.address, UNPROVEN)
        case "hold for its owner" if found.owner is not None:
            return _hold(books, letter, found.owner.address, UNPROVEN)
        case "tell both" if found.owner is not None:
            _tell_owner(books, letter, found.owner)
            person = found.sender.person
            return _hold(books, letter, person.address if person else found.sender.address, ANOTHERS)
    return Outcome("human", None, None, UNPROVEN)


def _proven(books: Books, letter: Letter) -> Outcome:
    """A mail that is its sender's, so their address works."""
    if (rewritten := _rewritten(books, letter)) is not None:
        return rewritten
    holds.close_on(books.host.store, letter.mail)
    bounces.works(books.host, letter.sender, letter.now)
    return _read(books, letter)


def _rewritten(books: Books, letter: Letter) -> Outcome | None:
    """Under one Message-ID one mail counts: what comes of another one, None if none has counted yet. A copy that came by a
    list, say, has a line more, and its author would say that they wrote it."""
    host, inbound = books.host, letter.inbound
    if books.held is not None and lanes.has_copies(host.store, inbound.letter, letter.mail):
        books.must_hold(None)
    if inbound.letter is None or not queues.counted(host.store, inbound.letter):
        return None
    answering.error(host, letter, letters.rewritten(letter.key, inbound.subject), "en")
    return Outcome("human", None, letter.sender.address, REWRITTEN)


def _hold(books: Books, letter: Letter, address: str, why: str) -> Outcome:
    """Nothing in it is done until the registered address confirms it."""
    holding.ask(books, letter, address)
    return Outcome("human", letter.game, None, why)


def _tell_owner(books: Books, letter: Letter, owner: people.Person) -> None:
    """The owner of a token that somebody else's mail bears learns that it is known, and no more."""
    to = replace(letter, sender=sender_of(books.host.store, owner.address))
    if answering.is_new(books.host, "misused", owner.address, letter.now):
        answering.note(books.host, to, letters.misused(letter.key), holding.language_of(books, letter.game))


def _note(books: Books, letter: Letter, notice: Notice) -> None:
    """A mail of our own accord to the sender of a letter, a few a day."""
    if answering.may_answer(books.host, letter):
        answering.note(books.host, letter, notice, holding.language_of(books, letter.game))


def _unsubscribe(books: Books, letter: Letter, token: Borne) -> Outcome:
    """No more digests for the owner of the token, whoever sends it: it is good for nothing else."""
    host = books.host
    person = people.person_by_id(host.store, token.claim.person)
    if person is None or not token.good:
        return Outcome(letter.inbound.kind, None, None, "a token to unsubscribe with that is good no more")
    people.set_preference(host.store, person.id, "digests", False)
    who = sender_of(host.store, person.address)
    to = replace(letter, sender=who, game=who.games[0] if len(who.games) == 1 else None)
    _note(books, to, letters.unsubscribed(letter.key))
    return Outcome(letter.inbound.kind, None, None, "unsubscribed from digests")


def _answered(books: Books, letter: Letter, token: Borne) -> Outcome:
    """What somebody says to the question whether a held mail is theirs. Only they have seen its token."""
    host = books.host
    hold = holds.find(host.store, token.claim.mark)
    assert hold is not None  # noqa: S101  # the token was checked against it
    letter = replace(letter, sender=sender_of(host.store, hold.address), game=hold.game)
    held = queues.held(host.store, hold.mail)
    if hold.state != "open" or hold.until <= letter.now or held is None or held.digest != hold.digest:
        _note(books, letter, letters.settled(letter.key, hold.state, hold.kind))
        return Outcome("human", hold.game, None, "an answer to a question that is settled")
    inbound = opening.read(host, held)
    answer = holding.answer_in(letter.inbound.text or "", inbound.author or "")
    if answer == "unclear":
        answering.note(host, letter, letters.unclear(hold.digest[:24]), holding.language_of(books, hold.game))
        return Outcome("human", hold.game, None, "an answer that is neither yes nor no")
    if answer == "no":
        return _denied(books, letter, hold)
    holds.close(host.store, hold, "confirmed")
    confirmed = Letter(inbound, letter.sender, held.id, held.received, letter.now, hold.game, waited=True)
    if hold.kind == "address":
        adopting.take(books, letter, hold)
        return Outcome("human", hold.game, None, "an address that agrees to be somebody's")
    if answer == "yes, and from there":
        adopting.offer(books, confirmed, inbound.author or "")
    outcome = _confirmed(books, confirmed, hold)
    return Outcome("human", outcome.game, hold.address, f"confirmed mail {hold.digest[:16]}")


def _confirmed(books: Books, letter: Letter, hold: holds.Hold) -> Outcome:
    """What follows from the word of the registered address. That a mail is its owner's does not make its wishes meant."""
    if hold.kind == "wishes":
        return _wished(books, replace(letter, standing="meant"))
    outcome = _rewritten(books, letter) or _read(books, replace(letter, standing="confirmed"))
    settled = replace(outcome, result=outcome.result.removeprefix(HELD))
    queues.release(books.host.store, letter.mail, settled)
    return outcome


def _denied(books: Books, letter: Letter, hold: holds.Hold) -> Outcome:
    """The held mail is dropped at once, and keeps nothing waiting."""
    host = books.host
    holding.drop(host, hold, "denied", "dropped: the owner of the address has not written it")
    if hold.kind == "address":
        return Outcome("human", hold.game, None, "an address that will not be somebody's")
    answering.note(host, letter, letters.denied(letter.key, hold.kind), holding.language_of(books, hold.game))
    if hold.game is not None:
        calendar.advance(books, hold.game, letter.now)
        telling.tell(books, letter.now)
    return Outcome("human", hold.game, hold.address, f"denied mail {hold.digest[:16]}")


def _wished(books: Books, letter: Letter) -> Outcome:
    """What waited in a mail that was done otherwise. Whoever is forgotten by it gets no more answer."""
    assert letter.game is not None  # noqa: S101  # wishes are said to a game
    desk = opening.desk(books, letter.game, letter)
    desk.reading = wishes.waiting(desk.reading)
    before, lines = desk.state, desk.work()
    if not books.forgotten:
        key, subject = f"{letter.key}.confirmed", desk.writing.subject
        notice = receipt(lines, before, desk.state, desk.player, key, Beside(subject))
        answering.receipt(desk, notice, letter)
    for address in desk.to_add:
        adopting.offer(books, letter, address)
    telling.tell(books, letter.now)
    return Outcome("human", letter.game, letter.sender.address, summary(lines))


def _read(books: Books, letter: Letter) -> Outcome:
    """What a mail that counts leads to."""
    host, inbound = books.host, letter.inbound
    if "too long" in inbound.notes:
        answering.error(host, letter, letters.too_long(letter.key, host.config.limits.mail_read), "en")
        return Outcome("human", None, letter.sender.address, "too long")
    return _no_game(books, letter) if letter.game is None else _play(books, letter.game, letter)


def _play(books: Books, game: str, letter: Letter) -> Outcome:
    """What is due before the mail, the mail, what is due after it; then everybody is told.

    What was held comes before all that its hold has put off.
    """
    if letter.standing != "confirmed":
        calendar.advance(books, game, letter.at)
    before = books.state(game)
    desk = opening.desk(books, game, letter)
    if letter.waited:
        desk.reading = holding.without_overtaken(desk, letter.at)
    if _said_today(desk, letter):
        telling.tell(books, letter.now)
        return Outcome("human", game, letter.sender.address, "the same words again, without a command")
    lines = desk.work()
    calendar.advance(books, game, letter.now)
    struck = "struck out" in letter.inbound.notes
    beside = Beside(desk.writing.subject, desk.aside, desk.rows.blank, letter.inbound.attached, struck)
    notice = receipt(lines, before, desk.state, desk.player, letter.key, beside)
    if letter.unsigned:
        notice = replace(notice, view={**notice.view, "unsigned": True})
    answering.receipt(desk, notice, letter)
    if desk.to_confirm:
        holding.ask_about(books, replace(letter, game=game), desk.to_confirm)
    telling.tell(books, letter.now)
    return Outcome("human", game, letter.sender.address, summary(lines))


def _said_today(desk: Desk, letter: Letter) -> bool:
    """Whether the same person said the same to the game that day, with no command in it: two robots that answer one
    another would never end (RFC 3834 2). Whoever has a part in no game is bounded by the cap on answers."""
    words = letter.inbound.text or ""
    if desk.reading.lines or not words.strip() or not desk.who.seats:
        return False
    said = hashlib.sha256(f"{desk.game}\0{letter.sender.address}\0{words}".encode()).hexdigest()
    return not people.may_answer(desk.books.host.store, said, letter.now // DAY, cap=1)


def _no_game(books: Books, letter: Letter) -> Outcome:
    """The sender has a part in several games, and is asked which; or in none, and is told who we are, a few times a day."""
    host, games = books.host, letter.sender.games
    words = letter.inbound.text or ""
    language = read_commands(words, letter.inbound.subject_core).language or spoken(words) or "en"
    if games:
        titled = [(game, books.state(game).title) for game in games]
        answering.error(host, letter, letters.which_game(letter.key, titled), language)
        return Outcome("human", None, letter.sender.address, "asked which game")
    if answering.may_answer(host, letter, 1):
        answering.reply(host, letter, letters.to_stranger(letter.key, language), language)
    return Outcome("human", None, letter.sender.address, "a stranger")


def summary(lines: Sequence[Line]) -> str:
    """How many lines were done, refused and asked back: the result as the log tells it."""
    refused = sum(line.refused is not None and not line.refused.asks for line in lines)
    asked = sum(line.problem is not None for line in lines) + sum(
        line.refused is not None and line.refused.asks for line in lines
    )
    return f"{len(lines) - refused - asked} done, {refused} refused, {asked} asked back"
