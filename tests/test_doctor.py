"""`pbem doctor` finds what is wanting on this machine, says the cure, and changes nothing. Its mail: live/test_doctor_mail.py."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.flow.console import Console
from tests.flow.post import SETTINGS
from tests.servers.running import pbem


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a host that nothing is wrong with."""
    folder = tmp_path_factory.mktemp("sound") / "host"
    pbem(folder.parent, "init", str(folder))
    (folder / "pbem.toml").write_text(SETTINGS, "utf-8")
    return folder


@pytest.fixture
def host(sound: Path, tmp_path: Path) -> Console:
    """A host of the test's own that nothing is wrong with."""
    return Console(Path(shutil.copytree(sound, tmp_path / "host")))


def findings(host: Console) -> dict[str, dict[str, Any]]:
    """What is wanting, by what was looked at."""
    result = host("doctor", "--json")
    found = json.loads(result.stdout)
    wanting = {each["what"]: each for each in found["findings"] if each["state"] == "wanting"}
    assert found["ok"] == (not wanting)
    assert result.exit_code == bool(wanting)
    assert all(each["cure"] for each in found["findings"] if each["state"] != "ok")
    return wanting


def test_a_host_as_it_should_be_is_told_line_by_line(host: Console) -> None:
    said = host.done("doctor")
    for what in ("settings", "identity", "key", "sqlite", "disk", "database", "clock", "delivery", "site"):
        assert f"  {what} " in said
    assert all(line.split()[0] in ("ok", "note") for line in said.splitlines())
    assert findings(host) == {}


def test_it_changes_nothing(host: Console) -> None:
    before = {file.name: file.read_bytes() for file in host.folder.iterdir()}
    host.done("doctor")
    assert {file.name: file.read_bytes() for file in host.folder.iterdir()} == before


def test_every_fault_of_the_settings_is_a_finding(host: Console) -> None:
    (host.folder / "pbem.toml").write_text('[mail]\naddres = "a@b.example"\n[sites]\n', "utf-8")
    result = host("doctor")
    assert result.exit_code == 1
    assert "line 2" in result.stdout
    assert "line 3" in result.stdout
    assert "did you mean site?" in result.stdout


def setting(text: str) -> Callable[[Path], object]:
    return lambda folder: (folder / "pbem.toml").write_text(SETTINGS + text)


def future(folder: Path) -> None:
    people = ("--keeper", "kim@kvist.example", "--player", "ann@alm.example", "--player", "bo@berg.example")
    pbem(folder, "new", "kaffe", "--start", "--at", "2100-01-01T00:00Z", *people)


def damaged(folder: Path) -> None:
    content = (folder / "pbem.db").read_bytes()
    (folder / "pbem.db").write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))


WANTING: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "a key that others can read": (lambda folder: (folder / "pbem.key").chmod(0o644), "key", "chmod 600"),
    "a database that others can read": (
        lambda folder: (folder / "pbem.db").chmod(0o644),
        "database",
        "chmod 600",
    ),
    "no database": (lambda folder: (folder / "pbem.db").unlink(), "database", "pbem init"),
    "a damaged database": (damaged, "database", "pbem restore"),
    "a database that is none": (
        lambda folder: (folder / "pbem.db").write_bytes(b"x" * 9000),
        "database",
        "restore",
    ),
    "an event in the future": (future, "clock", "timedatectl"),
    "a site that is a file": (lambda folder: (folder / "site").touch(), "site", "give "),
    "a program that is not there": (
        setting('after = "no-such-program --fast"\n'),
        "after",
        "[site] after",
    ),
    "a maildir that is a file": (
        lambda folder: (setting('[intake.maildir]\nfolder = "box"\n')(folder), (folder / "box").touch()),
        "maildir",
        "give ",
    ),
    "an address that is not this machine's": (
        setting('[intake.smtp]\nhost = "203.0.113.1"\nport = 0\n'),
        "smtp port 0",
        "[intake.smtp]",
    ),
}


@pytest.mark.parametrize("what", WANTING)
def test_it_finds_with_the_cure(host: Console, what: str) -> None:
    spoil, where, cure = WANTING[what]
    spoil(host.folder)
    wanting = findings(host)
    assert list(wanting) == [where]
    assert cure in wanting[where]["cure"]


def test_of_an_address_that_is_not_this_machines_nobody_is_asked(
    host: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    monkeypatch.setattr("socket.create_connection", lambda *call, **_: asked.append(call))
    setting('[intake.smtp]\nhost = "203.0.113.1"\nport = 0\n')(host.folder)
    assert "nothing can listen there" in findings(host)["smtp port 0"]["says"]
    assert asked == []


def test_a_full_disk_is_found(host: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.service.room.LEAST_FREE", 10**18)
    assert list(findings(host)) == ["disk"]


def test_of_a_program_that_is_there_it_says_which(host: Console) -> None:
    setting('after = "true"\n')(host.folder)
    assert "/true is run after publishing" in host.done("doctor")
