"""Stories of persons, their addresses, seats and wishes."""

from __future__ import annotations

import threading

import pytest

from pbem.store import eventlog, people
from pbem.store.db import Store
from pbem.store.people import AddressTaken, Invitation, Person, Reader, Seat


@pytest.fixture
def club(store: Store) -> Store:
    """Two games, nobody in them."""
    with store.transaction():
        eventlog.create_game(store, "kaffe", at=0)
        eventlog.create_game(store, "te", at=0)
    return store


def test_a_person_is_found_by_any_address_in_any_case(store: Store) -> None:
    with store.transaction():
        mia = people.add_person(store, "Mia Ek", "Mia@Players.example")
        people.add_address(store, mia, "mia.ek@work.example ")
    with store.reading():
        expected = Person(mia, "Mia Ek", "mia@players.example", None, None, None, "each", True)
        assert people.person_by_address(store, "MIA@players.example") == expected
        assert people.person_by_address(store, "mia.ek@work.example") == expected
        assert people.person_by_address(store, "bo@players.example") is None
        assert people.addresses_of(store, mia) == ("mia@players.example", "mia.ek@work.example")


def test_an_address_is_one_persons(store: Store) -> None:
    with store.transaction():
        mia = people.add_person(store, "Mia", "mia@players.example")
        with pytest.raises(AddressTaken):
            people.add_person(store, "Not Mia", "MIA@players.example")
        bo = people.add_person(store, "Bo", "bo@players.example")
        with pytest.raises(AddressTaken):
            people.add_address(store, bo, "mia@players.example")
        owner = people.person_by_address(store, "mia@players.example")
    assert owner is not None
    assert (owner.id, owner.name) == (mia, "Mia")


def test_the_next_address_takes_the_place_of_a_lost_one(store: Store) -> None:
    with store.transaction():
        mia = people.add_person(store, "Mia", "lost@players.example")
        people.add_address(store, mia, "found@players.example")
        people.remove_address(store, "Lost@players.example")
        person = people.person_by_address(store, "found@players.example")
        assert person is not None
        assert person.address == "found@players.example"
        assert people.person_by_address(store, "lost@players.example") is None


def test_wishes_are_remembered(store: Store) -> None:
    with store.transaction():
        mia = people.add_person(store, "Mia", "mia@players.example")
        people.set_preference(store, mia, "language", "sv")
        people.set_preference(store, mia, "spoke", "en")
        people.set_preference(store, mia, "zone", "Europe/Stockholm")
        people.set_preference(store, mia, "mail", "daily")
        people.set_preference(store, mia, "html", False)
        person = people.person_by_address(store, "mia@players.example")
    assert person is not None
    assert person.html is False
    assert person == Person(mia, "Mia", "mia@players.example", "sv", "en", "Europe/Stockholm", "daily", False)


def test_a_person_may_have_a_part_in_many_games(club: Store) -> None:
    with club.transaction():
        mia = people.add_person(club, "Mia", "mia@players.example")
        people.sit(club, "kaffe", mia, "keeper")
        people.sit(club, "kaffe", mia, "player", 1)
        people.sit(club, "te", mia, "observer")
        assert people.seats_of(club, "Mia@players.example") == (
            Seat("kaffe", None, "keeper"),
            Seat("kaffe", 1, "player"),
            Seat("te", None, "observer"),
        )
        people.leave(club, "kaffe", mia, "keeper")
        assert people.seats_of(club, "mia@players.example") == (
            Seat("kaffe", 1, "player"),
            Seat("te", None, "observer"),
        )
        assert people.seats_of(club, "bo@players.example") == ()


def test_readers_are_all_with_a_part_each_at_the_registered_address(club: Store) -> None:
    with club.transaction():
        mia = people.add_person(club, "Mia", "mia@players.example")
        people.add_address(club, mia, "mia@work.example")
        bo = people.add_person(club, "Bo", "bo@players.example")
        kim = people.add_person(club, "Kim", "kim@hosts.example")
        people.set_preference(club, mia, "language", "sv")
        people.set_preference(club, mia, "spoke", "en")
        people.set_preference(club, bo, "spoke", "en")
        people.set_preference(club, bo, "html", False)
        people.sit(club, "kaffe", mia, "player", 2)
        people.sit(club, "kaffe", bo, "player", 1)
        people.sit(club, "kaffe", kim, "keeper")
        people.sit(club, "te", kim, "observer")
        assert people.readers(club, "kaffe") == (
            Reader(kim, "keeper", None, "Kim", "kim@hosts.example", None, None, "each", True, True, 0),
            Reader(bo, "player", 1, "Bo", "bo@players.example", "en", None, "each", False, True, 0),
            Reader(mia, "player", 2, "Mia", "mia@players.example", "sv", None, "each", True, True, 0),
        )


def test_a_seat_and_the_keepership_pass_on(club: Store) -> None:
    with club.transaction():
        mia = people.add_person(club, "Mia", "mia@players.example")
        bo = people.add_person(club, "Bo", "bo@players.example")
        for person in (mia, bo):
            people.sit(club, "kaffe", person, "keeper")
            people.sit(club, "kaffe", person, "player", 1)
            people.sit(club, "kaffe", person, "observer")
        parts = [(reader.role, reader.name) for reader in people.readers(club, "kaffe")]
        assert parts == [("keeper", "Bo"), ("observer", "Mia"), ("observer", "Bo"), ("player", "Bo")]


