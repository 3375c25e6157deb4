"""Coming into the game: a seat, with the points the rules give to begin with (201)."""

from __future__ import annotations

from pbem.game import regulation, scoring
from pbem.game.commands import By, Join
from pbem.game.events import KeeperSeated, PlayerJoined
from pbem.game.model import Refused
from pbem.game.move import Move
from pbem.game.state import State

LONGEST_NAME = 60


def join(move: Move, asked: Join, by: By) -> None:
    """A guest takes a seat; who joins votes from the next opening."""
    if by not in ("guest", "keeper"):
        raise Refused("You are in this game already.")
    if move.state.status in ("won", "ended"):
        raise Refused("This game is over.")
    name = free_name(move.state, asked.name)
    points = regulation.ask(move.state, "starting points")
    seat = max(move.state.players, default=0) + 1
    start = int(points.value) if points else 0
    move.record(PlayerJoined(seat, name, asked.team, start, scoring.beginning(move.state)))
    if asked.keeps:
        move.record(KeeperSeated(seat))
    scoring.happened(move, ("joined",), {"player": (seat,)})


def free_name(state: State, words: str) -> str:
    """The name somebody asks to play under. Raises Refused if it is none, or another's;
    a `Join` without a name in its cure wants one that is free."""
    name = " ".join(words.split())
    if not name or len(name) > LONGEST_NAME:
        raise Refused(
            "Write the name you want to play under, at most %(most)d characters.",
            cure=(Join(),),
            most=LONGEST_NAME,
        )
    namesake = next((p for p in state.players.values() if p.name.casefold() == name.casefold()), None)
    if namesake is not None:
        raise Refused(
            "There is a player called %(name)s already. Choose another name.",
            cure=(Join(),),
            name=namesake.name,
        )
    return name
