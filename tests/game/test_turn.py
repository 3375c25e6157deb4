"""A turn from proposal to close: whose it is, what is refused, how numbers and lineages go (108, 111, 201, 202)."""

from __future__ import annotations

import pytest

from pbem.game.commands import CallVote, EndTurn, Join, Propose, RetractVote, Revise, Vote, Withdraw
from pbem.game.events import DeadlinePassed, TurnEnded
from pbem.game.model import Refused
from tests.game.conftest import DAY, Table, amend, enact, majority


def refusal(game, name, command) -> Refused:
    """The refusal, having checked that nothing changed."""
    before = game.state
    with pytest.raises(Refused) as refused:
        game.play(name, command)
    assert game.state == before
    return refused.value


def test_the_turn_goes_round_by_surname_and_counts_circuits(table):
    game = table(3)
    order = []
    for name in "ABCA":
        order.append((game.on_turn[0], game.state.circuit))
        game.turn(name, enact(f"Rule of {name}", f"{name} {len(order)}."), "ABC")

    assert order == [("A", 1), ("B", 1), ("C", 1), ("A", 1)]
    assert game.state.circuit == 2
    assert game.on_turn == "Bo Berg"


def test_swedish_letters_come_last_in_the_alphabet():
    game = Table(("Ängla Öst", "Åke Ärlig", "Zeb Zorn", "Ulf Åberg"), "sv")

    order = []
    for _ in range(4):
        order.append(game.on_turn)
        name = game.on_turn
        game.play(name, enact(name, name))
        game.play(name, CallVote())
        for player in list(game.state.players.values()):
            game.play(player.name, Vote("for", game.state.last_number))

    assert order == ["Zeb Zorn", "Ulf Åberg", "Åke Ärlig", "Ängla Öst"]


def test_the_next_turn_begins_with_its_players_first_proposal(table):
    game = table(2)
    game.turn("A", enact(), "AB")
    assert (game.state.turn, game.state.in_turn, game.on_turn) == (1, False, "Bo Berg")

    game.play("B", enact("More", "More tea."))

    assert (game.state.turn, game.state.in_turn, game.on_turn) == (2, True, "Bo Berg")


def test_a_proposal_out_of_turn_is_refused_by_rule_202_and_uses_no_number(table):
    game = table(2)

    refused = refusal(game, "B", enact())

    assert refused.rule == 202
    assert "Alva Alm" in str(refused)
    game.play("A", enact())
    assert game.state.last_number == 301


def test_a_second_proposal_in_a_turn_is_refused(table):
    game = table(2)
    game.play("A", enact())

    assert refusal(game, "A", enact("Two", "Two.")).rule == 202


def test_a_withdrawn_proposal_spends_its_number_and_gives_the_turn_back(table):
    game = table(2)
    game.play("A", enact())
    game.play("A", Withdraw())

    game.play("A", enact("Two", "Two."))

    assert game.stage(301) == "withdrawn"
    assert game.stage(302) == "debate"
    assert game.state.turn == 1
    assert game.score("A") == 0


def test_an_immutable_rule_is_refused_by_rule_103_with_the_line_that_helps(table):
    game = table(2)

    refused = refusal(game, "A", amend(101, "Nobody need follow the rules."))

    assert refused.rule == 103
    assert refused.cure == (Propose("transmute", 101),)


def test_once_transmuted_and_adopted_the_rule_can_be_amended(table):
    game = table(2)
    game.turn("A", Propose("transmute", 101), "AB")

    game.turn("B", amend(101, "Rules bind all."), "AB")

    rule = game.state.rulebook.standing(101)
    assert rule.lineage == (101, 301, 302)
    assert (rule.number, rule.now.text, rule.mutable) == (302, "Rules bind all.", True)


def test_a_rule_not_in_the_book_is_refused_and_the_nearest_named(table):
    game = table(2)

    assert "203" in str(refusal(game, "A", Propose("repeal", 2033)))


