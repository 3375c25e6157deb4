"""That the parts of a server are alive: each tells when it has done a round.

What lives here: how often that is written down. What never may: when a part is late (health.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pbem.config import ImapIntake, MaildirIntake
from pbem.store import pulse
from pbem.store.db import Store

EVERY: Final = 60_000_000
"""µs between two notes of one part, so that a server with nothing to do rests."""


def heart_of(intake: ImapIntake | MaildirIntake) -> str:
    """What a poller is called in the pulse."""
    if isinstance(intake, ImapIntake):
        return f"imap {intake.user}@{intake.host}"
    return f"maildir {intake.folder}"


class Heart:
    """The pulse of one process's parts; a part has a thread of its own."""

    def __init__(self, store: Store, clock: Callable[[], int]) -> None:
        self.store = store
        self.clock = clock
        self._noted: dict[str, int] = {}

    def beat(self, part: str) -> None:
        """The part has done a round now."""
        now = self.clock()
        if now - self._noted.get(part, 0) >= EVERY:
            with self.store.transaction():
                pulse.beat(self.store, part, now)
            self._noted[part] = now
