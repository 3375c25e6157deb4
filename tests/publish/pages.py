"""The pages of a game, taken off their shelves."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.game.state import State
from pbem.publish import site
from pbem.publish.log import Log
from pbem.publish.page import Page, SiteView
from pbem.publish.press import Memory
from pbem.render import Printer


def pages_of(
    state: State, written: Log, view: SiteView, printer: Printer, memory: Memory | None = None
) -> Iterator[Page]:
    """Every page of a game, one by one."""
    for item in site.shelves(state, written, view, printer, memory):
        yield from (item,) if isinstance(item, Page) else item.pages()
