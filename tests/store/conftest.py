"""Every story of the store is told twice: on SQLite, and (live) on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.store.db import Store, open_store
from pbem.store.upgrade import upgrade
from tests.servers.postgres import empty, postgres_url

__all__ = ["postgres_url"]


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.live)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a database without tables."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/pbem.db"
    address: str = request.getfixturevalue("postgres_url")
    empty(address)
    return address


@pytest.fixture
def bare(url: str, tmp_path: Path) -> Iterator[Store]:
    """A store without tables."""
    store = open_store(url, tmp_path)
    yield store
    store.close()


@pytest.fixture
def store(bare: Store) -> Store:
    """A store with its tables."""
    upgrade(bare, now=0)
    return bare
