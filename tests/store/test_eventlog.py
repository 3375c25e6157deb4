"""Stories of games, their logs, and what hangs on them."""

from __future__ import annotations

import threading

import pytest

from pbem.game.codec import GENESIS
from pbem.store import eventlog
from pbem.store.db import Raced, Store
from pbem.store.eventlog import GameEntry, GameExists, Head, NoSuchGame
from tests.store.samples import records


@pytest.fixture
def kaffe(store: Store) -> Store:
    with store.transaction():
        eventlog.create_game(store, "kaffe", at=5)
    return store


def test_a_new_game_has_an_empty_log(kaffe: Store) -> None:
    with kaffe.reading():
        assert eventlog.games(kaffe) == (GameEntry("kaffe", 5, Head(0, GENESIS), None),)
        assert list(eventlog.load(kaffe, "kaffe")) == []


def test_a_name_is_given_once(kaffe: Store) -> None:
    with kaffe.transaction():
        with pytest.raises(GameExists):
            eventlog.create_game(kaffe, "kaffe", at=6)
        eventlog.create_game(kaffe, "te", at=6)
    with kaffe.reading():
        assert [(game.slug, game.created) for game in eventlog.games(kaffe)] == [("kaffe", 5), ("te", 6)]


def test_a_game_nobody_made_has_no_head(store: Store) -> None:
    with store.reading(), pytest.raises(NoSuchGame):
        eventlog.head(store, "kaffe")


def test_records_come_back_as_they_were_written(kaffe: Store) -> None:
    written = records(3)
    with kaffe.transaction():
        assert eventlog.append(kaffe, "kaffe", 0, written) == Head(3, written[2].hash)
    with kaffe.reading():
        assert list(eventlog.load(kaffe, "kaffe")) == written
        assert list(eventlog.load(kaffe, "kaffe", after=2)) == written[2:]
        assert eventlog.head(kaffe, "kaffe") == Head(3, written[2].hash)


def test_the_moments_of_every_second_record_are_told(kaffe: Store) -> None:
    written = records(5)
    with kaffe.transaction():
        eventlog.append(kaffe, "kaffe", 0, written)
    with kaffe.reading():
        assert eventlog.moments(kaffe, "kaffe", 2) == (written[1].at, written[3].at)


def test_nothing_to_append_leaves_the_head(kaffe: Store) -> None:
    with kaffe.transaction():
        assert eventlog.append(kaffe, "kaffe", 0, []) == Head(0, GENESIS)


def test_whoever_decided_on_an_old_head_has_raced(kaffe: Store) -> None:
    first = records(2)
    with kaffe.transaction():
        eventlog.append(kaffe, "kaffe", 0, first)
        with pytest.raises(Raced):
            eventlog.append(kaffe, "kaffe", 0, records(1))
    with kaffe.reading():
        assert list(eventlog.load(kaffe, "kaffe")) == first


def test_a_log_has_no_gaps(kaffe: Store) -> None:
    with kaffe.transaction():
        for gapped in (records(1, after=1), [records(3)[0], records(3)[2]]):
            with pytest.raises(Raced):
                eventlog.append(kaffe, "kaffe", 0, gapped)
        assert list(eventlog.load(kaffe, "kaffe")) == []


def test_of_six_who_append_at_once_one_wins(kaffe: Store) -> None:
    start, won, raced = threading.Barrier(6), [], []

    def append(writer: int) -> None:
        start.wait()
        try:
            with kaffe.transaction():
                eventlog.append(kaffe, "kaffe", 0, records(writer))
            won.append(writer)
        except Raced:
            raced.append(writer)

    threads = [threading.Thread(target=append, args=(writer,)) for writer in range(1, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(won), len(raced)) == (1, 5)
    with kaffe.reading():
        assert len(list(eventlog.load(kaffe, "kaffe"))) == won[0]


def test_games_come_due_in_order_of_their_moments(kaffe: Store) -> None:
    with kaffe.transaction():
        for slug, due in (("te", 30), ("saft", 10), ("vatten", 31)):
            eventlog.create_game(kaffe, slug, at=6)
            eventlog.set_due(kaffe, slug, due)
    with kaffe.reading():
        assert eventlog.due_games(kaffe, now=30) == ("saft", "te")
        assert eventlog.next_due(kaffe) == 10
    with kaffe.transaction():
        eventlog.set_due(kaffe, "saft", None)
    with kaffe.reading():
        assert eventlog.due_games(kaffe, now=9) == ()
        assert eventlog.next_due(kaffe) == 30


def test_without_deadlines_nothing_is_due(kaffe: Store) -> None:
    with kaffe.reading():
        assert eventlog.next_due(kaffe) is None


def test_pages_wanted_while_they_are_made_are_made_again(kaffe: Store) -> None:
    with kaffe.transaction():
        eventlog.want_site(kaffe, "kaffe")
    with kaffe.transaction():
        assert eventlog.sites_to_publish(kaffe) == (("kaffe", 1),)
        eventlog.want_site(kaffe, "kaffe")
        eventlog.published(kaffe, "kaffe", 1)
        assert eventlog.sites_to_publish(kaffe) == (("kaffe", 2),)
        eventlog.published(kaffe, "kaffe", 2)
        eventlog.published(kaffe, "kaffe", 1)
        assert eventlog.sites_to_publish(kaffe) == ()
