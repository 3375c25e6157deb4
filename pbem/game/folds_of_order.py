"""What each fact of order makes of a state: silence and its remedies, absence, cases, claims, corrections.

What lives here: one function for each kind of fact. What never may: a judgment; a fact is taken as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

from immutables import Map

from pbem.game import docket, events, rulebook
from pbem.game.docket import Recorded
from pbem.game.proposals import Award, Ballot, Correction, Proposal, Reversal
from pbem.game.state import (
    State,
    paid,
    renewed,
    stall,
    term,
    with_proposal,
    with_rulebook,
    with_step,
    with_term,
)


def _claim_made(state: State, fact: events.ClaimMade, _: Recorded) -> State:
    return renewed(state, claims=fact.claim)


def _unchanged(state: State, *_: Any) -> State:
    """Words to people alone."""
    return state


def _points_corrected(state: State, fact: events.PointsCorrected, moment: Recorded) -> State:
    made = Correction(fact.player, fact.points, fact.counter, fact.why, moment.at, fact.award)
    corrected = paid(state, fact.player, fact.counter, fact.points)
    corrected = renewed(corrected, corrections=(*state.corrections, made))
    return corrected if fact.award is None else _without(corrected, fact.award)


def _without(state: State, award: Award) -> State:
    """The state in which the award is none of its proposal's, or of its turn's, any more."""
    if award.proposal is not None:
        kept = _less(state.proposals[award.proposal].awards, award)
        return with_proposal(state, award.proposal, awards=kept)
    turn = state.turns[award.turn]
    kept = _less(turn.awards, award)
    return renewed(state, turns=state.turns.set(turn.number, replace(turn, awards=kept)))


def _less(awards: tuple[Award, ...], award: Award) -> tuple[Award, ...]:
    """The awards but one; of several that are equal, only one was taken back."""
    place = awards.index(award)
    return awards[:place] + awards[place + 1 :]


def _event_undone(state: State, fact: events.EventUndone, _: Recorded) -> State:
    return renewed(state, undone=state.undone | {fact.event})


def _clause_ruled(state: State, fact: events.ClauseRuled, moment: Recorded) -> State:
    """What was said of the clauses that the rule had is settled; they are asked anew."""
    book = rulebook.ruled(state.rulebook, fact, turn=state.turn, at=moment.at)
    failed = frozenset(each for each in state.failed if each[1] != fact.rule.number)
    return renewed(with_rulebook(state, book, fact.rule.number), impasse=None, failed=failed)


def _rule_restored(state: State, fact: events.RuleRestored, _: Recorded) -> State:
    return renewed(state, rulebook=rulebook.restored(state.rulebook, fact.number), impasse=None)


def _proposal_voided(state: State, fact: events.ProposalVoided, moment: Recorded) -> State:
    proposal = state.proposals[fact.number]
    closed = proposal.closed or moment.at
    return with_proposal(
        _uncredited(state, fact.number),
        fact.number,
        stage="void",
        reversals=_reversed(proposal, "void", fact.why, moment),
        closed=closed,
        term=None,
        closes=None,
        awards=(),
    )


def _reversed(
    proposal: Proposal, what: Literal["void", "rerun"], why: str, moment: Recorded
) -> tuple[Reversal, ...]:
    return (*proposal.reversals, Reversal(what, moment.at, why, proposal.stage, proposal.tally))


def _uncredited(state: State, number: int) -> State:
    """The state in which the proposal is none that its proponent had adopted."""
    proposal = state.proposals[number]
    if proposal.stage != "adopted":
        return state
    player = state.players[proposal.proponent]
    poorer = replace(player, proposals_adopted=player.proposals_adopted - 1)
    return renewed(state, players=state.players.set(player.id, poorer))


def _vote_reopened(state: State, fact: events.VoteReopened, moment: Recorded) -> State:
    """The time to propose does not run while the vote is held again."""
    proposal = state.proposals[fact.number]
    reopened = with_proposal(
        _uncredited(state, fact.number),
        fact.number,
        stage="voting",
        reversals=_reversed(proposal, "rerun", fact.why, moment),
        opened=moment.at,
        term=term(moment, fact.until),
        closes=None,
        closed=None,
        electorate=Map(fact.electorate),
        ballots=Map(),
        remedies=(),
        settled=Map(),
        tally=None,
        awards=(),
        failures=(),
        without_effect=None,
        kept_by=None,
    )
    still_open = tuple(sorted({*state.open, fact.number}))
    return renewed(
        reopened,
        open=still_open,
        held=state.held.delete(fact.number) if fact.number in state.held else state.held,
        term=None,
    )


def _player_returned(state: State, fact: events.PlayerReturned, _: Recorded) -> State:
    """A game that ended because nobody played any more goes on from where it was."""
    back = replace(state.players[fact.player], status="active", absent_until=None)
    status = state.status
    if status == "ended":
        status = "won" if state.winners else "playing" if state.turn else "setup"
    return renewed(state, status=status, players=state.players.set(back.id, back))


def _win_undone(state: State, _: events.WinUndone, __: Recorded) -> State:
    return renewed(state, status="playing", winners=(), won_by_word=False)


def _turn_continued(state: State, fact: events.TurnContinued, moment: Recorded) -> State:
    return with_term(state, None, term(moment, fact.until))


def _reminded(state: State, fact: events.Reminded, _: Recorded) -> State:
    return with_step(state, fact.number, reached=fact.step)


def _deadline_passed(state: State, fact: events.DeadlinePassed, _: Recorded) -> State:
    return with_step(state, fact.number, reached="deadline", grace=fact.grace)


def _grace_over(state: State, fact: events.GraceOver, _: Recorded) -> State:
    stalled = renewed(state, stalls=(*state.stalls, stall(state, fact.number)))
    return with_step(stalled, fact.number, reached="grace over")


def _deadline_extended(state: State, fact: events.DeadlineExtended, moment: Recorded) -> State:
    return with_term(state, fact.number, term(moment, fact.until))


def _heard(state: State, fact: Any, moment: Recorded) -> State:
    """A fact about cases, or about the consent to the next turn (212)."""
    heard = docket.FOLDS[type(fact)](state.docket, fact, moment)
    return renewed(state, docket=heard)


def _consent_asked(state: State, fact: events.ConsentAsked, moment: Recorded) -> State:
    """The next player's time does not run while the others are asked."""
    return renewed(_heard(state, fact, moment), term=None)


