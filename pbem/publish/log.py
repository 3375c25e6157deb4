"""A game's log as the site shows it: in words, with the hashes of the chain, a hundred events a page.

What lives here: read models made from records. What never may: a hash from which a hidden ballot could be found.
A ballot has few possible bodies, so whoever knows the hash before it can try them all; therefore hashes are
kept back from the first ballot of a running secret vote on, and shown when it has closed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from pbem.game import chronicle, codec, views
from pbem.game.codec import Record
from pbem.game.events import BallotCast, Fact
from pbem.game.model import Say
from pbem.game.state import State

EVENTS_A_PAGE: Final = 100


@dataclass(frozen=True, slots=True)
class LogLine:
    """An event: number, moment (UTC µs), sentence, the proposal it is about, its hash (None: kept back)."""

    seq: int
    at: int
    said: Say
    proposal: int | None
    hash: str | None


@dataclass(frozen=True, slots=True)
class LogPage:
    """The events of page `number` (1 is the first), newest first."""

    number: int
    lines: tuple[LogLine, ...]


def log_pages(state: State, records: Sequence[Record]) -> Iterator[LogPage]:
    """The pages that `records` fill, oldest first. They begin where a page does: with event 1, 101, 201 …

    To write less than the whole log, begin no later than the oldest vote that runs now or ran at the last writing.
    """
    hidden = views.hidden_votes(state)
    sealed = any((state.proposals[number].opened or 0) < records[0].at for number in hidden)
    for number, group in groupby(records, lambda record: (record.seq - 1) // EVENTS_A_PAGE + 1):
        lines = []
        for record in group:
            fact = codec.decode(record)
            sealed = sealed or (isinstance(fact, BallotCast) and fact.number in hidden)
            lines.append(_line(state, record, fact, None if sealed else record.hash))
        yield LogPage(number, tuple(reversed(lines)))


def _line(state: State, record: Record, fact: Fact, shown: str | None) -> LogLine:
    proposal: int | None = getattr(fact, "number", None)
    return LogLine(record.seq, record.at, chronicle.told(state.as_of(record.at), fact), proposal, shown)
