"""Claims of error, corrections, and what cannot be taken back because something rests on it."""

from __future__ import annotations

import pytest

from pbem.game import chronicle, views
from pbem.game.commands import (
    CallVote,
    Claim,
    Correct,
    Forfeit,
    GiveVerdict,
    GoToJudgment,
    OrderClause,
    Replace,
    Rerun,
    Ruling,
    Undo,
    Void,
    Vote,
)
from pbem.game.events import (
    BallotCast,
    ClaimMade,
    PlayerLeft,
    PointsAwarded,
    PointsCorrected,
    RuleChanged,
    Ruled,
)
from pbem.game.model import Refused
from tests.game.conftest import DAY, amend, enact, majority


def event(game, kind: type) -> tuple[int, object]:
    """The number of the last event of a kind, and its fact."""
    return max((seq, fact) for seq, fact in enumerate(game.facts, 1) if isinstance(fact, kind))


def test_a_claim_is_taken_within_its_time_and_not_after(table):
    game = table(2)
    with pytest.raises(Refused, match="No result"):
        game.play("A", Claim("Too early."))
    game.turn("A", enact(), "AB")

    game.play("B", Claim("The sum is wrong."))
    assert [fact.claim for fact in game.facts if isinstance(fact, ClaimMade)] == [1]

    game.wait(3 * DAY)
    with pytest.raises(Refused, match="stands"):
        game.play("B", Claim("Still wrong."))


def test_points_are_corrected_by_the_keeper_alone_and_add_up(table):
    """10 for 301, and 3 taken back: 7."""
    game = table(2)
    game.turn("A", enact(), "AB")
    with pytest.raises(Refused, match="keeper"):
        game.play("A", Correct("Alva Alm", 90))

    game.ask("keeper", Correct("Alva Alm", -3, "rounded wrongly"))

    assert game.score("A") == 7


def test_a_correction_can_make_a_winner_and_undo_one(table):
    game = table(2)
    game.turn("A", enact(), "AB")

    game.ask("keeper", Correct("Bo", 100, "forgotten"))
    assert game.state.status == "won"
    game.ask("keeper", Correct("Bo", -100, "a mistake"))

    assert game.state.status == "playing"
    assert game.state.winners == ()
    assert game.on_turn == "Bo Berg"


def test_a_voided_proposal_leaves_nothing_but_its_number(table):
    game = table(2)
    game.turn("A", majority(), "AB")

    game.ask("keeper", Void(301, "the text was unclear"))

    assert game.stage(301) == "void"
    assert game.state.rulebook.standing(203).number == 203
    assert game.score("A") == 0
    game.play("B", enact())
    assert game.state.last_number == 302


def test_what_something_later_rests_on_is_not_undone_before_it(table):
    game = table(2)
    game.turn("A", majority(), "AB")
    game.turn("B", amend(301, "Two thirds.", adopted_when="votes_for * 3 > eligible * 2"), "AB")
    before = game.state

    with pytest.raises(Refused, match="302 rests on proposal 301"):
        game.ask("keeper", Void(301))
    assert game.state == before

    game.ask("keeper", Void(302))
    game.ask("keeper", Void(301))
    assert game.state.rulebook.standing(203).number == 203


def test_a_vote_held_again_keeps_its_number_and_pays_by_its_new_outcome(table):
    """301 by 2 of 3: −10 + 7 = −3. Held again, 3 of 3: (301 − 291) × 3/3 = 10."""
    game = table(3)
    game.turn("A", enact(), "AB", "C")
    assert game.score("A") == -3

    game.ask("keeper", Rerun(301, "C's mail was lost"))
    assert (game.stage(301), game.score("A")) == ("voting", 0)
    for name in "ABC":
        game.play(name, Vote("for", 301))

    assert game.stage(301) == "adopted"
    assert game.score("A") == 10
    assert game.on_turn == "Bo Berg"


def test_single_events_are_undone_by_facts_of_their_own(table):
    game = table(3)
    game.turn("A", enact(), "ABC")
    number, paid = event(game, PointsAwarded)
    game.ask("keeper", Undo(number, "not due", paid))
    assert game.score("A") == 0

    number, changed = event(game, RuleChanged)
    game.ask("keeper", Undo(number, "", changed))
    assert game.state.rulebook.find(301) is None

    game.play("B", Forfeit(for_good=True))
    number, left = event(game, PlayerLeft)
    game.ask("keeper", Undo(number, "a joke", left))
    assert game.player("B").in_game


