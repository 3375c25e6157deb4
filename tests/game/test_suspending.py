"""A game that stands still, goes on, or is ended by its keeper."""

from __future__ import annotations

import pytest

from pbem.game import events, silence
from pbem.game.commands import (
    Absent,
    CallVote,
    Claim,
    Correct,
    EndGame,
    EndTurn,
    Extend,
    Forfeit,
    GiveConsent,
    GiveVerdict,
    GoToJudgment,
    Join,
    Pause,
    Propose,
    Remove,
    Resume,
    RetractVote,
    Speak,
    Undo,
    Vote,
    Withdraw,
)
from pbem.game.fold import replay
from pbem.game.model import Refused
from tests.game.conftest import DAY, HOUR, Table

TEA = Propose("enact", None, "Tea", "Tea is served at four.")
THREE = ("Alice Ahlgren", "Bo Berg", "Cia Crane")
MINUTE = HOUR // 60


def voting(**house: str) -> Table:
    """Alice's 301 is voted on."""
    table = Table(THREE, **house)
    table.play("Alice", TEA)
    table.play("Alice", CallVote(301))
    return table


def test_no_deadline_passes_and_each_is_later_by_the_length_of_the_pause() -> None:
    table = voting()
    until = table.state.proposals[301].until
    assert until is not None

    table.ask("keeper", Pause("snow"))
    assert table.state.status == "paused"
    assert table.wait(30 * DAY) == ()
    table.ask("keeper", Resume("thaw"))

    assert table.state.status == "playing"
    assert table.state.proposals[301].until == until + 30 * DAY + MINUTE
    assert table.facts[-1] == events.GameResumed(table.now - 30 * DAY - MINUTE, table.now, "thaw")
    assert replay(table.log) == table.state


def test_the_time_to_propose_the_ladder_and_the_grace_go_on_from_where_they_stood() -> None:
    table = Table(THREE)
    table.wait(7 * DAY)
    assert table.state.term is not None
    reached, grace = table.state.term.reached, table.state.term.grace
    assert reached == "deadline"
    assert grace is not None

    table.ask("keeper", Pause())
    table.wait(5 * DAY)
    table.ask("keeper", Resume())

    assert silence.next_due(table.state) == grace + 5 * DAY + MINUTE


def test_the_times_to_judge_and_to_consent_are_later_too() -> None:
    table = voting()
    table.play("Bo", GoToJudgment("Is it one change?"))
    due = table.state.docket.cases[1].term
    assert due is not None
    table.ask("keeper", Pause())
    table.wait(DAY)
    table.ask("keeper", Resume())
    moved = table.state.docket.cases[1].term
    assert moved is not None
    assert moved.until == due.until + DAY + MINUTE

    table.play("Cia", GiveVerdict("legal", 1))
    for name in THREE:
        table.play(name, Vote("for", 301))
    asked = table.state.docket.consent.term
    assert asked is not None
    table.ask("keeper", Pause())
    table.wait(DAY)
    table.ask("keeper", Resume())
    later = table.state.docket.consent.term
    assert later is not None
    assert later.until == asked.until + DAY + MINUTE


def test_a_vote_that_cools_closes_later() -> None:
    table = voting(cooling_time="12h")
    for name in THREE:
        table.play(name, Vote("for", 301))
    closes = table.state.proposals[301].closes
    assert closes is not None

    table.ask("keeper", Pause())
    table.wait(DAY)
    assert table.state.proposals[301].stage == "voting"
    table.ask("keeper", Resume())

    assert table.state.proposals[301].closes == closes + DAY + MINUTE


def test_ballots_are_taken_in_a_pause_and_the_cooling_time_begins_after_it() -> None:
    table = voting(cooling_time="12h")
    table.ask("keeper", Pause())
    for name in THREE:
        table.play(name, Vote("for", 301))
    table.play("Cia", RetractVote(301))
    table.play("Cia", Vote("against", 301))

    assert table.state.proposals[301].closes is None
    table.wait(2 * DAY)
    table.ask("keeper", Resume())

    assert table.state.proposals[301].closes == table.now + 12 * HOUR
    assert [vote.choice for vote in table.state.proposals[301].ballots.values()].count("against") == 1


@pytest.mark.parametrize(
    ("by", "asked"),
    [
        ("Alice", TEA),
        ("Alice", CallVote(301)),
        ("Alice", Withdraw(301)),
        ("Alice", EndTurn()),
        ("Bo", GoToJudgment("Is it?")),
        ("Bo", GiveConsent()),
        ("keeper", Extend("2d", 301)),
        ("keeper", Correct("Bo", 5)),
        ("guest", Join("Dan")),
    ],
)
def test_what_would_set_a_clock_going_is_refused(by: str, asked: object) -> None:
    table = voting()
    table.ask("keeper", Pause())

    with pytest.raises(Refused, match="The game is paused, so this was not done") as refused:
        table.ask(by if by in ("keeper", "guest") else table.player(by).id, asked)  # type: ignore[arg-type]

    assert refused.value.cure == ((Resume(),) if by == "keeper" else ())


def test_words_and_absences_are_taken_in_a_pause() -> None:
    table = voting()
    table.ask("keeper", Pause())

    table.play("Bo", Speak("Good holidays.", 301))
    table.play("Bo", Absent("2026-12-10"))

    assert table.state.proposals[301].debate
    assert table.player("Bo").status == "absent"


