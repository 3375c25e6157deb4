"""Debate posts gathered into one mail a day, for those who want them so (`set mail daily`).

What lives here: when, and which. What never may: a post that is left out; whoever chooses another way to get mail
first gets what has gathered.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from pbem.game import codec, views
from pbem.game.events import Posted
from pbem.game.model import Say, say
from pbem.game.state import State
from pbem.mail.letters import Post, daily
from pbem.service import telling
from pbem.service.books import Books, Host, open_books
from pbem.store import eventlog, people
from pbem.store.people import Gatherer

MORNING: Final = 6
"""The hour, where the reader is, at which what has gathered is sent."""


def gather_due(host: Host, now: int) -> None:
    """Sends each such reader what has gathered since the morning before. `now` in UTC µs."""
    with host.store.reading():
        waiting = people.gatherers(host.store)
    due = {each.person for each in waiting if each.at < morning(now, each.zone or host.config.zone)}
    for person in sorted(due):
        with open_books(host) as books:
            gather(books, person, now)
            people.set_gathered(host.store, person, now)


def gather(books: Books, person: int, now: int) -> None:
    """Sends a reader of that kind what has gathered, a mail for each game; nothing to others."""
    for each in people.gatherers(books.host.store):
        if each.person == person:
            _send(books, each, now)


def _send(books: Books, to: Gatherer, now: int) -> None:
    host, state = books.host, books.state(to.game)
    posts = _posts(host, state, to)
    reader = next(reader for reader in people.readers(host.store, to.game) if reader.player == to.player)
    if posts:
        notice = daily(state, f"{to.seq}-{state.seq}", posts)
        telling.send(host, to.game, notice, [telling.recipient_of(reader, state)], now)


def _posts(host: Host, state: State, to: Gatherer) -> tuple[Post, ...]:
    """What others have posted since."""
    records = [
        record for record in eventlog.load(host.store, to.game, after=to.seq) if record.kind == _POSTED
    ]
    facts = [(record.at, codec.decode(record)) for record in records]
    return tuple(
        Post(_name(state, fact), at, _about(state, fact), fact.text)
        for at, fact in facts
        if isinstance(fact, Posted) and fact.player != to.player
    )


_POSTED = codec.kind_of(Posted)


def _name(state: State, fact: Posted) -> str:
    return "" if fact.player is None else state.players[fact.player].name


def _about(state: State, fact: Posted) -> Say:
    if fact.case is not None:
        return say("Case %(case)s", case=f"J{fact.case}")
    if fact.number is None:
        return say("Table talk")
    return views.proposal_view(state, fact.number).headline


def morning(now: int, zone: str) -> int:
    """The latest morning in the zone that is not after `now` (UTC µs)."""
    there = datetime.fromtimestamp(now / 1e6, UTC).astimezone(ZoneInfo(zone))
    at_six = there.replace(hour=MORNING, minute=0, second=0, microsecond=0)
    if at_six > there:
        at_six -= timedelta(days=1)
    return int(at_six.timestamp()) * 1_000_000
