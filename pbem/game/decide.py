"""Judge, then apply: a command becomes facts, or is refused.

What lives here: the table from command to the file that judges it. `decide` may refuse; `evolve` never does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeGuard

from pbem.game import (
    absence,
    commands,
    consent,
    correcting,
    failing,
    impasse,
    joining,
    judgment,
    leaving,
    proposing,
    remedies,
    rulings,
    seats,
    silence,
    speaking,
    suspending,
    turns,
    voting,
)
from pbem.game.commands import By, Command
from pbem.game.events import Fact
from pbem.game.model import Refused
from pbem.game.move import Move
from pbem.game.state import State

_JUDGES: dict[type[Any], Callable[[Move, Any, By], None]] = {
    commands.Join: joining.join,
    commands.Start: turns.start,
    commands.Forfeit: leaving.forfeit,
    commands.Remove: leaving.remove,
    commands.Propose: proposing.propose,
    commands.Revise: proposing.revise,
    commands.CallVote: remedies.call_vote,
    commands.Withdraw: proposing.withdraw,
    commands.Speak: proposing.speak,
    commands.EndTurn: turns.end_turn,
    commands.Vote: voting.vote,
    commands.RetractVote: voting.retract,
    commands.GoToJudgment: judgment.go_to_judgment,
    commands.GiveVerdict: judgment.give_verdict,
    commands.Overrule: judgment.overrule,
    commands.Uphold: judgment.uphold,
    commands.Reopen: judgment.reopen,
    commands.GiveConsent: consent.give,
    commands.NameWinner: impasse.name_winner,
    commands.Claim: correcting.claim,
    commands.Correct: correcting.correct,
    commands.Void: correcting.void,
    commands.Rerun: correcting.rerun,
    commands.Ruling: rulings.rule,
    commands.Announce: rulings.announce,
    commands.OrderClause: rulings.order_clause,
    commands.Undo: correcting.undo,
    commands.CloseVote: remedies.close,
    commands.Extend: remedies.extend,
    commands.Abstain: remedies.abstain,
    commands.PassTurn: remedies.pass_turn,
    commands.Absent: absence.absent,
    commands.Back: absence.back,
    commands.EndAbsence: absence.end,
    commands.Takeover: seats.takeover,
    commands.Replace: seats.replace_player,
    commands.PassKeepership: seats.pass_keepership,
    commands.Invite: seats.invite,
    commands.Admit: seats.admit,
    commands.ChangeAddress: seats.change_address,
    commands.Pause: suspending.pause,
    commands.Resume: suspending.resume,
    commands.Continue: suspending.play_on,
    commands.EndGame: suspending.end,
    commands.Remind: silence.remind,
    commands.NoteDeadline: silence.note,
    commands.NoteJudging: judgment.note,
    commands.NoteConsent: consent.note,
    commands.EndGrace: silence.end_grace,
}


def can_be_asked(value: object) -> TypeGuard[Command]:
    """Whether it is a command that the game judges; questions, settings and the like are none."""
    return type(value) in _JUDGES


def _say_for(move: Move, asked: commands.SayFor, by: By) -> None:
    """The keeper says it, and what follows is the player's."""
    player = speaking.announced(move, asked, by)
    try:
        _JUDGES[type(asked.command)](move, asked.command, player.id)
    except Refused as refused:
        refused.cure = speaking.said_for(player, refused.cure)
        raise


_JUDGES[commands.SayFor] = _say_for


def decide(state: State, command: Command, by: By, at: int) -> tuple[Fact, ...]:
    """The facts that `command`, asked by `by` at `at` (UTC µs), brings about. Raises Refused, changing nothing."""
    move = Move(state, at)
    suspending.must_be_taken(state, command, by)
    _JUDGES[type(command)](move, command, by)
    if move.state.status != "paused":
        _see_to_the_rest(move)
    return tuple(move.facts)


def _see_to_the_rest(move: Move) -> None:
    """What follows by the rules from what was done."""
    voting.see_to(move)
    judgment.see_to(move)
    consent.see_to(move)
    failing.see_to(move)
