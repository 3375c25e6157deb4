"""Being away: announced, limited by the days of a circuit, over by itself; and seats that pass to others."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pbem.game.commands import Absent, Back, CallVote, Forfeit, Join, Propose, Replace, Takeover, Vote
from pbem.game.events import DeadlinePassed, PlayerAbsent, PlayerBack, Reminded, SeatAsked, SeatTaken
from pbem.game.model import Refused
from tests.game.conftest import BEGINNING, DAY, SECOND, Table, amend, enact


def day(count: int) -> str:
    """The day that many days after the beginning, as players write it."""
    return datetime.fromtimestamp((BEGINNING + count * DAY) // SECOND, UTC).date().isoformat()


def midnight(count: int) -> int:
    return int(datetime.fromisoformat(f"{day(count)}T00:00:00+00:00").timestamp()) * SECOND


def refused(game: Table, by, command) -> str:
    before = game.state
    with pytest.raises(Refused) as refusal:
        game.ask(by, command)
    assert game.state == before
    return str(refusal.value)


def test_who_is_absent_is_back_by_itself_when_the_day_begins(table):
    game = table(3)
    game.play("B", Absent(day(5)))
    assert (game.player("B").status, game.player("B").absent_until) == ("absent", midnight(5))

    facts = game.wait(6 * DAY)

    assert next(fact.player for fact in facts if isinstance(fact, PlayerBack)) == 2
    assert game.player("B").status == "active"
    moments = {record.at for record in game.log if record.kind == "player back"}
    assert moments == {midnight(5)}


def test_the_day_begins_in_the_zone_of_the_game(table):
    game = table(2, zone="Asia/Tokyo")
    game.play("B", Absent(day(5)))

    assert game.player("B").absent_until == midnight(5) - 9 * 3600 * SECOND


def test_who_is_absent_is_not_reminded_but_waited_for(table):
    game = table(3)
    game.play("A", enact())
    game.play("A", CallVote())
    game.play("B", Absent(day(12)))

    facts = game.wait(8 * DAY)

    assert [fact.to for fact in facts if isinstance(fact, Reminded)] == [(1, 3), (1, 3)]
    assert next(fact.waiting_for for fact in facts if isinstance(fact, DeadlinePassed)) == (1, 2, 3)


def test_absence_leaves_votes_and_turns_alone(table):
    game = table(2)
    game.play("B", Absent(day(9)))

    game.turn("A", enact(), "AB")

    assert game.state.proposals[301].tally.eligible == 2
    assert game.on_turn == "Bo Berg"


def test_a_rule_may_leave_the_absent_out_of_votes(table):
    game = table(3)
    game.turn("A", Propose("transmute", 105), "ABC")
    game.turn("B", amend(105, "All who are here vote.", eligible='status == "active"'), "ABC")
    game.play("A", Absent(day(9)))

    game.turn("C", enact(), "BC")

    assert game.stage(303) == "adopted"
    assert game.state.proposals[303].tally.eligible == 2


def test_who_comes_back_early_is_reminded_again_and_keeps_the_days_left(table):
    """Away for 10 days, back after 4: about 10 of the 14 days of the circuit are left."""
    game = table(2)
    game.play("B", Absent(day(10)))
    game.wait(4 * DAY)

    game.play("B", Back())

    assert game.player("B").status == "active"
    assert abs(game.state.absences[2] - 4 * DAY) < DAY // 100
    game.play("B", Absent(day(13)))
    assert "approve" in refused(game, 2, Absent(day(16)))


def test_more_days_than_a_circuit_gives_need_the_keeper(table):
    game = table(2)

    words = refused(game, 2, Absent(day(20)))

    assert "14d" in words
    assert "keeper has to approve" in words
    game.ask("keeper", Absent(day(20), "Bo Berg", "Expedition."))
    assert game.player("B").absent_until == midnight(20)


def test_a_new_circuit_gives_new_days(table):
    game = table(2)
    game.play("B", Absent(day(13)))
    game.play("B", Back())
    game.play("B", Absent(day(13)))
    game.turn("A", enact("One", "One."), "AB")
    game.turn("B", enact("Two", "Two."), "AB")
    game.play("A", enact("Three", "Three."))
    assert game.state.circuit == 2

    assert not game.state.absences


def test_the_limit_is_a_rule_like_any_other(table):
    game = table(2, absence_per_circuit="2d")
    assert "2d" in refused(game, 2, Absent(day(4)))
    game.turn("A", enact("Freedom", "Away for a month.", absence_per_circuit='"31d"'), "AB")

    game.play("B", Absent(day(25)))

    assert game.player("B").status == "absent"


def test_a_day_in_the_past_a_day_there_is_not_and_back_from_nowhere_are_refused(table):
    game = table(2)

    assert "yet to come" in refused(game, 2, Absent(day(0)))
    assert "2027-02-30" in refused(game, 2, Absent("2027-02-30"))
    assert "not away" in refused(game, 2, Back())
    assert "somebody else" in refused(game, 2, Absent(day(3), "Alva Alm"))


# ---- seats ----


def test_a_volunteer_plays_on_in_the_seat_that_the_keeper_gives(table):
    game = table(3)
    game.turn("A", enact(), "ABC")
    game.play("B", enact("Two", "Two."))
    game.play("B", Absent(day(9)))
    assert game.ask("guest", Takeover("Zoe Zahl")) == (SeatAsked("Zoe Zahl"),)

    facts = game.ask("keeper", Replace("Bo", "Zoe Zahl", "Bo is gone."))

    assert facts == (SeatTaken(2, "Zoe Zahl", "Bo Berg", "Bo is gone."),)
    zoe = game.player("Zoe")
    assert (zoe.id, zoe.status, zoe.absent_until) == (2, "active", None)
    game.play("Zoe", CallVote(302))
    for name in ("Alva", "Zoe", "Cia"):
        game.play(name, Vote("for", 302))
    # (302 − 291) × 3/3 = 11, to the seat.
    assert game.score("Zoe") == 11


def test_a_ballot_cast_before_the_seat_passed_stands_until_it_is_changed(table):
    game = table(3)
    game.play("A", enact())
    game.play("A", CallVote())
    game.play("B", Vote("against", 301))
    game.ask("keeper", Replace("Bo Berg", "Zoe Zahl"))

    assert game.state.proposals[301].ballots[2].choice == "against"
    game.play("Zoe", Vote("for", 301))
    assert game.state.proposals[301].ballots[2].choice == "for"


def test_seats_are_the_keepers_to_give_and_names_are_told_apart(table):
    game = table(3)
    game.play("C", Forfeit(for_good=True))

    assert "Only the keeper" in refused(game, 1, Replace("Bo", "Zoe"))
    assert "Nobody called Milo plays" in refused(game, "keeper", Replace("Milo", "Zoe"))
    assert "Nobody called Cia plays" in refused(game, "keeper", Replace("Cia", "Zoe"))
    assert "Alva Alm already" in refused(game, "keeper", Replace("Bo", "alva alm"))
    assert "in this game already" in refused(game, 1, Takeover("Alva"))
    game.ask("guest", Join("Zoe Zahl"))
    assert "Zoe Zahl already" in refused(game, "keeper", Replace("Bo", "Zoe Zahl"))


def test_the_facts_of_absence_are_written_with_what_they_come_to(table):
    game = table(2)

    (away,) = game.play("B", Absent(day(3), why="Skiing."))

    assert away == PlayerAbsent(2, midnight(3), midnight(3) - game.now, "Skiing.")

    (said,) = game.ask("keeper", Absent(day(3), "Bo Berg", "A fall."))

    assert (said.why, said.by_keeper) == ("A fall.", True)
