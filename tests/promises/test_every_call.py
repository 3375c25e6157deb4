"""Whatever call to the system is the last one, or fails: started again, the host has lost nothing and done nothing twice.

The story: twenty mails by SMTP, some of them twice or without sense, two proposals decided, what follows sent to a
smart host and published. It is told undisturbed, with strace listening; then once for each call that changes a file,
and that call kills the process or fails. Started again, with the mails that were not acknowledged handed over again,
all must be as if nothing had happened.

`PBEM_FAULTS=5000 pytest --timeout 0 -n 8 tests/promises/test_every_call.py` breaks every call there is.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import pytest

from pbem.cli.app import open_host
from pbem.config import load
from pbem.service import reader
from pbem.store import eventlog, queues
from tests.flow.conftest import PRINTER
from tests.flow.post import DAY, MINUTE, SETTINGS, Post
from tests.promises.dying_at_calls import FAIL_STOP, PHASES, Job, Life
from tests.promises.table import Promise
from tests.servers.memory import in_memory
from tests.servers.ports import free_port
from tests.servers.smarthost import Delivery, SmartHost

pytestmark = [pytest.mark.live, pytest.mark.slow]

CALLS = (
    *("write", "pwrite64", "pwritev", "ftruncate", "fallocate", "fsync", "fdatasync", "sync"),
    *("openat", "rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat"),
    *("unlink", "unlinkat", "rmdir", "mkdir", "mkdirat", "chmod", "fchmod", "fchmodat"),
)
KILLED = -9
LATER = 31 * MINUTE
"""When the host is started again, the lease of a mail that was being sent is over."""
MAILS = (
    ("Alice", "propose enact: Tea\nTea is served at four.\nend\n\ncall vote\n"),
    ("Bo", "scores\n"),
    ("Alice", "for 301\n"),
    ("Bo", "I would rather have coffee.\n"),
    ("Bo", "against 301\n"),
    ("Bo", "for 301\n"),
    ("Cia", "for 301\n\nTea, then.\n"),
    ("Bo", "propose amend 203: A majority is enough\nMore than half is enough.\n\nclause adopted when: votes_for * 2 > eligible\nend\n"),
    ("Cia", "vote perhaps on 302\n"),
    ("Zoe", "May I join in?\n"),
    ("Cia", "rules\n"),
    ("Bo", "call vote\n"),
    ("Cia", "against 302\n"),
    ("Alice", "for 302\n"),
    ("Alice", "for 301\n"),
    ("Bo", "for 302\n"),
    ("Cia", "propose repeal 209\n\ncall vote\n"),
    ("Alice", "status\n"),
    ("Bo", "for 303\n"),
)  # fmt: skip
REPEATED = 2
"""The place of the mail that comes once more at the end."""


class Driver:
    """The process of dying_at_calls.py."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.promises.dying_at_calls"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=Path(__file__).parents[2],
        )

    def lives(self, job: Job) -> Life:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(asdict(job)) + "\n")
        self.process.stdin.flush()
        ended, acknowledged = json.loads(self.process.stdout.readline())
        return Life(ended, tuple(acknowledged))

    def close(self) -> None:
        self.process.communicate(timeout=20)


@dataclass(frozen=True)
class Call:
    """The n-th call of that name in any one thread since a phase began, as strace counts them."""

    phase: str
    name: str
    nth: int

    def injected(self, what: str) -> tuple[str, ...]:
        """The arguments by which strace does `what` at it, and writes down all syncs."""
        wanted = f"trace={self.name},fsync,fdatasync"
        return ("-y", "-e", wanted, "-e", f"inject={self.name}:{what}:when={self.nth}")


@dataclass(frozen=True)
class Outcome:
    """What there is to see in the end."""

    log: tuple[str, ...]
    fault: str | None
    inbox: tuple[tuple[str, str, str | None], ...]
    unsent: int
    pages: dict[str, bytes]
    sent: Counter[Delivery] = field(compare=False)


@dataclass
class Story:
    """A host in a folder, before the mails, and what it takes to tell what follows."""

    folder: Path
    mails: tuple[tuple[int, str], ...]
    driver: Driver
    smarthost: SmartHost

    @property
    def now(self) -> int:
        return self.mails[-1][0] + MINUTE

    def copied(self, folder: Path) -> Job:
        """The undisturbed life of a copy."""
        shutil.copytree(self.folder, folder, symlinks=True)
        self.smarthost.taken.clear()
        return Job(str(folder), self.now, self.mails)

    def goes_on(self, job: Job, life: Life) -> Life:
        """The host is started again, and gets the mails that were not acknowledged."""
        rest = tuple(mail for place, mail in enumerate(job.mails) if place not in life.acknowledged)
        return self.driver.lives(Job(job.folder, job.now + LATER, rest))

    def outcome(self, job: Job) -> Outcome:
        folder = Path(job.folder)
        pages = (folder / "site" / "kaffe").resolve()
        with open_host(load(folder / "pbem.toml", {})) as host, host.store.reading():
            records = tuple(eventlog.load(host.store, "kaffe"))
            head = eventlog.head(host.store, "kaffe")
            rows = queues.inbox_log(host.store, limit=1000)
            unsent = queues.outbox_counts(host.store).get("ready", 0)
        return Outcome(
            log=tuple(record.hash for record in records),
            fault=reader.fault(records, head.seq, head.hash),
            inbox=tuple(sorted((row.digest, row.state, row.result) for row in rows)),
            unsent=unsent,
            pages={str(file.relative_to(pages)): file.read_bytes() for file in pages.rglob("*.*")},
            sent=Counter(self.smarthost.taken),
        )


