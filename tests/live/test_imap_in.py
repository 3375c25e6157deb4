"""Mail comes in over IMAP from a real server, through lines that break and mailboxes that others use."""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from imapclient import SEEN, IMAPClient, SocketTimeout
from imapclient.exceptions import IMAPClientError

from pbem.mail.message import Envelope
from pbem.service.door import Offered
from pbem.service.imap_in import LoginRefused
from pbem.store.db import Store, open_store
from pbem.store.upgrade import upgrade
from tests.live.imap_host import Host, Inbox, contents, deliver, mail, now, own_mailbox, running
from tests.servers.breaking_line import BreakingLine
from tests.servers.certificate import believing, make_certificate
from tests.servers.dovecot import PASSWORD, Dovecot

pytestmark = pytest.mark.live

DAY = 86_400_000_000


@pytest.fixture(scope="module")
def dovecot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dovecot]:
    certificate, key = make_certificate(tmp_path_factory.mktemp("tls"))
    with Dovecot(certificate, key) as server:
        yield server


@pytest.fixture
def user(request: pytest.FixtureRequest) -> str:
    return own_mailbox(request.node.name)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store("sqlite:///pbem.db", tmp_path)
    upgrade(opened, 0)
    yield opened
    opened.close()


@pytest.fixture
def inbox() -> Inbox:
    return Inbox()


@pytest.fixture
def host(tmp_path: Path, store: Store, inbox: Inbox, dovecot: Dovecot, user: str) -> Host:
    return Host(tmp_path, store, inbox, dovecot.port, user)


def test_new_mails_are_taken_once_and_marked_as_read(
    dovecot: Dovecot, host: Host, inbox: Inbox, user: str
) -> None:
    deliver(dovecot, user, mail(1), mail(2))
    assert host.poller().poll_once() == 2
    assert list(inbox.mails) == [mail(1), mail(2)]
    assert contents(dovecot, user) == [(mail(1), True), (mail(2), True)]
    assert host.poller().poll_once() == 0
    deliver(dovecot, user, mail(3))
    assert host.poller().poll_once() == 1
    assert list(inbox.mails) == [mail(1), mail(2), mail(3)]
    assert inbox.repeats == 0


def test_a_mail_that_somebody_has_read_on_a_phone_is_taken_too(
    dovecot: Dovecot, host: Host, inbox: Inbox, user: str
) -> None:
    with dovecot.client(user) as phone:
        phone.append("INBOX", mail(1), flags=[SEEN])
    assert host.poller().poll_once() == 1
    assert list(inbox.mails) == [mail(1)]


def test_arrival_is_when_the_server_took_the_mail_but_never_later_than_now(
    dovecot: Dovecot, host: Host, inbox: Inbox, user: str
) -> None:
    deliver(dovecot, user, mail(1), at=datetime(2026, 3, 1, 12, 30, tzinfo=UTC))
    deliver(dovecot, user, mail(2), at=datetime(2026, 3, 9, 12, 30, tzinfo=UTC))
    second_of_march = 1_772_409_600_000_000
    host.poller(clock=lambda: second_of_march).poll_once()
    assert inbox.mails[mail(1)] == Envelope(1_772_368_200_000_000)
    assert inbox.mails[mail(2)] == Envelope(second_of_march)


def test_stored_mails_are_moved_to_a_folder_which_is_made_if_need_be(
    dovecot: Dovecot, host: Host, inbox: Inbox, user: str
) -> None:
    deliver(dovecot, user, mail(1), mail(2))
    assert host.poller(processed="Done").poll_once() == 2
    assert contents(dovecot, user) == []
    assert contents(dovecot, user, "Done") == [(mail(1), False), (mail(2), False)]
    deliver(dovecot, user, mail(3))
    assert host.poller(processed="Done").poll_once() == 1
    assert list(inbox.mails) == [mail(1), mail(2), mail(3)]


def test_a_mail_that_is_not_stored_is_neither_marked_nor_moved_nor_passed_over(
    dovecot: Dovecot, host: Host, inbox: Inbox, user: str
) -> None:
    deliver(dovecot, user, mail(1))
    inbox.failure = OSError("disk full")
    for processed in (None, "Done"):
        assert host.poller(processed=processed).poll_once() == 0
        assert contents(dovecot, user) == [(mail(1), False)]
    inbox.failure = None
    assert host.poller().poll_once() == 1


def test_what_a_crash_left_unmoved_is_moved_the_next_time(
    dovecot: Dovecot, host: Host, inbox: Inbox, user: str
) -> None:
    deliver(dovecot, user, mail(1))
    # Stored, and the position saved; moved it was not.
    host.poller().poll_once()
    assert host.poller(processed="Done").poll_once() == 0
    assert contents(dovecot, user) == []
    assert contents(dovecot, user, "Done") == [(mail(1), True)]
    assert inbox.repeats == 0


