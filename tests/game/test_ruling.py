"""The keeper's rulings on clauses, votes that the rules leave open, and clauses that have no value."""

from __future__ import annotations

import pytest

from pbem.game import chronicle
from pbem.game.commands import (
    CallVote,
    CloseVote,
    Correct,
    OrderClause,
    Rerun,
    Undo,
    Void,
    Vote,
)
from pbem.game.events import ClauseFailed, ClauseRuled, ImpasseFound, PlayersWon
from pbem.game.model import Refused
from tests.game.conftest import DAY, amend, enact, majority

DIVIDES = "round(votes_for, votes_against) > 1"
"""Has no value when nobody votes against."""


def broken(table, **house: str):
    """Rule 203 became 301, which divides by the votes against; 302 has two votes for, so its outcome has no value."""
    game = table(2, **house)
    game.turn("A", amend(203, "By the ratio.", adopted_when=DIVIDES), "AB")
    game.turn("B", enact(), "AB")
    assert 302 in game.state.held
    return game


def event(game, kind: type) -> int:
    return max(seq for seq, fact in enumerate(game.facts, 1) if isinstance(fact, kind))


class TestAVoteThatTheRulesLeaveOpen:
    @pytest.mark.parametrize(("outcome", "score"), [("adopted", 11), ("defeated", 1)])
    def test_is_decided_by_the_keeper_with_all_that_follows(self, table, outcome, score):
        """(302 − 291) × 2 ÷ 2 = 11 by 202, and −10 by 206 if it is defeated: 11 or 1."""
        game = broken(table)

        game.ask("keeper", CloseVote(302, "as everybody meant it", outcome))

        assert (game.stage(302), game.score("B")) == (outcome, score)
        assert game.state.held.get(302) is None
        tally = game.state.proposals[302].tally
        assert (tally.by_keeper, tally.why, tally.rule) == (True, "as everybody meant it", None)
        assert game.on_turn == "Alva Alm"
        assert (game.state.rulebook.find(302) is not None) == (outcome == "adopted")

    def test_takes_no_ballot_and_waits_for_nobody_but_the_keeper(self, table):
        game = broken(table)

        with pytest.raises(Refused, match="the keeper is asked for its outcome"):
            game.play("A", Vote("against", 302))

        with pytest.raises(Refused, match="Say which it is") as refused:
            game.ask("keeper", CloseVote(302, "x"))
        assert refused.value.cure == (CloseVote(302, "x", "adopted"), CloseVote(302, "x", "defeated"))

    def test_is_counted_at_once_when_the_keeper_mends_the_clause(self, table):
        game = broken(table)

        game.ask("keeper", OrderClause(301, "adopted when: votes_for > votes_against", "as the text says"))

        assert game.stage(302) == "adopted"
        assert game.state.proposals[302].tally.rule == 301
        assert not game.state.proposals[302].tally.by_keeper

    def test_a_void_or_a_rerun_leaves_nothing_held(self, table):
        voided, again = broken(table), broken(table)
        voided.ask("keeper", Void(302, "start anew"))
        assert not voided.state.held
        again.ask("keeper", Rerun(302, "vote anew"))
        again.play("A", Vote("against", 302))
        again.play("B", Vote("for", 302))
        assert (again.stage(302), again.state.held.get(302)) == ("defeated", None)

    def test_a_vote_that_the_rules_decide_is_not_the_keepers(self, table):
        game = table(2)
        game.play("A", enact())
        game.play("A", CallVote(301))

        with pytest.raises(Refused, match="by the rules in force") as refused:
            game.ask("keeper", CloseVote(301, "late", "adopted"))
        assert refused.value.cure == (CloseVote(301, "late"),)
        with pytest.raises(Refused, match="Only the keeper"):
            game.play("A", CloseVote(301, "", "adopted"))


