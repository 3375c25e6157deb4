"""How the worlds of the simulation begin: their settings, their people, and a game that has just been founded.

What lives here: databases in memory that outlive the process that uses them. What never may: a step.
"""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import apsw

from pbem.config import Config, load
from pbem.mail.tokens import Keyring
from pbem.service import founding
from pbem.service.books import Host
from pbem.store import people
from pbem.store.db import PRAGMAS, Store
from pbem.store.disk import DiskDatabase
from pbem.store.upgrade import upgrade
from tests.flow.conftest import PRINTER
from tests.flow.post import ADDRESS, BEGINNING, GAME, KEEPER, PEOPLE, RECEIVER

SETTINGS = f"""
[mail]
address = "{ADDRESS}"
[identity]
trusted_receivers = ["{RECEIVER}"]
[delivery.smtp]
host = "smart.example"
tls = "none"
[[intake.imap]]
host = "mail.example"
user = "nomic"
tls = "none"
password_file = "password"
[site]
url = "https://nomic.example/"
"""
KEYS = Keyring((b"the same in every world",))
House = tuple[tuple[str, str], ...]
HOUSES: tuple[House, ...] = (
    (
        ("cooling time", "0"),
        ("silence", "abstain"),
        ("voting time", "2d"),
        ("debate time", "1d"),
        ("proposal time", "2d"),
    ),
    (
        ("cooling time", "12h"),
        ("silence", "against"),
        ("voting time", "1d"),
        ("grace", "12h"),
        ("zone", "Europe/Stockholm"),
    ),
    (
        ("cooling time", "30m"),
        ("voting time", "3d"),
        ("grace", "0"),
        ("quiet days", "sat sun"),
        ("zone", "America/Havana"),
    ),
)


@dataclass(frozen=True)
class Variant:
    """How a game begins. `terse`: everybody wants no mail but answers and what waits for them, in plain text."""

    players: int
    house: House
    language: str = "en"
    public: bool = False
    terse: bool = False


class _InMemory(DiskDatabase):
    """A database that outlives the process that uses it."""

    def __init__(self, kept: apsw.Connection) -> None:
        super().__init__(":memory:", autoconnect=False, lock_type="IMMEDIATE", pragmas=PRAGMAS)
        self._kept = kept

    def _connect(self) -> apsw.Connection:
        self._add_conn_hooks(self._kept)
        return self._kept

    def _close(self, _: apsw.Connection) -> None:
        """It is kept."""


def settings(folder: Path) -> Config:
    (folder / "pbem.toml").write_text(SETTINGS, "utf-8")
    (folder / "password").write_text("of nobody", "utf-8")
    (folder / "password").chmod(0o600)
    return load(folder / "pbem.toml", {})


def opened(kept: apsw.Connection) -> Store:
    """The store in a database that is kept in memory."""
    return Store(_InMemory(kept))


def in_memory(content: bytes) -> apsw.Connection:
    """A database with that content."""
    kept = apsw.Connection(":memory:")
    kept.deserialize("main", content)
    return kept


@contextmanager
def host(variant: Variant) -> Iterator[Host]:
    """A host in memory with a game that has just begun."""
    store = opened(in_memory(founded(variant)))
    with tempfile.TemporaryDirectory() as folder, store.connected():
        yield Host(settings(Path(folder)), store, PRINTER, KEYS)


@functools.cache
def founded(variant: Variant) -> bytes:
    """The database of a game that has just begun."""
    kept = apsw.Connection(":memory:")
    store = opened(kept)
    names = [name for name in PEOPLE if PEOPLE[name] != KEEPER][: variant.players]
    players = tuple(PEOPLE[name] for name in names)
    with tempfile.TemporaryDirectory() as folder, store.connected():
        upgrade(store, BEGINNING)
        host = Host(settings(Path(folder)), store, PRINTER, KEYS)
        privacy = "public" if variant.public else "private"
        plan = founding.Plan(
            GAME,
            GAME.title(),
            variant.language,
            "suber",
            KEEPER,
            players,
            dict(variant.house),
            True,
            BEGINNING,
            privacy,
        )
        founding.found(host, plan)
        with store.transaction():
            for person in range(1, 2 + variant.players, 1 if variant.terse else 2):
                people.set_preference(store, person, "html", False)
                people.set_preference(store, person, "mail", "none" if variant.terse else "each")
    return bytes(kept.serialize("main"))
