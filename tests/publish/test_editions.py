"""The rulebook as of any turn: what a turn changed, what it left as it was, and where a reader finds the rest."""

from __future__ import annotations

import pytest

from pbem.game import editions
from pbem.game.commands import OrderClause, Propose
from pbem.game.model import Refused
from pbem.publish import editions as blocks
from tests.game.conftest import Table, amend, enact, majority
from tests.publish.played import Reading, printed, seated, target


def four_turns() -> Table:
    """Turn 1 makes 203 301; 2 enacts 302, which falls; 3 enacts 303; 4 repeals 209. After turn 1 the keeper rules on 206."""
    game = seated()
    game.turn("Alva", majority(), "ABCD")
    game.ask("keeper", OrderClause(206, "points when defeated: -5", "As agreed."))
    game.turn("Bo", enact("Cake"), "B", "ACD")
    game.turn("Cia", enact("Tea"), "ABCD")
    game.turn("Dan", Propose("repeal", 209), "ABCD")
    return game


@pytest.fixture(name="pages", scope="module")
def _pages() -> dict[str, str]:
    return printed(four_turns())


def words(pages: dict[str, str], turn: int) -> str:
    return Reading(pages[f"kaffe/turns/{turn}/index.html"]).words


def test_what_changed_between_two_turns_is_told_whichever_comes_first():
    game = four_turns().state

    numbers = [
        (p.before and p.before.number, p.after and p.after.number) for p in editions.between(game, 1, 4)
    ]
    back = [(p.before and p.before.number, p.after and p.after.number) for p in editions.between(game, 4, 1)]

    assert numbers == [(209, None), (None, 303)]
    assert back == [(None, 209), (303, None)]
    assert [p.after.number for p in editions.between(game, 0, 1) if p.after] == [206, 301]
    assert editions.between(game, 2, 2) == editions.between(game, 1, 2) == ()


def test_a_turn_that_has_not_been_is_refused_with_what_there_is():
    with pytest.raises(Refused, match="There has been no turn 5 yet: the last one is 4"):
        editions.between(four_turns().state, 1, 5)


def test_a_turn_that_changed_the_rules_lists_them_with_what_is_new_in_it_and_since_the_start(pages):
    assert "301 Unanimity changed since the start, in this turn" in words(pages, 1)
    assert "301 Unanimity changed since the start 204" in words(pages, 3)
    assert "303 Tea new since the start, in this turn" in words(pages, 3)
    assert "303 Tea new since the start" in words(pages, 4)
    assert "209 How many rules repealed by 304, in this turn" in words(pages, 4)


def test_a_turn_that_changed_none_leads_to_the_one_that_lists_them(pages):
    turn = Reading(pages["kaffe/turns/2/index.html"])

    assert "Rules 101 to 301: as after turn 1" in turn.words
    assert "../../turns/1/index.html#b1" in turn.links


def test_what_the_keeper_ruled_after_a_turn_is_told_with_it(pages):
    assert "Changed by the keeper’s ruling 206" in words(pages, 1)
    assert "points when defeatedremoved: -10added: -5" in words(pages, 1)


def test_the_start_has_a_page_with_the_rules_as_they_were(pages):
    start = Reading(pages["kaffe/turns/0/index.html"])

    assert "203 Unanimity" in start.words
    assert "since the start" not in start.words
    assert "../../rules/203/index.html#n203" in start.links


def test_each_rule_of_an_edition_leads_to_its_text_of_then(pages):
    read = {path: Reading(text) for path, text in pages.items() if path.endswith(".html")}
    for turn in range(5):
        page = f"kaffe/turns/{turn}/index.html"
        for link in read[page].links:
            if not link.startswith("mailto:"):
                goal, anchor = target(page, link)
                assert not anchor or anchor in read[goal].ids, (turn, link)


def test_a_turn_of_a_large_rulebook_lists_no_more_than_the_block_it_changed(monkeypatch):
    monkeypatch.setattr(blocks, "RULES_A_BLOCK", 10)
    pages = printed(four_turns())

    third = Reading(pages["kaffe/turns/3/index.html"])

    assert "Rules 101 to 110: as at the start" in third.words
    assert "303 Tea new since the start, in this turn" in third.words
    assert sum("/rules/" in link and "#n" in link for link in third.links) <= 20


def test_an_amendment_of_an_amended_rule_leads_to_the_redline_against_its_first_text():
    game = seated()
    game.turn("Alva", amend(204, "One.", carry="keep"), "ABCD")
    game.turn("Bo", amend(301, "Two.", carry="keep"), "ABCD")

    page = Reading(printed(game)["kaffe/turns/2/index.html"])

    assert "../../rules/302/index.html#n302-first" in page.links
