"""Pages after the fact: games whose pages are out of date are published, then the index of games."""

from __future__ import annotations

import gc
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from pbem.game.codec import Record
from pbem.progress import Progress, untold
from pbem.publish import finding, site, versions
from pbem.publish.log import EVENTS_A_PAGE, Log
from pbem.publish.page import Page, Shelf
from pbem.publish.press import Memory
from pbem.service import alarms, listing
from pbem.service.books import Books, Host
from pbem.store import eventlog

LARGE = 5_000
"""Printed parts that make a game a large one: a game of ten players and a hundred turns has some thousands."""
AT_ONCE = 500
"""Games that one process has reserved at a time."""

log = logging.getLogger(__name__)


def publish_due(host: Host, now: int | None = None, stopped: Callable[[], bool] = lambda: False) -> int:
    """Publishes every game whose pages are out of date and that no other process is publishing, until `stopped`; returns
    how many could be. At `now` (UTC µs) the host is told of those that could not; None: nobody is."""
    with host.store.reading():
        stale = [game for game, _ in eventlog.sites_to_publish(host.store)]
    some = (stale[place : place + AT_ONCE] for place in range(0, len(stale), AT_ONCE))
    return sum(_publish_some(host, games, now, stopped) for games in some)


def _publish_some(host: Host, games: Sequence[str], now: int | None, stopped: Callable[[], bool]) -> int:
    with ExitStack() as reserved:
        done = [
            (game, version)
            for game in games
            if not stopped() and (version := _published(host, game, reserved, now)) is not None
        ]
        if done:
            listing.bring_up_to_date(host)
            host.published.set()
            # Only now: whoever is stopped before the index is written publishes again.
            with host.store.transaction():
                for game, version in done:
                    eventlog.published(host.store, game, version)
    return len(done)


def _published(host: Host, game: str, reserved: ExitStack, now: int | None) -> int | None:
    """Publishes one game, which is reserved from then on; the version, None if another process is at it, or has been, or
    it could not be done. What keeps one game's pages back keeps no other's."""
    if not reserved.enter_context(host.store.reserved(eventlog.PUBLISHING, game)):
        return None
    with host.store.reading():
        version = eventlog.site_wanted(host.store, game)
    try:
        if version is not None:
            publish(host, game, version, host.config.site.folder)
    except Exception as error:
        log.exception("game=%s: its pages could not be published; the next round tries again", game)
        if now is not None:
            alarms.pages_failed(host, game, error, now)
        return None
    return version


def publish_now(host: Host, game: str, folder: Path, progress: Progress = untold) -> bool:
    """Publishes a game whether or not its pages are out of date; whether its pages are up. Raises NoSuchGame."""
    with host.store.reading():
        version = eventlog.head(host.store, game).seq
    return publish(host, game, version, folder, progress)


def publish(host: Host, game: str, version: int, folder: Path, progress: Progress = untold) -> bool:
    """One game's pages, swapped in whole; those of a private game are taken away. Whether they are up. Raises
    NoSuchGame."""
    if not _is_private(host, game):
        known = host.printed.get((folder, game))
        memory = known or Memory()
        versions.publish(folder, game, version, _pages(host, game, memory), memory.standing, progress)
        host.printed.put((folder, game), memory)
        if known is None and memory.size > LARGE:
            settle()
        log.info("published game=%s version=%d", game, version)
    # Asked again: it may have become private while its pages were made.
    if not _is_private(host, game):
        return True
    versions.withdraw(folder, game)
    finding.take_away(folder, game)
    log.info("private game=%s: nothing of it is published", game)
    return False


def settle() -> None:
    """What was just made of a game for the first time will be kept for long: it is not to be gone through with every search
    for garbage, which takes some tenths of a second for a large one."""
    gc.collect()
    gc.freeze()


def _is_private(host: Host, game: str) -> bool:
    with host.store.reading():
        return eventlog.privacy(host.store, game) == "private"


def _pages(host: Host, game: str, memory: Memory) -> Iterator[Page | Shelf]:
    """A game's pages. The game is read when the first is asked for: by then no other publisher is at work,
    so pages never give way to older ones."""
    with host.store.reading():
        books = Books(host)
        page = books.page(game)
        books.keep()
        ends = eventlog.moments(host.store, game, EVENTS_A_PAGE)
        unlisted = eventlog.privacy(host.store, game) != "public"
    view = replace(listing.view(host, game), unlisted=unlisted)
    yield from site.shelves(page.state, Log(page.head, ends, _reader(host, game)), view, host.printer, memory)


def _reader(host: Host, game: str) -> Callable[[int, int], Sequence[Record]]:
    """Reads records of a game's log by their numbers."""

    def read(first: int, last: int) -> Sequence[Record]:
        with host.store.reading():
            return tuple(eventlog.load(host.store, game, first - 1, last))

    return read
