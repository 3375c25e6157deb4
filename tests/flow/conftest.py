"""A host in a folder of its own for each story: real SQLite, real Maildirs, real pages."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from pbem.cli.app import open_host
from pbem.config import load
from pbem.mail.phrasing import phrase
from pbem.render import Printer
from tests.flow.layout import faults
from tests.flow.post import GAME, SETTINGS, TEA, Letter, Post

QUICK = frozenset(
    f"test_{name}.py"
    for name in (
        "game_by_mail",
        "bad_input",
        "ballots_in_doubt",
        "field_cases",
        "loops",
        "spoofing",
        "alarms",
        "daily",
    )
)
"""The stories that `tests/run quick` tells: one of each kind of trouble. All others are marked slow."""
PRINTER = Printer(phrase)
"""One for all stories: the templates are compiled once."""
SECRET = "the same on each host, so that their mails can be compared to the byte"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == Path(__file__).parent and item.path.name not in QUICK:
            item.add_marker(pytest.mark.slow)


@contextmanager
def opened(folder: Path) -> Iterator[Post]:
    """A host without a game, in a folder. Whatever it sends keeps the laws of layout.py."""
    settings = folder / "pbem.toml"
    settings.write_text(SETTINGS, "utf-8")
    (folder / "pbem.key").write_text(SECRET, "utf-8")
    (folder / "pbem.key").chmod(0o600)
    with open_host(load(settings, {})) as host:
        post = Post(replace(host, printer=PRINTER), folder)
        yield post
        for letter in post.letters():
            keeps_the_laws(letter)


_SOUND: set[bytes] = set()
"""Mails that keep the laws. Most stories begin with the same ones, to the byte."""


def keeps_the_laws(letter: Letter) -> None:
    content = letter.file.read_bytes()
    if content not in _SOUND:
        assert faults(content, letter) == [], letter.subject
        _SOUND.add(content)


Founded = Callable[..., Path]


@pytest.fixture(scope="session")
def founded(tmp_path_factory: pytest.TempPathFactory) -> Founded:
    """The folder of a host on which a game has just been founded for players of these names: made once, to be copied."""

    @cache
    def folder(*names: str) -> Path:
        folder = tmp_path_factory.mktemp("founded")
        with opened(folder) as post:
            post.found(*names)
        return folder

    return folder


@contextmanager
def beginning(founded: Path, folder: Path) -> Iterator[Post]:
    """A story that begins with the game just founded, in a folder of its own."""
    shutil.copytree(founded, folder, symlinks=True, dirs_exist_ok=True)
    with opened(folder) as post:
        yield post


@pytest.fixture
def post(tmp_path: Path) -> Iterator[Post]:
    """A host without a game yet."""
    with opened(tmp_path) as post:
        yield post


@pytest.fixture
def four(founded: Founded, tmp_path: Path) -> Iterator[Post]:
    """Alice, Bo, Cia and Dan, in English; the vote closes with the last ballot."""
    with beginning(founded("Alice", "Bo", "Cia", "Dan"), tmp_path) as post:
        yield post


@pytest.fixture
def game(founded: Founded, tmp_path: Path) -> Iterator[Post]:
    """Alice, Bo and Cia; afterwards every mail lies in the inbox with its outcome, and the log is whole."""
    with beginning(founded("Alice", "Bo", "Cia"), tmp_path) as post:
        yield post
        taken = post.taken()
        assert len(taken) == post.stored, "every mail that was taken is there"
        assert {mail.state for mail in taken} <= {"done", "held"}, [mail.result for mail in taken]
        assert all(mail.kind and mail.result for mail in taken), "with what became of it"
        assert len(post.pbem.json("show", GAME, "log")) == post.state()["events"]
        assert post.is_whole()


@pytest.fixture
def voting(game: Post) -> Post:
    """Proposal 301 is being voted on."""
    game.propose("Alice", TEA)
    return game