def test_an_amended_rule_answers_to_its_old_number(table):
    game = table(2)
    game.turn("A", majority(), "AB")

    game.play("B", Propose("repeal", 203))

    assert game.state.proposals[302].target == 301
    assert "Rule 203 is now rule 301." in map(str, game.state.proposals[302].remarks)


def test_a_repealed_rule_cannot_be_changed_but_its_number_leads_to_it(table):
    game = table(2)
    game.turn("A", Propose("repeal", 210), "AB")

    refused = refusal(game, "B", amend(210, "Conspire."))

    assert "repealed by proposal 301" in str(refused)
    assert game.state.rulebook.find(210).repealed == 301


def test_an_amendment_of_an_amendment_can_be_taken_back(table):
    game = table(2)
    game.turn("A", amend(210, "Conspire freely.", carry="keep"), "AB")
    original = game.state.rulebook.find(210).versions[0].rule.text

    game.turn("B", Propose("repeal amendment", 301), "AB")

    rule = game.state.rulebook.standing(210)
    assert (rule.number, rule.now.text) == (302, original)
    assert rule.lineage == (210, 301, 302)


def test_an_amendment_without_clause_lines_is_asked_back_keep_or_drop(table):
    game = table(2)

    assert "adopted when" in str(refusal(game, "A", amend(203, "Half is enough.")))
    game.play("A", amend(203, "Half is enough.", carry="keep"))
    assert [clause.name for clause in game.state.proposals[301].clauses] == ["adopted when"]


def test_the_question_keep_or_drop_shows_the_clauses_and_what_either_brings(table):
    game = table(2)

    of_203 = str(refusal(game, "A", amend(203, "Half is enough.")))
    of_204 = str(refusal(game, "A", amend(204, "Dissent is its own reward.")))

    assert "“clause adopted when: votes_for > 0 && votes_for == eligible”" in of_203
    assert "would have no effect if adopted. No rule change could be adopted any more. (Rule 114)" in of_203
    assert "no effect" not in of_204


def test_the_question_about_203_tells_of_the_end_of_change_where_no_rule_guards_against_it(table):
    game = table(2)
    game.turn("A", Propose("transmute", 114), "AB")
    game.turn("B", Propose("repeal", 301), "AB")

    asked = str(refusal(game, "A", amend(203, "Half is enough.")))

    assert "Without it no rule change could be adopted any more." in asked


def test_a_revision_without_clause_lines_is_asked_back_with_the_revision_to_send(table):
    game = table(2)
    game.play("A", amend(203, "Half is enough.", carry="keep"))

    with pytest.raises(Refused) as asked:
        game.play("A", Revise(301, "Two thirds are enough."))

    again = asked.value.cure[2]
    assert isinstance(again, Revise)
    assert [clause.name for clause in again.clauses] == ["adopted when"]


def test_written_clauses_replace_and_the_rest_stay(table):
    game = table(2)
    game.play("A", amend(202, "New.", points_for_the_turn="3"))

    clauses = {clause.name: clause.expression for clause in game.state.proposals[301].clauses}

    assert clauses == {"points for the turn": "3", "proposals per turn": "1", "who may propose": '"turn"'}


def test_a_clause_that_does_not_compile_is_asked_back_with_column_and_nearest_name(table):
    game = table(2)

    refused = refusal(game, "A", amend(203, "X.", adopted_when="votes_for > elligible"))

    assert "Column 13" in str(refused)
    assert "eligible" in str(refused)
    game.play("A", enact())
    assert game.state.last_number == 301


def test_a_rule_changed_into_itself_is_taken_with_a_warning(table):
    game = table(2)
    same = game.state.rulebook.standing(210).now

    game.play("A", Propose("amend", 210, same.title, same.text))

    assert len(game.state.proposals[301].remarks) == 1


def test_one_mutable_rule_too_many_is_refused_by_the_rule_that_sets_the_limit(table):
    game = table(2)
    game.turn("A", amend(209, "At most thirteen.", most_mutable_rules="13"), "AB")
    assert refusal(game, "B", enact()).rule == 301


