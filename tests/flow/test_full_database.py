"""A database that is full, for real: SQLite is told how many pages it may have."""

from __future__ import annotations

import pytest

from pbem.mail.message import Envelope
from pbem.service import process
from pbem.service.receive import TRUSTED, receive
from pbem.store.db import StoreError
from tests.flow.post import MINUTE, Post


def pages(post: Post, most: int = 0) -> int:
    """How many pages the database has; none more than `most` from now on (0: what SQLite allows)."""
    ((has,),) = post.host.store.rows("PRAGMA page_count")
    [*post.host.store.rows(f"PRAGMA max_page_count = {most or 2**30}")]
    return int(has)


def test_mails_that_could_not_be_worked_off_keep_their_order_and_are_not_set_aside(game: Post) -> None:
    first = game.compose("Alice", "propose enact: Tea\n" + "Tea is served at four. " * 400 + "\nend\n")
    second = game.compose("Bo", "propose repeal 209\n")
    for content in (first, second):
        game.now += MINUTE
        receive(game.host, content, Envelope(game.now), TRUSTED)
        game.stored += 1
    pages(game, most=pages(game))

    for _ in range(5):
        with pytest.raises(StoreError):
            process.work_off(game.host, game.now)
    assert [mail.state for mail in game.taken()][:2] == ["new", "new"]

    pages(game)
    assert process.work_off(game.host, game.now) == 2
    assert [each["number"] for each in game.state()["proposals"]] == [301], "Bo is not on turn"
