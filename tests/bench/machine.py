"""The machine that is measured on: its processor and its disk, which core is whose, and the time that a process has used.

What lives here: asking the system. What never may: a figure of ours.
"""

from __future__ import annotations

import multiprocessing
import os
import platform
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import apsw

OURS = 0
"""The core that what is measured runs on."""
OTHERS = min(1, (os.cpu_count() or 1) - 1)
"""That of clients and sinks; the same one where there is no other."""


ON_OUR_CORE = ("taskset", "-c", str(OURS))
"""Before a command."""


def stay_on(core: int) -> None:
    """This process, and those that it starts from now on, run on that core alone."""
    os.sched_setaffinity(0, {core})


def used(pid: int) -> float:
    """Seconds of processor time that a process with all its threads has used, its children that have ended included."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def family(pid: int) -> list[int]:
    """A process, and those that it has started and that go on."""
    started = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *map(int, started)]


def used_by_family(pid: int) -> float:
    """Seconds of processor time that a process and those that it has started have used."""
    return sum(map(used, family(pid)))


def used_by_all() -> float:
    """Seconds of processor time that all processes of the machine have used."""
    busy = Path("/proc/stat").read_text().split("\n", 1)[0].split()
    return sum(int(busy[at]) for at in (1, 2, 3, 6, 7)) / os.sysconf("SC_CLK_TCK")


def memory(pid: int) -> float:
    """The most megabytes of memory that a process has had at once."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def disk() -> float:
    """The milliseconds in the middle that it takes until 8 KB more of a file are on the disk."""
    with tempfile.TemporaryFile() as file:
        times = sorted(_written(file.fileno()) for _ in range(100))
    return times[50] * 1000


def _written(file: int) -> float:
    begun = time.perf_counter()
    os.write(file, bytes(8192))
    os.fdatasync(file)
    return time.perf_counter() - begun


def described() -> str:
    """One sentence."""
    names = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().split("\n")
        if "model name" in line
    ]
    size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    python = f"Python {platform.python_version()}, SQLite {apsw.sqlite_lib_version()}"
    return (
        f"{os.cpu_count()} cores ({names[0] if names else platform.machine()}), {size:.0f} GiB, "
        f"{sys.platform} {platform.release().partition('-')[0]}, {python}; 8 KB are on the disk in {disk():.2f} ms"
    )


def apart(begin: Callable[..., Any], *given: Any) -> tuple[BaseProcess, Any]:
    """A new process in which something was begun that goes on until it is ended, and what `begin` returned there."""
    context = multiprocessing.get_context("spawn")  # with nothing of our memory
    ours, theirs = context.Pipe()
    process = context.Process(target=_go_on, args=(theirs, begin, given), daemon=True)
    process.start()
    return process, ours.recv()


def _go_on(pipe: Any, begin: Callable[..., Any], given: tuple[Any, ...]) -> None:
    pipe.send(begin(*given))
    threading.Event().wait()
