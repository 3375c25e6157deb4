"""The loops of a running server: mail in, work, calendar, delivery, pages; started and stopped together.

What lives here: threads and their waking. What never may: what any of them does. A part that fails is
logged and tried again; it takes no other part with it.
"""

from __future__ import annotations

import functools
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Literal, TypeVar

from pbem.config import Config, ImapIntake, MaildirDelivery
from pbem.mail import operating
from pbem.service import alarms, bounces, calendar, mirroring, process, publishing, supervisor
from pbem.service.books import Host
from pbem.service.deliver import Courier, Post, Round
from pbem.service.door import Offered, ReceiveAll
from pbem.service.heart import Heart, heart_of
from pbem.service.imap_in import ImapPoller
from pbem.service.maildir_in import MaildirPoller
from pbem.service.maildir_out import MaildirPost
from pbem.service.receive import receive_all
from pbem.service.searching import Indexer
from pbem.service.smtp_in import Guards, SmtpListener
from pbem.service.smtp_out import SmtpPost
from pbem.service.web import Preview
from pbem.store import eventlog, people
from pbem.store.db import Broken
from pbem.store.news import listen
from pbem.store.queues import OutboxMail

LONGEST_WAIT = 5.0
"""Seconds a loop sleeps at most: mails put in by other processes are found by then."""
PAGES_WAIT = 2.0
"""Seconds between one publishing and the next while mails keep coming: pages of several mails are made once."""

Part = Literal["work", "send", "publish"]
"""What a server can be that does no more than this: it goes on beside one that takes mail in."""

Result = TypeVar("Result")

log = logging.getLogger(__name__)


def clock() -> int:
    """Now, in UTC µs."""
    return time.time_ns() // 1000


def _never() -> bool:
    return False


def _nobody_waits() -> None:
    """Whoever starts a server and does not wait for its end."""


def work_on(host: Host, now: Callable[[], int] = clock, stopped: Callable[[], bool] = _never) -> int:
    """Works off what waits (until `stopped`) and what is due; returns how many mails were worked off."""
    with host.store.connected():  # one connection for all of them
        worked = process.work_off(host, now(), stopped)
    calendar.tick(host, now())
    return worked


def work_through(host: Host, now: Callable[[], int] = clock) -> int:
    """As `work_on`, and publishes."""
    worked = work_on(host, now)
    publishing.publish_due(host, now())
    return worked


def post(host: Host) -> Post:
    """The way mails go out: the smart host, or a Maildir for each recipient."""
    way = host.config.delivery
    if isinstance(way, MaildirDelivery):
        return MaildirPost(way.folder, lambda address: _name_of(host, address))
    return SmtpPost(way, host.config.mail.domain)


def send_all(host: Host, now: Callable[[], int] = clock) -> Round:
    """Delivers all that is due."""
    return courier(host, now).go_on(_never)


def courier(host: Host, now: Callable[[], int] = clock) -> Courier:
    """Who takes out mails for this thread."""

    def dead(mail: OutboxMail) -> None:
        bounces.refused(host, mail, now())

    return Courier(host.store, post(host), now, worker_name(), dead)


def worker_name() -> str:
    """What this process and thread call themselves in a lease."""
    return f"{os.uname().nodename}:{os.getpid()}:{threading.get_ident()}"


def _name_of(host: Host, address: str) -> str:
    """The name a recipient's Maildir has: the person's, or the address where nobody is known."""
    with host.store.reading():
        person = people.person_by_address(host.store, address)
        return person.name if person else address


def _alarm(host: Host, account: ImapIntake) -> Callable[[str], None]:
    """What tells the host that a mailbox cannot be read."""
    name = f"{account.user}@{account.host}"
    return lambda sentence: alarms.tell(host, operating.mailbox(name, sentence), clock())


