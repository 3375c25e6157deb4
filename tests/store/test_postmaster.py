"""Stories of mails looked through, stopped and carried by hand, and of a server's pulse: the same on both databases."""

from __future__ import annotations

import dataclasses

import pytest

from pbem.game.codec import GENESIS
from pbem.store import carried, eventlog, people, postmaster, pulse, queues
from pbem.store.carried import Mail
from pbem.store.db import Store
from pbem.store.eventlog import Head
from pbem.store.postmaster import ON_HOLD
from tests.store.samples import arrival, outcome, outgoing, records


@pytest.fixture
def stocked(store: Store) -> Store:
    """A game with two events and a mail that is done with, one that waits, and one of ours to be sent."""
    with store.transaction():
        eventlog.create_game(store, "kaffe", at=0)
        eventlog.append(store, "kaffe", 0, records(2))
        done = queues.accept(store, arrival("first"))
        queues.finish(store, done.id, dataclasses.replace(outcome(), game="kaffe"))
        queues.accept(store, arrival("second"))
        queues.enqueue(store, [outgoing("receipt")])
        mia = people.add_person(store, "Mia", "mia@players.example")
        people.add_address(store, mia, "mia@work.example")
        people.sit(store, "kaffe", mia, "player", 1)
        people.sit(store, "kaffe", mia, "keeper")
    return store


def test_what_waits_is_listed_and_counted(stocked: Store) -> None:
    with stocked.reading():
        (came,), (queued,) = postmaster.incoming(stocked), postmaster.outgoing(stocked)
        assert (came.state, queued.state) == ("new", "ready")
        assert postmaster.unread(stocked) == postmaster.Waiting(1, came.received)
        assert postmaster.unsent(stocked) == postmaster.Waiting(1, queued.made)
        assert postmaster.unapplied(stocked) == postmaster.Waiting(0, None)


def test_a_mail_that_has_gone_elsewhere_meanwhile_is_not_moved(stocked: Store) -> None:
    with stocked.transaction():
        (came,), (queued,) = postmaster.incoming(stocked), postmaster.outgoing(stocked)
        assert postmaster.set_incoming(stocked, came, ON_HOLD)
        assert not postmaster.set_incoming(stocked, came, ON_HOLD)
        assert queues.claim_new(stocked, now=10**18, limit=9) == ()
        assert len(queues.claim_outbox(stocked, queued.due, 9, "me", 1000)) == 1
        assert not postmaster.set_outgoing(stocked, queued, ON_HOLD, queued.due), "it is being sent"
        assert postmaster.set_outgoing(stocked, queued, ON_HOLD, queued.due + 1000), "the lease is over"
        assert queues.claim_outbox(stocked, 10**18, 9, "me", 1000) == ()


def test_a_mail_is_found_by_its_bytes(stocked: Store) -> None:
    content = arrival("second").content
    with stocked.reading():
        ((number, found),) = postmaster.incoming_with(stocked, content[:15])
        assert bytes(found) == content
        assert postmaster.incoming_by_digest(stocked, arrival("second").digest) == [number]
        assert list(postmaster.incoming_with(stocked, b"no such words")) == []
        sent = outgoing("receipt").content
        assert [mail.key for mail in postmaster.outgoing_with(stocked, sent[:15])] == [
            outgoing("receipt").key
        ]


def test_mails_and_people_are_carried_whole(stocked: Store) -> None:
    with stocked.transaction():
        (mail,) = carried.mails(stocked, "kaffe")
        (mia,) = carried.members(stocked, "kaffe")
        assert mail.content == arrival("first").content
        assert mia.addresses == ("mia@players.example", "mia@work.example")
        assert {(part.role, part.player) for part in mia.parts} == {("player", 1), ("keeper", None)}
        assert (mia.preferences.html, mia.preferences.digests) == (True, True)

        eventlog.create_game(stocked, "te", at=0)
        carried.take_mail(stocked, mail)
        other = dataclasses.replace(mail, key="another", game="te")
        carried.take_mail(stocked, other)
        stranger = dataclasses.replace(mia, addresses=("noa@players.example",))
        carried.seat(stocked, "te", stranger)
        assert tuple(carried.mails(stocked, "kaffe")) == (mail,), "the one that was here stays"
        assert tuple(carried.mails(stocked, "te")) == (other,)
        assert carried.members(stocked, "te") == (stranger,)


def test_an_erased_mail_is_carried_as_one(stocked: Store) -> None:
    with stocked.transaction():
        (mail,) = carried.mails(stocked, "kaffe")
        queues.erase_mails(stocked, (), [1])
        (erased,) = carried.mails(stocked, "kaffe")
    assert isinstance(erased, Mail)
    assert (erased.content, erased.author, erased.digest) == (None, None, mail.digest)


def test_the_log_is_known_as_it_ended_before_a_moment(stocked: Store) -> None:
    first, second = records(2)
    with stocked.reading():
        assert eventlog.head_before(stocked, "kaffe", second.at + 1) == Head(2, second.hash)
        assert eventlog.head_before(stocked, "kaffe", first.at) == Head(0, GENESIS)


def test_a_pulse_is_the_last_beat_of_each_part(store: Store) -> None:
    with store.transaction():
        pulse.beat(store, "work", 1)
        pulse.beat(store, "work", 3)
        pulse.beat(store, "delivery", 2)
    with store.reading():
        assert pulse.beats(store) == {"work": 3, "delivery": 2}
