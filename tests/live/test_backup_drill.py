"""The drill: a backup made while the server writes, restored elsewhere, where the game goes on as if it had not moved."""

from __future__ import annotations

import json
import shutil
import threading
from pathlib import Path

import pytest

from tests.live.test_serve import ADDRESS, BOX, drop, make
from tests.servers.running import Running, pbem, until

pytestmark = pytest.mark.live


def words(name: str) -> bytes:
    """A mail that the log remembers."""
    return f"From: {ADDRESS}\r\nMessage-ID: <{name}@alm.example>\r\nSubject: {name}\r\n\r\nWords of {name}.\r\n".encode()


def log(folder: Path) -> list[str]:
    return [record["hash"] for record in json.loads(pbem(folder, "show", "kaffe", "log", "--json"))]


class Writing:
    """Mails dropped one after another, until the block ends."""

    def __init__(self, box: Path) -> None:
        self.box = box
        self.number = 0
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self._write)

    def _write(self) -> None:
        while not self.stop.wait(0.02):
            self.number += 1
            drop(self.box, f"a{self.number}", words(f"a{self.number}"))

    def __enter__(self) -> Writing:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        self.thread.join()


def test_backed_up_while_writing_and_restored_elsewhere_the_chain_goes_on(tmp_path: Path) -> None:
    here, there, backup = tmp_path / "here", tmp_path / "there", tmp_path / "backup.db"
    here.mkdir()
    there.mkdir()
    make(here, BOX)
    with Running(here, "serve").start(), Writing(here / "box") as writing:
        until(lambda: len(log(here)) > 15, "it is writing")
        said = pbem(here, "backup", str(backup))
        written = writing.number
        until(lambda: writing.number > written + 10, "it goes on writing")
        until(lambda: len(log(here)) > len(log_in(said)) + 3, "and the server goes on working")
    old = log(here)

    for name in ("pbem.toml", "pbem.key"):
        shutil.copy(here / name, there)
    shutil.copytree(
        here / "box",
        there / "box",
        ignore=lambda folder, names: [n for n in names if folder.endswith(("new", "cur", "tmp"))],
    )
    assert "kept as" not in pbem(there, "restore", str(backup))
    restored = log(there)
    assert 15 < len(restored) < len(old), "it is a moment in the middle"
    assert restored == old[: len(restored)]

    with Running(there, "serve").start():
        drop(there / "box", "b", words("b"))
        until(lambda: len(log(there)) > len(restored), "the game goes on there")
    assert log(there)[: len(restored)] == restored
    assert "every link of the chain holds" in pbem(there, "verify", "kaffe")


def log_in(said: str) -> range:
    """As many as the events that the backup says it holds."""
    return range(int(said.partition("kaffe: ")[2].partition(" events")[0]))
