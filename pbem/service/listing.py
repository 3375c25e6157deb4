"""The index of games: a line for each public one, kept beside the game, so that no game is opened for it.

What lives here: what the lines say, and when the index is written. What never may: a game's own pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from pbem.publish import finding, site, versions
from pbem.publish.page import GameLine, Page, SiteView, game_line, line_of
from pbem.service.books import Books, Host
from pbem.service.telling import write_to
from pbem.store import eventlog
from pbem.store.eventlog import Listed


def publish_index(host: Host, folder: Path) -> None:
    """Writes the index of games into a folder."""
    versions.write_index(folder, _pages(host, []))


def bring_up_to_date(host: Host) -> None:
    """Writes the index of the site, unless each of its lines stands there; the first time that a process is asked it is
    written in any case, for the settings may be others."""
    with host.store.reading():
        stale = eventlog.index_is_stale(host.store)
    if host.indexed.is_set() and not stale:
        return
    shown: list[Listed] = []
    versions.write_index(host.config.site.folder, _pages(host, shown))
    with host.store.transaction():
        eventlog.list_games(host.store, shown)
    host.indexed.set()


def _pages(host: Host, shown: list[Listed]) -> Iterator[Page]:
    """The pages of the index. The games are read, into `shown`, when the first is asked for: by then no other publisher is
    at work, so that pages never give way to older ones."""
    with host.store.reading():
        shown += eventlog.games_listed(host.store)
        lines = tuple(_line(host, each) for each in shown if each.privacy == "public")
    yield from site.index(_view(host, lines), host.printer)


def _line(host: Host, game: Listed) -> GameLine:
    """The line of a game. One that nothing has happened in since there are lines has none yet."""
    return line_of(game.line) if game.line else game_line(Books(host).state(game.slug))


def _view(host: Host, lines: Sequence[GameLine]) -> SiteView:
    languages = {line.language for line in lines}
    language = languages.pop() if len(languages) == 1 else "en"
    return replace(view(host), games=tuple(lines), language=language)


def view(host: Host, game: str = "") -> SiteView:
    """What every page knows of the host; the address to write to is that of the game."""
    config = host.config
    search = finding.can_be_made()
    return SiteView(
        config.site.url, write_to(config, game), config.mail.name, zone=config.zone, search=search
    )