def test_a_folder_that_cannot_be_made_does_not_stop_the_mail(
    dovecot: Dovecot, host: Host, inbox: Inbox, user: str, caplog: pytest.LogCaptureFixture
) -> None:
    deliver(dovecot, user, mail(1))
    assert host.poller(processed="/etc/../x").poll_once() == 1
    deliver(dovecot, user, mail(2))
    assert host.poller(processed="/etc/../x").poll_once() == 1
    assert list(inbox.mails) == [mail(1), mail(2)]
    assert "not put away" in caplog.text


def test_another_folder_than_the_inbox_can_be_read(
    dovecot: Dovecot, host: Host, inbox: Inbox, user: str
) -> None:
    with dovecot.client(user) as client:
        client.create_folder("Spel åäö")
    deliver(dovecot, user, mail(1), folder="Spel åäö")
    deliver(dovecot, user, mail(2))
    assert host.poller(folder="Spel åäö").poll_once() == 1
    assert list(inbox.mails) == [mail(1)]


def test_of_a_mail_too_long_one_byte_more_than_allowed_is_fetched(
    dovecot: Dovecot, host: Host, inbox: Inbox, user: str
) -> None:
    long, fits = mail(1, 5_000), mail(2, 1_000)
    deliver(dovecot, user, long, fits)
    assert host.poller(limit=1_000).poll_once() == 2
    assert list(inbox.mails) == [long[:1_001], fits]


def test_an_empty_mail_is_taken_and_does_not_block_the_next(
    dovecot: Dovecot, host: Host, inbox: Inbox, user: str
) -> None:
    deliver(dovecot, user, mail(1))
    host.poller().poll_once()
    (dovecot.maildir(user) / "new" / "2.empty").touch(mode=0o666)
    deliver(dovecot, user, mail(3))
    assert host.poller().poll_once() == 2
    assert set(inbox.mails) == {mail(1), b"", mail(3)}


def test_after_the_mailbox_is_renumbered_old_mails_are_known_and_new_ones_taken(
    host: Host, inbox: Inbox, user: str
) -> None:
    # The old UIDs run to 3. Under a new UIDVALIDITY the new mail would be 4, or any other number.
    with Dovecot() as own:
        host.port = own.port
        deliver(own, user, mail(1), mail(2), mail(3))
        assert host.poller().poll_once() == 3
        with own.client(user) as client:
            client.select_folder("INBOX")
            client.delete_messages([1, 2])
            client.expunge()
        own.renumber(user)
        deliver(own, user, mail(4))
        host.poller().poll_once()
    assert list(inbox.mails) == [mail(1), mail(2), mail(3), mail(4)]
    assert inbox.repeats == 1


def test_a_mail_that_the_server_keeps_back_is_not_passed_over(
    dovecot: Dovecot, host: Host, inbox: Inbox, user: str
) -> None:
    deliver(dovecot, user, mail(1), mail(2))
    with BreakingLine(dovecot.port, swallowed=rb"\* 1 FETCH \(UID 1 BODY.*?\)\r\n") as line:
        with pytest.raises(IMAPClientError, match="does not give the mail with UID 1, which is there"):
            host.poller(port=line.port, processed="Done").poll_once()
        assert contents(dovecot, user) == [(mail(1), False), (mail(2), False)]
    assert host.poller(processed="Done").poll_once() == 2
    assert sorted(inbox.mails) == [mail(1), mail(2)]


def test_a_mail_that_somebody_removed_between_two_commands_does_not_stop_the_others(
    dovecot: Dovecot, host: Host, inbox: Inbox, user: str
) -> None:
    # The second is so long that it is fetched by itself, after the first was taken.
    deliver(dovecot, user, mail(1), mail(2, size=4_000_000), mail(3))
    poller = host.poller()

    def while_somebody_tidies_up(mails: Sequence[Offered]) -> Sequence[str]:
        with dovecot.client(user) as phone:
            phone.select_folder("INBOX")
            phone.delete_messages([2])
            phone.expunge()
        return inbox.receive_all(mails)

    poller.receive_all = while_somebody_tidies_up
    poller.poll_once()
    assert list(inbox.mails) == [mail(1), mail(3)]


