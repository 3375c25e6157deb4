"""The archive: every mail that made the game, a hundred events a page, to read and for mail programs.

What lives here: which page a letter is on, for good. What never may: what a letter tells, or is kept from telling.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Any

from markupsafe import Markup

from pbem.game import views
from pbem.game.codec import Record
from pbem.game.state import State
from pbem.publish import mbox
from pbem.publish.letters import Letter, letters_of
from pbem.publish.log import EVENTS_A_PAGE, Log
from pbem.publish.page import Page, Shelf
from pbem.publish.press import Press


def shelves(press: Press, log: Log) -> Iterator[Page | Shelf]:
    """The pages of the archive, the same letters for mail programs, and the way to the last page."""
    state = press.state
    last = log.place(state.at)
    hidden = [state.proposals[number] for number in sorted(views.hidden_votes(state))]

    def key(number: int) -> object:
        end = log.ends[number - 1] if number <= len(log.ends) else state.at
        # A full page stays as it is when what follows came later, unless it may hold ballots that are secret.
        grows = state.seq if end == state.at else None
        return grows, number == last, tuple(vote.number for vote in hidden if vote.made <= end)

    def both(number: int, key: object) -> Iterator[Page]:
        letters = _reading(state, log, number)
        view = _viewing(press, letters, number, last)
        yield press.page(f"archive/{number}/index.html", "archive.html", key, view)
        yield Page(f"archive/{number}/mails.mbox", (press.frame, key), _boxing(press, letters))

    numbers = range(1, last + 1)
    yield from press.shelves("archive", numbers, [key(number) for number in numbers], both)
    yield press.way_to_the_last("archive", last)


def _reading(state: State, log: Log, number: int) -> Callable[[], tuple[Letter, ...]]:
    """How the letters of a page are read, once for both that show them."""
    return cache(lambda: tuple(letters_of(state, _records(state, log, number))))


def _viewing(
    press: Press, letters: Callable[[], tuple[Letter, ...]], number: int, last: int
) -> Callable[[], Mapping[str, Any]]:
    """How the view of a page is made, the latest letter first."""

    def entry(place: int, letter: Letter) -> Markup:
        printed = partial(press.macros("../../").letter, number, letter)
        return press.of_the_last(number == last, ("archive", place), (number, letter), printed)

    def view() -> Mapping[str, Any]:
        entries = [entry(place, letter) for place, letter in enumerate(letters())]
        return {"number": number, "last": last, "letters": entries[::-1]}

    return view


def _boxing(press: Press, letters: Callable[[], tuple[Letter, ...]]) -> Callable[[], bytes]:
    return lambda: mbox.box(press, letters())


def _records(state: State, log: Log, number: int) -> Iterator[Record]:
    """The records whose place is page `number`. What was recorded at one moment is on one page, so that a moment alone
    tells the page; it may then be longer, and the next one shorter."""
    first = (number - 1) * EVENTS_A_PAGE + 1
    while first <= state.seq:
        for record in log.read(first, min(state.seq, first + EVENTS_A_PAGE - 1)):
            if (place := log.place(record.at)) > number:
                return
            if place == number:
                yield record
        first += EVENTS_A_PAGE
