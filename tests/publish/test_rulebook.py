"""The rulebook on the site: each rule through all its numbers, with what construes it and who names it, for good."""

from __future__ import annotations

import pytest

from pbem.game.commands import GiveVerdict, GoToJudgment, OrderClause, Propose, Void
from tests.game.conftest import Table, amend, enact, majority
from tests.publish.played import Reading, printed, seated


def long_lived() -> Table:
    """203 becomes 301, on whose clauses the keeper then rules, and 303; 302 names 203; 304 repeals 209; J1 is about 203."""
    game = seated()
    game.turn("Alva", majority(), "ABCD")
    game.turn("Bo", enact("Tea", "Tea, as rule 203 lets us. And 203 again, and 999."), "ABCD")
    game.ask("keeper", OrderClause(301, "counter cups: 1", "Cups are meant."))
    thirds = amend(
        301, "Two thirds decide.", "Two thirds", "drop", adopted_when="votes_for * 3 > eligible * 2"
    )
    game.turn("Cia", thirds, "ABCD")
    game.turn("Dan", Propose("repeal", 209), "ABCD")
    game.play("Alva", GoToJudgment("Does rule 203 bind a guest?"))
    game.play("Cia", GiveVerdict("legal", 1, "It does not."))
    return game


@pytest.fixture(name="pages", scope="module")
def _pages() -> dict[str, str]:
    return printed(long_lived())


def words(pages: dict[str, str], number: object) -> str:
    return Reading(pages[f"kaffe/rules/{number}/index.html"]).words


def test_a_rule_has_every_version_with_its_cause_and_redlines_to_the_one_before_and_to_the_first(pages):
    page = words(pages, 303)

    assert "Its numbers: 203 → 301 → 303." in page
    assert "Amended by proposal 303 of Cia Ceder, turn 3, Mon 30 Nov 2026" in page
    assert "Changed by the keeper’s ruling" in page
    assert "“Cups are meant.” counter cupsadded: 1 Its whole text then Unanimity A rule change is" in page
    first = page.index("Against the first version")
    assert "when more than half of the eligible voters vote for it end of what was removed" in page[:first]
    assert "when every eligible voter votes for it, and not otherwise end of what was removed" in page[first:]


def test_a_number_keeps_its_page_with_the_version_that_had_it_and_its_anchors(pages):
    """301 was a text of its own, and the same text with another clause by the keeper's ruling."""
    ids = {number: Reading(pages[f"kaffe/rules/{number}/index.html"]).ids for number in (203, 301, 303)}

    assert "n203" in ids[203]
    assert {"n301", "n301-2", "n301-2-first"} <= set(ids[301])
    assert {"n203", "n301", "n301-2", "n303", "n303-first"} <= set(ids[303])
    assert (
        "Rule 301 is now rule 303, “Two thirds”. This is how it read until proposal 303, Mon 30 Nov"
        in words(pages, 301)
    )
    assert "more than half of the eligible voters vote for it. What the server carried out" in words(
        pages, 301
    )


def test_a_rule_tells_which_rules_name_it_by_any_number_it_had_when_they_were_written(pages):
    """204 and 302 name 203, which is 303 now; 108 says that the first number is 301, and means no rule."""
    assert "Rules that name it 204, 302 To change it" in words(pages, 303)
    assert "Rules that name it" not in words(pages, 302)


def test_the_rulebook_with_notes_tells_how_each_rule_came_what_construes_it_and_who_names_it(pages):
    book = words(pages, "annotated")

    assert (
        "302 Tea Tea, as rule 203 lets us. And 203 again, and 999. Enacted by proposal 302 of Bo Berg" in book
    )
    assert "203 Initial set 301 Amended by proposal 301 of Alva Alm, turn 1" in book
    assert "J1 Does rule 203 bind a guest? legal Named in rule 204, 302." in book
    assert "adopted when votes_for * 3 > eligible * 2" in book


def test_a_rule_of_the_annotated_book_says_which_clause_goes_first():
    game = seated()
    game.turn("Alva", enact("Two votes", "Two.", ballots_each='name == "Alva Alm" ? 2 : 1'), "ABCD")

    book = words(printed(game), "annotated")

    assert "ballots each 1 It counts, and goes before rule 301." in book
    assert "Without effect here: rule 207 goes before it." in book


def test_the_rulebook_begins_with_its_contents(pages):
    book = Reading(pages["kaffe/rules/index.html"])

    assert "Contents 101 The rules bind everyone 102 Two kinds of rule" in book.words
    assert {"#r101", "#r303"} <= set(book.links)


def test_the_number_of_a_change_that_was_taken_back_leads_to_the_rule_as_it_is():
    game = seated()
    game.turn("Alva", amend(201, "Another order.", carry="keep"), "ABCD")
    game.ask("keeper", Void(301, "a slip"))

    shown = words(printed(game), 301)

    assert "Rule 301 is now rule 201. What proposal 301 made of it has been taken back." in shown
