"""The pages of a game, and of the host: a state in, pages out.

What lives here: which pages there are. What never may: writing them, the time of day, or a choice of words. A page
depends on the state alone, so making it again makes the same bytes. Links are relative and name the file, so that a
site can be read from any address or a disk.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.game.state import State
from pbem.publish import (
    archive,
    book,
    cases,
    feed,
    guide,
    log,
    programs,
    proposals,
    rules,
    scores,
    search,
    status,
    turns,
)
from pbem.publish.log import Log
from pbem.publish.page import Page, Shelf, SiteView, plain
from pbem.publish.press import Memory, Press
from pbem.render import Printer

PLAIN_FILES: Final = ("style.css", "icon.svg")
SCRIPT: Final = "search.js"


def shelves(
    state: State, written: Log, site: SiteView, printer: Printer, memory: Memory | None = None
) -> Iterator[Page | Shelf]:
    """Every page of a game, relative to its folder. `written` is its log; with a `memory` of earlier printing, parts of
    pages that stay as they were are not printed again."""
    press = Press(state, site, printer, memory, written.ends)
    yield from _plain_files(printer, *((SCRIPT,) if site.search else ()))
    yield status.page(press)
    yield from book.pages(press)
    yield from rules.shelves(press)
    yield from proposals.shelves(press)
    yield from turns.shelves(press)
    yield from cases.pages(press)
    yield from scores.pages(press)
    yield from log.shelves(press, written)
    yield from archive.shelves(press, written)
    yield from feed.pages(press, written)
    yield guide.page(press)
    yield search.page(press)
    yield programs.page(press, written.head)


def index(site: SiteView, printer: Printer) -> Iterator[Page]:
    """The index of games, with what it needs beside it."""
    yield from _plain_files(printer)
    view = {"site": site, "here": ""}
    html = printer.html("site/games.html.j2", view, language=site.language, zone=site.zone)
    yield plain("index.html", html.encode())


def _plain_files(printer: Printer, *more: str) -> Iterator[Page]:
    for name in (*PLAIN_FILES, *more):
        yield plain(name, (printer.folder / "site" / name).read_bytes())
