"""Hostile words in every place that players fill: none runs, fetches anything or becomes an element; all are shown as typed.

Names, titles, rule texts, clauses, debate, subjects, and table talk, sent as mails; looked at on the pages,
under the policy the pages bring along, and in the HTML of mails, under none.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import replace
from itertools import chain, product
from pathlib import Path

import pytest
from selenium.common.exceptions import UnexpectedAlertPresentException

from pbem.mail.phrasing import phrase
from pbem.render import Printer, templates_folder
from pbem.service import publishing, searching
from pbem.service.web import Preview
from pbem.store import eventlog
from tests.flow.conftest import opened
from tests.flow.post import TEA, Letter, Post
from tests.live import injecting
from tests.promises.table import Promise
from tests.publish.injections import ANY, Found, Lawful, begun, injections, kinds_of
from tests.publish.library import Site
from tests.servers.chromium import Browser

pytestmark = pytest.mark.live

PART = 50
"""So many of the words are sent in one story, in a game of two and some to which many come."""
SEARCH = "*/search/index.html"
"""The type of the one page that has a script."""
SEATS = 13
"""So many of them are names in one game: whoever comes is told of to all who are there."""


@pytest.fixture(scope="session", name="lawful")
def _lawful(english: Site, tmp_path_factory: pytest.TempPathFactory) -> Lawful:
    """The kinds of elements and attributes in all pages of games without a hostile word; the page of the search has its form
    and its script besides, on a host that has Pagefind."""
    common = _kinds(english.read(path) for path in english.pages)
    with opened(tmp_path_factory.mktemp("searched")) as post:
        post.found("Alice", "Bo")
        return {ANY: common, SEARCH: common | kinds_of(post.page("search/index.html"))}


@pytest.fixture(scope="session", name="lawful_in_mails")
def _lawful_in_mails(tmp_path_factory: pytest.TempPathFactory) -> Lawful:
    """The same in the mails of a turn, and of some table talk."""
    with opened(tmp_path_factory.mktemp("harmless")) as post:
        post.found("Alice", "Bo")
        post.turn("Alice", f"{TEA}\n\nclause points for dissent: 1", Bo="for")
        post.mail("Alice", "Hello, everybody! Here we are again.")
        return {ANY: _kinds(letter.html for letter in post.inbox("Bo"))}


def _kinds(pages: Iterable[str]) -> frozenset[str]:
    return frozenset(chain.from_iterable(map(kinds_of, pages)))


def test_there_are_two_hundred() -> None:
    assert len(set(injections())) == 200


@pytest.mark.timeout(240)
@pytest.mark.promise(19)
@pytest.mark.parametrize("first", range(0, 200, PART))
def test_hostile_words_stay_words(
    browser: Browser, lawful: Lawful, lawful_in_mails: Lawful, tmp_path: Path, promise: Promise, first: int
) -> None:
    numbers = range(first, first + PART)
    with opened(tmp_path) as post:
        injecting.two_play(post, numbers)
        for begin in range(0, PART, SEATS):
            injecting.many_come(post, f"lake-{begin}", numbers[begin : begin + SEATS])
        letters = [*_hostile(post, "Bo"), *_hostile(post, f"guest {first}")]
        pages, screens = _looks(browser, post, lawful)
    mails = injecting.shown_mails(browser, letters, tmp_path, lawful_in_mails)

    assert (pages.wrong, screens.wrong, mails.wrong) == ([], [], [])
    found = pages.seen | screens.seen | mails.seen
    promise.shows(faults=len(found), mails=len(letters), scripts=_wrong(pages, screens, mails))
    assert pages.seen >= set(product("ntrcd", numbers))
    assert screens.seen >= set(product("ntrcd", numbers))
    assert mails.seen >= set(product("trcdp", numbers))


def _wrong(*found: Found) -> int:
    return sum(len(each.wrong) for each in found)


@pytest.mark.promise(19)
def test_a_fault_in_a_template_is_seen(
    browser: Browser, lawful: Lawful, tmp_path: Path, promise: Promise
) -> None:
    """The title of a proposal as markup, on its page and in the heading of mails: the first of the words is a script."""
    templates = tmp_path / "templates"
    shutil.copytree(templates_folder(), templates)
    for name, title in (
        ("site/proposal.html.j2", "proposal.title }}</h1>"),
        ("mail/html.j2", "text }}</h1>"),
    ):
        whole = (templates / name).read_text("utf-8")
        assert whole.count(title) == 1
        (templates / name).write_text(whole.replace(title, title.replace(" }}", " | safe }}")), "utf-8")
    with opened(tmp_path) as post:
        post.host = replace(post.host, printer=Printer(phrase, templates))
        injecting.two_play(post, range(1))
        pages, screens = _looks(browser, post, lawful)
        letter = next(letter for letter in post.inbox("Bo") if "<script>" in letter.html)
        shutil.rmtree(tmp_path / "mail")  # they break the laws of layout, as they should

    assert "kaffe/proposals/301/index.html has script" in pages.wrong
    assert "kaffe/proposals/301/index.html shows t0 as ''" in screens.wrong
    assert any("Content Security Policy" in complaint for complaint in screens.wrong)
    with promise.breaks("a template takes a title for markup"):
        promise.shows(faults=1, scripts=_wrong(pages, screens))
    with pytest.raises(UnexpectedAlertPresentException):
        injecting.shown_mails(browser, [letter], tmp_path, {ANY: frozenset()})


def _looks(browser: Browser, post: Post, lawful: Lawful) -> tuple[Found, Found]:
    """What is found on the pages of a host as they are parsed, and as they are shown."""
    publishing.publish_due(post.host)
    with post.host.store.reading():
        searching.make(post.folder / "site", [entry.slug for entry in eventlog.games(post.host.store)])
    preview = Preview(post.folder / "site", 0)
    preview.start()
    site = Site(post.folder / "site", "en", preview.url)
    found = injecting.parsed(site, lawful), injecting.shown(browser, site, lawful)
    preview.stop()
    return found


def _hostile(post: Post, name: str) -> list[Letter]:
    """Somebody's mails with any of the words; of those alike in subject and words the last, which is the ballot paper."""
    letters = {(letter.subject, begun(letter.html)): letter for letter in post.inbox(name)}
    return [letter for (_, words), letter in letters.items() if words]