def test_what_fits_when_proposed_may_not_fit_when_adopted_and_is_then_without_effect(table):
    """209 is lowered while 302 is debated; 302 is adopted, paid for, and changes nothing."""
    game = table(2)
    game.turn("A", amend(202, "Two proposals.", proposals_per_turn="2"), "AB")
    game.play("A", EndTurn())
    game.play("B", enact("One", "One."))
    game.turn("B", amend(209, "At most thirteen.", most_mutable_rules="13"), "AB")
    game.play("B", CallVote(302))
    for name in "AB":
        game.play(name, Vote("for", 302))

    assert game.stage(302) == "adopted"
    assert "13" in str(game.state.proposals[302].without_effect)
    assert game.state.rulebook.find(302) is None
    assert game.score("B") == 12 + 11


def test_only_the_proponent_revises_and_ends_the_debate(table):
    game = table(2)
    game.play("A", enact())

    assert "Alva Alm" in str(refusal(game, "B", CallVote(301)))
    assert "Alva Alm" in str(refusal(game, "B", Revise(301, "Coffee.")))
    game.play("A", Revise(301, "Coffee."))
    assert game.state.proposals[301].text == "Coffee."


def test_the_text_is_frozen_once_the_vote_is_open(table):
    game = table(2)
    game.play("A", enact())
    game.play("A", CallVote())

    assert "frozen" in str(refusal(game, "A", Revise(301, "Coffee.")))
    assert "frozen" in str(refusal(game, "A", Withdraw(301)))


def test_the_last_ballot_before_the_close_counts(table):
    game = table(3)
    game.play("A", enact())
    game.play("A", CallVote())
    game.play("B", Vote("against", 301))
    game.play("B", Vote("for", 301))
    game.play("A", Vote("for", 301))
    game.play("C", Vote("for", 301))

    assert game.stage(301) == "adopted"


def test_a_retracted_ballot_is_no_ballot(table):
    game = table(2)
    game.play("A", enact())
    game.play("A", CallVote())
    game.play("A", Vote("for", 301))
    game.play("A", RetractVote(301))
    game.play("B", Vote("for", 301))

    assert game.stage(301) == "voting"
    assert game.state.proposals[301].missing == (1,)


def test_a_ballot_taken_back_in_the_cooling_time_stops_the_close(table):
    game = table(2, cooling_time="12h")
    game.play("A", enact())
    game.play("A", CallVote())
    game.play("A", Vote("for", 301))
    game.play("B", Vote("for", 301))
    game.play("B", RetractVote(301))

    game.wait(2 * DAY)

    assert game.stage(301) == "voting"


