"""What follows a vote (107, 202, 204–206, 208): the change, the awards in their order, a win, the turn's end."""

from __future__ import annotations

from pbem.game import changes, regulation, turns
from pbem.game.events import ChangeVoided, PlayersWon, PointsAwarded
from pbem.game.model import Award, Proposal
from pbem.game.move import Move
from pbem.game.state import State


def conclude(move: Move, number: int, *, adopted: bool) -> None:
    """Carries out the outcome of a closed vote; awards are made by the rules as the change left them."""
    proposal = move.state.proposals[number]
    if adopted:
        _take_effect(move, proposal)
        dissenters = [voter for voter, ballot in proposal.ballots.items() if ballot.choice == "against"]
        _award(move, "points for dissent", proposal, sorted(dissenters))
    else:
        _award(move, "points when defeated", proposal, [proposal.proponent])
    _award(move, "points for the turn", proposal, [proposal.proponent])
    turns.settle(move)


def _take_effect(move: Move, proposal: Proposal) -> None:
    """The rulebook changes at the close (205), unless the rules leave the change without effect."""
    change = changes.proposed(move.state, proposal)
    why = changes.gone(proposal) if change is None else changes.void(move.state, change)
    if change is None or why is not None:
        move.record(ChangeVoided(proposal.number, why or changes.gone(proposal)))
        return
    move.record(changes.effect(change, proposal.number))
    _see_who_won(move)


def _award(move: Move, clause: str, proposal: Proposal, receivers: list[int]) -> None:
    """One award to all its receivers at one moment, then a look for a winner. None is made once the game is won."""
    if move.state.status == "won":
        return
    awards = [award for receiver in receivers if (award := _due(move.state, clause, proposal, receiver))]
    for award in awards:
        move.record(PointsAwarded(award))
    if awards:
        _see_who_won(move)


def _due(state: State, clause: str, proposal: Proposal, receiver: int) -> Award | None:
    """The points that a rule in force gives the receiver, None if none does."""
    player = state.players[receiver]
    facts = {**regulation.vote_facts(state, proposal), **regulation.player_facts(state, player)}
    answer = regulation.ask(state, clause, facts=facts)
    if answer is None or not answer.value:
        return None
    points = int(answer.value)
    return Award(receiver, points, clause, answer.rule, proposal.number, answer.expression, answer.working)


def _see_who_won(move: Move) -> None:
    """Asks every rule that names a winner about every player still in (208); any true one wins."""
    found: dict[int, regulation.Answer] = {}
    for player in move.state.seated:
        facts = regulation.player_facts(move.state, player)
        for answer in regulation.ask_each(move.state, "wins when", facts):
            if answer.value is True:
                found.setdefault(player.id, answer)
    if found:
        first = next(iter(found.values()))
        move.record(PlayersWon(tuple(found), first.rule, first.expression))
