"""Judgment (212): who judges, verdicts and what the others say of them, consent to the next turn, silence of a Judge.

What lives here: stories at a table. What never may: a mail.
"""

from __future__ import annotations

import pytest

from pbem.game import case_views, judgment, views
from pbem.game.commands import (
    CallVote,
    Forfeit,
    GiveConsent,
    GiveVerdict,
    GoToJudgment,
    Join,
    Overrule,
    Propose,
    Reopen,
    Speak,
    Uphold,
    Vote,
)
from pbem.game.decide import decide
from pbem.game.events import (
    CaseClosed,
    CaseOpened,
    CaseReferred,
    ConsentAsked,
    ConsentLate,
    ConsentReached,
    JudgeAppointed,
    JudgeLate,
    PointsAwarded,
    VerdictOverruled,
)
from pbem.game.model import Refused
from tests.game.conftest import DAY, HOUR, amend, enact, majority

QUESTION = GoToJudgment("Was 301 one change, as rule 103 wants?")


def judge(game, case: int = 1) -> str:
    number = game.state.docket.cases[case].judge
    return "" if number is None else game.state.players[number].name[0]


def stage(game, case: int = 1) -> str:
    return game.state.docket.cases[case].stage


def facts(game, kind):
    return [fact for fact in game.facts if isinstance(fact, kind)]


class TestACase:
    def test_the_judge_is_the_player_before_the_one_on_turn(self, table):
        game = table(4)
        game.turn("A", enact(), "ABCD")
        game.play("B", enact())

        game.play("C", QUESTION)

        assert facts(game, CaseOpened)[0].rule == 212
        assert judge(game) == "A"
        assert game.state.docket.cases[1].turn == 2

    def test_before_the_first_in_turn_order_comes_the_last(self, table):
        game = table(4)

        game.play("A", QUESTION)

        assert judge(game) == "D", "the player on turn may ask, and does not judge"

    def test_only_the_judge_gives_the_verdict_and_gives_it_once(self, table):
        game = table(3)
        game.play("B", QUESTION)

        with pytest.raises(Refused, match="Cia Ceder is the Judge of case J1") as refused:
            game.play("B", GiveVerdict("legal", 1))
        assert refused.value.rule == 212
        game.play("C", GiveVerdict("illegal", None, "Two changes, by rule 202."))

        assert game.state.docket.cases[1].verdict.finding == "illegal"
        assert stage(game) == "ruled"
        with pytest.raises(Refused, match="J1 has its verdict"):
            game.play("C", GiveVerdict("legal", 1))

    def test_a_verdict_may_be_in_free_words_but_not_empty(self, table):
        game = table(3)
        game.play("B", QUESTION)
        with pytest.raises(Refused, match="legal, illegal, paradox"):
            game.play("C", GiveVerdict())

        game.play("C", GiveVerdict(None, 1, "Half of it was."))

        assert views.state_json(game.state, "")["cases"][0]["verdict"] == "Half of it was."

    def test_one_judge_settles_every_question_of_a_turn(self, table):
        game = table(4)
        game.play("A", QUESTION)
        game.play("B", GoToJudgment("And may A revise it?"))

        assert (judge(game, 1), judge(game, 2)) == ("D", "D")
        with pytest.raises(Refused, match="Several cases are open") as refused:
            game.play("D", GiveVerdict("legal"))
        assert refused.value.cure == (GiveVerdict("legal", 1), GiveVerdict("legal", 2))

    def test_the_vote_goes_on_meanwhile(self, table):
        game = table(3)
        game.play("A", enact())
        game.play("A", CallVote(301))
        game.play("B", QUESTION)

        for name in "ABC":
            game.play(name, Vote("for", 301))

        assert game.stage(301) == "adopted"

    def test_words_about_it_are_kept_with_it(self, table):
        game = table(3)
        game.play("B", QUESTION)

        game.play("A", Speak("It is one change.", case=1))

        assert [post.text for post in game.state.docket.cases[1].debate] == ["It is one change."]
        with pytest.raises(Refused, match="There is no case J2"):
            game.play("A", Speak("What?", case=2))

    def test_team_mates_of_the_player_on_turn_are_passed_over(self, table):
        game = table(2)
        game.ask("guest", Join("Cia Ceder", "Red"))
        game.ask("guest", Join("Dan Dahl", "Red"))
        game.turn("A", enact(), "ABCD")
        game.turn("B", enact(), "ABCD")
        game.play("C", enact())
        game.play("A", QUESTION)
        assert judge(game) == "B"
        game.play("B", GiveVerdict("legal", 1))
        for name in "ACD":
            game.play(name, Overrule(1))
        assert judge(game) == "A"

        game.play("A", GiveVerdict("legal", 1))
        for name in "BCD":
            game.play(name, Overrule(1))

        assert facts(game, CaseReferred) == [CaseReferred(1, "exhausted")], "D is C’s team-mate"

    def test_a_judge_who_leaves_is_followed_by_the_one_before(self, table):
        game = table(4)
        game.play("B", QUESTION)

        game.play("D", Forfeit(for_good=True))

        assert facts(game, JudgeAppointed)[0].because == "left"
        assert judge(game) == "C"
        game.play("A", GoToJudgment("Another?"))
        assert judge(game, 2) == "C"

    def test_rules_may_reward_the_judge(self, table):
        game = table(3)
        pay = Propose("enact", None, "A fee", "Judges are paid.", fee())
        game.turn("A", pay, "ABC")
        game.play("B", enact())
        game.play("C", QUESTION)

        game.play("A", GiveVerdict("legal", 1))

        award = facts(game, PointsAwarded)[-1].award
        assert (award.player, award.points, award.rule) == (1, 3, 301)


