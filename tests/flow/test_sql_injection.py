"""SQL in what players write stays what they wrote: the database has the same tables, and the same rows in them, as with harmless words.

What lives here: three hundred such words, and everywhere they are put. What never may: a look at how a query is written; ruff does that.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import pbem
from pbem.mail.message import Envelope
from pbem.service import receive
from pbem.store import eventlog, people, queues
from pbem.store.db import Store, StoreError
from tests.flow.conftest import opened
from tests.flow.forging import WORLD, headers, replaced, results
from tests.flow.post import GAME, MINUTE, PEOPLE, Post
from tests.promises.table import Promise

_OUT_OF = ("'", '"', "')", '")', "`", "]", "0", "\\'", "''", "%27", "x';", "1);")
_STATEMENTS = (
    *("; DROP TABLE person; --", "; DELETE FROM event; --", "; UPDATE game SET privacy = 'private'; --"),
    *("; INSERT INTO person (name) VALUES ('x'); --", "; ALTER TABLE inbox RENAME TO x; --", "; COMMIT; --"),
    *("; ATTACH DATABASE 'x' AS x; --", "; PRAGMA writable_schema = 1; --", "; VACUUM INTO 'x'; --"),
    *(" OR 1=1 --", " OR ''='", " OR 1=1 /*", " AND 1=0 UNION SELECT address, 1 FROM address --"),
    *(
        " UNION SELECT sql, 1 FROM sqlite_master --",
        "||(SELECT name FROM person)||'",
        " LIKE '%",
        " ESCAPE '",
    ),
    *(
        "; SELECT pg_sleep(9); --",
        "; COPY person TO PROGRAM 'id'; --",
        "::int",
        "$$; SELECT 1 $$",
        " $1",
        " %s",
        " ?",
        " :id",
    ),
)
PAYLOADS = tuple(map("".join, product(_OUT_OF, _STATEMENTS)))
HARMLESS = tuple(f"word{number} and others" for number in range(len(PAYLOADS)))
SHARE = 75


def test_there_are_three_hundred() -> None:
    assert len({*PAYLOADS}) == 300


@dataclass(frozen=True)
class Rows:
    """What a database is: the hash of its schema, and how many rows each table has."""

    schema: str
    count: dict[str, int]


def rows_of(store: Store) -> Rows:
    with store.reading():
        schema = [
            str(row)
            for row in store.rows("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name")
        ]
        tables = [
            name
            for (name,) in store.rows("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        ]
        count = {name: next(store.rows(f'SELECT count(*) FROM "{name}"'))[0] for name in tables}  # noqa: S608  # its own tables
    return Rows(hashlib.sha256("\n".join(schema).encode()).hexdigest(), count)


def sent(post: Post, words: Iterable[str]) -> tuple[Rows, int]:
    """A game in which each of these stands in every field of a mail; what the database is then, and how much was not worked off."""
    post.found("Alice", "Bo")
    refused = 0
    for number, said in enumerate(words):
        name, address = PEOPLE["Bo"]
        text = f"I wonder what everybody makes of this, number {number}: {said}"
        content = replaced(
            post.compose("Bo", text), "From", f'"{name} {said.replace(chr(34), "")}" <{address}>'
        )
        for header, value in (
            *(
                ("Subject", f"[{GAME}] {said}"),
                ("Message-ID", f"<{number}.{said.replace(' ', '')}@berg.example>"),
            ),
            *(
                ("In-Reply-To", f"<{said}@nomic.example>"),
                ("References", f"<{said}>"),
                ("Date", said),
                ("X-Mailer", said),
            ),
        ):
            content = replaced(content, header, value)
        content = headers(content, f"Authentication-Results: {results('Bo')}")
        post.now += MINUTE
        envelope = Envelope(post.now, f"{said}@berg.example", f"nomic+{said}@nomic.example")
        try:
            receive.receive(post.host, content, envelope, WORLD)
        except StoreError:
            refused += 1
    post.wait(0)
    for number, said in enumerate(words):
        if number % 15 == 0:
            post.mail("Alice", f"propose enact: {said}\n{said}\nend")
            PEOPLE[f"guest {number}"] = ("Gus Guest", f"g{number}@guest.example")
            post.take(
                post.compose(
                    f"guest {number}",
                    f"join as G{number} {said.replace(chr(44), chr(32))}",
                    subject=f"[{GAME}]",
                )
            )
    stuck = sum(mail.state in ("failed", "parked") for mail in post.taken())
    return rows_of(post.host.store), stuck + refused


def asked(store: Store, words: Iterable[str]) -> list[str]:
    """What the database finds by these words where a name, an address, a number of a mail is asked for; it should find nothing."""
    asks: tuple[Callable[[str], object], ...] = (
        lambda said: people.person_by_address(store, said),
        lambda said: people.seats_of(store, said),
        lambda said: people.invitations_to(store, said),
        lambda said: (
            eventlog.privacy(store, said) if said in {game.slug for game in eventlog.games(store)} else None
        ),
        lambda said: tuple(eventlog.load(store, said)),
        lambda said: queues.mail(store, said),
        lambda said: queues.inbox_log(store, game=said),
        lambda said: queues.inbox_log(store, digest=said),
        lambda said: queues.outgoing(store, said),
        lambda said: queues.is_queued(store, said),
        lambda said: queues.counted(store, said),
    )
    with store.reading():
        return [said for said in words for ask in asks if ask(said)]


@cache
def as_it_should_be(share: int) -> Rows:
    """What the database is after so many harmless words; every share of the others must leave it the same."""
    with TemporaryDirectory() as folder, opened(Path(folder)) as post:
        rows, stuck = sent(post, HARMLESS[:share])
    assert stuck == 0
    assert rows.count["inbox"] >= share
    assert rows.count["event"] >= share, "they were read, and posted"
    return rows


def changes_nothing(promise: Promise, folder: Path, words: tuple[str, ...]) -> None:
    before = as_it_should_be(len(words))
    with opened(folder) as post:
        after, stuck = sent(post, words)
        hits = asked(post.host.store, words)
    different = {
        name for name in before.count.keys() | after.count if before.count.get(name) != after.count.get(name)
    }
    promise.shows(
        faults=len(words),
        mails=len(words),
        accepted=len(different) + len(hits) + (before.schema != after.schema),
        uncaught=stuck,
    )


@pytest.mark.promise(22)
@pytest.mark.parametrize("first", range(0, 300, SHARE))
def test_sql_in_any_field_of_a_mail_changes_nothing(promise: Promise, tmp_path: Path, first: int) -> None:
    changes_nothing(promise, tmp_path, PAYLOADS[first : first + SHARE])


@pytest.mark.promise(22)
def test_sql_in_the_words_of_a_command_changes_nothing(post: Post, promise: Promise) -> None:
    post.found("Alice", "Bo")
    before, uncaught = rows_of(post.host.store), 0
    words = PAYLOADS[::13]
    for said in words:
        for command in (
            ("state", said),
            ("show", GAME, "rules", said),
            ("retry", said),
            ("explain", "--", said),
            ("verify", said),
        ):
            result = post.pbem(*command)
            uncaught += not (result.exception is None or isinstance(result.exception, SystemExit))
    after = rows_of(post.host.store)
    promise.shows(faults=len(words), accepted=int(after != before), uncaught=uncaught)


def interpolated(store: Store, arrival: queues.Arrival) -> queues.Accepted:
    store.writer.execute_sql(f"UPDATE inbox SET repeats = repeats WHERE sender = '{arrival.sender}'")  # noqa: S608  # the fault
    return accept(store, arrival)


accept = queues.accept


@pytest.mark.promise(22)
def test_a_value_that_is_written_into_a_statement_is_seen(
    promise: Promise, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_it_should_be(3)
    monkeypatch.setattr(queues, "accept", interpolated)
    with promise.breaks("a value stands in the statement"):
        changes_nothing(promise, tmp_path, ("'; CREATE TABLE smuggled (x); --",) * 3)


def test_no_statement_is_put_together_from_words() -> None:
    """The three that are, are put together from words of our own; whatever else ruff finds is new."""
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--ignore-noqa", "--select", "S608"]
    done = subprocess.run(
        [*command, "--output-format", "concise", *pbem.__path__], capture_output=True, text=True, check=False
    )
    found = [line for line in done.stdout.splitlines() if "S608" in line]
    assert [Path(line.partition(":")[0]).name for line in found] == [
        "people.py",
        "postmaster.py",
        "postmaster.py",
    ], done.stdout
