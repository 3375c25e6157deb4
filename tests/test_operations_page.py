"""docs/operations.md: every command on it is run, in the order of the page, on a host with a game."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.flow.console import Console
from tests.flow.post import SETTINGS

PAGE = (Path(__file__).parents[1] / "docs" / "operations.md").read_text("utf-8")
COMMANDS = re.findall(r"(?m)^    pbem (.+?)(?:\s{2,}#.*)?$", PAGE)
MENTIONED = set(re.findall(r"`pbem ([a-z]+)", PAGE))
KEEPING = (
    *("health", "queue", "hold", "release", "retry", "why"),
    *("backup", "restore", "export", "import", "verify", "upgrade", "doctor"),
)
"""What a page on keeping a server must show."""


def test_the_page_shows_every_command_that_keeps_a_server() -> None:
    shown = {word for line in COMMANDS for word in line.split()}
    assert [command for command in KEEPING if command not in shown] == []


@pytest.mark.parametrize("command", sorted(MENTIONED))
def test_what_it_mentions_exists(command: str, tmp_path: Path) -> None:
    assert "Usage:" in Console(tmp_path).done(command, "--help")


def host(folder: Path) -> Console:
    """A host with a game that has just begun, one mail taken, and a mail that could not be sent."""
    (folder / "pbem.toml").write_text(SETTINGS, "utf-8")
    console = Console(folder)
    players = ("--player", "Ann Alm <ann@alm.example>", "--player", "Bo Berg <bo@berg.example>")
    console.done("new", "kaffe", "--keeper", "Kim Kvist <kim@kvist.example>", *players, "--start")
    mail = b"From: ann@alm.example\nTo: nomic@nomic.example\nMessage-ID: <1@alm.example>\n\nscores\n"
    (folder / "mail").touch()  # so that nothing can be sent, and waits
    console.done("deliver", "--trust-from", stdin=mail)
    (folder / "mail").unlink()
    return console


@pytest.mark.slow
def test_every_command_on_it_can_be_run_as_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cli = host(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "pbem.toml").write_text(SETTINGS, "utf-8")
    monkeypatch.chdir(tmp_path)
    told = cli.json("show", "kaffe", "log")[1]["hash"]
    for line in COMMANDS:
        result = cli(*shlex.split(line.replace("HASH", told)))
        assert result.exit_code == 0, f"pbem {line}\n{result.output}"
