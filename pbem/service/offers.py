"""What a sender who was not understood is offered to send: only what the game would take, with what it is about.

What lives here: the look at each line that is offered. What never may: doing any of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from pbem.game import bounds
from pbem.game.commands import By, Check, Command, Join, Propose, Revise
from pbem.game.decide import can_be_asked, decide
from pbem.game.model import Problem, Refused, Rule, Say, say
from pbem.game.state import State

Part = Callable[[Command], By]

_LONG_WORD = re.compile(r"[^\W\d_]{5,}")


def offered(problem: Problem, state: State, at: int, part: Part) -> Problem:
    """The problem with those of its lines left out that the game would refuse at `at` (UTC µs), by the sender in their
    `part`; if it would refuse all of them, why. Of a rule that would change, the title is told."""
    refusals = [(line, _refusal(line, state, at, part)) for line in problem.cure]
    possible = tuple(line for line, refused in refusals if refused is None)
    why = _titled(problem, state)
    first = next((refused for _, refused in refusals if refused is not None), None)
    if possible or first is None:
        return replace(problem, why=why, cure=possible)
    forbids = bounds.named(first.said, first.rule)
    why = say("%(why)s It could not be done anyway: %(forbids)s", why=why, forbids=forbids)
    return replace(problem, why=why, cure=first.cure)


def _refusal(line: object, state: State, at: int, part: Part) -> Refused | None:
    """Why the game would not take the line, None if it would, or if the line is an example to be filled in, or takes its name
    from an invitation."""
    if not can_be_asked(line) or line == Join() or (isinstance(line, Propose | Revise) and not line.text):
        return None
    try:
        decide(state, line, part(line), max(at, state.at))
    except Refused as refused:
        return None if refused.asks else refused
    return None


def _titled(problem: Problem, state: State) -> Say:
    """Why, with the title of the rule that a line offered would change, and the rule whose title the words are like."""
    asked = next((_proposal(line) for line in problem.cure if _proposal(line)), None)
    rule = state.rulebook.standing(asked.target) if asked and asked.target is not None else None
    if rule is None:
        return problem.why
    facts = {"number": rule.number, "title": rule.now.title}
    why = say("%(why)s Rule %(number)d is called “%(title)s”.", why=problem.why, **facts)
    other = next((other for other in state.rulebook.in_force if _is_meant(other, rule, problem.said)), None)
    if other is None:
        return why
    return say("%(why)s “%(title)s” is rule %(number)d.", why=why, title=other.now.title, number=other.number)


def _proposal(line: object) -> Propose | None:
    asked = line.proposal if isinstance(line, Check) else line
    return asked if isinstance(asked, Propose) else None


def _is_meant(other: Rule, named: Rule, said: str) -> bool:
    """Whether the words are like the title of another rule than the one they name by number."""
    words = set(_LONG_WORD.findall(said.casefold()))
    like = {rule: words & set(_LONG_WORD.findall(rule.now.title.casefold())) for rule in (other, named)}
    return other is not named and bool(like[other]) and not like[named]
