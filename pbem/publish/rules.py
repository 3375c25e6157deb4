"""Each rule as the site tells it, through all its numbers: one page for the rule, and one for every number ever used.

What lives here: the pages, and where a version is found for good. What never may: words in one language only. The page
of a number stays where it is for as long as the game is kept: it shows the rule while the rule bears that number, and
afterwards the version that did, with the way to what became of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from pbem.game.commands import Propose
from pbem.game.model import Rule, RuleText
from pbem.game.proposals import Proposal
from pbem.publish.annotations import Annotated, Cause, Difference, all_noted, compared
from pbem.publish.page import Page, Shelf
from pbem.publish.press import Press

LONGEST_LINKED: Final = 1200
"""Characters of a rule that a mailto link still carries: mail programs cut longer links."""


@dataclass(frozen=True, slots=True)
class VersionLine:
    """One version and how it came: its place (`mark`) on the page of its number, and the redlines against the version
    before (None: it is the first) and against the first (None: that is the one before)."""

    cause: Cause
    mark: str
    since_before: Difference | None
    since_first: Difference | None


def shelves(press: Press) -> Iterator[Shelf]:
    """A page for every number ever used: the rule that has it, what it was, or why there is none."""
    notes, proposals = all_noted(press), press.state.proposals
    used: dict[int, Annotated | Proposal] = {
        **proposals,
        **{number: notes[key] for number, key in press.state.rulebook.numbers.items()},
        **{note.rule.number: note for note in notes.values()},
    }
    numbers = sorted(used)
    return press.shelves("rules", numbers, [used[number] for number in numbers], partial(_page, press))


def _page(press: Press, number: int, what: Annotated | Proposal) -> Iterable[Page]:
    if isinstance(what, Proposal):
        yield _no_rule(press, what)
    else:
        yield _rule(press, what) if what.rule.number == number else _old_number(press, number, what)


def version_mark(rule: Rule, place: int) -> str:
    """The anchor of a version on the page of its number: `n301`, and `n301-2` for the next that the keeper's ruling gave
    the same number. It never changes."""
    number = rule.versions[place].rule.number
    nth = sum(version.rule.number == number for version in rule.versions[: place + 1])
    return f"n{number}" if nth == 1 else f"n{number}-{nth}"


def _rule(press: Press, note: Annotated) -> Page:
    rule = note.rule

    def view() -> Mapping[str, Any]:
        places = range(len(rule.versions))
        versions = [_version(press, note, place, at_head=place == places[-1]) for place in reversed(places)]
        return {"note": note, "versions": versions, "commands": _changing(rule.now)}

    return press.page(f"rules/{rule.number}/index.html", "rule.html", note, view)


def _version(press: Press, note: Annotated, place: int, *, at_head: bool) -> Any:
    """A version in the history of its rule; `at_head`: its text stands at the head of the page."""
    rule, cause = note.rule, note.causes[place]
    now, first = rule.versions[place].rule, rule.versions[0].rule
    before = rule.versions[place - 1].rule if place else None

    def view() -> Mapping[str, Any]:
        since_before = compared(before, now) if before else None
        since_first = compared(first, now) if place > 1 else None
        line = VersionLine(cause, version_mark(rule, place), since_before, since_first)
        return {"here": "../../", "line": line, "at_head": at_head}

    return press.part("rule_version.html", (rule.key, place, at_head), (cause, before, first), view)


def _old_number(press: Press, number: int, note: Annotated) -> Page:
    """What a number was that no rule has now: a version of one; or what repealed it, or was taken back."""
    rule, path = note.rule, f"rules/{number}/index.html"
    places = [place for place, version in enumerate(rule.versions) if version.rule.number == number]
    if not places:
        repealing = rule.repealed == number
        bare = {"number": number, "rule": rule, "repealing": repealing}
        return press.page(path, "bare_number.html", (rule.number, rule.now.title, repealing), lambda: bare)
    after = rule.versions[places[-1] + 1]
    causes = tuple(note.causes[place] for place in places)

    def shown() -> Mapping[str, Any]:
        versions = [_version(press, note, place, at_head=place == places[-1]) for place in reversed(places)]
        was = causes[-1].version.rule
        return {"was": was, "after": after, "rule": rule, "versions": versions}

    key = (rule.number, rule.now.title, rule.repealed, causes, after)
    return press.page(path, "old_number.html", key, shown)


def _no_rule(press: Press, proposal: Proposal) -> Page:
    """A number that no rule ever had: a proposal's."""
    key = (proposal.title, proposal.stage, proposal.without_effect)
    return press.page(
        f"rules/{proposal.number}/index.html", "no_rule.html", key, lambda: {"proposal": proposal}
    )


def _changing(rule: RuleText) -> tuple[Propose, ...]:
    """What a player can write to change a rule; the text in force comes along, to be worked on."""
    if not rule.mutable:
        return (Propose("transmute", rule.number),)
    text = rule.text if len(rule.text) <= LONGEST_LINKED else None
    amend = Propose("amend", rule.number, rule.title, text, rule.clauses)
    return amend, Propose("repeal", rule.number), Propose("transmute", rule.number)
