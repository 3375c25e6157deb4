"""The scores as they stood after each turn.

What lives here: what was given in each turn, added up from the start. What never may: a sum that ends elsewhere than at the
score a player has.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from itertools import chain

from pbem.game import views
from pbem.game.proposals import Award
from pbem.game.state import State


def after_turns(state: State) -> tuple[Mapping[int, int], ...]:
    """Each player's points by id after each turn: the first are those of the start, the last those of now.

    A player who joined later stands from the start where they began.
    """
    gains = _gains(state)
    points = {key: player.score for key, player in state.players.items()}
    for gain in gains:
        for key, more in gain.items():
            points[key] -= more
    found: list[Mapping[int, int]] = []
    for gain in gains:
        if gain:
            points = {**points, **{key: points[key] + more for key, more in gain.items()}}
        found.append(points)
    return tuple(found)


def awards_by_turn(state: State) -> Iterator[tuple[Award, ...]]:
    """The awards of every turn, the first turn's first."""
    return (views.awards(state, turn) for turn in range(1, state.turn + 1))


def _gains(state: State) -> list[dict[int, int]]:
    """What each player was given in each turn, corrections included; first what was before the first turn.

    An award that was taken back counts in its turn all the same, and its correction in the turn it was taken back in.
    """
    gains: list[dict[int, int]] = [{} for _ in range(state.turn + 1)]
    taken_back = ((made.award.turn, made.award) for made in state.corrections if made.award is not None)
    for turn, award in chain(_standing(state), taken_back):
        if award.counter is None:
            _give(gains[turn], award.player, award.points)
    began = [state.turns[turn].began for turn in range(1, state.turn + 1)]
    for correction in state.corrections:
        if correction.counter is None:
            _give(gains[bisect_right(began, correction.at)], correction.player, correction.points)
    return gains


def _standing(state: State) -> Iterator[tuple[int, Award]]:
    """Every award that stands, with its turn."""
    for turn, awarded in enumerate(awards_by_turn(state), 1):
        for award in awarded:
            yield turn, award


def _give(gain: dict[int, int], player: int, points: int) -> None:
    gain[player] = gain.get(player, 0) + points
