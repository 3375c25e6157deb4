"""A played game to publish, and its pages as a reader's browser takes them apart.

What lives here: the game, and a small reading of HTML. What never may: a test.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag

from pbem.game.commands import CallVote, Propose, Speak, Vote, Withdraw
from pbem.game.model import Choice, Clause
from pbem.mail.phrasing import phrase
from pbem.publish import site
from pbem.publish.log import log_of
from pbem.publish.page import Page, SiteView, game_line
from pbem.render import Printer
from tests.game.conftest import NAMES, Table
from tests.publish.pages import pages_of

PRINTER = Printer(phrase)
SITE = SiteView("https://nomic.example/", "nomic@nomic.example")
MAJORITY = "A rule change is adopted when more than half of the eligible votes are for it.\n\nA tie is a no."


def seated(language: str = "en", **house: str) -> Table:
    """Four players at a table in Stockholm."""
    return Table(NAMES[:4], language, zone="Europe/Stockholm", **house)


def ballot(game: Table, name: str, number: int, choice: Choice) -> None:
    game.play(name, Vote(choice, number, f"{choice} {number}"))


def played(language: str = "en", *, last: Choice = "against") -> Table:
    """Three turns: 301 amends 203 and passes 4 to 0, 302 is withdrawn, 303 falls 2 to 2, 304 is being voted on.

    `last` is Alva's ballot on 304, which nobody may see yet.
    """
    game = seated(language)
    majority = Clause("adopted when", "votes_for * 2 > eligible")
    game.play("Alva", Propose("amend", 203, "A majority decides", MAJORITY, (majority,)))
    game.play(
        "Bo", Speak("Why the hurry?\n\n> A tie is a no.\n\nI want *two* circuits of everyone first.", 301)
    )
    game.play("Alva", Speak("Because a slow game dies of silence. One absent player can stop us.", 301))
    game.ask("keeper", Speak("Please vote soon after the debate.", 301))
    game.play("Alva", CallVote(301))
    for name in "ABCD":
        ballot(game, name, 301, "for")
    game.play("Bo", Propose("repeal", 209))
    game.play("Bo", Withdraw(302))
    game.play("Bo", Propose("enact", None, "Tea on Fridays", "Whoever drinks tea on a Friday gets a point."))
    game.play("Bo", CallVote(303))
    for name, choice in (("Alva", "against"), ("Bo", "for"), ("Cia", "against"), ("Dan", "for")):
        ballot(game, name, 303, "for" if choice == "for" else "against")
    game.play("Cia", Propose("transmute", 112))
    game.play("Dan", Speak("This one I like. But then 208 is open to everything.", 304))
    game.play("Cia", CallVote(304))
    ballot(game, "Alva", 304, last)
    ballot(game, "Cia", 304, "for")
    return game


def printed(game: Table) -> dict[str, str]:
    """The pages of a game under its name, and the index of games: path → text."""
    view = SiteView(SITE.url, SITE.address, games=(game_line(game.state),))
    own = pages_of(game.state, log_of(game.log), SITE, PRINTER)
    return texts(own, "kaffe/") | texts(site.index(view, PRINTER))


def texts(pages: Iterable[Page], under: str = "") -> dict[str, str]:
    return {under + page.path: page.content.decode() for page in pages}


VOID = {"meta", "link", "br", "hr"}


@dataclass
class Reading(HTMLParser):
    """A page as read: its words with single spaces, ids, links, and everything not well-formed."""

    html: str
    words: str = ""
    ids: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    attributes: set[str] = field(default_factory=set)
    faults: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open: list[str] = []
        self.feed(self.html)
        self.close()
        self.faults += [f"<{tag}> is not closed" for tag in self._open]
        self.faults += [f"id {name} twice" for name in set(self.ids) if self.ids.count(name) > 1]
        self.words = " ".join(self.words.split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.words += " " if tag in ("td", "th") else ""
        self.attributes |= {name for name, _ in attrs}
        known = dict(attrs)
        self.ids += [known["id"] or ""] if "id" in known else []
        self.links += [known["href"] or ""] if "href" in known else []
        if tag in ("p", "h1", "h2", "h3") and "p" in self._open:
            self.faults.append(f"<{tag}> inside <p>")
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.faults.append(f"</{tag}> closes something else")

    def handle_data(self, data: str) -> None:
        self.words += data


def target(page: str, link: str) -> tuple[str, str]:
    """The page and anchor that a relative link on `page` leads to."""
    path, anchor = urldefrag(link)
    return posixpath.normpath(
        posixpath.join(posixpath.dirname(page), unquote(path))
    ) if path else page, anchor
