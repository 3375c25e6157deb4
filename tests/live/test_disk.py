"""The disk under the real server: nothing is acknowledged that is not on it, when it is full mail waits outside, and when it
breaks the server stops."""

from __future__ import annotations

import re
import smtplib
import subprocess
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import apsw
import pytest

from pbem.config import SmtpDelivery
from pbem.service.deliver import Courier, Round, Unreachable
from pbem.service.smtp_out import SmtpPost
from pbem.service.worker import clock
from pbem.store import queues
from pbem.store.db import Store, StoreError, open_store
from pbem.store.queues import OutboxMail, Outgoing
from pbem.store.upgrade import upgrade
from tests.live.test_serve import ADDRESS, SMTP, answered, inbox, make, question, send
from tests.promises.table import Promise
from tests.servers.root import only_root
from tests.servers.running import CHECKOUT, Running, pbem, run, until
from tests.servers.smarthost import SmartHost

pytestmark = pytest.mark.live

URL = "sqlite:///pbem.db"
NORMAL = "from pbem.store import db; db.PRAGMAS['synchronous'] = 'normal'"
SWALLOWING = """
from pbem.service import worker
from pbem.store.db import StoreError

def taken_anyhow(host, offered, real=worker.receive_all):
    try:
        return real(host, offered)
    except StoreError:
        return ["taken"] * len(offered)

worker.receive_all = taken_anyhow
"""


def with_fault(folder: Path, fault: str) -> tuple[str, ...]:
    """What runs a server in which `fault`, lines of Python, has been planted."""
    (folder / "sitecustomize.py").write_text(fault)
    return ("env", f"PYTHONPATH={folder}:{CHECKOUT}")


def tracing(file: Path, *more: str) -> tuple[str, ...]:
    return ("strace", "-D", "-f", "-qq", "-y", "-o", str(file), *more)


# ---- acknowledged only when it is on the disk ----


class Lint:
    """Looks through a trace for mails that were acknowledged before the log of SQLite that holds them was on the disk."""

    def __init__(self) -> None:
        self.heard: dict[str, str] = {}
        self.written: set[str] = set()
        self.synced: set[str] = set()
        self.acknowledged: list[str] = []
        self.early: list[str] = []
        # Of a thread: the call it is in may be two lines, with others between them.
        self._hearing: dict[str, str] = {}
        self._syncing: dict[str, set[str]] = {}

    def read(self, trace: Iterator[str]) -> Lint:
        for line in trace:
            thread, _, call = line.partition(" ")
            self._line(thread, call.lstrip())
        return self

    def _line(self, thread: str, call: str) -> None:
        if call.startswith("recvfrom("):
            self._hearing[thread] = _socket(call)
        if "recvfrom" in call and (heard := names(call)):
            self.heard[self._hearing[thread]] = heard[-1]
        if call.startswith("pwrite64(") and "pbem.db-wal>" in call:
            self.written |= {*names(call)}
        elif call.startswith("fdatasync(") and "pbem.db-wal>" in call:
            # What is written while it runs need not be part of it.
            self._syncing[thread] = {*self.written}
        if "fdatasync" in call and call.endswith("= 0\n"):
            self.synced |= self._syncing.pop(thread, set())
        if call.startswith("sendto(") and '"250 2.0.0 stored' in call:
            name = self.heard[_socket(call)]
            self.acknowledged.append(name)
            self.early += [name] * (name not in self.synced)


def _socket(call: str) -> str:
    return call.partition("(")[2].partition(",")[0]


def names(call: str) -> list[str]:
    """The mails whose Message-ID a call has in it."""
    return re.findall(r"<(ack\d+)@alm\.example>", call)


ACKS = 200


def traced_acknowledgements(folder: Path, *fault: str) -> Lint:
    """200 mails on four connections to a real server, and what its calls to the system show."""
    make(folder, SMTP)
    trace = folder / "trace"
    calls = "trace=recvfrom,sendto,pwrite64,fdatasync"
    with Running(folder, "serve", within=tracing(trace, "-s", "5000", "-e", calls) + fault).start() as served:
        port = served.port
        peers = [
            threading.Thread(target=send, args=(port, *(question(f"ack{n}") for n in range(peer, ACKS, 4))))
            for peer in range(4)
        ]
        for peer in peers:
            peer.start()
        for peer in peers:
            peer.join()
        served.kill()
    with trace.open(errors="replace") as lines:
        return Lint().read(lines)


@pytest.mark.promise(3)
def test_no_mail_is_acknowledged_before_the_log_that_holds_it_is_on_the_disk(
    tmp_path: Path, promise: Promise
) -> None:
    lint = traced_acknowledgements(tmp_path)
    promise.shows(mails=len(lint.acknowledged), lost=len(lint.early))
    assert sorted(lint.acknowledged) == sorted(f"ack{number}" for number in range(ACKS))


