"""Stories of a schema and those who bring it up to date."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pbem.store import eventlog, people
from pbem.store.db import Store, StoreError
from pbem.store.tables import TABLES
from pbem.store.upgrade import MIGRATIONS, NewerDatabase, pending, upgrade
from tests.promises.table import Promise

NAMES = tuple(sorted(file.stem for file in MIGRATIONS.glob("[0-9]*.py")))


def schema(store: Store) -> dict[str, object]:
    """Columns, keys and indexes of every table but the runner's own."""
    with store.connected():
        names = [name for name in store.db.get_tables() if name != "migration"]
        return {
            name: (
                [
                    (column.name, column.data_type, column.null, column.primary_key)
                    for column in store.db.get_columns(name)
                ],
                sorted(
                    (index.name, tuple(index.columns), index.unique) for index in store.db.get_indexes(name)
                ),
                sorted(
                    (key.column, key.dest_table, key.dest_column) for key in store.db.get_foreign_keys(name)
                ),
            )
            for name in names
        }


def test_the_migrations_lead_to_the_tables_as_they_are_written_down(bare: Store) -> None:
    assert upgrade(bare, now=1) == NAMES
    migrated = schema(bare)
    with bare.connected(), bare.db.bind_ctx(TABLES):
        bare.db.drop_tables(TABLES)
        bare.db.create_tables(TABLES)
    assert schema(bare) == migrated
    assert len(migrated) == len(TABLES)


def test_an_upgrade_is_pending_until_it_is_done(bare: Store) -> None:
    assert pending(bare) == NAMES
    upgrade(bare, now=1)
    assert pending(bare) == upgrade(bare, now=2) == ()


UPGRADE = """
import sys
from pathlib import Path
from pbem.store.db import Store, open_store
from pbem.store.upgrade import upgrade
{fault}
print(*upgrade(open_store(sys.argv[1], Path(".")), now=1))
"""
NO_LOCK = """
import time
from contextlib import contextmanager
from pbem.store import upgrade as runner

def slowly(*asked, look=runner._pending):
    found = look(*asked)
    time.sleep(1)
    return found

@contextmanager
def first_come(store):
    with store.db.connection_context(), store.db.atomic(*() if store.postgres else ("DEFERRED",)):
        yield

Store.transaction = first_come
Store.alone = lambda *_: None
runner._pending = slowly
"""


