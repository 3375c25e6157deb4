"""The search page: a form for whoever lets its script run, and for everyone a plain list of all there is to find.

What lives here: the page. What never may: the index it asks (finding.py), which stands beside the pages of the game.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Final

from pbem.publish.finding import index_of
from pbem.publish.page import Page
from pbem.publish.press import Press

A_BLOCK: Final = 100
"""The list is printed by hundreds of numbers, so that a change prints one block again."""

Line = tuple[int, str]
"""The number and the title of a rule or a proposal."""


def page(press: Press) -> Page:
    """All rules in force and all proposals by number, under the form."""
    state = press.state
    proposals = tuple(sorted((number, proposal.title) for number, proposal in state.proposals.items()))

    rules = tuple((rule.number, rule.now.title) for rule in state.rulebook.in_force)

    def view() -> dict[str, Any]:
        return {
            "index": index_of(state.game),
            "rules": list(_blocks(press, "rules", rules)),
            "proposals": list(_blocks(press, "proposals", proposals)),
        }

    return press.page("search/index.html", "search.html", (rules, proposals), view)


def _blocks(press: Press, folder: str, lines: Sequence[Line]) -> Iterator[Any]:
    """The list, printed by blocks."""
    for block, inside in groupby(lines, lambda line: line[0] // A_BLOCK):
        yield _block(press, folder, block, tuple(inside))


def _block(press: Press, folder: str, block: int, lines: tuple[Line, ...]) -> Any:
    shown = {"here": "../", "folder": folder, "lines": lines}
    return press.part("search_block.html", (folder, block), lines, lambda: shown)
