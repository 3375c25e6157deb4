"""Who sits where, by the keeper's word: a seat passes to another person, who plays on in it with its score, its place in
the order and its open votes; somebody gets a new one, or is asked to; a player's mails go elsewhere.
"""

from __future__ import annotations

from pbem.game import joining
from pbem.game.commands import Admit, By, ChangeAddress, Invite, Join, PassKeepership, Replace, Takeover
from pbem.game.events import (
    AddressChanged,
    GuestInvited,
    KeeperSeated,
    KeepershipPassed,
    PlayerAdmitted,
    SeatAsked,
    SeatTaken,
)
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
    if asked.keeps:
        move.record(KeeperSeated(player.id))


def invite(move: Move, asked: Invite, by: By) -> None:
    """Somebody is asked to play; they are in when they have said so."""
    must_be_keeper(
        by, say("Only the keeper invites somebody. Whoever wants to play writes “join as” and a name.")
    )
    _must_be_free(move, asked.name)
    move.record(GuestInvited(asked.why))


def admit(move: Move, asked: Admit, by: By) -> None:
    """Somebody who watches the game gets a new seat in it."""
    must_be_keeper(by, say("Only the keeper gives somebody a seat."))
    _must_be_free(move, asked.name)
    joining.join(move, Join(asked.name, keeps=asked.keeps), by)
    move.record(PlayerAdmitted(max(move.state.players), asked.why))


def _must_be_free(move: Move, name: str) -> None:
    """Raises Refused for a name that is another's, and in a game that is over."""
    if move.state.status in ("won", "ended"):
        raise Refused("This game is over.")
    try:
        joining.free_name(move.state, name)
    except Refused as refused:
        refused.cure = ()  # its lines would have the keeper join
        raise


def change_address(move: Move, asked: ChangeAddress, by: By) -> None:
    """A player's mails go elsewhere; where is nothing that the log knows."""
    must_be_keeper(
        by,
        say(
            "Only the keeper changes where a player’s mails go. For yourself, write “add address” and the address."
        ),
    )
    move.record(AddressChanged(move.named(asked.name).id, asked.why))


def pass_keepership(move: Move, asked: PassKeepership, by: By) -> None:
    """Whoever keeps the game hands that over."""
    must_be_keeper(by, say("Only the keeper passes the keepership on."))
    move.record(KeepershipPassed(asked.name, asked.why, asked.player))