@dataclass
class Tried:
    """What came of a number of faults."""

    tries: int = 0
    faults: int = 0
    mails: int = 0
    lost: int = 0
    doubled: int = 0
    wrong: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def room() -> Iterator[Path]:
    with in_memory() as room:
        yield room


@pytest.fixture(scope="module")
def story(room: Path) -> Iterator[Story]:
    folder, post_box = room / "before", room / "mails"
    folder.mkdir()
    post_box.mkdir()
    driver = Driver()
    with SmartHost() as smarthost:
        settings = SETTINGS.replace("trusted_receivers", "believe_from = true\ntrusted_receivers")
        settings = settings.replace(
            '[delivery.maildir]\nfolder = "mail"',
            f'[delivery.smtp]\nhost = "127.0.0.1"\nport = {smarthost.port}\n[intake.smtp]\nport = {free_port()}',
        )
        (folder / "pbem.toml").write_text(settings, "utf-8")
        with open_host(load(folder / "pbem.toml", {})) as host:
            post = Post(replace(host, printer=PRINTER), folder)
            post.now -= 300 * DAY
            post.found("Alice", "Bo", "Cia")
            post.pages()
            mails = tuple(written(post, post_box))
        story = Story(folder, mails, driver, smarthost)
        driver.lives(replace(story.copied(folder.with_name("warm")), phase="warm"))
        yield story
        driver.close()


def written(post: Post, box: Path) -> Iterator[tuple[int, str]]:
    """The mails, as files, with the moments they come."""
    texts = [*(post.compose(name, text) for name, text in MAILS)]
    for place, content in enumerate((*texts, texts[REPEATED])):
        post.now += MINUTE
        file = box / f"{place:02}.eml"
        file.write_bytes(content)
        yield post.now, str(file)


@pytest.fixture(scope="module")
def undisturbed(story: Story, room: Path) -> Outcome:
    job = story.copied(room / "undisturbed")
    assert story.driver.lives(job) == Life(0, tuple(range(len(story.mails))))
    return story.outcome(job)


@pytest.fixture(scope="module")
def calls(story: Story, undisturbed: Outcome, room: Path) -> list[Call]:
    """Every call of the story that changes a file, in order."""
    assert undisturbed.fault is None
    found: list[list[Call]] = []
    for phase in PHASES:
        trace = room / f"{phase}.trace"
        tracing = ("-y", "-e", f"trace={','.join('?' + name for name in CALLS)}", "-o", str(trace))
        job = replace(story.copied(room / phase), phase=phase, tracing=tracing)
        story.driver.lives(job)
        found.append(list(calls_in(trace.read_text(errors="replace"), phase, Path(job.folder))))
    # What is traced from the beginning of a phase goes on to the end of the last one.
    after = [*(len(calls) for calls in found[1:]), 0]
    return [
        call
        for calls, rest in zip(found, after, strict=True)
        for call in dict.fromkeys(calls[: len(calls) - rest])
    ]


def calls_in(trace: str, phase: str, folder: Path) -> Iterator[Call]:
    """The calls of a trace that change a file in the folder, each by the number by which strace would break it."""
    counted: Counter[tuple[str, str]] = Counter()
    for line in trace.splitlines():
        if (found := re.match(r"(\d+) +(\w+)\(", line)) is None:
            continue
        thread, name = found.groups()
        counted[thread, name] += 1
        if str(folder) in line and (name != "openat" or "O_CREAT" in line):
            yield Call(phase, name, counted[thread, name])