def test_a_line_that_keeps_breaking_loses_nothing(
    dovecot: Dovecot, host: Host, inbox: Inbox, user: str
) -> None:
    chance = random.Random(7)  # noqa: S311  # where a line breaks is no secret
    mails = [mail(number, chance.randint(100, 2_000)) for number in range(80)]
    deliver(dovecot, user, *mails)
    cuts = (chance.randint(300, 9_000) for _ in range(60))
    with BreakingLine(dovecot.port, cuts) as line:
        host.port = line.port
        poller = host.poller(processed="Done")
        for _ in range(200):
            with contextlib.suppress(OSError, IMAPClientError):
                if not poller.poll_once() and not contents(dovecot, user):
                    break
    assert line.broken >= 10
    assert sorted(inbox.mails) == sorted(mails)
    assert sorted(content for content, _ in contents(dovecot, user, "Done")) == sorted(mails)


def test_a_wrong_password_is_refused_and_told_apart_from_a_broken_line(dovecot: Dovecot, host: Host) -> None:
    (host.folder / "password").write_text("wrong")
    with pytest.raises(LoginRefused, match="Authentication failed"):
        host.poller().poll_once()
    (host.folder / "password").write_text(PASSWORD)
    # The greeting is shorter than this, the greeting and the reply to LOGIN are longer.
    with BreakingLine(dovecot.port, [400]) as line:
        host.port = line.port
        with pytest.raises((OSError, IMAPClientError)):
            host.poller().poll_once()
        assert line.broken == 1


def test_a_wrong_password_rings_the_alarm_once(host: Host) -> None:
    (host.folder / "password").write_text("wrong")
    with running(host.poller()):
        assert host.rung.wait(30)
    (sentence,) = host.alarms
    assert "the login was refused" in sentence
    assert "Check user and password" in sentence


def test_a_mail_is_seen_as_it_arrives_long_before_the_next_look(
    dovecot: Dovecot, host: Host, inbox: Inbox, user: str
) -> None:
    with running(host.poller(poll=300)):
        for number in range(3):
            deliver(dovecot, user, mail(number))
            assert inbox.await_mails(number + 1)


def test_a_mail_told_of_in_one_packet_with_the_reply_to_idle_is_seen(
    dovecot: Dovecot, host: Host, inbox: Inbox, user: str
) -> None:
    with BreakingLine(dovecot.port, held=b"+ ") as line:
        poller = host.poller(poll=300, port=line.port)
        with running(poller):
            assert line.holding.wait(30)
            deliver(dovecot, user, mail(0))
            assert inbox.await_mails(1)


def test_a_server_without_idle_is_looked_at_every_so_often(
    dovecot: Dovecot, host: Host, inbox: Inbox, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    offered = IMAPClient.has_capability
    monkeypatch.setattr(
        IMAPClient, "has_capability", lambda self, name: name != "IDLE" and offered(self, name)
    )
    with running(host.poller(poll=1)):
        for number in range(2):
            deliver(dovecot, user, mail(number))
            assert inbox.await_mails(number + 1)


def test_after_an_outage_the_poller_comes_back_by_itself(
    dovecot: Dovecot, host: Host, inbox: Inbox, user: str
) -> None:
    with BreakingLine(dovecot.port, [5_000]) as line:
        host.port = line.port
        with running(host.poller()):
            deliver(dovecot, user, *(mail(number, 1_500) for number in range(6)))
            assert inbox.await_mails(6)
        assert line.broken == 1
    assert host.alarms == []


def test_a_line_that_falls_silent_is_given_up_and_a_new_one_opened(
    dovecot: Dovecot, host: Host, inbox: Inbox, user: str
) -> None:
    with BreakingLine(dovecot.port) as line:
        host.port = line.port
        poller = host.poller(poll=1)
        poller.patience = SocketTimeout(connect=5, read=1)
        with running(poller):
            deliver(dovecot, user, mail(1))
            assert inbox.await_mails(1)
            line.silent.set()
            time.sleep(3)
            line.silent.clear()
            deliver(dovecot, user, mail(2))
            assert inbox.await_mails(2)


def test_an_hour_without_a_look_rings_the_alarm(host: Host) -> None:
    with BreakingLine(host.port) as line:
        host.port = line.port
    clock = iter(range(now(), now() + 100 * DAY, DAY))
    with running(host.poller(clock=lambda: next(clock))):
        assert host.rung.wait(30)
    (sentence,) = host.alarms
    assert "not all mails could be taken in for an hour" in sentence


def test_an_encrypted_server_is_spoken_to_when_its_certificate_is_believed(
    dovecot: Dovecot, host: Host, inbox: Inbox, user: str
) -> None:
    deliver(dovecot, user, mail(1))
    poller = host.poller(tls="starttls")
    with pytest.raises(OSError, match="certificate verify failed"):
        poller.poll_once()
    poller.tls = believing(Path(dovecot.offer[0]))
    assert poller.poll_once() == 1
    assert list(inbox.mails) == [mail(1)]
