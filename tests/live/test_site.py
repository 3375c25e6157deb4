"""The site in a real browser, in either language: as a reader meets it with a phone, a keyboard, large letters, at night, on
paper, without script, from a disk; and as the judges of accessibility and of HTML see it.

What lives here: what must hold for every page. What never may: the name of a page. Those with something new on them
are found in the folder (`Site.specimens`); what is quick is asked of every page there is.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Final
from urllib.parse import unquote, urldefrag

import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.promises.table import Promise
from tests.publish.library import Site, shape
from tests.publish.played import target
from tests.servers.checkers import LOOKS, axe, bring_axe, nu
from tests.servers.chromium import Browser, Scheme

pytestmark = pytest.mark.live

SHAPES = {
    *("index.html", "*/index.html", "*/rules/index.html", "*/rules/#/index.html", "*/proposals/index.html"),
    *("*/proposals/#/index.html", "*/turns/index.html", "*/turns/#/index.html", "*/scores/index.html"),
    *("*/players/#/index.html", "*/log/index.html", "*/log/#/index.html", "*/cases/index.html"),
    "*/cases/J#/index.html",
}
LINKS = "return [...document.querySelectorAll('[href], [src]')].map(one => one.href || one.src)"
WATCH_FOCUS = """
const stops = [...document.querySelectorAll('a[href], button, input, select, summary, [tabindex]')]
  .filter(one => one.tabIndex >= 0 && one.checkVisibility({visibilityProperty: true}));
window.reached = [];
const isSeen = box =>
  box.width > 0 && box.right > 0 && box.bottom > 0 && box.left < innerWidth && box.top < innerHeight;
