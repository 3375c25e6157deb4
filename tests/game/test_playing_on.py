"""A game that is won and played on: what stays, who is next, and who can win after that."""

from __future__ import annotations

import pytest

from pbem.game import events, views
from pbem.game.commands import (
    CallVote,
    Continue,
    Correct,
    EndGame,
    GiveConsent,
    GiveVerdict,
    GoToJudgment,
    Pause,
    Replace,
    Undo,
    Vote,
)
from pbem.game.model import Refused
from tests.game.conftest import DAY, amend, enact

ON = Continue("we like it")


def won(table, players: int = 2, **house: str):
    """Ten points win by 301, which pays Alva (301 - 291) × 2/2 = 10 in turn 1."""
    game = table(players, **house)
    game.turn("A", amend(208, "Ten points win.", wins_when="score >= 10"), "ABC"[:players])
    assert (game.state.status, game.state.winners) == ("won", (1,))
    return game


def test_the_next_turn_begins_by_the_ordinary_way_and_the_scores_stay(table):
    game = won(table)

    game.ask("keeper", ON)

    assert (game.state.status, game.state.winners, game.on_turn) == ("playing", (), "Bo Berg")
    assert (game.score("A"), game.score("B")) == (10, 0)
    assert game.state.until == game.now + 7 * DAY
    game.play("B", enact())
    assert (game.state.turn, game.state.circuit) == (2, 1)
    assert views.state_json(game.state, "")["earlier_wins"] == [{"turn": 1, "winners": ["Alva Alm"]}]


def test_who_has_won_does_not_win_again_by_the_same_points_but_others_win(table):
    game = won(table)
    game.ask("keeper", ON)

    game.turn("B", enact(), "AB")  # (302 - 291) × 2/2 = 11

    assert (game.state.status, game.state.winners) == ("won", (2,))
    game.ask("keeper", ON)
    game.turn("A", enact(), "AB")  # 12 more, 22 in all, and 10 were enough before
    assert (game.state.status, game.score("A"), game.on_turn) == ("playing", 22, "Bo Berg")
    assert [(each.players, each.turn) for each in game.state.earlier_wins] == [((1,), 1), ((2,), 2)]


def test_a_higher_mark_is_there_for_those_to_reach_who_won_before(table):
    game = won(table)
    game.ask("keeper", ON)

    game.turn("B", amend(301, "Thirty points win.", wins_when="score >= 30"), "AB")
    assert [fact.players for fact in game.facts if isinstance(fact, events.WinnersFreed)] == [(1,)]
    game.turn("A", enact(), "AB")  # 10 + 12
    assert game.state.status == "playing"
    game.turn("B", enact("Cake"), "AB")  # 11 + 13
    game.turn("A", enact("Milk"), "AB")  # 22 + 14

    assert (game.state.winners, game.score("A")) == ((1,), 36)


def test_who_falls_below_the_mark_can_reach_it_once_more(table):
    game = won(table)
    game.ask("keeper", ON)

    game.ask("keeper", Correct("Alva", -1, "a slip"))
    assert game.state.status == "playing"
    assert len(game.state.earlier_wins) == 1, "that win stands"
    game.ask("keeper", Correct("Alva", 1, "no slip"))

    assert (game.state.status, game.state.winners) == ("won", (1,))


def test_who_reached_the_mark_meanwhile_wins_at_once(table):
    game = won(table)
    game.ask("keeper", Correct("Bo", 10, "forgotten"))

    game.ask("keeper", ON)

    assert (game.state.status, game.state.winners) == ("won", (2,))
    assert [each.players for each in game.state.earlier_wins] == [(1,)]
    game.ask("keeper", ON)
    assert (game.state.status, game.on_turn) == ("playing", "Bo Berg")


def test_the_time_for_disputes_over_the_won_turn_is_kept(table):
    game = won(table, dispute_time="5d")
    ended = game.state.current.ended
    game.ask("keeper", ON)

    with pytest.raises(Refused):
        game.play("B", enact())
    assert game.state.until == ended + 12 * DAY, "five days, and then the seven to propose in"
    game.wait(5 * DAY)
    game.play("B", enact())


def test_a_case_has_its_verdict_first_and_then_the_next_turn_waits_for_consent(table):
    game = table(3)
    game.play("A", amend(208, "Ten points win.", wins_when="score >= 10"))
    game.play("B", GoToJudgment("Is it one change?"))
    game.play("A", CallVote(301))
    for name in "ABC":
        game.play(name, Vote("for", 301))
    with pytest.raises(Refused, match=r"Case J1 is still open.* when there is a verdict"):
        game.ask("keeper", ON)

    game.play("C", GiveVerdict("legal", 1, "It is."))
    game.ask("keeper", ON)

    with pytest.raises(Refused, match="Awaited: Alva Alm, Cia Ceder"):
        game.play("B", enact())
    for name in "AC":
        game.play(name, GiveConsent())
    game.play("B", enact())
    assert game.state.turn == 2


def test_a_vote_that_is_open_is_brought_to_its_end_first(table):
    game = table(2)
    game.play("A", enact())
    game.ask("keeper", Correct("Bo", 100, "a prize"))

    with pytest.raises(Refused, match=r"Proposal 301 is still open. Write this again when it is closed"):
        game.ask("keeper", ON)
    game.play("A", CallVote(301))
    for name in "AB":
        game.play(name, Vote("for", 301))
    game.ask("keeper", ON)

    assert (game.state.status, game.on_turn, game.score("A")) == ("playing", "Bo Berg", 0)


def test_a_turn_in_which_nothing_was_proposed_goes_on(table):
    game = table(2)
    game.ask("keeper", Correct("Bo", 100, "a prize"))

    game.ask("keeper", ON)

    assert isinstance(game.facts[-1], events.TurnContinued)
    assert (game.state.in_turn, game.on_turn, game.state.until) == (True, "Alva Alm", game.now + 7 * DAY)
    game.play("A", enact())


def test_it_is_refused_from_others_and_where_nobody_has_won(table):
    game = table(2)
    with pytest.raises(Refused, match="Nobody has won, so the game goes on as it is"):
        game.ask("keeper", ON)
    game.ask("keeper", Pause("snow"))
    with pytest.raises(Refused, match="The game is paused"):
        game.ask("keeper", ON)
    game.ask("keeper", EndGame("enough"))
    with pytest.raises(Refused, match="The keeper has ended this game"):
        game.ask("keeper", ON)
    game = won(table)
    for by in (1, 2, "guest"):
        with pytest.raises(Refused, match="Only the keeper lets the game go on"):
            game.ask(by, ON)
    game.ask("keeper", ON)
    with pytest.raises(Refused, match="Nobody has won, so the game goes on as it is"):
        game.ask("keeper", ON)
    with pytest.raises(Refused, match="cannot be undone by itself"):
        game.ask("keeper", Undo(game.state.seq - 1, "a slip", game.facts[-2]))


def test_a_win_is_told_by_the_name_the_winner_had(table):
    game = won(table)
    game.ask("keeper", ON)

    game.ask("keeper", Replace("Alva", "Zoe Zahl", "no time"))

    assert views.state_json(game.state, "")["earlier_wins"] == [{"turn": 1, "winners": ["Alva Alm"]}]