def test_a_change_is_undone_once_and_the_rule_of_old_stays(table):
    """The 10 of 301 are taken back by the void: A has 0."""
    game = table(2)
    game.turn("A", majority(), "AB")
    seq, fact = event(game, RuleChanged)
    game.ask("keeper", Undo(seq, "a slip", fact))

    with pytest.raises(Refused, match="taken back already"):
        game.ask("keeper", Undo(seq, "a slip", fact))
    assert game.state.rulebook.standing(203).number == 203

    game.ask("keeper", Void(301, "all of it"))
    assert game.state.rulebook.standing(203).number == 203
    assert game.score("A") == 0


def test_what_cannot_be_undone_is_refused_with_what_can_be_done(table):
    game = table(2)
    game.turn("A", enact(), "AB")

    with pytest.raises(Refused, match="rerun"):
        game.ask("keeper", Undo(2, "", game.facts[1]))


def test_the_keepers_word_is_written_down(table):
    game = table(2)

    game.ask("keeper", Ruling("Emoji are not words."))

    assert game.facts[-1] == Ruled("Emoji are not words.")


def test_points_are_taken_back_once(table):
    """10 for 301, taken back: 0, whatever is said after."""
    game = table(2)
    game.turn("A", enact(), "AB")
    seq, fact = event(game, PointsAwarded)
    game.ask("keeper", Undo(seq, "a slip", fact))
    assert game.score("A") == 0

    with pytest.raises(Refused, match="taken back already"):
        game.ask("keeper", Undo(seq, "a slip", fact))
    game.ask("keeper", Void(301, "all of it"))

    assert game.score("A") == 0


def test_a_void_proposal_counts_for_nobody_as_adopted(table):
    game = table(2)
    game.turn("A", enact(), "AB")
    assert game.player("A").proposals_adopted == 1

    game.ask("keeper", Rerun(301, "a ballot was lost"))
    assert game.player("A").proposals_adopted == 0
    game.play("A", Vote("for", 301))
    game.play("B", Vote("for", 301))
    assert game.player("A").proposals_adopted == 1
    game.ask("keeper", Void(301, "unclear"))

    assert game.player("A").proposals_adopted == 0


def test_of_two_winners_the_one_who_still_has_the_points_stays(table):
    game = table(2)
    game.turn("A", enact(wins_when="score >= 5"), "AB")
    game.ask("keeper", Correct("Bo", 5, "forgotten"))
    assert game.state.winners == (1,)
    game = table(2)
    game.ask("keeper", Correct("Bo", 90, "forgotten"))
    game.ask("keeper", Correct("Alva", 90, "forgotten"))
    game.turn("A", enact(wins_when="score >= 90"), "AB")
    assert game.state.winners == (1, 2)

    game.ask("keeper", Correct("Bo", -50, "a mistake"))

    assert (game.state.status, game.state.winners) == ("won", (1,))


def test_a_ballot_that_was_changed_is_not_undone_in_place_of_the_last(table):
    game = table(3)
    game.play("A", enact())
    game.play("A", CallVote(301))
    game.play("B", Vote("against", 301))
    seq, fact = event(game, BallotCast)
    game.play("B", Vote("for", 301))

    with pytest.raises(Refused, match="changed later"):
        game.ask("keeper", Undo(seq, "a slip", fact))

    assert game.state.proposals[301].ballots[2].choice == "for"


def test_no_event_of_that_number(table):
    with pytest.raises(Refused, match="There is no event 999"):
        table(2).ask("keeper", Undo(999))


def test_a_correction_is_taken_back_once(table):
    """10 for 301 and 5 by correction; the 5 taken back once: 10."""
    game = table(2)
    game.turn("A", enact(), "AB")
    game.ask("keeper", Correct("Alva", 5, "forgotten"))
    seq, fact = event(game, PointsCorrected)

    game.ask("keeper", Undo(seq, "not forgotten", fact))
    with pytest.raises(Refused, match=f"Event {seq} is taken back already"):
        game.ask("keeper", Undo(seq, "again", fact))

    assert game.score("A") == 10


def test_an_award_taken_back_by_mistake_is_the_award_again(table):
    """10 for 301, taken back, and given back by undoing that: 10, with the sum that gave it."""
    game = table(2)
    game.turn("A", enact(), "AB")
    awarded = game.state.proposals[301].awards
    seq, fact = event(game, PointsAwarded)
    game.ask("keeper", Undo(seq, "a slip", fact))
    seq, fact = event(game, PointsCorrected)

    game.ask("keeper", Undo(seq, "no slip", fact))

    assert (game.score("A"), game.state.proposals[301].awards) == (10, awarded)
    game.ask("keeper", Void(301, "all of it"))
    assert game.score("A") == 0


