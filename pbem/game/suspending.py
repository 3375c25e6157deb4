"""The game as a whole, by the keeper's word: its clocks stand still, go on, or it ends with nobody as the winner.

What lives here: pausing, going on, calling off, and which commands a game takes meanwhile. What never may: a change of
anything else; what was to be done goes on as it was, only later.
"""

from __future__ import annotations

from pbem.game import turns, voting
from pbem.game.commands import (
    Absent,
    Announce,
    Back,
    By,
    ChangeAddress,
    Claim,
    Command,
    EndGame,
    Forfeit,
    Invite,
    PassKeepership,
    Pause,
    Remove,
    Replace,
    Resume,
    RetractVote,
    Ruling,
    SayFor,
    Speak,
    Takeover,
    Vote,
)
from pbem.game.events import CaseClosed, GameCalledOff, GamePaused, GameResumed, ProposalVoided
from pbem.game.model import Refused, say
from pbem.game.move import Move, must_be_keeper
from pbem.game.state import State

TAKEN_IN_A_PAUSE = (
    Absent,
    Announce,
    Back,
    ChangeAddress,
    Claim,
    EndGame,
    Forfeit,
    Invite,
    PassKeepership,
    Pause,
    Remove,
    Replace,
    Resume,
    RetractVote,
    Ruling,
    Speak,
    Takeover,
    Vote,
)
"""What sets no clock going: ballots and words, who is there, and the keeper's word about the game itself."""
TAKEN_AFTER_THE_END = (Announce, Forfeit, PassKeepership, Speak)
"""What can still be said in a game that the keeper has ended."""


def must_be_taken(state: State, asked: Command, by: By) -> None:
    """Raises Refused for what a paused game, or one that the keeper has ended, does not take."""
    said = asked.command if isinstance(asked, SayFor) else asked
    if state.status == "paused" and not isinstance(said, TAKEN_IN_A_PAUSE):
        raise Refused(
            "The game is paused, so this was not done: send it again when the game goes on. Ballots and words are "
            "taken meanwhile.",
            cure=(Resume(),) if by == "keeper" else (),
        )
    if state.called_off is not None and not isinstance(asked, TAKEN_AFTER_THE_END):
        raise Refused("The keeper has ended this game. Its pages stay, and nothing is played in it any more.")


def pause(move: Move, asked: Pause, by: By) -> None:
    """The game's clocks stand still."""
    must_be_keeper(by, say("Only the keeper pauses the game."))
    if move.state.status == "paused":
        raise Refused("The game is paused already.", cure=(Resume(),))
    move.must_play()
    move.record(GamePaused(asked.why))


def resume(move: Move, asked: Resume, by: By) -> None:
    """The clocks go on from where they stood; what became due in the pause without a clock is seen to."""
    must_be_keeper(by, say("Only the keeper lets the game go on."))
    pause = move.state.pause
    if pause is None:
        raise Refused("The game is not paused.")
    move.record(GameResumed(pause.since, move.at, asked.why))
    for proposal in move.state.open_proposals:
        if proposal.stage == "voting":
            voting.complete(move, proposal.number)
    _see_to_turn(move)


def _see_to_turn(move: Move) -> None:
    """Whoever was to move may have left in the pause, or their proposal been withdrawn with them."""
    state = move.state
    gone = state.on_turn is None or not state.players[state.on_turn].in_game
    if state.in_turn:
        if gone or (state.term is None and not state.open):
            turns.settle(move)
    elif gone or (state.term is None and not state.open and not state.docket.waits):
        turns.name_next(move)


def end(move: Move, asked: EndGame, by: By) -> None:
    """The game is over without a winner: what is open in it comes to nothing."""
    must_be_keeper(by, say("Only the keeper ends the game. To leave it, write “forfeit”."))
    if move.state.status == "won":
        raise Refused("The game has been won.")
    if move.state.status == "ended":
        raise Refused("The game has ended.")
    if not asked.why:
        raise Refused("This cannot be undone. Say why, and everyone is told it.", cure=(EndGame("…"),))
    for proposal in move.state.open_proposals:
        move.record(ProposalVoided(proposal.number, asked.why))
    for case in move.state.docket.open_cases:
        move.record(CaseClosed(case.number))
    move.record(GameCalledOff(asked.why))
