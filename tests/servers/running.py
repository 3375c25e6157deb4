"""`pbem` as its host runs it: a process of its own, told what to do by its command line and by signals."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TypeVar

CHECKOUT = Path(__file__).parents[2]
PBEM = (sys.executable, "-m", "pbem")
PATIENCE = 40
"""Seconds: much more than anything here takes on a machine that does nothing else."""
STOP = 5
"""Seconds within which a server that is told to stop has stopped."""

Found = TypeVar("Found")


def environment() -> dict[str, str]:
    """Of whoever runs the tests, less what would settle something for pbem, and with the checkout in the path."""
    settled = ("PBEM_", "PYTHON")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(settled)}
    return {**inherited, "PYTHONPATH": str(CHECKOUT), "PYTHONUTF8": "1"}


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command, run to its end in `folder`, where the settings are."""
    command = [*PBEM, *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment(), capture_output=True, text=True, check=False, timeout=PATIENCE
    )


def pbem(folder: Path, *arguments: str) -> str:
    """What a command prints that must succeed."""
    done = run(folder, *arguments)
    assert done.returncode == 0, f"pbem {' '.join(arguments)}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def until(found: Callable[[], Found], what: str) -> Found:
    """The first thing found that is true; fails when there is none for too long."""
    end = time.monotonic() + PATIENCE
    while not (result := found()):
        assert time.monotonic() < end, f"waited in vain: {what}"
        time.sleep(0.02)
    return result


class Running:
    """`with Running(folder, "serve").start() as served:`; at the end of the block it must stop as it should.

    `within` is a command that runs it as the process that it is itself, such as `strace -D`.
    """

    def __init__(self, folder: Path, *arguments: str, within: tuple[str, ...] = ()) -> None:
        self.folder = folder
        self.arguments = arguments
        self.within = within
        self._said, self._log = folder / "said", folder / "log"
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Running:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self.kill()
            print(self.log())  # noqa: T201  # pytest shows it with the failure
        elif self._process is not None:
            self.stop()

    def start(self) -> Running:
        """Up, and all its parts with it."""
        mark = time.monotonic_ns()
        self._said, self._log = (self.folder / f"{mark}.{name}" for name in ("said", "log"))
        with self._said.open("wb") as said, self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [*self.within, *PBEM, *self.arguments],
                cwd=self.folder,
                env=environment(),
                stdout=said,
                stderr=log,
            )
        until(lambda: "Ctrl-C stops" in self.said() or self.process.poll() is not None, "it is up")
        assert self.process.poll() is None, self.said() + self.log()
        return self

    @property
    def process(self) -> subprocess.Popen[bytes]:
        """It, while it is up."""
        assert self._process is not None
        return self._process

    def stop(self) -> None:
        """Stopped by SIGTERM: in time, with success, and without a complaint in the log."""
        self.process.send_signal(signal.SIGTERM)
        try:
            assert self.process.wait(STOP) == 0, self.log()
        finally:
            self.kill()
        assert "Traceback" not in self.log(), self.log()

    def kill(self) -> None:
        """Gone, as in a power cut."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def said(self) -> str:
        """What it has printed since it was started."""
        return self._said.read_text("utf-8")

    def log(self) -> str:
        """What it has logged since it was started."""
        return self._log.read_text("utf-8") if self._log.exists() else ""

    @property
    def port(self) -> int:
        """Where it takes mail by SMTP or LMTP."""
        return int(self._found(r"on port (\d+)"))

    @property
    def url(self) -> str:
        """Where it shows the pages."""
        return self._found(r"(http://\S+/)")

    def _found(self, pattern: str) -> str:
        found = re.search(pattern, self.said())
        assert found, self.said()
        return found[1]