def upgraded_at_once(url: str, fault: str = "") -> tuple[list[str], list[str]]:
    """What four processes say that start at the same moment: the names of what each has applied, and their complaints."""
    start = [sys.executable, "-c", UPGRADE.format(fault=fault), url]
    children = [
        subprocess.Popen(start, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(4)
    ]
    told = [child.communicate() for child in children]
    return sorted(names.strip() for names, _ in told), [errors for _, errors in told if errors]


def released(store: Store, version: int, tmp_path: Path) -> None:
    """A database as that release left it, with a person and a game in it."""
    folder = copied_migrations(tmp_path)
    for name in NAMES[version:]:
        (folder / f"{name}.py").unlink()
    upgrade(store, now=1, folder=folder)
    with store.transaction():
        people.add_person(store, "Mia", "mia@players.example")
        store.write(
            "INSERT INTO game (slug, created, seq, hash, wanted, published) VALUES ('te', 1, 0, '', 0, 0)"
        )


@pytest.mark.promise(30)
@pytest.mark.parametrize("version", range(len(NAMES)))
def test_of_four_processes_that_start_at_once_one_upgrades_from_each_release(
    url: str, bare: Store, tmp_path: Path, promise: Promise, version: int
) -> None:
    if version:
        released(bare, version, tmp_path)
    applied, complaints = upgraded_at_once(url)
    promise.shows(faults=4, uncaught=len(complaints), doubled=sum(map(bool, applied)) - 1)
    assert applied == ["", "", "", " ".join(NAMES[version:])]
    with bare.reading():
        assert [game.slug for game in eventlog.games(bare)] == ["te"] * bool(version)
        assert [*bare.rows("SELECT address FROM address")] == [("mia@players.example",)] * bool(version)
    migrated = schema(bare)
    with bare.connected(), bare.db.bind_ctx(TABLES):
        bare.db.drop_tables(TABLES)
        bare.db.create_tables(TABLES)
    assert schema(bare) == migrated


@pytest.mark.promise(30)
def test_of_this_test_processes_that_do_not_wait_for_one_another_are_seen(
    url: str, bare: Store, tmp_path: Path, promise: Promise
) -> None:
    released(bare, 1, tmp_path)
    _, complaints = upgraded_at_once(url, NO_LOCK)
    with promise.breaks("no lock"):
        promise.shows(faults=4, uncaught=len(complaints))


@pytest.mark.promise(30)
def test_an_upgrade_that_fails_halfway_leaves_the_database_as_it_was(
    store: Store, tmp_path: Path, promise: Promise
) -> None:
    folder = copied_migrations(tmp_path)
    (folder / "9001_half.py").write_text(
        "def up(_migrator, db):\n    db.execute_sql('CREATE TABLE half (id INTEGER)')\n    db.execute_sql('not SQL')\n"
    )
    before = schema(store)
    with pytest.raises(StoreError):
        upgrade(store, now=1, folder=folder)
    promise.shows(faults=1)
    assert schema(store) == before
    assert pending(store, folder) == ("9001_half",)


def test_rebuilding_a_table_keeps_the_rows_that_refer_to_it(store: Store, tmp_path: Path) -> None:
    with store.transaction():
        people.add_person(store, "Mia", "mia@players.example")
    folder = copied_migrations(tmp_path)
    (folder / "9001_zone.py").write_text(
        "def up(migrator, db):\n    migrator.drop_column('person', 'zone', legacy=True).run()\n"
        if not store.postgres
        else "def up(migrator, db):\n    migrator.drop_column('person', 'zone').run()\n"
    )
    upgrade(store, now=1, folder=folder)
    with store.reading():
        assert list(store.rows("SELECT address FROM address")) == [("mia@players.example",)]


def test_a_game_of_before_there_were_private_ones_is_public(bare: Store, tmp_path: Path) -> None:
    folder = copied_migrations(tmp_path)
    later = tuple(name for name in NAMES if name >= "0003")
    for name in later:
        (folder / f"{name}.py").unlink()
    upgrade(bare, now=1, folder=folder)
    with bare.transaction():
        bare.write(
            "INSERT INTO game (slug, created, seq, hash, wanted, published) VALUES ('te', 1, 0, '', 0, 0)"
        )
    assert upgrade(bare, now=2) == later
    with bare.reading():
        assert [(game.slug, game.privacy) for game in eventlog.games(bare)] == [("te", "public")]


def test_a_database_of_a_later_version_is_left_alone(store: Store, tmp_path: Path) -> None:
    folder = copied_migrations(tmp_path)
    (folder / "9001_later.py").write_text("def up(_migrator, _db):\n    pass\n")
    upgrade(store, now=1, folder=folder)
    with pytest.raises(NewerDatabase, match="9001_later"):
        pending(store)
    with pytest.raises(NewerDatabase, match="9001_later"):
        upgrade(store, now=2)


def test_references_are_checked_again_after_an_upgrade(bare: Store) -> None:
    with bare.connected():
        upgrade(bare, now=1)
        with pytest.raises(StoreError), bare.transaction():
            people.sit(bare, "no such game", person=1, role="keeper")
        with bare.transaction():
            eventlog.create_game(bare, "kaffe", at=0)


def copied_migrations(tmp_path: Path) -> Path:
    """The migrations as they are, in a folder where a test may add one."""
    folder = tmp_path / "migrations"
    folder.mkdir()
    for file in MIGRATIONS.glob("[0-9]*.py"):
        (folder / file.name).write_text(file.read_text())
    return folder
