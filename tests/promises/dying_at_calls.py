"""A host that takes mails in by SMTP, works them off, sends and publishes, while strace breaks one system call of it.

What lives here: the driver of test_every_call.py, run with `python -m`. It reads a job a line, does each in a process
forked from one that is warm, hands its mails over as a mail server does, and tells what was answered and how it
ended. What never may: a look at what came of it.
"""

from __future__ import annotations

import ctypes
import functools
import json
import os
import re
import signal
import smtplib
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from pbem.cli.app import open_host
from pbem.config import load
from pbem.mail.message import Envelope
from pbem.service import process, publishing, worker
from pbem.service.books import Host
from pbem.service.door import Offered
from pbem.service.receive import receive, receive_all
from pbem.service.smtp_in import Guards, SmtpListener
from pbem.store.db import Broken, StoreError
from tests.flow.conftest import PRINTER

Phase = Literal["warm", "intake", "work", "send", "publish"]
PHASES: tuple[Phase, ...] = ("intake", "work", "send", "publish")
PATIENCE = 30
"""Seconds."""
PR_SET_PTRACER, PR_SET_PTRACER_ANY = 0x59616D61, 2**64 - 1
"""prctl(2)."""
FAIL_STOP = 7
"""The exit code of a process that asks nothing more of a broken disk."""
SENDER, OURS = "alice@ahlgren.example", "nomic@nomic.example"


@dataclass(frozen=True)
class Job:
    """One life of the host in `folder` at the moment `now` (UTC µs): `mails` to hand over with the moments they come.

    strace is started with `tracing` when `phase` begins; in "warm" nothing is broken. `fault` is a planted one: "hasty" acknowledges before
    anything is stored, "swallowing" hides that it could not be.
    """

    folder: str
    now: int
    mails: tuple[tuple[int, str], ...]
    phase: Phase = "intake"
    tracing: tuple[str, ...] = ()
    fault: str = ""


@dataclass(frozen=True)
class Life:
    """How it ended (the exit code, or minus the signal), and which mails were acknowledged, by their places."""

    ended: int
    acknowledged: tuple[int, ...]


class Receiver:
    """What the listener hands mails to: `receive_all`, or that with a planted fault."""

    def __init__(self, host: Host, fault: str) -> None:
        self.host = host
        self.fault = fault
        self.later: list[Offered] = []

    def __call__(self, offered: Sequence[Offered]) -> Sequence[str]:
        if self.fault == "hasty":
            self.later += offered
            return ["taken"] * len(offered)
        try:
            return receive_all(self.host, offered)
        except StoreError:
            if self.fault == "swallowing":
                return ["taken"] * len(offered)
            raise

    def store_at_last(self) -> None:
        for mail in self.later:
            receive(self.host, *mail)


def live(job: Job, up: int, go_on: int) -> None:
    """The host's life: what `pbem serve` does, one part after the other. `up` is written to when it takes mail, `go_on`
    read from until there is no more to come."""

    def begins(phase: Phase) -> None:
        if job.phase == phase and job.tracing:
            # Where a process may trace its own children alone (Yama), it is to be asked.
            ctypes.CDLL(None).prctl(PR_SET_PTRACER, ctypes.c_ulong(PR_SET_PTRACER_ANY))
            os.kill(os.getpid(), signal.SIGSTOP)

    with opened(job) as host:
        begins("intake")
        take_in(host, job, up, go_on)
        for phase, part in parts(host, job.now).items():
            begins(phase)
            guarded(part)


def warm(job: Job) -> None:
    """The same without a listener, in this process: those to come find all templates compiled."""
    with opened(job) as host:
        for at, mail in job.mails:
            receive(host, Path(mail).read_bytes(), Envelope(at, SENDER, OURS), "smtp 127.0.0.1")
        for part in parts(host, job.now).values():
            part()


@contextmanager
def opened(job: Job) -> Iterator[Host]:
    with open_host(load(Path(job.folder) / "pbem.toml", {})) as host:
        yield replace(host, printer=PRINTER)


