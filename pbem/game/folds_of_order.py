"""What each fact of order makes of a state: silence and its remedies, absence, cases, claims, corrections.

What lives here: one function for each kind of fact. What never may: a judgment; a fact is taken as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from immutables import Map

from pbem.game import docket, events, rulebook
from pbem.game.docket import Recorded
from pbem.game.proposals import Award, Ballot
from pbem.game.state import State, paid, renewed, stall, term, with_proposal, with_step, with_term


def _claim_made(state: State, fact: events.ClaimMade, _: Recorded) -> State:
    return renewed(state, claims=fact.claim)


def _unchanged(state: State, *_: Any) -> State:
    """Words to people alone."""
    return state


def _points_corrected(state: State, fact: events.PointsCorrected, _: Recorded) -> State:
    corrected = paid(state, fact.player, fact.counter, fact.points)
    return corrected if fact.award is None else _without(corrected, fact.award)


def _without(state: State, award: Award) -> State:
    """The state in which the award is none of its proposal's, or of its turn's, any more."""
    if award.proposal is not None:
        kept = tuple(other for other in state.proposals[award.proposal].awards if other != award)
        return with_proposal(state, award.proposal, awards=kept)
    turn = next(turn for turn in state.turns.values() if award in turn.awards)
    kept = tuple(other for other in turn.awards if other != award)
    return renewed(state, turns=state.turns.set(turn.number, replace(turn, awards=kept)))


def _rule_restored(state: State, fact: events.RuleRestored, _: Recorded) -> State:
    return renewed(state, rulebook=rulebook.restored(state.rulebook, fact.number), impasse=None)


def _proposal_voided(state: State, fact: events.ProposalVoided, moment: Recorded) -> State:
    closed = state.proposals[fact.number].closed or moment.at
    return with_proposal(
        _uncredited(state, fact.number),
        fact.number,
        stage="void",
        closed=closed,
        term=None,
        closes=None,
        awards=(),
    )


def _uncredited(state: State, number: int) -> State:
    """The state in which the proposal is none that its proponent had adopted."""
    proposal = state.proposals[number]
    if proposal.stage != "adopted":
        return state
    player = state.players[proposal.proponent]
    poorer = replace(player, proposals_adopted=player.proposals_adopted - 1)
    return renewed(state, players=state.players.set(player.id, poorer))


def _vote_reopened(state: State, fact: events.VoteReopened, moment: Recorded) -> State:
    reopened = with_proposal(
        _uncredited(state, fact.number),
        fact.number,
        stage="voting",
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
        without_effect=None,
        kept_by=None,
    )
    still_open = tuple(sorted({*state.open, fact.number}))
    return renewed(
        reopened,
        open=still_open,
        held=state.held.delete(fact.number) if fact.number in state.held else state.held,
    )


def _player_returned(state: State, fact: events.PlayerReturned, _: Recorded) -> State:
    back = replace(state.players[fact.player], status="active", absent_until=None)
    return renewed(state, players=state.players.set(back.id, back))


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


def _seat_taken(state: State, fact: events.SeatTaken, _: Recorded) -> State:
    taken = replace(state.players[fact.player], name=fact.name, status="active", absent_until=None)
    return renewed(state, players=state.players.set(taken.id, taken))


FOLDS: dict[type[Any], Callable[[State, Any, Recorded], State]] = {
    events.ClaimMade: _claim_made,
    events.Ruled: _unchanged,
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
