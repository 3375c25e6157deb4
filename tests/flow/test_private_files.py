"""What holds mails, addresses or secrets can be read by its owner alone, however open the umask is; the pages by anybody."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.flow.conftest import opened
from tests.flow.post import GAME, TEA, Post

PUBLIC = ("pbem.toml", "site", "public.log", "lock")
"""By their first folder or name: the settings hold no secret (they name the files that do)."""


@pytest.fixture(name="host")
def _host(tmp_path: Path) -> Iterator[Post]:
    before = os.umask(0)
    try:
        with opened(tmp_path) as post:
            (tmp_path / "pbem.key").unlink()
            post.found("Alice", "Bo")
            yield post
    finally:
        os.umask(before)


def open_to_others(folder: Path) -> dict[str, str]:
    """The files that others can read or write, folders that keep them out taken into account."""
    found = {}
    for path in sorted(folder.iterdir()):
        rights = path.lstat().st_mode
        if path.name in PUBLIC or not rights & (stat.S_IRWXG | stat.S_IRWXO):
            continue
        if path.is_dir():
            found |= {f"{path.name}/{name}": mode for name, mode in open_to_others(path).items()}
        else:
            found[path.name] = oct(rights & 0o777)
    return found


def test_nobody_else_reads_what_is_written(host: Post) -> None:
    host.turn("Alice", TEA, Alice="for", Bo="for")
    host.pages()
    for command in (
        ("backup", str(host.folder / "copy.db")),
        ("export", GAME, str(host.folder / "whole.log")),
        ("export", GAME, str(host.folder / "public.log"), "--public"),
        ("list",),
    ):
        host.pbem.done(*command)
    assert {file.name for file in host.folder.iterdir()} >= {
        "pbem.db",
        "pbem.key",
        "copy.db",
        "whole.log",
        "mail",
    }
    assert open_to_others(host.folder) == {}
    assert stat.S_IMODE((host.folder / "public.log").stat().st_mode) == 0o644


def test_each_mail_in_a_maildir_is_its_owners_by_itself_too(host: Post) -> None:
    files = [letter.file for letter in host.letters()]
    assert len(files) > 2
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert {stat.S_IMODE(file.parent.parent.stat().st_mode) for file in files} == {0o700}
