"""Searching in a real browser, under the policy a web server sends: found by a Swedish word, by keyboard, without script."""

from __future__ import annotations

import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from selenium.webdriver.support.ui import WebDriverWait

from pbem.game.commands import Speak
from pbem.publish import finding
from pbem.publish.log import log_of
from pbem.publish.versions import publish
from pbem.service.web import Preview
from tests.game.conftest import enact
from tests.publish.pages import pages_of
from tests.publish.played import PRINTER, SITE, seated
from tests.servers.checkers import axe, bring_axe, nu
from tests.servers.chromium import Browser

pytestmark = pytest.mark.live


@pytest.fixture(scope="module", name="folder")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Swedish game with an index."""
    folder = put_up(tmp_path_factory.mktemp("site"))
    finding.make(folder, "kaffe")
    return folder


def put_up(folder: Path) -> Path:
    game = seated("sv")
    game.play("Alva", Speak("Jag har krusbär <img src=x onerror=alert(1)> över."))
    game.turn("Alva", enact("Trädgårdsfest", "Den som vinner bjuder på sill och jordgubbstårta."), "ABCD")
    game.play("Bo", enact("Båtar", "Varje båt har ett ankare."))
    game.play("Cia", Speak("Ett ankare av gjutjärn, menar du väl?", 302))
    pages = pages_of(game.state, log_of(game.log), replace(SITE, search=True), PRINTER)
    publish(folder, "kaffe", game.state.seq, pages)
    return folder


@pytest.fixture(scope="module", name="url")
def _url(folder: Path) -> Iterator[str]:
    preview = Preview(folder, 0)
    preview.start()
    yield preview.url
    preview.stop()


def look(browser: Browser, url: str, words: str) -> list[str]:
    """Types the words into the search page, and gives what is found: title and words of each."""
    browser.open(f"{url}kaffe/search/index.html")
    field = browser.driver.find_element("name", "q")
    WebDriverWait(browser.driver, 20).until(lambda _: field.is_displayed())
    field.send_keys(words)
    said = browser.driver.find_element("css selector", "[role=status]")
    WebDriverWait(browser.driver, 20).until(lambda _: said.text)
    return [entry.text for entry in browser.driver.find_elements("css selector", ".found > li")]


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("trädgårdsfest", "301 Trädgårdsfest"),
        ("jordgubbstårta", "301 Trädgårdsfest"),
        ("båtarna", "302 Båtar"),  # by its stem
        ("gjutjärn", "302 Båtar"),  # in the debate
        ("krusbär", "Arkiv"),  # at the table
    ],
)
def test_a_swedish_word_is_found_in_rules_debates_and_mails(browser, url, words, title):
    found = look(browser, url, words)

    assert found[0].startswith(title)


def test_a_rule_and_the_proposal_that_made_it_are_told_apart(browser, url):
    kinds = {entry.split("\n")[1] for entry in look(browser, url, "trädgårdsfest")}

    assert {"Regel", "Förslag"} <= kinds


def test_what_is_found_leads_to_its_page_and_what_players_wrote_stays_text(browser, url):
    (found,) = look(browser, url, "krusbär")

    assert "<img src=x onerror=alert(1)>" in found
    assert browser.driver.find_elements("css selector", ".found img") == []
    browser.driver.find_element("css selector", ".found a").click()
    assert browser.driver.current_url == f"{url}kaffe/archive/1/index.html"


def test_words_that_are_nowhere_are_said_to_be_nowhere(browser, url):
    assert look(browser, url, "xyzzyplugh") == []
    assert browser.driver.find_element("css selector", "[role=status]").text == "Inget hittas med de orden."


def test_no_complaint_and_nothing_from_elsewhere(browser, url):
    browser.complaints()
    look(browser, url, "sill")

    assert browser.complaints() == []
    fetched = browser.run("return performance.getEntriesByType('resource').map(entry => entry.name)")
    assert [address for address in fetched if not address.startswith(url)] == []
    assert any("kaffe.search/" in address for address in fetched)


def test_a_link_can_carry_the_words(browser, url):
    browser.open(f"{url}kaffe/search/index.html?q=sill")

    WebDriverWait(browser.driver, 20).until(
        lambda _: browser.driver.find_elements("css selector", ".found > li")
    )


@pytest.mark.parametrize("width", [320, 1280])
def test_what_is_found_fits_the_screen(browser, url, width):
    browser.width(width)
    look(browser, url, "ankare")

    assert browser.run("return document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_found_stands_in_nobodys_way(browser, url, scheme):
    browser.scheme(scheme)
    bring_axe(browser)
    look(browser, url, "ankare")

    assert axe(browser) == []
    assert nu([f"{url}kaffe/search/index.html"]) == []


def test_before_there_is_an_index_the_page_is_the_list(browser, tmp_path):
    browser.open(f"file://{put_up(tmp_path)}/kaffe/search/index.html")

    assert not browser.driver.find_element("css selector", "form").is_displayed()
    assert browser.driver.find_element("partial link text", "Trädgårdsfest").is_displayed()


def test_without_script_the_page_is_the_list(browser, url):
    browser.script(False)
    browser.open(f"{url}kaffe/search/index.html")

    assert not browser.driver.find_element("css selector", "form").is_displayed()
    assert browser.driver.find_element("partial link text", "Trädgårdsfest").is_displayed()


def test_only_the_search_page_may_run_a_script(url):
    def policy(path: str) -> str:
        with urllib.request.urlopen(url + path) as answer:  # noqa: S310  # our own preview
            return answer.headers["Content-Security-Policy"]

    assert "script-src" in policy("kaffe/search/index.html")
    assert "script-src" in policy("kaffe/search/?q=x")
    for path in ("kaffe/index.html", "kaffe/rules/index.html", "kaffe/archive/index.html", ""):
        assert "script-src" not in policy(path)
