"""The keeper speaks in the name of a player who cannot write.

What lives here: what can be said so. What never may: doing it (decide.py has the table of who judges what).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from pbem.game import commands
from pbem.game.commands import By, Command
from pbem.game.events import SpokenFor
from pbem.game.model import Player, Refused, say
from pbem.game.move import Move, must_be_keeper

SAYABLE = (
    commands.Absent,
    commands.Back,
    commands.CallVote,
    commands.Claim,
    commands.EndTurn,
    commands.GiveConsent,
    commands.GoToJudgment,
    commands.Overrule,
    commands.Propose,
    commands.RetractVote,
    commands.Revise,
    commands.Uphold,
    commands.Vote,
    commands.Withdraw,
)


def itself(asked: Command) -> Command:
    """What a command is about: the player's words of what is said for one, the proposal of what is only checked."""
    said: Command = asked.command if isinstance(asked, commands.SayFor) else asked
    return said.proposal if isinstance(said, commands.Check) else said


def carrying(asked: Command, how: Literal["keep", "drop"]) -> Command:
    """The command with its answer to what becomes of the clauses of the rule it amends."""
    match asked:
        case commands.SayFor():
            return replace(asked, command=carrying(asked.command, how))
        case commands.Check():
            return replace(asked, proposal=replace(asked.proposal, carry=how))
        case commands.Propose() | commands.Revise():
            return replace(asked, carry=how)
    return asked


def said_for(player: Player, cure: tuple[Any, ...]) -> tuple[Any, ...]:
    """The lines of a cure as the keeper says them for a player: as they stand they would be the keeper's own."""
    return tuple(commands.SayFor(player.name, line) if isinstance(line, SAYABLE) else line for line in cure)


def announced(move: Move, asked: commands.SayFor, by: By) -> Player:
    """The player for whom it is said, once that is written down. Raises Refused."""
    must_be_keeper(by, say("Only the keeper speaks for somebody else."))
    player = move.named(asked.name)
    _must_be_sayable(asked, player)
    words = "" if isinstance(asked.command, commands.Vote) else asked.said.partition(":")[2].strip()
    move.record(SpokenFor(player.id, words))
    return player


def _must_be_sayable(asked: commands.SayFor, player: Player) -> None:
    if isinstance(asked.command, commands.GiveVerdict):
        raise Refused(
            "A verdict is the Judge’s own. When the time for it and the grace are over, give it as the keeper.",
        )
    if isinstance(asked.command, commands.Forfeit):
        raise Refused(
            "Giving up is a player’s own word. The keeper takes a player out with “remove”.",
            cure=(commands.Remove(player.name, "…"),),
        )
    other = isinstance(asked.command, commands.Absent) and asked.command.name
    if other or not isinstance(asked.command, SAYABLE):
        raise Refused("This is nothing that a player says in the game, so it cannot be said for one.")
