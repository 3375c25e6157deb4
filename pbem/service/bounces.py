"""Mails of ours that come back: counted by address, and after some of them no more is sent there for a while.

What lives here: what follows from a bounce, and from the first mail after it. What never may: a guess whose bounce it
is. The return path of each mail bears a token of its reader's, so that nobody can make another's address seem dead.
"""

from __future__ import annotations

from pbem.mail import letters
from pbem.mail.message import Inbound
from pbem.mail.operating import Back
from pbem.mail.phrases import ADDRESS
from pbem.mail.tokens import hide, mark_of
from pbem.service import alarms, telling
from pbem.service.attributing import Borne
from pbem.service.books import Books, Host, open_books
from pbem.service.sender import Sender
from pbem.store import people, postmaster, queues
from pbem.store.db import Store
from pbem.store.queues import OutboxMail, Outcome


def count(books: Books, inbound: Inbound, token: Borne, at: int) -> Outcome:
    """A mail to a return path of ours. Only a bounce that is final counts, and only for the address it was sent to."""
    store = books.host.store
    mine = people.addresses_of(store, token.claim.person)
    address = next((each for each in mine if mark_of(each) == token.claim.mark), None)
    if inbound.kind != "bounce":
        return Outcome(inbound.kind, None, None, f"no bounce, at an address for them ({inbound.because})")
    if "not final" in inbound.notes:
        return Outcome("bounce", None, None, "a mail of ours is delayed")
    if address is None or not token.good:
        return Outcome("bounce", None, None, "a mail of ours came back, from an address that is used no more")
    bounces = people.add_bounce(store, address)
    most = books.host.config.limits.bounces
    words = f"{inbound.subject} ({inbound.because})"
    back = Back(bounces, most, inbound.digest[:16], hide(words))
    _tell(books, token.claim.person, inbound.digest[:24], back, at)
    return Outcome("bounce", None, None, f"a mail of ours came back, the {bounces}. in a row")


def refused(host: Host, mail: OutboxMail, at: int) -> None:
    """The server that our mails go to refused a reader's address for good: that is a bounce, told at once."""
    with open_books(host) as books:
        person = people.person_by_address(host.store, mail.recipient)
        if person is None:
            return
        bounces, most = people.add_bounce(host.store, mail.recipient), host.config.limits.bounces
        found = postmaster.outgoing_by_id(host.store, mail.id)
        words = (found.error if found else None) or ""
        back = Back(bounces, most, f"out{mail.id}", hide(words))
        _tell(books, person.id, f"refused-{mail.id}", back, at)


def works(host: Host, who: Sender, now: int) -> None:
    """A mail has come from there: what waited for the address is sent."""
    people.clear_bounces(host.store, who.address)
    queues.resume(host.store, who.address, now)


def _tell(books: Books, person: int, key: str, back: Back, at: int) -> None:
    """The host, of whom a game asks when it cannot go on; and from so many bounces on the keepers, once, of everybody in
    their games. No address is shown to a keeper."""
    store, words = books.host.store, ADDRESS.sub("…", back.words)
    parts = people.seats_of(store, next(iter(people.addresses_of(store, person)), ""))
    for part in parts:
        if part.role == "keeper":
            alarms.keeper_bounced(books, part.game, _name(store, part.game, person), back, at)
    for game in sorted({part.game for part in parts}) if back.bounces == back.most else ():
        state = books.state(game)
        notice = letters.bouncing(state, _name(store, game, person), key, words)
        telling.tell_one(books.host, state, notice, at)


def _name(store: Store, game: str, person: int) -> str:
    return next(reader.name for reader in people.readers(store, game) if reader.person == person)
