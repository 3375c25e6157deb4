"""The rulebook as a whole: short, annotated, and as plain text.

What lives here: which rules are in it, in which order. What never may: a rule printed anew because another changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from pbem.game.vocabulary import HOUSE_RULES
from pbem.publish.annotations import Annotated, annotated
from pbem.publish.page import Page
from pbem.publish.press import Press
from pbem.render import parts

Numbered = tuple[int, Annotated]
"""A rule in force with its notes, and its number."""


def pages(press: Press) -> Iterator[Page]:
    """The rulebook three times: what is in force, the same with its notes, and what is in force as text."""
    state, notes = press.state, annotated(press)
    numbered = tuple(zip(state.rulebook.in_force_numbers, notes, strict=True))
    repealed = tuple(rule for _, rule in sorted(state.rulebook.rules.items()) if rule.repealed is not None)
    key = (state.turn, state.house, state.rulebook.in_force, repealed)

    def page(path: str, template: str, key: object, part: Callable[[Annotated], Any], **more: Any) -> Page:
        return press.page(
            path, template, key, lambda: {**_view(press, numbered, path, part), "repealed": repealed, **more}
        )

    short, text = partial(_plain, press, "rule_in_book.html"), partial(_plain, press, "rule_in_book.txt")
    yield page("rules/index.html", "rulebook.html", key, short, noted=False)
    full = partial(_noted, press)
    yield page("rules/annotated/index.html", "rulebook.html", (*key, notes), full, noted=True)
    yield page("rulebook.txt", "rulebook.txt", key, text)


def _plain(press: Press, template: str, note: Annotated) -> Any:
    return press.part(template, note.rule.key, note.rule, lambda: {"here": "../", "rule": note.rule})


def _noted(press: Press, note: Annotated) -> Any:
    view = {"here": "../../", "note": note}
    return press.part("rule_annotated.html", note.rule.key, note, lambda: view)


_lines = partial(parts, between="\n")


def _line(press: Press, note: Annotated) -> Any:
    """The rule's line in the contents, for both forms of the book."""
    rule = note.rule.now
    return press.part("contents_entry.html", rule.number, rule, lambda: {"here": "", "rule": rule})


def _view(
    press: Press, notes: Sequence[Numbered], form: str, part: Callable[[Annotated], Any]
) -> Mapping[str, Any]:
    house, by_kind = press.state.house, {False: list[Numbered](), True: list[Numbered]()}
    for each in notes:
        by_kind[each[1].rule.mutable].append(each)
    immutable, mutable = by_kind[False], by_kind[True]
    return {
        "turn": press.state.turn,
        "counted": {"immutable": len(immutable), "mutable": len(mutable)},
        "contents": press.listed("contents", notes, partial(_line, press), _lines),
        "immutable": press.listed((form, "immutable"), immutable, part),
        "mutable": press.listed((form, "mutable"), mutable, part),
        "house": [(q.name, house[q.name].strip('"')) for q, _ in HOUSE_RULES if q.name in house],
    }
