"""Mails go out, by a smart host that is in every mood, or into Maildirs."""

from __future__ import annotations

import email
import smtplib
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from pbem.config import Secret, SmtpDelivery
from pbem.service.deliver import MINUTE, Courier, Later, Round, wait
from pbem.service.maildir_out import MaildirPost, safe_name
from pbem.service.smtp_out import SmtpPost
from pbem.store import queues
from pbem.store.db import Store, open_store
from pbem.store.queues import OutboxMail, OutboxState, Outgoing
from pbem.store.upgrade import upgrade
from tests.flow.conftest import opened
from tests.promises.table import Promise
from tests.servers.certificate import believing, make_certificate
from tests.servers.smarthost import CUT, DRIP, DROP, ENDLESS, GARBAGE, SWALLOW, YES_AND_DROP, SmartHost

NOON = 1_796_000_000_000_000
TEXT = b"From: nomic@nomic.example\r\nTo: alice@mail.example\r\nSubject: turn 5\r\n\r\n.hidden dot\r\nYour move.\r\n"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store("sqlite:///pbem.db", tmp_path)
    upgrade(opened, NOON)
    yield opened
    opened.close()


def queue(store: Store, *keys: str, recipient: str = "alice@mail.example", content: bytes = TEXT) -> None:
    """Mails that are due at noon, in this order."""
    mails = [
        Outgoing(key, "kaffe", "bounce+1@nomic.example", recipient, content, NOON, NOON + order)
        for order, key in enumerate(keys)
    ]
    with store.transaction():
        queues.enqueue(store, mails)


def postman(host: SmartHost, timeout: float = 10, **changes: Any) -> SmtpPost:
    return SmtpPost(SmtpDelivery("127.0.0.1", host.port, **changes), "nomic.example", timeout=timeout)


def go(store: Store, post: SmtpPost | MaildirPost, minutes: float = 1, limit: int = 100) -> Round:
    """One round of delivery, so many minutes after noon."""
    return Courier(store, post, lambda: NOON + round(minutes * MINUTE), "worker").go(limit)


def states(store: Store) -> dict[OutboxState, int]:
    with store.reading():
        return queues.outbox_counts(store)


def due(store: Store) -> float | None:
    """When the next mail is to be tried, in minutes after noon."""
    with store.reading():
        moment = queues.next_due_outbox(store)
    return None if moment is None else (moment - NOON) / MINUTE


@pytest.mark.live
@pytest.mark.parametrize(
    "extensions", [(), ("SIZE 1000000", "8BITMIME", "PIPELINING")], ids=["plain", "modern"]
)
def test_many_mails_go_out_to_the_byte_over_one_connection(store: Store, extensions: tuple[str, ...]) -> None:
    queue(store, "a", "b", "c")
    with SmartHost(extensions=extensions) as host:
        assert go(store, postman(host)) == Round(sent=3)
        assert [mail.content for mail in host.taken] == [TEXT] * 3
        assert {(mail.sender, mail.recipient) for mail in host.taken} == {
            ("bounce+1@nomic.example", "alice@mail.example")
        }
        assert host.connections == 1
        assert host.lines[-1].upper() == "QUIT"
    assert states(store) == {"sent": 3}


@pytest.mark.live
def test_no_more_is_taken_in_hand_than_asked(store: Store) -> None:
    queue(store, "a", "b", "c")
    with SmartHost() as host:
        assert go(store, postman(host), limit=2) == Round(sent=2)
        assert go(store, postman(host), limit=2) == Round(sent=1)
        assert go(store, postman(host), limit=2) == Round()
        assert host.connections == 2


@pytest.mark.live
def test_a_mail_that_ends_without_a_line_end_is_ended(store: Store) -> None:
    queue(store, "a", content=b"Subject: x\r\n\r\nlast")
    with SmartHost() as host:
        go(store, postman(host))
        assert host.taken[0].content == b"Subject: x\r\n\r\nlast\r\n"


