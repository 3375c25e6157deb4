"""What a change would do, looked at before it is proposed: sums by hand, and nothing recorded."""

from __future__ import annotations

import pytest

from pbem.game import preview
from pbem.game.commands import CallVote, CarryClauses, Propose
from pbem.game.model import Clause, Refused
from pbem.game.preview import ClauseChange, Otherwise, Preview, Stake
from tests.game.conftest import Table, amend, enact, majority


def check(game: Table, name: str, change: Propose) -> Preview:
    before = game.state
    tried = preview.preview(game.state, change, game.player(name).id, game.now)
    assert game.state == before
    return tried


def stakes(tried: Preview) -> list[tuple[int, int, bool | None, int]]:
    return [(one.votes_for, one.votes_against, one.adopted, one.points) for one in tried.outlook.stakes]


class TestTheChange:
    def test_is_the_one_that_would_be_proposed_with_the_number_it_would_get(self, table):
        tried = check(table(3), "A", amend(203, "Most decide.", adopted_when="votes_for > 1"))

        view = tried.proposal
        assert str(view.headline) == "Proposal 301: amend rule 203, “Unanimity”"
        assert (view.before.number, view.after.number, view.after.text) == (203, 301, "Most decide.")
        assert view.proponent == "Alva Alm"
        assert tried.not_now is None

    def test_can_be_looked_at_out_of_turn_and_says_so(self, table):
        tried = check(table(3), "C", enact())

        assert tried.proposal.proponent == "Cia Ceder"
        assert "not your turn: Alva Alm" in str(tried.not_now)

    def test_can_be_looked_at_between_two_turns(self, table):
        """A's turn is over; the next number is 302, and B's turn has not begun."""
        game = table(3)
        game.turn("A", enact(), "ABC")
        tried = check(game, "B", enact("Coffee"))

        assert tried.proposal.proposal.number == 302
        assert tried.proposal.proposal.turn == 2
        assert tried.not_now is None

    def test_of_an_immutable_rule_is_refused_as_the_proposal_would_be(self, table):
        with pytest.raises(Refused, match="immutable") as refused:
            check(table(3), "A", amend(105, "Nobody votes."))

        assert refused.value.rule == 103

    def test_that_no_clause_line_is_written_for_is_asked_back(self, table):
        with pytest.raises(Refused) as asked:
            check(table(3), "A", amend(203, "Most decide."))

        assert asked.value.asks
        again = amend(203, "Most decide.", adopted_when="votes_for > 0 && votes_for == eligible")
        assert asked.value.cure == (CarryClauses("keep"), CarryClauses("drop"), again)


class TestClauses:
    def test_are_shown_with_whom_they_beat(self, table):
        """A new 301 pays for the turn too; 202 has the lower number and goes before it, and stays so."""
        tried = check(table(3), "A", enact("Pay", "More is paid.", points_for_the_turn="5"))

        assert preview.clause_changes(tried.state, 301) == (
            ClauseChange("points for the turn", None, "5", 202, (301,)),
        )

    @pytest.mark.parametrize(
        ("name", "others"), [("wins when", (208,)), ("on adopted give everyone points", ())]
    )
    def test_that_count_side_by_side_beat_nobody(self, table, name, others):
        """Any true `wins when` wins and every award on an event is made, so 208 does not go before 301."""
        clause = Clause(name, "true" if name == "wins when" else "1")
        tried = check(table(3), "A", Propose("enact", None, "Luck", "There is luck.", (clause,)))

        assert preview.clause_changes(tried.state, 301) == (
            ClauseChange(name, None, clause.expression, 301, (), others),
        )

    def test_that_count_side_by_side_are_no_conflict_where_no_rule_gives_an_order(self, table):
        game = table(3)
        game.turn("A", Propose("repeal", 211), "ABC")

        assert not check(
            game, "B", enact("Luck", "There is luck.", wins_when="score > 900")
        ).outlook.conflicts

    def test_that_claim_precedence_beat_what_they_name(self, table):
        over = Clause("points for the turn", "5", over=("202",))
        tried = check(table(3), "A", Propose("enact", None, "Pay", "More is paid.", (over,)))

        assert preview.clause_changes(tried.state, 301) == (
            ClauseChange("points for the turn", None, "5", 301, (202,)),
        )

    def test_between_which_no_rule_decides_are_a_conflict(self, table):
        """211 is gone, and with it the order of numbers: 202 and the new 302 both pay for the turn."""
        game = table(3)
        game.turn("A", Propose("repeal", 211), "ABC")
        tried = check(game, "B", enact("Pay", "More is paid.", points_for_the_turn="5"))

        assert [str(conflict) for conflict in tried.outlook.conflicts] == [
            "No rule would say which of rules 202, 302 prevails in “points for the turn”, "
            "so nothing would follow from any."
        ]


