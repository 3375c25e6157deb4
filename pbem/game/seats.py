"""A seat passes to another person, who plays on in it: its score, its place in the order, its open votes."""

from __future__ import annotations

from pbem.game import joining
from pbem.game.commands import By, PassKeepership, Replace, Takeover
from pbem.game.events import KeepershipPassed, SeatAsked, SeatTaken
from pbem.game.model import Refused, say
from pbem.game.move import Move, must_be_keeper


def takeover(move: Move, asked: Takeover, by: By) -> None:
    """Somebody without a seat would play on in one that is abandoned; the keeper is told."""
    if isinstance(by, int):
        raise Refused("You are in this game already.")
    if move.state.status in ("won", "ended"):
        raise Refused("This game is over.")
    move.record(SeatAsked(joining.free_name(move.state, asked.name)))


def replace_player(move: Move, asked: Replace, by: By) -> None:
    """The keeper gives a player's seat to somebody else."""
    must_be_keeper(by, say("Only the keeper gives a seat to somebody else."))
    player = move.named(asked.name)
    move.record(SeatTaken(player.id, joining.free_name(move.state, asked.by), player.name, asked.why))


def pass_keepership(move: Move, asked: PassKeepership, by: By) -> None:
    """Whoever keeps the game hands that over."""
    must_be_keeper(by, say("Only the keeper passes the keepership on."))
    move.record(KeepershipPassed(asked.name, asked.why))
