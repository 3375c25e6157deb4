"""Games on one host: what goes wrong in one keeps no other waiting, and pages are never older than those before."""

from __future__ import annotations

import fcntl
import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pbem.render import Printer
from pbem.service import calendar, publishing
from pbem.service.books import Books
from pbem.service.recent import Recent
from pbem.store import eventlog
from tests.flow.conftest import opened
from tests.flow.post import DAY, MINUTE, Post
from tests.publish.played import Reading

FAULT = "a fault of ours in this game alone"


@pytest.fixture(name="broken")
def _broken(post: Post, monkeypatch: pytest.MonkeyPatch) -> Post:
    """Two games, of which “apa” can be neither mailed about nor published."""
    post.found("Alice", "Bo", game="apa")
    post.found("Cia", "Dan", game="bok")
    for way in ("text", "html"):
        real = getattr(Printer, way)

        def failing(self, template, view, *, real=real, **reading):
            if "apa" in (view.get("game"), getattr(view.get("frame"), "game", "")):
                raise RuntimeError(FAULT)
            return real(self, template, view, **reading)

        monkeypatch.setattr(Printer, way, failing)
    return post


def test_a_deadline_is_kept_though_another_games_calendar_fails(broken: Post, caplog) -> None:
    now = broken.now + 8 * DAY

    assert calendar.tick(broken.host, now) == 1

    assert FAULT in caplog.text
    with broken.host.store.reading():
        due = {entry.slug: entry.due for entry in eventlog.games(broken.host.store)}
        assert eventlog.due_games(broken.host.store, now) == (), (
            "the broken game rests before it is tried again"
        )
    assert due == {"apa": now + 5 * MINUTE, "bok": None}


def test_pages_are_made_though_another_games_cannot_be(broken: Post, caplog) -> None:
    assert publishing.publish_due(broken.host) == 1

    assert FAULT in caplog.text
    assert (broken.folder / "site/bok/index.html").is_file()
    with broken.host.store.reading():
        assert [game for game, _ in eventlog.sites_to_publish(broken.host.store)] == ["apa"]


def test_a_publisher_that_had_to_wait_does_not_put_up_what_is_old_by_then(post: Post) -> None:
    post.found("Alice", "Bo")
    post.pages()
    post.mail("Alice", "propose enact: Tea\nTea is served.\nend\n")
    other = os.open(post.folder / "site/.versions", os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_EX)
    late = threading.Thread(target=publishing.publish_due, args=(post.host,))
    late.start()
    late.join(0.5)
    assert late.is_alive(), "it waits for the other publisher"
    post.mail("Alice", "call vote 301\n")
    os.close(other)
    late.join()

    assert '"stage": "voting"' in (post.folder / "site/kaffe/game.json").read_text()


MANY_TURNS = (
    ("Alice", "propose enact: Tea\nTea is served.\nend\n\ncall vote\n"),
    ("Cia", "propose enact: Milk\nMilk is served.\nend\n\ncall vote\n"),
    ("Bo", "for 301\n"),
    ("Dan", "against 301\n"),
    ("Alice", "for 301\n"),
    ("Cia", "for 301\n"),
)
"""In two games by turns."""


@contextmanager
def two_games(folder: Path) -> Iterator[Post]:
    folder.mkdir()
    with opened(folder) as post:
        post.found("Alice", "Bo", game="apa")
        post.found("Cia", "Dan", game="bok")
        yield post


def files(folder: Path) -> dict[str, bytes]:
    """What stands below the folder, whatever the names of the mails."""
    return {
        str(path.relative_to(folder)) if path.suffix else f"{path.parent.name} {place}": path.read_bytes()
        for place, path in enumerate(sorted(path for path in folder.rglob("*") if path.is_file()))
    }


