"""Which rule prevails (110, 211): immutable first, then claims, then numbers."""

from __future__ import annotations

import pytest

from pbem.game.commands import Propose
from pbem.game.model import Clause, RuleText
from pbem.game.precedence import Carrier, Ranks, ranked, undecided
from tests.game.conftest import amend, enact


def rule(number: int, *, mutable: bool = True, over: str = "", under: str = "", since: int = 0) -> Carrier:
    clause = Clause("adopted when", "true", tuple(over.split()), tuple(under.split()))
    return Carrier(RuleText(number, mutable, "", "", (clause,)), (number,), clause, since)


SUBER = Ranks(immutable_first=True, order="lowest")


@pytest.mark.parametrize(
    ("carriers", "ranks", "order"),
    [
        pytest.param([rule(302), rule(203)], SUBER, [203, 302], id="the lowest number"),
        pytest.param([rule(203), rule(109, mutable=False)], SUBER, [109, 203], id="immutable before mutable"),
        pytest.param([rule(203), rule(305, mutable=False)], SUBER, [305, 203], id="whatever its number"),
        pytest.param([rule(203), rule(302, over="203")], SUBER, [302, 203], id="a claim to go before"),
        pytest.param([rule(203, under="302"), rule(302)], SUBER, [302, 203], id="a claim to yield"),
        pytest.param(
            [rule(203, over="302"), rule(302, over="203")], SUBER, [203, 302], id="both claim: numbers"
        ),
        pytest.param(
            [rule(203), rule(302, over="mutable")], SUBER, [302, 203], id="a claim over all mutable rules"
        ),
        pytest.param(
            [rule(109, mutable=False), rule(302, over="109")],
            SUBER,
            [109, 302],
            id="no claim beats an immutable rule",
        ),
        pytest.param(
            [rule(109, mutable=False), rule(302, over="109")],
            Ranks(False, "lowest"),
            [302, 109],
            id="unless nothing puts immutable first",
        ),
        pytest.param(
            [rule(203, over="302"), rule(302, over="303"), rule(303, over="203")],
            SUBER,
            [203, 302, 303],
            id="claims in a circle: numbers",
        ),
        pytest.param(
            [rule(205), rule(206), rule(207, over="205")],
            SUBER,
            [206, 207, 205],
            id="who is claimed over waits",
        ),
        pytest.param([rule(203), rule(302)], Ranks(True, "highest"), [302, 203], id="the highest number"),
        pytest.param(
            [rule(302, since=5), rule(303, since=4)],
            Ranks(True, "newest"),
            [302, 303],
            id="the latest change",
        ),
    ],
)
def test_who_goes_first(carriers, ranks, order):
    assert [carrier.rule.number for carrier in ranked(carriers, ranks)] == order
    assert [carrier.rule.number for carrier in ranked(carriers[::-1], ranks)] == order


def test_without_an_order_two_that_claim_nothing_are_undecided():
    nobody = Ranks(immutable_first=True, order=None)

    assert len(undecided([rule(203), rule(302)], nobody)) == 2
    assert undecided([rule(203), rule(302, over="203")], nobody) == ()
    assert undecided([rule(203), rule(109, mutable=False)], nobody) == ()
    assert undecided([rule(203)], nobody) == ()


def test_a_second_rule_about_adoption_yields_to_203_by_number(table):
    game = table(2)
    game.turn("A", enact("Two", "Two suffice.", adopted_when="votes_for >= 2"), "AB")

    game.turn("B", enact("Tea", "Tea."), "AB")

    assert game.state.proposals[302].tally.rule == 203


def test_211_amended_to_highest_turns_the_order_round(table):
    game = table(2)
    game.turn("A", amend(211, "The highest number prevails.", precedence='"highest"'), "AB")
    game.turn("B", enact("One", "One suffices.", adopted_when="votes_for >= 1"), "AB")

    game.turn("A", enact("Tea", "Tea."), "A", "B")

    assert game.stage(303) == "adopted"
    assert game.state.proposals[303].tally.rule == 302


def test_a_claim_over_203_counts_and_one_over_109_does_not(table):
    game = table(2)
    claim = Propose(
        "enact", None, "Two", "It takes two.", (Clause("adopted when", "votes_for >= 2", ("203", "109")),)
    )
    game.turn("A", claim, "AB")

    game.turn("B", enact("Tea", "Tea."), "AB")
    game.turn("A", Propose("transmute", 101), "AB")

    assert game.state.proposals[302].tally.rule == 301
    assert game.state.proposals[303].tally.rule == 109


def test_with_211_gone_two_rules_about_adoption_leave_the_vote_to_the_keeper(table):
    game = table(2)
    game.turn("A", Propose("repeal", 211), "AB")
    game.turn("B", enact("Never", "Nothing is adopted.", adopted_when="false"), "AB")

    game.turn("A", enact("Tea", "Tea."), "AB")

    assert 303 in game.state.held
    assert "203" in str(game.state.held[303])