def fee():
    return enact(on_judged_give_judge_points="3").clauses


class TestOverruling:
    def test_three_players_overrule_twice_and_nobody_is_left(self, table):
        game = table(3)
        game.play("A", QUESTION)
        assert judge(game) == "C"
        game.play("C", GiveVerdict("illegal", 1, "It was two."))

        game.play("A", Overrule(1))
        assert stage(game) == "ruled", "B has not said so"
        game.play("B", Overrule())

        first = facts(game, VerdictOverruled)[0]
        assert (first.rule, first.working) == (212, "2 > 0 && 2 == 2")
        assert judge(game) == "B"
        game.play("B", GiveVerdict("legal", 1))
        game.play("A", Overrule(1))
        game.play("C", Overrule(1))

        assert facts(game, CaseReferred) == [CaseReferred(1, "exhausted")]
        assert stage(game) == "keeper"
        assert [verdict.finding for verdict in game.state.docket.cases[1].verdicts] == ["illegal", "legal"]
        with pytest.raises(Refused, match="Case J1 is with the keeper"):
            game.play("C", GiveVerdict("legal", 1))

        game.ask("keeper", Reopen(1))
        assert judge(game) == "C"
        game.play("C", GiveVerdict("legal", 1))
        assert stage(game) == "ruled"

    def test_all_but_the_judge_have_a_say_the_player_on_turn_too(self, table):
        game = table(4)
        game.play("A", QUESTION)
        game.play("D", GiveVerdict("legal", 1))
        with pytest.raises(Refused, match="is yours; the others decide"):
            game.play("D", Uphold(1))

        game.play("B", Overrule(1))
        game.play("C", Overrule(1))
        game.play("A", Uphold(1))
        assert stage(game) == "ruled"
        game.play("A", Overrule(1))

        assert judge(game) == "C", "the last word of each counts"

    def test_the_new_judge_hears_later_questions_and_what_the_old_one_left(self, table):
        game = table(4)
        game.play("A", QUESTION)
        game.play("B", GoToJudgment("May A revise it?"))
        game.play("D", GiveVerdict("legal", 1))
        for name in "ABC":
            game.play(name, Overrule(1))

        game.play("B", GoToJudgment("And now?"))

        assert [judge(game, case) for case in (1, 2, 3)] == ["C", "C", "C"]
        assert facts(game, JudgeAppointed)[0].cases == (1, 2)

    def test_earlier_verdicts_stand(self, table):
        game = table(4)
        game.play("A", QUESTION)
        game.play("D", GiveVerdict("legal", 1))
        game.play("B", GoToJudgment("May A revise it?"))
        game.play("D", GiveVerdict("illegal", 2))

        for name in "ABC":
            game.play(name, Overrule(2))

        assert (stage(game, 1), judge(game, 1), judge(game, 2)) == ("ruled", "D", "C")

    def test_before_the_verdict_and_after_the_next_turn_has_begun_there_is_nothing_to_overrule(self, table):
        game = table(3)
        game.turn("A", enact(), "AB")
        game.play("B", QUESTION)
        with pytest.raises(Refused, match="has no verdict yet: Cia Ceder is its Judge"):
            game.play("A", Overrule(1))
        game.play("C", GiveVerdict("legal", 1))
        game.play("C", Vote("for", 301))
        for name in "AC":
            game.play(name, GiveConsent())

        game.play("B", enact())

        assert stage(game) == "final"
        with pytest.raises(Refused, match="the next turn has begun"):
            game.play("A", Overrule(1))

    def test_a_question_nobody_answered_lapses_when_the_others_let_the_next_turn_begin(self, table):
        game = table(3)
        game.play("A", enact())
        game.play("B", QUESTION)
        game.play("A", CallVote(301))
        for name in "ABC":
            game.play(name, Vote("for", 301))
        for name in "AC":
            game.play(name, GiveConsent())

        game.play("B", enact())

        assert stage(game) == "lapsed"
        with pytest.raises(Refused, match="lapsed"):
            game.play("C", GiveVerdict("legal", 1))


