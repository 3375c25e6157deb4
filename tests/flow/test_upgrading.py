"""A database of an earlier version is brought up to date once, with a backup of it as it was."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from tests.flow.conftest import opened
from tests.flow.console import Console
from tests.flow.post import GAME, SETTINGS, Post
from tests.servers.running import environment

LAST = "0002_pulse"


@pytest.fixture
def old(tmp_path: Path) -> Post:
    """A host with a game, whose database is as the first version made it."""
    with opened(tmp_path) as post:
        post.found("Alice", "Bo", "Cia")
    with_database(tmp_path / "pbem.db", "DROP TABLE pulse", "DELETE FROM migration WHERE name = '0002_pulse'")
    return post


def with_database(file: Path, *statements: str) -> list[tuple[object, ...]]:
    connection = apsw.Connection(str(file))
    found = [row for statement in statements for row in connection.execute(statement)]
    connection.close()
    return found


def migrations(file: Path) -> list[object]:
    return [name for (name,) in with_database(file, "SELECT name FROM migration ORDER BY name")]


@pytest.fixture
def writing(old: Post) -> Iterator[apsw.Connection]:
    """Another process that has not finished writing."""
    connection = apsw.Connection(str(old.folder / "pbem.db"))
    connection.execute("BEGIN IMMEDIATE")
    yield connection
    connection.close()


def test_it_is_backed_up_and_then_brought_up_to_date(old: Post) -> None:
    said = old.pbem.done("upgrade")

    kept = old.folder / f"pbem.db.before-{LAST}"
    assert str(kept) in said
    assert LAST in said
    assert LAST in migrations(old.folder / "pbem.db")
    assert LAST not in migrations(kept)
    assert f"{GAME}: " in old.pbem.done("verify", str(kept))
    assert old.is_whole()
    assert "up to date" in old.pbem.done("upgrade")
    assert len(list(old.folder.glob("*before*"))) == 1


def test_any_command_does_it_too_and_says_where_the_backup_is(old: Post) -> None:
    listed = subprocess.run(
        [sys.executable, "-m", "pbem", "list"],
        cwd=old.folder, env=environment(), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert GAME in listed.stdout
    assert "pbem.db.before-" in listed.stderr
    assert LAST in migrations(old.folder / "pbem.db")


def test_of_several_at_once_one_does_it_and_the_others_wait(old: Post, writing: apsw.Connection) -> None:
    start = [sys.executable, "-m", "pbem", "upgrade"]
    how = {"cwd": old.folder, "env": environment(), "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    children = [subprocess.Popen(start, text=True, **how) for _ in range(3)]
    with pytest.raises(subprocess.TimeoutExpired):
        children[0].wait(3)
    writing.execute("COMMIT")

    told = [child.communicate(timeout=60) for child in children]

    assert [errors for _, errors in told] == [""] * 3
    assert sorted(LAST in said for said, _ in told) == [False, False, True]
    assert [child.returncode for child in children] == [0, 0, 0]


def test_whoever_waits_too_long_says_so(
    old: Post, writing: apsw.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pbem.store.db.WAIT", 0.2)
    said = old.pbem.fails(1, "upgrade")
    assert "try again" in said
    writing.execute("ROLLBACK")
    assert LAST not in migrations(old.folder / "pbem.db")


def test_without_a_whole_backup_nothing_is_changed(old: Post) -> None:
    with_database(
        old.folder / "pbem.db", "UPDATE event SET body = replace(body, 'Alice', 'Malice') WHERE seq = 2"
    )
    said = old.pbem.fails(1, "upgrade")
    assert "the chain breaks there" in said
    assert LAST not in migrations(old.folder / "pbem.db")
    assert not list(old.folder.glob("*before*"))


def test_a_new_database_needs_no_backup(tmp_path: Path) -> None:
    (tmp_path / "pbem.toml").write_text(SETTINGS, "utf-8")
    assert LAST in Console(tmp_path).done("upgrade")
    assert not list(tmp_path.glob("*before*"))


def test_a_database_of_a_later_version_is_told_in_one_sentence(old: Post) -> None:
    with_database(old.folder / "pbem.db", "INSERT INTO migration (name, at) VALUES ('9001_later', 1)")
    said = old.pbem.fails(2, "list")
    assert "later version" in said
    assert "9001_later" in said
