"""Killed at any step of a mail's life, the server goes on as if it had not been.

Each story is told twice: undisturbed, and with the process killed (SIGKILL) at one step and started again. What
players, pages and state show afterwards must be the same to the byte.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from pbem.cli.app import open_host
from pbem.config import load
from tests.flow.conftest import PRINTER
from tests.flow.post import DAY, MINUTE, SETTINGS, Post, maildir

pytestmark = pytest.mark.slow

INTAKE = '\n[intake.maildir]\nfolder = "intake"\n'
KILLED = -9
LEASE_OVER = 31 * MINUTE
"""A mail that was being delivered when the process died is tried again when its lease is over."""


class Driver:
    """The process of dying.py, in which the server lives and dies."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.flow.dying"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )

    def run(self, folder: Path, now: int, **how: object) -> int:
        """One round of the server; returns its exit code, `KILLED` when it was killed at step `deadly`."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        asked = {"folder": str(folder), "now": now, "deadly": None, "hasty": False, "warming": False, **how}
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def close(self) -> None:
        self.process.communicate(timeout=20)


@dataclass(frozen=True)
class Story:
    """A host that stands before the mail that decides a vote: its folder, and the moment the mail came."""

    folder: Path
    now: int
    driver: Driver

    def told(self, folder: Path, **how: object) -> int:
        """The story in a copy of the folder; returns how the process ended."""
        shutil.copytree(self.folder, folder, symlinks=True)
        return self.driver.run(folder, self.now, **how)

    def told_twice(self, folder: Path, **how: object) -> list[int]:
        """The story with a restart in the middle; returns how each process ended."""
        return [self.told(folder, **how), self.driver.run(folder, self.now + LEASE_OVER)]


@pytest.fixture(scope="module")
def driver() -> Iterator[Driver]:
    driver = Driver()
    yield driver
    driver.close()


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory, driver: Driver) -> Story:
    """Two of three have voted; the third one's ballot lies in the intake."""
    folder = tmp_path_factory.mktemp("before")
    (folder / "pbem.toml").write_text(SETTINGS + INTAKE, "utf-8")
    with open_host(load(folder / "pbem.toml", {})) as host:
        post = Post(replace(host, printer=PRINTER), folder)
        post.now -= 300 * DAY  # an intake believes no mail that comes from the future
        post.found("Alice", "Bo", "Cia")
        post.turn("Alice", "propose enact: Tea\nTea is served at four.", Alice="for", Bo="for")
        ballot = post.compose("Cia", "for 301\n")
        post.pages()
    drop(folder, ballot, post.now + MINUTE)
    return Story(folder, post.now + MINUTE, driver)


def drop(folder: Path, content: bytes, at: int) -> None:
    """Puts a mail into the intake, as the mail server does."""
    file = folder / "intake" / "new" / "1.cia"
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    os.utime(file, ns=(at * 1000, at * 1000))


@dataclass(frozen=True)
class Outcome:
    """All that anybody can see: mails by Maildir and name, pages by path, the state, the intake."""

    mails: dict[str, bytes]
    pages: dict[str, str]
    state: object
    verified: bool
    waiting: list[str]
    inbox: list[tuple[str, str | None]]
    unsent: int


def outcome(folder: Path) -> Outcome:
    with open_host(load(folder / "pbem.toml", {})) as host:
        post = Post(host, folder)
        boxes = (folder / "mail").iterdir()
        return Outcome(
            mails={f"{box.name}/{file.name}": file.read_bytes() for box in boxes for file in maildir(box)},
            pages=dict(published(folder / "site")),
            state=post.state(),
            verified=post.is_whole(),
            waiting=[file.name for file in maildir(folder / "intake")],
            inbox=[(mail.state, mail.result) for mail in post.taken()],
            unsent=post.unsent(),
        )


def published(site: Path) -> Iterator[tuple[str, str]]:
    """What a reader of the site finds."""
    files = [site / "index.html"]
    for at, _, names in os.walk(site / "kaffe", followlinks=True):
        files += [Path(at, name) for name in names]
    for file in files:
        yield str(file.relative_to(site)), file.read_text("utf-8")


@pytest.fixture(scope="module")
def undisturbed(story: Story, tmp_path_factory: pytest.TempPathFactory) -> tuple[Outcome, list[str]]:
    """What comes of the story when nobody is killed, and the steps it takes."""
    folder = tmp_path_factory.mktemp("undisturbed") / "host"
    assert story.told(folder, warming=True) == 0
    return outcome(folder), json.loads((folder / "steps.json").read_text())


def test_undisturbed_the_ballot_decides_the_vote_and_everybody_is_told(
    undisturbed: tuple[Outcome, list[str]],
) -> None:
    seen, steps = undisturbed
    assert isinstance(seen.state, dict)
    assert [proposal["stage"] for proposal in seen.state["proposals"]] == ["adopted"]
    assert [player["score"] for player in seen.state["players"]] == [10, 0, 0]
    assert seen.waiting == []
    assert seen.unsent == 0
    assert seen.verified
    assert "adopted" in seen.pages["kaffe/proposals/301/index.html"].casefold()
    for name in (
        "after accept",
        "after finish",
        "before commit",
        "after send",
        "after sent",
        "before symlink",
    ):
        assert name in steps


SHARES = 4


@pytest.mark.parametrize("share", range(SHARES))
def test_killed_at_any_step_and_started_again_everything_is_as_if_nothing_had_been(
    story: Story, undisturbed: tuple[Outcome, list[str]], tmp_path: Path, share: int
) -> None:
    expected, steps = undisturbed
    for number in range(1 + share, len(steps) + 1, SHARES):
        ended = story.told_twice(tmp_path / f"{number}", deadly=number)
        assert ended == [KILLED, 0], steps[number - 1]
        assert outcome(tmp_path / f"{number}") == expected, f"killed {steps[number - 1]} (step {number})"
        shutil.rmtree(tmp_path / f"{number}")


def test_of_this_test_a_mail_acknowledged_before_it_is_stored_is_found_missing(
    story: Story, undisturbed: tuple[Outcome, list[str]], tmp_path: Path
) -> None:
    """The planted fault: the intake is told that a mail is taken before its commit."""
    expected, _ = undisturbed
    assert story.told(tmp_path / "whole", hasty=True) == 0
    assert outcome(tmp_path / "whole") == expected, "undisturbed, the fault does not show"
    steps = json.loads((tmp_path / "whole" / "steps.json").read_text())
    acknowledged = steps.index("after rename") + 1
    assert acknowledged < steps.index("after accept") + 1
    assert story.told_twice(tmp_path / "killed", deadly=acknowledged, hasty=True) == [KILLED, 0]
    seen = outcome(tmp_path / "killed")
    assert seen != expected
    assert len(seen.inbox) == len(expected.inbox) - 1, "the mail is lost"