def test_a_pause_begins_and_ends_once_by_the_keepers_word_in_a_game_that_is_played() -> None:
    table = Table(THREE)
    with pytest.raises(Refused, match="The game is not paused"):
        table.ask("keeper", Resume())
    with pytest.raises(Refused, match="Only the keeper pauses the game"):
        table.play("Bo", Pause())
    table.ask("keeper", Pause())
    with pytest.raises(Refused, match="The game is paused already") as again:
        table.ask("keeper", Pause())
    assert again.value.cure == (Resume(),)
    with pytest.raises(Refused, match="Only the keeper lets the game go on"):
        table.play("Bo", Resume())


def test_whose_turn_it_was_may_have_left_in_the_pause() -> None:
    table = Table(THREE)
    table.ask("keeper", Pause())
    table.ask("keeper", Remove("Alice Ahlgren", "moved"))
    assert table.state.on_turn == table.player("Alice").id

    table.ask("keeper", Resume())

    assert table.state.on_turn == table.player("Bo").id
    assert table.state.until is not None


def test_whose_proposal_was_debated_may_have_left_in_the_pause() -> None:
    table = Table(THREE)
    table.play("Alice", TEA)
    table.ask("keeper", Pause())
    table.play("Alice", Forfeit(for_good=True))
    assert table.state.proposals[301].stage == "withdrawn"

    table.ask("keeper", Resume())

    assert table.state.on_turn == table.player("Bo").id


def test_a_game_that_everybody_leaves_in_a_pause_is_over() -> None:
    table = Table(THREE)
    table.ask("keeper", Pause())
    for name in THREE:
        table.play(name, Forfeit(for_good=True))

    assert table.state.status == "ended"
    assert table.state.pause is None


def test_the_time_for_claims_and_for_disputes_stands_still_too() -> None:
    table = voting(dispute_time="1d")
    for name in THREE:
        table.play(name, Vote("for", 301))
    table.ask("keeper", Pause())
    table.wait(10 * DAY)
    table.play("Bo", Claim("I was asleep."))
    table.ask("keeper", Resume())
    with pytest.raises(Refused, match="The next turn begins"):
        table.play("Bo", TEA)
    table.play("Bo", Claim("I was asleep."))
    table.wait(DAY)
    table.play("Bo", TEA)


def test_a_time_that_was_over_before_the_pause_stays_over() -> None:
    table = voting()
    for name in THREE:
        table.play(name, Vote("for", 301))
    closed = table.state.proposals[301].closed
    assert closed is not None
    table.wait(4 * DAY)
    table.ask("keeper", Pause())
    table.wait(10 * DAY)
    table.ask("keeper", Resume())

    with pytest.raises(Refused, match="The time for claims was over") as refused:
        table.play("Bo", Claim("I was asleep."))
    assert refused.value.said.facts["when"] == closed + 3 * DAY


def test_a_judge_who_leaves_in_a_pause_is_followed_by_another_when_the_game_goes_on() -> None:
    table = voting()
    table.play("Bo", GoToJudgment("Is it one change?"))
    judge = table.state.docket.cases[1].judge
    assert judge is not None
    table.ask("keeper", Pause())
    table.ask("keeper", Remove(table.state.players[judge].name, "moved"))
    assert table.state.docket.cases[1].judge == judge
    table.wait(5 * DAY)

    table.ask("keeper", Resume())

    case = table.state.docket.cases[1]
    assert case.judge != judge
    assert case.term is not None
    assert case.term.until == table.now + 3 * DAY


def test_the_keeper_ends_a_game_and_nobody_has_won_it() -> None:
    table = voting()
    table.play("Bo", GoToJudgment("Is it?"))

    table.ask("keeper", EndGame("we agreed"))

    assert (table.state.status, table.state.winners) == ("ended", ())
    assert table.state.proposals[301].stage == "void"
    assert table.state.docket.cases[1].stage == "lapsed"
    assert table.wait(90 * DAY) == ()
    for by, asked in (("keeper", Resume()), ("keeper", EndGame("x")), (1, Vote("for", 301)), (1, TEA)):
        with pytest.raises(Refused, match="The keeper has ended this game"):
            table.ask(by, asked)  # type: ignore[arg-type]
    table.play("Bo", Speak("Thanks to all."))


def test_who_left_before_the_end_does_not_bring_the_game_back() -> None:
    table = Table(THREE)
    table.ask("keeper", Remove("Bo Berg", "moved"))
    event = len(table.facts)
    left = next(at for at in range(event, 0, -1) if isinstance(table.facts[at - 1], events.PlayerLeft))
    table.ask("keeper", EndGame("we agreed"))

    with pytest.raises(Refused, match="The keeper has ended this game"):
        table.ask("keeper", Undo(left, "a slip", table.facts[left - 1]))
    for name in ("Alice", "Cia"):
        table.play(name, Forfeit(for_good=True))
    assert table.state.status == "ended"


def test_a_paused_game_can_be_ended() -> None:
    table = Table(THREE)
    table.ask("keeper", Pause())

    table.ask("keeper", EndGame("we agreed"))

    assert table.state.status == "ended"
    assert table.state.pause is None
    assert replay(table.log) == table.state