def parts(host: Host, now: int) -> dict[Phase, Callable[[], object]]:
    """What follows when mail is in, by its name."""
    return {
        "work": lambda: process.work_off(host, now),
        "send": lambda: worker.send_all(host, lambda: now),
        "publish": lambda: publishing.publish_due(host),
    }


def take_in(host: Host, job: Job, up: int, go_on: int) -> None:
    settings, arrivals = host.config.intake.smtp, iter(at for at, _ in job.mails)
    assert settings is not None
    receiver = Receiver(host, job.fault)
    guards = Guards.of(host.config.limits)
    listener = SmtpListener(
        settings, host.config.mail.addresses, guards, receiver, functools.partial(next, arrivals)
    )
    listener.start()
    os.write(up, b"u")
    os.read(go_on, 1)
    listener.stop()
    guarded(receiver.store_at_last)


def guarded(part: Callable[[], object]) -> None:
    """As a server does its rounds: what goes wrong is tried again later, but nothing more on a broken disk."""
    try:
        part()
    except Broken:
        os._exit(FAIL_STOP)
    except Exception as error:  # the server would log it
        sys.stderr.write(f"{error!r}\n")


# ---- outside the process that dies ----


def lived(job: Job) -> Life:
    """A whole life of the host, with strace at it if the job says so."""
    up, go_on = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.close(up[0])
        os.close(go_on[1])
        _end(functools.partial(live, job, up[1], go_on[0]))
    os.close(up[1])
    os.close(go_on[0])
    with _traced(child, job, "intake"):
        acknowledged = ()
        if os.read(up[0], 1):
            acknowledged = tuple(handed_over(job))
        with suppress(BrokenPipeError):
            os.write(go_on[1], b"g")
        with _traced(child, job, *PHASES[1:]):
            _, status = os.waitpid(child, 0)
    os.close(up[0])
    os.close(go_on[1])
    return Life(os.waitstatus_to_exitcode(status), acknowledged)


def _end(life: Callable[[], None]) -> None:
    try:
        life()
    except Broken:
        os._exit(FAIL_STOP)
    except BaseException:  # whatever it is, this process ends here
        sys.excepthook(*sys.exc_info())
        os._exit(1)
    os._exit(0)


@contextmanager
def _traced(child: int, job: Job, *phases: Phase) -> Iterator[None]:
    """Has strace at the child, which stops itself for it, if the job asks for that in one of the phases."""
    if not job.tracing or job.phase not in phases:
        yield
        return
    _, status = os.waitpid(child, os.WUNTRACED)
    assert os.WIFSTOPPED(status), status
    strace = subprocess.Popen(["strace", "-f", "-q", *job.tracing, "-p", str(child)], stderr=subprocess.PIPE)
    end = time.monotonic() + PATIENCE
    while not re.search(r"TracerPid:\t[1-9]", Path(f"/proc/{child}/status").read_text()):
        assert strace.poll() is None, strace.communicate()
        assert time.monotonic() < end
        time.sleep(0.001)
    os.kill(child, signal.SIGCONT)
    try:
        yield
    finally:
        strace.wait()
        strace.communicate()


def handed_over(job: Job) -> Iterator[int]:
    """Hands the mails over in their order, until one is not taken; yields the places of those that were acknowledged."""
    settings = load(Path(job.folder) / "pbem.toml", {}).intake.smtp
    assert settings is not None
    with suppress(OSError, smtplib.SMTPException):
        client = smtplib.SMTP("127.0.0.1", settings.port, "ahlgren.example", timeout=PATIENCE)
        for place, (_, mail) in enumerate(job.mails):
            client.sendmail(SENDER, OURS, Path(mail).read_bytes())
            yield place
        client.quit()


def _job(line: str) -> Job:
    asked: dict[str, Any] = json.loads(line)
    return Job(**asked)


def main() -> None:
    for line in sys.stdin:
        job = _job(line)
        if job.phase == "warm":
            warm(job)
        life = Life(0, ()) if job.phase == "warm" else lived(job)
        print(json.dumps([life.ended, life.acknowledged]), flush=True)  # noqa: T201  # how it answers the test


if __name__ == "__main__":
    main()
