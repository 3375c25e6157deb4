"""Who judges (212): the first Judge of a turn, and who comes after one whose verdict is overruled.

What lives here: the order of Judges as the clause `judge` has it. What never may: appointing one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

from pbem.game import regulation, turns
from pbem.game.docket import Case
from pbem.game.model import Player
from pbem.game.state import State

Chosen = Callable[[State, int, tuple[Player, ...]], int | None]


def in_office(state: State, at: int) -> int | None:
    """The Judge of a question asked now (None: the keeper): one Judge settles every question of a turn."""
    bench = state.docket.bench
    if bench and (bench[-1] is None or state.players[bench[-1]].in_game):
        return bench[-1]
    current = state.current
    after = bench[-1] if bench else None
    return None if current is None else _chosen(state, current.player, after, (), at)


def next_judge(state: State, case: Case, at: int) -> int | None:
    """Who judges the case after its present Judge; None when nobody is left: nobody judges twice in a case."""
    judged = [verdict.judge for verdict in case.verdicts[case.since :] if verdict.judge is not None]
    return _chosen(state, state.turns[case.turn].player, case.judge, judged, at)


def first_again(state: State, case: Case, at: int) -> int | None:
    """Who gave the first verdict in the case (None: the keeper) or, if that player has left, who comes after them."""
    first = case.verdicts[0].judge if case.verdicts else case.judge
    if first is None or state.players[first].in_game:
        return first
    return _chosen(state, state.turns[case.turn].player, first, (), at)


def _chosen(state: State, on_turn: int, after: int | None, judged: Sequence[int], at: int) -> int | None:
    """The next Judge of a turn of `on_turn`, counted from `after` (None: from the player on turn)."""
    asked = regulation.ask(state, "judge")
    choose = _WAYS.get(str(asked.value)) if asked else None
    if choose is None:
        return None
    away = {on_turn, after, *judged}
    candidates = tuple(
        player
        for player in _backwards(state, on_turn if after is None else after)
        if player.id not in away and not player.is_mate_of(state.players[on_turn])
    )
    return choose(state, at, candidates)


def _backwards(state: State, start: int) -> tuple[Player, ...]:
    """The players in the game against the turn order, beginning with the one before `start`."""
    circle = turns.order(state, state.players[start])
    place = next(at for at, player in enumerate(circle) if player.id == start)
    return (*circle[:place][::-1], *circle[place + 1 :][::-1])


def _nearest(_: State, __: int, candidates: tuple[Player, ...]) -> int | None:
    return candidates[0].id if candidates else None


def _by_lot(state: State, at: int, candidates: tuple[Player, ...]) -> int | None:
    """Drawn from what the log will hold anyway, so that everybody can draw the same lot again: the SHA-256 of the game's
    name, the number of the last event, and the moment (UTC µs) in which the mail was taken, which nobody can choose."""
    if not candidates:
        return None
    drawn = hashlib.sha256(f"{state.game} {state.seq} {at}".encode()).digest()
    ordered = sorted(player.id for player in candidates)
    return ordered[int.from_bytes(drawn) % len(ordered)]


_WAYS: dict[str, Chosen] = {"preceding": _nearest, "random": _by_lot}
"""By the value of the clause; with any other, and with none, the keeper is Judge."""
