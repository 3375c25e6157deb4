"""A third language is one folder: a game told in it from the first mail to the digest, pages and help too.

What lives here: a catalogue made in the test, in which every sentence is English in rot13. What never may: a real
translation.
"""

from __future__ import annotations

import codecs
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import write_po

from pbem.mail.phrasing import phrase
from pbem.render import Printer, languages, templates_folder
from tests.flow.conftest import opened
from tests.flow.post import TEA, Post
from tests.test_languages import catalogue, english_left

POLISH = "pl"
"""It has three plurals, and names of days and months that no other language here has."""


def turned(text: str) -> str:
    """Each letter thirteen on, but for the places: `Rule %(number)d` → `Ehyr %(number)d`."""
    pieces = re.split(r"(%\(\w+\)[sd]|%%)", text)
    return "".join(
        piece if place % 2 else codecs.encode(piece, "rot13") for place, piece in enumerate(pieces)
    )


def toy() -> Catalog:
    """Everything the program says, in a language that nobody speaks; plurals end in their number."""
    made = Catalog(locale=POLISH)
    for message in catalogue("sv"):
        if isinstance(message.id, tuple):
            made.add(message.id, [turned(message.id[1]) + str(form) for form in range(3)])
        elif message.id:
            made.add(message.id, turned(message.id))
    return made


@pytest.fixture(scope="module", name="folder")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The templates as they are, with one folder more."""
    folder = tmp_path_factory.mktemp("third") / "templates"
    shutil.copytree(templates_folder(), folder)
    place = folder / "locale" / POLISH / "LC_MESSAGES"
    place.mkdir(parents=True)
    with (place / "pbem.po").open("wb") as file:
        write_po(file, toy())
    return folder


@pytest.fixture(name="post")
def _post(tmp_path: Path, folder: Path) -> Iterator[Post]:
    with opened(tmp_path) as post:
        yield Post(replace(post.host, printer=Printer(phrase, folder)), tmp_path)


def test_the_folder_is_enough_for_the_language_to_be_there(folder: Path) -> None:
    assert languages(folder) == ("en", POLISH, "sv")


def test_a_whole_turn_is_told_in_it_and_played_with_the_words_there_are(post: Post) -> None:
    post.found("Alice", "Bo", language=POLISH)
    post.turn("Alice", TEA, Alice="for", Bo="for")
    post.mail("Kim", "award Bo Berg +2: late\naward Bo Berg +1: again")
    post.mail("Alice", "rule 301\nhelp vote\nstatus")

    letters = [letter for name in ("Alice", "Bo", "Kim") for letter in post.inbox(name)]
    assert len(letters) > 12
    for letter in letters:
        for told in (letter.subject, letter.text, letter.shown):
            assert english_left(told, catalogue("sv")) == [], told
        assert f'<html lang="{POLISH}">' in letter.html
    paper, digest = post.newest("Bo", turned("Proposal 301")), post.newest("Bo", turned("Turn 1"))
    assert turned("Please vote by ") + "wt. 8 gru 2026" in paper.words, "the names of days and months"
    assert "\n    for 301\n    against 301\n" in paper.text, "words that it has none of are English"
    assert turned("Adopted. Rule 301 is in force.") in digest.words


def test_each_number_has_its_plural(post: Post) -> None:
    post.found("Alice", "Bo", language=POLISH)
    post.turn("Alice", TEA, Alice="for", Bo="for")
    for points in ("-8", "-1"):
        post.mail("Kim", f"award Alice Ahlgren {points}: late")
    post.turn("Bo", TEA.replace("Tea", "Milk"), Alice="for", Bo="for")

    page = " ".join(unescape(post.page("players", "1", "index.html")).split())
    digest = post.newest("Bo", turned("Turn 1")).words

    assert f"+10 {turned('points')}2" in digest
    assert f"1 {turned('points')}0" in page


def test_the_pages_are_in_it_too(post: Post) -> None:
    post.found("Alice", "Bo", language=POLISH)
    post.turn("Alice", TEA, Alice="for", Bo="for")

    page = post.page("index.html")

    assert f'<html lang="{POLISH}">' in page
    assert english_left(unescape(page), catalogue("sv")) == []
    assert "gru 2026" in " ".join(page.split())


def test_one_person_can_choose_it_in_a_game_of_another_language(post: Post) -> None:
    post.found("Alice", "Bo", "Cia")
    post.mail("Bo", f"set language {POLISH}")
    post.turn("Alice", TEA, Alice="for", Bo="for", Cia="for")

    receipt = post.mail("Bo", "status")
    unknown = post.mail("Cia", "set language fi")

    assert english_left(receipt.text, catalogue("sv")) == []
    assert "“fi” is not one of the choices." in unknown.words
    assert post.newest("Bo", turned("Turn 1"))
    assert post.newest("Cia", "Turn 1")