def test_sitting_down_twice_is_sitting_once(club: Store) -> None:
    with club.transaction():
        mia = people.add_person(club, "Mia", "mia@players.example")
        for player in (1, 1, 2):
            people.sit(club, "kaffe", mia, "player", player)
        assert people.seats_of(club, "mia@players.example") == (Seat("kaffe", 2, "player"),)


def test_who_is_forgotten_is_in_no_table(club: Store) -> None:
    with club.transaction():
        mia = people.add_person(club, "Mia", "mia@players.example")
        people.sit(club, "kaffe", mia, "player", 1)
        people.invite(club, Invitation("te", "mia@players.example", "Mia", 5))
        people.forget(club, mia)
        assert people.person_by_address(club, "mia@players.example") is None
        assert people.addresses_of(club, mia) == ()
        assert people.readers(club, "kaffe") == ()
        assert people.invitations(club, "te") == ()


def test_an_invitation_stands_until_it_is_used(club: Store) -> None:
    with club.transaction():
        people.invite(club, Invitation("kaffe", "Bo@players.example", "Bo", 5))
        people.invite(club, Invitation("kaffe", "bo@players.example", "Bo Berg", 6))
        people.invite(club, Invitation("te", "bo@players.example", "Bo", 4))
        people.invite(club, Invitation("kaffe", "ann@players.example", "Ann", 3))
        bo = Invitation("kaffe", "bo@players.example", "Bo Berg", 6)
        assert people.invitations(club, "kaffe") == (Invitation("kaffe", "ann@players.example", "Ann", 3), bo)
        assert people.invitations_to(club, "BO@players.example") == (
            Invitation("te", "bo@players.example", "Bo", 4),
            bo,
        )
        people.uninvite(club, "kaffe", "BO@players.example")
        assert [invitation.name for invitation in people.invitations(club, "kaffe")] == ["Ann"]


def test_bounces_in_a_row_are_counted_by_address(club: Store) -> None:
    with club.transaction():
        mia = people.add_person(club, "Mia", "mia@players.example")
        people.sit(club, "kaffe", mia, "player", 1)
        assert [people.add_bounce(club, "Mia@players.example") for _ in range(2)] == [1, 2]
        assert people.add_bounce(club, "stranger@elsewhere.example") == 0
        assert [reader.bounces for reader in people.readers(club, "kaffe")] == [2]
        people.clear_bounces(club, "mia@players.example")
        assert [reader.bounces for reader in people.readers(club, "kaffe")] == [0]


def test_a_stranger_is_answered_once_a_day_and_a_player_thrice_then_summed_up(store: Store) -> None:
    with store.transaction():
        assert [people.may_answer(store, "who@elsewhere.example", 20_000, 1) for _ in range(3)] == [
            True,
            False,
            False,
        ]
        assert people.may_answer(store, "Who@Elsewhere.example", 20_001, 1)
        assert [people.may_answer(store, "mia@players.example", 20_000, 3) for _ in range(4)] == [
            True
        ] * 3 + [False]
        assert [people.may_answer(store, "mia@players.example", 20_000, 4) for _ in range(2)] == [True, False]


def test_answers_are_capped_for_all_threads_together(store: Store) -> None:
    allowed: list[bool] = []

    def ask() -> None:
        for _ in range(5):
            with store.transaction():
                allowed.append(people.may_answer(store, "who@elsewhere.example", 20_000, 3))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (allowed.count(True), allowed.count(False)) == (3, 17)


def test_strangers_are_not_kept_longer_than_needed(store: Store) -> None:
    with store.transaction():
        for day in (20_000, 20_001):
            people.may_answer(store, "who@elsewhere.example", day, 1)
        people.forget_answers(store, before=20_001)
        # Asked again, the forgotten day counts anew and the kept one is still used up.
        assert people.may_answer(store, "who@elsewhere.example", 20_000, 1)
        assert not people.may_answer(store, "who@elsewhere.example", 20_001, 1)


def test_who_lost_a_mailbox_plays_on_from_another_in_one_game(club: Store) -> None:
    with club.transaction():
        mia = people.add_person(club, "Mia", "mia@old.example")
        people.add_address(club, mia, "mia@work.example")
        people.set_preference(club, mia, "language", "sv")
        people.set_preference(club, mia, "mail", "daily")
        for game in ("kaffe", "te"):
            people.sit(club, game, mia, "player", 1)
        people.sit(club, "kaffe", mia, "keeper")

        people.move(club, "kaffe", mia, "Mia@New.example")

    with club.reading():
        assert people.seats_of(club, "mia@new.example") == (
            Seat("kaffe", None, "keeper"),
            Seat("kaffe", 1, "player"),
        )
        assert people.seats_of(club, "mia@work.example") == (Seat("te", 1, "player"),)
        new = people.person_by_address(club, "mia@new.example")
        assert new is not None
        assert (new.name, new.language, new.mail) == ("Mia", "sv", "daily")
        assert people.former_addresses_of(club, new.id) == ()


def test_who_played_nowhere_else_has_the_lost_addresses_as_former_ones(club: Store) -> None:
    with club.transaction():
        mia = people.add_person(club, "Mia", "mia@old.example")
        people.add_address(club, mia, "mia@older.example")
        people.remove_address(club, "mia@older.example")
        people.sit(club, "kaffe", mia, "player", 1)

        people.move(club, "kaffe", mia, "mia@new.example")

    with club.reading():
        new = people.person_by_address(club, "mia@new.example")
        assert new is not None
        assert set(people.former_addresses_of(club, new.id)) == {"mia@old.example", "mia@older.example"}
        assert people.person_by_address(club, "mia@old.example") is None
