"""Who has won (208): asked when a change takes effect, after each award, and again after a correction or a ruling; and what becomes of a win after which the game is played on.

What lives here: the look for winners. What never may: a win that the keeper names (impasse.py), or points.
"""

from __future__ import annotations

from pbem.game import regulation
from pbem.game.events import GameContinued, PlayersWon, WinnersFreed, WinUndone
from pbem.game.move import Move
from pbem.game.regulation import Answer
from pbem.game.state import State


def see_who_won(move: Move) -> None:
    """Asks every rule that names a winner about every player still in (208); any true one wins, once. Who has won before is
    passed over until no rule names them any more."""
    state = move.state
    if state.status != "playing":
        return
    met = {player.id: answer for player in state.seated if (answer := wins(state, player.id))}
    freed = tuple(p.id for p in state.seated if p.id in state.passed_over and p.id not in met)
    if freed:
        move.record(WinnersFreed(freed))
    found = {player: answer for player, answer in met.items() if player not in state.passed_over}
    if found:
        first = next(iter(found.values()))
        move.record(PlayersWon(tuple(found), first.rule, first.expression))


def look_again(move: Move, why: str) -> bool:
    """After a correction or a ruling: a win that nothing bears any more is undone, and a new one seen. Whether the game
    goes on that was won."""
    undone = not move.state.won_by_word and any(not wins(move.state, one) for one in move.state.winners)
    if undone:
        move.record(WinUndone(why))
    see_who_won(move)
    return undone and move.state.status == "playing"


def play_on(move: Move, why: str) -> None:
    """The game that is won goes on; who meets what wins by now and has not won, wins at once."""
    state = move.state
    passed_over = tuple(player for player in state.winners if wins(state, player))
    move.record(GameContinued(state.winners, state.turn, passed_over, why))
    see_who_won(move)


def wins(state: State, player: int) -> Answer | None:
    """What makes the player a winner as things stand, None if nothing does."""
    facts = regulation.player_facts(state, state.players[player])
    answers = regulation.ask_each(state, "wins when", facts)
    return next((answer for answer in answers if answer.value is True), None)
