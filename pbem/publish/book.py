"""The rulebook as a whole: short, annotated, and as plain text.

What lives here: which rules are in it, in which order. What never may: a rule printed anew because another changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from markupsafe import Markup

from pbem.game.vocabulary import HOUSE_RULES
from pbem.publish.annotations import Annotated, annotated
from pbem.publish.editions import last_changed
from pbem.publish.lists import Blocks
from pbem.publish.page import Page
from pbem.publish.press import Press


def pages(press: Press) -> Iterator[Page]:
    """The rulebook three times: what is in force, the same with its notes, and what is in force as text."""
    state, notes = press.state, annotated(press)
    blocks = press.together("book", state.rulebook.in_force_numbers, notes)
    repealed = tuple(rule for _, rule in sorted(state.rulebook.rules.items()) if rule.repealed is not None)
    key = (last_changed(press), state.house, state.rulebook.in_force, repealed)

    def page(path: str, template: str, key: object, part: Callable[[Annotated], Markup], **more: Any) -> Page:
        return press.page(
            path, template, key, lambda: {**_view(press, blocks, path, part), "repealed": repealed, **more}
        )

    short, text = partial(_plain, press, "rule_in_book.html"), partial(_plain, press, "rule_in_book.txt")
    yield page("rules/index.html", "rulebook.html", key, short, noted=False)
    full = partial(_noted, press)
    yield page("rules/annotated/index.html", "rulebook.html", (*key, notes), full, noted=True)
    yield page("rulebook.txt", "rulebook.txt", key, text)


def _plain(press: Press, template: str, note: Annotated) -> Markup:
    return press.part(template, note.rule.key, note.rule, lambda: {"here": "../", "rule": note.rule})


def _noted(press: Press, note: Annotated) -> Markup:
    view = {"here": "../../", "note": note}
    return press.part("rule_annotated.html", note.rule.key, note, lambda: view)


def _line(press: Press, note: Annotated) -> Markup:
    """The rule's line in the contents, for both forms of the book."""
    rule = note.rule.now
    return press.part("contents_entry.html", rule.number, rule, lambda: {"here": "", "rule": rule})


def _of_kind(press: Press, notes: Blocks[Annotated], *, mutable: bool) -> Blocks[Annotated]:
    """Those of the rules that are mutable, or those that are not."""

    def chosen(held: tuple[Annotated, ...]) -> tuple[Annotated, ...]:
        return tuple(note for note in held if note.rule.mutable == mutable)

    return [
        (place, press.kept(("of kind", mutable, place), held, partial(chosen, held))) for place, held in notes
    ]


def _view(
    press: Press, notes: Blocks[Annotated], form: str, part: Callable[[Annotated], Markup]
) -> Mapping[str, Any]:
    house = press.state.house
    immutable, mutable = (_of_kind(press, notes, mutable=kind) for kind in (False, True))
    return {
        "changed": last_changed(press),
        "counted": {"immutable": _count(immutable), "mutable": _count(mutable)},
        "contents": press.listed("contents", notes, partial(_line, press), "\n"),
        "immutable": press.listed((form, "immutable"), immutable, part),
        "mutable": press.listed((form, "mutable"), mutable, part),
        "house": [(q.name, house[q.name].strip('"')) for q, _ in HOUSE_RULES if q.name in house],
    }


def _count(notes: Blocks[Annotated]) -> int:
    return sum(len(held) for _, held in notes)
