"""The site in a real browser: narrow and wide, light and dark, without script, with nothing fetched from elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver

from pbem.game.commands import CallVote, Propose, Speak
from pbem.publish import site
from pbem.publish.log import log_of
from pbem.publish.page import SiteView, game_line
from pbem.publish.versions import publish, write_index
from pbem.service.web import Preview
from tests.live.browsing import browsing
from tests.publish.played import PRINTER, SITE, ballot, played

pytestmark = pytest.mark.live

PAGES = (
    *("index.html", "kaffe/index.html", "kaffe/rules/index.html", "kaffe/rules/301/index.html"),
    *("kaffe/rules/203/index.html", "kaffe/rules/302/index.html", "kaffe/proposals/index.html"),
    *("kaffe/proposals/301/index.html", "kaffe/proposals/305/index.html", "kaffe/turns/index.html"),
    *(
        "kaffe/turns/1/index.html",
        "kaffe/scores/index.html",
        "kaffe/players/1/index.html",
        "kaffe/log/index.html",
    ),
    *("kaffe/archive/index.html", "kaffe/how-to-play/index.html", "kaffe/search/index.html"),
)
FAINT = """
const seen = [], light = c => c.map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
  .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
const parts = text => text.match(/[0-9.]+/g).map(Number);
for (const element of document.querySelectorAll('body *')) {
  const own = [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
  if (!own || element.closest('.unseen, .skip')) continue;
  let under = element;
  while (under && parts(getComputedStyle(under).backgroundColor)[3] === 0) under = under.parentElement;
  const back = light(parts(getComputedStyle(under).backgroundColor).slice(0, 3));
  const ink = light(parts(getComputedStyle(element).color).slice(0, 3));
  const contrast = (Math.max(back, ink) + .05) / (Math.min(back, ink) + .05);
  if (contrast < 4.5) seen.push(element.outerHTML.slice(0, 80) + ' ' + contrast.toFixed(2));
}
return seen;
"""
"""The elements whose words stand out from their ground by less than 4.5 to 1 (WCAG 2.2, 1.4.3)."""


@pytest.fixture(scope="module", name="folder")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published game, in which somebody has written words no screen is wide enough for."""
    game = played()
    for name in ("Bo", "Dan"):
        ballot(game, name, 304, "for")
    game.play("Dan", Propose("enact", None, "W" * 90, f"{'x' * 300}\n\n`{'y' * 300}`\n\n    {'z' * 300}"))
    game.play("Dan", Speak(f"https://a.example/{'q' * 200}", 305))
    game.play("Dan", CallVote(305))
    folder = tmp_path_factory.mktemp("site")
    publish(folder, "kaffe", game.state.seq, site.pages(game.state, log_of(game.log), SITE, PRINTER))
    write_index(folder, site.index(SiteView(games=(game_line(game.state),)), PRINTER))
    return folder


@pytest.fixture(scope="module", name="url")
def _url(folder: Path) -> Iterator[str]:
    preview = Preview(folder, 0)
    preview.start()
    yield preview.url
    preview.stop()


@pytest.fixture(scope="module", name="browser")
def _browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    with browsing(tmp_path_factory.mktemp("browser")) as browser:
        yield browser


def wide(browser: webdriver.Chrome, width: int) -> None:
    screen = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)


def asked_for(browser: webdriver.Chrome) -> list[str]:
    """The addresses fetched since the last look."""
    entries: list[Any] = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    return [e["params"]["request"]["url"] for e in entries if e["method"] == "Network.requestWillBeSent"]


def test_every_page_loads_without_a_complaint_and_asks_nobody_else_for_anything(browser, url):
    asked_for(browser)
    for page in PAGES:
        browser.get(url + page)
        assert browser.find_element("css selector", "h1").is_displayed(), page

    requests = asked_for(browser)
    assert [address for address in requests if not address.startswith((url, "data:"))] == []
    assert len(requests) > len(PAGES)
    assert browser.get_log("browser") == []


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
def test_no_page_scrolls_sideways(browser, url, width):
    wide(browser, width)
    for page in PAGES:
        browser.get(url + page)
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width, page


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_words_stand_out_from_their_ground(browser, url, scheme):
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    )
    for page in PAGES:
        browser.get(url + page)
        assert browser.execute_script(FAINT) == [], page
    ground = browser.execute_script("return getComputedStyle(document.documentElement).backgroundColor")
    assert (int(ground[4:].split(",")[0]) > 128) == (scheme == "light")


def test_the_numbers_stand_in_the_margin_where_there_is_one(browser, url):
    wide(browser, 1280)
    browser.get(url + "kaffe/rules/index.html")
    number, title = (
        browser.find_element("css selector", path).rect for path in ("#r101 .margin", "#r101 .prose")
    )

    assert number["x"] + number["width"] < title["x"]


def test_pages_read_from_a_disk_look_the_same(browser, folder):
    browser.get(f"file://{folder}/kaffe/index.html")
    browser.find_element("link text", "Rulebook").click()

    assert browser.find_element("css selector", "h1").text == "Rulebook"
    assert browser.execute_script("return getComputedStyle(document.body).maxWidth") != "none"


def test_the_first_thing_a_keyboard_reaches_leads_to_the_text(browser, url):
    browser.get(url + "kaffe/index.html")
    browser.switch_to.active_element.send_keys("\ue004")

    assert browser.switch_to.active_element.get_attribute("href").endswith("#text")
