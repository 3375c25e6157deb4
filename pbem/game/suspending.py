"""The game as a whole, by the keeper's word: its clocks stand still, go on, it is played on after a win, or it ends with nobody
as the winner.

What lives here: pausing, going on, playing on, calling off, and which commands a game takes meanwhile. What never may: a change of
anything else; what was to be done goes on as it was, only later.
"""

from __future__ import annotations

from pbem.game import commands, regulation, turns, voting, winning
from pbem.game.commands import By, Command
from pbem.game.events import CaseClosed, GameCalledOff, GamePaused, GameResumed, ProposalVoided, TurnContinued
from pbem.game.model import Refused, say
from pbem.game.move import Move, must_be_keeper
from pbem.game.state import State

TAKEN_IN_A_PAUSE = (
    commands.Absent,
    commands.Announce,
    commands.Back,
    commands.ChangeAddress,
    commands.Claim,
    commands.EndGame,
    commands.Forfeit,
    commands.Invite,
    commands.PassKeepership,
    commands.Pause,
    commands.Remove,
    commands.Replace,
    commands.Resume,
    commands.RetractVote,
    commands.Ruling,
    commands.Speak,
    commands.Takeover,
    commands.Vote,
)
"""What sets no clock going: ballots and words, who is there, and the keeper's word about the game itself."""
TAKEN_AFTER_THE_END = (commands.Announce, commands.Forfeit, commands.PassKeepership, commands.Speak)
"""What can still be said in a game that the keeper has ended."""

_TO_GO_ON = say("Only the keeper lets the game go on.")


def must_be_taken(state: State, asked: Command, by: By) -> None:
    """Raises Refused for what a paused game, or one that the keeper has ended, does not take."""
    said = asked.command if isinstance(asked, commands.SayFor) else asked
    if state.status == "paused" and not isinstance(said, TAKEN_IN_A_PAUSE):
        raise Refused(
            "The game is paused, so this was not done: send it again when the game goes on. Ballots and words are "
            "taken meanwhile.",
            cure=(commands.Resume(),) if by == "keeper" else (),
        )
    if state.called_off is not None and not isinstance(asked, TAKEN_AFTER_THE_END):
        raise Refused("The keeper has ended this game. Its pages stay, and nothing is played in it any more.")


def pause(move: Move, asked: commands.Pause, by: By) -> None:
    """The game's clocks stand still."""
    must_be_keeper(by, say("Only the keeper pauses the game."))
    if move.state.status == "paused":
        raise Refused("The game is paused already.", cure=(commands.Resume(),))
    move.must_play()
    move.record(GamePaused(asked.why))


def resume(move: Move, asked: commands.Resume, by: By) -> None:
    """The clocks go on from where they stood; what became due in the pause without a clock is seen to."""
    must_be_keeper(by, _TO_GO_ON)
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


def play_on(move: Move, asked: commands.Continue, by: By) -> None:
    """A game that is won goes on from where it stands, once nothing is open that may undo the win."""
    must_be_keeper(by, _TO_GO_ON)
    if move.state.status != "won":
        _nobody_has_won(move)
    _must_be_settled(move.state)
    winning.play_on(move, asked.why)
    if move.state.status != "playing":
        return
    if move.state.in_turn:
        move.record(TurnContinued(regulation.deadline(move.state, "proposal time", move.at)))
    else:
        turns.name_next(move)


def _nobody_has_won(move: Move) -> None:
    move.must_play()
    raise Refused("Nobody has won, so the game goes on as it is.")


def _must_be_settled(state: State) -> None:
    """Raises Refused, naming what is open, while the win may still be undone by it, or by a vote that is brought to its end."""
    if state.open:
        raise Refused(
            "Proposal %(number)d is still open. Write this again when it is closed.", number=state.open[0]
        )
    case = next((case for case in state.docket.open_cases if not case.stands), None)
    if case is not None:
        raise Refused(
            "Case J%(case)d is still open, and the win may yet be undone. Write this again when there is a verdict.",
            case=case.number,
        )


def end(move: Move, asked: commands.EndGame, by: By) -> None:
    """The game is over without a winner: what is open in it comes to nothing."""
    must_be_keeper(by, say("Only the keeper ends the game. To leave it, write “forfeit”."))
    if move.state.status == "won":
        raise Refused("The game has been won.")
    if move.state.status == "ended":
        raise Refused("The game has ended.")
    if not asked.why:
        raise Refused(
            "This cannot be undone. Say why, and everyone is told it.", cure=(commands.EndGame("…"),)
        )
    for proposal in move.state.open_proposals:
        move.record(ProposalVoided(proposal.number, asked.why))
    for case in move.state.docket.open_cases:
        move.record(CaseClosed(case.number))
    move.record(GameCalledOff(asked.why))
