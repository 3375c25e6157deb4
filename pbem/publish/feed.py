"""What happened last, for feed readers (Atom, RFC 4287).

What lives here: which events are news, and their entries. What never may: a link that leads nowhere outside of the site;
where the site has no address there is no feed. An entry is known by the game's first record and its own number, so it
stays the same entry when the site moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID, uuid5

from pbem.game import chronicle, codec, events
from pbem.game.codec import Record
from pbem.game.model import Say
from pbem.game.state import State
from pbem.publish.log import EVENTS_A_PAGE, Log
from pbem.publish.page import Page
from pbem.publish.press import Press

LATEST: Final = 30
"""Entries in the feed."""
LOOKED_THROUGH: Final = 400
"""Events that are looked through for them, the last ones: ballots and reminders are no news."""
NEWS: Final = frozenset(
    map(
        codec.kind_of,
        (
            events.GameStarted,
            events.PlayerJoined,
            events.PlayerLeft,
            events.SeatTaken,
            events.TurnBegan,
            events.ProposalMade,
            events.ProposalRevised,
            events.ProposalWithdrawn,
            events.ProposalVoided,
            events.VoteOpened,
            events.VoteReopened,
            events.VoteClosed,
            events.Posted,
            events.CaseOpened,
            events.VerdictGiven,
            events.VerdictOverruled,
            events.ClaimMade,
            events.Ruled,
            events.Announced,
            events.KeepershipPassed,
            events.GamePaused,
            events.GameResumed,
            events.GameContinued,
            events.GameCalledOff,
            events.ClauseRuled,
            events.PointsCorrected,
            events.PlayersWon,
            events.WinUndone,
            events.GameEnded,
        ),
    )
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A piece of news: its lasting name, moment (UTC µs), sentence, words ("": none), and the page that has more of it."""

    id: UUID
    at: int
    said: Say
    words: str
    path: str


def pages(press: Press, log: Log) -> Iterator[Page]:
    """The feed, where the site has an address."""
    if press.frame.site.url:
        yield press.page("feed.xml", "feed.xml", press.state.seq, lambda: _view(press, log))


def _view(press: Press, log: Log) -> Mapping[str, Any]:
    (first,) = log.read(1, 1)
    game = UUID(first.hash[:32])
    entries = [_entry(press, game, record) for record in _latest(press.state, log)]
    updated = entries[0].at if entries else first.at
    return {"id": game, "updated": updated, "entries": entries, "root": press.absolute("")}


def _latest(state: State, log: Log) -> Iterator[Record]:
    """The records that are news, the latest first."""
    records: list[Record] = []
    for last in range(state.seq, max(0, state.seq - LOOKED_THROUGH), -EVENTS_A_PAGE):
        found = log.read(max(1, last - EVENTS_A_PAGE + 1), last)
        records += [record for record in reversed(found) if record.kind in NEWS]
        if len(records) >= LATEST:
            break
    yield from records[:LATEST]


def _entry(press: Press, game: UUID, record: Record) -> Entry:
    fact: Any = codec.decode(record)
    state = press.state.as_of(record.at)
    words = (
        fact.text if isinstance(fact, events.Posted | events.ProposalMade | events.ProposalRevised) else ""
    )
    path = press.letter(record.at, record.mail) if isinstance(fact, events.Posted) else _path(record, fact)
    return Entry(
        uuid5(game, str(record.seq)),
        record.at,
        chronicle.told(state, fact),
        words,
        path or _path(record, fact),
    )


def _path(record: Record, fact: Any) -> str:
    """The page about it: of a proposal, a case, a turn, or else the log."""
    number, case, turn = (getattr(fact, name, None) for name in ("number", "case", "turn"))
    if number is not None:
        return f"proposals/{number}/index.html"
    if case is not None:
        return f"cases/J{case}/index.html"
    if turn is not None:
        return f"turns/{turn}/index.html"
    page = (record.seq - 1) // EVENTS_A_PAGE + 1
    return f"log/{page}/index.html#e{record.seq}"
