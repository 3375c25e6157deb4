"""The locked game (213): a paradox, nobody left to judge, or rules that let nothing be adopted; and who wins then."""

from __future__ import annotations

import pytest

from pbem.game import case_views
from pbem.game.commands import (
    CallVote,
    Correct,
    GiveConsent,
    GiveVerdict,
    GoToJudgment,
    NameWinner,
    Overrule,
    Propose,
    Reopen,
    Uphold,
    Void,
    Vote,
)
from pbem.game.events import CaseReferred, PlayersWon
from pbem.game.model import Refused
from tests.game.conftest import DAY, SECOND, amend, enact

QUESTION = GoToJudgment("Does rule 301 allow itself?")


def paradox(game) -> None:
    """In A's turn the Judge finds a paradox; the others let B's turn begin."""
    game.play("A", enact("Self", "This rule is unlawful."))
    game.play("B", QUESTION)
    game.play("C", GiveVerdict("paradox", 1, "Rule 301 is lawful if and only if it is not."))
    game.play("A", CallVote(301))
    for name in "ABC":
        game.play(name, Vote("for", 301))
    for name in "AC":
        game.play(name, GiveConsent())


def test_a_paradox_wins_only_when_overruling_has_ended(table):
    game = table(3)
    paradox(game)
    with pytest.raises(Refused, match="The game is not locked") as refused:
        game.ask("keeper", NameWinner("Bo Berg", "Cannot go on."))
    assert refused.value.rule == 213

    game.play("B", enact())
    assert game.facts[-1] == CaseReferred(1, "paradox")
    game.ask("keeper", NameWinner("Bo Berg", "Bo cannot complete the turn."))

    won = next(fact for fact in game.facts if isinstance(fact, PlayersWon))
    assert (won.players, won.rule, won.why) == ((2,), 213, "Bo cannot complete the turn.")
    assert game.state.status == "won"
    assert game.state.docket.cases[1].stage == "final"


def test_a_paradox_that_is_overruled_locks_nothing(table):
    game = table(3)
    game.play("A", enact("Self", "This rule is unlawful."))
    game.play("B", QUESTION)
    game.play("C", GiveVerdict("paradox", 1))
    for name in "AB":
        game.play(name, Overrule(1))
    game.play("B", GiveVerdict("legal", 1))
    game.play("A", CallVote(301))
    for name in "ABC":
        game.play(name, Vote("for", 301))
    for name in "AC":
        game.play(name, GiveConsent())
    game.play("B", enact())

    with pytest.raises(Refused, match="not locked"):
        game.ask("keeper", NameWinner("Bo Berg", "Next to be stuck."))


def test_without_213_a_paradox_is_a_verdict_like_any_other(table):
    game = table(3)
    game.turn("A", Propose("repeal", 213), "ABC")
    game.play("B", enact("Self", "This rule is unlawful."))
    game.play("C", QUESTION)
    game.play("A", GiveVerdict("paradox", 1))
    game.play("B", CallVote(302))
    for name in "ABC":
        game.play(name, Vote("for", 302))
    for name in "AB":
        game.play(name, GiveConsent())
    game.play("C", enact())

    assert game.state.docket.cases[1].stage == "final"
    with pytest.raises(Refused, match="No rule in force lets anybody win a locked game"):
        game.ask("keeper", NameWinner("Bo Berg", "Next to be stuck."))


def test_when_nobody_is_left_to_judge_the_keeper_names_a_winner_or_reopens(table):
    game = table(2)
    game.play("A", QUESTION)
    game.play("B", GiveVerdict("legal", 1))
    game.play("A", Overrule(1))
    assert game.facts[-1] == CaseReferred(1, "exhausted")

    with pytest.raises(Refused, match="Only the keeper reopens"):
        game.play("A", Reopen(1))
    with pytest.raises(Refused, match="Only the keeper names"):
        game.play("A", NameWinner("Alva Alm", "Next to be stuck."))
    with pytest.raises(Refused, match="Nobody called Zoe plays"):
        game.ask("keeper", NameWinner("Zoe", "Next to be stuck."))
    game.ask("keeper", NameWinner("Alva", "Next to be stuck."))

    assert game.state.winners == (1,)


def test_rules_that_let_nothing_be_adopted_lock_the_game_and_213_goes_before_208(table):
    """B has 11 + 13 = 24 points when 203 goes, and wins by 208; the keeper then names A, by 213."""
    game = table(2)
    game.turn("A", Propose("transmute", 114), "AB")
    game.turn("B", Propose("repeal", 114), "AB")
    game.turn("A", amend(208, "Twenty-four points win.", wins_when="score >= 24"), "AB")
    game.turn("B", Propose("repeal", 203), "AB")
    assert (game.state.impasse, game.state.winners) == (304, (2,))

    game.ask("keeper", NameWinner("Alva", "Nothing can be adopted, and A is next."))

    assert (game.state.winners, game.state.status) == ((1,), "won")


def test_no_correction_of_points_undoes_a_win_that_the_keeper_named(table):
    game = table(3)
    paradox(game)
    game.play("B", enact())
    game.ask("keeper", NameWinner("Bo", "Its words lock the game."))
    assert game.state.winners == (2,)

    game.ask("keeper", Correct("Cia", 1, "forgotten"))

    assert (game.state.status, game.state.winners) == ("won", (2,))


def test_a_game_locked_by_its_rules_stays_so_when_something_else_is_taken_back(table):
    game = table(3)
    game.turn("A", enact(), "ABC")
    game.turn("B", Propose("transmute", 114), "ABC")
    game.turn("C", Propose("repeal", 303 if game.state.rulebook.find(303) else 114), "ABC")
    game.turn("A", Propose("repeal", 203), "ABC")
    assert game.state.impasse is not None

    game.ask("keeper", Void(301, "unclear"))

    assert game.state.impasse is not None


def paradox_in_the_turn_that_is_won(table):
    """A has 90 and gets 10 for 301: A wins, and a paradox was found in that turn."""
    game = table(3)
    game.ask("keeper", Correct("Alva", 90, "from the game before"))
    game.play("A", enact("Self", "This rule is unlawful."))
    game.play("B", QUESTION)
    game.play("C", GiveVerdict("paradox", 1, "It is and is not."))
    game.play("A", CallVote(301))
    for name in "ABC":
        game.play(name, Vote("for", 301))
    assert (game.state.status, game.state.winners) == ("won", (1,))
    assert game.state.docket.cases[1].stage == "ruled"
    return game


def test_in_a_game_that_is_won_a_verdict_is_final_when_all_others_have_spoken(table):
    game = paradox_in_the_turn_that_is_won(table)
    game.play("A", Overrule(1))

    facts = game.play("B", Uphold(1))

    assert facts[-1] == CaseReferred(1, "paradox")
    game.ask("keeper", NameWinner("Bo", "Bo cannot complete a turn."))
    assert (game.state.status, game.state.winners) == ("won", (2,))


def test_in_a_game_that_is_won_a_verdict_is_final_when_the_time_for_claims_is_over(table):
    game = paradox_in_the_turn_that_is_won(table)
    assert game.wait(3 * DAY - 60 * SECOND) == ()

    facts = game.wait(60 * SECOND)

    assert facts == (CaseReferred(1, "paradox"),)
    assert case_views.provisional(game.state)


def test_in_a_game_that_is_won_a_verdict_can_still_be_overruled(table):
    game = paradox_in_the_turn_that_is_won(table)
    game.play("A", Overrule(1))
    game.play("B", Overrule(1))

    case = game.state.docket.cases[1]
    assert (case.stage, case.verdicts[0].overruled) == ("judging", True)
