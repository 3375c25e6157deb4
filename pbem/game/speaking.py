"""The keeper speaks in the name of a player who cannot write.

What lives here: what can be said so. What never may: doing it (decide.py has the table of who judges what).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from pbem.game.commands import (
    Absent,
    Back,
    By,
    CallVote,
    Check,
    Claim,
    Command,
    EndTurn,
    Forfeit,
    GiveConsent,
    GiveVerdict,
    GoToJudgment,
    Overrule,
    Propose,
    Remove,
    RetractVote,
    Revise,
    SayFor,
    Uphold,
    Vote,
    Withdraw,
)
from pbem.game.events import SpokenFor
from pbem.game.model import Player, Refused, say
from pbem.game.move import Move, must_be_keeper

SAYABLE = (
    Absent,
    Back,
    CallVote,
    Claim,
    EndTurn,
    GiveConsent,
    GoToJudgment,
    Overrule,
    Propose,
    RetractVote,
    Revise,
    Uphold,
    Vote,
    Withdraw,
)


def itself(asked: Command) -> Command:
    """What a command is about: the player's words of what is said for one, the proposal of what is only checked."""
    said: Command = asked.command if isinstance(asked, SayFor) else asked
    return said.proposal if isinstance(said, Check) else said


def carrying(asked: Command, how: Literal["keep", "drop"]) -> Command:
    """The command with its answer to what becomes of the clauses of the rule it amends."""
    match asked:
        case SayFor():
            return replace(asked, command=carrying(asked.command, how))
        case Check():
            return replace(asked, proposal=replace(asked.proposal, carry=how))
        case Propose() | Revise():
            return replace(asked, carry=how)
    return asked


def said_for(player: Player, cure: tuple[Any, ...]) -> tuple[Any, ...]:
    """The lines of a cure as the keeper says them for a player: as they stand they would be the keeper's own."""
    return tuple(SayFor(player.name, line) if isinstance(line, SAYABLE) else line for line in cure)


def announced(move: Move, asked: SayFor, by: By) -> Player:
    """The player for whom it is said, once that is written down. Raises Refused."""
    must_be_keeper(by, say("Only the keeper speaks for somebody else."))
    player = move.named(asked.name)
    _must_be_sayable(asked, player)
    words = "" if isinstance(asked.command, Vote) else asked.said.partition(":")[2].strip()
    move.record(SpokenFor(player.id, words))
    return player


def _must_be_sayable(asked: SayFor, player: Player) -> None:
    if isinstance(asked.command, GiveVerdict):
        raise Refused(
            "A verdict is the Judge’s own. When the time for it and the grace are over, give it as the keeper.",
        )
    if isinstance(asked.command, Forfeit):
        raise Refused(
            "Giving up is a player’s own word. The keeper takes a player out with “remove”.",
            cure=(Remove(player.name, "…"),),
        )
    other = isinstance(asked.command, Absent) and asked.command.name
    if other or not isinstance(asked.command, SAYABLE):
        raise Refused("This is nothing that a player says in the game, so it cannot be said for one.")
