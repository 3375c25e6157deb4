"""What a mail costs does not grow with what the host keeps: counted in steps of SQLite's own machine, not in time."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from pbem.service import publishing
from pbem.store.db import Store
from tests.flow.conftest import opened
from tests.flow.post import DAY, TEA, Post

FEW, MANY = 20, 2_000
INDEX = "SELECT slug, privacy, line, listed FROM game ORDER BY created, slug"
"""The index of games is a list of all; it is made when a line of it has changed."""
ALLOWED = 30
"""Steps by which a statement may differ: a page of a tree that is split, a row more of this game."""
NUMBERS = "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?)"
KEPT = (
    "game (slug, created, seq, hash, due, wanted, published, privacy, line, listed)"
    " SELECT 'old' || n, created, seq, hash, due + 700000000000, wanted, wanted, privacy, line, privacy || ' ' || line FROM n, game WHERE slug = 'kaffe'",
    "event (game, seq, at, mail, kind, body, hash)"
    " SELECT 'old' || n, seq, at, mail, kind, body, hash FROM n, event WHERE game = 'kaffe'",
    "person (id, name, mail, html, digests, gathered) SELECT 1000 + n, 'Somebody', 'each', 1, 1, 0 FROM n",
    "address (address, person, bounces) SELECT 'p' || n || '@old.example', 1000 + n, 0 FROM n",
    "former (address, person) SELECT 'f' || n || '@old.example', 1000 + n FROM n",
    "seat (game, role, person, player, gathered) SELECT 'old' || n, 'player', 1000 + n, 1, 0 FROM n",
    "invitation (game, address, name, at) SELECT 'old' || n, 'i' || n || '@old.example', 'Ida', 1 FROM n",
    "answer (address, day, count) SELECT 'p' || n || '@old.example', 20000, 1 FROM n",
    "inbox (id, key, letter, digest, received, source, repeats, state, attempts, due, kind, game, author, content, lane)"
    " SELECT 1000 + n, 'k' || n, 'l' || n, 'd' || n, n, 'smtp', 0, 'done', 0, 0, 'human', 'old' || n, 'p' || n || '@old.example', 'x', '' FROM n",
    "hold (mail, kind, digest, address, game, at, until, ballot, state)"
    " SELECT 1000 + n, 'mail', 'd' || n, 'p' || n || '@old.example', 'old' || n, n, 9000000000000000, 1, 'open' FROM n",
    "outbox (key, game, sender, recipient, made, state, due, attempts, closed, content)"
    " SELECT 'o' || n, 'old' || n, '', 'p' || n || '@old.example', n, 'sent', n, 1, n, 'x' FROM n",
    "outbox (key, game, sender, recipient, made, state, due, attempts, content)"
    " SELECT 'w' || n, 'old' || n, '', 'p' || n || '@old.example', n, 'ready', 9000000000000000, 1, 'x' FROM n",
)
"""What a host keeps: other games, their people and mails, confirmations that are waited for, letters that wait."""


def keep(store: Store, count: int) -> None:
    with store.transaction():
        for rows in KEPT:
            store.write(f"{NUMBERS} INSERT INTO {rows}", count)  # the rows are those above


@contextmanager
def counted(store: Store) -> Iterator[Counter[str]]:
    """The steps that each statement takes within the block."""
    steps: Counter[str] = Counter()

    def add(told: dict[str, Any]) -> None:
        steps[re.sub(r'"s[0-9a-f]{32}"', "s", told["sql"])] += told["stmt_status"][
            "SQLITE_STMTSTATUS_VM_STEP"
        ]

    with store.connected():
        store.db.connection().trace_v2(apsw.SQLITE_TRACE_PROFILE, add)
        yield steps
        store.db.connection().trace_v2(0, None)
    assert steps, "the connection is the one that the host uses"


def a_turn(post: Post, kept: int) -> Counter[str]:
    """The steps that a whole turn takes on a host that keeps so much."""
    post.found("Alice", "Bo", "Cia")
    post.turn("Alice", TEA, Alice="for", Bo="for", Cia="for")
    keep(post.host.store, kept)
    with counted(post.host.store) as steps:
        post.turn("Bo", TEA, Alice="for", Bo="for", Cia="against")
        post.mail("Bo", "scores")
        post.wait(DAY)
        publishing.publish_due(post.host)
    return steps


def growing(folder: Path) -> dict[str, tuple[int, int]]:
    """The statements that take more steps where much is kept, with the steps they take where little is, and there."""
    spent: list[Counter[str]] = []
    for kept in (FEW, MANY):
        (folder / str(kept)).mkdir()
        with opened(folder / str(kept)) as post:
            spent.append(a_turn(post, kept))
    few, many = spent
    return {sql: (few[sql], many[sql]) for sql in many if many[sql] > few[sql] + ALLOWED}


def test_nothing_but_the_index_of_games_takes_longer_where_much_is_kept(tmp_path: Path) -> None:
    assert growing(tmp_path).keys() == {INDEX}
