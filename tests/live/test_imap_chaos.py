"""A mailbox at the end of a line that breaks all the time, that is renumbered, and from which others take mails away: none is lost,
none is taken twice.

What lives here: one story, with different luck. What never may: a stand-in for the store; what was taken is what lies in the inbox.
"""

from __future__ import annotations

import contextlib
import itertools
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from imapclient import IMAPClient
from imapclient.exceptions import IMAPClientError

from pbem.service.imap_in import ImapPoller
from pbem.store import imap
from pbem.store.imap import Position
from tests.flow.conftest import opened
from tests.flow.post import Post
from tests.live.imap_host import Host, Kept, deliver, mail
from tests.promises.table import Promise
from tests.servers.breaking_line import BreakingLine
from tests.servers.dovecot import Dovecot

pytestmark = pytest.mark.live

MAILS = 300
AT = 8_000
"""Bytes: login, folder and a few mails."""
CUTS = 140
"""In each of three runs."""


@pytest.fixture(scope="module", name="dovecot")
def _dovecot() -> Iterator[Dovecot]:
    with Dovecot() as server:
        yield server


def removed_by_another(dovecot: Dovecot, user: str, taken: set[bytes], count: int) -> None:
    """Somebody at another program throws away some mails that were taken, while the poller is at work."""
    with dovecot.client(user) as client:
        client.select_folder("INBOX")
        found = client.fetch(client.search("ALL"), ["BODY.PEEK[]"])
        gone = [uid for uid, facts in found.items() if facts[b"BODY[]"] in taken][:count]
        if gone:
            client.delete_messages(gone)
            client.expunge()


def all_come_through(
    promise: Promise, dovecot: Dovecot, post: Post, seed: int, most: tuple[int, int], at: int = 0
) -> None:
    """`most`: how many mails, and cuts. `at`: the line breaks after so many bytes each time; 0: when it happens to."""
    mails, cuts = most
    chance = random.Random(seed)  # noqa: S311  # where a line breaks is no secret
    user, inbox = f"chaos{seed}x{mails}", Kept(post)
    sent = [mail(number, chance.randint(100, 2_000)) for number in range(mails)]
    where = itertools.repeat(at) if at else (chance.randint(300, 3_500) for _ in range(cuts))
    parts = [sent[: mails // 3], sent[mails // 3 : 2 * mails // 3], sent[2 * mails // 3 :]]
    with BreakingLine(dovecot.port, where) as line:
        poller = Host(post.folder, post.host.store, inbox, line.port, user).poller()
        for place, part in enumerate(parts):
            deliver(dovecot, user, *part)
            if place == 1:
                removed_by_another(dovecot, user, set(inbox.all()), 20)
                dovecot.renumber(user)
            for _ in range(3 * cuts):
                with contextlib.suppress(OSError, IMAPClientError):
                    poller.poll_once()
                    if line.broken >= cuts * (place + 1) // 3 or place < 2:
                        break
        broken = line.broken
    taken = inbox.all()
    promise.shows(
        faults=broken + 2,
        mails=mails,
        lost=len(set(sent) - set(taken)),
        doubled=len(taken) - len(set(taken)),
    )
    assert broken >= (1 if at else cuts * 0.95)


@pytest.mark.promise(7)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_mail_is_lost_or_taken_twice(
    promise: Promise, dovecot: Dovecot, tmp_path: Path, seed: int
) -> None:
    with opened(tmp_path) as post:
        all_come_through(promise, dovecot, post, seed, (MAILS, CUTS))


@pytest.mark.promise(7)
def test_a_line_that_always_breaks_too_soon_for_many_carries_a_few_at_a_time(
    promise: Promise, dovecot: Dovecot, tmp_path: Path
) -> None:
    with opened(tmp_path) as post:
        all_come_through(promise, dovecot, post, 4, (60, 30), at=AT)


def too_early(self: ImapPoller, server: IMAPClient, uidvalidity: int) -> tuple[int, list[int]]:
    last = self._last_uid(uidvalidity)
    news = sorted(uid for uid in server.search(["UID", f"{last + 1}:*"]) if uid > last)
    if news:
        with self.store.transaction():
            imap.set_position(self.store, self.name, self.account.folder, Position(uidvalidity, news[-1]))
        self._take(server, news)
    return len(news), []


FAULTS = {
    "the position is saved before the mails are": ("_take_new", too_early, 0),
    "always as many mails at once": ("_batch", property(lambda _: 64, lambda *_: None), AT),
}


@pytest.mark.promise(7)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_poller_that_loses_mails_is_seen(
    promise: Promise, dovecot: Dovecot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    name, broken, at = FAULTS[fault]
    monkeypatch.setattr(ImapPoller, name, broken, raising=False)
    with opened(tmp_path) as post, promise.breaks(fault):
        all_come_through(promise, dovecot, post, 10 + at, (60, 30), at)
