"""Printing only what changed: after every move of random games the pages are those of a site made anew."""

from __future__ import annotations

import gc
import os
import weakref
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from pbem.game.commands import Speak
from pbem.game.model import Refused
from pbem.publish import site
from pbem.publish.log import log_of
from pbem.publish.page import Page, Shelf
from pbem.publish.press import Memory
from pbem.publish.versions import publish
from tests.game.conftest import NAMES, Table, enact
from tests.game.random_moves import Lot
from tests.publish.pages import pages_of
from tests.publish.played import PRINTER, SITE, ballot, played

GAMES = int(os.environ.get("PBEM_GAMES", "12"))
MOVES = 25


def printed_on(folder: Path, table: Table, memory: Memory) -> dict[str, bytes]:
    """Publishes the game with what is remembered of it, and reads what then stands on the disk."""
    pages = site.shelves(table.state, log_of(table.log), SITE, PRINTER, memory)
    publish(folder, "kaffe", table.state.seq, pages, memory.standing)
    return standing(folder)


def standing(folder: Path) -> dict[str, bytes]:
    top = folder / "kaffe"
    return {
        str(path.relative_to(top.resolve())): path.read_bytes()
        for path in top.resolve().rglob("*")
        if path.is_file()
    }


def anew(table: Table) -> dict[str, bytes]:
    return {page.path: page.content for page in pages_of(table.state, log_of(table.log), SITE, PRINTER)}


@settings(max_examples=GAMES, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
@pytest.mark.slow
@given(draw=st.randoms(use_true_random=True))
def test_what_was_printed_before_and_what_is_printed_now_make_the_site_as_if_made_anew(
    tmp_path_factory: pytest.TempPathFactory, draw: Random
) -> None:
    table, memory = Table(NAMES[: draw.randint(2, 4)]), Memory()
    folder = tmp_path_factory.mktemp("site")
    for _ in range(MOVES):
        lot = Lot(draw, table)
        for by, command in lot.next():
            note(f"{by}: {command}")
            try:
                table.ask(by, command)
            except Refused:
                continue
        table.wait(lot.time())
        assert printed_on(folder, table, memory) == anew(table)


def test_across_the_ends_of_pages_of_the_log_and_the_archive_it_is_the_same(tmp_path):
    game, memory = played(), Memory()
    for number in range(280):
        game.play(("Alva", "Bo", "Dan")[number % 3], Speak(f"Number {number}."))
        if game.state.seq % 100 in (0, 1, 2, 50):
            assert printed_on(tmp_path, game, memory) == anew(game)


def test_what_was_printed_is_let_go_of_with_its_last_use(tmp_path):
    """A server freezes what it keeps of large games: a ring of references would then never be found."""
    memory = Memory()
    kept = weakref.ref(memory)
    gc.disable()
    try:
        printed_on(tmp_path, played(), memory)
        del memory
        assert kept() is None
    finally:
        gc.enable()


def test_a_change_of_one_rule_makes_its_pages_and_the_lists_it_is_in_and_no_others(tmp_path):
    game, memory = after_a_turn(tmp_path)
    game.turn("Dan", enact("Cake", "There is cake."), "ABCD")
    before = standing(tmp_path)

    made = made_now(tmp_path, game, memory)

    assert standing(tmp_path) == anew(game) != before
    assert made == {
        *("index.html", "rules/index.html", "rulebook.txt", "rules/305/index.html"),
        "rules/annotated/index.html",
        *("proposals/index.html", "proposals/305/index.html"),
        *("turns/index.html", "turns/3/index.html", "turns/4/index.html"),
        *("scores/index.html", "players/4/index.html"),
        *("log/1/index.html", "game.json"),
        *(
            "archive/1/index.html",
            "archive/1/mails.mbox",
            "feed.xml",
            "search/index.html",
        ),
    }


def test_a_turn_that_changes_no_rule_leaves_the_rulebook_as_it_stands(tmp_path):
    """A rulebook that named the turn it is read in would be three large pages more, turn by turn."""
    game, memory = after_a_turn(tmp_path)
    game.turn("Dan", enact("Cake", "There is cake."), "D")

    made = made_now(tmp_path, game, memory)

    assert standing(tmp_path) == anew(game)
    assert "proposals/305/index.html" in made
    assert not made & {"rules/index.html", "rules/annotated/index.html", "rulebook.txt"}


def after_a_turn(folder: Path) -> tuple[Table, Memory]:
    """A game with nothing open, whose pages are up, and what is remembered of them."""
    game, memory = played(), Memory()
    for name in ("Bo", "Dan"):
        ballot(game, name, 304, "against")
    printed_on(folder, game, memory)
    return game, memory


def made_now(folder: Path, game: Table, memory: Memory) -> set[str]:
    """Publishes the game; the paths of the pages that were made."""
    made: set[str] = set()

    def watched():
        for shelf in site.shelves(game.state, log_of(game.log), SITE, PRINTER, memory):
            yield (
                shelf._replace(pages=lambda shelf=shelf: map(noted, shelf.pages()))
                if isinstance(shelf, Shelf)
                else noted(shelf)
            )

    def noted(page: Page) -> Page:
        return page._replace(make=lambda: made.add(page.path) or page.make())

    publish(folder, "kaffe", game.state.seq, watched(), memory.standing)
    return made
