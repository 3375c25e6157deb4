"""A host whose clock jumps: an hour or a day on or back, and thirty years back. Each deadline comes once, when the clock
has shown it, and at the first look after that."""

from __future__ import annotations

from random import Random

import pytest

from pbem.game import codec, events
from pbem.game.fold import evolve
from pbem.game.silence import ladder
from pbem.game.state import State
from pbem.mail.message import Envelope
from pbem.service import receive, worker
from pbem.service.books import Host
from pbem.service.receive import TRUSTED
from pbem.store import eventlog
from tests.flow.post import ADDRESS, BEGINNING, DAY, GAME, HOUR, KEEPER, SECOND
from tests.promises.table import Promise
from tests.simulation.beginnings import Variant, host

pytestmark = [pytest.mark.slow, pytest.mark.promise(10)]

VARIANT = Variant(2, (("proposal time", "12h"), ("grace", "6h")), terse=True)
"""Nobody proposes anything: a turn is reminders, a deadline, grace, and the keeper's word."""
YEARS = 30 * 365 * DAY
JUMPS = (0, HOUR, -HOUR, DAY, -DAY, -YEARS)
"""How far the clock is from the right time (µs)."""
OFTEN = 1 / 20
"""How often the clock is set while the worker sleeps."""
TURNS, SHARES = 1_000, 10
PATIENCE = 2 * 3_600.0
"""Seconds that the worker waits at most in these stories, in place of five: else a turn would take thousands of looks."""
STEPS = (events.Reminded, events.DeadlinePassed, events.GraceOver)


class Clock:
    """The right time (UTC µs), and how far what the clock shows is from it."""

    def __init__(self, lot: Random) -> None:
        self.right = self.slept_from = self.set_at = BEGINNING
        self.off = self.was_off = self.jumps = 0
        self.is_set = False
        self._lot = lot

    @property
    def shown(self) -> int:
        return self.right + self.off

    def sleep(self, seconds: float) -> None:
        """So much time passes, and now and then somebody sets the clock meanwhile."""
        self.slept_from, self.was_off = self.right, self.off
        self.right += int(seconds * SECOND)
        self.is_set = self._lot.random() < OFTEN
        if self.is_set:
            self.jumps += 1
            self.set_at = self._lot.randint(self.slept_from, self.right)
            self.off = self._lot.choice(JUMPS)

    def shown_since(self, moment: int) -> int | None:
        """When in the last sleep (right time) the clock first showed that moment or a later one; None: it has not."""
        before = max(moment - self.was_off, self.slept_from)
        if before <= (self.set_at if self.is_set else self.right):
            return before
        since = max(moment - self.off, self.set_at)
        return since if self.is_set and since <= self.right else None


class Watch:
    """Follows the ladder of each turn: which step is due when, and since when the clock has shown that."""

    def __init__(self, host: Host, clock: Clock) -> None:
        self.host, self.clock, self.state = host, clock, State()
        self.doubled = self.missed = self.early = self.steps = 0
        self._shown_since: int | None = None

    def before_the_look(self) -> None:
        """Has the clock shown that the next step is due, and since when?"""
        due = ladder(self.state.term)
        if due is not None and self._shown_since is None:
            self._shown_since = self.clock.shown_since(due[0])

    def after_the_look(self) -> None:
        """What was done is what was due, and nothing that is due is left."""
        with self.host.store.reading():
            records = list(eventlog.load(self.host.store, GAME, after=self.state.seq))
        for record in records:
            fact = codec.decode(record)
            if isinstance(fact, STEPS):
                self._step(record.at)
            self.state = evolve(self.state, fact, record.at, record.mail)
        coming = ladder(self.state.term)
        self.missed += coming is not None and coming[0] <= self.clock.shown

    def _step(self, at: int) -> None:
        due = ladder(self.state.term)
        self.steps += 1
        self.doubled += due is None
        self.early += due is not None and (at != due[0] or at > max(self.clock.shown, self.state.at))
        late = 0 if self._shown_since is None else self.clock.right - self._shown_since
        self.missed += late > PATIENCE * SECOND
        self._shown_since = None


def play(promise: Promise, share: int, turns: int) -> None:
    """So many turns, in each of which all that happens is what time brings about, and the keeper's word at its end."""
    with host(VARIANT) as here, pytest.MonkeyPatch.context() as patch:
        clock = Clock(Random(f"clock {share}"))  # noqa: S311  # it keeps no secret
        patch.setattr(worker, "clock", lambda: clock.shown)
        patch.setattr(worker, "LONGEST_WAIT", PATIENCE)
        watch, server = Watch(here, clock), worker.Server(here)
        watch.after_the_look()
        while watch.state.turn <= turns:
            clock.sleep(server._until_due())
            watch.before_the_look()
            if watch.state.term is not None and watch.state.term.reached == "grace over":
                passed(here, watch.state.seq, clock.shown)
            worker.work_through(here, worker.clock)
            watch.after_the_look()
    promise.shows(faults=clock.jumps, doubled=watch.doubled, lost=watch.missed + watch.early)
    assert watch.steps >= 3 * turns


def passed(host: Host, number: int, now: int) -> None:
    """The keeper passes the turn."""
    name, address = KEEPER
    head = (
        f"From: {name} <{address}>\r\nTo: {ADDRESS}\r\nMessage-ID: <{number}@kvist.example>\r\nSubject: turn"
    )
    content = f"{head}\r\n\r\npass turn: nobody is there\r\n".encode()
    receive.receive(host, content, Envelope(now), TRUSTED)


@pytest.mark.parametrize("share", range(SHARES))
def test_no_deadline_is_early_late_or_twice_whatever_the_clock_does(promise: Promise, share: int) -> None:
    play(promise, share, TURNS // SHARES)


def test_a_worker_that_sleeps_until_what_is_due_is_seen(promise: Promise) -> None:
    with promise.breaks("the worker sleeps until what is next due"), pytest.MonkeyPatch.context() as patch:

        def until_due(server: worker.Server) -> float:
            with server.host.store.reading():
                due = eventlog.next_due(server.host.store)
            return PATIENCE if due is None else max(0.01, (due - worker.clock()) / 1e6)

        patch.setattr(worker.Server, "_until_due", until_due)
        play(promise, 0, TURNS // SHARES)
