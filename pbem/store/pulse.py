"""When each part of a running server last did its round.

What lives here: a moment for each part, by name. What never may: what a part does, or when it is late. Functions that
write are called inside `Store.transaction`, the others inside any block of it.
"""

from __future__ import annotations

from pbem.store.db import Store
from pbem.store.tables import Pulse


def beat(store: Store, part: str, at: int) -> None:
    """The part has done its round at `at` (UTC µs)."""
    Pulse.insert(part=part, at=at).on_conflict(conflict_target=[Pulse.part], update={"at": at}).execute(
        store.writer
    )


def beats(store: Store) -> dict[str, int]:
    """When each part last did its round (UTC µs)."""
    return dict(Pulse.select(Pulse.part, Pulse.at).order_by(Pulse.part).tuples().execute(store.db))