def test_a_ballot_changed_in_the_cooling_time_does_not_restart_it(table):
    game = table(2, cooling_time="12h")
    game.play("A", enact())
    game.play("A", CallVote())
    game.play("A", Vote("for", 301))
    game.play("B", Vote("for", 301))
    closes = game.state.proposals[301].closes
    game.wait(DAY // 3)
    game.play("B", Vote("against", 301))

    assert game.state.proposals[301].closes == closes
    game.wait(closes - game.now)
    assert game.stage(301) == "defeated"


def test_a_late_ballot_an_unknown_number_and_one_in_debate_are_refused_in_words(table):
    game = table(2)
    game.turn("A", enact(), "AB")
    game.play("B", enact("Two", "Two."))

    assert "closed" in str(refusal(game, "B", Vote("for", 301)))
    assert "no proposal 999" in str(refusal(game, "B", Vote("for", 999)))
    assert "debated" in str(refusal(game, "A", Vote("for", 302)))


def test_a_ballot_without_a_number_is_asked_back_with_the_lines_to_send(table):
    game = table(2)
    game.play("A", enact())
    game.play("A", CallVote())

    assert refusal(game, "B", Vote("for")).cure == (Vote("for", 301), Vote("against", 301))


def test_who_joins_in_the_middle_votes_from_the_next_opening(table):
    game = table(2)
    game.play("A", enact())
    game.play("A", CallVote())
    game.ask("guest", Join("Cia Ceder"))

    assert refusal(game, "Cia", Vote("for", 301)).rule == 105
    for name in "AB":
        game.play(name, Vote("for", 301))
    game.turn("B", enact("Two", "Two."), "AB", "C")
    assert game.state.proposals[302].tally.eligible == 3
    assert game.stage(302) == "defeated"


def test_two_players_of_one_name_are_not_told_apart_so_the_second_is_refused(table):
    game = table(2)

    with pytest.raises(Refused, match="Bo Berg"):
        game.ask("guest", Join("bo  BERG"))


def test_several_proposals_may_be_open_when_the_rules_say_so(table):
    game = table(3)
    change = amend(202, "Anyone proposes.", proposals_per_turn="2", who_may_propose='"anyone"')
    game.turn("A", change, "ABC")
    game.play("A", EndTurn())
    game.play("B", enact("One", "One."))
    game.play("C", enact("Two", "Two."))
    game.play("B", CallVote(302))
    game.play("C", CallVote(303))
    for name in "ABC":
        game.play(name, Vote("for", "all"))

    assert [game.stage(number) for number in (302, 303)] == ["adopted", "adopted"]
    assert game.state.in_turn, "B may make one more"
    game.play("B", EndTurn())
    assert game.on_turn == "Cia Ceder"


def test_a_turn_cannot_end_without_a_vote_and_only_its_player_ends_it(table):
    game = table(2)

    refusal(game, "B", EndTurn())
    assert refusal(game, "A", EndTurn()).rule == 202


def test_a_silent_player_is_noted_once_at_each_deadline_and_the_vote_still_ends_with_their_ballot(table):
    game = table(2)
    assert [fact.waiting_for for fact in game.wait(30 * DAY) if isinstance(fact, DeadlinePassed)] == [(1,)]
    game.play("A", enact())
    game.play("A", CallVote())
    game.play("A", Vote("for", 301))
    assert [fact.waiting_for for fact in game.wait(30 * DAY) if isinstance(fact, DeadlinePassed)] == [(2,)]
    assert TurnEnded in {type(fact) for fact in game.play("B", Vote("for", 301))}


def test_a_vote_that_cannot_be_computed_is_held_for_the_keeper(table):
    game = table(2)
    game.turn("A", amend(203, "Odd.", adopted_when="round(votes_for, votes_against) > 0"), "AB")

    game.turn("B", enact(), "AB")

    assert game.stage(302) == "voting"
    assert 302 in game.state.held


def test_dispute_time_keeps_the_next_turn_from_beginning(table):
    game = table(2, dispute_time="1d")
    game.turn("A", enact(), "AB")

    refusal(game, "B", enact("Two", "Two."))
    game.wait(DAY)
    game.play("B", enact("Two", "Two."))

    assert game.state.turn == 2


def test_a_rule_that_gives_nobody_a_proposal_has_no_effect_by_114(table):
    game = table(2)
    game.turn("A", amend(202, "Nobody proposes.", "", "keep", proposals_per_turn="0"), "AB")

    proposal = game.state.proposals[301]
    assert (proposal.stage, proposal.kept_by) == ("adopted", 114)
    assert str(proposal.without_effect) == "No rule change could be adopted any more."
    game.play("B", enact())


def test_a_rule_that_gives_the_player_on_turn_no_proposal_is_kept(table):
    game = table(2)
    only_bo = 'name == "Bo Berg" ? 1 : 0'
    game.turn("A", amend(202, "Bo alone proposes.", "", "keep", proposals_per_turn=only_bo), "AB")
    game.turn("B", enact(), "AB")

    with pytest.raises(Refused, match="let you make no proposal") as refused:
        game.play("A", enact())
    assert (refused.value.rule, game.state.last_number) == (301, 302)