def test_a_host_that_cannot_keep_its_games_in_memory_plays_them_all_the_same(tmp_path: Path) -> None:
    with two_games(tmp_path / "room") as roomy, two_games(tmp_path / "none") as cramped:
        no_room: Any = {"pages": Recent(1, lambda _: 2), "printed": Recent(1, lambda _: 2)}
        cramped.host = replace(cramped.host, **no_room)
        for name, words in MANY_TURNS:
            for post in (roomy, cramped):
                post.mail(name, words)
                publishing.publish_due(post.host)

        with cramped.host.store.reading():
            assert [entry.head.seq > 10 for entry in eventlog.games(cramped.host.store)] == [True, True]
        for part in ("mail", "site/apa", "site/bok"):
            ours, theirs = ((post.folder / part).resolve() for post in (cramped, roomy))
            assert files(ours) == files(theirs) != {}


def test_what_was_used_longest_ago_goes_first_and_the_last_one_never() -> None:
    kept: Recent[str, str] = Recent(10, len)
    for word in ("aaaa", "bbbb"):
        kept.put(word[0], word)
    assert kept.get("a") == "aaaa"
    kept.put("c", "cccc")
    assert [kept.get(key) for key in "abc"] == ["aaaa", None, "cccc"]

    kept.put("a", "a" * 7)  # it has grown: 7 and 4 are more than 10
    assert [kept.get(key) for key in "abc"] == ["a" * 7, None, None]
    kept.put("d", "d" * 20)
    assert [kept.get(key) for key in "ad"] == [None, "d" * 20]


class Opened:
    """Counts the games that are opened, of which a host may have many."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.games: list[str] = []
        caught_up = Books._caught_up

        def noted(books: Books, game: str) -> Any:
            self.games.append(game)
            return caught_up(books, game)

        monkeypatch.setattr(Books, "_caught_up", noted)


def lines(post: Post) -> list[str]:
    """What the index says of the games."""
    shown = Reading((post.folder / "site/index.html").read_text()).words
    return re.findall(r"(?:Apa|Bok) (?:Turn \d+; \S+ \S+ moves|Not started yet)\.? \d players", shown)


def test_the_index_of_games_says_what_is_so_and_opens_no_game_for_it(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    post.found("Alice", "Bo", game="apa")
    post.found("Cia", "Dan", game="bok")
    post.pages()
    assert lines(post) == [
        "Apa Turn 1; Alice Ahlgren moves. 2 players",
        "Bok Turn 1; Cia Crane moves. 2 players",
    ]
    opened = Opened(monkeypatch)

    post.mail("Alice", "propose enact: Tea\nTea is served.\nend\n\ncall vote\n")
    before = (post.folder / "site/index.html").stat().st_ino
    post.pages()
    assert (post.folder / "site/index.html").stat().st_ino == before, "nothing that it says has changed"
    post.mail("Bo", "for 301\n")
    post.mail("Alice", "for 301\n")
    post.pages()

    assert lines(post) == ["Apa Turn 1; Bo Berg moves. 2 players", "Bok Turn 1; Cia Crane moves. 2 players"]
    assert set(opened.games) == {"apa"}


def test_a_game_that_is_no_longer_listed_leaves_the_index_though_nothing_happens_in_it(post: Post) -> None:
    post.found("Alice", "Bo", game="apa")
    post.found("Cia", "Dan", game="bok")
    post.pages()
    post.pbem("privacy", "apa", "unlisted")
    post.pages()
    assert lines(post) == ["Bok Turn 1; Cia Crane moves. 2 players"]
    post.pbem("privacy", "apa", "public")
    post.pages()
    assert len(lines(post)) == 2


def test_a_game_of_before_there_were_lines_is_in_the_index(post: Post) -> None:
    post.found("Alice", "Bo", game="apa")
    with post.host.store.transaction():
        post.host.store.write("UPDATE game SET line = ''")
    post.pages()
    assert lines(post) == ["Apa Turn 1; Alice Ahlgren moves. 2 players"]
