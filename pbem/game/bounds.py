"""What the rules in force keep a change from doing (112, 114, 209), and whether any change can still be adopted.

What lives here: bounds, each of which exists only while a rule in force carries it, and names that rule. A change
past one is refused if nothing but the proposal can mend it, else warned of and, when adopted, without effect.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from immutables import Map

from pbem.game import regulation
from pbem.game.clauses import Unevaluated
from pbem.game.events import RuleChanged
from pbem.game.model import Clause, Rule, Say, say
from pbem.game.proposals import Ballot, Proposal
from pbem.game.rulebook import Rulebook, changed
from pbem.game.state import State

_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound that a change would pass: what would be wrong, and the rule that carries it (None: the house)."""

    why: Say
    rule: int | None


def named(why: Say, rule: int | None) -> Say:
    """Why something is refused or has no effect, with the rule that sees to it."""
    return why if rule is None else say("%(why)s (Rule %(rule)d)", why=why, rule=rule)


def after(state: State, change: RuleChanged) -> Rulebook:
    """The rulebook as the change would leave it."""
    return changed(state.rulebook, change, turn=state.turn, at=state.at)


def too_many(state: State, change: RuleChanged) -> Bound | None:
    """More mutable rules than a rule allows (209), through this change."""
    limit = regulation.ask(state, "most mutable rules")
    count = after(state, change).mutable_count
    if limit is None or count <= int(limit.value) or count <= state.rulebook.mutable_count:
        return None
    return Bound(say("There would be more than %(limit)d mutable rules.", limit=int(limit.value)), limit.rule)


def passed(state: State, change: RuleChanged) -> Bound | None:
    """The first bound that the change passes, None if it may take effect."""
    return next((bound for bound in _passed(state, change) if bound is not None), None)


def _passed(state: State, change: RuleChanged) -> Iterator[Bound | None]:
    yield too_many(state, change)
    yield _too_few(state, change)
    yield _winning_turned(state, change)
    yield _change_impossible(state, change)


def _too_few(state: State, change: RuleChanged) -> Bound | None:
    """Fewer mutable rules than a rule asks for (114), through this change."""
    least = regulation.ask(state, "fewest mutable rules")
    count = after(state, change).mutable_count
    if least is None or count >= int(least.value) or count >= state.rulebook.mutable_count:
        return None
    return Bound(
        say("There would be fewer than %(least)d mutable rules.", least=int(least.value)), least.rule
    )


def _winning_turned(state: State, change: RuleChanged) -> Bound | None:
    """The rule that decides who wins turned into anything but another number of points (112)."""
    protected = regulation.holds(state, "winning protected")
    rule = state.rulebook.standing(change.target) if change.target is not None else None
    if protected is None or rule is None or not _decides_from_the_start(rule):
        return None
    now = _winning(change.rule.clauses) if change.rule is not None else None
    if now is not None and _shape(now) == _shape(_winning(rule.now.clauses) or now):
        return None
    why = say("The rule that decides who wins may be changed only into another number of points.")
    return Bound(why, protected.rule)


def _decides_from_the_start(rule: Rule) -> bool:
    """Whether it is the rule of the initial set that decides who wins; later ones are like any other (112)."""
    first = rule.versions[0]
    return first.kind == "initial" and _winning(first.rule.clauses) is not None


def _winning(carried: tuple[Clause, ...]) -> str | None:
    return next((clause.expression for clause in carried if clause.name == "wins when"), None)


def _shape(expression: str) -> str:
    """An expression with its numbers left open."""
    return "".join(_NUMBER.sub("n", expression).split())


def _change_impossible(state: State, change: RuleChanged) -> Bound | None:
    """No way left to adopt a change, even with everyone for it, where there was one before (114)."""
    possible = regulation.holds(state, "change stays possible")
    if possible is None or can_change(replace(state, rulebook=after(state, change))) or not can_change(state):
        return None
    return Bound(say("No rule change could be adopted any more."), possible.rule)


def can_change(state: State) -> bool:
    """Whether anybody may propose, and a new rule that every eligible voter votes for would be adopted."""
    if state.seated and all(regulation.allowance(state, player) < 1 for player in state.seated):
        return False
    electorate = regulation.electorate(state)
    facts = regulation.vote_facts(state, _everybody_for(state, electorate))
    try:
        answer = regulation.ask_strictly(state, "adopted when", facts=facts)
    except Unevaluated:
        return True  # the keeper decides such a vote, so it can be adopted
    return answer is not None and answer.value is True


def _everybody_for(state: State, electorate: tuple[tuple[int, int], ...]) -> Proposal:
    number = state.last_number + 1
    made = Proposal(number, "enact", None, "", "", (), 0, state.turn, "voting", state.at)
    ballots = {voter: Ballot("for", state.at, "") for voter, _ in electorate}
    return replace(made, electorate=Map(electorate), ballots=Map(ballots))
