"""Pages after the fact: games whose pages are out of date are published, then the index of games."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path

from pbem.publish import site, versions
from pbem.publish.page import SiteView, game_line
from pbem.service.books import Books, Host
from pbem.service.telling import write_to
from pbem.store import eventlog

log = logging.getLogger(__name__)


def publish_due(host: Host) -> int:
    """Publishes every game whose pages are out of date; returns how many were."""
    with host.store.reading():
        stale = eventlog.sites_to_publish(host.store)
    for game, version in stale:
        publish(host, game, version, host.config.site.folder)
        with host.store.transaction():
            eventlog.published(host.store, game, version)
    if stale:
        publish_index(host, host.config.site.folder)
    return len(stale)


def publish_now(host: Host, game: str, folder: Path) -> None:
    """Publishes a game whether or not its pages are out of date. Raises NoSuchGame."""
    with host.store.reading():
        version = eventlog.head(host.store, game).seq
    publish(host, game, version, folder)


def publish(host: Host, game: str, version: int, folder: Path) -> None:
    """One game's pages, swapped in whole. Raises NoSuchGame."""
    with host.store.reading():
        page = Books(host).page(game)
        records = tuple(eventlog.load(host.store, game))
    pages = site.pages(page.state, records, _view(host, game), host.printer)
    versions.publish(folder, game, version, pages)
    log.info("published game=%s version=%d", game, version)


def publish_index(host: Host, folder: Path) -> None:
    """The index of games."""
    with host.store.reading():
        books = Books(host)
        lines = tuple(game_line(books.state(entry.slug)) for entry in eventlog.games(host.store))
    languages = {line.language for line in lines}
    view = replace(_view(host), games=lines, language=languages.pop() if len(languages) == 1 else "en")
    versions.write_index(folder, site.index(view, host.printer))


def _view(host: Host, game: str = "") -> SiteView:
    config = host.config
    return SiteView(config.site.url, write_to(config, game), config.mail.name, zone=config.zone)
