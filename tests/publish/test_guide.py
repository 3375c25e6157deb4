"""How to play by mail: what the page tells players to write is what the server understands."""

from __future__ import annotations

import pytest

from pbem.game.commands import Claim, Command, GoToJudgment, OrderClause
from pbem.mail.forms import Match, match
from pbem.mail.grammar import read_commands
from pbem.mail.lines import Line
from pbem.mail.phrasing import phrase
from pbem.mail.words import HELP, LANGUAGES
from pbem.publish.guide import parts
from pbem.render import languages
from tests.mail.reading import asked
from tests.publish.played import PRINTER, Reading, printed, seated

LESSONS = [lesson for part in parts(lambda said: said.text) for lesson in part.lessons]


def lines(language: str) -> list[tuple[Command, str]]:
    """Each example with the line for it, its words in that language too."""

    def words(said):
        return PRINTER.sentence(said, language=language, zone="UTC")

    return [
        (command, phrase(command, language))
        for part in parts(words)
        for lesson in part.lessons
        for command in lesson.commands
    ]


def meant(command: Command) -> Command | str:
    """What a command asks, whatever language a clause in it is named in."""
    return phrase(command, "en") if isinstance(command, OrderClause) else command


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_line_is_understood_as_what_it_is_meant_for(language):
    for command, line in lines(language):
        assert list(map(meant, asked(line))) == [meant(command)], line


def test_every_want_that_help_knows_has_an_example():
    wanted = {act for _, acts in HELP for act in acts}
    shown = {act for _, line in lines("en") for act in acts_of(line)}

    assert {act for act in wanted - shown if not act.startswith("check ")} == set()
    assert any(act.startswith("check ") for act in shown)


def acts_of(line: str) -> set[str]:
    found = match(Line.of(line.split("\n", maxsplit=1)[0]))
    assert isinstance(found, Match), line
    return {found.act}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_has_every_line_in_the_games_language_and_in_the_others(language):
    page = Reading(printed(seated(language))["kaffe/how-to-play/index.html"])

    for code in languages():
        for _, line in lines(code):
            assert " ".join(line.split()) in page.words
    assert page.faults == []


def test_only_what_can_be_sent_as_it_stands_is_a_link():
    """A click on an example must not vote on a proposal of that number."""
    links = [
        link for link in Reading(printed(seated())["kaffe/how-to-play/index.html"]).links if "body=" in link
    ]

    assert any(link.endswith("body=status") for link in links)
    assert [link for link in links if "301" in link or "propose" in link or "forfeit" in link] == []


def test_every_page_leads_to_it():
    for path, text in printed(seated()).items():
        if path.startswith("kaffe/") and path.endswith(".html"):
            assert "how-to-play/index.html" in text, path


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_gap_that_was_left_empty_is_asked_about_and_does_nothing(language):
    """The links for a judgment and a claim bring a gap to be filled."""
    for command in (GoToJudgment("<your question>"), Claim("<what is wrong>")):
        reading = read_commands(phrase(command, language))

        assert reading.commands == ()
        assert len(reading.problems) == 1
