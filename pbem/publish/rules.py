"""Rules as the site tells them: the book, and each rule through all its numbers, with what changed, and what its clauses beat.

What lives here: read models made from a state, and the pages that show them. What never may: words in one language only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from pbem.game import case_views, preview
from pbem.game.commands import Propose
from pbem.game.model import Clause, Rule, RuleText, Version
from pbem.game.redline import Piece, redline
from pbem.game.state import State
from pbem.game.vocabulary import HOUSE_RULES, each_counts
from pbem.publish.page import Page
from pbem.publish.press import Press

LONGEST_LINKED: Final = 1200
"""Characters of a rule that a mailto link still carries: mail programs cut longer links."""


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
    """A rule by lineage; `versions` are newest first, `clauses` those of the text in force, `cases` those that
    speak of it."""

    rule: Rule
    clauses: tuple[ClauseLine, ...]
    versions: tuple[VersionLine, ...]
    cases: tuple[case_views.CaseView, ...]


def pages(press: Press) -> Iterator[Page]:
    """The rulebook, as a page and as plain text, and a page for every number ever used: the rule that has it, or where
    it leads."""
    state, book = press.state, press.state.rulebook
    yield _book(press, "rules/index.html", "rulebook.html", "rule_in_book.html")
    yield _book(press, "rulebook.txt", "rulebook.txt", "rule_in_book.txt")
    heard = case_views.all_cases(state)
    for rule in book.rules.values():
        yield _rule(press, rule, tuple(case for case in heard if rule.number in case.rules))
    for number, key in book.numbers.items():
        if number != book.rules[key].number:
            yield _old_number(press, number, book.rules[key])
    for number in state.proposals:
        if number not in book.numbers:
            yield _no_rule(press, number)


def _book(press: Press, path: str, template: str, part: str) -> Page:
    state = press.state
    key = (state.rulebook, state.turn, state.house)

    def view() -> Mapping[str, Any]:
        rules = state.rulebook.rules
        standing = state.rulebook.in_force
        return {
            "turn": state.turn,
            "immutable": [_in_book(press, rule, part) for rule in standing if not rule.mutable],
            "mutable": [_in_book(press, rule, part) for rule in standing if rule.mutable],
            "repealed": [rule for _, rule in sorted(rules.items()) if rule.repealed is not None],
            "house": [
                (q.name, state.house[q.name].strip('"')) for q, _ in HOUSE_RULES if q.name in state.house
            ],
        }

    return press.page(path, template, key, view)


def _in_book(press: Press, rule: Rule, template: str) -> Any:
    return press.part(template, rule.key, rule, lambda: {"here": "../", "rule": rule})


def _rule(press: Press, rule: Rule, cases: tuple[case_views.CaseView, ...]) -> Page:
    clauses = _clauses(press.state, rule)

    def view() -> Mapping[str, Any]:
        versions = tuple(_versions(press.state, rule))
        return {"view": RuleView(rule, clauses, versions, cases), "commands": _changing(rule.now)}

    return press.page(f"rules/{rule.number}/index.html", "rule.html", (rule, clauses, cases), view)


def _old_number(press: Press, number: int, rule: Rule) -> Page:
    """Where a number leads that a rule had once, or that repealed it."""
    key = (rule.number, rule.now.title, rule.repealed == number)
    view = {"number": number, "rule": rule, "repealing": rule.repealed == number}
    return press.page(f"rules/{number}/index.html", "old_number.html", key, lambda: view)


def _no_rule(press: Press, number: int) -> Page:
    """A number that no rule ever had: a proposal's."""
    proposal = press.state.proposals[number]
    key = (proposal.title, proposal.stage, proposal.without_effect)
    return press.page(f"rules/{number}/index.html", "no_rule.html", key, lambda: {"proposal": proposal})


def _changing(rule: RuleText) -> tuple[Propose, ...]:
    """What a player can write to change a rule; the text in force comes along, to be worked on."""
    if not rule.mutable:
        return (Propose("transmute", rule.number),)
    text = rule.text if len(rule.text) <= LONGEST_LINKED else None
    amend = Propose("amend", rule.number, rule.title, text, rule.clauses)
    return amend, Propose("repeal", rule.number), Propose("transmute", rule.number)


def _clauses(state: State, rule: Rule) -> tuple[ClauseLine, ...]:
    """The clauses of a rule in force; none of a repealed one."""
    return () if rule.repealed is not None else tuple(_clause(state, rule, c) for c in rule.now.clauses)


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
