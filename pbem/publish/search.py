"""The search page: a form for whoever lets its script run, and for everyone a plain list of all there is to find.

What lives here: the page. What never may: the index it asks (finding.py), which stands beside the pages of the game.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pbem.game.model import Rule
from pbem.game.proposals import Proposal
from pbem.publish.finding import index_of
from pbem.publish.lists import Long, together
from pbem.publish.page import Page
from pbem.publish.press import Press


def page(press: Press) -> Page:
    """All rules in force and all proposals by number, under the form."""
    state, book = press.state, press.state.rulebook
    made = sorted(state.proposals)
    proposals = tuple([state.proposals[number] for number in made])

    def view() -> dict[str, Any]:
        return {
            "index": index_of(state.game),
            "rules": _list(press, "rules", book.in_force_numbers, book.in_force),
            "proposals": _list(press, "proposals", made, proposals),
        }

    return press.page("search/index.html", "search.html", (book.in_force, proposals), view)


def _list(press: Press, folder: str, numbers: Sequence[int], things: Sequence[Rule | Proposal]) -> Long:
    return press.listed(
        ("search", folder), together(numbers, things), lambda thing: _line(press, folder, thing)
    )


def _line(press: Press, folder: str, thing: Rule | Proposal) -> Any:
    """What the page of a rule or a proposal is found by."""
    number, title = thing.number, thing.now.title if isinstance(thing, Rule) else thing.title
    view = {"here": "../", "folder": folder, "number": number, "title": title}
    return press.part("search_entry.html", (folder, number), title, lambda: view)