class TestBetweenTwoTurns:
    def test_a_dispute_over_a_result_is_judged_by_the_judge_of_the_turn_that_is_over(self, table):
        """It is A's result, B plays next. The Judge is C: neither A, whose result it is, nor anybody else."""
        game = table(3)
        game.turn("A", enact(), "ABC")
        assert game.on_turn.startswith("B")

        game.play("B", GoToJudgment("Did 301 pass?"))

        assert judge(game) == "C"
        assert game.state.docket.cases[1].turn == 1

    def test_the_next_turn_waits_for_more_than_half_of_the_others(self, table):
        game = table(4)
        game.turn("A", enact(), "ABCD")
        game.play("C", QUESTION)
        assert isinstance(game.facts[-1], ConsentAsked)
        game.play("D", GiveVerdict("legal", 1))

        with pytest.raises(Refused, match="Awaited: Alva Alm, Cia Ceder, Dan Dahl") as refused:
            game.play("B", enact())
        assert refused.value.rule == 212
        assert views.state_json(game.state, "")["waiting_for"] == ["Alva Alm", "Cia Ceder", "Dan Dahl"]
        game.play("C", GiveConsent())
        with pytest.raises(Refused, match="Awaited: Alva Alm, Dan Dahl"):
            game.play("B", enact())
        with pytest.raises(Refused, match="The next turn is yours"):
            game.play("B", GiveConsent())
        game.play("A", GiveConsent())

        reached = facts(game, ConsentReached)[0]
        assert (reached.rule, reached.working) == (212, "2 * 2 > 3")
        assert reached.until == game.now + 7 * DAY, "B’s time runs from now"
        game.play("B", enact())
        assert game.stage(302) == "debate"

    def test_consent_may_be_given_while_the_turn_still_runs(self, table):
        game = table(3)
        game.play("A", enact())
        game.play("B", QUESTION)
        game.play("C", GiveVerdict("legal", 1))
        for name in "AC":
            game.play(name, GiveConsent())
        game.play("A", CallVote(301))
        for name in "ABC":
            game.play(name, Vote("for", 301))

        assert facts(game, ConsentAsked) == []
        game.play("B", enact())
        assert game.stage(302) == "debate"

    def test_without_a_case_no_consent_is_asked(self, table):
        game = table(3)
        game.turn("A", enact(), "ABC")

        with pytest.raises(Refused, match="Nobody has gone to judgment"):
            game.play("C", GiveConsent())
        game.play("B", enact())

        assert facts(game, ConsentAsked) == []

    def test_the_keeper_lets_the_turn_begin(self, table):
        game = table(4)
        game.turn("A", enact(), "ABCD")
        game.play("C", QUESTION)

        game.ask("keeper", GiveConsent())

        game.play("B", enact())
        assert facts(game, ConsentReached)[0].rule is None

    def test_time_for_disputes_keeps_the_next_turn_from_beginning_too_soon(self, table):
        game = table(3, dispute_time="1d")
        game.turn("A", enact(), "ABC")
        with pytest.raises(Refused, match="time for disputes"):
            game.play("B", enact())
        game.play("C", GoToJudgment("Did 301 pass?"))

        game.wait(DAY)

        with pytest.raises(Refused, match="Awaited"):
            game.play("B", enact())

    def test_who_does_not_consent_is_reminded_and_then_the_keeper_is_told(self, table):
        game = table(4, consent_time="2d", grace="12h")
        game.turn("A", enact(), "ABCD")
        game.play("C", QUESTION)
        game.play("C", GiveConsent())

        game.wait(2 * DAY)
        late = facts(game, ConsentLate)
        assert [fact.waiting_for for fact in late] == [(1, 4)]
        assert late[0].until == facts(game, ConsentAsked)[0].until + 12 * HOUR
        game.wait(2 * DAY)

        assert [fact.until for fact in facts(game, ConsentLate)] == [late[0].until, None]