class TestAClauseByRuling:
    def test_counts_from_then_on_and_stands_in_the_history_with_its_reason(self, table):
        game = table(3)
        game.ask("keeper", OrderClause(203, "adopted when: votes_for * 2 > eligible", "agreed at the table"))

        game.turn("A", enact(), "AB", "C")

        assert game.stage(301) == "adopted"
        rule = game.state.rulebook.standing(203)
        assert [(version.kind, version.why) for version in rule.versions] == [
            ("initial", ""),
            ("ruling", "agreed at the table"),
        ]
        assert rule.now.text == rule.versions[0].rule.text

    def test_is_attached_to_prose_and_can_be_taken_away(self, table):
        game = table(2)
        game.turn("A", enact("Gifts", "Every proposer gets five points more."), "AB")
        game.ask("keeper", OrderClause(301, "on adopted give proponent points: 5"))

        game.turn("B", enact(), "AB")
        assert game.score("B") == 11 + 5

        game.ask("keeper", OrderClause(301, "on adopted give proponent points: none", "it is over"))
        game.turn("A", enact(), "AB")
        assert game.score("A") == 10 + 12

    @pytest.mark.parametrize(
        ("rule", "clause", "why"),
        [
            (203, "adopted when: votes_fr > 3", "Column 1.*Did you mean “votes_for”"),
            (203, "adoptd when: true", "adopted when"),
            (203, "adopted when", ":"),
            (230, "adopted when: true", "Did you mean 213"),
            (204, "wins when: none", "has no clause “wins when”"),
            (206, "points when defeated: -10", "carries just that already"),
            (203, "adopted when: false", "no rule change could be adopted"),
        ],
    )
    def test_is_refused_with_what_is_wrong(self, table, rule, clause, why):
        game = table(2)
        with pytest.raises(Refused, match=why):
            game.ask("keeper", OrderClause(rule, clause))

    def test_is_the_keepers_alone(self, table):
        game = table(2)
        with pytest.raises(Refused, match="propose an amendment"):
            game.play("A", OrderClause(203, "adopted when: true"))

    def test_cures_a_locked_game(self, table):
        game = table(2)
        game.ask("keeper", OrderClause(114, "change stays possible: none"))
        game.turn("A", amend(203, "Never.", adopted_when="false"), "AB")
        assert game.state.impasse == 301

        game.ask("keeper", OrderClause(209, "most mutable rules: 30"))
        assert game.state.impasse == 301
        game.ask("keeper", OrderClause(301, "adopted when: votes_for == eligible", "a slip of the pen"))

        assert game.state.impasse is None
        assert sum(isinstance(fact, ImpasseFound) for fact in game.facts) == 2

    def test_is_undone_and_goes_with_the_text_it_was_about(self, table):
        game = table(2)
        ruled = game.ask("keeper", OrderClause(203, "adopted when: votes_for * 2 > eligible"))
        game.ask("keeper", Undo(event(game, ClauseRuled), "not agreed", ruled[0]))
        assert game.state.rulebook.standing(203).now.clauses[0].expression == (
            "votes_for > 0 && votes_for == eligible"
        )

        game.turn("A", majority(), "AB")
        game.ask("keeper", OrderClause(301, "adopted when: votes_for * 3 > eligible"))
        game.ask("keeper", Void(301, "unclear"))

        rule = game.state.rulebook.standing(203)
        assert (rule.number, rule.now.clauses[0].expression) == (
            203,
            "votes_for > 0 && votes_for == eligible",
        )

    def test_undone_twice_leads_back_step_by_step(self, table):
        game = table(2)
        first = game.ask("keeper", OrderClause(206, "points when defeated: -1"))[0]
        at_first = game.state.seq
        second = game.ask("keeper", OrderClause(206, "points when defeated: -2"))[0]
        game.ask("keeper", Undo(game.state.seq, "a slip", second))
        assert game.state.rulebook.standing(206).now.clauses[0].expression == "-1"

        game.ask("keeper", Undo(at_first, "a slip", first))
        assert game.state.rulebook.standing(206).now.clauses[0].expression == "-10"

    def test_that_fills_the_turn_ends_it(self, table):
        game = table(2)
        game.turn("A", amend(202, "Two.", "", "keep", proposals_per_turn="2"), "AB")
        assert game.on_turn == "Alva Alm"

        game.ask("keeper", OrderClause(301, "proposals per turn: 1", "one is enough"))

        assert game.on_turn == "Bo Berg"

    def test_put_right_undoes_the_win_it_made(self, table):
        game = table(2)
        game.turn("A", enact(), "AB")
        game.ask("keeper", OrderClause(208, "wins when: score >= 10", "a slip"))
        assert game.state.status == "won"

        game.ask("keeper", OrderClause(208, "wins when: score >= 100", "put right"))

        assert (game.state.status, game.on_turn) == ("playing", "Bo Berg")

    def test_can_make_a_winner(self, table):
        game = table(2)
        game.turn("A", enact(), "AB")
        game.ask("keeper", OrderClause(208, "wins when: score >= 10", "as we said"))
        assert [game.state.players[player].name for player in game.state.winners] == ["Alva Alm"]


