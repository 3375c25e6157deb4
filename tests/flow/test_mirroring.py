"""The host's command after publishing: it finds the new pages, is tried again when it fails, and stops no game."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pbem.config import Site
from pbem.service import mirroring
from tests.servers.running import run, until

COPY = """
echo "$PWD" >> ../runs
test -e ../reachable || { echo 'connection unexpectedly closed (0 bytes received)' >&2; exit 12; }
rm -rf ../new ../old && cp -a . ../new && { test ! -e ../copy || mv ../copy ../old; } && mv ../new ../copy
"""
LEAST = '[mail]\naddress = "nomic@nomic.example"\n[identity]\nbelieve_from = true\n'


def host(folder: Path, after: str = "sh ../copy.sh") -> Site:
    """A host in `folder` whose pages are to be carried to `copy` beside them."""
    (folder / "pbem.toml").write_text(f'{LEAST}[site]\nafter = "{after}"\n', "utf-8")
    (folder / "copy.sh").write_text(COPY)
    (folder / "site").mkdir(exist_ok=True)
    return Site(folder / "site", after=tuple(after.split()))


def found_game(folder: Path) -> None:
    player = "Anna Alm <anna@alm.example>"
    keeper = ("--title", "Kaffe", "--language", "en", "--keeper", "kim@kvist.example")
    done = run(folder, "new", "kaffe", *keeper, "--player", player, "--player", "Bo <bo@berg.example>")
    assert done.returncode == 0, done.stderr


def runs(folder: Path) -> int:
    file = folder / "runs"
    return len(file.read_text().splitlines()) if file.exists() else 0


def copied(folder: Path) -> str:
    """The front page of the copy; "" while one copy takes another's place."""
    try:
        return (folder / "copy/index.html").read_text("utf-8")
    except FileNotFoundError:
        return ""


@contextmanager
def carrying(
    site: Site, heard: list[str] | None = None, long: float = 3600
) -> Iterator[tuple[threading.Event, threading.Event]]:
    published, stopping = threading.Event(), threading.Event()
    heard = [] if heard is None else heard
    thread = threading.Thread(
        target=mirroring.keep_carrying, args=(site, published, stopping, heard.append, 0.05, long)
    )
    thread.start()
    yield published, stopping
    stopping.set()
    thread.join(5)
    assert not thread.is_alive()


def test_the_copy_holds_what_was_published(tmp_path: Path) -> None:
    host(tmp_path)
    (tmp_path / "reachable").touch()
    found_game(tmp_path)
    done = run(tmp_path, "publish")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Kaffe" in (tmp_path / "copy/kaffe/index.html").read_text("utf-8")


def test_another_folder_is_nobody_elses_business(tmp_path: Path) -> None:
    host(tmp_path)
    (tmp_path / "reachable").touch()
    found_game(tmp_path)
    before = runs(tmp_path)
    assert run(tmp_path, "publish", "--out", "elsewhere").returncode == 0
    assert runs(tmp_path) == before


def test_a_failure_is_told_with_the_last_words_of_the_command(tmp_path: Path) -> None:
    host(tmp_path)
    done = run(tmp_path, "publish")
    assert done.returncode == 1
    assert done.stderr == (
        "pbem: [site] after: sh ended with status 12: connection unexpectedly closed (0 bytes received)\n"
    )


def test_a_mail_is_taken_all_the_same(tmp_path: Path) -> None:
    """The mail server must not be told to bring it again."""
    host(tmp_path)
    found_game(tmp_path)
    (tmp_path / "one.eml").write_text(
        "From: anna@alm.example\nMessage-ID: <1@alm.example>\nSubject: x\n\npropose enact Tea:\nTea.\nend\n"
    )
    done = run(tmp_path, "deliver", "one.eml")
    assert done.returncode == 0
    assert "ended with status 12" in done.stderr


def test_a_command_that_is_not_there_is_named(tmp_path: Path) -> None:
    host(tmp_path, "no-such-program ./")
    done = run(tmp_path, "publish")
    assert (done.returncode, done.stderr) == (
        1,
        "pbem: [site] after: no-such-program cannot be run (No such file or directory)\n",
    )


def test_a_command_nobody_can_read_is_refused_with_an_example(tmp_path: Path) -> None:
    host(tmp_path, "rsync 'a")
    done = run(tmp_path, "publish")
    assert done.returncode == 2
    assert "after" in done.stderr
    assert "rsync -a ./ host:/srv/nomic/" in done.stderr


def test_it_is_tried_until_it_succeeds_and_then_rests(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    site = host(tmp_path)
    (tmp_path / "site/index.html").write_text("first")
    with carrying(site) as (published, _):
        until(lambda: runs(tmp_path) >= 2, "a second try")
        (tmp_path / "reachable").touch()
        until(lambda: copied(tmp_path) == "first", "a copy")
        rested = runs(tmp_path)
        time.sleep(0.5)
        assert runs(tmp_path) == rested
        (tmp_path / "site/index.html").write_text("second")
        published.set()
        until(lambda: copied(tmp_path) == "second", "the second copy")
    told = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert told[0].endswith("(0 bytes received); it is tried again in 0 s")


def test_a_stop_does_not_wait_for_it(tmp_path: Path) -> None:
    site = host(tmp_path, "sleep 600")
    begun = time.monotonic()
    with carrying(site):
        time.sleep(0.3)
    assert time.monotonic() - begun < 5
