"""Judge, then apply: a command becomes facts, or is refused.

What lives here: the table from command to the file that judges it. `decide` may refuse; `evolve` never does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pbem.game import commands, joining, proposing, silence, turns, voting
from pbem.game.commands import By, Command
from pbem.game.events import Fact
from pbem.game.move import Move
from pbem.game.state import State

_JUDGES: dict[type[Any], Callable[[Move, Any, By], None]] = {
    commands.Join: joining.join,
    commands.Start: turns.start,
    commands.Propose: proposing.propose,
    commands.Revise: proposing.revise,
    commands.CallVote: proposing.call_vote,
    commands.Withdraw: proposing.withdraw,
    commands.Speak: proposing.speak,
    commands.EndTurn: turns.end_turn,
    commands.Vote: voting.vote,
    commands.RetractVote: voting.retract,
    commands.CloseVote: voting.close,
    commands.NoteDeadline: silence.note,
}


def decide(state: State, command: Command, by: By, at: int) -> tuple[Fact, ...]:
    """The facts that `command`, asked by `by` at `at` (UTC µs), brings about. Raises Refused, changing nothing."""
    move = Move(state, at)
    _JUDGES[type(command)](move, command, by)
    return tuple(move.facts)
