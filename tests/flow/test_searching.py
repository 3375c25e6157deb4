"""When the words of a game are indexed: by `pbem publish` at once, by a running server when the index has rested."""

from __future__ import annotations

from pathlib import Path

from pbem.publish import finding
from pbem.service import publishing
from pbem.service.searching import Indexer
from tests.flow.post import GAME, TEA, Post


def pages_of(post: Post) -> Path:
    return post.host.config.site.folder


def test_publishing_by_hand_indexes_at_once(four: Post):
    four.pbem("publish", GAME)

    assert not finding.is_stale(pages_of(four), GAME)


def test_a_server_indexes_new_pages_and_then_lets_the_index_rest(four: Post):
    indexer = Indexer(four.host)
    publishing.publish_due(four.host)
    assert indexer.make_due() == 1
    assert indexer.make_due() == 0

    four.propose("Alice", TEA)
    publishing.publish_due(four.host)

    assert finding.is_stale(pages_of(four), GAME)
    assert indexer.make_due() == 0
    assert Indexer(four.host).make_due() == 1  # after a restart
