"""The keeper's remedies when the game waits for somebody who is silent: more time, or on without them.

What lives here: the keeper's words about a deadline. Each is refused when the stage it is about is over, and is
written down with its reason.
"""

from __future__ import annotations

from pbem.game import proposing, regulation, silence, turns, voting
from pbem.game.commands import Abstain, By, CallVote, CloseVote, Extend, PassTurn
from pbem.game.events import DeadlineExtended, Remedied
from pbem.game.model import OPEN_STAGES, Moment, Refused, Say, say
from pbem.game.move import Move, must_be_keeper
from pbem.game.proposals import Proposal, Remedy, RemedyKind


def extend(move: Move, asked: Extend, by: By) -> None:
    """More time, from the deadline on or, if that has passed, from now on."""
    _must_go_on(move, by, say("Only the keeper gives more time."))
    number = _awaited(move) if asked.number is None else asked.number
    term = move.state.term
    if number is not None:
        term = _current(move, number, *OPEN_STAGES).term
    if term is None:
        raise Refused("Nothing waits for a deadline there now, so there is none to extend.")
    until = regulation.later(move.state, max(move.at, term.until), asked.time)
    if until <= max(move.at, term.until):
        raise Refused("Write how much longer, for instance 12h or 2d.")
    move.record(DeadlineExtended(number, until, asked.why))


def close(move: Move, asked: CloseVote, by: By) -> None:
    """The vote is counted as it stands: by the calendar when its time is over, or by the keeper's word."""
    if by != "clock":
        _must_go_on(move, by, say("Only the keeper closes a vote."))
    proposal = _voted_on(move, asked.number)
    if proposal.number in move.state.held or asked.outcome is not None:
        _decide(move, proposal, asked)
        return
    if by == "keeper":
        _remedied(move, proposal, "close", asked.why)
    voting.close(move, proposal.number)


def _decide(move: Move, proposal: Proposal, asked: CloseVote) -> None:
    """The outcome by the keeper's word, where the rules in force cannot tell it, and only there."""
    number = proposal.number
    if number not in move.state.held:
        raise Refused(
            "The ballots on proposal %(number)d decide it, by the rules in force. To count them now, close it "
            "without saying how it ends.",
            cure=(CloseVote(number, asked.why),),
            number=number,
        )
    if asked.outcome is None:
        raise Refused(
            "The rules in force cannot tell how proposal %(number)d ends. Say which it is.",
            cure=(CloseVote(number, asked.why, "adopted"), CloseVote(number, asked.why, "defeated")),
            number=number,
        )
    voting.decided(move, proposal, asked.outcome, asked.why)


def abstain(move: Move, asked: Abstain, by: By) -> None:
    """Whoever has cast no ballot leaves the vote, and it is counted."""
    required = say(
        "A ballot is for or against; nobody abstains. Only the keeper counts those as abstaining who are silent."
    )
    _must_go_on(move, by, required)
    proposal = _voted_on(move, asked.number)
    if proposal.number in move.state.held:
        _decide(move, proposal, CloseVote(proposal.number, asked.why))
    if not proposal.missing:
        raise Refused("Everyone has voted on proposal %(number)d.", number=proposal.number)
    _remedied(move, proposal, "abstain", asked.why)
    voting.close(move, proposal.number)


def call_vote(move: Move, asked: CallVote, by: By) -> None:
    """The proponent ends the debate (111), or the keeper in the place of one who is silent."""
    if by != "keeper":
        proposing.call_vote(move, asked, by)
        return
    move.must_go_on()
    number = _only(move, "debate") if asked.number is None else asked.number
    proposal = _current(move, number, "debate")
    _remedied(move, proposal, "open vote", asked.why)
    proposing.open_vote(move, proposal)


def pass_turn(move: Move, asked: PassTurn, by: By) -> None:
    """The turn goes on to the next player, if nothing in it is open."""
    _must_go_on(move, by, say("Only the keeper passes a turn on. Yours ends with “end turn”."))
    if move.state.open:
        raise Refused(
            "Proposal %(number)d is open. The turn can be passed on when it is closed.",
            number=move.state.open[0],
        )
    if move.state.docket.waits:
        raise Refused("The next turn waits for consent. When you consent as the keeper, it can begin.")
    if not move.state.in_turn:
        turns.begin(move)
    player = move.state.turns[move.state.turn].player
    departs_from = regulation.rule_for(move.state, "turn order")
    remedy = Remedy("pass turn", (player,), by_keeper=True, departs_from=departs_from, why=asked.why)
    move.record(Remedied(None, remedy))
    turns.end(move)


def _must_go_on(move: Move, by: By, otherwise: Say) -> None:
    """Raises Refused unless the keeper asks, in a game that is under way."""
    must_be_keeper(by, otherwise)
    move.must_go_on()


def _awaited(move: Move) -> int | None:
    """The proposal that the game waits for, None when it waits for one to be made."""
    return None if not move.state.open else _only(move, *OPEN_STAGES)


def _only(move: Move, *stages: str) -> int:
    """The one proposal in one of these stages. Raises Refused."""
    numbers = [proposal.number for proposal in move.state.open_proposals if proposal.stage in stages]
    if not numbers:
        raise Refused("No proposal is at that stage now.")
    if len(numbers) > 1:
        raise Refused("Say which proposal: %(numbers)s.", numbers=", ".join(map(str, numbers)))
    return numbers[0]


def _voted_on(move: Move, number: int | None) -> Proposal:
    """The proposal whose vote is open: the one named, or the only one. Raises Refused."""
    return _current(move, _only(move, "voting") if number is None else number, "voting")


def _current(move: Move, number: int, *stages: str) -> Proposal:
    """The proposal, if it is in one of these stages. Raises Refused."""
    proposal = move.proposal(number)
    if proposal.stage in stages:
        return proposal
    if proposal.stage == "debate":
        raise Refused("Proposal %(number)d is still being debated; its vote has not opened.", number=number)
    if proposal.stage == "voting":
        raise Refused("The vote on proposal %(number)d is open already.", number=number)
    if proposal.closed is None:
        raise Refused("Proposal %(number)d is closed.", number=number)
    raise Refused("Proposal %(number)d was closed %(when)s.", number=number, when=Moment(proposal.closed))


def _remedied(move: Move, proposal: Proposal, what: RemedyKind, why: str) -> None:
    silent = silence.waiting_for(move.state, proposal.number)
    of_a_vote = proposal.stage == "voting" and silent
    departs_from = regulation.rule_for(move.state, "ballot required") if of_a_vote else None
    move.record(
        Remedied(proposal.number, Remedy(what, silent, by_keeper=True, departs_from=departs_from, why=why))
    )
