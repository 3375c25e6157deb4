"""Silence: the ladder of reminders, the grace, what is counted for those who say nothing, and the keeper's remedies."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pbem.game import cures, regulation, silence
from pbem.game.commands import (
    Absent,
    Abstain,
    CallVote,
    CloseVote,
    Command,
    EndTurn,
    Extend,
    PassTurn,
    Propose,
    Remove,
    RetractVote,
    Vote,
    Withdraw,
)
from pbem.game.events import (
    DeadlineExtended,
    DeadlinePassed,
    GraceOver,
    PointsAwarded,
    Remedied,
    Reminded,
    TurnContinued,
    VoteClosed,
)
from pbem.game.fold import replay
from pbem.game.model import Clause, Refused
from pbem.game.proposals import Remedy
from tests.game.conftest import DAY, HOUR, SECOND, Table, amend, enact, majority

SILENCE_FACTS = (Reminded, DeadlinePassed, GraceOver)


def climbed(facts) -> list[tuple[str, tuple[int, ...]]]:
    """The steps of the ladder among these facts, each with the players it is about."""
    steps = []
    for fact in facts:
        match fact:
            case Reminded(_, step, to):
                steps.append((step, to))
            case DeadlinePassed(_, late, _):
                steps.append(("deadline", late))
            case GraceOver(_, late):
                steps.append(("grace over", late))
    return steps


def refusal(game: Table, by, command: Command) -> str:
    before = game.state
    with pytest.raises(Refused) as refused:
        game.ask(by, command)
    assert game.state == before
    return str(refused.value)


def voting(table, players: int = 3, votes_for: str = "", votes_against: str = "", **house) -> Table:
    """A game in which A's 301 is voted on, and these have voted."""
    game = table(players, **house)
    game.play("A", enact())
    game.play("A", CallVote())
    for name in votes_for + votes_against:
        game.play(name, Vote("for" if name in votes_for else "against", 301))
    return game


def under_majority(table, players: int, **house) -> Table:
    """B's 302 is voted on under a majority; 203 is gone from the numbers, so dissent is rewarded."""
    game = table(players, **house)
    game.turn("A", majority(), "ABCDE"[:players])
    game.play("B", enact("Coffee", "Coffee is served at three."))
    game.play("B", CallVote(302))
    return game


# ---- the ladder ----