class TestStakes:
    def test_are_those_of_the_rules_in_force_where_nothing_about_them_changes(self, table):
        """301 with four: 4 of 4 pays 10. Unanimity fails at 3 of 4: 10 × 3/4 = 7.5 → 8, −10. 2 of 4: 5 − 10."""
        assert stakes(check(table(4), "A", enact())) == [
            (4, 0, True, 10), (3, 1, False, -2), (2, 2, False, -5),
        ]  # fmt: skip

    def test_are_those_of_the_rules_as_they_would_be_once_it_is_adopted(self, table):
        """202 itself is amended to 3 points a vote for: adopted it pays by the new text (4 × 3), defeated by the old one."""
        change = amend(202, "Three a vote.", points_for_the_turn="votes_for * 3")

        assert stakes(check(table(4), "A", change)) == [
            (4, 0, True, 12), (3, 1, False, -2), (2, 2, False, -5),
        ]  # fmt: skip

    def test_follow_the_rule_of_adoption_before_the_change(self, table):
        """A majority rule is itself adopted by unanimity (109); the next proposal needs but most: 302 pays 11 × 3/4 = 8.25."""
        game = table(4)
        assert [one[2] for one in stakes(check(game, "A", majority()))] == [True, False, False]
        game.turn("A", majority(), "ABCD")

        assert stakes(check(game, "B", enact())) == [
            (4, 0, True, 11), (3, 1, True, 8), (2, 2, False, -4),
        ]  # fmt: skip

    def test_are_rounded_to_whole_ballots_and_each_count_is_shown_once(self, table):
        """Of three, 75 % and 50 % are both two: 10 × 2/3 = 6.67 → 7, −10."""
        assert stakes(check(table(3), "A", enact())) == [(3, 0, True, 10), (2, 1, False, -3)]

    def test_count_what_other_rules_give_the_proponent(self, table):
        game = table(3)
        gift = Clause("on adopted give proponent points", "4")
        game.turn("A", Propose("enact", None, "Thanks", "Four more.", (gift,)), "ABC")

        assert stakes(check(game, "B", enact()))[0] == (3, 0, True, 11 + 4)

    def test_tell_of_a_win(self, table):
        tried = check(table(3), "A", enact("Jackpot", "A hundred.", on_adopted_give_proponent_points="100"))

        assert tried.outlook.stakes[0] == Stake(3, 0, True, True, 100, True)

    def test_tell_what_dissent_pays_and_who_else_may_win_by_it(self, table):
        """With 203 gone 204 pays ten to whoever is against what is adopted. Dan has ten, so with ten more he wins, before
        Cia is paid."""
        game = table(4)
        assert [one.against for one in check(game, "A", majority()).outlook.stakes] == [None, 0, 0]
        game.turn("A", majority(), "ABCD")
        game.turn("B", enact(), "ABC", "D")

        tried = check(game, "C", amend(208, "Twenty.", wins_when="score >= 20")).outlook.stakes

        assert [(one.points, one.against) for one in tried] == [(12, None), (0, 10), (-4, 0)]
        assert [one.others_win for one in tried] == [(), ("Dan Dahl",), ()]

    def test_without_a_value_the_keeper_would_be_asked(self, table):
        """An adoption clause that divides by the votes against has no value when there are none."""
        game = table(3)
        game.turn(
            "A", amend(203, "Odd.", adopted_when="votes_for % votes_against == 0 || votes_for > 99"), "ABC"
        )
        tried = check(game, "B", enact())

        assert tried.outlook.stakes[0].adopted is None
        assert "the keeper would be asked" in str(tried.outlook.could_pass)


