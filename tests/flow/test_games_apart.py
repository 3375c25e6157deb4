"""Games on one host: what goes wrong in one keeps no other waiting, and pages are never older than those before."""

from __future__ import annotations

import fcntl
import os
import threading

import pytest

from pbem.render import Printer
from pbem.service import calendar, publishing
from pbem.store import eventlog
from tests.flow.post import DAY, MINUTE, Post

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