document.addEventListener('focusin', ({target}) => {
  const box = target.getBoundingClientRect(), style = getComputedStyle(target);
  const stop = {
    stop: stops.indexOf(target), html: target.outerHTML.slice(0, 120),
    left: box.left, right: box.right, top: box.top + scrollY, bottom: box.bottom + scrollY,
    ringed: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2, seen: isSeen(box)};
  window.reached.push(stop);
  setTimeout(() => stop.seen ||= isSeen(target.getBoundingClientRect()));  // once it has been scrolled to
});
return stops.length;
"""
"""Counts where the Tab key should stop, and notes where it does: in which order, at which place, how it is marked."""
REACHED = "const [done] = arguments; setTimeout(() => done(window.reached))"
MEASURE = """
return [document.documentElement.scrollWidth, parseFloat(getComputedStyle(document.body).fontSize)];
"""
HIDDEN_ON_PAPER = "return [...document.querySelectorAll('nav:not(.contents), footer, .skip, .acts')].every(one => !one.checkVisibility())"


def one_of_each(site: Site) -> list[str]:
    """A page of each type."""
    return list({shape(path): path for path in reversed(site.specimens)}.values())


def nobody_else_was_asked(browser: Browser, base: str, pages: int) -> None:
    """Since the browser was plain it has looked at so many pages below `base`, at nothing else, and it complained of nothing."""
    requests = browser.asked_for()
    assert len(requests) > pages
    assert [address for address in requests if not address.startswith((base, "data:"))] == []
    assert browser.complaints() == []


def test_the_library_has_a_page_of_each_type(site: Site) -> None:
    assert set(map(shape, site.pages)) >= SHAPES
    assert set(map(shape, site.specimens)) == set(map(shape, site.pages))


# ---- links ----


@pytest.mark.promise(33)
def test_every_link_of_every_page_leads_to_a_file_and_a_place_in_it(site: Site, promise: Promise) -> None:
    lost = [
        (path, link) for path in site.pages for link in _links(site.read(path)) if _lost(site, path, link)
    ]

    assert lost == []
    promise.shows(faults=len(site.pages), accepted=len(lost))


@pytest.mark.promise(33)
def test_a_link_that_leads_nowhere_is_seen(english: Site, promise: Promise) -> None:
    page = "kaffe/rules/101/index.html"

    for link in ("../999/index.html", "../102/index.html#nowhere", "../102/", "/style.css", "javascript:1"):
        with promise.breaks(f"a link to {link}"):
            promise.shows(faults=1, accepted=int(_lost(english, page, link)))
    for link in ("../102/index.html#history", "#history", "mailto:a@b.example", "../../style.css"):
        assert not _lost(english, page, link), link


@pytest.mark.promise(33)
@pytest.mark.parametrize("way", ["script", "no script", "disk"])
def test_the_links_a_browser_shows_lead_somewhere(
    browser: Browser, site: Site, promise: Promise, way: str
) -> None:
    browser.script(way == "script")
    base = f"file://{site.folder}/" if way == "disk" else site.url
    pages = one_of_each(site)
    for path in pages:
        browser.open(base + path)
        links = browser.run(LINKS)
        assert links, path
        inside = [link.removeprefix(base) for link in links if link.startswith(base)]
        outside = [link for link in links if not link.startswith(base)]
        assert [link for link in inside if _lost(site, "", link)] == [], path
        assert [
            link
            for link in outside
            if not link.startswith(("mailto:", "https://a.example/", "https://b.example/"))
        ] == [], path
    nobody_else_was_asked(browser, base, len(pages))
    promise.shows(faults=len(pages), accepted=0)


def test_pages_read_from_a_disk_look_the_same(browser: Browser, site: Site) -> None:
    browser.open(f"file://{site.folder}/kaffe/index.html")
    browser.driver.find_element("css selector", "nav a").click()

    assert browser.driver.current_url == f"file://{site.folder}/kaffe/rules/index.html"
    assert browser.run("return getComputedStyle(document.body).maxWidth") != "none"


def _links(html: str) -> Iterator[str]:
    for node in LexborHTMLParser(html).css("[href], [src]"):
        yield node.attributes.get("href") or node.attributes.get("src") or ""


def _lost(site: Site, path: str, link: str) -> bool:
    """Whether a link on a page leads to no file of the site (a folder is none on a disk), or to no place in it."""
    if link.startswith(("mailto:", "https:", "http:")):
        return False
    if not path:
        address, anchor = urldefrag(link)
        page = unquote(address)
    else:
        page, anchor = target(path, link)
    return page not in site.files or (bool(anchor) and anchor not in _ids(site, page))


@cache
def _ids(site: Site, page: str) -> frozenset[str]:
    return frozenset(node.id or "" for node in LexborHTMLParser(site.read(page)).css("[id]"))


# ---- judges ----

PHONE_BY_DAY: Final = (320, "light")
PHONE_BY_NIGHT: Final = (320, "dark")
DESK_BY_DAY: Final = (1280, "light")
DESK_BY_NIGHT: Final = (1280, "dark")


@pytest.mark.promise(33)
def test_axe_finds_nothing_in_the_way_of_anybody(browser: Browser, site: Site, promise: Promise) -> None:
    """Each page is judged in full on a phone or at a desk, by day or by night, and its looks in the opposite case.

    In English every kind of thing there is; in Swedish, which has the same, a page of each type.
    """
    whole, other = {"en": (PHONE_BY_DAY, DESK_BY_NIGHT), "sv": (DESK_BY_DAY, PHONE_BY_NIGHT)}[site.language]
    bring_axe(browser)
    found = {}
    for path in site.specimens if site.language == "en" else one_of_each(site):
        _seen_as(browser, *whole)
        browser.open(site.url + path)
        found[path] = axe(browser)
        _seen_as(browser, *other)
        found[path] += axe(browser, *LOOKS)

    assert {path: faults for path, faults in found.items() if faults} == {}
    promise.shows(faults=len(found), accepted=sum(map(len, found.values())))


def _seen_as(browser: Browser, width: int, scheme: Scheme) -> None:
    browser.width(width)
    browser.scheme(scheme)


@pytest.mark.promise(33)
def test_axe_sees_faint_words_and_links_without_any(
    browser: Browser, english: Site, promise: Promise
) -> None:
    bring_axe(browser)
    browser.open(english.url + "kaffe/index.html")
    browser.run("document.querySelector('h1').style.color = '#ddd'")
    browser.run("document.querySelector('nav a').textContent = ''")

    found = axe(browser)
    assert {fault.partition(":")[0] for fault in found} >= {"color-contrast", "link-name"}
    with promise.breaks("faint words, and a link without any"):
        promise.shows(faults=1, accepted=len(found))
    assert {fault.partition(":")[0] for fault in axe(browser, *LOOKS)} == {"color-contrast"}


@pytest.mark.promise(33)
def test_the_checker_of_html_finds_no_error_in_any_page_style_sheet_or_picture(
    english: Site, swedish: Site, promise: Promise
) -> None:
    served = [site.url + path for site in (english, swedish) for path in site.specimens]
    files = [f"{english.folder}/{path}" for path in english.files if path.endswith((".css", ".svg"))]
    wrong = english.folder / "wrong.html"
    wrong.write_text("<!doctype html><html lang=en><title>Wrong</title><p id=a><p id=a>", "utf-8")
    try:
        found = nu([*served, *files, f"{english.url}wrong.html"])
    finally:
        wrong.unlink()

    told = {(message.get("url", "").rpartition("/")[2], message["message"]) for message in found}
    assert any(page == "wrong.html" and "Duplicate ID" in message for page, message in told), (
        "it looked at the pages"
    )
    ours = {(page, message) for page, message in told if page != "wrong.html"}
    assert ours == set()
    promise.shows(faults=len(served) + len(files), accepted=len(ours))
    with promise.breaks("a page with the same id twice"):
        promise.shows(faults=1, accepted=len(told - ours))


# ---- eyes, hands, paper ----


SCREENS = ((320, 16), (390, 16), (768, 16), (1280, 16), (640, 32))
"""Widths in pixels, and the size of letters a reader has chosen; the last is a screen of 1280 at 200 % (WCAG 2.2, 1.4.4 and
1.4.10)."""


def test_no_page_scrolls_sideways_complains_or_asks_anybody_else_for_anything(
    browser: Browser, site: Site
) -> None:
    for path in site.specimens:
        browser.open(site.url + path)
        for width, letters in SCREENS:
            browser.width(width)
            browser.letters(letters)
            across, size = browser.run(MEASURE)
            assert across <= width, (path, width, letters)
            assert size >= letters, (path, width, letters)

    nobody_else_was_asked(browser, site.url, len(site.specimens))


def test_the_tab_key_stops_at_each_link_in_the_order_of_reading_and_goes_on(
    browser: Browser, site: Site
) -> None:
    """Every kind of stop in English; in Swedish, which has the same, on a page of each type."""
    for path in site.specimens if site.language == "en" else one_of_each(site):
        browser.open(site.url + path)
        stops = browser.run(WATCH_FOCUS)
        browser.press_tab(stops)
        reached = browser.settle(REACHED)

        assert [one["stop"] for one in reached] == list(range(stops)), path
        assert [one["html"] for one in reached if not (one["ringed"] and one["seen"])] == [], path
        above = [after["html"] for before, after in pairwise(reached[1:]) if _stands_before(after, before)]
        assert above == [], path
        browser.press_tab(1)
        assert browser.run("return document.activeElement === document.body"), f"{path} keeps the keyboard"


def _stands_before(one: dict[str, float], other: dict[str, float]) -> bool:
    """Whether one is read before the other: it is above, and not in a later column."""
    return one["bottom"] < other["top"] and one["left"] < other["right"]


def test_the_first_thing_a_keyboard_reaches_leads_past_the_contents_to_the_text(
    browser: Browser, site: Site
) -> None:
    for path in one_of_each(site):
        browser.open(site.url + path)
        browser.press_tab(1)
        skip = browser.driver.switch_to.active_element
        assert skip.get_attribute("href").endswith("#text"), path
        assert skip.rect["x"] >= 0, path
        skip.send_keys("\ue007")
        browser.press_tab(1)
        assert browser.run("return !document.activeElement.closest('header, .skip')"), path


def test_on_paper_stands_the_text_alone_and_dark_on_white(browser: Browser, site: Site) -> None:
    bring_axe(browser)
    browser.medium("print")
    browser.scheme("dark")
    for path in one_of_each(site):
        browser.open(site.url + path)
        assert browser.run(HIDDEN_ON_PAPER), path
        assert browser.driver.find_element("css selector", "h1").is_displayed(), path
        assert axe(browser, "color-contrast") == [], path
        ground = browser.run("return getComputedStyle(document.documentElement).backgroundColor")
        assert ground == "rgb(255, 255, 255)", path
        paper = browser.printed()
        assert paper.startswith(b"%PDF-"), path
        assert b"/Type /Page" in paper, path


def test_light_is_light_and_dark_is_dark(browser: Browser, english: Site) -> None:
    for scheme, is_light in (("light", True), ("dark", False)):
        browser.scheme(scheme)
        browser.open(english.url)
        ground = browser.run("return getComputedStyle(document.documentElement).backgroundColor")
        assert (int(ground[4:].split(",")[0]) > 128) == is_light


def test_the_numbers_stand_in_the_margin_where_there_is_one(browser: Browser, english: Site) -> None:
    browser.open(english.url + "kaffe/rules/index.html")
    number, title = (
        browser.driver.find_element("css selector", path).rect for path in ("#r101 .margin", "#r101 .prose")
    )

    assert number["x"] + number["width"] < title["x"]