def pollers(host: Host, take_all: ReceiveAll) -> list[ImapPoller | MaildirPoller]:
    """Whatever looks for mail elsewhere, as the settings name it."""
    intake, most, heart = host.config.intake, host.config.limits.mail_taken, Heart(host.store, clock)
    found: list[ImapPoller | MaildirPoller] = []
    for account in intake.imap:
        found.append(
            ImapPoller(account, host.store, take_all, clock, limit=most, alarm=_alarm(host, account))
        )
        found[-1].looked = functools.partial(heart.beat, heart_of(account))
    if intake.maildir is not None:
        found.append(MaildirPoller(intake.maildir, take_all, clock, limit=most))
        found[-1].looked = functools.partial(heart.beat, heart_of(intake.maildir))
    return found


@contextmanager
def _naming(setting: str, port: int) -> Iterator[None]:
    """Tells which setting to change when a port cannot be had. Raises OSError."""
    try:
        yield
    except OSError as error:
        # asyncio puts the address into strerror; a host that has no address bears a number of its own.
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
        cure = f"set another {setting}, or stop the program that has this one"
        raise OSError(f"nothing can listen on port {port} ({reason}); {cure}") from error


class Server:
    """Everything at once, or one part: `start`, then `stop`, which waits until each part has finished what it was at.

    When the disk fails under the database nothing is taken in or worked off any more, `broken` says why, and `give_up`
    is called, which may be by any thread.
    """

    def __init__(
        self, host: Host, give_up: Callable[[], None] = _nobody_waits, part: Part | None = None
    ) -> None:
        self.host = host
        self._part = part
        self.broken: Broken | None = None
        self._give_up = give_up
        self._stopping = threading.Event()
        self._news = threading.Event()
        self._outgoing = threading.Event()
        self._stale = threading.Event()
        self._opened = ExitStack()
        self._heart = Heart(host.store, clock)
        self.listener: SmtpListener | None = None
        self.preview: Preview | None = None

    def start(self) -> None:
        """Starts every part the settings name, or the one. Raises OSError, with none started, when a port is taken."""
        if self._part is None:
            self._take_in()
        loops = {"work": self._work, "send": self._deliver, "publish": self._publish}
        whole = (self._work, self._deliver, self._index)
        for loop in whole if self._part is None else (loops[self._part],):
            self._run(loop)
        if self.host.config.site.after and self._part in (None, "publish"):
            self._run(self._carry)
        if self.host.store.postgres:
            self._run(self._hear)

    def stop(self) -> None:
        self._wake_all()
        self._opened.close()

    def _take_in(self) -> None:
        try:
            self._listen(self.host.config)
            self._show(self.host.config)
        except OSError:
            self.stop()
            raise
        for poller in pollers(self.host, self.receive_all):
            self._run(functools.partial(poller.run, self._stopping))

    def _wake_all(self) -> None:
        """Every loop sees that it is to stop."""
        for each in (self._stopping, self._news, self._outgoing, self._stale):
            each.set()

    def receive_all(self, offered: Sequence[Offered]) -> list[str]:
        """Takes mails in, all or none, and wakes the worker."""
        try:
            with self.host.store.connected():
                taken = receive_all(self.host, offered)
        except Broken as failure:
            self._break_off(failure)
            raise
        self._news.set()
        return taken

    def _listen(self, config: Config) -> None:
        settings = config.intake.smtp
        if settings is not None:
            guards = Guards.of(config.limits)
            self.listener = SmtpListener(settings, config.mail.addresses, guards, self.receive_all, clock)
            with _naming("port in [intake.smtp]", settings.port):
                self.listener.start()
            self._opened.callback(self.listener.stop)

    def _show(self, config: Config) -> None:
        if config.site.preview:
            with _naming("preview in [site]", config.site.preview):
                self.preview = Preview(config.site.folder, config.site.preview)
            self.preview.start()
            self._opened.callback(self.preview.stop)

    def _run(self, part: Callable[[], None]) -> None:
        thread = threading.Thread(target=part)
        thread.start()
        self._opened.callback(thread.join)

    def _rounds(self, wake: threading.Event) -> Iterator[None]:
        """One round of a loop after another, until the server stops.

        `wake` is cleared before the look at `_stopping`: a stop between the two would else be slept through.
        """
        while True:
            wake.clear()
            if self._stopping.is_set():
                return
            yield

    def _work(self) -> None:
        shown = 0.0
        for _ in self._rounds(self._news):
            if self._guarded(lambda: work_on(self.host, stopped=self._is_to_stop)):
                self._outgoing.set()
            if self._part is None and (not self._news.is_set() or time.monotonic() > shown + PAGES_WAIT):
                self._guarded(lambda: publishing.publish_due(self.host, clock(), self._is_to_stop))
                shown = time.monotonic()
            self._guarded(lambda: self._heart.beat("work"))
            self._news.wait(self._guarded(self._until_due) or LONGEST_WAIT)

    def _is_to_stop(self) -> bool:
        """Whether to stop, asked between one mail and the next and at least once a round: whoever watches over us hears
        each time that work goes on. A worker that hangs is silent."""
        supervisor.tell(supervisor.ALIVE)
        return self._stopping.is_set()

    def _deliver(self) -> None:
        way_out, out = alarms.WayOut(self.host), courier(self.host)
        # Beside a worker it is the worker that is watched over.
        stopped = self._stopping.is_set if self._part is None else self._is_to_stop
        for _ in self._rounds(self._outgoing):
            done = self._guarded(lambda: out.go_on(stopped))
            way_out.watch(done or Round(), clock())
            self._guarded(lambda: self._heart.beat("delivery"))
            self._outgoing.wait(LONGEST_WAIT)
        self._guarded(out.leave)

    def _publish(self) -> None:
        indexer = Indexer(self.host)
        for _ in self._rounds(self._stale):
            self._guarded(lambda: publishing.publish_due(self.host, clock(), self._is_to_stop))
            self._guarded(indexer.make_due)
            self._stale.wait(LONGEST_WAIT)

    def _hear(self) -> None:
        """Other processes tell what they have written; without a line to hear it by, each loop looks by itself."""
        site = self._news if self._part is None else self._stale
        wakes = {"mail in": self._news, "mail out": self._outgoing, "site": site}
        while not self._stopping.is_set():
            self._guarded(
                lambda: listen(self.host.store, lambda news: wakes[news].set(), self._stopping.is_set)
            )
            self._stopping.wait(LONGEST_WAIT)

    def _index(self) -> None:
        indexer = Indexer(self.host)
        while not self._stopping.wait(LONGEST_WAIT):
            self._guarded(indexer.make_due)

    def _carry(self) -> None:
        def alarm(words: str) -> None:
            alarms.tell(self.host, operating.not_carried(words), clock())

        mirroring.keep_carrying(self.host.config.site, self.host.published, self._stopping, alarm)

    def _guarded(self, part: Callable[[], Result]) -> Result | None:
        try:
            return part()
        except Broken as failure:
            self._break_off(failure)
            return None
        except Exception as error:  # a loop outlives whatever goes wrong in one round; the log tells
            if self.host.store.could_not(error):
                log.error("this round failed (%s); the next one tries again", error)
            else:
                log.exception("this round failed; the next one tries again")
            return None

    def _break_off(self, failure: Broken) -> None:
        """No part asks the database for anything more; a process that is started anew may."""
        if self.broken is None:
            self.broken = failure
            log.critical("the disk failed under the database: %s", failure)
        self._wake_all()
        self._give_up()

    def _until_due(self) -> float:
        """Seconds until something is due, at most `LONGEST_WAIT`."""
        with self.host.store.reading():
            due = eventlog.next_due(self.host.store)
        return LONGEST_WAIT if due is None else max(0.01, min(LONGEST_WAIT, (due - clock()) / 1e6))
