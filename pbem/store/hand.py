"""What a worker has in hand of the outbox.

What lives here: whose a leased mail is, and what becomes of those that were not begun. What never may: sending one, or
a mail that nobody has leased (queues.py).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from pbem.store.db import Store
from pbem.store.tables import Outbox


def mine(ids: Collection[int], worker: str) -> Any:
    """Which of these mails are still this worker's to send. Its name is the fence: whoever outstayed a lease finds another's
    name there."""
    return Outbox.id.in_(ids) & (Outbox.worker == worker) & (Outbox.state == "ready")


def held(store: Store, ids: Collection[int], worker: str) -> frozenset[int]:
    """Those of these mails that are still this worker's. Inside any block of the store."""
    found = Outbox.select(Outbox.id).where(mine(ids, worker))
    return frozenset(number for (number,) in found.tuples().execute(store.db))


def put_back(store: Store, ids: Collection[int], worker: str, now: int) -> None:
    """These were not begun: due again at once (UTC µs), for any worker. Inside `Store.transaction`."""
    fresh = Outbox.update(worker=None, due=now, attempts=Outbox.attempts - 1)
    fresh.where(mine(ids, worker)).execute(store.writer)
