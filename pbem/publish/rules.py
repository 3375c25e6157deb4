"""Rules as the site tells them: through all their numbers, with what changed, and what their clauses beat.

What lives here: read models made from a state. What never may: words in one language only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from pbem.game import preview
from pbem.game.model import Clause, Rule, RuleText, Version
from pbem.game.redline import Piece, redline
from pbem.game.state import State
from pbem.game.vocabulary import each_counts


@dataclass(frozen=True, slots=True)
class ClauseLine:
    """A clause with the numbers of the rules in force whose clause of that name it beats, which beat it, and which
    count beside it."""

    clause: Clause
    beats: tuple[int, ...]
    beaten_by: tuple[int, ...]
    beside: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Difference:
    """What leads from one wording of a rule to another: redlines of title and text, and each clause that changed
    with its expression before and after (None: not carried)."""

    title: tuple[Piece, ...]
    text: tuple[Piece, ...]
    clauses: tuple[tuple[str, str | None, str | None], ...]


@dataclass(frozen=True, slots=True)
class VersionLine:
    """One version with its proponent ("" if no proposal made it) and what changed from the one before (None: first)."""

    version: Version
    proponent: str
    difference: Difference | None


@dataclass(frozen=True, slots=True)
class RuleView:
    """A rule by lineage; `versions` are newest first, `clauses` those of the text in force."""

    rule: Rule
    clauses: tuple[ClauseLine, ...]
    versions: tuple[VersionLine, ...]


def rule_view(state: State, rule: Rule) -> RuleView:
    """Everything there is to tell of a rule, in force or repealed."""
    clauses = () if rule.repealed is not None else tuple(_clause(state, rule, c) for c in rule.now.clauses)
    return RuleView(rule, clauses, tuple(_versions(state, rule)))


def _clause(state: State, rule: Rule, clause: Clause) -> ClauseLine:
    if each_counts(clause.name):
        return ClauseLine(clause, (), (), state.rulebook.beside(clause.name, rule.number))
    ranked = [carrier.rule.number for carrier in state.rulebook.carriers(clause.name)]
    place = ranked.index(rule.number)
    return ClauseLine(clause, tuple(ranked[place + 1 :]), tuple(ranked[:place]))


def _versions(state: State, rule: Rule) -> Iterator[VersionLine]:
    earlier: list[RuleText | None] = [None, *(version.rule for version in rule.versions)]
    for before, version in reversed(list(zip(earlier, rule.versions, strict=False))):
        difference = compared(before, version.rule) if before else None
        yield VersionLine(version, _proponent(state, version), difference)


def _proponent(state: State, version: Version) -> str:
    if version.proposal is None:
        return ""
    proposal = state.proposals[version.proposal]
    return state.name(proposal.proponent, proposal.made)


@lru_cache(maxsize=1024)
def compared(before: RuleText | None, after: RuleText | None) -> Difference:
    """The difference between two wordings; None is no rule, which has no words."""
    title = redline(before.title if before else "", after.title if after else "")
    text = redline(before.text if before else "", after.text if after else "")
    return Difference(title, text, preview.changed_clauses(before, after))
