"""A state from its facts: the one way to read a log.

What lives here: `evolve` and `replay`. What never may: a judgment. `evolve` takes what happened as it is;
whether it may happen was decided before it was written down.
"""

from __future__ import annotations

from collections.abc import Iterable

from pbem.game import codec, folds_of_order, folds_of_pauses, folds_of_play
from pbem.game.codec import Record
from pbem.game.docket import Recorded
from pbem.game.events import Fact
from pbem.game.state import State, renewed

_FOLDS = folds_of_play.FOLDS | folds_of_order.FOLDS | folds_of_pauses.FOLDS


def replay(records: Iterable[Record], state: State | None = None) -> State:
    """The state after `records`, which follow on `state` (None: the beginning)."""
    state = state or State()
    for record in records:
        state = evolve(state, codec.decode(record), record.at, record.mail)
    return state


def evolve(state: State, fact: Fact, at: int, mail: str | None = None) -> State:
    """The state after `fact`, recorded at `at` (UTC µs) because of the mail with that SHA-256."""
    changed = _FOLDS[type(fact)](state, fact, Recorded(at, mail))
    return renewed(changed, seq=state.seq + 1, at=at)
