"""Delivery: what the outbox holds goes out, and what became of each mail is written down.

What lives here: whose turn it is, and when a mail is tried again. What never may: a word of the ways out (smtp_out.py,
maildir_out.py), or forgetting a mail. A crash repeats at most the mail that was under way, the same to the byte.
"""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from typing import Literal, Protocol

from pbem.service.loglines import line
from pbem.store import hand, queues
from pbem.store.db import Store
from pbem.store.queues import OutboxMail

MINUTE = 60_000_000
"""In µs, as all times here."""
WAITS = (1 * MINUTE, 5 * MINUTE, 15 * MINUTE, 60 * MINUTE)
"""From a failed try to the next; the last one goes on for five days (RFC 5321 §4.5.4.1)."""
TRIES = len(WAITS) + 5 * 24
AT_ONCE = 50
"""Mails sent before the next look at whether the server is to stop."""
LEASE = 30 * MINUTE
AT_WORK = LEASE // 2
"""So long after mails were taken in hand the next one is still begun: a slow one must end before the lease does, after which
another worker may send it too."""

log = logging.getLogger(__name__)


class Later(Exception):
    """The mail was not delivered; it may be, later."""


class Unreachable(Later):
    """No mail can be delivered now: the way is closed, not this mail's part of it."""


class Never(Exception):
    """The mail was refused for good."""


class NoSuchAddress(Never):
    """The recipient's server does not know the address, or refuses it for good."""


Answer = Literal["sent"] | Later | Never
"""What became of a mail."""


class Post(Protocol):
    """A way for mails to go out."""

    def send(self, mail: OutboxMail) -> None:
        """Deliver it. Raises Later, Unreachable or Never, with the reason in words."""

    def close(self) -> None:
        """No more mails for now."""


@dataclass(frozen=True, slots=True)
class Round:
    """How many mails one round sent, put off and gave up; and why there was no way out ("": there was one)."""

    sent: int = 0
    deferred: int = 0
    given_up: int = 0
    shut: str = field(default="", compare=False)

    def __add__(self, more: Round) -> Round:
        return Round(
            self.sent + more.sent,
            self.deferred + more.deferred,
            self.given_up + more.given_up,
            more.shut or self.shut,
        )


def _nobody_to_tell(_: OutboxMail) -> None:
    """Whoever only delivers counts no addresses."""


@dataclass(slots=True)
class Courier:
    """Who takes mails out, round after round: one thread's.

    Each answer is committed before the next mail is sent. One that cannot be written down now (the disk is full) stays in
    hand, with the mails behind its own, so that nothing is sent twice for it. `clock` gives the present moment (UTC µs);
    `worker` names this process and thread; `dead` is told of each mail whose address was refused for good.
    """

    store: Store
    post: Post
    clock: Callable[[], int]
    worker: str
    dead: Callable[[OutboxMail], None] = _nobody_to_tell
    _hand: deque[OutboxMail] = field(default_factory=deque)
    _taken: int = 0
    _answer: Answer | None = None
    """What became of the first mail in hand and is not yet written down."""

    def go(self, limit: int = AT_ONCE) -> Round:
        """Send what is in hand, or up to `limit` mails that are due, the longest due first, over one connection.

        When there is no way out the rest waits untried.
        """
        results: Counter[str] = Counter()
        closed: Unreachable | None = None
        with self.store.connected(), closing(self.post):
            self._take(limit)
            while self._hand and (self._answer or self._may_begin()):
                if self._answer is None:
                    self._answer = closed or _try(self.post, self._hand[0])
                    closed = self._answer if isinstance(self._answer, Unreachable) else None
                results[self._note(self._answer)] += 1
        return Round(results["sent"], results["deferred"], results["given up"], str(closed or ""))

    def go_on(self, stopped: Callable[[], bool]) -> Round:
        """Send all that is due, unless `stopped` after some of it."""
        done = Round()
        while not stopped():
            done += (last := self.go())
            if not last.sent:
                break
        return done

    def leave(self) -> None:
        """Before a stop: an answer in hand is written down, and what was not begun is anybody's again."""
        with self.store.connected():
            if self._answer:
                self._note(self._answer)
            if self._hand:
                with self.store.transaction():
                    hand.put_back(self.store, self._ids(), self.worker, self.clock())
                self._hand.clear()

    def _take(self, limit: int) -> None:
        """Mails in hand; those that were there for too long are left to whoever is free."""
        if self._hand and (self._answer or self._may_begin()):
            self._look_again()
            return
        self._hand.clear()
        self._taken = self.clock()
        with self.store.transaction():
            mails = queues.claim_outbox(self.store, self._taken, limit, self.worker, LEASE)
        self._hand.extend(mails)

    def _look_again(self) -> None:
        """What is in hand since another round may have been taken back meanwhile: its reader asked to be forgotten."""
        with self.store.reading():
            ours = hand.held(self.store, self._ids(), self.worker)
        first = self._hand[0] if self._answer else None
        self._hand = deque(mail for mail in self._hand if mail is first or mail.id in ours)

    def _ids(self) -> list[int]:
        return [mail.id for mail in self._hand]

    def _may_begin(self) -> bool:
        return self.clock() - self._taken <= AT_WORK

    def _note(self, answer: Answer) -> str:
        """Writes down what became of the first mail in hand, which then is in it no more; returns it in a word."""
        mail = self._hand[0]
        with self.store.transaction():
            result = _settle(self.store, mail, answer, self.worker, self.clock())
        self._hand.popleft()
        self._answer = None
        if isinstance(answer, NoSuchAddress):
            self.dead(mail)
        told = {"mail": f"out{mail.id}", "key": mail.key, "game": mail.game, "tries": mail.attempts}
        log.info("%s", line(**told, state=result, why=None if answer == "sent" else answer))
        return result


def _try(post: Post, mail: OutboxMail) -> Answer:
    try:
        post.send(mail)
    except (Later, Never) as failure:
        return failure
    except Exception as error:
        # A fault of ours on one mail must not keep the others waiting.
        log.exception("mail %s could not be sent", mail.key)
        return Later(repr(error))
    return "sent"


def _settle(store: Store, mail: OutboxMail, answer: Answer, worker: str, now: int) -> str:
    if answer == "sent":
        queues.sent(store, (mail.id,), worker, now)
        return "sent"
    if isinstance(answer, Never) or mail.attempts >= TRIES:
        queues.give_up(store, mail.id, worker, now, str(answer))
        return "given up"
    queues.defer(store, mail.id, worker, now + wait(mail.attempts), str(answer))
    return "deferred"


def wait(attempts: int) -> int:
    """How long after so many failed tries the next one comes (µs)."""
    return WAITS[min(attempts, len(WAITS)) - 1]
