"""Posts of 3 KB to a list of ten members, as GNU Mailman 3 core takes and hands them on: the peer of the whole way of a mail.

`python -m tests.bench.mailman`. Posts come by LMTP and each goes out by SMTP, to all members at once. It has all cores, SQLite and
the settings that it comes with, by which nothing is archived; its web service is off. The client and the sink share a core with it.

What lives here: having Mailman, its list, and what it costs. What never may: a setting that makes it slower.
"""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.bench import machine, peers
from tests.bench.letters import letter
from tests.bench.wire import Sink, send
from tests.servers.ports import free_port
from tests.servers.running import until

PACKAGE = "mailman==3.3.10"
POSTS, LINES, SIZE = 200, 20, 3_000
LIST = "table@lists.example"
MEMBERS = tuple(f"member{number}@g0.example" for number in range(10))
SETTINGS = """
[mailman]
layout: bench
[paths.bench]
var_dir: {folder}/var
[mta]
incoming: mailman.mta.null.NullMTA
smtp_host: 127.0.0.1
smtp_port: {sink}
lmtp_host: 127.0.0.1
lmtp_port: {port}
[runner.rest]
start: no
"""
STARTED = "runner started."
"""What each runner writes into the log."""


@dataclass(frozen=True, slots=True)
class Handed:
    """Posts a second by the clock, from the first byte in to the last one out, and milliseconds of processor time a post, of all
    of Mailman's processes."""

    rate: float
    cpu: float

    def __str__(self) -> str:
        return (
            f"Mailman: {1000 / self.cpu:.1f} posts/s and core ({self.cpu:.1f} ms), {self.rate:.1f}/s by the clock: "
            f"handed on to {len(MEMBERS)} members each"
        )


def handed_on() -> Handed | None:
    """None when Mailman cannot be had, or does not run here."""
    with tempfile.TemporaryDirectory() as name, Sink(machine.OTHERS) as sink:
        try:
            python = peers.in_a_venv(Path(name), PACKAGE)
            return _measured(python.parent, Path(name), sink) if python else None
        except Exception:  # our figure is worth having without it
            logging.getLogger(__name__).exception("Mailman could not be measured")
            return None


def _measured(programs: Path, folder: Path, sink: Sink) -> Handed:
    port = free_port()
    _settle(programs, folder, port, sink.port)
    with _running(programs, folder) as pid:
        _post(port, [0], sink)  # every runner has worked once
        before, begun = machine.used_by_family(pid), time.monotonic_ns()
        _post(port, range(1, POSTS + 1), sink)
        cpu = machine.used_by_family(pid) - before
    return Handed(POSTS / (sink.last - begun) * 1e9, cpu / POSTS * 1000)


def _settle(programs: Path, folder: Path, port: int, sink: int) -> None:
    """A list whose members may post. Nobody is welcomed: that would be a mail."""
    (folder / "mailman.cfg").write_text(SETTINGS.format(folder=folder, port=port, sink=sink), "utf-8")
    (folder / "members").write_text("\n".join(MEMBERS), "utf-8")
    for words in (["create", LIST], ["addmembers", "--no-welcome-msg", "members", LIST]):
        subprocess.run(
            [programs / "mailman", "--run-as-root", "-C", "mailman.cfg", *words],
            cwd=folder,
            capture_output=True,
            check=True,
        )


@contextmanager
def _running(programs: Path, folder: Path) -> Iterator[int]:
    """The process that watches over all others, once each of them is up."""
    master = subprocess.Popen(
        [programs / "master", "-C", "mailman.cfg"],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    log = folder / "var" / "logs" / "mailman.log"
    try:
        until(
            lambda: log.read_text("utf-8").count(STARTED) >= len(machine.family(master.pid)) - 1 > 0,
            "it is up",
        )
        yield master.pid
    finally:
        master.terminate()
        try:
            master.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(master.pid, signal.SIGKILL)
            master.wait()


def _post(port: int, numbers: Sequence[int], sink: Sink) -> None:
    """Hands these posts in, and waits until each member has each."""
    wanted = sink.copies + len(numbers) * len(MEMBERS)
    author = ("Alva Alm", MEMBERS[0])
    mails = [
        (author[1], letter(author, "Table talk", "Words of mine.\n", number, to=LIST, size=SIZE))
        for number in numbers
    ]
    lines = [mails[line::LINES] for line in range(min(LINES, len(mails)))]
    send(port, lines, LIST, machine.OTHERS, lmtp=True)
    until(lambda: sink.copies >= wanted, "every member has every post")


if __name__ == "__main__":
    sys.stdout.write(f"{handed_on()}\n")
