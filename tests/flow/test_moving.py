"""A host that moves to another database: all of it arrives, or nothing does."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from pbem.store import moving
from tests.flow.post import GAME, TEA, Post

OLD, NEW = "sqlite:///pbem.db", "sqlite:///new.db"


def rows(file: Path) -> dict[str, list[Any]]:
    """Everything in a database, by table."""
    with sqlite3.connect(file) as line:
        tables = [name for (name,) in line.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            name: sorted(line.execute(f"SELECT * FROM {name}"), key=str)  # noqa: S608  # a name of ours
            for name in tables
            if name != "migration"
        }


@pytest.fixture
def played(four: Post) -> Post:
    """A game with a vote in it."""
    four.mail("Alice", TEA)
    four.mail("Alice", "call vote")
    for name in ("Alice", "Bo", "Cia", "Dan"):
        four.mail(name, "vote 301 yes")
    return four


def test_every_row_arrives_and_what_is_left_stays_as_it_was(played: Post) -> None:
    before = rows(played.folder / "pbem.db")
    said = played.pbem.done("migrate-store", OLD, NEW)
    assert rows(played.folder / "new.db") == before == rows(played.folder / "pbem.db")
    assert f"{GAME}: {played.state()['events']} events, every link of the chain holds" in said
    assert f"{sum(map(len, before.values()))} row(s) are there" in said


def test_into_a_database_with_something_in_it_nothing_is_moved(played: Post) -> None:
    played.pbem.done("migrate-store", OLD, NEW)
    before = rows(played.folder / "new.db")
    assert "is not empty (game, event, inbox" in played.pbem.fails(1, "migrate-store", OLD, NEW)
    assert rows(played.folder / "new.db") == before


def test_a_log_that_was_tampered_with_is_not_moved(played: Post) -> None:
    with sqlite3.connect(played.folder / "pbem.db") as line:
        line.execute("UPDATE event SET at = at + 1 WHERE seq = 3")
    assert f"{GAME}: record 3 is not the one that was written" in played.pbem.fails(
        1, "migrate-store", OLD, NEW
    )
    assert not any(rows(played.folder / "new.db").values())


def test_a_row_that_does_not_arrive_is_missed(played: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = moving._pages
    monkeypatch.setattr(
        moving, "_pages", lambda store, table: (page[1:] or page for page in pages(store, table))
    )
    assert "not every row has arrived (event" in played.pbem.fails(1, "migrate-store", OLD, NEW)
    assert not any(rows(played.folder / "new.db").values())


@pytest.mark.parametrize(
    ("source", "target", "says"),
    [
        ("sqlite:///nowhere.db", NEW, "there is no database at"),
        ("mysql://here/there", NEW, "a database is sqlite:///FILE or postgresql://HOST/NAME"),
        (OLD, "new.db", "a database is sqlite:///FILE or postgresql://HOST/NAME"),
    ],
)
def test_what_is_no_database_is_said_to_be_none(post: Post, source: str, target: str, says: str) -> None:
    assert says in post.pbem.fails(1, "migrate-store", source, target)
    assert not (post.folder / "nowhere.db").exists()