class TestAClauseWithoutAValue:
    def test_gives_nothing_and_is_written_down_for_each_who_got_nothing(self, table):
        game = table(2)
        game.turn("A", amend(202, "By the ratio.", points_for_the_turn="round(number, votes_against)"), "AB")

        failed = [fact.failure for fact in game.facts if isinstance(fact, ClauseFailed)]
        assert [(each.clause, each.rule, each.proposal) for each in failed] == [
            ("points for the turn", 301, 301)
        ]
        assert game.score("A") == 0
        assert game.state.proposals[301].failures == tuple(failed)
        assert str(chronicle.failed(game.state, failed[0])) == (
            "Alva Alm gets nothing by “points for the turn” in rule 301 for proposal 301: it divides by zero."
        )

    def test_names_no_winner_and_is_told_once_until_the_rule_changes(self, table):
        game = table(2)
        game.ask("keeper", OrderClause(208, "wins when: round(100, score) == 1", "an odd idea"))
        game.turn("A", enact(), "AB")
        game.turn("B", enact(), "AB")

        failed = [fact.failure for fact in game.facts if isinstance(fact, ClauseFailed)]
        assert [(each.clause, each.rule, each.player) for each in failed] == [
            ("wins when", 208, 1),
            ("wins when", 208, 2),
        ]
        game.ask("keeper", OrderClause(208, "wins when: round(50, score - score) == 1", "odder still"))
        assert sum(isinstance(fact, ClauseFailed) for fact in game.facts) == 4

    def test_in_a_second_rule_about_winning_is_told_too(self, table):
        game = table(2)
        game.turn("A", enact("Zero", "By division.", wins_when="round(1, score - score) == 1"), "AB")

        failed = [fact.failure for fact in game.facts if isinstance(fact, ClauseFailed)]
        assert {(each.clause, each.rule) for each in failed} == {("wins when", 301)}

    def test_on_an_event_is_told_each_time_it_happens_and_not_before(self, table):
        game = table(2)
        game.ask("keeper", OrderClause(202, "counter coins: 0"))
        game.ask("keeper", OrderClause(202, "on turn end give player points: round(10, coins)"))
        assert not [fact for fact in game.facts if isinstance(fact, ClauseFailed)]

        game.turn("A", enact(), "AB")
        game.turn("B", enact(), "AB")

        failed = [fact.failure for fact in game.facts if isinstance(fact, ClauseFailed)]
        assert [(each.rule, each.player) for each in failed] == [(202, 1), (202, 2)]

    def test_that_reads_a_counter_which_is_gone_says_so(self, table):
        game = table(2)
        game.ask("keeper", OrderClause(202, "counter coins: 1"))
        game.ask("keeper", OrderClause(202, "on adopted give proponent points: coins"))
        game.ask("keeper", OrderClause(202, "counter coins: none"))

        game.turn("A", enact(), "AB")

        (failed,) = [fact.failure for fact in game.facts if isinstance(fact, ClauseFailed)]
        assert str(failed.why) == "it reads what is counted no more"

    def test_two_rules_of_which_none_prevails_give_nothing_and_are_named(self, table):
        game = table(2)
        game.turn("A", enact("More", "Five more.", points_for_the_turn="5"), "AB")
        game.ask("keeper", OrderClause(211, "precedence: none", "let us see"))
        game.turn("B", enact(), "AB")

        why = {str(fact.failure.why) for fact in game.facts if isinstance(fact, ClauseFailed)}
        assert why == {"no rule says which of the rules 202, 301 prevails"}
        assert game.score("B") == 0