def spread(calls: list[Call], number: int, share: int, shares: int) -> list[Call]:
    """A share of so many calls, spread over all of them."""
    some = [calls[place * len(calls) // number] for place in range(number)] if number < len(calls) else calls
    return some[share::shares]


def tried(story: Story, expected: Outcome, calls: list[Call], what: str, fault: str = "") -> Tried:
    """Breaks each of the calls, and compares what comes of it with what is expected."""
    sum_ = Tried()
    for call in calls:
        job = story.copied(story.folder.with_name("broken"))
        trace = story.folder.with_name("trace")
        broken = replace(job, phase=call.phase, tracing=(*call.injected(what), "-o", str(trace)), fault=fault)
        life = story.driver.lives(broken)
        again = story.goes_on(job, life)
        sum_.faults += "(INJECTED)" in trace.read_text(errors="replace") or life.ended == KILLED
        sum_.tries += 1
        sum_.mails += len(job.mails)
        _compare(sum_, story.outcome(job), expected, f"{call} {life} {again.ended}")
        sum_.wrong += [f"{call}: {wrong}" for wrong in _syncs_again(trace.read_text(errors="replace"), life)]
        shutil.rmtree(job.folder)
    return sum_


def _compare(sum_: Tried, seen: Outcome, expected: Outcome, told: str) -> None:
    sum_.lost += len(set(expected.inbox) - set(seen.inbox)) + len(expected.sent - seen.sent)
    again = seen.sent - expected.sent
    strange = [mail for mail in again if mail not in expected.sent]
    sum_.doubled += len(seen.inbox) - len(set(seen.inbox)) + len(strange) + max(0, again.total() - 1)
    if seen != expected or strange or again.total() > 1:
        sum_.wrong.append(f"{told}: {_difference(seen, expected)}, {again.total()} sent again")


def _difference(seen: Outcome, expected: Outcome) -> str:
    names = ("log", "fault", "inbox", "unsent", "pages")
    return ", ".join(name for name in names if getattr(seen, name) != getattr(expected, name))


def _syncs_again(trace: str, life: Life) -> Iterator[str]:
    """A database of which a sync has failed is asked for no other one."""
    failed = False
    for line in trace.splitlines():
        if re.search(r" f(data)?sync\(\d+<[^>]*pbem\.db", line):
            if failed:
                yield "synced again"
            failed = failed or "EIO" in line
    if failed and life.ended != FAIL_STOP:
        yield f"did not stop, but ended with {life.ended}"


def judged(promise: Promise, sum_: Tried) -> None:
    print(*sum_.wrong, sep="\n")  # noqa: T201  # what fails is seen beside the figures
    promise.shows(faults=sum_.faults, mails=sum_.mails, lost=sum_.lost, doubled=sum_.doubled)
    assert sum_.faults >= 0.9 * sum_.tries, "which thread of many does what is not the same each time"
    assert sum_.wrong == []


def test_undisturbed_two_proposals_are_decided_and_all_is_sent_and_published(
    undisturbed: Outcome, calls: list[Call]
) -> None:
    assert len(undisturbed.inbox) == len(MAILS)
    assert {state for _, state, _ in undisturbed.inbox} == {"done"}
    assert undisturbed.unsent == 0
    assert undisturbed.fault is None
    assert set(undisturbed.sent.values()) == {1}
    assert Counter(call.phase for call in calls).keys() == set(PHASES)
    assert "proposals/302/index.html" in undisturbed.pages


KILLS = int(os.environ.get("PBEM_FAULTS", "310"))
ERRORS = KILLS // 2
SHARES = 8


@pytest.mark.promise(1)
@pytest.mark.parametrize("share", range(SHARES))
def test_killed_at_any_call_and_started_again_all_is_as_if_nothing_had_been(
    promise: Promise, story: Story, undisturbed: Outcome, calls: list[Call], share: int
) -> None:
    some = spread(calls, KILLS, share, SHARES)
    judged(promise, tried(story, undisturbed, some, "signal=KILL"))


@pytest.mark.promise(2)
@pytest.mark.parametrize("share", range(SHARES // 2))
@pytest.mark.parametrize("error", ["ENOSPC", "EIO"])
def test_when_any_call_fails_all_is_as_if_it_had_not(
    promise: Promise,
    story: Story,
    undisturbed: Outcome,
    calls: list[Call],
    error: str,
    share: int,
) -> None:
    some = spread(calls, ERRORS, share, SHARES // 2)
    judged(promise, tried(story, undisturbed, some, f"error={error}"))


def _stores(calls: list[Call]) -> list[Call]:
    """Some calls by which mails are stored."""
    return [call for call in calls if call.phase == "intake" and call.name in ("pwrite64", "fdatasync")][
        5::40
    ]


PLANTED = {
    "hasty": ("signal=KILL", "a mail is acknowledged before it is stored"),
    "swallowing": ("error=ENOSPC", "that a mail could not be stored is kept silent"),
}


@pytest.mark.parametrize("way", [
    pytest.param("hasty", marks=pytest.mark.promise(1)), pytest.param("swallowing", marks=pytest.mark.promise(2)),
])  # fmt: skip
def test_of_this_test_a_planted_fault_is_seen(
    promise: Promise, story: Story, undisturbed: Outcome, calls: list[Call], way: str
) -> None:
    fault, told = PLANTED[way]
    sum_ = tried(story, undisturbed, _stores(calls), fault, way)
    with promise.breaks(told):
        judged(promise, sum_)
