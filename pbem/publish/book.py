"""The rulebook as a whole: short, annotated, and as plain text.

What lives here: which rules are in it, in which order. What never may: a rule printed anew because another changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from pbem.game.model import Rule, RuleText
from pbem.game.state import State
from pbem.game.vocabulary import HOUSE_RULES
from pbem.publish.annotations import Annotated, annotated
from pbem.publish.page import Page
from pbem.publish.press import Press

Printed = Sequence[tuple[Rule, Any]]
"""Rules with what was printed of each."""


def pages(press: Press) -> Iterator[Page]:
    """The rulebook three times: what is in force, the same with its notes, and what is in force as text."""
    state = press.state
    standing, notes = state.rulebook.in_force, annotated(press)
    key = (state.rulebook, state.turn, state.house)

    def plain(template: str) -> Printed:
        return [(rule, _plain(press, template, rule)) for rule in standing]

    def noted() -> Printed:
        return [(note.rule, _noted(press, note)) for note in notes]

    short = lambda: {"noted": False, "contents": _contents(press), **_view(state, plain("rule_in_book.html"))}  # noqa: E731
    full = lambda: {"noted": True, "contents": _contents(press), **_view(state, noted())}  # noqa: E731
    yield press.page("rules/index.html", "rulebook.html", key, short)
    yield press.page("rules/annotated/index.html", "rulebook.html", (*key, notes), full)
    yield press.page("rulebook.txt", "rulebook.txt", key, lambda: _view(state, plain("rule_in_book.txt")))


def _plain(press: Press, template: str, rule: Rule) -> Any:
    return press.part(template, rule.key, rule, lambda: {"here": "../", "rule": rule})


def _contents(press: Press) -> Markup:
    """A line for each rule in force, for both forms of the book."""
    standing = press.state.rulebook.in_force

    def line(rule: RuleText) -> Markup:
        return press.part("contents_entry.html", rule.number, rule, lambda: {"here": "", "rule": rule})

    joined: Markup = press.kept(
        "contents", standing, lambda: Markup("\n").join(line(rule.now) for rule in standing)
    )
    return joined


def _noted(press: Press, note: Annotated) -> Any:
    view = {"here": "../../", "note": note}
    return press.part("rule_annotated.html", note.rule.key, note, lambda: view)


def _view(state: State, printed: Printed) -> Mapping[str, Any]:
    rules = state.rulebook.rules
    return {
        "turn": state.turn,
        "immutable": [shown for rule, shown in printed if not rule.mutable],
        "mutable": [shown for rule, shown in printed if rule.mutable],
        "repealed": [rule for _, rule in sorted(rules.items()) if rule.repealed is not None],
        "house": [(q.name, state.house[q.name].strip('"')) for q, _ in HOUSE_RULES if q.name in state.house],
    }
