"""What each fact of play makes of a state: turns, proposals, debate, votes, changes of rules, points.

What lives here: one function for each kind of fact. What never may: a judgment; a fact is taken as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from immutables import Map

from pbem.game import docket, events, rulebook
from pbem.game.docket import Recorded
from pbem.game.model import Player
from pbem.game.proposals import Ballot, Post, Proposal, TurnRecord
from pbem.game.state import State, paid, renewed, term, with_proposal, with_rulebook


def _game_created(state: State, fact: events.GameCreated, moment: Recorded) -> State:
    return renewed(
        state,
        game=fact.game,
        title=fact.title,
        language=fact.language,
        ruleset=fact.ruleset,
        rulebook=rulebook.initial(fact.rules, moment.at),
        house=Map(dict(fact.house)),
    )


def _player_joined(state: State, fact: events.PlayerJoined, _: Recorded) -> State:
    player = Player(fact.player, fact.name, fact.team, score=fact.score, counters=Map(dict(fact.counters)))
    return renewed(state, players=state.players.set(fact.player, player))


def _player_left(state: State, fact: events.PlayerLeft, _: Recorded) -> State:
    left = replace(state.players[fact.player], status=fact.how)
    return renewed(state, players=state.players.set(left.id, left))


def _voter_left(state: State, fact: events.VoterLeft, _: Recorded) -> State:
    proposal = state.proposals[fact.number]
    electorate = proposal.electorate.delete(fact.player)
    cast = fact.player in proposal.ballots
    ballots = proposal.ballots.delete(fact.player) if cast else proposal.ballots
    return with_proposal(state, fact.number, electorate=electorate, ballots=ballots)


def _next_named(state: State, fact: events.NextNamed, moment: Recorded) -> State:
    waits = state.docket.waits
    return renewed(state, next_player=fact.player, term=None if waits else term(moment, fact.until))


def _game_started(state: State, _: events.GameStarted, __: Recorded) -> State:
    return renewed(state, status="playing")


def _turn_began(state: State, fact: events.TurnBegan, moment: Recorded) -> State:
    record = TurnRecord(fact.turn, fact.circuit, fact.player, moment.at)
    same_circuit = fact.circuit == state.circuit
    return renewed(
        state,
        turns=state.turns.set(fact.turn, record),
        turn=fact.turn,
        circuit=fact.circuit,
        played=(state.played if same_circuit else frozenset()) | {fact.player},
        absences=state.absences if same_circuit else Map(),
        next_player=None,
        term=term(moment, fact.until),
        docket=docket.next_turn(state.docket, fact.turn),
    )


def _proposal_made(state: State, fact: events.ProposalMade, moment: Recorded) -> State:
    proposal = Proposal(
        number=fact.number,
        kind=fact.kind,
        target=fact.target,
        title=fact.title,
        text=fact.text,
        clauses=fact.clauses,
        proponent=fact.player,
        turn=state.turn,
        stage="debate",
        made=moment.at,
        term=term(moment, fact.until),
        mail=moment.mail,
        remarks=fact.remarks,
    )
    turn = state.turns[state.turn]
    return renewed(
        state,
        proposals=state.proposals.set(fact.number, proposal),
        open=(*state.open, fact.number),
        turns=state.turns.set(state.turn, replace(turn, proposals=(*turn.proposals, fact.number))),
        last_number=max(state.last_number, fact.number),
        term=None,
    )


def _proposal_revised(state: State, fact: events.ProposalRevised, _: Recorded) -> State:
    return with_proposal(
        state, fact.number, title=fact.title, text=fact.text, clauses=fact.clauses, remarks=fact.remarks
    )


def _proposal_withdrawn(state: State, fact: events.ProposalWithdrawn, moment: Recorded) -> State:
    return with_proposal(state, fact.number, stage="withdrawn", closed=moment.at, term=None)


def _posted(state: State, fact: events.Posted, moment: Recorded) -> State:
    post = Post(fact.player, moment.at, fact.text, moment.mail)
    if fact.case is not None:
        return renewed(state, docket=docket.posted(state.docket, fact.case, post))
    if fact.number is None:
        return state
    debate = state.proposals[fact.number].debate
    return with_proposal(state, fact.number, debate=(*debate, post))


def _vote_opened(state: State, fact: events.VoteOpened, moment: Recorded) -> State:
    return with_proposal(
        state,
        fact.number,
        stage="voting",
        opened=moment.at,
        term=term(moment, fact.until),
        electorate=Map(fact.electorate),
    )


def _ballot_cast(state: State, fact: events.BallotCast, moment: Recorded) -> State:
    ballot = Ballot(fact.choice, moment.at, fact.said, moment.mail)
    return with_proposal(
        state, fact.number, ballots=state.proposals[fact.number].ballots.set(fact.player, ballot)
    )


def _ballot_retracted(state: State, fact: events.BallotRetracted, _: Recorded) -> State:
    ballots = state.proposals[fact.number].ballots.delete(fact.player)
    return with_proposal(state, fact.number, ballots=ballots, closes=None)


def _vote_completed(state: State, fact: events.VoteCompleted, _: Recorded) -> State:
    return with_proposal(state, fact.number, closes=fact.closes)


def _vote_closed(state: State, fact: events.VoteClosed, moment: Recorded) -> State:
    if fact.tally.adopted:
        proponent = state.players[state.proposals[fact.number].proponent]
        credited = replace(proponent, proposals_adopted=proponent.proposals_adopted + 1)
        state = renewed(state, players=state.players.set(proponent.id, credited))
    return with_proposal(
        state,
        fact.number,
        stage="adopted" if fact.tally.adopted else "defeated",
        tally=fact.tally,
        settled=Map(fact.ballots),
        closed=moment.at,
        term=None,
    )


def _vote_held(state: State, fact: events.VoteHeld, _: Recorded) -> State:
    held = renewed(state, held=state.held.set(fact.number, fact.why))
    return with_proposal(held, fact.number, closes=None, term=None)


def _rule_changed(state: State, fact: events.RuleChanged, moment: Recorded) -> State:
    book = rulebook.changed(state.rulebook, fact, turn=state.turn, at=moment.at)
    return with_rulebook(state, book, fact.target)


def _change_voided(state: State, fact: events.ChangeVoided, _: Recorded) -> State:
    return with_proposal(state, fact.number, without_effect=fact.why, kept_by=fact.rule)


def _impasse_found(state: State, fact: events.ImpasseFound, _: Recorded) -> State:
    return renewed(state, impasse=fact.number)


def _counter_opened(state: State, fact: events.CounterOpened, _: Recorded) -> State:
    return _with_counters(state, lambda counters: counters.set(fact.counter, fact.value))


def _counter_closed(state: State, fact: events.CounterClosed, _: Recorded) -> State:
    return _with_counters(state, lambda counters: counters.delete(fact.counter))


def _points_awarded(state: State, fact: events.PointsAwarded, _: Recorded) -> State:
    award = fact.award
    rewarded = paid(state, award.player, award.counter, award.points)
    if award.proposal is not None:
        return with_proposal(
            rewarded, award.proposal, awards=(*state.proposals[award.proposal].awards, award)
        )
    turn = state.turns.get(award.turn)
    if turn is None:
        return rewarded
    return renewed(
        rewarded, turns=rewarded.turns.set(turn.number, replace(turn, awards=(*turn.awards, award)))
    )


def _clause_failed(state: State, fact: events.ClauseFailed, _: Recorded) -> State:
    failure = fact.failure
    if failure.proposal is None:
        told = (failure.clause, failure.rule, failure.player)
        return renewed(state, failed=state.failed | {told})
    failures = (*state.proposals[failure.proposal].failures, failure)
    return with_proposal(state, failure.proposal, failures=failures)


def _players_won(state: State, fact: events.PlayersWon, _: Recorded) -> State:
    return renewed(state, status="won", winners=fact.players, won_by_word=bool(fact.why))


def _turn_ended(state: State, fact: events.TurnEnded, moment: Recorded) -> State:
    ended = replace(state.turns[fact.turn], ended=moment.at)
    return renewed(
        state,
        turns=state.turns.set(fact.turn, ended),
        next_player=fact.next,
        term=term(moment, fact.until),
        stalls=(),
    )


def _with_counters(state: State, change: Callable[[Map[str, int]], Map[str, int]]) -> State:
    players = {
        key: replace(player, counters=change(player.counters)) for key, player in state.players.items()
    }
    return renewed(state, players=Map(players))


FOLDS: dict[type[Any], Callable[[State, Any, Recorded], State]] = {
    events.GameCreated: _game_created,
    events.PlayerJoined: _player_joined,
    events.PlayerLeft: _player_left,
    events.VoterLeft: _voter_left,
    events.NextNamed: _next_named,
    events.GameStarted: _game_started,
    events.TurnBegan: _turn_began,
    events.ProposalMade: _proposal_made,
    events.ProposalRevised: _proposal_revised,
    events.ProposalWithdrawn: _proposal_withdrawn,
    events.Posted: _posted,
    events.VoteOpened: _vote_opened,
    events.BallotCast: _ballot_cast,
    events.BallotRetracted: _ballot_retracted,
    events.VoteCompleted: _vote_completed,
    events.VoteClosed: _vote_closed,
    events.VoteHeld: _vote_held,
    events.RuleChanged: _rule_changed,
    events.ChangeVoided: _change_voided,
    events.ImpasseFound: _impasse_found,
    events.CounterOpened: _counter_opened,
    events.CounterClosed: _counter_closed,
    events.PointsAwarded: _points_awarded,
    events.ClauseFailed: _clause_failed,
    events.PlayersWon: _players_won,
    events.TurnEnded: _turn_ended,
}
