"""The sums of a turn, worked by hand (202, 203, 204, 206, 208), under both language's texts of the rules."""

from __future__ import annotations

import pytest

from pbem.game.clauses import Compiled, compiled
from pbem.game.commands import CallVote, Propose, Vote
from pbem.game.events import PlayersWon, PointsAwarded, RuleChanged
from tests.game.conftest import amend, enact, majority

both_languages = pytest.mark.parametrize("language", ["en", "sv"])


@both_languages
def test_301_by_four_of_four_pays_ten(table, language):
    """(301 − 291) × 4/4 = 10."""
    game = table(4, language)

    game.turn("A", enact(), "ABCD")

    assert game.stage(301) == "adopted"
    assert game.score("A") == 10
    assert [game.score(name) for name in "BCD"] == [0, 0, 0]


@both_languages
def test_301_by_two_of_three_costs_ten_and_then_pays_seven(table, language):
    """Defeated under unanimity: −10 (206), then (301 − 291) × 2/3 = 6.67, rounded 7 (202): −3."""
    game = table(3, language)

    game.turn("A", enact(), "AB", "C")

    assert game.stage(301) == "defeated"
    awards = [fact.award for fact in game.facts if isinstance(fact, PointsAwarded)]
    assert [(award.clause, award.points) for award in awards] == [
        ("points when defeated", -10),
        ("points for the turn", 7),
    ]
    assert game.score("A") == -3


@both_languages
def test_302_and_303_by_three_of_four_under_a_majority_pay_dissenters(table, language):
    """301 makes 203 a majority: 10. 302: 11 × 3/4 = 8.25 → 8. 303: 12 × 3/4 = 9. Each dissenter +10 (204)."""
    game = table(4, language)
    game.turn("A", majority(), "ABCD")

    game.turn("B", enact("One", "One."), "ABC", "D")
    game.turn("C", enact("Two", "Two."), "ABC", "D")

    assert [game.stage(number) for number in (301, 302, 303)] == ["adopted"] * 3
    assert {name: game.score(name) for name in "ABCD"} == {"A": 10, "B": 8, "C": 9, "D": 20}


def test_dissent_pays_nothing_while_203_stands(table):
    game = table(3)

    game.turn("A", enact(), "AB", "C")

    assert game.score("C") == 0


def test_a_unanimous_vote_under_a_majority_pays_no_dissenter(table):
    game = table(3)
    game.turn("A", majority(), "ABC")

    game.turn("B", enact(), "ABC")

    assert (game.score("A"), game.score("B"), game.score("C")) == (10, 11, 0)


@pytest.mark.parametrize(
    ("dividend", "divisor", "rounded"),
    [
        (5, 2, 3),
        (-5, 2, -3),
        (5, -2, -3),
        (-5, -2, 3),
        (10, 4, 3),
        (20, 3, 7),
        (33, 4, 8),
        (0, 7, 0),
        (7, 1, 7),
    ],
)
def test_halves_go_away_from_zero(dividend, divisor, rounded):
    clause = compiled("first number", f"round({dividend}, {divisor})")

    assert isinstance(clause, Compiled)
    assert clause.value({"turn": 0, "circuit": 0, "players": 0, "numbers": [], "mutable_rules": 0}) == rounded


@pytest.mark.parametrize(
    "expression", ["votes_for > 3", "'''it's''' == kind || votes_for > 3", "// don't\nvotes_for > 3"]
)
def test_a_clause_is_handed_what_it_reads_however_it_is_written(expression):
    clause = compiled("adopted when", expression)

    assert isinstance(clause, Compiled)
    facts = {"votes_for": 4, "kind": "enact"}
    assert clause.value({name: facts[name] for name in clause.variables}) is True


def test_half_a_point_is_rounded_up_in_a_real_turn(table):
    """302 by 1 of 2 under a majority is defeated: −10, then 11 × 1/2 = 5.5 → 6: −4."""
    game = table(2)
    game.turn("A", majority(), "AB")

    game.turn("B", enact(), "B", "A")

    assert game.stage(302) == "defeated"
    assert game.score("B") == -4


def test_a_change_of_202_pays_by_the_new_formula_in_its_own_turn(table):
    """The new formula pays 50 for any adopted proposal: not (301 − 291) × 3/3 = 10."""
    game = table(3)
    change = amend(202, "A turn pays fifty.", points_for_the_turn="50", proposals_per_turn="1")

    game.turn("A", change, "ABC")

    assert game.score("A") == 50
    award = next(fact.award for fact in game.facts if isinstance(fact, PointsAwarded))
    assert (award.rule, award.expression) == (301, "50")


