"""Turns and circuits (201, 202): who is next, when a turn begins, when it is over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pbem.game import regulation, scoring
from pbem.game.commands import By, EndTurn, Start
from pbem.game.events import GameStarted, NextNamed, TurnBegan, TurnContinued, TurnEnded
from pbem.game.model import OPEN_STAGES, Player, Refused, say
from pbem.game.move import Move, must_be_keeper
from pbem.game.state import State

_SWEDISH = str.maketrans("åäöÅÄÖæøÆØ", "{|}{|}|}|}")


def surname_key(name: str) -> tuple[str, str]:
    """The last word of a name, then the whole, in Swedish order of letters (å ä ö last)."""
    folded = name.translate(_SWEDISH).casefold()
    return folded.split()[-1] if folded.split() else "", folded


_ORDERS: dict[str, Callable[[Player], Any]] = {
    "surname": lambda player: surname_key(player.name),
    "name": lambda player: surname_key(player.name)[1],
    "joined": lambda player: player.id,
    "score": lambda player: (-player.score, surname_key(player.name)),
}


def order(state: State, *also: Player) -> tuple[Player, ...]:
    """The players in the game, and others `also`, in turn order (201); as they joined when no rule gives an order."""
    answer = regulation.ask(state, "turn order")
    key = _ORDERS[str(answer.value) if answer else "joined"]
    players = {player.id: player for player in (*also, *state.seated)}
    return tuple(sorted(players.values(), key=key))


def following(state: State) -> tuple[Player | None, int]:
    """Who plays after the present turn, and in which circuit.

    Everyone in the game has one turn a circuit: first those after the present player, then those before.
    """
    players = order(state)
    if not players:
        return None, state.circuit
    current = state.current.player if state.current else None
    place = next((i for i, player in enumerate(players) if player.id == current), -1)
    waiting = [p for p in (*players[place + 1 :], *players[: place + 1]) if p.id not in state.played]
    return (waiting[0], max(state.circuit, 1)) if waiting else (players[0], state.circuit + 1)


def start(move: Move, _: Start, by: By) -> None:
    """The keeper starts the game: the first turn begins."""
    must_be_keeper(by, say("Only the keeper starts the game."))
    if move.state.status != "setup":
        raise Refused("The game has already started.")
    if len(move.state.seated) < 2:
        raise Refused("A game needs at least two players. Invite some more first.")
    move.record(GameStarted())
    begin(move)


def begin(move: Move) -> None:
    """The next turn begins, with the player whose it is."""
    player, circuit = following(move.state)
    if player is not None:
        until = regulation.deadline(move.state, "proposal time", move.at)
        move.record(TurnBegan(move.state.turn + 1, circuit, player.id, until))


def end_turn(move: Move, _: EndTurn, by: By) -> None:
    """The player on turn ends it, once something has been voted on (202)."""
    move.must_play()
    player = move.seat(by)
    current = move.state.current
    if current is None or not move.state.in_turn or current.player != player.id:
        raise Refused("You are not on turn, so there is no turn of yours to end.")
    stages = [move.state.proposals[number].stage for number in current.proposals]
    if any(stage in OPEN_STAGES for stage in stages):
        raise Refused("Your turn cannot end while a proposal made in it is open.")
    if not any(stage in ("adopted", "defeated") for stage in stages):
        raise Refused(
            "A turn holds a proposal that is voted on. Propose first.",
            rule=regulation.rule_for(move.state, "proposals per turn"),
        )
    end(move)


def settle(move: Move) -> None:
    """Ends the turn if its proposals are closed and as many have been voted on as the rules give (202).

    Between two turns, when a vote that was held again is closed, the time of the next player begins anew."""
    if move.state.status not in ("playing", "won"):
        return
    if not move.state.in_turn:
        if move.state.status == "playing" and not move.state.open and move.state.term is None:
            name_next(move)
        return
    current = move.state.turns[move.state.turn]
    proposals = [move.state.proposals[number] for number in current.proposals]
    if any(proposal.stage in OPEN_STAGES for proposal in proposals):
        return
    if _is_over(move.state):
        end(move)
    else:
        move.record(TurnContinued(regulation.deadline(move.state, "proposal time", move.at)))


def _is_over(state: State) -> bool:
    """Whether nothing more is to come in the turn that is being played, once its proposals are closed."""
    current = state.turns[state.turn]
    player = state.players[current.player]
    proposals = [state.proposals[number] for number in current.proposals]
    done = sum(p.proponent == player.id and p.stage in ("adopted", "defeated") for p in proposals)
    full = done >= regulation.allowance(state, player)
    return not player.in_game or full or state.status == "won"


def follow(move: Move, *, goes_on: bool) -> None:
    """After a correction or a ruling: a turn that is full by now ends, and a game that was won goes on (`goes_on`)."""
    state = move.state
    if state.open or state.status not in ("playing", "won"):
        return
    if state.in_turn and state.turns[state.turn].proposals and _is_over(state):
        end(move)
    elif goes_on and not state.in_turn:
        name_next(move)


def end(move: Move) -> None:
    """The present turn is over; the next one waits for its player's first proposal."""
    scoring.happened(move, ("turn end",), {"player": (move.state.turns[move.state.turn].player,)})
    player, circuit = following(move.state)
    if circuit != move.state.circuit:
        scoring.happened(move, ("circuit end",), {})
    if move.state.status == "won":
        move.record(TurnEnded(move.state.turn, None, circuit, None))
        return
    opens = move.at + regulation.duration(move.state, "dispute time")
    until = regulation.deadline(move.state, "proposal time", opens)
    move.record(TurnEnded(move.state.turn, player.id if player else None, circuit, until))


def opens(state: State) -> int | None:
    """When the next turn may begin, if the time for disputes over the last one keeps it from doing so now (UTC µs)."""
    ended = state.current.ended if state.current is not None else None
    if ended is None:
        return None
    at = regulation.after(state, "dispute time", ended, state.at)
    return at if at > state.at else None


def name_next(move: Move) -> None:
    """Who plays next is found anew, when it changes between two turns."""
    player, circuit = following(move.state)
    until = regulation.deadline(move.state, "proposal time", opens(move.state) or move.at)
    move.record(NextNamed(player.id if player else None, circuit, until))
