"""On PostgreSQL a process hears at once what another has written, and nothing of what was undone."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.store import eventlog, queues
from pbem.store.db import Store, open_store
from pbem.store.eventlog import NoSuchGame
from pbem.store.news import listen
from pbem.store.upgrade import upgrade
from tests.servers.postgres import empty, postgres_url
from tests.servers.running import until
from tests.store.samples import arrival, outgoing

pytestmark = pytest.mark.live
__all__ = ["postgres_url"]


@pytest.fixture
def store(postgres_url: str) -> Iterator[Store]:
    empty(postgres_url)
    store = open_store(postgres_url, Path("."))
    upgrade(store, now=0)
    yield store
    store.close()


def undone(store: Store) -> None:
    queues.accept(store, arrival("undone"))
    eventlog.privacy(store, "no such game")


def test_what_is_committed_is_heard_once_a_transaction_and_nothing_else(store: Store) -> None:
    heard: list[str] = []
    ends = threading.Event()
    listener = threading.Thread(target=listen, args=(store, heard.append, ends.is_set))
    listener.start()
    try:
        until(lambda: len(heard) == 3, "it may have missed all of them")
        heard.clear()
        with pytest.raises(NoSuchGame), store.transaction():
            undone(store)
        with store.transaction():
            eventlog.create_game(store, "kaffe", at=0)
        with store.transaction():
            with store.transaction():
                queues.accept(store, arrival("one"))
            queues.accept(store, arrival("two"))
            assert heard == []
        until(lambda: heard == ["mail in"], "a mail is in")
        with store.transaction():
            queues.enqueue(store, [outgoing("a"), outgoing("b")])
            eventlog.want_site(store, "kaffe")
        until(lambda: heard == ["mail in", "mail out", "site"], "mail out, and pages")
        with store.transaction():
            eventlog.moved_on(store, "kaffe", None, "")
        until(lambda: heard == ["mail in", "mail out", "site", "site"], "pages again")
        time.sleep(0.1)
        assert len(heard) == 4
    finally:
        ends.set()
        listener.join(20)