@pytest.mark.live
@pytest.mark.parametrize("extensions", [(), ("PIPELINING",)], ids=["plain", "pipelined"])
@pytest.mark.parametrize("verb", ["MAIL", "RCPT", "DATA", "CONTENT"])
def test_not_now_is_tried_again_and_the_others_go_on(
    store: Store, verb: str, extensions: tuple[str, ...]
) -> None:
    queue(store, "a", "b")
    with SmartHost(extensions=extensions) as host:
        host.then(verb, "451 4.2.0 greylisted")
        assert go(store, postman(host)) == Round(sent=1, deferred=1)
        assert due(store) == 2
        assert go(store, postman(host), minutes=1.9) == Round()
        assert go(store, postman(host), minutes=2) == Round(sent=1)
        assert len(host.taken) == 2
    assert states(store) == {"sent": 2}


@pytest.mark.live
@pytest.mark.parametrize("extensions", [(), ("PIPELINING",)], ids=["plain", "pipelined"])
@pytest.mark.parametrize("verb", ["RCPT", "DATA", "CONTENT"])
def test_no_is_no_and_the_others_go_on(store: Store, verb: str, extensions: tuple[str, ...]) -> None:
    queue(store, "a", "b")
    with SmartHost(extensions=extensions) as host:
        host.then(verb, "550 5.1.1 no such user")
        assert go(store, postman(host)) == Round(sent=1, given_up=1)
        assert host.connections == 1
        assert len(host.taken) == 1
    assert states(store) == {"sent": 1, "given up": 1}


@pytest.mark.live
def test_a_server_that_lets_data_through_after_a_refusal_gets_no_mail(store: Store) -> None:
    # RFC 2920 §3.1: pipelined, the 354 may come although no recipient was accepted.
    queue(store, "a", "b")
    with SmartHost() as host:
        host.then("RCPT", "550 5.1.1 no such user")
        host.then("DATA", "354 go on")
        host.then("CONTENT", "554 5.5.1 no valid recipients")
        assert go(store, postman(host)) == Round(sent=1, given_up=1)
        assert [mail.content for mail in host.taken] == [TEXT]


@pytest.mark.live
def test_a_refusal_of_our_own_address_is_for_the_host_to_cure_not_the_end_of_the_mail(store: Store) -> None:
    queue(store, "a")
    with SmartHost() as host:
        host.then("MAIL", "550 5.7.1 sender not allowed")
        assert go(store, postman(host)) == Round(deferred=1)


@pytest.mark.live
def test_a_mail_too_big_for_the_smart_host_is_given_up(store: Store) -> None:
    queue(store, "a")
    with SmartHost() as host:
        host.then("MAIL", "552 5.3.4 too big")
        assert go(store, postman(host)) == Round(given_up=1)
        assert f"SIZE={len(TEXT)}" in next(line for line in host.lines if line.startswith("MAIL"))


@pytest.mark.live
@pytest.mark.parametrize("last", ["421 4.3.2 going down", DROP, 3.0], ids=["421", "drop", "silence"])
def test_a_rude_goodbye_does_not_unsend_a_mail(store: Store, last: str | float) -> None:
    queue(store, "a")
    with SmartHost() as host:
        host.then("QUIT", last)
        assert go(store, postman(host, timeout=0.5)) == Round(sent=1)
        assert go(store, postman(host), minutes=10_000) == Round()
        assert len(host.taken) == 1


@pytest.mark.live
@pytest.mark.parametrize("last", ["421 4.7.0 enough for one connection", DROP], ids=["421", "drop"])
def test_a_server_that_wants_a_new_connection_gets_one_and_no_mail_waits(store: Store, last: str) -> None:
    queue(store, "a", "b", "c")
    with SmartHost() as host:
        host.then("MAIL", "250 ok", last)
        assert go(store, postman(host)) == Round(sent=3)
        assert len(host.taken) == 3
        assert host.connections == 2


@pytest.mark.live
def test_a_line_that_breaks_before_the_last_answer_is_tried_again_later(store: Store) -> None:
    queue(store, "a", "b")
    with SmartHost() as host:
        host.then("CONTENT", DROP)
        assert go(store, postman(host)) == Round(sent=1, deferred=1)
        assert host.connections == 2
        assert go(store, postman(host), minutes=2) == Round(sent=1)


@pytest.mark.live
@pytest.mark.parametrize(
    ("verb", "reply"),
    [("CONTENT", "199 hm"), ("CONTENT", "354 more"), ("DATA", "250 ok"), ("RCPT", "354 eh")],
)
def test_nothing_but_a_yes_in_its_place_is_taken_for_one(store: Store, verb: str, reply: str) -> None:
    queue(store, "a")
    with SmartHost(extensions=()) as host:
        host.then(verb, reply)
        assert go(store, postman(host)) == Round(deferred=1)
        assert host.taken == []
        assert go(store, postman(host), minutes=2) == Round(sent=1)


