"""What the site is made of, and what it has to know of the host and its games.

What lives here: values, and the names a page may have. What never may: writing, or a file's real path.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Final, NamedTuple

from pbem.game.model import GameStatus
from pbem.game.state import State

SAFE_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,60}")
"""A game's, and a folder's: nothing else reaches the file system, whatever anybody calls a game."""
_CASE: Final = re.compile(r"J[0-9]{1,9}")
"""The folder of a case is called as players call it."""
_SAFE_FILE: Final = re.compile(rf"{SAFE_NAME.pattern}\.(?:html|txt|json|css|js|svg|xml|mbox)")


def mark(mail: str) -> str:
    """The anchor of the mail with this SHA-256 on its page of the archive."""
    return f"m{mail[:16]}"


def part_of(ends: Sequence[int], at: int) -> int:
    """Which of the parts of a log or an archive has what was recorded at that moment (UTC µs); they end at these, but for the
    last one. It never changes."""
    return bisect_left(ends, at) + 1


class Page(NamedTuple):
    """One file of the site: its path (`rules/301/index.html`), and how its bytes are made.

    `key` is all that the bytes depend on: while it stays equal to what it was, the page is what it was, and is not made again.
    """

    path: str
    key: object
    make: Callable[[], bytes]

    @property
    def content(self) -> bytes:
        """The bytes, made now."""
        return self.make()


class Shelf(NamedTuple):
    """Pages that are looked through together. `key` is all that they, and which they are, depend on: while it stays equal
    to what it was, they are what they were, and are not asked for."""

    name: Hashable
    key: object
    pages: Callable[[], Iterable[Page]]


def single(page: Page) -> Shelf:
    """A page with a shelf of its own."""
    return Shelf(page.path, page.key, lambda: (page,))


def plain(path: str, content: bytes) -> Page:
    """A page that depends on nothing but its bytes."""
    return Page(path, content, lambda: content)


def safe(game: str) -> str:
    """The name of a game, which may stand in a path. Raises ValueError for one that may not."""
    if not SAFE_NAME.fullmatch(game):
        raise ValueError(f"no game on the site may be called {game!r}")
    return game


def parted(path: str) -> tuple[tuple[str, ...], str]:
    """The folders down to a page and its name. Raises ValueError for a path that is not made of safe names."""
    *folders, name = path.split("/")
    if not _SAFE_FILE.fullmatch(name) or not all(map(_is_safe, folders)):
        raise ValueError(f"no page may be called {path!r}")
    return tuple(folders), name


def _is_safe(folder: str) -> bool:
    return bool(SAFE_NAME.fullmatch(folder) or _CASE.fullmatch(folder))


@dataclass(frozen=True, slots=True)
class GameLine:
    """A game in the index of games: whose turn it is in words a reader needs before going there."""

    game: str
    title: str
    language: str
    status: GameStatus
    turn: int
    on_turn: str
    players: int


@dataclass(frozen=True, slots=True)
class SiteView:
    """What every page knows of the host: the site's address ("" or ending in a slash), where players write
    ("" when they cannot), for the index, its title, language, zone and the games to be listed; whether an index of words is made, and whether search engines
    are asked to leave the pages out."""

    url: str = ""
    address: str = ""
    title: str = "Nomic"
    language: str = "en"
    zone: str = "UTC"
    games: tuple[GameLine, ...] = ()
    search: bool = False
    unlisted: bool = False


def line_text(line: GameLine) -> str:
    """A line as it is kept."""
    return json.dumps(asdict(line))


def line_of(text: str) -> GameLine:
    """The line that was kept as this text."""
    return GameLine(**json.loads(text))


def game_line(state: State) -> GameLine:
    """The game's line in the index."""
    on_turn = state.players[state.on_turn].name if state.on_turn is not None else ""
    seats = len(state.seated)
    return GameLine(state.game, state.title, state.language, state.status, state.turn, on_turn, seats)