@pytest.mark.promise(3)
def test_of_this_test_a_log_that_is_not_waited_for_is_seen(tmp_path: Path, promise: Promise) -> None:
    lint = traced_acknowledgements(tmp_path, *with_fault(tmp_path, NORMAL))
    assert len(lint.acknowledged) == ACKS
    with promise.breaks("synchronous = normal"):
        promise.shows(mails=len(lint.acknowledged), lost=len(lint.early))


# ---- a full disk that grows again ----


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A disk of its own of two megabytes."""
    only_root("mount a disk")
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


MANY = 400


def full_and_grown(folder: Path, *fault: str) -> dict[str, int]:
    """How many of 400 mails were refused for now, and how many were lost, or answered twice, once there was room."""
    with small_disk(folder / "disk") as disk:
        make(folder, SMTP, game=False)
        settings = folder / "pbem.toml"
        settings.write_text(f'database = "sqlite:///{disk}/pbem.db"\n' + settings.read_text())
        make_game(folder)
        with Running(folder, "serve", within=fault).start() as served:
            mails = {f"q{number}": question(f"q{number}") + b"x" * 8000 + b"\r\n" for number in range(MANY)}
            refused = refused_of(served.port, mails)
            subprocess.run(["mount", "-o", "remount,size=200m", disk], check=True)
            assert refused_of(served.port, {name: mails[name] for name in refused}) == []
            until(lambda: settled(folder), "all that was taken in is done and answered")
        answers = answered(folder)
        with closing(apsw.Connection(str(disk / "pbem.db"))) as database:
            assert database.pragma("integrity_check") == "ok"
        assert "every link of the chain holds" in pbem(folder, "verify", "kaffe")
    return {
        "faults": len(refused),
        "mails": MANY,
        "lost": len(mails.keys() - answers.keys()),
        "doubled": sum(count - 1 for count in answers.values()),
    }


def make_game(folder: Path) -> None:
    people = ("--keeper", "kim@kvist.example", "--player", ADDRESS, "--player", "bo@berg.example")
    pbem(folder, "new", "kaffe", "--start", *people)


def refused_of(port: int, mails: dict[str, bytes]) -> list[str]:
    """The names of the mails that are to be sent again later; none is refused for good."""
    refused: list[str] = []
    with smtplib.SMTP("127.0.0.1", port, "alm.example") as server:
        for name, mail in mails.items():
            try:
                server.sendmail(ADDRESS, "nomic@nomic.example", mail)
            except smtplib.SMTPDataError as answer:
                if answer.smtp_code not in (451, 452):
                    raise
                refused.append(name)
    return refused


def settled(folder: Path) -> bool:
    """Whether nothing waits to be worked off or sent."""
    queue = run(folder, "queue", "--json")
    return queue.returncode == 0 and queue.stdout.strip() == "[]"


@pytest.mark.promise(4)
def test_a_full_disk_takes_no_mail_and_once_it_has_room_all_are_taken_and_answered(
    tmp_path: Path, promise: Promise
) -> None:
    figures = full_and_grown(tmp_path)
    promise.shows(**figures)
    assert 0 < figures["faults"] < MANY


@pytest.mark.promise(4)
def test_of_this_test_a_mail_for_which_there_is_no_room_and_that_is_acknowledged_is_seen(
    tmp_path: Path, promise: Promise
) -> None:
    figures = full_and_grown(tmp_path, *with_fault(tmp_path, SWALLOWING))
    with promise.breaks("a mail is acknowledged although the disk is full"):
        promise.shows(**figures)


class _FillsTheDisk(SmtpPost):
    """With the second mail the last room on this disk is gone."""

    disk: Path
    tried = 0
    shut = False
    """Whether the second mail, for that, does not go out."""

    def send(self, mail: OutboxMail) -> None:
        self.tried += 1
        if self.tried != 2:
            super().send(mail)
            return
        if not self.shut:
            super().send(mail)
        fill(self.disk)
        if self.shut:
            raise Unreachable("no room")


def fill(disk: Path) -> None:
    with suppress(OSError), (disk / "filling").open("ab", buffering=0) as filling:
        while True:
            filling.write(bytes(1024))


@dataclass(frozen=True, slots=True)
class Halted:
    """A courier with the answer to the second of four mails in hand, which cannot be written down: the disk is full."""

    store: Store
    host: SmartHost
    courier: Courier
    disk: Path

    def makes_room(self) -> None:
        (self.disk / "filling").unlink()

    def came(self) -> Counter[str]:
        return Counter(mail.recipient.partition("@")[0] for mail in self.host.taken)


@contextmanager
def halted(folder: Path, *, shut: bool = False) -> Iterator[Halted]:
    with small_disk(folder / "disk") as disk, SmartHost() as host, closing(open_store(URL, disk)) as store:
        upgrade(store, clock())
        mails = [
            Outgoing(
                name, "kaffe", "b@nomic.example", f"{name}@alm.example", b"Subject: x\r\n\r\nx\r\n", 0, order
            )
            for order, name in enumerate("abcd")
        ]
        with store.transaction():
            queues.enqueue(store, mails)
        post = _FillsTheDisk(SmtpDelivery("127.0.0.1", host.port), "nomic.example")
        post.disk, post.shut = disk, shut
        courier = Courier(store, post, clock, "worker")
        for _ in range(2):
            with pytest.raises(StoreError, match=r"full|I/O"):
                courier.go()
            assert post.tried == 2
            fill(disk)  # SQLite has let go of its log
        yield Halted(store, host, courier, disk)


def test_what_was_sent_when_the_disk_was_full_is_not_sent_again_and_what_was_in_hand_goes_on(
    tmp_path: Path,
) -> None:
    with halted(tmp_path) as at:
        at.makes_room()
        assert at.courier.go() == Round(sent=3)
        assert at.came() == Counter("abcd")
        with at.store.reading():
            assert queues.outbox_counts(at.store) == {"sent": 4}


def test_a_server_that_stops_then_leaves_the_rest_to_the_next_one_at_once(tmp_path: Path) -> None:
    with halted(tmp_path) as at:
        at.makes_room()
        at.courier.leave()
        post = SmtpPost(SmtpDelivery("127.0.0.1", at.host.port), "nomic.example")
        assert Courier(at.store, post, clock, "the next one").go() == Round(sent=2)
        assert at.came() == Counter("abcd")


def test_whoever_asked_meanwhile_to_be_forgotten_gets_nothing_more(tmp_path: Path) -> None:
    with halted(tmp_path) as at:
        at.makes_room()
        with at.store.transaction():
            queues.erase_mails(at.store, ["c@alm.example"])
        assert at.courier.go() == Round(sent=2)
        assert at.came() == Counter("abd")


def test_a_way_that_was_shut_by_the_full_disk_is_tried_again(tmp_path: Path) -> None:
    with halted(tmp_path, shut=True) as at:
        at.makes_room()
        assert at.courier.go() == Round(sent=2, deferred=1)
        assert at.came() == Counter("acd")


# ---- a disk that breaks ----


def breaking(file: Path, call: str, nth: int) -> tuple[str, ...]:
    """The n-th such call in any thread fails."""
    return tracing(file, "-e", "trace=fsync,fdatasync,pwrite64", "-e", f"inject={call}:error=EIO:when={nth}")


@pytest.mark.promise(2)
@pytest.mark.parametrize(("call", "nth"), [("fdatasync", 12), ("pwrite64", 80)])
def test_a_server_whose_disk_breaks_asks_it_for_nothing_more_and_stops(
    tmp_path: Path, promise: Promise, call: str, nth: int
) -> None:
    make(tmp_path, SMTP)
    served = Running(tmp_path, "serve", within=breaking(tmp_path / "trace", call, nth)).start()
    taken: list[str] = []
    with suppress(smtplib.SMTPException, OSError):
        for number in range(100):
            send(served.port, question(f"q{number}"))
            taken.append(f"q{number}")
    code = served.process.wait(20)
    served.kill()
    assert code == 1
    assert len(taken) < 100, "it says so, or is gone"
    assert "the disk failed under the database (disk I/O error)" in served.log()
    assert synced_after_it_broke((tmp_path / "trace").read_text(errors="replace").splitlines()) == []

    with Running(tmp_path, "serve").start():
        until(lambda: {state for state, _ in inbox(tmp_path)} <= {"done"}, "what was stored is worked off")
    lost = {sha256(question(name)).hexdigest() for name in taken} - digests(tmp_path)
    doubled = sum(count - 1 for count in answered(tmp_path).values())
    promise.shows(faults=1, mails=len(taken), lost=len(lost), doubled=doubled)
    assert "every link of the chain holds" in pbem(tmp_path, "verify", "kaffe")


def synced_after_it_broke(trace: list[str]) -> list[str]:
    """The calls, begun after the first on the database that failed, that sync the database."""
    called: dict[
        str, str
    ] = {}  # of a thread: the call that it is in may be two lines, with others between them
    for place, line in enumerate(trace):
        thread, _, call = line.partition(" ")
        if not call.lstrip().startswith("<..."):
            called[thread] = call
        if "(INJECTED)" in call and "pbem.db" in called[thread]:
            return [later for later in trace[place + 1 :] if re.search(r"sync\(\d+<.*pbem\.db", later)]
    raise AssertionError("no call on the database failed")


def digests(folder: Path) -> set[str]:
    """Of the mails that are in the inbox."""
    store = open_store(URL, folder)
    with store.reading():
        return {row.digest for row in queues.inbox_log(store, limit=1000)}
