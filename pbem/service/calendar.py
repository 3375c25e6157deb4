"""What time alone brings about: deadlines and closes, each written down as of the moment it was due."""

from __future__ import annotations

from pbem.game import silence
from pbem.service.books import Books, Host, open_books
from pbem.service.telling import tell
from pbem.store import eventlog

MOST_AT_ONCE = 1000
"""Things due in one game at one look: a fence against a calendar that never empties."""


def advance(books: Books, game: str, now: int) -> None:
    """Does what is due in the game up to `now` (UTC µs), soonest first.

    A game's time does not go back: for a mail that came before the last event it is as late as that.
    """
    for _ in range(MOST_AT_ONCE):
        state = books.state(game)
        coming = silence.agenda(state)
        if not coming or coming[0][0] > max(now, state.at):
            return
        due, command = coming[0]
        books.ask(game, command, "clock", due)


def tick(host: Host, now: int) -> int:
    """Does what is due in all games, a transaction a game; returns in how many something was."""
    with host.store.reading():
        games = eventlog.due_games(host.store, now)
    for game in games:
        with open_books(host) as books:
            advance(books, game, now)
            tell(books, now)
    return len(games)
