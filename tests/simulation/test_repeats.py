"""The same mail again and again, by every way: one effect for each, and none for another mail under its Message-ID."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from pbem.game import codec, events
from pbem.mail.message import Envelope
from pbem.service import process, receive
from pbem.service.books import Host
from pbem.service.imap_in import ImapPoller
from pbem.store import eventlog
from tests.flow.post import BEGINNING, GAME, HOUR, SECOND
from tests.promises.table import Promise
from tests.simulation import mailbox as mailboxes
from tests.simulation.beginnings import Variant, host
from tests.simulation.faults import PLANTED
from tests.simulation.mailbox import Mailbox
from tests.simulation.writing import Copy, Pen, Written, seated

pytestmark = [pytest.mark.slow, pytest.mark.promise(8)]

SHARES = 4
MAILS, REWRITTEN = 1_000, 100
"""Mails in all shares together, and how many of them have a fellow with the same Message-ID and other words."""
AT_ONCE = 20
"""Copies that arrive before the next look at the inbox."""


class Office:
    """A host whose mails come by SMTP from our own mail server, and from a mailbox."""

    def __init__(self, host: Host, lot: Random) -> None:
        self.host, self.now, self.mailbox = host, BEGINNING + HOUR, Mailbox(lot)
        self.poller = ImapPoller(
            host.config.intake.imap[0],
            host.store,
            lambda mails: receive.receive_all(host, mails),
            lambda: self.now,
            limit=10**6,
            alarm=pytest.fail,
        )

    def arrives(self, copy: Copy) -> None:
        self.now += SECOND
        if copy.door == "imap":
            self.mailbox.put(copy.content, self.now)
            return
        written = copy.written
        envelope = Envelope(self.now, written.sender, written.recipient)
        receive.receive(self.host, copy.content, envelope, "smtp 127.0.0.1")

    def works(self) -> None:
        self.now += SECOND
        with mailboxes.reached(self.mailbox):
            self.poller.poll_once()
        process.work_off(self.host, self.now)


def letters(pen: Pen, count: int, rewritten: int) -> list[Written]:
    """So many mails of players, and fellows of some of them."""
    names = sorted(pen.people)
    first = [pen.talk(pen.lot.choice(names), BEGINNING) for _ in range(count)]
    return first + [pen.again(each, BEGINNING) for each in pen.lot.sample(first, rewritten)]


def copies(pen: Pen, written: list[Written]) -> list[Copy]:
    """One to five of each, in any order."""
    doors = ("lmtp", "imap")
    all_ = [
        pen.copy(each, pen.lot.choice(doors), BEGINNING)
        for each in written
        for _ in range(pen.lot.randint(1, 5))
    ]
    pen.lot.shuffle(all_)
    return all_


def effects(host: Host) -> Counter[str]:
    """How often each text was said in the game."""
    with host.store.reading():
        facts = [codec.decode(record) for record in eventlog.load(host.store, GAME)]
    return Counter(fact.text for fact in facts if isinstance(fact, events.Posted))


def held(host: Host) -> int:
    """How many mails are held because another with their Message-ID was here before."""
    with host.store.reading():
        found = host.store.rows(
            "SELECT COUNT(*) FROM inbox WHERE state = 'held' AND result = ?", process.REWRITTEN
        )
        return int(next(found)[0])


def arrive_again_and_again(promise: Promise, share: int, count: int, rewritten: int) -> None:
    """So many mails of one share, and what must come of them."""
    lot = Random(f"again {share}")  # noqa: S311  # it keeps no secret
    people = {name: person for name, person in seated(lot, 3).items() if name != "Kim"}
    for person in people.values():
        person.signs = True
    pen = Pen(lot, people)
    written = letters(pen, count, rewritten)
    arriving = copies(pen, written)
    with host(Variant(3, (), terse=True)) as here:
        office = Office(here, lot)
        for number, copy in enumerate(arriving):
            office.arrives(copy)
            if number % AT_ONCE == 0:
                office.works()
        office.works()
        said, kept = effects(here), held(here)
    by_letter: Counter[str] = Counter()
    for each in written:
        by_letter[each.id] += said[each.body]
    counts = by_letter.values()
    promise.shows(
        mails=len(arriving), lost=sum(not n for n in counts), doubled=sum(max(0, n - 1) for n in counts)
    )
    assert kept == rewritten


@pytest.mark.parametrize("share", range(SHARES))
def test_each_mail_has_one_effect_and_its_fellows_are_held(promise: Promise, share: int) -> None:
    arrive_again_and_again(promise, share, MAILS // SHARES, REWRITTEN // SHARES)


@pytest.mark.parametrize(
    "fault", ["doubles are known by their raw bytes alone", "a second mail counts under the same Message-ID"]
)
def test_it_is_seen_when(promise: Promise, fault: str) -> None:
    with promise.breaks(fault), pytest.MonkeyPatch.context() as patch:
        PLANTED[fault].plant(patch)
        arrive_again_and_again(promise, 0, 30, 3)