def test_a_vote_is_judged_by_the_rules_before_the_change(table):
    """A majority rule itself needs unanimity: 2 of 3 do not bring it about."""
    game = table(3)

    game.turn("A", majority(), "AB", "C")

    assert game.stage(301) == "defeated"
    assert game.state.proposals[301].tally.rule == 203
    assert game.state.rulebook.standing(203).number == 203


def test_the_tally_shows_its_working(table):
    game = table(3)

    game.turn("A", enact(), "AB", "C")

    tally = game.state.proposals[301].tally
    assert (tally.votes_for, tally.votes_against, tally.votes_cast, tally.eligible) == (2, 1, 3, 3)
    assert tally.working == "2 > 0 && 2 == 3"


def test_the_first_to_reach_a_hundred_wins_and_later_awards_are_not_made(table):
    """208 lowered to 10 by 301: the change itself pays 10 (202), and that is a win at once."""
    game = table(2)

    game.turn("A", amend(208, "The first to reach ten points wins.", wins_when="score >= 10"), "AB")

    assert game.state.status == "won"
    assert [game.state.players[player].name for player in game.state.winners] == ["Alva Alm"]
    assert not game.state.in_turn


def test_a_dissenter_reaching_the_mark_wins_before_the_proponent_is_paid(table):
    """204 comes before 202: the dissenter has 10 and wins, so B's 8 are never paid."""
    game = table(4)
    game.turn("A", majority(), "ABCD")
    lower = amend(208, "The first to reach ten points wins.", wins_when="score >= 20")
    game.turn("B", lower, "ABC", "D")
    assert game.score("D") == 10

    game.turn("C", enact(), "ABC", "D")

    assert game.score("D") == 20
    assert game.score("C") == 0
    won = next(fact for fact in game.facts if isinstance(fact, PlayersWon))
    assert [game.state.players[player].name for player in won.players] == ["Dan Dahl"]


def test_two_dissenters_at_one_moment_win_together(table):
    game = table(5)
    game.turn("A", majority(), "ABCDE")
    game.turn("B", amend(208, "Twenty wins.", wins_when="score >= 20"), "ABC", "DE")

    game.turn("C", enact(), "ABC", "DE")

    assert {game.state.players[player].name for player in game.state.winners} == {"Dan Dahl", "Eva Ek"}


def test_a_win_by_a_change_of_the_winning_rule_is_seen_before_any_award(table):
    game = table(2)

    game.turn("A", amend(208, "Zero points win.", wins_when="score >= 0"), "AB")

    assert game.score("A") == 0
    assert len(game.state.winners) == 2


def test_ballots_each_are_counted_by_the_rule_that_gives_them(table):
    """207 gives A two ballots: 3 for of 4, and 302 pays 11 × 3/4 = 8.25 → 8."""
    game = table(3)
    game.turn("A", amend(207, "Alva Alm has two.", ballots_each='name == "Alva Alm" ? 2 : 1'), "ABC")

    game.turn("B", enact(), "AB", "C")

    tally = game.state.proposals[302].tally
    assert (tally.votes_for, tally.votes_against, tally.eligible) == (3, 1, 4)
    assert game.score("B") == -10 + 8


def test_without_202_nothing_pays_for_a_turn(table):
    game = table(2)
    game.turn("A", Propose("repeal", 202), "AB")

    assert game.score("A") == 0
    assert any(isinstance(fact, RuleChanged) and fact.rule is None for fact in game.facts)


def test_a_transmutation_of_an_immutable_rule_needs_everyone_even_under_a_majority(table):
    """109 is immutable and so ranks before the rule that 203 became."""
    game = table(3)
    game.turn("A", majority(), "ABC")

    game.turn("B", Propose("transmute", 103), "AB", "C")
    game.turn("C", Propose("transmute", 103), "ABC")

    assert game.stage(302) == "defeated"
    assert game.state.proposals[302].tally.rule == 109
    assert game.stage(303) == "adopted"
    assert game.state.rulebook.standing(103).now.mutable


def test_a_transmutation_of_a_mutable_rule_is_judged_like_any_change(table):
    game = table(3)
    game.turn("A", majority(), "ABC")

    game.turn("B", Propose("transmute", 210), "AB", "C")

    assert game.stage(302) == "adopted"
    assert not game.state.rulebook.standing(210).now.mutable


def test_a_ballot_completed_vote_waits_for_the_cooling_time(table):
    game = table(2, cooling_time="12h")
    game.play("A", enact())
    game.play("A", CallVote())
    game.play("A", Vote("for", 301))
    game.play("B", Vote("for", 301))
    assert game.stage(301) == "voting"

    game.wait(12 * 3600 * 1_000_000 - 1)
    assert game.stage(301) == "voting"
    game.wait(1)

    assert game.stage(301) == "adopted"