class TestAGameThatIsWonWithSomethingOpen:
    @pytest.fixture(name="won")
    def _won(self, table):
        """A wins by 301 while B's 302 is voted on."""
        game = table(3)
        game.ask("keeper", OrderClause(202, 'who may propose: "anyone"'))
        game.ask("keeper", Correct("Alva", 90, "as agreed"))
        game.play("A", enact())
        game.play("B", enact("Two", "Two."))
        for number, name in ((301, "A"), (302, "B")):
            game.play(name, CallVote(number))
        for name in "ABC":
            game.play(name, Vote("for", 301))
        assert (game.state.status, game.state.winners) == ("won", (1,))
        return game

    def test_brings_the_open_vote_to_its_end_and_gives_nothing_for_it(self, won):
        for name in "ABC":
            won.play(name, Vote("for", 302))

        assert (won.stage(302), won.score("B"), won.state.winners) == ("adopted", 0, (1,))
        assert not won.state.in_turn

    def test_reminds_and_asks_the_keeper_as_ever(self, won):
        won.play("A", Vote("for", 302))
        won.wait(9 * DAY)
        won.ask("keeper", CloseVote(302, "time is up"))

        assert (won.stage(302), won.state.in_turn) == ("defeated", False)

    def test_takes_no_new_proposal(self, won):
        with pytest.raises(Refused, match="The game has been won"):
            won.play("C", enact())

    def test_holds_a_vote_again_if_the_win_stands(self, won):
        for name in "ABC":
            won.play(name, Vote("for", 302))
        won.ask("keeper", Rerun(302, "a ballot was lost"))
        for name in "ABC":
            won.play(name, Vote("against", 302))

        assert (won.stage(302), won.state.winners) == ("defeated", (1,))


def test_a_win_is_not_won_again_when_a_held_vote_is_counted(table):
    """A wins by 200 points of the keeper's; the vote that was held is counted after that, and makes no second win."""
    game = broken(table)
    game.ask("keeper", Correct("Alva", 200, "as agreed"))
    game.ask("keeper", Correct("Bo", 200, "as agreed"))

    game.ask("keeper", OrderClause(301, "adopted when: votes_for > votes_against", "as the text says"))

    assert game.stage(302) == "adopted"
    assert sum(isinstance(fact, PlayersWon) for fact in game.facts) == 1
    assert game.state.winners == (1,)


def test_after_a_rerun_that_undid_a_win_the_next_player_has_the_whole_time(table):
    game = table(2, proposal_time="7d")
    game.ask("keeper", Correct("Alva", 90, "as agreed"))
    game.turn("A", enact(), "AB")
    assert game.state.status == "won"
    game.ask("keeper", Rerun(301, "a ballot was lost"))
    assert (game.state.status, game.state.until) == ("playing", None)

    game.wait(6 * DAY)
    game.play("A", Vote("for", 301))
    game.play("B", Vote("against", 301))

    assert (game.on_turn, game.state.until) == ("Bo Berg", game.now + 7 * DAY)
