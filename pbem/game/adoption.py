"""What follows a vote (107, 202, 204–206, 208): the change, the awards in their order, a win, the turn's end."""

from __future__ import annotations

from pbem.game import ballots, bounds, changes, scoring, turns, winning
from pbem.game.events import ChangeVoided, ImpasseFound
from pbem.game.move import Move
from pbem.game.proposals import Proposal


def conclude(move: Move, number: int, *, adopted: bool) -> None:
    """Carries out the outcome of a closed vote; awards are made by the rules as the change left them."""
    proposal = move.state.proposals[number]
    cast = {
        voter: settled.choice
        for voter, settled in sorted(ballots.settled(proposal, move.state).items())
        if settled.choice is not None and not proposal.ballots[voter].silent
    }
    dissenters = [voter for voter, choice in cast.items() if choice == "against"]
    if adopted:
        _take_effect(move, proposal)
        scoring.award(move, "points for dissent", dissenters, proposal)
    else:
        scoring.award(move, "points when defeated", [proposal.proponent], proposal)
    roles = {
        "proponent": (proposal.proponent,),
        "voters": list(cast),
        "dissenters": dissenters,
        "player": (move.state.turns[proposal.turn].player,),
    }
    scoring.happened(move, ("adopted" if adopted else "defeated", "voted"), roles, proposal)
    scoring.award(move, "points for the turn", [proposal.proponent], proposal)
    turns.settle(move)


def _take_effect(move: Move, proposal: Proposal) -> None:
    """The rulebook changes at the close (205), unless the rules leave the change without effect."""
    change = changes.proposed(move.state, proposal)
    if change is None:
        move.record(ChangeVoided(proposal.number, changes.gone(proposal), None))
        return
    effect = changes.effect(change, proposal.number)
    if bound := bounds.passed(move.state, effect):
        move.record(ChangeVoided(proposal.number, bound.why, bound.rule))
        return
    counters = move.state.rulebook.counters
    move.record(effect)
    scoring.keep_counters(move, counters)
    if not bounds.can_change(move.state):
        move.record(ImpasseFound(proposal.number))
    winning.see_who_won(move)
