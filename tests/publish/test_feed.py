"""The feed, as a feed reader takes it (RFC 4287)."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree.ElementTree import Element, fromstring

from pbem.game.commands import Speak
from pbem.publish.log import log_of
from pbem.publish.page import SiteView
from tests.publish.pages import pages_of
from tests.publish.played import PRINTER, SITE, Reading, played, printed, seated, texts

ATOM = "{http://www.w3.org/2005/Atom}"
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def feed(pages: dict[str, str]) -> Element:
    return fromstring(pages["kaffe/feed.xml"])  # noqa: S314  # our own


def said(of: Element, name: str) -> str:
    (found,) = of.findall(ATOM + name)
    return found.text or ""


def link(of: Element, rel: str) -> str:
    (found,) = [each for each in of.findall(f"{ATOM}link") if each.get("rel") == rel]
    return found.get("href", "")


def test_the_feed_has_all_that_a_reader_must_find_and_its_links_lead_to_pages():
    pages = printed(played())
    root = feed(pages)
    entries = root.findall(f"{ATOM}entry")

    assert root.tag == f"{ATOM}feed"
    assert said(root.find(f"{ATOM}author"), "name") == "Nomic"
    assert link(root, "self") == "https://nomic.example/kaffe/feed.xml"
    ids = [said(each, "id") for each in (root, *entries)]
    assert len(set(ids)) == len(ids) > 20
    assert all(re.fullmatch(r"urn:uuid:[0-9a-f-]{36}", each) for each in ids)
    assert all(MOMENT.fullmatch(said(each, "updated")) for each in (root, *entries))
    assert (
        said(root, "updated") == said(entries[0], "updated") == max(said(each, "updated") for each in entries)
    )
    for entry in entries:
        path, _, anchor = link(entry, "alternate").removeprefix(SITE.url).partition("#")
        assert path in pages
        assert not anchor or anchor in Reading(pages[path]).ids
        assert said(entry, "title")


def test_every_page_names_the_feed():
    pages = printed(played())

    for path, text in pages.items():
        if path.startswith("kaffe/") and path.endswith(".html"):
            assert '<link rel="alternate" type="application/atom+xml" href=' in text, path


def test_an_entry_keeps_its_name_when_others_come_and_when_the_site_moves():
    game = played()
    before = {said(each, "title"): said(each, "id") for each in feed(printed(game)).findall(f"{ATOM}entry")}
    game.play("Bo", Speak("One more word.", 304))
    moved = texts(
        pages_of(game.state, log_of(game.log), SiteView("https://other.example/"), PRINTER), "kaffe/"
    )
    after = {said(each, "title"): said(each, "id") for each in feed(moved).findall(f"{ATOM}entry")}

    same = before.keys() & after.keys()
    assert len(same) > 15
    assert {title: before[title] for title in same} == {title: after[title] for title in same}
    assert "One more word." in moved["kaffe/feed.xml"]


def test_words_are_markup_of_ours_and_whatever_xml_cannot_hold_is_left_out():
    game = seated()
    game.play("Alva", Speak("A <b>bold</b> word & *more*, \x0b and ]]> ask a@b.example."))

    first, *_ = feed(printed(game)).findall(f"{ATOM}entry")
    (content,) = first.findall(f"{ATOM}content")

    assert content.get("type") == "html"
    assert "&lt;b&gt;bold&lt;/b&gt; word &amp; <em>more</em>" in content.text
    assert "a@…" in content.text


def test_ballots_are_no_news_and_thirty_entries_are_enough():
    game = seated()
    for number in range(50):
        game.play("Alva", Speak(f"Number {number}."))

    titles = [said(each, "title") for each in feed(printed(game)).findall(f"{ATOM}entry")]

    assert len(titles) == 30
    assert "Number 49." in titles[0]
    assert not any("votes on" in title for title in titles)


def test_without_an_address_there_is_no_feed_since_its_links_would_lead_nowhere():
    game = played()
    made = texts(pages_of(game.state, log_of(game.log), replace(SITE, url=""), PRINTER))

    assert "feed.xml" not in made
    assert not any("feed.xml" in text for text in made.values())
