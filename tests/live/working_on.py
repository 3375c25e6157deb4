"""A worker on PostgreSQL: takes mails in, each until that is known to be done, and works them off into the logs of games.

What lives here: the process of test_postgres_stopped.py, run with `python -m tests.live.working_on`. What never may: giving
up; whatever the database says, the same mail is offered again, as a mail server does.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import peewee

from pbem.game import codec
from pbem.game.events import Announced
from pbem.store import eventlog, queues
from pbem.store.db import Raced, Store, StoreError, open_store
from pbem.store.queues import Accepted, Arrival, Outcome
from tests.servers.told import goes_on

GAMES = ("kaffe", "te", "saft")
BATCH = 20
"""Mails taken in from one look at what waits to the next."""
LOST_ANSWERS = 0.01
"""Of so many commits the answer does not arrive."""


def arrival(worker: int, number: int) -> Arrival:
    content = f"Subject: {worker} {number}\r\n\r\nWords.\r\n".encode()
    digest = sha256(content).hexdigest()
    return Arrival(content, digest, None, digest, number, None, GAMES[number % len(GAMES)], "lmtp")


def insert_alone(store: Store, mail: Arrival) -> Accepted:
    """The planted fault: no key keeps a mail from being stored twice."""
    insert = (
        "INSERT INTO inbox (key, digest, received, recipient, source, content, repeats, state, attempts, due)"
        " VALUES (?, ?, ?, ?, ?, ?, 0, 'new', 0, 0) RETURNING id"
    )
    values = (mail.key, mail.digest, mail.received, mail.recipient, mail.source, mail.content)
    ((number,),) = store.write_returning(insert, *values)
    return Accepted(number, repeat=False)


def losing_answers(store: Store, chance: Random) -> None:
    """Now and then a commit is done, and whoever asked for it does not learn that."""
    commit = store.db.commit

    def commits() -> Any:
        done = commit()
        if chance.random() < LOST_ANSWERS:
            raise peewee.OperationalError("the answer was lost")
        return done

    store.db.commit = commits


class Work:
    """What a worker does, and how often something was in its way."""

    def __init__(self, store: Store, accept: Callable[[Store, Arrival], Accepted]) -> None:
        self.store = store
        self.accept = accept
        self.errors = 0
        self.found_done = 0

    def take(self, mail: Arrival) -> None:
        """Until the mail is known to be stored; it may have been, in a try of which nobody knew how it ended."""
        self.found_done += self._until_done(lambda: self.accept(self.store, mail)).repeat

    def work_off(self) -> int:
        """Some of what waits; returns how many mails that were."""
        return self._until_done(self._work_off)

    def _work_off(self) -> int:
        waiting = queues.claim_new(self.store, 2**61, BATCH)
        for mail in waiting:
            game = mail.recipient or ""
            head = eventlog.head(self.store, game)
            facts = [Announced(mail.digest)]
            records = codec.write(facts, after=head.seq, head=head.hash, at=head.seq, mail=mail.digest)
            eventlog.append(self.store, game, head.seq, records)
            queues.finish(self.store, mail.id, Outcome("human", game, None, "1 done"))
        return len(waiting)

    def _until_done(self, part: Callable[[], Any]) -> Any:
        while True:
            try:
                with self.store.transaction():
                    done = part()
            except (StoreError, Raced):
                self.errors += 1
                time.sleep(0.02)
            else:
                return done


def main() -> None:
    url, worker, fault = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    store = open_store(url, Path("."))
    losing_answers(store, Random(worker))  # noqa: S311  # the same each time
    work = Work(store, insert_alone if fault == "no key" else queues.accept)
    number = 0
    while goes_on():
        for _ in range(BATCH):
            number += 1
            work.take(arrival(worker, number))
        work.work_off()
    print(json.dumps({"taken": number, "errors": work.errors, "found_done": work.found_done}))  # noqa: T201


if __name__ == "__main__":
    main()
