"""What the rules keep a change from doing (112, 114, 209), and the end of all change (213)."""

from __future__ import annotations

from pbem.game.commands import Propose
from pbem.game.events import ChangeVoided, ImpasseFound
from pbem.game.model import Clause
from tests.game.conftest import amend, enact


def voided(game, number: int):
    return next(
        (fact for fact in game.facts if isinstance(fact, ChangeVoided) and fact.number == number), None
    )


def test_repealing_203_while_114_stands_is_warned_of_and_without_effect(table):
    game = table(2)

    number = game.turn("A", Propose("repeal", 203), "AB")

    assert "no effect" in str(game.state.proposals[number].remarks[0])
    assert voided(game, number).rule == 114
    assert game.state.rulebook.standing(203).number == 203
    assert game.score("A") == 10, "it is paid for as adopted"


def test_a_rule_that_nobody_can_satisfy_is_as_good_as_none(table):
    game = table(2)

    game.turn("A", amend(203, "All but one.", adopted_when="votes_for > eligible"), "AB")

    assert voided(game, 301).rule == 114


def test_once_114_is_transmuted_and_repealed_203_can_go_and_the_impasse_is_told(table):
    """(301 − 291) + (303 − 291) = 22 for A, (302 − 291) = 11 for B."""
    game = table(2)
    game.turn("A", Propose("transmute", 114), "AB")
    game.turn("B", Propose("repeal", 114), "AB")

    game.turn("A", Propose("repeal", 203), "AB")

    assert game.state.rulebook.standing(203) is None
    assert game.state.impasse == 303
    assert [fact.number for fact in game.facts if isinstance(fact, ImpasseFound)] == [303]
    assert (game.score("A"), game.score("B")) == (22, 11)
    game.turn("B", enact(), "AB")
    assert game.stage(304) == "defeated"
    assert game.state.proposals[304].tally.rule is None


def test_a_higher_rule_may_allow_what_114_forbids(table):
    """With 110 repealed, a rule that claims precedence over 114 lifts it."""
    game = table(2)
    game.turn("A", Propose("transmute", 110), "AB")
    game.turn("B", Propose("repeal", 110), "AB")
    lift = Propose(
        "enact", None, "No net", "Change may end.", clauses_over("change stays possible", "false", "114")
    )
    game.turn("A", lift, "AB")

    game.turn("B", Propose("repeal", 203), "AB")

    assert voided(game, 304) is None
    assert game.state.impasse == 304


def clauses_over(name: str, expression: str, over: str) -> tuple[Clause, ...]:
    return (Clause(name, expression, (over,)),)


def test_a_mutable_rule_that_claims_precedence_over_114_does_not_get_it_while_110_stands(table):
    game = table(2)
    lift = Propose(
        "enact", None, "No net", "Change may end.", clauses_over("change stays possible", "false", "114")
    )
    game.turn("A", lift, "AB")

    game.turn("B", Propose("repeal", 203), "AB")

    assert voided(game, 302).rule == 114


def test_the_winning_rule_may_get_another_number(table):
    game = table(2)

    game.turn("A", amend(208, "Two hundred.", wins_when="score >= 200"), "AB")

    assert voided(game, 301) is None
    assert game.state.proposals[301].remarks == ()


def test_the_winning_rule_turned_into_something_else_is_without_effect_by_112(table):
    game = table(3)
    game.turn("A", amend(208, "Whoever has proposed twice.", wins_when="proposals_adopted >= 2"), "ABC")
    game.turn("B", Propose("repeal", 208), "ABC")
    game.turn("C", amend(208, "Thirty.", wins_when="score >= 30"), "ABC")

    game.turn("A", amend(208, "Nobody.", carry="drop"), "ABC")

    assert [voided(game, number).rule for number in (301, 302, 304)] == [112] * 3
    assert voided(game, 303) is None
    assert game.state.rulebook.standing(208).lineage == (208, 303)


def test_another_winning_rule_may_come_and_go(table):
    game = table(2)
    game.turn("A", enact("Style", "Ten adopted win.", wins_when="proposals_adopted >= 10"), "AB")

    game.turn("B", Propose("repeal", 301), "AB")

    assert voided(game, 302) is None
    assert game.state.rulebook.standing(301) is None


def test_without_112_the_winning_rule_is_like_any_other(table):
    game = table(2)
    game.turn("A", Propose("transmute", 112), "AB")
    game.turn("B", Propose("repeal", 112), "AB")

    game.turn("A", Propose("repeal", 208), "AB")

    assert game.state.rulebook.standing(208) is None


def test_the_last_mutable_rule_cannot_become_immutable(table):
    game = table(2)
    game.turn("A", amend(208, "Far away.", wins_when="score >= 100000"), "AB")
    mutable = [rule.number for rule in game.state.rulebook.in_force if rule.mutable]

    for place, number in enumerate(mutable):
        game.turn("BA"[place % 2], Propose("transmute", number), "AB")

    assert len(mutable) == 13
    assert game.state.rulebook.mutable_count == 1
    assert voided(game, game.state.last_number).rule == 114
