"""Going out of the game: by giving up (113) or by the keeper's word; what becomes of what the player had under way."""

from __future__ import annotations

from typing import Literal

from pbem.game import turns, voting
from pbem.game.commands import By, Forfeit, Remove
from pbem.game.events import GameEnded, PlayerLeft, ProposalWithdrawn, VoterLeft
from pbem.game.model import Player, Refused, say
from pbem.game.move import Move, must_be_keeper


def forfeit(move: Move, asked: Forfeit, by: By) -> None:
    """A player gives up, once they say that it is for good."""
    player = move.seat(by)
    if not asked.for_good:
        raise Refused(
            "Do you want to leave the game? You cannot come back to your seat. To leave, send the line below.",
            cure=(Forfeit(for_good=True),),
        )
    leave(move, player, "forfeited")


def remove(move: Move, asked: Remove, by: By) -> None:
    """The keeper takes a player out of the game."""
    must_be_keeper(by, say("Only the keeper removes a player."))
    leave(move, move.named(asked.name), "removed", asked.why)


def leave(move: Move, player: Player, how: Literal["forfeited", "removed"], why: str = "") -> None:
    """The player is out: of open electorates, of the turn order; what they had in debate is withdrawn."""
    was_next, in_turn = move.state.on_turn == player.id, move.state.in_turn
    move.record(PlayerLeft(player.id, how, why))
    if not move.state.seated and move.state.status != "ended":
        move.record(GameEnded(say("Nobody plays any more.")))
    if move.state.status == "ended":
        return
    unsettled = was_next
    for proposal in move.state.open_proposals:
        if proposal.stage == "debate" and proposal.proponent == player.id:
            move.record(ProposalWithdrawn(proposal.number))
            unsettled = True
        elif player.id in proposal.electorate:
            move.record(VoterLeft(proposal.number, player.id))
            voting.complete(move, proposal.number)
    if unsettled and in_turn:
        turns.settle(move)
    elif was_next and move.state.status == "playing":
        turns.name_next(move)
