"""A backup is whole or it is none, and nothing that is there gives way to one unasked."""

from __future__ import annotations

import shutil
import stat
from pathlib import Path

import apsw
import pytest

from tests.flow.console import Console
from tests.flow.post import GAME, SETTINGS, Post
from tests.servers.running import pbem, run


@pytest.fixture
def backup(game: Post) -> Path:
    """Of a game with one turn behind it."""
    game.turn("Alice", "propose enact: Tea\nTea is served at four.", Alice="for", Bo="for", Cia="for")
    file = game.folder / "backup.db"
    said = game.pbem.done("backup", str(file))
    assert f"{GAME}: {game.state()['events']} events" in said
    assert game.state()["hash"] in said
    assert "pbem.key" in said, "what it does not hold"
    return file


def another(folder: Path) -> Console:
    """A host with settings and nothing else."""
    folder.mkdir()
    (folder / "pbem.toml").write_text(SETTINGS, "utf-8")
    return Console(folder)


def test_restored_elsewhere_the_game_is_the_same(game: Post, backup: Path, tmp_path: Path) -> None:
    elsewhere = another(tmp_path / "elsewhere")

    said = elsewhere.done("restore", str(backup))

    assert game.state()["hash"] in said
    assert "pbem.key" in said, "the key was not brought"
    assert elsewhere.json("state", GAME) == game.state()
    assert elsewhere.json("show", GAME, "log") == game.pbem.json("show", GAME, "log")
    assert "every link of the chain holds" in elsewhere.done("verify", GAME)
    assert not list(elsewhere.folder.glob(".*")), "nothing half made is left"


def test_only_its_owner_can_read_it(backup: Path) -> None:
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600


def test_what_init_made_gives_way_for_there_is_nothing_in_it(backup: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    pbem(tmp_path, "init", str(elsewhere))

    said = pbem(elsewhere, "restore", str(backup))

    assert "kept as" in said
    assert GAME in pbem(elsewhere, "list")


def test_a_database_with_a_game_in_it_gives_way_by_force_alone_and_is_kept(
    game: Post, backup: Path, tmp_path: Path
) -> None:
    elsewhere = another(tmp_path / "elsewhere")
    elsewhere.done("restore", str(backup))
    elsewhere.done("do", GAME, "--as", "Bo Berg", "propose repeal 209")
    newer = elsewhere.json("state", GAME)
    assert newer["hash"] != game.state()["hash"]

    said = elsewhere.fails(1, "restore", str(backup))
    assert said.count("\n") == 1
    assert "holds 1 game(s)" in said
    assert "--force" in said
    assert elsewhere.json("state", GAME) == newer

    elsewhere.done("restore", str(backup), "--force")
    assert elsewhere.json("state", GAME) == game.state()
    (kept,) = elsewhere.folder.glob("pbem.db.replaced-*Z")
    shutil.copy(kept, another(tmp_path / "kept").folder / "pbem.db")
    assert Console(tmp_path / "kept").json("state", GAME) == newer


def test_a_database_in_use_does_not_give_way_even_by_force(game: Post, backup: Path) -> None:
    before = game.state()

    refused = run(game.folder, "restore", str(backup), "--force")

    assert refused.returncode == 1
    assert "stop `pbem serve`" in refused.stderr
    assert game.state() == before
    assert not list(game.folder.glob("*replaced*"))


def test_what_stands_there_is_replaced_by_force_alone_and_never_the_database(
    game: Post, backup: Path
) -> None:
    before = backup.read_bytes()
    assert "--force" in game.pbem.fails(1, "backup", str(backup))
    assert backup.read_bytes() == before

    game.mail("Bo", "Coffee is better.")
    assert f"{game.state()['events']} events" in game.pbem.done("backup", str(backup), "--force")

    database = str(game.folder / "pbem.db")
    assert "is the database itself" in game.pbem.fails(1, "backup", database, "--force")
    assert "is the database itself" in game.pbem.fails(1, "restore", database, "--force")


def test_a_backup_in_which_a_word_was_changed_is_refused_by_name(backup: Path, tmp_path: Path) -> None:
    with apsw.Connection(str(backup)) as changed:
        changed.execute(
            "UPDATE event SET body = replace(body, 'Tea', 'Ale') WHERE body LIKE '%Tea is served%'"
        )
        assert changed.changes()
    changed.close()
    elsewhere = another(tmp_path / "elsewhere")

    said = elsewhere.fails(1, "restore", str(backup))

    assert f"{GAME}: record " in said
    assert "the chain breaks there" in said
    assert not (elsewhere.folder / "pbem.db").exists()


@pytest.mark.parametrize("damage", ["cut", "overwritten", "no database", "nothing"])
def test_a_damaged_backup_is_refused_and_changes_nothing(backup: Path, tmp_path: Path, damage: str) -> None:
    content = backup.read_bytes()
    middle = len(content) // 2
    damaged = {
        "cut": content[:middle],
        "overwritten": content[:4096] + b"\xff" * (len(content) - 4096),
        "no database": b"From: alice@ahlgren.example\n",
        "nothing": b"",
    }[damage]
    backup.write_bytes(damaged)
    elsewhere = another(tmp_path / "elsewhere")

    said = elsewhere.fails(1, "restore", str(backup))

    assert said.count("\n") == 1
    assert not (elsewhere.folder / "pbem.db").exists()
    assert not list(elsewhere.folder.glob(".*"))


def test_a_damaged_database_gives_way_to_its_backup_and_is_kept(backup: Path, tmp_path: Path) -> None:
    elsewhere = another(tmp_path / "elsewhere")
    (elsewhere.folder / "pbem.db").write_bytes(b"no database any more " * 1000)

    assert "cannot be read" in elsewhere.fails(1, "restore", str(backup))
    elsewhere.done("restore", str(backup), "--force")

    assert elsewhere.json("list")[0]["game"] == GAME
    (kept,) = elsewhere.folder.glob("pbem.db.replaced-*[0-9]Z")
    assert kept.read_bytes().startswith(b"no database any more")


def test_of_postgresql_it_says_what_to_use(tmp_path: Path) -> None:
    (tmp_path / "pbem.toml").write_text('database = "postgresql://pbem@db.example/pbem"\n' + SETTINGS)
    for command in ("backup", "restore"):
        (tmp_path / "file").touch()
        said = Console(tmp_path).fails(1, command, str(tmp_path / "file"))
        assert "pg_dump" in said
        assert "pg_restore" in said


def test_without_a_database_there_is_nothing_to_back_up(tmp_path: Path) -> None:
    elsewhere = another(tmp_path / "elsewhere")
    assert "pbem init" in elsewhere.fails(1, "backup", str(tmp_path / "backup.db"))
    assert not (elsewhere.folder / "pbem.db").exists()
