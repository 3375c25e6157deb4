"""Printing notices the way the service does, and reading what came out.

What lives here: the printer with the real phrases, and the words of a page. What never may: a test.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser

from pbem.game.commands import CallVote, Vote
from pbem.game.events import Fact
from pbem.game.state import State
from pbem.mail.notice import Notice
from pbem.mail.notify import notices
from pbem.mail.phrasing import phrase
from pbem.render import WIDTH, Printer
from tests.game.conftest import Table

PRINTER = Printer(phrase)
SITE = "https://nomic.example/kaffe/"


def as_text(
    notice: Notice, language: str = "en", zone: str = "UTC", site: str = SITE, you: int | None = None
) -> str:
    view = {**notice.view, "site": site, "you": you}
    return PRINTER.text(notice.template, view, language=language, zone=zone)


def as_html(
    notice: Notice, language: str = "en", zone: str = "UTC", site: str = SITE, you: int | None = None
) -> str:
    view = {**notice.view, "site": site, "you": you}
    return PRINTER.html(notice.template, view, language=language, zone=zone)


def subject(notice: Notice) -> str:
    return PRINTER.sentence(notice.subject, language="en", zone="UTC")


def flat(text: str) -> str:
    """The text on one line, for sentences that are wrapped."""
    return " ".join(text.split())


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


def too_wide(text: str) -> list[str]:
    """Lines over the width that had a place to break at."""
    return [line for line in text.splitlines() if len(line) > WIDTH and " " in line.lstrip("> ")]


class _Seen(HTMLParser):
    """The text a reader of the page sees, and the tags that show it."""

    def __init__(self) -> None:
        super().__init__()
        self.text: list[str] = []
        self.tags: list[str] = []
        self.attributes: dict[str, str | None] = {}
        self.hidden = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= dict(attrs)
        self.hidden = tag in ("title", "style")

    def handle_endtag(self, tag: str) -> None:
        self.hidden = self.hidden and tag not in ("title", "style")

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.text.append(data)


def seen(page: str) -> _Seen:
    reader = _Seen()
    reader.feed(page)
    return reader


class Mailed(Table):
    """A game at a table that keeps every notice it gives rise to."""

    notices: list[Notice]

    def _take(self, facts: tuple[Fact, ...], mail: str | None = None) -> None:
        before: State = self.state
        super()._take(facts, mail)
        self.notices = [*getattr(self, "notices", []), *notices(before, self.state, facts, before.seq + 1)]

    def turn_of_votes(self, name: str, number: int, votes_for: str, votes_against: str = "") -> None:
        """`name` ends the debate on a proposal, and the players whose names begin so vote."""
        self.play(name, CallVote(number))
        for initial in votes_for + votes_against:
            self.play(initial, Vote("for" if initial in votes_for else "against", number))

    def told(self, key: str) -> Notice:
        return next(notice for notice in self.notices if notice.key == key)

    def since(self, count: int) -> list[Notice]:
        return self.notices[count:]
