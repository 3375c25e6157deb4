"""A host in a folder of its own for each story: real SQLite, real Maildirs, real pages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from pbem.cli.app import open_host
from pbem.config import load
from pbem.mail.acts import phrase
from pbem.render import Printer
from tests.flow.post import SETTINGS, Post

PRINTER = Printer(phrase)
"""One for all stories: the templates are compiled once."""


@contextmanager
def opened(folder: Path) -> Iterator[Post]:
    """A host without a game, in a folder."""
    settings = folder / "pbem.toml"
    settings.write_text(SETTINGS, "utf-8")
    with open_host(load(settings, {})) as host:
        yield Post(replace(host, printer=PRINTER), folder)


@pytest.fixture
def post(tmp_path: Path) -> Iterator[Post]:
    """A host without a game yet."""
    with opened(tmp_path) as post:
        yield post
