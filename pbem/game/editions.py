"""The rulebook as it stood at the end of any turn, and what changed between two of them.

What lives here: earlier rulebooks, told from the versions of rules. What never may: replaying the log. So a change that the
keeper took back is in no edition: this is how the rules stood as we know it now. Turn 0 is before the first turn; what
was ruled between two turns belongs to the first of them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from pbem.game.commands import Compare
from pbem.game.model import Refused, Rule, RuleText, Version
from pbem.game.state import State


@dataclass(frozen=True, slots=True)
class Passage:
    """How a rule read in two editions (None: it was not in force), and the versions that came between."""

    rule: Rule
    before: RuleText | None
    after: RuleText | None
    versions: tuple[Version, ...] = ()


def between(state: State, first: int, last: int) -> tuple[Passage, ...]:
    """Every rule that did not read the same at the end of turn `first` and at the end of turn `last`, by number.

    Raises Refused for a turn that has not begun.
    """
    for turn in (first, last):
        if turn > state.turn:
            raise Refused(
                "There has been no turn %(turn)d yet: the last one is %(last)d, and 0 stands for the start.",
                turn=turn,
                last=state.turn,
                cure=(Compare(0),),
            )
    changed = [each for rule in state.rulebook.rules.values() if (each := _passage(state, rule, first, last))]
    return tuple(sorted(changed, key=lambda each: (each.after or each.before or each.rule.now).number))


def text_in(state: State, rule: Rule, turn: int) -> RuleText | None:
    """How a rule read at the end of a turn; None if it was not in force."""
    if rule.repealed is not None and repealed_in(state, rule.repealed) <= turn:
        return None
    return next((version.rule for version in reversed(rule.versions) if version.turn <= turn), None)


def repealed_in(state: State, number: int) -> int:
    """The turn in which proposal `number` repealed its rule: its own, unless the vote was held again after it."""
    proposal = state.proposals[number]
    own, closed = state.turns[proposal.turn], proposal.closed or 0
    if own.ended is None or closed <= own.ended:
        return own.number
    began = [state.turns[turn].began for turn in range(1, state.turn + 1)]
    return bisect_right(began, closed)


def _passage(state: State, rule: Rule, first: int, last: int) -> Passage | None:
    before, after = text_in(state, rule, first), text_in(state, rule, last)
    if before == after:
        return None
    return Passage(rule, before, after, tuple(_since(rule, min(first, last), max(first, last))))


def _since(rule: Rule, first: int, last: int) -> Iterator[Version]:
    return (version for version in rule.versions if first < version.turn <= last)