def test_the_late_ones_alone_are_reminded_at_half_time_a_day_before_and_at_the_deadline(table):
    game = voting(table, 3, votes_for="B")
    opened = game.state.proposals[301].opened

    steps = [(game.wait(HOUR), game.now - opened) for _ in range(9 * 24)]
    taken = [(step, passed // DAY) for facts, passed in steps for step in climbed(facts)]

    assert taken == [
        (("half time", (1, 3)), 3),
        (("day before", (1, 3)), 6),
        (("deadline", (1, 3)), 7),
        (("grace over", (1, 3)), 8),
    ]


def test_each_step_is_about_those_who_are_late_then(table):
    game = voting(table, 3, votes_for="B")
    assert climbed(game.wait(4 * DAY)) == [("half time", (1, 3))]
    game.play("A", Vote("for", 301))

    assert climbed(game.wait(10 * DAY)) == [
        ("day before", (3,)),
        ("deadline", (3,)),
        ("grace over", (3,)),
    ]


def test_a_step_is_taken_once_and_the_ladder_ends(table):
    game = voting(table)
    assert len(climbed(game.wait(8 * DAY))) == 4

    assert game.wait(100 * DAY) == ()
    assert silence.next_due(game.state) is None


def test_a_day_before_is_passed_over_when_it_comes_before_half_time(table):
    game = voting(table, voting_time="36h")

    assert [step for step, _ in climbed(game.wait(3 * DAY))] == ["half time", "deadline", "grace over"]


def test_a_term_of_no_length_has_its_deadline_at_once(table):
    game = voting(table, 2, voting_time="0", grace="0")

    assert [step for step, _ in climbed(game.facts)] == ["deadline", "grace over"]


def test_a_silent_proponent_and_a_silent_player_on_turn_climb_the_same_ladder(table):
    game = table(2)
    whole = ["half time", "day before", "deadline", "grace over"]
    assert [step for step, to in climbed(game.wait(30 * DAY)) if to == (1,)] == whole
    game.play("A", enact())
    assert [step for step, to in climbed(game.wait(30 * DAY)) if to == (1,)] == whole
    game.play("A", CallVote())
    for name in "AB":
        game.play(name, Vote("for", 301))
    assert [step for step, to in climbed(game.wait(30 * DAY)) if to == (2,)] == whole


def test_no_one_is_reminded_of_a_vote_that_is_complete(table):
    game = voting(table, 2, votes_for="AB", cooling_time="5d")

    assert climbed(game.wait(4 * DAY)) == []
    assert silence.agenda(game.state) == ((game.state.proposals[301].closes, CloseVote(301)),)


def test_a_ballot_in_the_grace_counts(table):
    game = voting(table, 2, votes_for="A")
    game.wait(7 * DAY + 12 * HOUR)

    game.play("B", Vote("for", 301))

    assert game.stage(301) == "adopted"


def test_a_turn_that_goes_on_after_a_proposal_is_closed_has_a_deadline_again(table):
    game = table(2)
    game.play("A", enact())
    assert TurnContinued in {type(fact) for fact in game.play("A", Withdraw())}

    assert [to for _, to in climbed(game.wait(9 * DAY))] == [(1,)] * 4


def test_several_votes_have_a_ladder_each(table):
    game = table(2)
    game.turn("A", amend(202, "Two.", proposals_per_turn="2", who_may_propose='"turn"'), "AB")
    game.play("A", EndTurn())
    for title in ("One", "Two"):
        game.play("B", enact(title, title))
        game.play("B", CallVote(game.state.last_number))
    game.play("A", Vote("for", 302))

    late = [
        (fact.number, fact.waiting_for) for fact in game.wait(8 * DAY) if isinstance(fact, DeadlinePassed)
    ]

    assert late == [(302, (2,)), (303, (1, 2))]


def test_what_the_calendar_looks_at_does_not_grow_with_the_game(table):
    game = table(2, voting_time="1d")
    for _ in range(6):
        game.turn(game.on_turn, enact(str(game.state.seq), "Tea."), "AB")
    game.play(game.on_turn, enact("Last", "Coffee."))

    assert len(silence.agenda(game.state)) == 1


# ---- wait, abstain, against, for ----


def test_waiting_is_what_a_game_does_unless_told_otherwise(table):
    game = voting(table, 3, votes_for="AB")

    game.wait(30 * DAY)

    assert game.stage(301) == "voting"


def test_by_abstain_the_silent_are_out_of_the_vote(table):
    """301: 2 for of 2 who are left: adopted under unanimity; (301 − 291) × 2/2 = 10 to A."""
    game = voting(table, 3, votes_for="AB", silence="abstain")

    facts = game.wait(8 * DAY)

    remedy = next(fact.remedy for fact in facts if isinstance(fact, Remedied))
    assert remedy == Remedy("abstain", (3,), by_keeper=False, rule=None, departs_from=105)
    tally = game.state.proposals[301].tally
    assert (tally.votes_for, tally.votes_against, tally.eligible, tally.adopted) == (2, 0, 2, True)
    assert (game.score("A"), game.score("B"), game.score("C")) == (10, 0, 0)


def test_by_against_the_silent_defeat_a_proposal_and_lower_its_points(table):
    """301: 2 for, 1 against by silence. Rule 206: −10; rule 202: (301 − 291) × 2/3 = 6.67, rounded 7."""
    game = voting(table, 3, votes_for="AB", silence="against")

    game.wait(8 * DAY)

    ballot = game.state.proposals[301].ballots[3]
    assert (ballot.choice, ballot.silent, ballot.mail) == ("against", True, None)
    assert game.stage(301) == "defeated"
    assert game.score("A") == -3


def test_by_for_the_silent_adopt(table):
    """301: 1 for, 2 by silence: (301 − 291) × 3/3 = 10."""
    game = voting(table, 3, votes_for="A", silence="for")

    game.wait(8 * DAY)

    assert game.stage(301) == "adopted"
    assert game.score("A") == 10


def test_silence_that_counts_against_earns_no_points_for_dissent(table):
    """302 under a majority: A, B, E for, C against, D against by silence. 3 of 5 adopt it.

    C has 10 by rule 204, D nothing; B has (302 − 291) × 3/5 = 6.6, rounded 7.
    """
    game = under_majority(table, 5, silence="against")
    for name in "ABE":
        game.play(name, Vote("for", 302))
    game.play("C", Vote("against", 302))

    game.wait(8 * DAY)

    assert game.stage(302) == "adopted"
    assert (game.score("B"), game.score("C"), game.score("D")) == (7, 10, 0)


def test_silence_casts_no_vote_that_an_award_could_be_for(table):
    game = table(3, silence="for")
    game.turn("A", enact("Coins", "Coins.", counter_coins="0", on_voted_give_voters_coins="2"), "ABC")
    game.play("B", enact("Tea", "Tea."))
    game.play("B", CallVote(302))
    for name in "AB":
        game.play(name, Vote("for", 302))
    before = {name: game.player(name).counters["coins"] for name in "ABC"}

    game.wait(8 * DAY)

    gained = [game.player(name).counters["coins"] - before[name] for name in "ABC"]
    assert game.stage(302) == "adopted"
    assert gained == [2, 2, 0]


def test_when_nobody_votes_and_silence_abstains_the_proposal_is_defeated(table):
    """Rule 206: −10. By 202 nothing: the share of no votes has no value."""
    game = voting(table, 2, silence="abstain")

    game.wait(8 * DAY)

    assert game.stage(301) == "defeated"
    assert game.score("A") == -10


def test_a_rules_clause_goes_before_the_house_rule_and_is_named(table):
    game = table(3)
    game.turn("A", enact("Silence", "The silent abstain.", silence='"abstain"'), "ABC")
    game.play("B", enact())
    game.play("B", CallVote(302))
    for name in "AB":
        game.play(name, Vote("for", 302))

    facts = game.wait(8 * DAY)

    assert next(fact.remedy.rule for fact in facts if isinstance(fact, Remedied)) == 301
    assert game.stage(302) == "adopted"


def test_once_no_rule_asks_for_a_ballot_nothing_is_departed_from(table):
    game = table(3, silence="abstain")
    game.turn("A", Propose("transmute", 105), "ABC")
    game.turn("B", Propose("repeal", 105), "ABC")
    game.play("C", enact())
    game.play("C", CallVote())
    for name in "AB":
        game.play(name, Vote("for", 303))

    facts = game.wait(8 * DAY)

    assert next(fact.remedy.departs_from for fact in facts if isinstance(fact, Remedied)) is None


def test_a_vote_that_cannot_be_computed_is_held_however_silence_counts(table):
    game = table(2, silence="for")
    game.turn("A", amend(203, "Odd.", adopted_when="round(votes_for, votes_against) > 0"), "AB")
    game.play("B", enact())
    game.play("B", CallVote())

    game.wait(30 * DAY)

    assert 302 in game.state.held
    assert silence.agenda(game.state) == ()


# ---- times ----


def test_a_rule_sets_the_time_to_vote(table):
    game = table(2)
    game.turn("A", enact("Haste", "Three days to vote.", voting_time='"3d"'), "AB")
    game.play("B", enact())
    game.play("B", CallVote())

    proposal = game.state.proposals[302]

    assert proposal.until == proposal.opened + 3 * DAY


def test_a_deadline_and_the_end_of_the_grace_keep_clear_of_quiet_days(table):
    """The vote opens on a Monday; 5d later it is Saturday, so it ends on Monday, and the grace on Tuesday."""
    game = table(2, voting_time="5d", quiet_days="sat sun", zone="Europe/Stockholm")
    until_monday = (7 - datetime.fromtimestamp(game.now / SECOND, UTC).weekday()) * DAY
    game.play("A", enact())
    game.wait(until_monday)
    game.play("A", CallVote())
    opened = game.state.proposals[301].opened

    passed = next(fact for fact in game.wait(9 * DAY) if isinstance(fact, DeadlinePassed))

    assert game.state.proposals[301].until == opened + 7 * DAY
    assert passed.grace == opened + 8 * DAY


@pytest.mark.parametrize("words", ["sat snu", "mon tue wed thu fri sat sun"])
def test_words_that_are_no_days_are_asked_back_when_they_are_set(table, words):
    game = table(2)

    assert "quiet days" in refusal(game, game.player("A").id, enact("Rest", "Rest.", quiet_days=f'"{words}"'))


def test_a_zone_there_is_not_is_asked_back_and_a_time_that_is_none_leaves_it_to_the_house(table):
    game = table(2)
    player = game.player("A").id
    assert "Mars/Base" in refusal(game, player, enact("Far", "Far.", zone='"Mars/Base"'))
    game.turn("A", enact("Odd", "Odd.", voting_time='circuit > 5 ? "7d" : "soon"'), "AB")
    game.play("B", enact())

    game.play("B", CallVote())

    assert regulation.ask(game.state, "voting time") is None
    assert game.state.proposals[302].until == game.state.proposals[302].opened + 7 * DAY


# ---- the keeper's remedies ----


def test_more_time_counts_from_the_deadline_or_if_that_has_passed_from_now(table):
    game = voting(table, 2)
    until = game.state.proposals[301].until
    game.ask("keeper", Extend("2d", 301, "Snow."))
    assert game.facts[-1] == DeadlineExtended(301, until + 2 * DAY, "Snow.")

    game.wait(30 * DAY)
    game.ask("keeper", Extend("12h", 301))

    assert game.state.proposals[301].until == game.now + 12 * HOUR


def test_more_time_begins_a_new_ladder(table):
    game = voting(table, 2)
    game.wait(30 * DAY)
    game.ask("keeper", Extend("4d"))

    assert [step for step, _ in climbed(game.wait(30 * DAY))] == [
        "half time",
        "day before",
        "deadline",
        "grace over",
    ]


def test_more_time_to_propose_needs_no_number(table):
    game = table(2)
    until = game.state.until

    game.ask("keeper", Extend("2d"))

    assert game.state.until == until + 2 * DAY


def test_the_keeper_closes_a_vote_with_the_ballots_there_are(table):
    """302 under a majority: 3 for of 5 eligible are enough, though C and D are silent. (302 − 291) × 3/3 = 11."""
    game = under_majority(table, 5)
    for name in "ABE":
        game.play(name, Vote("for", 302))

    game.ask("keeper", CloseVote(302, "Three are enough."))

    proposal = game.state.proposals[302]
    assert proposal.remedies == (
        Remedy("close", (3, 4), by_keeper=True, departs_from=105, why="Three are enough."),
    )
    assert (proposal.stage, proposal.tally.eligible) == ("adopted", 5)
    assert game.score("B") == 11


def test_closed_with_a_ballot_missing_nothing_is_adopted_unanimously(table):
    """301: 1 for of 2. Rule 206: −10; rule 202: (301 − 291) × 1/1 = 10."""
    game = voting(table, 2, votes_for="A")

    game.ask("keeper", CloseVote(301))

    assert game.stage(301) == "defeated"
    assert game.score("A") == 0


def test_by_the_keepers_word_the_missing_abstain(table):
    game = voting(table, 3, votes_for="AB")
    game.wait(8 * DAY)

    game.ask("keeper", Abstain(301, "Cia is at sea."))

    assert game.stage(301) == "adopted"
    assert game.state.proposals[301].remedies[0].players == (3,)


def test_the_keeper_opens_the_vote_in_the_place_of_a_silent_proponent(table):
    game = table(2)
    game.play("A", enact())
    game.wait(8 * DAY)

    game.ask("keeper", CallVote(301, "Alva is ill."))

    assert game.stage(301) == "voting"
    assert game.state.proposals[301].remedies == (
        Remedy("open vote", (1,), by_keeper=True, why="Alva is ill."),
    )


def test_the_keeper_passes_a_turn_that_has_begun_and_one_that_has_not(table):
    game = table(3)
    game.wait(8 * DAY)
    game.ask("keeper", PassTurn("Nothing came."))
    assert game.on_turn == "Bo Berg"
    assert game.state.turns[1].remedies == (
        Remedy("pass turn", (1,), by_keeper=True, departs_from=201, why="Nothing came."),
    )

    game.ask("keeper", PassTurn())

    assert (game.state.turn, game.on_turn) == (2, "Cia Ceder")
    game.turn("C", enact(), "ABC")
    assert game.on_turn == "Alva Alm", "each has had the turn of this circuit, played or not"
    assert game.state.proposals[301].turn == 3


def test_a_turn_with_something_open_is_not_passed(table):
    game = voting(table)

    assert "301" in refusal(game, "keeper", PassTurn())


def test_who_is_removed_in_the_middle_of_a_vote_is_out_of_it_and_the_vote_completes(table):
    game = voting(table, 3, votes_for="AB")
    game.wait(8 * DAY)

    game.ask("keeper", Remove("Cia Ceder", "Silent for weeks."))

    assert game.stage(301) == "adopted"
    assert game.state.proposals[301].tally.eligible == 2


@pytest.mark.parametrize("command", [Extend("2d", 301), CloseVote(301), Abstain(301), PassTurn()])
def test_the_remedies_are_the_keepers(table, command):
    game = voting(table)

    assert "nly the keeper" in refusal(game, game.player("B").id, command)


@pytest.mark.parametrize(
    "command",
    [Extend("2d", 301), CloseVote(301), Abstain(301), CallVote(301)],
    ids=lambda c: type(c).__name__,
)
def test_a_word_about_a_stage_that_is_over_is_refused(table, command):
    game = voting(table, 2, votes_for="A")
    game.ask("keeper", CloseVote(301))

    assert "Proposal 301 was closed" in refusal(game, "keeper", command)


def test_a_word_about_a_stage_that_has_not_come_and_one_about_no_proposal_are_refused(table):
    game = table(2)
    assert "no proposal 301" in refusal(game, "keeper", CloseVote(301))
    game.play("A", enact())
    assert "still being debated" in refusal(game, "keeper", CloseVote(301))
    game.play("A", CallVote())
    assert "open already" in refusal(game, "keeper", CallVote(301))
    assert "how much longer" in refusal(game, "keeper", Extend("0", 301))


# ---- a cure for the stall ----


def test_the_cure_for_a_stalled_vote_is_a_rule_that_the_players_can_adopt_and_that_cures(table):
    """105 is immutable: a rule of its own says that the silent abstain, and 105 is named."""
    game = voting(table, 3, votes_for="AB")
    game.wait(8 * DAY)
    cure = cures.cure(game.state, "vote")
    assert (cure.propose.kind, cure.clashes) == ("enact", 105)
    assert cure.propose.clauses == (Clause("silence", '"abstain"'),)
    game.ask("keeper", Abstain(301))

    game.turn("B", cure.propose, "ABC")
    game.play("C", enact("Late", "Late."))
    game.play("C", CallVote())
    for name in "AB":
        game.play(name, Vote("for", 303))
    game.wait(8 * DAY)

    assert game.stage(303) == "adopted"
    assert cures.cure(game.state, "vote") is None


def test_the_cure_amends_the_rule_on_voting_once_that_is_mutable_under_the_number_it_has_then(table):
    game = table(2)
    game.turn("A", Propose("transmute", 105), "AB")
    text = game.state.rulebook.standing(105).now.text

    cure = cures.cure(game.state, "vote")

    assert (cure.propose.kind, cure.propose.target, cure.clashes) == ("amend", 301, None)
    assert " ".join(cure.propose.text.split()).startswith(" ".join(text.split()))
    game.turn("B", cure.propose, "AB")
    assert regulation.ask(game.state, "silence").rule == 302
    assert regulation.rule_for(game.state, "eligible") == 302, "its other clauses stay"


def test_the_cure_amends_a_rule_that_says_to_wait(table):
    game = table(2)
    game.turn("A", enact("Patience", "We wait.", silence='"wait"'), "AB")

    cure = cures.cure(game.state, "vote")

    assert (cure.propose.kind, cure.propose.target) == ("amend", 301)


def test_where_another_rule_would_be_one_too_many_no_cure_is_offered_that_the_rules_refuse(table):
    game = table(2)
    game.turn("A", amend(209, "At most thirteen.", most_mutable_rules="13"), "AB")

    assert cures.cure(game.state, "vote") is None
    assert cures.cure(game.state, "turn").propose.kind == "amend"


@pytest.mark.parametrize("language", ["en", "sv"])
@pytest.mark.parametrize("stall", ["vote", "debate", "turn"])
def test_every_cure_can_be_adopted_in_the_language_of_the_game(table, language, stall):
    game = table(2, language=language)
    cure = cures.cure(game.state, stall)

    game.turn("A", cure.propose, "AB")

    assert game.stage(301) == "adopted"
    assert game.state.proposals[301].without_effect is None


def test_where_the_game_stalled_is_known_until_the_turn_is_over(table):
    game = voting(table, 2, votes_for="A")
    game.wait(8 * DAY)
    assert game.state.stalls == ("vote",)

    game.play("B", Vote("for", 301))

    assert game.state.stalls == ()


# ---- the log ----


def test_a_game_full_of_silence_is_the_same_from_its_log(table):
    game = voting(table, 3, votes_for="A", silence="against")
    game.play("B", Absent("2026-12-12"))
    game.wait(20 * DAY)
    game.ask("keeper", Extend("2d"))
    game.wait(20 * DAY)
    game.ask("keeper", PassTurn("Two weeks."))
    game.play("C", enact("More", "More."))
    game.play("C", CallVote())
    game.play("C", Vote("for", 302))
    game.play("C", RetractVote(302))
    game.wait(20 * DAY)

    assert {type(fact) for fact in game.facts} >= {
        *SILENCE_FACTS,
        Remedied,
        DeadlineExtended,
        VoteClosed,
        PointsAwarded,
    }
    assert replay(game.log) == game.state
