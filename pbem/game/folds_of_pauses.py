"""What the keeper's word about the game itself makes of a state: it stands still, goes on, is played on after a win, or is over.

What lives here: one function for each such fact. What never may: a judgment; a fact is taken as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pbem.game import docket, events
from pbem.game.docket import Recorded
from pbem.game.proposals import EarlierWin, Pause
from pbem.game.state import State, renewed, with_proposal


def _game_paused(state: State, fact: events.GamePaused, moment: Recorded) -> State:
    return renewed(state, status="paused", pauses=(*state.pauses, Pause(moment.at, fact.why)))


def _game_resumed(state: State, fact: events.GameResumed, moment: Recorded) -> State:
    """No time begins in a pause, so each one that is open is later by all of it."""
    stood = fact.until - fact.since
    for proposal in state.open_proposals:
        term = proposal.term and proposal.term.later(stood)
        closes = None if proposal.closes is None else proposal.closes + stood
        state = with_proposal(state, proposal.number, term=term, closes=closes)
    return renewed(
        _over(state, moment),
        status="playing",
        term=state.term and state.term.later(stood),
        docket=docket.later(state.docket, stood),
    )


def _game_continued(state: State, fact: events.GameContinued, moment: Recorded) -> State:
    """The win is on the books, under the names of its moment; points, rules and the order of turns are as they were."""
    won = EarlierWin(fact.winners, fact.turn, state.turns[fact.turn].ended or moment.at)
    return renewed(
        state,
        status="playing",
        winners=(),
        won_by_word=False,
        earlier_wins=(*state.earlier_wins, won),
        passed_over=state.passed_over.union(fact.passed_over),
    )


def _winners_freed(state: State, fact: events.WinnersFreed, _: Recorded) -> State:
    return renewed(state, passed_over=state.passed_over.difference(fact.players))


def _game_called_off(state: State, fact: events.GameCalledOff, moment: Recorded) -> State:
    return renewed(_over(state, moment), status="ended", term=None, called_off=fact.why)


def _game_ended(state: State, _: events.GameEnded, moment: Recorded) -> State:
    return renewed(_over(state, moment), status="ended", term=None)


def _over(state: State, moment: Recorded) -> State:
    """The state without the pause it is in."""
    if state.pause is None:
        return state
    *earlier, last = state.pauses
    return renewed(state, pauses=(*earlier, replace(last, until=moment.at)))


FOLDS: dict[type[Any], Callable[[State, Any, Recorded], State]] = {
    events.GamePaused: _game_paused,
    events.GameResumed: _game_resumed,
    events.GameContinued: _game_continued,
    events.WinnersFreed: _winners_freed,
    events.GameCalledOff: _game_called_off,
    events.GameEnded: _game_ended,
}
