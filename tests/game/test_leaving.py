"""Giving up (113) and being taken out: what becomes of votes, proposals and turns."""

from __future__ import annotations

import pytest

from pbem.game.commands import CallVote, Forfeit, Remove, Vote
from pbem.game.model import Refused
from tests.game.conftest import amend, enact


def test_giving_up_is_asked_back_once(table):
    game = table(3)

    with pytest.raises(Refused) as refused:
        game.play("B", Forfeit())

    assert refused.value.cure == (Forfeit(for_good=True),)
    assert game.player("B").status == "active"


def test_who_leaves_is_out_of_open_votes_and_the_vote_may_be_complete_without_them(table):
    """A and C are for: two of two, unanimous; (301 − 291) × 2/2 = 10."""
    game = table(3)
    game.play("A", enact())
    game.play("A", CallVote())
    game.play("A", Vote("for", 301))
    game.play("C", Vote("for", 301))

    game.play("B", Forfeit(for_good=True))

    assert game.stage(301) == "adopted"
    assert game.state.proposals[301].tally.eligible == 2
    assert game.score("A") == 10
    assert game.on_turn == "Cia Ceder"


def test_a_ballot_cast_before_leaving_is_gone(table):
    game = table(3)
    game.play("A", enact())
    game.play("A", CallVote())
    game.play("B", Vote("against", 301))

    game.play("B", Forfeit(for_good=True))
    for name in "AC":
        game.play(name, Vote("for", 301))

    assert game.state.proposals[301].tally.votes_against == 0
    assert game.stage(301) == "adopted"


def test_what_the_leaver_has_in_debate_is_withdrawn_and_the_turn_passes_on(table):
    game = table(3)
    game.play("A", enact())

    game.play("A", Forfeit(for_good=True))

    assert game.stage(301) == "withdrawn"
    assert game.on_turn == "Bo Berg"
    assert not game.state.in_turn


def test_the_vote_on_a_leavers_proposal_goes_on_and_then_the_turn_is_over(table):
    game = table(3)
    game.play("A", enact())
    game.play("A", CallVote())
    game.play("A", Forfeit(for_good=True))
    assert game.stage(301) == "voting"

    for name in "BC":
        game.play(name, Vote("for", 301))

    assert game.stage(301) == "adopted"
    assert game.on_turn == "Bo Berg"


def test_when_the_next_player_leaves_the_one_after_is_next(table):
    game = table(3)
    game.turn("A", enact(), "ABC")
    assert game.on_turn == "Bo Berg"

    game.play("B", Forfeit(for_good=True))

    assert game.on_turn == "Cia Ceder"
    game.play("C", enact("Two", "Two."))
    assert game.state.turn == 2


def test_only_the_keeper_removes_and_the_name_must_be_a_players(table):
    game = table(3)

    with pytest.raises(Refused, match="keeper"):
        game.play("A", Remove("Bo Berg"))
    with pytest.raises(Refused, match="Cia Ceder"):
        game.ask("keeper", Remove("Bosse"))
    game.ask("keeper", Remove("Bo Berg", "gone for a year"))

    assert game.player("B").status == "removed"


def test_the_last_player_plays_on_alone_and_when_nobody_is_left_the_game_ends(table):
    game = table(2)
    game.play("B", Forfeit(for_good=True))
    game.turn("A", enact(), "A")
    assert game.stage(301) == "adopted"
    assert game.on_turn == "Alva Alm"

    game.play("A", Forfeit(for_good=True))

    assert game.state.status == "ended"


def test_who_has_left_can_do_nothing_more(table):
    game = table(3)
    game.play("B", Forfeit(for_good=True))

    with pytest.raises(Refused, match="left"):
        game.play("B", Vote("for", 301))


def test_the_turn_ends_when_the_last_proposal_in_it_goes_with_its_proponent(table):
    """Anyone may propose; B is on turn and leaves, then C, whose proposal was all that was left of the turn."""
    game = table(4)
    game.turn("A", amend(202, "Anyone may propose.", "", "keep", who_may_propose='"anyone"'), "ABCD")
    game.play("B", enact("Two"))
    game.play("C", enact("Three"))
    game.play("B", Forfeit(for_good=True))
    assert game.state.in_turn

    game.play("C", Forfeit(for_good=True))

    assert not game.state.in_turn
    assert game.on_turn == "Dan Dahl"
    game.play("D", enact("Four"))