def test_of_two_equal_awards_one_is_taken_back(table):
    """B judges twice in A's turn, for 2 points each; one is taken back: 2."""
    game = table(3)
    game.ask("keeper", OrderClause(212, "on judged give judge points: 2", "for the work"))
    game.play("A", enact())
    for case in (1, 2):
        game.play("B", GoToJudgment("Is it so?"))
        game.play("C", GiveVerdict("legal", case))
    seq, fact = event(game, PointsAwarded)

    game.ask("keeper", Undo(seq, "one is enough", fact))

    assert game.score("C") == 2
    assert len(game.state.turns[1].awards) == 1


def test_what_was_given_in_an_earlier_turn_is_taken_from_that_turn(table):
    game = table(2)
    game.ask("keeper", OrderClause(202, "on turn end give player points: 3", "as agreed"))
    game.turn("A", enact(), "AB")
    seq, fact = event(game, PointsAwarded)
    game.play("B", enact())

    game.ask("keeper", Undo(seq, "a slip", fact))
    assert (game.score("A"), game.state.turns[1].awards) == (10, ())
    seq, fact = event(game, PointsCorrected)
    game.ask("keeper", Undo(seq, "no slip", fact))

    assert (game.score("A"), len(game.state.turns[1].awards), game.state.turns[2].awards) == (13, 1, ())


def test_nothing_is_given_again_for_a_proposal_that_is_void(table):
    game = table(2)
    game.turn("A", enact(), "AB")
    game.ask("keeper", Void(301, "unclear"))
    seq, fact = event(game, PointsCorrected)

    with pytest.raises(Refused, match="Proposal 301 is void"):
        game.ask("keeper", Undo(seq, "no slip", fact))

    assert game.score("A") == 0


def test_the_next_players_time_waits_while_a_vote_is_held_again(table):
    game = table(3)
    game.turn("A", enact(), "ABC")
    game.ask("keeper", Rerun(301, "a ballot was lost"))

    game.wait(6 * DAY)
    assert game.state.until is None
    for name in "ABC":
        game.play(name, Vote("for", 301))

    assert (game.on_turn, game.state.until) == ("Bo Berg", game.now + 7 * DAY)


def test_what_the_keeper_took_back_is_remembered_with_its_reason(table):
    game = table(3)
    game.turn("A", enact(), "AB", "C")
    game.ask("keeper", Rerun(301, "a ballot was lost"))
    for name in "ABC":
        game.play(name, Vote("for", 301))
    game.ask("keeper", Void(301, "unclear after all"))

    told = [(each.what, each.why, each.stage) for each in game.state.proposals[301].reversals]
    assert told == [("rerun", "a ballot was lost", "defeated"), ("void", "unclear after all", "adopted")]
    assert [(made.points, made.why) for made in game.state.corrections] == [
        (10, "a ballot was lost"),
        (-7, "a ballot was lost"),
        (-10, "unclear after all"),
    ]


def test_the_last_player_who_left_by_mistake_is_back_in_a_game_that_goes_on(table):
    game = table(2)
    game.turn("A", enact(), "AB")
    game.play("A", Forfeit(for_good=True))
    game.play("B", Forfeit(for_good=True))
    assert game.state.status == "ended"
    seq, fact = event(game, PlayerLeft)

    game.ask("keeper", Undo(seq, "a joke", fact))

    assert (game.state.status, game.on_turn) == ("playing", "Bo Berg")
    game.play("B", enact())


def test_who_had_a_seat_keeps_the_name_in_what_they_did(table):
    game = table(2)
    game.turn("A", enact(), "AB")
    then = game.now

    game.ask("keeper", Replace("Bo", "Siv Sand", "moved away"))

    proposal = views.proposal_view(game.state, 301)
    assert [line.name for line in proposal.ballots] == ["Alva Alm", "Bo Berg"]
    assert game.on_turn == "Siv Sand"
    game.turn("Siv", enact(), "AS")
    assert views.proposal_view(game.state, 302).proponent == "Siv Sand"
    assert views.turn_view(game.state, 2).player == "Siv Sand"
    cast = next(fact for fact in game.facts if isinstance(fact, BallotCast) and fact.player == 2)
    assert str(chronicle.told(game.state.as_of(then), cast)).startswith("Bo Berg")
