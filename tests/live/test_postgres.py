"""The same mails on SQLite and on PostgreSQL: the same log to the last hash, the same mails out."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from pbem.cli.app import open_host
from pbem.config import Config, load
from pbem.mail.message import Envelope
from pbem.service import demo, process
from pbem.service.founding import Plan, found
from pbem.service.receive import TRUSTED, receive
from pbem.store import eventlog, queues
from pbem.store.db import open_store
from tests.flow.console import Console
from tests.servers.postgres import empty, postgres_url

pytestmark = pytest.mark.live
__all__ = ["postgres_url"]

BEGINNING = 1_796_000_000_000_000
MINUTE = 60_000_000


def played(config: Config) -> tuple[list[str], list[str]]:
    """The hashes of the log, and of the mails sent, after the first three turns of the demo's script."""
    with open_host(config) as host:
        plan = Plan(
            "kaffe",
            "Kaffe",
            "sv",
            "suber",
            demo.KEEPER,
            tuple(demo.PLAYERS.values()),
            {"cooling time": "0"},
            True,
            BEGINNING,
        )
        found(host, plan)
        for place, mail in enumerate(demo.script()[:20], 1):
            _, address = demo.PLAYERS[mail.player]
            subject = mail.subject or f"Re: [kaffe] Proposal {mail.re}"
            raw = f"From: {address}\nTo: nomic@nomic.example\nSubject: {subject}\nMessage-ID: <{place}@x.example>\n\n{mail.body}"
            now = BEGINNING + place * MINUTE
            receive(host, raw.encode(), Envelope(now), TRUSTED)
            process.work_off(host, now)
        with host.store.reading():
            log = [record.hash for record in eventlog.load(host.store, "kaffe")]
        with host.store.transaction():
            out = queues.claim_outbox(host.store, BEGINNING * 2, 1000, "test", MINUTE)
        return log, sorted(hashlib.sha256(mail.content).hexdigest() for mail in out)


def test_a_game_is_the_same_to_the_last_byte_on_both_databases(tmp_path: Path, postgres_url: str):
    empty(postgres_url)
    config = load(demo.make_room(tmp_path / "host"), {})

    on_sqlite = played(config)
    on_postgres = played(replace(config, database=postgres_url))

    assert len(on_sqlite[0]) > 30
    assert on_postgres == on_sqlite


SPEAKS = """
import os, sys
from pathlib import Path
from pbem.store.db import open_store

store = open_store(sys.argv[1], Path("."))

def line():
    with store.reading():
        return [number for (number,) in store.rows("SELECT pg_backend_pid()")]

before = line()
assert line() == before, "a connection is used again"
if not (child := os.fork()):
    print("child", *line(), flush=True)
    os._exit(0)
os.waitpid(child, 0)
print("parent", *line())
"""
"""Says on which connection to the database a process and its child speak."""


def test_a_process_and_its_child_never_speak_on_one_connection(postgres_url: str):
    done = subprocess.run(
        [sys.executable, "-c", SPEAKS, postgres_url], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    child, parent = done.stdout.split()[1::2]
    assert child != parent


def test_of_a_postgresql_database_the_host_vouches_for_the_backup(tmp_path: Path, postgres_url: str):
    empty(postgres_url)
    made = demo.make_room(tmp_path / "host")
    made.write_text(f'database = "{postgres_url}"\n' + made.read_text().replace("database =", "# database ="))
    host = Console(made.parent)
    assert "0002_pulse" in host.done("upgrade"), "a new one needs no backup"
    store = open_store(postgres_url, tmp_path)
    with store.transaction():
        store.write("DROP TABLE pulse")
        store.write("DELETE FROM migration WHERE name = '0002_pulse'")
    store.close()

    assert "pg_dump" in host.fails(1, "list")
    assert "pg_dump" in host.fails(1, "upgrade")
    assert "Applied 0002_pulse" in host.done("upgrade", "--backed-up")
    assert host.json("list") == []
