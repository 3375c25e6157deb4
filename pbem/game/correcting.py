"""Claims of error and corrections: nothing is edited, every correction is a new fact with its reason.

What lives here: what the keeper can take back, and the refusal where something later rests on it.
"""

from __future__ import annotations

from pbem.game import bounds, regulation, scoring, turns, voting
from pbem.game.commands import By, Claim, Correct, Rerun, Ruling, Undo, Void
from pbem.game.events import (
    BallotCast,
    BallotRetracted,
    ClaimMade,
    ImpasseFound,
    PlayerLeft,
    PlayerReturned,
    PointsAwarded,
    PointsCorrected,
    ProposalVoided,
    RuleChanged,
    Ruled,
    RuleRestored,
    VoteReopened,
    WinUndone,
)
from pbem.game.model import Moment, Refused, say
from pbem.game.move import Move, must_be_keeper
from pbem.game.proposals import Award, Proposal
from pbem.game.rulebook import resting_on, stands

_FOR_KEEPER = say("Only the keeper can do this.")


def claim(move: Move, asked: Claim, by: By) -> None:
    """A player says, within the time for it, that the last published result is wrong."""
    player = move.seat(by)
    published = [
        p.closed for p in move.state.proposals.values() if p.tally is not None and p.closed is not None
    ]
    until = max(published, default=0) + regulation.duration(move.state, "claim window")
    if not published:
        raise Refused("No result has been published yet.")
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


def rule(move: Move, asked: Ruling, by: By) -> None:
    """A decision of the keeper's, in words."""
    must_be_keeper(by, _FOR_KEEPER)
    move.record(Ruled(asked.text))


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
    """Takes one event of the log back, if nothing later rests on it."""
    must_be_keeper(by, _FOR_KEEPER)
    match asked.fact:
        case PointsAwarded(award):
            _must_stand(move, award)
            _take_points(move, award, asked.why)
        case PointsCorrected(player, points, counter, _):
            move.record(PointsCorrected(player, -points, counter, asked.why))
        case PlayerLeft(player, _, _):
            _bring_back(move, player, asked.why)
        case BallotCast() as cast:
            _take_ballot(move, cast)
        case RuleChanged(number, _, _, _):
            _restore(move, number)
        case None:
            raise Refused("There is no event %(event)d.", event=asked.event)
        case _:
            raise Refused(
                "Event %(event)d cannot be undone by itself. A proposal can be voided (“void”) or voted on again (“rerun”).",
                event=asked.event,
            )
    _look_again(move, asked.why)


def _bring_back(move: Move, player: int, why: str) -> None:
    if move.state.players[player].in_game:
        raise Refused("%(name)s is in the game.", name=move.state.players[player].name)
    move.record(PlayerReturned(player, why))


def _take_ballot(move: Move, cast: BallotCast) -> None:
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


def _must_stand(move: Move, award: Award) -> None:
    state = move.state
    given = (
        state.proposals[award.proposal].awards
        if award.proposal is not None
        else tuple(other for turn in state.turns.values() for other in turn.awards)
    )
    if award not in given:
        raise Refused("These points are taken back already.")


def _take_points(move: Move, award: Award, why: str) -> None:
    if award.counter is None or award.counter in move.state.rulebook.counters:
        move.record(PointsCorrected(award.player, -award.points, award.counter, why, award))


def _look_again(move: Move, why: str) -> None:
    """After a correction the winning rules are asked again: a win it rested on is undone, a new one is seen."""
    undone = not move.state.won_by_word and any(
        not scoring.wins(move.state, one) for one in move.state.winners
    )
    if undone:
        move.record(WinUndone(why))
    if move.state.status == "playing":
        scoring.see_who_won(move)
    if undone and move.state.status == "playing" and not move.state.in_turn:
        turns.name_next(move)


def _to_correct(move: Move, number: int | None, by: By) -> Proposal:
    must_be_keeper(by, _FOR_KEEPER)
    if number is None:
        raise Refused("Write the number of the proposal.")
    return move.proposal(number)
