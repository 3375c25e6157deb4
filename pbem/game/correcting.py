"""Claims of error and corrections: nothing is edited, every correction is a new fact with its reason.

What lives here: what the keeper can take back, and the refusal where something later rests on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pbem.game import bounds, regulation, rulings, scoring, turns, voting, winning
from pbem.game.commands import By, Claim, Correct, Rerun, Undo, Void
from pbem.game.events import (
    BallotCast,
    BallotRetracted,
    ClaimMade,
    ClauseRuled,
    EventUndone,
    ImpasseFound,
    PlayerLeft,
    PlayerReturned,
    PointsAwarded,
    PointsCorrected,
    ProposalVoided,
    RuleChanged,
    RuleRestored,
    VoteReopened,
)
from pbem.game.model import Moment, Refused, say
from pbem.game.move import Move, must_be_keeper
from pbem.game.proposals import Award, Proposal
from pbem.game.rulebook import resting_on, stands
from pbem.game.state import State

_FOR_KEEPER = say("Only the keeper can do this.")


def claim(move: Move, asked: Claim, by: By) -> None:
    """A player says, within the time for it, that the last published result is wrong."""
    player = move.seat(by)
    published = [
        p.closed for p in move.state.proposals.values() if p.tally is not None and p.closed is not None
    ]
    if not published:
        raise Refused("No result has been published yet.")
    until = regulation.after(move.state, "claim window", max(published), move.at)
    if move.at > until:
        raise Refused("The time for claims was over %(when)s; the result stands.", when=Moment(until))
    move.record(ClaimMade(move.state.claims + 1, player.id, move.state.turn, asked.text))


def correct(move: Move, asked: Correct, by: By) -> None:
    """Points given or taken back by the keeper; a win may follow, or be undone."""
    must_be_keeper(by, _FOR_KEEPER)
    player = move.state.named(asked.name)
    if player is None:
        names = ", ".join(known.name for known in move.state.players.values())
        raise Refused(
            "There is no player called %(name)s. Players are: %(names)s.", name=asked.name, names=names
        )
    if not asked.points:
        raise Refused("Write how many points, for instance +5 or -5.")
    move.record(PointsCorrected(player.id, asked.points, None, asked.why))
    _look_again(move, asked.why)


def void(move: Move, asked: Void, by: By) -> None:
    """The proposal counts as never made: its change is undone, its points are taken back, its number stays spent."""
    proposal = _to_correct(move, asked.number, by)
    if proposal.stage in ("void", "withdrawn"):
        stage = say("void") if proposal.stage == "void" else say("withdrawn")
        raise Refused("Proposal %(number)d is %(stage)s already.", number=proposal.number, stage=stage)
    _take_back(move, proposal, asked.why)
    move.record(ProposalVoided(proposal.number, asked.why))
    _look_again(move, asked.why)
    turns.settle(move)


def rerun(move: Move, asked: Rerun, by: By) -> None:
    """The vote is held again: what followed from it is undone, and everyone eligible now votes anew."""
    proposal = _to_correct(move, asked.number, by)
    if proposal.stage not in ("voting", "adopted", "defeated"):
        raise Refused("Proposal %(number)d has had no vote to hold again.", number=proposal.number)
    _take_back(move, proposal, asked.why)
    until = regulation.deadline(move.state, "voting time", move.at)
    move.record(VoteReopened(proposal.number, regulation.electorate(move.state), until, asked.why))
    _look_again(move, asked.why)
    voting.complete(move, proposal.number)


def undo(move: Move, asked: Undo, by: By) -> None:
    """Takes one event of the log back, once, if nothing later rests on it."""
    must_be_keeper(by, _FOR_KEEPER)
    if asked.fact is None:
        raise Refused("There is no event %(event)d.", event=asked.event)
    take_back = _UNDOING.get(type(asked.fact))
    if take_back is None:
        raise Refused(
            "Event %(event)d cannot be undone by itself. A proposal can be voided (“void”) or voted on again (“rerun”).",
            event=asked.event,
        )
    if asked.event in move.state.undone:
        raise Refused("Event %(event)d is taken back already.", event=asked.event)
    move.record(EventUndone(asked.event))
    take_back(move, asked.fact, asked.why)
    _look_again(move, asked.why)


def _undo_award(move: Move, fact: PointsAwarded, why: str) -> None:
    if fact.award not in _given(move.state, fact.award):
        raise Refused("These points are taken back already.")
    _take_points(move, fact.award, why)


def _given(state: State, award: Award) -> tuple[Award, ...]:
    """The awards that still stand, of the proposal or turn that this one was for."""
    if award.proposal is not None:
        return state.proposals[award.proposal].awards
    return state.turns[award.turn].awards if award.turn in state.turns else ()


def _undo_correction(move: Move, fact: PointsCorrected, why: str) -> None:
    """What an earlier correction took from an award is awarded again."""
    if fact.award is not None:
        _must_be_due(move.state, fact.award)
        move.record(PointsAwarded(fact.award))
    else:
        move.record(PointsCorrected(fact.player, -fact.points, fact.counter, why))


def _must_be_due(state: State, award: Award) -> None:
    """Raises Refused where the vote that the award was for does not count any more."""
    proposal = state.proposals[award.proposal] if award.proposal is not None else None
    if proposal is not None and proposal.tally is None:
        raise Refused(
            "Proposal %(number)d has no outcome now that anything is given for.", number=proposal.number
        )
    if proposal is not None and proposal.stage == "void":
        raise Refused("Proposal %(number)d is void, so nothing is given for it.", number=proposal.number)


def _undo_leaving(move: Move, fact: PlayerLeft, why: str) -> None:
    player, ended = move.state.players[fact.player], move.state.status == "ended"
    if player.in_game:
        raise Refused("%(name)s is in the game.", name=player.name)
    move.record(PlayerReturned(player.id, why))
    if ended and move.state.status == "playing" and not move.state.in_turn:
        turns.name_next(move)


def _undo_change(move: Move, fact: RuleChanged, _: str) -> None:
    _restore(move, fact.number)


def _undo_ruling(move: Move, fact: ClauseRuled, why: str) -> None:
    """The rule carries what it did before the ruling, if it has not changed since."""
    rule = move.state.rulebook.standing(fact.rule.number)
    if rule is None or rule.now != fact.rule:
        raise Refused("Rule %(number)d has changed since; rule anew instead.", number=fact.rule.number)
    rulings.put_in_force(move, fact.before, fact.clause, why)


def _undo_ballot(move: Move, cast: BallotCast, _: str) -> None:
    proposal = move.state.proposals[cast.number]
    ballot = proposal.ballots.get(cast.player)
    if proposal.stage != "voting" or ballot is None:
        raise Refused("The vote on proposal %(number)d is over; “rerun” holds it again.", number=cast.number)
    if (ballot.choice, ballot.said) != (cast.choice, cast.said):
        raise Refused("That ballot was changed later, and does not count any more.")
    move.record(BallotRetracted(cast.number, cast.player))


def _take_back(move: Move, proposal: Proposal, why: str) -> None:
    """Undoes what followed from a vote: the change of the rulebook, then the points."""
    if proposal.stage == "adopted" and stands(move.state.rulebook, proposal.number):
        _restore(move, proposal.number)
    for award in proposal.awards:
        _take_points(move, award, why)


def _restore(move: Move, number: int) -> None:
    if not stands(move.state.rulebook, number):
        raise Refused("What proposal %(number)d changed is undone already.", number=number)
    later = resting_on(move.state.rulebook, number)
    if later is not None:
        raise Refused(
            "Proposal %(later)d rests on proposal %(number)d: undo that one first.",
            later=later,
            number=number,
        )
    counters = move.state.rulebook.counters
    move.record(RuleRestored(number))
    if not bounds.can_change(move.state):
        move.record(ImpasseFound(number))
    scoring.keep_counters(move, counters)


def _take_points(move: Move, award: Award, why: str) -> None:
    if award.counter is None or award.counter in move.state.rulebook.counters:
        move.record(PointsCorrected(award.player, -award.points, award.counter, why, award))


def _look_again(move: Move, why: str) -> None:
    turns.follow(move, goes_on=winning.look_again(move, why))


def _to_correct(move: Move, number: int | None, by: By) -> Proposal:
    must_be_keeper(by, _FOR_KEEPER)
    if number is None:
        raise Refused("Write the number of the proposal.")
    return move.proposal(number)


_UNDOING: Mapping[type[Any], Callable[[Move, Any, str], None]] = {
    PointsAwarded: _undo_award,
    PointsCorrected: _undo_correction,
    PlayerLeft: _undo_leaving,
    BallotCast: _undo_ballot,
    RuleChanged: _undo_change,
    ClauseRuled: _undo_ruling,
}
"""What can be taken back by itself, and how."""
