"""What is the host's to see to, told by mail to the host's own address (`[mail] operator`), when there is one.

What lives here: when something is told, and to whom. What never may: the words (mail/operating.py), or a failure: what is
wrong stays in the log whether or not it can be told.
"""

from __future__ import annotations

import logging
from typing import Final

from pbem.mail import operating
from pbem.mail.headers import decoded, message_ids, split, unify
from pbem.mail.limits import Limits
from pbem.mail.operating import Aside, Back, Matter
from pbem.mail.tokens import hide
from pbem.service import telling
from pbem.service.answering import DAY, registered
from pbem.service.books import Books, Host
from pbem.service.deliver import Round
from pbem.service.room import in_words, room
from pbem.service.telling import Recipient
from pbem.store import people, postmaster, queues
from pbem.store.db import sqlite_file
from pbem.store.postmaster import Incoming

LONG: Final = 3_600_000_000
"""µs that something which may cure itself goes wrong before the host is told."""

log = logging.getLogger(__name__)


def tell(host: Host, matter: Matter, now: int) -> None:
    """Tells the host, in a transaction of its own. Whatever goes wrong with that is logged: `now` in UTC µs."""
    try:
        with host.store.transaction():
            put(host, matter, now)
    except Exception:  # the one who tells of a failure must not add another
        log.exception("the host could not be told: %s", matter.subject)


def put(host: Host, matter: Matter, now: int) -> None:
    """Puts the mail to the host into the outbox, unless it was told that day. Called inside `Store.transaction`."""
    address = host.config.mail.operator
    if address is None:
        return
    notice = operating.notice(matter, now // DAY)
    # Its key would keep a second one out all the same; this spares the making of it at each look.
    if not queues.is_queued(host.store, f"/{notice.key}/"):
        telling.send(host, "", notice, [_operator(host, address)], now)


def _operator(host: Host, address: str) -> Recipient:
    """The host, who may be one of our people, and then reads what language they do."""
    person = people.person_by_address(host.store, address)
    if person is None:
        return Recipient(address, "", "en", host.config.zone, "", html=False)
    return registered(person, person.language or person.spoke or "en", host.config.zone)


def look(host: Host, now: int) -> None:
    """Looks for what stands in the database and on the disk, and tells of it. What goes wrong is logged."""
    if host.config.mail.operator is None:
        return
    try:
        with host.store.reading():
            found = [*_parked(host), *_disk(host)]
    except Exception:  # games go on though nobody can be told
        log.exception("what is the host's to see to could not be looked for")
        return
    for matter in found:
        tell(host, matter, now)


def _parked(host: Host) -> list[Matter]:
    return [operating.parked(_aside(host, mail)) for mail in postmaster.parked(host.store)]


def _aside(host: Host, mail: Incoming) -> Aside:
    content = queues.mail(host.store, mail.digest) or b""
    headers, _ = split(unify(content), Limits())
    ids = message_ids(headers.first("message-id"))
    return Aside(
        f"in{mail.id}",
        hide(decoded(headers.first("from")) or mail.sender or "–"),
        hide(ids[0]) if ids else "",
        mail.received,
        mail.attempts,
        mail.due,
        hide(mail.result or ""),
    )


def _disk(host: Host) -> list[Matter]:
    file = sqlite_file(host.config.database, host.config.path.parent)
    if file is None:
        return []
    there = room(file)
    return (
        [operating.disk(str(file.parent), in_words(there.free), in_words(there.needed))]
        if there.is_short
        else []
    )


def game_failed(host: Host, game: str, error: Exception, now: int) -> None:
    """What is due in a game could not be done."""
    tell(host, operating.stands_still(game, _title(host, game), failure(error)), now)


def pages_failed(host: Host, game: str, error: Exception, now: int) -> None:
    """The pages of a game could not be published."""
    tell(host, operating.not_published(game, _title(host, game), failure(error)), now)


def failure(error: Exception) -> str:
    """What an exception says, in one line."""
    return hide(f"{type(error).__name__}: {error}")


class WayOut:
    """Whether mails go out: told round by round, it tells the host when none has for long though some should."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._shut: int | None = None

    def watch(self, done: Round, now: int) -> None:
        """A round of delivery is over. A round in which nothing was due says nothing."""
        if done.sent:
            self._shut = None
        elif done.shut:
            self._shut = self._shut or now
            if now - self._shut > LONG:
                tell(self._host, operating.shut(self._shut, done.shut), now)


def _title(host: Host, game: str) -> str:
    """The game's title as far as it is known: telling must not fail where the game does."""
    known = host.pages.get(game)
    return known.state.title if known else game


def keeper_bounced(books: Books, game: str, name: str, back: Back, now: int) -> None:
    """A mail to a game's keeper has come back. Called inside the transaction of `books`."""
    put(books.host, operating.keeper_away(game, books.state(game).title, name, back), now)
