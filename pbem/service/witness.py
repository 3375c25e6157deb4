"""A second holder of the logs: once a day a mail with the end of each game's log, so that history is not rewritten unseen.

What lives here: when it is sent, and which end is told. What never may: a hash from which a hidden ballot could be
found; of a game in which a hidden vote runs the end before that vote is told (publish/log.py says why).
"""

from __future__ import annotations

from datetime import UTC, datetime

from pbem.mail import letters
from pbem.mail.letters import End
from pbem.publish.log import sealed
from pbem.service import daily, telling
from pbem.service.answering import registered
from pbem.service.books import Books, Host
from pbem.service.telling import Recipient
from pbem.store import eventlog, people, queues


def tell_second_holder(host: Host, now: int) -> None:
    """Puts the day's mail into the outbox, unless it was there before. `now` in UTC µs."""
    holder = host.config.log.second_holder
    if holder is None:
        return
    morning = daily.morning(now, host.config.zone)
    day = datetime.fromtimestamp(morning / 1e6, UTC).date().isoformat()
    with host.store.reading():
        told = queues.is_queued(host.store, f"/heads:{day}/")
        ends = () if told else tuple(_ends(host))
    if ends:
        with host.store.transaction():
            telling.send(host, "", letters.heads(day, ends), [_recipient(host, holder)], now)


def _ends(host: Host) -> list[End]:
    books = Books(host)
    found = []
    for entry in eventlog.games(host.store):
        state = books.state(entry.slug)
        hidden_from = sealed(state)
        head = (
            entry.head if hidden_from is None else eventlog.head_before(host.store, entry.slug, hidden_from)
        )
        found.append(End(entry.slug, state.title, head.seq, head.hash))
    return found


def _recipient(host: Host, address: str) -> Recipient:
    """Whoever has that address, in their language if they are one of ours."""
    person = people.person_by_address(host.store, address)
    if person is None:
        return Recipient(address, "", "en", host.config.zone, "", html=False)
    return registered(person, person.language or person.spoke or "en", host.config.zone)
