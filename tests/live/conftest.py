"""One browser for all tests of a worker, and a site in each language to look at with it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pbem.service.web import Preview
from tests.publish.library import Site, library, put_up
from tests.servers.chromium import Browser, chromium


@pytest.fixture(scope="session", name="window")
def _window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("browser")) as browser:
        yield browser


@pytest.fixture(name="browser")
def _browser(window: Browser) -> Browser:
    """The browser as nobody has touched it."""
    window.plain()
    return window


@pytest.fixture(scope="session", name="english")
def _english(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    yield from _served("en", tmp_path_factory)


@pytest.fixture(scope="session", name="swedish")
def _swedish(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    yield from _served("sv", tmp_path_factory)


def _served(language: str, folders: pytest.TempPathFactory) -> Iterator[Site]:
    site = put_up(folders.mktemp("site"), library(language, folders.mktemp("games")), language)
    preview = Preview(site.folder, 0)
    preview.start()
    site.url = preview.url
    yield site
    preview.stop()


@pytest.fixture(name="site", params=["english", "swedish"])
def _site(request: pytest.FixtureRequest) -> Site:
    """The site in either language."""
    return request.getfixturevalue(request.param)