USUAL = {
    "GREETING": "",
    "EHLO": "",
    "MAIL": "250 ok",
    "RCPT": "250 ok",
    "DATA": "354 go on",
    "CONTENT": "250 queued",
    "QUIT": "",
}
"""What is said at each place where a smart host may fail; where it is said once a mail, in these words."""
NO = "550 5.7.1 no"
SILENCE = 4.0
MOODS = (
    *("451 4.3.0 not now", NO, "421 4.3.2 going down", DROP, SILENCE),
    *(GARBAGE, YES_AND_DROP, CUT, DRIP, ENDLESS),
)
MAILS = {
    f"p{number}@mail.example": f"Subject: {number}\r\n\r\nYour move.\r\n".encode() for number in range(5)
}
THIRD = "p2@mail.example"


def moody(
    store: Store, promise: Promise, kind: type[SmtpPost], verb: str, mood: str | float, *extensions: str
) -> None:
    """Five mails go out by a smart host that has this mood once, in that place, with the third of them."""
    for recipient, content in MAILS.items():
        queue(store, recipient, recipient=recipient, content=content)
    with SmartHost(extensions=extensions) as host:
        host.then(verb, *([USUAL[verb]] * 2 if USUAL[verb] else []), mood)
        post = kind(SmtpDelivery("127.0.0.1", host.port), "nomic.example", timeout=0.35)
        for minutes in (1, 3, 10, 30):
            go(store, post, minutes)
        taken = Counter((mail.recipient, mail.content) for mail in host.taken)
        asked = Counter(line for line in host.lines if line.startswith("RCPT"))

    refused = mood == NO and verb in ("RCPT", "DATA", "CONTENT")
    unsaid = verb == "CONTENT" and mood in (SWALLOW, SILENCE)
    """Whether it took the mail and its yes did not come in time: nobody can know, and it is sent again, the same to the byte."""
    meant = Counter(MAILS.items()) - Counter({(THIRD, MAILS[THIRD]): int(refused)})
    more = taken - meant
    promise.shows(
        faults=1,
        mails=len(MAILS),
        lost=(meant - taken).total(),
        doubled=(more - Counter({(THIRD, MAILS[THIRD]): int(unsaid)})).total(),
    )
    assert states(store) == ({"sent": 4, "given up": 1} if refused else {"sent": 5})
    assert not refused or asked[f"RCPT TO:<{THIRD}>"] == 1, "what is refused for good is tried once"


@pytest.mark.live
@pytest.mark.promise(6)
@pytest.mark.parametrize("extensions", [(), ("PIPELINING",)], ids=["plain", "pipelined"])
@pytest.mark.parametrize(("verb", "mood"), [*product(USUAL, MOODS), ("CONTENT", SWALLOW)])
def test_whatever_a_smart_host_does_no_mail_is_lost_and_at_most_the_one_on_its_way_comes_twice(
    store: Store, promise: Promise, verb: str, mood: str | float, extensions: tuple[str, ...]
) -> None:
    moody(store, promise, SmtpPost, verb, mood, *extensions)


class _TakesGoodbyeForTheAnswer(SmtpPost):
    """As `with smtplib.SMTP(…)` has it: an error at QUIT comes out of the block."""

    def send(self, mail: OutboxMail) -> None:
        super().send(mail)
        smtp, self._smtp = self._smtp, None
        assert smtp is not None
        try:
            code, _ = smtp.docmd("QUIT")
        except (smtplib.SMTPException, OSError) as error:
            raise Later(str(error)) from error
        smtp.close()
        if code != 221:
            raise Later(str(code))


@pytest.mark.live
@pytest.mark.promise(6)
@pytest.mark.parametrize("mood", ["421 4.3.2 going down", DROP])
def test_a_mail_sent_again_for_a_rude_goodbye_is_seen(store: Store, promise: Promise, mood: str) -> None:
    with promise.breaks("an error at QUIT unsends a mail"):
        moody(store, promise, _TakesGoodbyeForTheAnswer, "QUIT", mood)


