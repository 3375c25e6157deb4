"""What time alone brings about: deadlines and closes, each written down as of the moment it was due.

A vote does not close while a ballot in it waits for its sender's confirmation, which must have come before it would
have closed; the game knows nothing of that.
"""

from __future__ import annotations

import logging

from pbem.game import silence
from pbem.game.commands import CloseVote, EndGrace, Scheduled
from pbem.game.events import DeadlinePassed, GraceOver, Remedied, Reminded
from pbem.game.silence import Due
from pbem.game.state import State
from pbem.service import alarms, daily, holding, witness
from pbem.service.books import Books, Happening, Host, open_books
from pbem.service.telling import tell
from pbem.store import eventlog, holds
from pbem.store.db import Raced
from pbem.store.holds import Hold

MOST_AT_ONCE = 1000
"""Things due in one game at one look: a fence against a calendar that never empties."""
RETRY_AFTER = 5 * 60 * 1_000_000
"""µs from a failure of our own code on what is due in a game to the next try."""

_STEPS = (Reminded, DeadlinePassed, GraceOver, Remedied)
"""The facts of one ladder, each overtaken by the next."""

log = logging.getLogger(__name__)


def advance(books: Books, game: str, now: int) -> None:
    """Does what is due in the game up to `now` (UTC µs), soonest first.

    A game's time does not go back: for a mail that came before the last event it is as late as that.
    """
    told = len(books.happenings)
    waiting = holds.ballots(books.host.store, game)
    for _ in range(MOST_AT_ONCE):
        state = books.state(game)
        coming = _agenda(state, waiting)
        if not coming or coming[0][0] > max(now, state.at):
            break
        due, command = coming[0]
        books.ask(game, command, "clock", due)
    if waiting:
        coming = _agenda(books.state(game), waiting)
        eventlog.set_due(books.host.store, game, coming[0][0] if coming else None)
    books.happenings[told:] = _timely(books.happenings[told:])


def _agenda(state: State, waiting: tuple[Hold, ...]) -> list[Due]:
    """What the calendar will ask, as it is put off by held ballots."""
    coming = [(_put_off(state, due, command, waiting), command) for due, command in silence.agenda(state)]
    return sorted(coming, key=lambda entry: entry[0])


def _put_off(state: State, due: int, command: Scheduled, waiting: tuple[Hold, ...]) -> int:
    """When a vote closes that would close at `due`: not before all holds have ended on mails that came until then.

    One that comes later puts nothing off, so a vote is open no longer than one `hold time` more.
    """
    match command:
        case CloseVote(number) | EndGrace(int() as number) if state.proposals[number or 0].stage == "voting":
            return max([due, *(hold.until for hold in waiting if hold.at <= due)])
    return due


def _timely(happenings: list[Happening]) -> list[Happening]:
    """Without the reminders that are overtaken: after a time without a clock only the last step still says what is so."""
    last = {
        fact.number: fact for happening in happenings for fact in happening.facts if isinstance(fact, _STEPS)
    }
    return [
        happening
        for happening in happenings
        if not all(isinstance(fact, _STEPS) and last[fact.number] is not fact for fact in happening.facts)
    ]


def tick(host: Host, now: int) -> int:
    """Does what is due in all games, a transaction a game; returns in how many something was done.

    A game that our own code fails on is tried again after a while; it keeps no other game waiting.
    """
    holding.look_after(host, now)
    daily.gather_due(host, now)
    witness.tell_second_holder(host, now)
    with host.store.reading():
        games = eventlog.due_games(host.store, now)
    attended = sum(_attend(host, game, now) for game in games)
    alarms.look(host, now)
    return attended


def _attend(host: Host, game: str, now: int) -> bool:
    """Does what is due in one game; whether that could be done."""
    try:
        with open_books(host) as books:
            advance(books, game, now)
            tell(books, now)
    except Raced:  # another process is at it
        return False
    except Exception as error:
        if host.store.crossed(error):
            return False
        log.exception("game=%s: what is due could not be done", game)
        with host.store.transaction():
            eventlog.set_due(host.store, game, now + RETRY_AFTER)
        alarms.game_failed(host, game, error, now)
        return False
    return True
