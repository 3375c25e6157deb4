"""A game's log as the site shows it: in words, with the hashes of the chain, a hundred events a page.

What lives here: read models made from records. What never may: a hash from which a hidden ballot could be found.
A ballot has few possible bodies, so whoever knows the hash before it can try them all; therefore hashes are
kept back from the opening of the oldest secret vote that runs, and shown when it has closed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from markupsafe import Markup

from pbem.game import chronicle, codec, views
from pbem.game.codec import Record
from pbem.game.model import Say
from pbem.game.state import State
from pbem.publish.page import Page, Shelf, part_of
from pbem.publish.press import Press

EVENTS_A_PAGE: Final = 100


@dataclass(frozen=True, slots=True)
class Log:
    """A game's log, of which only what is asked for is read: `read(first, last)` gives the records of those numbers.

    `head` is the hash of the last record; `ends` the moments (UTC µs) of every hundredth, one for each full page.
    """

    head: str
    ends: Sequence[int]
    read: Callable[[int, int], Sequence[Record]]

    def place(self, at: int) -> int:
        """The page, by hundreds of events, of what was recorded at that moment; it never changes."""
        return part_of(self.ends, at)


def log_of(records: Sequence[Record]) -> Log:
    """The log as a sequence of all its records."""
    ends = [record.at for record in records[EVENTS_A_PAGE - 1 :: EVENTS_A_PAGE]]
    return Log(records[-1].hash, ends, lambda first, last: records[first - 1 : last])


@dataclass(frozen=True, slots=True)
class LogLine:
    """An event: page, number, moment (UTC µs), sentence, the proposal it is about (None: about none), its hash (None: kept back)."""

    page: int
    seq: int
    at: int
    said: Say
    proposal: int | None
    hash: str | None


def shelves(press: Press, log: Log) -> Iterator[Page | Shelf]:
    """The pages of the log, and the way to the last of them. Page 1 holds events 1 to 100."""
    state, hidden_from = press.state, sealed(press.state)
    last = (state.seq - 1) // EVENTS_A_PAGE + 1

    def key(number: int) -> object:
        end = log.ends[number - 1] if number <= len(log.ends) else state.at
        # A full page with pages after it stays as it is, unless hashes on it are kept back.
        kept_back = hidden_from if hidden_from is not None and hidden_from <= end else None
        return min(state.seq, number * EVENTS_A_PAGE), number == last, kept_back

    def pages(number: int, key: object) -> tuple[Page]:
        view = _viewing(press, log, number, last, hidden_from)
        return (press.page(f"log/{number}/index.html", "log.html", key, view),)

    numbers = range(1, last + 1)
    yield from press.shelves("log", numbers, [key(number) for number in numbers], pages)
    yield press.way_to_the_last("log", last)


def sealed(state: State) -> int | None:
    """From when on hashes are kept back (UTC µs); None: all are shown."""
    return min((state.proposals[number].opened or 0 for number in views.hidden_votes(state)), default=None)


def _viewing(
    press: Press, log: Log, number: int, last: int, hidden_from: int | None
) -> Callable[[], Mapping[str, Any]]:
    """How the view of a page is made, the latest event first."""
    begin = (number - 1) * EVENTS_A_PAGE + 1

    def hidden(record: Record) -> bool:
        return hidden_from is not None and record.at >= hidden_from

    def view() -> Mapping[str, Any]:
        records = log.read(begin, min(press.state.seq, begin + EVENTS_A_PAGE - 1))
        lines = [_line(press, each, number, hidden(each), newest=number == last) for each in records[::-1]]
        seen = {"first": records[0].seq, "newest": records[-1].seq, "kept_back": hidden(records[-1])}
        return {"number": number, "last": last, "lines": lines, **seen}

    return view


def _line(press: Press, record: Record, page: int, hidden: bool, *, newest: bool) -> Markup:
    """An event of a page; of the newest one it is kept in its place there, for the next printing."""
    slot = ("log", record.seq % EVENTS_A_PAGE)
    printed = partial(_printed, press, record, page, hidden)
    return press.of_the_last(newest, slot, (record.hash, hidden), printed)


def _printed(press: Press, record: Record, page: int, hidden: bool) -> Markup:
    state, fact = press.state, codec.decode(record)
    number: int | None = getattr(fact, "number", None)
    about = number if number in state.proposals else None
    said = chronicle.told(state.as_of(record.at), fact)
    line = LogLine(page, record.seq, record.at, said, about, None if hidden else record.hash)
    printed: Markup = press.macros("../../").log_line(line)
    return printed
