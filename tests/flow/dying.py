"""A process that takes in a mail, works it off, answers and publishes, and is killed on the way at a step it is told.

What lives here: the driver of test_killed.py, run with `python -m`. It reads a job a line, works each off in a
process of its own, and tells how that process ended. What never may: a look at what came of it.

A step is a moment around something that outlives the process: a commit, a write to the log or a queue, a mail put
into a Maildir, a file or link put in its place.
"""

from __future__ import annotations

import functools
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from pbem.cli.app import open_host
from pbem.config import load
from pbem.mail.message import Envelope
from pbem.service import worker
from pbem.service.books import Host
from pbem.service.deliver import MaildirPost
from pbem.service.receive import TRUSTED, receive
from pbem.store import eventlog, queues
from pbem.store.db import Store
from tests.flow.conftest import PRINTER

Taken = tuple[bytes, Envelope]


class Fate:
    """Counts the steps and kills this process at the one it is told, as a power cut would."""

    def __init__(self) -> None:
        self.deadly: int | None = None
        self.steps: list[str] = []

    def step(self, name: str) -> None:
        self.steps.append(name)
        if len(self.steps) == self.deadly:
            os.kill(os.getpid(), signal.SIGKILL)

    def watch(self) -> None:
        """Makes the steps, for as long as this process lives."""
        for owner, names in (
            (eventlog, ("append", "published")),
            (queues, ("accept", "finish", "enqueue", "claim_outbox", "sent")),
            (MaildirPost, ("send",)),
            (os, ("rename", "replace", "symlink")),
        ):
            for name in names:
                self._around(owner, name)
        self._around_commits()

    def _around(self, owner: Any, name: str) -> None:
        real = getattr(owner, name)

        @functools.wraps(real)
        def watched(*args: Any, **named: Any) -> Any:
            if owner is os:
                self.step(f"before {name}")
            result = real(*args, **named)
            self.step(f"after {name}")
            return result

        setattr(owner, name, watched)

    def _around_commits(self) -> None:
        real = Store.transaction

        @contextmanager
        def watched(store: Store) -> Iterator[None]:
            with real(store):
                yield
                self.step("before commit")
            self.step("after commit")

        Store.transaction = watched  # type: ignore[assignment, method-assign]  # this process is made for it


def live(folder: Path, now: int, *, hasty: bool) -> None:
    """What `pbem serve` does in one round, at the moment `now` (UTC µs)."""
    with open_host(load(folder / "pbem.toml", {})) as opened:
        host = replace(opened, printer=PRINTER)
        take_in(host, hasty=hasty)
        worker.work_through(host, lambda: now)
        worker.send_all(host, lambda: now)


def take_in(host: Host, *, hasty: bool) -> None:
    """Mail from the Maildir. `hasty` is the fault that the test of the test plants: it says that a mail is
    taken before it is stored."""
    waiting: list[Taken] = []

    def store(content: bytes, envelope: Envelope, _: str) -> str:
        return receive(host, content, envelope, TRUSTED)

    def promise(content: bytes, envelope: Envelope, _: str) -> str:
        waiting.append((content, envelope))
        return "taken"

    for poller in worker.pollers(host, promise if hasty else store):
        poller.poll_once()
    for content, envelope in waiting:
        store(content, envelope, "")


def in_a_process(work: Callable[[], None]) -> int:
    """Does the work in a process of its own; returns how that ended (minus the signal that killed it)."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException:  # whatever it is, this process ends here
            sys.excepthook(*sys.exc_info())
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _ended(run: Callable[[], None], *, warming: bool) -> int:
    """How the run ended. A warming one is done here, so that those to come find the templates compiled."""
    if warming:
        run()
        return 0
    return in_a_process(run)


def main() -> None:
    fate = Fate()
    fate.watch()

    def job(folder: Path, now: int, *, hasty: bool) -> None:
        live(folder, now, hasty=hasty)
        (folder / "steps.json").write_text(json.dumps(fate.steps))

    for line in sys.stdin:
        asked = json.loads(line)
        fate.deadly = asked["deadly"]
        fate.steps.clear()
        run = functools.partial(job, Path(asked["folder"]), asked["now"], hasty=asked["hasty"])
        print(_ended(run, warming=asked["warming"]), flush=True)  # noqa: T201  # how it answers the test


if __name__ == "__main__":
    main()
