"""What is to be known of a rule beside its text: whom its clauses beat, what construes it, who cites it, how it came.

What lives here: read models of one rule, shared by its page and the annotated rulebook. What never may: a page.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from pbem.game import case_views, preview
from pbem.game.case_views import CaseView
from pbem.game.citations import cited_by
from pbem.game.model import Clause, Rule, RuleText, Version
from pbem.game.redline import Piece, redline
from pbem.game.state import State
from pbem.game.vocabulary import each_counts
from pbem.publish.press import Press


@dataclass(frozen=True, slots=True)
class ClauseLine:
    """A clause with the numbers of the rules in force whose clause of that name it beats, which beat it, and which
    count beside it."""

    clause: Clause
    beats: tuple[int, ...]
    beaten_by: tuple[int, ...]
    beside: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Cause:
    """How a version came: the version, and who proposed it ("" if no proposal made it)."""

    version: Version
    proponent: str


@dataclass(frozen=True, slots=True)
class Annotated:
    """A rule with its notes: `clauses` of the text in force, the `cases` that speak of it, the rules in force that cite
    it by number, and its `causes`, oldest first."""

    rule: Rule
    clauses: tuple[ClauseLine, ...]
    cases: tuple[CaseView, ...]
    cited_by: tuple[int, ...]
    causes: tuple[Cause, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """What leads from one wording of a rule to another: redlines of title and text, and each clause that changed
    with its expression before and after (None: not carried)."""

    title: tuple[Piece, ...]
    text: tuple[Piece, ...]
    clauses: tuple[tuple[str, str | None, str | None], ...]


@lru_cache(maxsize=4096)  # several pages show the same difference
def compared(before: RuleText | None, after: RuleText | None) -> Difference:
    """The difference between two wordings; None is no rule, which has no words."""
    title = redline(before.title if before else "", after.title if after else "")
    text = redline(before.text if before else "", after.text if after else "")
    return Difference(title, text, preview.changed_clauses(before, after))


def annotated(press: Press) -> tuple[Annotated, ...]:
    """The rules in force with their notes, by number."""
    notes = all_noted(press)
    return tuple(notes[rule.key] for rule in press.state.rulebook.in_force)


def all_noted(press: Press) -> Mapping[int, Annotated]:
    """Every rule there ever was with its notes, by key."""
    book, heard = press.state.rulebook, case_views.all_cases(press.state)
    found: Mapping[int, Annotated] = press.kept("notes", (book, heard), lambda: _all_noted(press, heard))
    return found


def _all_noted(press: Press, heard: tuple[CaseView, ...]) -> Mapping[int, Annotated]:
    state, book = press.state, press.state.rulebook
    cited, cases = cited_by(book), _cases(state, heard)
    before: Mapping[int, Annotated] = press.before("notes") or {}
    return {
        key: _noted(state, before.get(key), rule, cases.get(key, ()), cited.get(key, ()))
        for key, rule in book.rules.items()
    }


def _noted(
    state: State,
    before: Annotated | None,
    rule: Rule,
    cases: tuple[CaseView, ...],
    cited_by: tuple[int, ...],
) -> Annotated:
    """The rule with its notes: the very ones of `before` if nothing changed, so that keys with them are compared at a
    glance."""
    note = rule, _clauses(state, rule), cases, cited_by
    if before is not None and note == (before.rule, before.clauses, before.cases, before.cited_by):
        return before
    return Annotated(*note, tuple(_cause(state, version) for version in rule.versions))


def _cases(state: State, heard: tuple[CaseView, ...]) -> Mapping[int, tuple[CaseView, ...]]:
    """The cases that speak of a rule, by its key."""
    found: dict[int, list[CaseView]] = {}
    for case in heard:
        for number in case.rules:
            found.setdefault(state.rulebook.numbers[number], []).append(case)
    return {key: tuple(cases) for key, cases in found.items()}


def _cause(state: State, version: Version) -> Cause:
    if version.proposal is None:
        return Cause(version, "")
    proposal = state.proposals[version.proposal]
    return Cause(version, state.name(proposal.proponent, proposal.made))


def _clauses(state: State, rule: Rule) -> tuple[ClauseLine, ...]:
    """The clauses of a rule in force; none of a repealed one."""
    if rule.repealed is not None or not rule.now.clauses:
        return ()
    return tuple(_clause(state, rule, clause) for clause in rule.now.clauses)


def _clause(state: State, rule: Rule, clause: Clause) -> ClauseLine:
    if each_counts(clause.name):
        return ClauseLine(clause, (), (), state.rulebook.beside(clause.name, rule.number))
    ranked = [carrier.rule.number for carrier in state.rulebook.carriers(clause.name)]
    place = ranked.index(rule.number)
    return ClauseLine(clause, tuple(ranked[place + 1 :]), tuple(ranked[:place]))
