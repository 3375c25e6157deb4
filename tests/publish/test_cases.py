"""The pages of cases: whole pages, linked from where a reader looks for them.

What lives here: a game with cases, printed. What never may: a mail.
"""

from __future__ import annotations

import pytest

from pbem.game.commands import GiveVerdict, GoToJudgment, Overrule, Speak, Uphold
from tests.game.conftest import Table, enact
from tests.publish.played import Reading, printed, seated, target


def judged() -> Table:
    """J1 is overruled and ruled on anew, J2 waits for its Judge; both in Alva's turn."""
    game = seated()
    game.play("Alva", enact())
    game.play("Bo", GoToJudgment("Is <301> one change, as rule 103 wants?"))
    game.play("Alva", Speak("It *is* one.", case=1))
    game.play("Dan", GiveVerdict("illegal", 1, "No: see rule 202."))
    for name in ("Alva", "Bo", "Cia"):
        game.play(name, Overrule(1))
    game.play("Cia", GiveVerdict("legal", 1))
    game.play("Dan", Uphold(1))
    game.play("Cia", GoToJudgment("And may Alva revise it?"))
    return game


@pytest.fixture(name="pages", scope="module")
def _pages() -> dict[str, str]:
    return printed(judged())


def test_the_page_of_a_case_tells_the_question_each_verdict_and_the_debate(pages: dict[str, str]) -> None:
    page = Reading(pages["kaffe/cases/J1/index.html"])

    assert page.faults == []
    for words in (
        "“Is <301> one change, as rule 103 wants?”",
        "Dan Dahl: illegal",
        "No: see rule 202.",
        "Overruled by Alva Alm, Bo Berg and Cia Ceder.",
        "Cia Ceder: legal",
        "Upheld by Dan Dahl.",
        "It is one.",
        "The verdict stands unless the others overrule it",
        "overrule J1",
    ):
        assert words in page.words


def test_a_case_stands_on_the_rules_it_speaks_of_by_question_or_verdict(pages: dict[str, str]) -> None:
    shown = {path for path, page in pages.items() if "Cases that construe it" in page}

    assert shown == {f"kaffe/rules/{page}/index.html" for page in ("103", "202", "annotated")}


def test_all_links_to_and_from_cases_lead_somewhere(pages: dict[str, str]) -> None:
    for path, text in pages.items():
        page = Reading(text if path.endswith(".html") else "")
        assert page.faults == [], path
        for link in page.links:
            assert link.startswith(("http", "mailto")) or target(path, link)[0] in pages, (path, link)


def test_who_is_waited_for_is_told_with_a_link_to_the_case(pages: dict[str, str]) -> None:
    status = pages["kaffe/index.html"]

    assert "give the verdict in case J2" in status
    assert 'href="cases/J2/index.html"' in status


def test_there_is_nothing_of_cases_before_the_first() -> None:
    pages = printed(seated())

    assert not [path for path in pages if "cases" in path]
    assert not [path for path, page in pages.items() if "cases/index.html" in page]
