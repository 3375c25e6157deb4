"""The locked game (213): when the rules let nobody play on, or a question cannot be settled, the keeper names who wins.

What lives here: whether the game is locked, and the win that follows. A rule that carries `winner on impasse` orders it.
"""

from __future__ import annotations

from pbem.game import regulation, turns
from pbem.game.commands import By, NameWinner
from pbem.game.docket import Case
from pbem.game.events import CaseClosed, PlayersWon
from pbem.game.model import Refused, say
from pbem.game.move import Move, must_be_keeper
from pbem.game.state import State


def referred(state: State) -> tuple[Case, ...]:
    """The cases that only the keeper can settle: a final paradox, or nobody left to judge."""
    return tuple(case for case in state.docket.open_cases if case.stage == "keeper")


def is_locked(state: State) -> bool:
    """Whether somebody will win because the game cannot go on."""
    return state.impasse is not None or bool(referred(state))


def name_winner(move: Move, asked: NameWinner, by: By) -> None:
    """The next player unable to complete a turn wins, over every other winning rule; the keeper says who that is."""
    must_be_keeper(by, say("Only the keeper names who wins a locked game."))
    ordered = regulation.holds(move.state, "winner on impasse")
    if ordered is None:
        raise Refused("No rule in force lets anybody win a locked game.")
    if move.state.status in ("setup", "ended") or not is_locked(move.state):
        raise Refused(
            "The game is not locked: rules can be changed, no final verdict is a paradox, and no case lacks a Judge.",
            rule=ordered.rule,
        )
    player = move.state.named(asked.name)
    if player is None or not player.in_game:
        names = ", ".join(seated.name for seated in move.state.seated)
        raise Refused(
            "Nobody called %(name)s plays now. Players are: %(names)s.", name=asked.name, names=names
        )
    for case in referred(move.state):
        move.record(CaseClosed(case.number))
    move.record(PlayersWon((player.id,), ordered.rule, ordered.expression, asked.why))
    turns.settle(move)