@pytest.mark.live
def test_mails_in_hand_for_so_long_that_another_worker_may_have_them_are_left_to_it(store: Store) -> None:
    queue(store, *"abcdef")
    looks = iter(range(100))
    with SmartHost() as host:
        first = Courier(store, postman(host), lambda: NOON + next(looks) * 5 * MINUTE, "slow").go()
        assert 0 < first.sent < 6
        rest = Courier(store, postman(host), lambda: NOON + 60 * MINUTE, "another").go()
        assert first.sent + rest.sent == 6
        assert len(host.taken) == 6


@pytest.mark.live
def test_a_slow_last_answer_is_waited_for(store: Store) -> None:
    queue(store, "a")
    with SmartHost() as host:
        host.then("CONTENT", 1.0)
        assert go(store, postman(host, timeout=0.4)) == Round(sent=1)


@pytest.mark.live
@pytest.mark.parametrize("greeting", ["421 4.3.2 busy", "554 5.7.1 go away", DROP, 3.0])
def test_when_there_is_no_way_out_all_mails_wait_after_one_try(store: Store, greeting: str | float) -> None:
    queue(store, "a", "b", "c")
    with SmartHost() as host:
        host.then("GREETING", greeting)
        assert go(store, postman(host, timeout=0.5)) == Round(deferred=3)
        assert host.connections == 1
        assert go(store, postman(host), minutes=2) == Round(sent=3)


@pytest.mark.live
def test_a_server_that_is_not_there_is_waited_for(store: Store) -> None:
    queue(store, "a")
    with SmartHost() as host:
        post = postman(host)
    assert go(store, post) == Round(deferred=1)


@pytest.mark.live
def test_a_password_is_said_to_an_encrypted_server_only(store: Store, tmp_path: Path) -> None:
    (tmp_path / "password").write_text("hemligt\n")
    way: dict[str, Any] = {"user": "nomic", "password_file": Secret(tmp_path / "password"), "tls": "starttls"}
    certificate = make_certificate(tmp_path)
    queue(store, "a")
    with SmartHost(login=("nomic", "hemligt")) as plain:
        assert go(store, postman(plain, **way)) == Round(deferred=1)
        assert not any(line.startswith("AUTH") for line in plain.lines)
    with SmartHost(login=("nomic", "hemligt"), certificate=certificate) as host:
        assert go(store, postman(host, **way), minutes=100) == Round(deferred=1), "a certificate nobody knows"
        assert not any(line.startswith("AUTH") for line in host.lines)
        post = postman(host, **way)
        post.tls = believing(certificate[0])
        assert go(store, post, minutes=1000) == Round(sent=1)


@pytest.mark.live
def test_a_server_encrypted_from_the_start_is_spoken_to(store: Store, tmp_path: Path) -> None:
    certificate = make_certificate(tmp_path)
    queue(store, "a")
    with SmartHost(certificate=certificate, tls_from_the_start=True) as host:
        post = postman(host, tls="tls")
        post.tls = believing(certificate[0])
        assert go(store, post) == Round(sent=1)


@pytest.mark.live
def test_a_wrong_password_loses_no_mail(store: Store, tmp_path: Path) -> None:
    (tmp_path / "password").write_text("fel")
    queue(store, "a", "b")
    with SmartHost(login=("nomic", "hemligt")) as host:
        post = postman(host, user="nomic", password_file=Secret(tmp_path / "password"))
        assert go(store, post) == Round(deferred=2)
        (tmp_path / "password").write_text("hemligt")
        assert go(store, post, minutes=2) == Round(sent=2)


@pytest.mark.live
@pytest.mark.parametrize(
    "address", ["åsa@mail.example", "a@x.example>\r\nRCPT TO:<b@x.example", "nobody", "a b@x.example"]
)
def test_an_address_that_cannot_be_said_is_given_up_and_the_others_go_on(store: Store, address: str) -> None:
    queue(store, "a", recipient=address)
    queue(store, "b")
    with SmartHost() as host:
        assert go(store, postman(host)) == Round(sent=1, given_up=1)
        assert [mail.recipient for mail in host.taken] == ["alice@mail.example"]


@pytest.mark.live
def test_letters_beyond_ascii_go_to_a_server_that_knows_them(store: Store) -> None:
    queue(store, "a", recipient="åsa@mail.example", content=TEXT + "Åsa\r\n".encode())
    with SmartHost(extensions=("SMTPUTF8", "8BITMIME")) as host:
        assert go(store, postman(host)) == Round(sent=1)
        assert host.taken[0].recipient == "åsa@mail.example"
        assert any(line.endswith("BODY=8BITMIME SMTPUTF8") for line in host.lines)


