"""When no rule orders a matter any more (116): what goes on as it was, and what is simply absent."""

from __future__ import annotations

import pytest

from pbem.game.commands import CallVote, Propose, Vote
from pbem.game.model import Refused
from tests.game.conftest import amend, enact


def test_turn_order_and_proposals_a_turn_go_on_as_they_last_were(table):
    game = table(3)
    game.turn("A", amend(202, "Two a turn.", proposals_per_turn="2"), "ABC")
    game.turn("A", Propose("repeal", 301), "ABC")
    assert game.on_turn == "Bo Berg"

    game.turn("B", enact("One", "One."), "ABC")
    assert game.on_turn == "Bo Berg", "two proposals a turn, as it last was"
    game.turn("B", Propose("repeal", 201), "ABC")

    assert game.on_turn == "Cia Ceder", "by surname, as it last was"


def test_who_may_propose_goes_on_too(table):
    game = table(2)
    game.turn("A", Propose("repeal", 202), "AB")

    with pytest.raises(Refused, match="not your turn") as refused:
        game.play("A", enact())

    assert refused.value.rule is None


def test_numbers_go_on(table):
    game = table(2)
    game.turn("A", Propose("transmute", 108), "AB")
    game.turn("B", Propose("repeal", 108), "AB")

    assert game.turn("A", enact(), "AB") == 303


def test_awards_and_limits_are_absent(table):
    """Without 206 and 202 a defeat costs nothing and pays nothing."""
    game = table(2)
    game.turn("A", Propose("repeal", 206), "AB")
    game.turn("B", Propose("repeal", 202), "AB")
    before = game.score("A")

    game.turn("A", enact(), "A", "B")

    assert game.stage(303) == "defeated"
    assert game.score("A") == before


def test_without_105_every_player_is_a_voter_and_without_207_each_has_one_ballot(table):
    game = table(2)
    game.turn("A", Propose("repeal", 207), "AB")
    game.turn("B", Propose("transmute", 105), "AB")
    game.turn("A", Propose("repeal", 105), "AB")

    game.play("B", enact())
    game.play("B", CallVote())
    for name in "AB":
        game.play(name, Vote("for", "all"))

    assert game.state.proposals[304].tally.eligible == 2


def test_without_208_nobody_wins(table):
    """112 must go first; then A could have any score."""
    game = table(2)
    game.turn("A", Propose("transmute", 112), "AB")
    game.turn("B", Propose("repeal", 112), "AB")
    game.turn("A", Propose("repeal", 208), "AB")

    game.turn("B", amend(202, "A thousand.", points_for_the_turn="1000"), "AB")

    assert game.score("B") > 1000
    assert game.state.status == "playing"


def test_without_103_an_immutable_rule_is_open_to_amendment(table):
    game = table(2)
    game.turn("A", Propose("transmute", 103), "AB")
    game.turn("B", Propose("repeal", 103), "AB")

    game.turn("A", amend(101, "The rules bind whom they please."), "AB")

    assert game.stage(303) == "adopted"
    assert not game.state.rulebook.standing(101).mutable


def test_without_209_there_may_be_any_number_of_mutable_rules(table):
    game = table(2)
    game.turn("A", amend(209, "Thirteen.", most_mutable_rules="13"), "AB")
    game.turn("B", Propose("repeal", 301), "AB")

    game.turn("A", enact(), "AB")
    game.turn("B", enact("Two", "Two."), "AB")

    assert game.state.rulebook.mutable_count == 14
