"""The search page and the index it asks: a plain list for everyone, and an index that Pagefind really makes."""

from __future__ import annotations

import json
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from pbem.game.commands import Speak, Vote
from pbem.publish import finding
from pbem.publish.log import log_of
from pbem.publish.press import Memory
from pbem.publish.versions import publish
from tests.game.conftest import Table, enact
from tests.publish.pages import pages_of
from tests.publish.played import PRINTER, SITE, Reading, played, printed, seated, target, texts

SEARCHED = replace(SITE, search=True)


def put_up(folder: Path, game: Table) -> None:
    pages = pages_of(game.state, log_of(game.log), SEARCHED, PRINTER)
    publish(folder, "kaffe", game.state.seq, pages)


def test_the_page_lists_every_rule_in_force_and_every_proposal_and_each_link_leads_there():
    game = played()
    pages = printed(game)
    page = Reading(pages["kaffe/search/index.html"])

    led_to = {
        target("kaffe/search/index.html", link)[0] for link in page.links if not link.startswith("mailto:")
    }
    rules = {f"kaffe/rules/{rule.number}/index.html" for rule in game.state.rulebook.in_force}
    assert rules | {f"kaffe/proposals/{number}/index.html" for number in game.state.proposals} <= led_to
    assert led_to - {"index.html"} <= pages.keys()
    assert "302 How many rules" in page.words
    assert page.faults == []


def test_what_is_new_prints_its_line_and_no_other():
    game, memory = played(last="for"), Memory()
    printed_parts: list[int] = []

    def lines() -> dict[object, object]:
        return {slot: made for slot, (_, made) in memory.parts.items() if "search_entry.html" in slot}

    def page() -> None:
        before = lines()
        texts(pages_of(game.state, log_of(game.log), SITE, PRINTER, memory))
        printed_parts.append(sum(before.get(slot) is not made for slot, made in lines().items()))

    page()
    game.play("Bo", Speak("A word.", 304))
    page()
    for name in ("Bo", "Cia", "Dan"):
        game.play(name, Vote("for", 304))
    game.play("Dan", enact("Te", "Te."))
    page()

    # Adopted, 304 is the number of the rule that was 112; 305 is proposed.
    assert printed_parts == [29 + 4, 0, 2]


def test_a_page_without_an_index_runs_nothing_and_one_with_it_only_our_script():
    game = played()
    plain, searched = (
        texts(pages_of(game.state, log_of(game.log), view, PRINTER)) for view in (SITE, SEARCHED)
    )

    assert "search.js" not in plain
    assert not any("<script" in text or "<form" in text for text in plain.values())
    assert [path for path, text in searched.items() if "<script" in text] == ["search/index.html"]
    assert "script-src 'self' 'wasm-unsafe-eval'; connect-src 'self';" in searched["search/index.html"]
    others = (
        text for path, text in searched.items() if path.endswith(".html") and path != "search/index.html"
    )
    assert not any("script-src" in text or "connect-src" in text for text in others)


@pytest.mark.slow
def test_an_index_is_made_beside_the_pages_and_is_stale_when_they_are_newer(tmp_path):
    game = seated("sv")
    game.turn("Alva", enact("Trädgårdsfest", "Den som vinner bjuder på sill."), "ABCD")
    put_up(tmp_path, game)
    assert finding.is_stale(tmp_path, "kaffe")

    finding.make(tmp_path, "kaffe")

    index = tmp_path / "kaffe.search"
    entry = json.loads((index / "pagefind-entry.json").read_text())
    assert list(entry["languages"]) == ["sv"]
    assert not finding.is_stale(tmp_path, "kaffe")
    assert not list(index.glob("*ui*"))
    game.play("Bo", enact("Te", "Te."))
    put_up(tmp_path, game)
    assert finding.is_stale(tmp_path, "kaffe")
    finding.make(tmp_path, "kaffe")
    assert not finding.is_stale(tmp_path, "kaffe")
    left = sorted(each.name.partition("-")[0] for each in (tmp_path / ".versions").iterdir())
    assert left == ["kaffe", "kaffe", "kaffe.search"]


@pytest.mark.slow
def test_rules_proposals_and_cases_are_indexed_and_numbers_that_only_lead_on_are_not(tmp_path):
    game = played()
    put_up(tmp_path, game)
    finding.make(tmp_path, "kaffe")

    entry = json.loads((tmp_path / "kaffe.search" / "pagefind-entry.json").read_text())

    rules, proposals, archive = len(game.state.rulebook.rules), len(game.state.proposals), 1
    assert entry["languages"]["en"]["page_count"] == rules + proposals + archive


def test_an_index_that_cannot_be_made_leaves_the_old_one_up_and_nothing_lying_about(tmp_path, monkeypatch):
    put_up(tmp_path, played())
    finding.make(tmp_path, "kaffe")
    before = (tmp_path / "kaffe.search").readlink()
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho 'no room' >&2\nexit 1\n")
    broken.chmod(broken.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr("sys.executable", str(broken))

    with pytest.raises(finding.NoIndex, match="no room"):
        finding.make(tmp_path, "kaffe")

    assert (tmp_path / "kaffe.search").readlink() == before
    assert (before if before.is_absolute() else tmp_path / before).is_dir()
    assert not [each for each in (tmp_path / ".versions").iterdir() if each.name.startswith(".")]


def test_a_game_that_is_not_published_has_no_stale_index(tmp_path):
    assert not finding.is_stale(tmp_path, "kaffe")