def test_the_waits_are_one_five_and_fifteen_minutes_then_hours() -> None:
    assert [wait(attempts) // MINUTE for attempts in (1, 2, 3, 4, 5, 100)] == [1, 5, 15, 60, 60, 60]


@pytest.mark.slow
def test_after_five_days_a_mail_is_given_up(store: Store, tmp_path: Path) -> None:
    (tmp_path / "in the way").write_text("no folder")
    post = MaildirPost(tmp_path / "in the way")
    queue(store, "a")
    minutes, tries = 0.0, 0
    while states(store) == {"ready": 1}:
        go(store, post, minutes)
        tries += 1
        minutes = due(store) or minutes
    assert states(store) == {"given up": 1}
    # 1 + 5 + 15 + 60 minutes, then 119 hours: five days and 21 minutes.
    assert (tries, minutes) == (124, 7221)


def test_each_recipient_has_a_maildir(store: Store, tmp_path: Path) -> None:
    queue(store, "a", "b")
    queue(store, "c", recipient="bo@mail.example")
    names = {"alice@mail.example": "Alice", "bo@mail.example": "Bo Åkesson"}
    assert go(store, MaildirPost(tmp_path / "mail", names.__getitem__)) == Round(sent=3)
    assert sorted(box.name for box in (tmp_path / "mail").iterdir()) == ["Alice", "Bo Åkesson"]
    alice = sorted((tmp_path / "mail/Alice/new").iterdir())
    assert len(alice) == 2
    assert alice[0].read_bytes() == TEXT.replace(b"\r\n", b"\n")
    assert email.message_from_bytes(alice[0].read_bytes())["Subject"] == "turn 5"
    assert list((tmp_path / "mail/Alice/tmp").iterdir()) == []


def test_a_mail_delivered_again_after_a_crash_takes_its_own_place(store: Store, tmp_path: Path) -> None:
    queue(store, "a")
    with store.transaction():
        (mail,) = queues.claim_outbox(store, NOON, 10, "crashed", 10 * MINUTE)
    post = MaildirPost(tmp_path / "mail")
    post.send(mail)
    assert go(store, post, minutes=11) == Round(sent=1)
    assert len(list((tmp_path / "mail/alice@mail.example/new").iterdir())) == 1


@pytest.mark.parametrize(
    "name", ["../../etc", "..", ".hidden", "a/b", "", "a\0b", "x" * 300, "line\nend", "-rf", "\ud800"]
)
def test_a_name_never_leads_out_of_the_folder(name: str) -> None:
    safe = safe_name(name)
    assert "/" not in safe
    assert "\0" not in safe
    assert "\n" not in safe
    assert safe[0] not in ".-"
    assert len(safe.encode("utf-8", "surrogatepass")) < 255


def test_two_odd_names_do_not_share_a_maildir() -> None:
    assert safe_name("a/b") != safe_name("a\\b")
    assert safe_name("Åsa") == "Åsa"
    assert safe_name("A\N{COMBINING RING ABOVE}sa") == "Åsa"


@pytest.mark.live
def test_an_address_that_is_refused_for_good_is_counted_and_the_keeper_told(tmp_path: Path) -> None:
    with SmartHost(unknown={"bo@berg.example"}) as host, opened(tmp_path) as post:
        way = SmtpDelivery("127.0.0.1", host.port)
        post.host = replace(post.host, config=replace(post.host.config, delivery=way))
        post.found("Alice", "Bo", "Cia")
        for words in (
            "One thing more.",
            "And another thing.",
            "Once more, with feeling.",
            "That was all of it.",
        ):
            post.take(post.compose("Alice", words, subject="[kaffe]"))

        told = [mail for mail in host.taken if mail.recipient == "kim@kvist.example"]
        assert sum(b"come back" in mail.content for mail in told) == 1
        sent = len(host.taken)
        post.take(post.compose("Alice", "Is Bo there at all, I wonder?", subject="[kaffe]"))
        assert {mail.recipient for mail in host.taken[sent:]} >= {"cia@crane.example"}
        assert post.unsent() == 1, "what is for Bo waits"