class TestSilence:
    def test_a_silent_judge_is_reminded_then_reported_and_the_keeper_may_answer(self, table):
        game = table(3, judging_time="1d", grace="1d")
        game.play("A", QUESTION)
        with pytest.raises(Refused, match="Cia Ceder is the Judge"):
            game.ask("keeper", GiveVerdict("legal", 1))

        game.wait(DAY)
        assert [(fact.judge, fact.until is None) for fact in facts(game, JudgeLate)] == [(3, False)]
        game.wait(DAY)
        assert [(fact.judge, fact.until is None) for fact in facts(game, JudgeLate)][1:] == [(3, True)]
        game.wait(30 * DAY)
        assert len(facts(game, JudgeLate)) == 2

        game.ask("keeper", GiveVerdict("legal", 1, "In the place of Cia."))
        assert game.state.docket.cases[1].verdict.judge is None
        for name in "ABC":
            game.play(name, Overrule(1))
        assert judge(game) == "B", "the one before Cia, whose case it was"

    def test_the_judge_may_still_answer_after_the_time(self, table):
        game = table(3, judging_time="1d")
        game.play("A", QUESTION)
        game.wait(5 * DAY)

        game.play("C", GiveVerdict("legal", 1))

        assert stage(game) == "ruled"


class TestOtherRules:
    def test_without_212_the_keeper_judges_and_nothing_else_of_it_exists(self, table):
        game = table(3)
        game.turn("A", Propose("repeal", 212), "ABC")
        game.play("B", enact())
        game.play("C", QUESTION)
        assert (facts(game, CaseOpened)[0].rule, judge(game)) == (None, "")
        with pytest.raises(Refused, match="The keeper is the Judge"):
            game.play("A", GiveVerdict("legal", 1))

        game.ask("keeper", GiveVerdict("legal", 1))

        assert stage(game) == "final"
        with pytest.raises(Refused, match="No rule in force lets the players overrule"):
            game.play("A", Overrule(1))
        game.play("B", CallVote(302))
        for name in "ABC":
            game.play(name, Vote("for", 302))
        game.play("C", enact())
        assert facts(game, ConsentAsked) == []
        with pytest.raises(Refused, match="Nobody has gone to judgment"):
            game.play("A", GiveConsent())

    def test_the_keeper_as_judge_can_be_overruled_by_a_majority_if_the_rules_say_so(self, table):
        game = table(3)
        rule = amend(
            212,
            "The keeper judges; most of the others may overrule.",
            carry="drop",
            judge='"keeper"',
            judgment_overruled_when="against * 2 > others",
        )
        game.turn("A", rule, "ABC")
        game.play("B", enact())
        game.play("C", QUESTION)
        game.ask("keeper", GiveVerdict("illegal", 1))

        game.play("A", Overrule(1))
        assert stage(game) == "ruled"
        game.play("B", Overrule(1))

        assert facts(game, VerdictOverruled)[0].working == "2 * 2 > 3"
        assert facts(game, CaseReferred) == [CaseReferred(1, "exhausted")]

    def test_a_judge_drawn_by_lot_is_neither_on_turn_nor_drawn_twice_and_anybody_can_draw_again(self, table):
        game = table(4)
        game.turn("A", amend(212, "By lot.", carry="keep", judge='"random"'), "ABCD")
        game.play("B", enact())
        judges = []
        game.play("C", QUESTION)
        for _ in range(3):
            judges.append(judge(game))
            game.play(judges[-1], GiveVerdict("legal", 1))
            for name in sorted(set("ABCD") - {judges[-1]}):
                game.play(name, Overrule(1))

        assert sorted(judges) == ["A", "C", "D"]
        assert stage(game) == "keeper"

    def test_absent_players_are_not_asked(self, table):
        game = table(3)
        game.play("A", QUESTION)
        game.play("C", GiveVerdict("legal", 1))
        players = game.state.docket.cases[1].verdict

        assert [player.name[0] for player in judgment.others(game.state, players)] == ["A", "B"]


class TestWhen:
    def test_nothing_can_be_asked_before_the_game_starts(self, table):
        game = table(3)
        before = type(game.state)(players=game.state.players)

        with pytest.raises(Refused, match="not started"):
            decide(before, QUESTION, 1, 0)

    def test_a_win_can_be_disputed_and_is_provisional_meanwhile(self, table):
        game = table(3)
        game.turn("A", majority(), "ABC")
        game.turn("B", amend(208, "Ten points win.", wins_when="score >= 10"), "ABC")
        assert game.state.status == "won"
        assert not case_views.provisional(game.state)

        game.play("C", GoToJudgment("Is A the winner by rule 302?"))
        assert case_views.provisional(game.state)
        game.wait(3 * DAY)
        assert len(facts(game, JudgeLate)) == 1
        game.play("A", GiveVerdict("legal", 1))

        assert not case_views.provisional(game.state)
        assert facts(game, CaseClosed) == []