class TestEarlierVotes:
    def test_that_would_have_ended_otherwise_are_named_with_the_sum(self, table):
        """301 failed with 3 of 4, 302 with 2 of 4; most is more than 2, so 301 alone would have been adopted."""
        game = table(4)
        game.turn("A", enact(), "ABC", "D")
        game.turn("B", enact("Coffee"), "AB", "CD")
        tried = check(game, "C", majority())

        assert tried.outlook.otherwise == (Otherwise(301, 3, 1, 4, True, "adopted when", 303, "3 * 2 > 4"),)

    def test_are_judged_in_their_own_circuit_and_turn(self, table):
        """Turns 1 and 2 were 3 of 4; a rule for later turns alone lets the second in."""
        game = table(4)
        game.turn("A", enact(), "ABC", "D")
        game.turn("B", enact("Coffee"), "ABC", "D")
        tried = check(
            game, "C", amend(203, "Later.", adopted_when="turn > 1 && circuit == 1 && votes_for > 2")
        )

        assert [vote.number for vote in tried.outlook.otherwise] == [302]

    def test_are_none_when_the_change_is_not_about_adoption(self, table):
        """301 failed by unanimity; 302 made most enough: a change of something else is not the one to blame."""
        game = table(4)
        game.turn("A", enact(), "ABC", "D")
        game.turn("B", majority(), "ABCD")
        assert check(game, "C", enact("Coffee")).outlook.otherwise == ()

    def test_may_be_ones_that_were_adopted(self, table):
        """302 was adopted by 3 of 4, which is most but not all."""
        game = table(4)
        game.turn("A", majority(), "ABCD")
        game.turn("B", enact(), "ABC", "D")
        tried = check(game, "C", amend(301, "All.", adopted_when="votes_for == eligible"))

        assert [(vote.number, vote.adopted) for vote in tried.outlook.otherwise] == [(302, False)]

    def test_on_a_transmutation_follow_the_clause_that_went_for_it(self, table):
        """103's transmutation failed with 3 of 4 by 109, so a majority in 203 is not about it; one in 109's place is,
        once that (302, mutable now) is given precedence over 203."""
        game = table(4)
        game.turn("A", Propose("transmute", 103), "ABC", "D")
        assert check(game, "B", majority()).outlook.otherwise == ()
        game.turn("B", Propose("transmute", 109), "ABCD")
        most = Clause("transmuted when", "votes_for * 2 > eligible", over=("203",))
        tried = check(game, "C", Propose("amend", 302, "", "Most.", (most,)))

        assert [(vote.number, vote.clause, vote.rule) for vote in tried.outlook.otherwise] == [
            (301, "transmuted when", 303)
        ]


class TestWhatStandsAgainstIt:
    def test_a_bound_is_told_once_and_the_stakes_are_without_effect(self, table):
        """Repealing 203 would leave no way to adopt anything (114): everyone for, and the rulebook stays."""
        tried = check(table(3), "A", Propose("repeal", 203))

        assert [one.effect for one in tried.outlook.stakes] == [False, True]
        assert (
            str(tried.outlook.could_pass)
            == "With every vote for it, it would be adopted, but without effect."
        )
        assert len(tried.proposal.remarks) == 1
        assert tried.outlook.conflicts == ()

    def test_an_impasse_that_nothing_forbids_is_foretold(self, table):
        game = table(3)
        game.turn("A", Propose("transmute", 114), "ABC")
        game.turn("B", Propose("repeal", 301), "ABC")
        tried = check(game, "C", Propose("repeal", 203))

        assert [str(conflict) for conflict in tried.outlook.conflicts] == [
            "After it no rule change could be adopted any more."
        ]

    def test_a_title_of_another_rule_than_the_number_is_asked_back(self, table):
        with pytest.raises(Refused, match=r"206.*208") as asked:
            check(table(3), "A", amend(206, "Two hundred.", "The winner", carry="keep"))

        assert [cure.target for cure in asked.value.cure] == [208, 206]


def test_a_ballot_paper_looks_ahead_from_the_vote_itself(table):
    """Who may vote is settled at the opening: a fifth player who joins later changes nothing."""
    game = table(4)
    game.play("A", enact())
    game.play("A", CallVote(301))

    assert [(one.votes_for, one.points) for one in preview.outlook(game.state, 301, game.now).stakes] == [
        (4, 10), (3, -2), (2, -5),
    ]  # fmt: skip
