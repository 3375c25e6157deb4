"""The keeper speaks in the name of a player who cannot write.

What lives here: what can be said so. What never may: doing it (decide.py has the table of who judges what).
"""

from __future__ import annotations

from pbem.game.commands import (
    Absent,
    Back,
    By,
    CallVote,
    Claim,
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
