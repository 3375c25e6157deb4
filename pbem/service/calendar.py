"""What time alone brings about: deadlines and closes, each written down as of the moment it was due."""

from __future__ import annotations

import logging

from pbem.game import silence
from pbem.game.events import DeadlinePassed, GraceOver, Remedied, Reminded
from pbem.service.books import Books, Happening, Host, open_books
from pbem.service.telling import tell
from pbem.store import eventlog
from pbem.store.db import Raced

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
    for _ in range(MOST_AT_ONCE):
        state = books.state(game)
        coming = silence.agenda(state)
        if not coming or coming[0][0] > max(now, state.at):
            break
        due, command = coming[0]
        books.ask(game, command, "clock", due)
    books.happenings[told:] = _timely(books.happenings[told:])


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
    with host.store.reading():
        games = eventlog.due_games(host.store, now)
    return sum(_attend(host, game, now) for game in games)


def _attend(host: Host, game: str, now: int) -> bool:
    """Does what is due in one game; whether that could be done."""
    try:
        with open_books(host) as books:
            advance(books, game, now)
            tell(books, now)
    except Raced:  # another process is at it
        return False
    except Exception:
        log.exception("game=%s: what is due could not be done", game)
        with host.store.transaction():
            eventlog.set_due(host.store, game, now + RETRY_AFTER)
        return False
    return True
