"""When the words of a game are indexed anew: often for a small game, seldom for one whose index takes long to make.

What lives here: the waiting. What never may: the index itself (publish/finding.py). Making an index keeps one processor
busy; it is made by a program of its own, in a loop of its own, and keeps no mail and no page waiting.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path
from time import monotonic
from typing import Final

from pbem.publish import finding
from pbem.service.books import Host
from pbem.store import eventlog

log = logging.getLogger(__name__)

REST: Final = 20
"""After an index is made, so many times as long passes before it is made again: 5 % of a processor at most."""
LEAST: Final = 60.0
"""And at least so many seconds."""
LOOKED: Final = 400
"""After a look at all games, so many times as long passes before the next: with ten thousand games it takes some hundredths of
a second, of which an idle host should have nothing to do."""


class Indexer:
    """Keeps the indexes of all games near to their pages."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._rested: dict[str, float] = {}
        self._look_again = 0.0

    def make_due(self) -> int:
        """Makes the indexes that are older than their pages and have rested; returns how many."""
        if not finding.can_be_made() or monotonic() < self._look_again:
            return 0
        folder = self._host.config.site.folder
        due = self._due(folder)
        for game in due:
            began = monotonic()
            make(folder, [game])
            self._host.published.set()
            self._rested[game] = monotonic() + max(LEAST, REST * (monotonic() - began))
        return len(due)

    def _due(self, folder: Path) -> list[str]:
        began = monotonic()
        with self._host.store.reading():
            games = [entry.slug for entry in eventlog.games(self._host.store)]
        due = [game for game in games if self._has_rested(game) and finding.is_stale(folder, game)]
        self._look_again = monotonic() + LOOKED * (monotonic() - began)
        return due

    def _has_rested(self, game: str) -> bool:
        return monotonic() >= self._rested.get(game, 0.0)


def make(folder: Path, games: Iterable[str]) -> None:
    """Makes the indexes of these games now, where Pagefind is installed. One that fails is logged, and keeps no other."""
    if not finding.can_be_made():
        return
    for game in games:
        try:
            finding.make(folder, game)
            log.info("indexed game=%s", game)
        except (finding.NoIndex, OSError):
            log.exception(
                "game=%s: its words could not be indexed; the search finds what it found before", game
            )
