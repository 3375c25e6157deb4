"""The log of claims and corrections in words: each fact as a sentence.

What lives here: sentences, by kind of fact. What never may: other facts (chronicle.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pbem.game import events
from pbem.game.model import ClauseName, Say, say
from pbem.game.proposals import Correction, Reversal
from pbem.game.state import State

CORRECTIONS = (
    events.EventUndone,
    events.ClauseRuled,
    events.PointsCorrected,
    events.RuleRestored,
    events.ProposalVoided,
    events.VoteReopened,
    events.PlayerReturned,
    events.WinUndone,
)
"""The facts that put something right."""


def _claim_made(state: State, fact: events.ClaimMade) -> Say:
    name = state.players[fact.player].name
    return say("%(name)s says that a result is wrong: “%(text)s”", name=name, text=fact.text)


def _ruled(_: State, fact: events.Ruled) -> Say:
    return say("The keeper decides: “%(text)s”", text=fact.text)


def _announced(_: State, fact: events.Announced) -> Say:
    return say("The keeper announces: “%(text)s”", text=fact.text)


def _keepership_passed(_: State, fact: events.KeepershipPassed) -> Say:
    return because(say("%(name)s is the keeper from now on.", name=fact.name), fact.why)


def _clause_ruled(_: State, fact: events.ClauseRuled) -> Say:
    facts = {"number": fact.rule.number, "name": ClauseName(fact.clause)}
    clause = next((c for c in fact.rule.clauses if c.name == fact.clause), None)
    if clause is None:
        ruled = say("By the keeper’s ruling rule %(number)d carries “%(name)s” no more.", **facts)
        return because(ruled, fact.why)
    ruled = say(
        "By the keeper’s ruling rule %(number)d orders “%(name)s” so: “%(orders)s”",
        **facts,
        orders=clause.expression,
    )
    if clause.over:
        words = ", ".join(clause.over)
        ruled = say("%(said)s It claims to go before %(words)s.", said=ruled, words=words)
    if clause.under:
        ruled = say("%(said)s It yields to %(words)s.", said=ruled, words=", ".join(clause.under))
    return because(ruled, fact.why)


def _event_undone(_: State, fact: events.EventUndone) -> Say:
    return say("The keeper takes event #%(event)d back.", event=fact.event)


def of_turn(state: State, turn: int) -> tuple[Say, ...]:
    """What the keeper put right from the end of the turn before to the end of this one: votes first, then points."""
    before = state.turns.get(turn - 1)
    since, until = (before.ended if before else None) or 0, state.turns[turn].ended or state.at
    reversed_ = ((number, made) for number, each in state.proposals.items() for made in each.reversals)
    votes = [_reversed(number, made) for number, made in reversed_ if since < made.at <= until]
    points = [_points_corrected(state, made) for made in state.corrections if since < made.at <= until]
    return (*votes, *points)


def _reversed(number: int, made: Reversal) -> Say:
    return because(Say(_REVERSED[made.what].text, {"number": number}), made.why)


def _points_corrected(state: State, fact: events.PointsCorrected | Correction) -> Say:
    facts = {
        "name": state.players[fact.player].name,
        "points": f"{fact.points:+d}".replace("-", "−"),
        "counter": fact.counter or "",
    }
    if fact.counter is not None:
        corrected = say("Corrected: %(points)s %(counter)s for %(name)s.", **facts)
    elif abs(fact.points) == 1:
        corrected = say("Corrected: %(points)s point for %(name)s.", **facts)
    else:
        corrected = say("Corrected: %(points)s points for %(name)s.", **facts)
    return because(corrected, fact.why)


def _rule_restored(_: State, fact: events.RuleRestored) -> Say:
    return say("What proposal %(number)d changed is as it was before.", number=fact.number)


_REVERSED = {
    "void": say("Proposal %(number)d counts as never made; its number is spent."),
    "rerun": say("The vote on proposal %(number)d is held again."),
}


def _proposal_voided(_: State, fact: events.ProposalVoided) -> Say:
    return because(Say(_REVERSED["void"].text, {"number": fact.number}), fact.why)


def _vote_reopened(_: State, fact: events.VoteReopened) -> Say:
    return because(Say(_REVERSED["rerun"].text, {"number": fact.number}), fact.why)


def _player_returned(state: State, fact: events.PlayerReturned) -> Say:
    return because(say("%(name)s is in the game again.", name=state.players[fact.player].name), fact.why)


def _win_undone(_: State, fact: events.WinUndone) -> Say:
    return because(say("The game is not won after all, and goes on."), fact.why)


def because(said: Say, why: str) -> Say:
    """A sentence with the keeper's reason, if there is one."""
    return say("%(said)s The keeper’s reason: “%(why)s”", said=said, why=why) if why else said


SENTENCES: dict[type[Any], Callable[[State, Any], Say]] = {
    events.ClaimMade: _claim_made,
    events.Ruled: _ruled,
    events.Announced: _announced,
    events.KeepershipPassed: _keepership_passed,
    events.ClauseRuled: _clause_ruled,
    events.EventUndone: _event_undone,
    events.PointsCorrected: _points_corrected,
    events.RuleRestored: _rule_restored,
    events.ProposalVoided: _proposal_voided,
    events.VoteReopened: _vote_reopened,
    events.PlayerReturned: _player_returned,
    events.WinUndone: _win_undone,
}
