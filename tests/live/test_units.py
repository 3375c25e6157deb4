"""The systemd units in deploy/: clean, tight, and not too tight for what runs in them; and what systemd hears of us."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from tests.live.test_serve import BOX, SMTP, answered, drop, make, question, send
from tests.servers.running import Running, until
from tests.servers.shipped import DEPLOY, shipped

pytestmark = pytest.mark.live

PROGRAM = "/opt/pbem/bin/pbem"
SERVICES = ("pbem.service", "pbem-worker@.service", "pbem-part@.service", "pbem-token.service")
EXPOSURE = 1.5
"""What `systemd-analyze security` may find at most, of 10."""


def analyze(*arguments: str | Path) -> str:
    """What systemd-analyze says; it must be content."""
    if shutil.which("systemd-analyze") is None:
        pytest.fail("This test needs systemd-analyze: tests/run installs it through apt.")
    done = subprocess.run(["systemd-analyze", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr


@pytest.fixture(name="units")
def _units(tmp_path: Path) -> Path:
    """All units in a folder, starting a program that is there; the passwords are lent to pbem.service."""
    for file in DEPLOY.glob("systemd/*.service"):
        text = re.sub(r"(?m)^(ExecStart=)\S+", rf"\g<1>{sys.executable}", file.read_text())
        (tmp_path / file.name).write_text(text)
    for file in DEPLOY.glob("systemd/*.timer"):
        shutil.copy(file, tmp_path)
    lent = tmp_path / "pbem.service.d"
    lent.mkdir()
    shutil.copy(DEPLOY / "systemd/secrets.conf", lent)
    return tmp_path


@pytest.mark.parametrize("unit", [*SERVICES, "pbem-token.timer"])
def test_a_unit_has_no_fault(units: Path, unit: str) -> None:
    assert analyze("verify", "--man=no", units / unit) == ""


def test_a_unit_with_a_fault_is_found(units: Path) -> None:
    unit = units / "pbem.service"
    unit.write_text(unit.read_text().replace("ProtectHome=yes", "ProtectHome=perhaps"))
    assert "protect home" in analyze("verify", "--man=no", unit)


@pytest.mark.parametrize("unit", SERVICES)
def test_a_service_is_hardly_exposed(units: Path, unit: str) -> None:
    (level,) = re.findall(
        r"Overall exposure level for \S+: ([\d.]+)",
        analyze("security", "--offline=true", "--no-pager", units / unit),
    )
    assert float(level) <= EXPOSURE


def test_a_worker_runs_as_the_service_does() -> None:
    def told(name: str) -> set[str]:
        lines = shipped(f"systemd/{name}").splitlines()
        return {line for line in lines if not re.match(r"#|Description=|After=|ExecStart=", line)}

    assert told("pbem-worker@.service") == told("pbem.service")


def test_the_user_is_made(tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    made = ["systemd-sysusers", f"--root={tmp_path}", DEPLOY / "systemd/pbem.sysusers"]
    subprocess.run(made, check=True, capture_output=True)
    assert "/var/lib/pbem:/usr/sbin/nologin" in (tmp_path / "etc/passwd").read_text()


def allowed() -> set[str]:
    """The system calls that pbem.service may make."""
    known = dict(re.findall(r"(?m)^(@\S+)\n((?:    .*\n)*)", analyze("syscall-filter", "--no-pager") + "\n"))

    def calls(group: str) -> Iterator[str]:
        for word in re.findall(r"(?m)^    ([^#\s]\S*)$", known[group]):
            yield from calls(word) if word.startswith("@") else (word,)

    (yes, no) = re.findall(r"(?m)^SystemCallFilter=(.*)$", shipped("systemd/pbem.service"))
    assert no.startswith("~")
    good = {call for group in (*yes.split(), "@default") for call in calls(group)}
    return good - {call for group in no[1:].split() for call in calls(group)}


def test_all_that_a_server_asks_of_the_system_is_allowed_by_its_unit(tmp_path: Path) -> None:
    calls, within = tmp_path / "calls", ("strace", "-D", "-f", "-qqq", "-o")
    make(tmp_path, SMTP, BOX)
    with Running(tmp_path, "serve", within=(*within, str(calls))).start() as served:
        send(served.port, question("one"))
        until((tmp_path / "box" / "new").is_dir, "a Maildir is made")
        drop(tmp_path / "box", "two", question("two"))
        until(lambda: len(answered(tmp_path)) == 2, "answers")
        until((tmp_path / "site" / "kaffe.search" / "pagefind.js").is_file, "pages, and their index")
    made = re.findall(r"(?m)^\d+ +(\w+)\((.*)", calls.read_text(errors="replace"))

    assert {"execve", "accept4", "fsync", "renameat"} <= {call for call, _ in made}, "it was watched"
    # As root alone SQLite gives the files beside a database the owner that it has.
    assert {call for call, _ in made} - allowed() <= {"fchown"}
    # MemoryDenyWriteExecute
    writable = [given for call, given in made if call == "mmap" and "PROT_WRITE|PROT_EXEC" in given]
    assert writable == []
    assert [given for call, given in made if call == "mprotect" and "PROT_EXEC" in given] == []
    # RestrictAddressFamilies
    families = {given.split(",")[0] for call, given in made if call == "socket"}
    assert families <= {"AF_INET", "AF_INET6", "AF_UNIX"}


class Manager:
    """A service manager's end of the line: what it hears of a service, as it comes."""

    def __init__(self, file: Path) -> None:
        self.line = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.line.bind(str(file))

    def close(self) -> None:
        self.line.close()

    def hears(self, seconds: float = 20) -> str:
        """The next news; "" for none within so many seconds."""
        self.line.settimeout(seconds)
        try:
            return self.line.recv(4096).decode()
        except TimeoutError:
            return ""


def test_a_service_manager_hears_of_the_start_the_work_and_the_stop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path)
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
    with closing(Manager(tmp_path / "notify")) as manager:
        with Running(tmp_path, "serve").start():
            news = [manager.hears() for _ in range(4)]
            assert news.count("READY=1") == 1
            assert news.count("WATCHDOG=1") == 3
        assert "STOPPING=1" in {manager.hears() for _ in range(2)}


def test_a_worker_that_hangs_is_silent_until_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path)
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
    with closing(Manager(tmp_path / "notify")) as manager, Running(tmp_path, "serve").start():
        until(lambda: manager.hears() == "READY=1", "it is up")
        with closing(apsw.Connection(str(tmp_path / "pbem.db"))) as other:
            other.setbusytimeout(10_000)
            other.execute("BEGIN IMMEDIATE")
            # What was under way when the database was taken may still be told.
            time.sleep(6)
            while manager.hears(0.1):
                pass
            assert manager.hears(8) == "", "somebody else than the worker says that it is at work"
            other.execute("ROLLBACK")
        assert manager.hears() == "WATCHDOG=1"
