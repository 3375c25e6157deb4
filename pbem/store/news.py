"""What other processes on the same PostgreSQL have just written, heard as soon as it is committed.

What lives here: the words of the news, and a line on which they are heard. What never may: what is done about them. News
may be missed, while a line is broken or where a pool between us and the database keeps no lines: whoever waits for some looks by
themselves now and then. On SQLite there are none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, get_args

import peewee

from pbem.store.db import CHANNEL, WAIT, News, Store

MOMENT: Final = 1.0
"""Seconds within which whoever listens is asked whether to go on."""


def listen(store: Store, hear: Callable[[str], None], stopped: Callable[[], bool]) -> None:
    """Calls `hear` with all news, until `stopped`. At first it is heard as if all of it had just come: some may have been
    missed. Raises the database's own errors when the line breaks."""
    import psycopg  # noqa: PLC0415  # an extra: only where the database is its own

    as_ours = peewee.__exception_wrapper__  # type: ignore[attr-defined]  # peewee's own drivers use it so
    with as_ours, psycopg.connect(store.db.database, autocommit=True, connect_timeout=WAIT) as line:
        line.execute(f"LISTEN {CHANNEL}")
        for news in get_args(News):
            hear(news)
        while not stopped():
            for told in line.notifies(timeout=MOMENT):
                hear(told.payload)
