"""A process that writes into a host's database a thousand times a second: mails taken in, and the keeper's words in the log.

What lives here: the writer of test_backups_while_writing.py, run with `python -m tests.flow.writing_on FOLDER`. It tells
now and then how many mails are committed. What never may: a look at what a backup holds.
"""

from __future__ import annotations

import sys
import time
from hashlib import sha256
from pathlib import Path

from pbem.game import codec
from pbem.game.events import Announced
from pbem.store import eventlog, queues
from pbem.store.db import Store, open_store
from pbem.store.queues import Arrival
from tests.flow.post import BEGINNING, GAME
from tests.servers.told import goes_on

A_SECOND = 1_000
"""Mails, at most."""
A_LINE = 25
"""Mails from one line of standard output to the next, and from one announcement to the next."""


def take(store: Store, number: int) -> None:
    content = f"Subject: {number}\r\n\r\n".encode() + b"Words.\r\n" * 100
    digest = sha256(content).hexdigest()
    queues.accept(store, Arrival(content, digest, None, digest, BEGINNING + number, None, None, "smtp"))


def announce(store: Store, number: int) -> None:
    head = eventlog.head(store, GAME)
    fact = Announced(f"{number} mails.")
    records = codec.write([fact], after=head.seq, head=head.hash, at=BEGINNING + number, mail=None)
    eventlog.append(store, GAME, head.seq, records)


def main() -> None:
    store = open_store("sqlite:///pbem.db", Path(sys.argv[1]))
    number, began = 0, time.monotonic()
    with store.connected():
        while goes_on():
            for _ in range(A_LINE):
                number += 1
                with store.transaction():
                    take(store, number)
            with store.transaction():
                announce(store, number)
            time.sleep(max(0, began + number / A_SECOND - time.monotonic()))
            print(number, flush=True)  # noqa: T201  # how it tells the test


if __name__ == "__main__":
    main()
