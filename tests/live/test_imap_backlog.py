"""A mailbox that filled up while nobody looked: many mails are stored by one commit, and none is put away before it.

What lives here: stories of a backlog on a real server. What never may: the line's troubles (`test_imap_chaos.py`).
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from pbem.service.door import BYTES_AT_ONCE, MOST_AT_ONCE, Offered, portions
from pbem.service.imap_in import NothingStored
from pbem.store.db import StoreError
from tests.flow.conftest import opened
from tests.flow.post import Post
from tests.live.imap_host import Host, Inbox, Kept, contents, deliver, mail, own_mailbox
from tests.servers.dovecot import Dovecot

pytestmark = pytest.mark.live


@pytest.fixture(scope="module", name="dovecot")
def _dovecot() -> Iterator[Dovecot]:
    with Dovecot() as server:
        yield server


@pytest.fixture(name="post")
def _post(tmp_path: Path) -> Iterator[Post]:
    with opened(tmp_path) as host:
        yield host


@pytest.fixture(name="user")
def _user(request: pytest.FixtureRequest) -> str:
    return own_mailbox(request.node.name)


def of(post: Post, inbox: Inbox, dovecot: Dovecot, user: str) -> Host:
    return Host(post.folder, post.host.store, inbox, dovecot.port, user)


def bodies(dovecot: Dovecot, user: str, folder: str = "INBOX") -> list[bytes]:
    return [content for content, _ in contents(dovecot, user, folder)]


def full(post: Post) -> None:
    """From now on the database has a page or two to spare."""
    ((has,),) = post.host.store.rows("PRAGMA page_count")
    [*post.host.store.rows(f"PRAGMA max_page_count = {has + 2}")]


def roomy(post: Post) -> None:
    [*post.host.store.rows(f"PRAGMA max_page_count = {2**30}")]


def test_portions_are_bounded_by_bytes_and_by_number() -> None:
    assert (BYTES_AT_ONCE, MOST_AT_ONCE) == (4_000_000, 200)
    sizes = {1: 3_000_000, 2: 2_000_000, 3: 1_500_000, 5: 900_000, 8: 9_000_000, 9: 10}
    assert list(portions(sizes)) == [[1], [2, 3], [5], [8], [9]]
    assert [len(portion) for portion in portions(dict.fromkeys(range(450), 1))] == [200, 200, 50]
    assert list(portions({})) == []


def test_many_mails_are_stored_together_in_order_and_then_moved(
    dovecot: Dovecot, post: Post, user: str
) -> None:
    inbox, mails = Inbox(), [mail(number) for number in range(450)]
    deliver(dovecot, user, *mails)
    assert of(post, inbox, dovecot, user).poller(processed="Done").poll_once() == 450
    assert list(inbox.mails) == mails
    assert inbox.together == [200, 200, 50]
    assert bodies(dovecot, user) == []
    assert bodies(dovecot, user, "Done") == mails


def test_a_server_that_is_told_to_stop_does_not_read_the_whole_backlog_first(
    dovecot: Dovecot, post: Post, user: str
) -> None:
    inbox, mails, stop = Inbox(), [mail(number) for number in range(450)], threading.Event()
    deliver(dovecot, user, *mails)
    poller = of(post, inbox, dovecot, user).poller(processed="Done")

    def until_told(offered: Sequence[Offered]) -> Sequence[str]:
        stop.set()
        return inbox.receive_all(offered)

    poller.receive_all = until_told
    poller.run(stop)
    assert list(inbox.mails) == bodies(dovecot, user, "Done") == mails[:200]
    assert bodies(dovecot, user) == mails[200:]


def test_big_mails_are_stored_a_few_at_a_time(dovecot: Dovecot, post: Post, user: str) -> None:
    # Four of them are just too many for one fetch.
    inbox, mails = Inbox(), [mail(number, 1_100_000) for number in range(5)]
    deliver(dovecot, user, *mails)
    assert of(post, inbox, dovecot, user).poller(limit=2_000_000).poll_once() == 5
    assert inbox.together == [3, 2]
    assert list(inbox.mails) == mails


@pytest.mark.parametrize("processed", [None, "Done"], ids=["marked as read", "moved"])
def test_a_mail_that_cannot_be_stored_stays_and_the_others_go_on(
    dovecot: Dovecot, post: Post, user: str, processed: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    inbox, mails = Inbox(), [mail(number) for number in range(250)]
    inbox.unbearable = (mails[100], mails[200])
    good = [each for each in mails if each not in inbox.unbearable]
    deliver(dovecot, user, *mails)
    host = of(post, inbox, dovecot, user)
    poller = host.poller(processed=processed)
    for taken in (248, 0, 0):  # however often it is tried
        assert poller.poll_once() == taken
        assert list(inbox.mails) == good
        waiting = [content for content, read in contents(dovecot, user) if not read]
        assert waiting == [mails[100], mails[200]]
    assert "the mail with UID 101 is not stored" in caplog.text
    assert "the mail with UID 201 is not stored" in caplog.text
    (told,) = host.alarms
    assert "cannot be stored, by UID: 101, 201. They stay, the others are taken in." in told

    deliver(dovecot, user, mail(250))
    inbox.unbearable = (mails[200],)
    assert poller.poll_once() == 2
    inbox.unbearable = ()
    assert poller.poll_once() == 1
    mails.append(mail(250))
    assert set(inbox.mails) == set(mails)
    assert inbox.repeats == 0, "what is stored is not fetched again"
    assert host.poller(processed=processed).poll_once() == 0, "nor by a server that has just started"
    assert all(read for _, read in contents(dovecot, user))
    if processed:
        assert sorted(bodies(dovecot, user, processed)) == sorted(mails)


@pytest.mark.parametrize("batch", [1, 2, 200])
def test_some_bad_mails_in_a_row_are_passed_over_however_few_are_fetched_at_once(
    dovecot: Dovecot, post: Post, user: str, batch: int
) -> None:
    inbox, mails = Inbox(), [mail(number) for number in range(12)]
    inbox.unbearable = tuple(mails[:7])
    deliver(dovecot, user, *mails)
    poller = of(post, inbox, dovecot, user).poller()
    poller._batch = batch
    assert poller.poll_once() == 5
    assert list(inbox.mails) == mails[7:]


def test_when_no_mail_can_be_stored_the_rest_of_the_backlog_is_not_fetched(
    dovecot: Dovecot, post: Post, user: str, caplog: pytest.LogCaptureFixture
) -> None:
    inbox, mails = Inbox(), [mail(number) for number in range(450)]
    inbox.unbearable = tuple(mails)
    deliver(dovecot, user, *mails)
    poller = of(post, inbox, dovecot, user).poller()
    with pytest.raises(NothingStored, match="none of 200 mails"):
        poller.poll_once()
    tried = set(re.findall(r"the mail with UID (\d+) is not stored", caplog.text))
    assert tried == {str(uid) for uid in range(1, 201)}
    inbox.unbearable = ()
    poller.poll_once()
    assert list(inbox.mails) == mails


def test_a_full_database_keeps_the_mails_in_the_mailbox(dovecot: Dovecot, post: Post, user: str) -> None:
    inbox, mails = Kept(post), [mail(number, 2_000) for number in range(300)]
    deliver(dovecot, user, *mails[:40])
    poller = of(post, inbox, dovecot, user).poller(processed="Done")
    assert poller.poll_once() == 40
    deliver(dovecot, user, *mails[40:])
    full(post)
    for _ in range(3):
        with pytest.raises(StoreError, match="full"):
            poller.poll_once()
        assert set(bodies(dovecot, user, "Done")) <= set(inbox.all()), "moved is what is stored"
        assert set(mails) <= {*inbox.all(), *bodies(dovecot, user)}
    assert len(bodies(dovecot, user)) > 200

    roomy(post)
    poller.poll_once()
    assert sorted(inbox.all()) == sorted(mails)
    assert bodies(dovecot, user) == []
    assert sorted(bodies(dovecot, user, "Done")) == sorted(mails)


def test_what_somebody_sends_twice_is_stored_once_in_one_commit(
    dovecot: Dovecot, post: Post, user: str
) -> None:
    inbox = Kept(post)
    deliver(dovecot, user, mail(1), mail(2), mail(1), mail(3), mail(2))
    assert of(post, inbox, dovecot, user).poller(processed="Done").poll_once() == 5
    assert inbox.all() == [mail(1), mail(2), mail(3)]
    assert bodies(dovecot, user) == []
