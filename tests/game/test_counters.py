"""Counters of the players' own, and awards on events, made by the rules they wrote."""

from __future__ import annotations

import pytest

from pbem.game import codec
from pbem.game.commands import CallVote, Join, Propose, Vote
from pbem.game.events import CounterOpened
from pbem.game.model import Clause, Refused
from tests.game.conftest import enact, majority


def rule(**clauses: str) -> Propose:
    return Propose(
        "enact",
        None,
        "Coins",
        "There are coins.",
        tuple(Clause(n.replace("_", " "), e) for n, e in clauses.items()),
    )


def coins(game, name: str) -> int:
    return game.player(name).counters["coins"]


def test_a_counter_begins_for_everyone_when_its_rule_takes_effect(table):
    game = table(3)
    assert dict(game.player("B").counters) == {}

    game.turn("A", rule(counter_coins="3"), "ABC")

    assert [coins(game, name) for name in "ABC"] == [3, 3, 3]
    opened = [fact for fact in map(codec.decode, game.log) if isinstance(fact, CounterOpened)]
    assert opened == [CounterOpened("coins", 301, 3)], "the log tells which rule it is of"


def test_it_is_given_on_events_in_the_turn_it_was_adopted_in_too(table):
    """301 gives 5 coins to each adopted proponent, itself included; 302 is defeated and gives none."""
    game = table(2)

    game.turn("A", rule(counter_coins="0", on_adopted_give_proponent_coins="5"), "AB")
    game.turn("B", enact(), "B", "A")

    assert (coins(game, "A"), coins(game, "B")) == (5, 0)


def test_points_can_follow_from_counters_at_the_end_of_a_turn(table):
    """A: 5 coins by 301. From 302 on, whoever ends a turn with coins gets a point a coin: B has 5 then, so
    (302 − 291) + 5 = 16; A in the third turn (303 − 291) + 10, with 10 in hand from the first turn: 10 + 12 + 10."""
    game = table(2)
    game.turn("A", rule(counter_coins="0", on_adopted_give_proponent_coins="5"), "AB")
    game.turn("B", rule(on_turn_end_give_player_points="coins"), "AB")

    assert game.score("B") == 11 + 5
    game.turn("A", enact(), "AB")
    assert game.score("A") == 10 + 12 + 10
    assert game.state.turns[3].awards[0].points == 10


def test_dissenters_and_voters_can_be_given_something(table):
    game = table(3)
    game.turn("A", majority(), "ABC")
    game.turn(
        "B",
        rule(counter_coins="0", on_adopted_give_dissenters_coins="7", on_voted_give_voters_coins="1"),
        "ABC",
    )

    game.turn("C", enact(), "AC", "B")

    assert {name: coins(game, name) for name in "ABC"} == {"A": 2, "B": 9, "C": 2}


def test_a_counter_goes_when_its_rule_goes(table):
    game = table(2)
    game.turn("A", rule(counter_coins="3"), "AB")

    game.turn("B", Propose("repeal", 301), "AB")

    assert dict(game.player("A").counters) == {}


def test_who_joins_later_begins_like_everybody_and_may_be_welcomed(table):
    game = table(2)
    game.turn("A", rule(counter_coins="3", on_joined_give_player_coins="1"), "AB")

    game.ask("guest", Join("Cia Ceder"))

    assert coins(game, "Cia") == 4


def test_a_winner_can_be_decided_by_a_counter(table):
    game = table(2)
    game.turn(
        "A", rule(counter_coins="0", on_adopted_give_proponent_coins="5", wins_when="coins >= 10"), "AB"
    )
    game.turn("B", enact("One", "One."), "AB")

    game.turn("A", enact("Two", "Two."), "AB")

    assert [game.state.players[player].name for player in game.state.winners] == ["Alva Alm"]


def test_a_circuit_that_ends_is_an_event(table):
    game = table(2)
    game.turn("A", rule(counter_coins="0", on_circuit_end_give_everyone_coins="2"), "AB")

    game.turn("B", enact(), "AB")

    assert [coins(game, name) for name in "AB"] == [2, 2]


def test_making_a_proposal_is_an_event(table):
    game = table(2)
    game.turn("A", rule(counter_coins="0", on_proposed_give_proponent_coins="1"), "AB")

    game.play("B", enact())

    assert coins(game, "B") == 1


@pytest.mark.parametrize(
    ("clauses", "word"),
    [
        ({"on_adopted_give_proponent_coins": "5"}, "coins"),
        ({"on_adopted_give_proponent_points": "half"}, "half"),
        ({"counter_coins": '"many"'}, "whole number"),
    ],
)
def test_what_cannot_be_carried_out_is_asked_back(table, clauses, word):
    game = table(2)

    with pytest.raises(Refused, match=word):
        game.play("A", rule(**clauses))


def test_an_award_whose_counter_is_gone_is_unregulated(table):
    game = table(2)
    game.turn("A", rule(counter_coins="0"), "AB")
    game.turn("B", rule(on_adopted_give_proponent_coins="5"), "AB")
    game.turn("A", Propose("repeal", 301), "AB")

    game.play("B", enact())
    game.play("B", CallVote())
    for name in "AB":
        game.play(name, Vote("for", "all"))

    assert dict(game.player("B").counters) == {}
    assert game.stage(304) == "adopted"


def test_a_counter_whose_beginning_has_no_value_begins_at_nothing(table):
    """In turn 1 it is 6 divided by 0."""
    game = table(2)
    game.turn("A", rule(counter_coins="round(6, turn - 1)"), "AB")

    assert [coins(game, name) for name in "AB"] == [0, 0]
