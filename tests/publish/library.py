"""A whole site in one language: every golden game, a game under way, one not begun, and words no screen is wide enough for.

What lives here: publishing it, and finding its pages. What never may: a list of pages. They are found in the folder,
so that a page somebody adds is looked at too.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

from selectolax.lexbor import LexborHTMLParser

from pbem.game.commands import CallVote, Propose, Speak
from pbem.game.fold import replay
from pbem.publish import site
from pbem.publish.log import log_of
from pbem.publish.page import GameLine, SiteView, game_line
from pbem.publish.versions import publish, write_index
from tests.game.conftest import Table
from tests.games.playing import GAMES, GoldenGame
from tests.publish.played import PRINTER, SITE, ballot, played

MARKDOWN = """# A *heading*

> It was **never** so.

1. `one`
2. two

- [a list](https://b.example/)

* * *
"""
"""Everything that Markdown makes of what players write."""


def put_up(folder: Path, games: dict[str, Table], language: str) -> Site:
    """Publishes games under these names, and their index."""
    lines = [put_up_one(folder, name, game) for name, game in games.items()]
    view = SiteView(SITE.url, SITE.address, language=language, games=tuple(lines))
    write_index(folder, site.index(view, PRINTER))
    return Site(folder, language, games=games)


def put_up_one(folder: Path, name: str, game: Table) -> GameLine:
    publish(folder, name, game.state.seq, site.shelves(game.state, log_of(game.log), SITE, PRINTER))
    return replace(game_line(game.state), game=name)


def library(language: str, scratch: Path) -> dict[str, Table]:
    """The games by name. `scratch` is a folder for the texts of the golden games, each set to the language."""
    golden = {path.stem: _golden(path, scratch, language) for path in GAMES}
    return golden | {"kaffe": _under_way(language), "before": _before(language)}


def _golden(path: Path, scratch: Path, language: str) -> Table:
    text, changed = re.subn(
        r"^language: \w+", f"language: {language}", path.read_text("utf-8"), flags=re.MULTILINE
    )
    assert changed == 1, path
    (scratch / path.name).write_text(text, "utf-8")
    return GoldenGame(scratch / path.name).play()


def _under_way(language: str) -> Table:
    """The played game, in which somebody has written words no screen is wide enough for."""
    game = played(language)
    for name in ("Bo", "Dan"):
        ballot(game, name, 304, "for")
    game.play("Dan", Propose("enact", None, "W" * 90, f"{'x' * 300}\n\n`{'y' * 300}`\n\n    {'z' * 300}"))
    game.play("Bo", Speak(MARKDOWN, 305))
    game.play("Dan", Speak(f"https://a.example/{'q' * 200}", 305))
    game.play("Dan", CallVote(305))
    return game


def _before(language: str) -> Table:
    """A game as it was before it began, with one seat taken."""
    game = played(language)
    game.log = game.log[:2]
    game.state = replay(game.log)
    return game


class Site:
    """A published folder, its pages named by their paths: `kaffe/rules/301/index.html`."""

    def __init__(
        self, folder: Path, language: str, url: str = "", games: Mapping[str, Table] = MappingProxyType({})
    ) -> None:
        """`url` is where it is served, if it is; `games` are those that were published, as far as they are known."""
        self.folder = folder
        self.language = language
        self.url = url
        self.games = games

    @cached_property
    def files(self) -> tuple[str, ...]:
        """Every file a reader can ask for."""
        return tuple(sorted(self._walk()))

    def _walk(self) -> Iterator[str]:
        for root, folders, names in os.walk(self.folder, followlinks=True):
            folders[:] = [name for name in folders if not name.startswith(".")]
            yield from (Path(root, name).relative_to(self.folder).as_posix() for name in names)

    @cached_property
    def pages(self) -> tuple[str, ...]:
        return tuple(path for path in self.files if path.endswith(".html"))

    def read(self, path: str) -> str:
        return (self.folder / path).read_text("utf-8")

    @cached_property
    def specimens(self) -> tuple[str, ...]:
        """Few pages that show between them every kind of thing that each type of page has; the fullest first."""
        kinds = {path: frozenset(_kinds(self.read(path))) for path in self.pages}
        seen: defaultdict[str, set[str]] = defaultdict(set)
        found = []
        for path in sorted(kinds, key=lambda path: -len(kinds[path])):
            if kinds[path] - seen[shape(path)]:
                found.append(path)
                seen[shape(path)] |= kinds[path]
        return tuple(found)


def shape(path: str) -> str:
    """The type of a page: its path without the game's name and numbers, `*/rules/#/index.html`."""
    _, slash, rest = path.partition("/")
    return "*/" + re.sub(r"\d+", "#", rest) if slash else path


def _kinds(html: str) -> Iterator[str]:
    """The elements with their classes, and words that a narrow screen must break."""
    tree = LexborHTMLParser(html)
    for node in tree.css("*"):
        yield f"{node.tag}.{node.attributes.get('class') or ''}"
    if re.search(r"\S{65}", tree.css_first("main").text(separator=" ")):
        yield "a long word"