def _consent_reached(state: State, fact: events.ConsentReached, moment: Recorded) -> State:
    return renewed(_heard(state, fact, moment), term=term(moment, fact.until))


def _remedied(state: State, fact: events.Remedied, moment: Recorded) -> State:
    """The remedy is remembered where it is shown; out of a vote, or with a ballot, are those it is about."""
    if fact.number is None:
        turn = state.turns[state.turn]
        remedied = replace(turn, remedies=(*turn.remedies, fact.remedy))
        return renewed(state, turns=state.turns.set(turn.number, remedied))
    proposal = state.proposals[fact.number]
    electorate, ballots = proposal.electorate, proposal.ballots
    for player in fact.remedy.players:
        if fact.remedy.what == "abstain":
            electorate = electorate.delete(player)
        elif fact.remedy.what in ("for", "against"):
            ballots = ballots.set(player, Ballot(fact.remedy.what, moment.at, "", silent=True))
    remedies = (*proposal.remedies, fact.remedy)
    return with_proposal(state, fact.number, electorate=electorate, ballots=ballots, remedies=remedies)


def _player_absent(state: State, fact: events.PlayerAbsent, _: Recorded) -> State:
    away = replace(state.players[fact.player], status="absent", absent_until=fact.until)
    used = state.absences.set(fact.player, fact.used)
    return renewed(state, players=state.players.set(away.id, away), absences=used)


def _player_back(state: State, fact: events.PlayerBack, _: Recorded) -> State:
    back = replace(state.players[fact.player], status="active", absent_until=None)
    used = state.absences.set(fact.player, fact.used)
    return renewed(state, players=state.players.set(back.id, back), absences=used)


def _seat_taken(state: State, fact: events.SeatTaken, moment: Recorded) -> State:
    player = state.players[fact.player]
    before = (*player.before, (moment.at, player.name))
    taken = replace(player, name=fact.name, status="active", absent_until=None, before=before)
    keeper = None if state.keeper == taken.id else state.keeper
    return renewed(state, players=state.players.set(taken.id, taken), keeper=keeper)


def _keepership_passed(state: State, fact: events.KeepershipPassed, _: Recorded) -> State:
    return renewed(state, keeper=fact.player)


def _keeper_seated(state: State, fact: events.KeeperSeated, _: Recorded) -> State:
    return renewed(state, keeper=fact.player)


FOLDS: dict[type[Any], Callable[[State, Any, Recorded], State]] = {
    events.ClaimMade: _claim_made,
    events.Ruled: _unchanged,
    events.Announced: _unchanged,
    events.KeepershipPassed: _keepership_passed,
    events.KeeperSeated: _keeper_seated,
    events.SpokenFor: _unchanged,
    events.GuestInvited: _unchanged,
    events.PlayerAdmitted: _unchanged,
    events.AddressChanged: _unchanged,
    events.ClauseRuled: _clause_ruled,
    events.EventUndone: _event_undone,
    events.PointsCorrected: _points_corrected,
    events.RuleRestored: _rule_restored,
    events.ProposalVoided: _proposal_voided,
    events.VoteReopened: _vote_reopened,
    events.PlayerReturned: _player_returned,
    events.WinUndone: _win_undone,
    events.TurnContinued: _turn_continued,
    events.Reminded: _reminded,
    events.DeadlinePassed: _deadline_passed,
    events.GraceOver: _grace_over,
    events.Remedied: _remedied,
    events.DeadlineExtended: _deadline_extended,
    events.PlayerAbsent: _player_absent,
    events.PlayerBack: _player_back,
    events.SeatAsked: _unchanged,
    events.SeatTaken: _seat_taken,
    **dict.fromkeys(docket.FOLDS, _heard),
    events.ConsentAsked: _consent_asked,
    events.ConsentReached: _consent_reached,
}
