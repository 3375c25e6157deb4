"""Stories of connections and transactions."""

from __future__ import annotations

import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from pbem.store import eventlog, queues
from pbem.store.db import Store, open_store, sqlite_version
from pbem.store.upgrade import upgrade
from tests.store.samples import arrival, outcome, outgoing, records


def everything(store: Store) -> tuple[object, ...]:
    with store.reading():
        return (
            eventlog.games(store),
            list(eventlog.load(store, "kaffe")),
            queues.inbox_log(store),
            queues.outbox_counts(store),
            eventlog.sites_to_publish(store),
            eventlog.next_due(store),
        )


def work_off(store: Store) -> None:
    """What the service does with one mail, all in one transaction."""
    (mail,) = queues.claim_new(store, now=1, limit=1)
    eventlog.append(store, "kaffe", 0, records(2))
    queues.enqueue(store, [outgoing("receipt")])
    queues.finish(store, mail.id, outcome())
    eventlog.want_site(store, "kaffe")
    eventlog.set_due(store, "kaffe", 7)


def work_off_and_fail(store: Store) -> None:
    with store.transaction():
        work_off(store)
        raise ZeroDivisionError


@pytest.fixture
def with_mail(store: Store) -> Store:
    with store.transaction():
        eventlog.create_game(store, "kaffe", at=0)
        queues.accept(store, arrival("first"))
    return store


def test_a_mail_and_all_it_leads_to_is_one_transaction(with_mail: Store) -> None:
    with with_mail.transaction():
        work_off(with_mail)
    with with_mail.reading():
        assert [record.seq for record in eventlog.load(with_mail, "kaffe")] == [1, 2]
        assert queues.inbox_counts(with_mail) == {"done": 1}
        assert queues.outbox_counts(with_mail) == {"ready": 1}
        assert eventlog.sites_to_publish(with_mail) == (("kaffe", 1),)
        assert eventlog.next_due(with_mail) == 7


def test_a_failure_at_the_end_leaves_nothing_anywhere(with_mail: Store) -> None:
    before = everything(with_mail)
    with pytest.raises(ZeroDivisionError):
        work_off_and_fail(with_mail)
    assert everything(with_mail) == before


def test_one_bad_mail_in_a_batch_undoes_only_itself(with_mail: Store) -> None:
    with with_mail.transaction():
        queues.enqueue(with_mail, [outgoing("good")])
        with pytest.raises(ZeroDivisionError):
            work_off_and_fail(with_mail)
    with with_mail.reading():
        assert queues.outbox_counts(with_mail) == {"ready": 1}
        assert queues.inbox_counts(with_mail) == {"new": 1}
        assert eventlog.head(with_mail, "kaffe").seq == 0


KILLED_INSIDE = """
import sys, time
from pathlib import Path
from pbem.store.db import open_store
from tests.store.test_store import work_off
store = open_store(sys.argv[1], Path("."))
with store.transaction():
    work_off(store)
    print("all written, not committed", flush=True)
    time.sleep(60)
"""


def test_a_process_killed_inside_a_transaction_leaves_nothing(with_mail: Store, url: str) -> None:
    before = everything(with_mail)
    with subprocess.Popen(
        [sys.executable, "-c", KILLED_INSIDE, url], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "all written, not committed\n"
        child.send_signal(signal.SIGKILL)
    assert everything(with_mail) == before
    with with_mail.transaction():
        work_off(with_mail)
    assert everything(with_mail) != before


def test_writing_outside_a_transaction_is_our_own_mistake(store: Store) -> None:
    with store.connected(), pytest.raises(RuntimeError, match="transaction"):
        eventlog.create_game(store, "kaffe", at=0)


def test_a_reader_sees_one_moment_while_others_write(store: Store) -> None:
    def write() -> None:
        with store.transaction():
            eventlog.create_game(store, "kaffe", at=0)

    with store.reading():
        assert eventlog.games(store) == ()
        writer = threading.Thread(target=write)
        writer.start()
        writer.join()
        assert eventlog.games(store) == ()
    with store.reading():
        assert [game.slug for game in eventlog.games(store)] == ["kaffe"]


def test_writers_in_many_threads_wait_for_each_other(store: Store) -> None:
    with store.transaction():
        eventlog.create_game(store, "kaffe", at=0)

    def count_up() -> None:
        for _ in range(20):
            with store.transaction():
                eventlog.want_site(store, "kaffe")

    threads = [threading.Thread(target=count_up) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with store.reading():
        assert eventlog.sites_to_publish(store) == (("kaffe", 100),)


def test_a_new_sqlite_file_is_its_owners_alone(tmp_path: Path) -> None:
    store = open_store("sqlite:///pbem.db", tmp_path)
    with store.connected():
        upgrade(store, now=0)
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
    assert modes == {"pbem.db": 0o600, "pbem.db-wal": 0o600, "pbem.db-shm": 0o600}


def test_a_sqlite_path_may_be_absolute(tmp_path: Path) -> None:
    open_store(f"sqlite:///{tmp_path}/mine.db", Path("/nowhere"))
    assert (tmp_path / "mine.db").exists()


def test_another_kind_of_address_is_refused_without_showing_its_password(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="sqlite:///FILE or postgresql") as refused:
        open_store("mysql://me:secret@db.example/pbem", tmp_path)
    assert "secret" not in str(refused.value)


def test_every_connection_is_durable_and_checks_references(tmp_path: Path) -> None:
    store = open_store("sqlite:///pbem.db", tmp_path)
    with store.connected():
        settings = {
            name: next(store.rows(f"PRAGMA {name}"))
            for name in ("journal_mode", "synchronous", "foreign_keys")
        }
    full = 2
    assert settings == {"journal_mode": ("wal",), "synchronous": (full,), "foreign_keys": (1,)}


def test_sqlite_is_free_of_the_wal_reset_bug() -> None:
    assert tuple(int(part) for part in sqlite_version().split(".")) >= (3, 51, 3)


def test_a_copy_is_whole_though_somebody_is_writing(tmp_path: Path) -> None:
    store = open_store("sqlite:///pbem.db", tmp_path)
    upgrade(store, now=0)
    with store.transaction():
        eventlog.create_game(store, "kaffe", at=0)
    with store.transaction():
        eventlog.create_game(store, "unfinished", at=1)
        copying = threading.Thread(target=store.copy_to, args=(tmp_path / "copy.db",))
        copying.start()
        copying.join()
    copy = open_store("sqlite:///copy.db", tmp_path)
    with copy.reading():
        assert [game.slug for game in eventlog.games(copy)] == ["kaffe"]
    assert stat.S_IMODE((tmp_path / "copy.db").stat().st_mode) == 0o600
