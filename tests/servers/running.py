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
    """Of whoever runs the tests, less the settings of a pbem and with ours first in Python's path."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PBEM_", "PYTHON"))}
    return {**inherited, "PYTHONPATH": str(CHECKOUT), "PYTHONUTF8": "1"}


def pbem(folder: Path, *arguments: str) -> str:
    """What a command prints that is run in `folder`, where the settings are. It must succeed."""
    done = subprocess.run([*PBEM, *arguments], cwd=folder, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"pbem {' '.join(arguments)}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def until(found: Callable[[], Found], what: str) -> Found:
    """The first thing found that is true; fails when there is none for too long."""
    end = time.monotonic() + PATIENCE
    while not (result := found()):
        assert time.monotonic() < end, f"in vain: {what}"
        time.sleep(0.02)
    return result


class Running:
    """`with Running(folder, "serve") as served:` and it is up; at the end it must stop as it should."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.folder = folder
        self.arguments = arguments

    def __enter__(self) -> Running:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is not None:
            self.kill()
        elif self.process.poll() is None:
            self.stop()

    def start(self) -> None:
        """Up, and all its parts with it."""
        self._said, self._log = (self.folder / f"{time.monotonic_ns()}.{name}" for name in ("said", "log"))
        with self._said.open("wb") as said, self._log.open("wb") as log:
            self.process = subprocess.Popen(
                [*PBEM, *self.arguments], cwd=self.folder, env=environment(), stdout=said, stderr=log
            )
        until(lambda: "Ctrl-C stops" in self.said() or self.process.poll() is not None, "it is up")
        assert self.process.poll() is None, self.said() + self.log()

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
        self.process.kill()
        self.process.wait()

    def said(self) -> str:
        """What it has printed since it was started."""
        return self._said.read_text("utf-8")

    def log(self) -> str:
        """What it has logged since it was started."""
        return self._log.read_text("utf-8")

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
