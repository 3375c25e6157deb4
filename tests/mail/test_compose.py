"""What goes out: the bytes of a mail, read back by the standard library."""

from __future__ import annotations

import email
import email.policy
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.mail.compose import Thread, compose, message_id, thread_of, thread_root
from pbem.mail.message import Outbound

MAIL = Outbound(
    key="kaffe/digest:5/2",
    game="kaffe",
    to="asa@skog.example",
    to_name="Åsa Öberg",
    subject="[kaffe] Omgång 5: förslag 305 antaget med alla röster, och en rad till som viker",
    text="Hej Åsa\n\nFrom here on it is plain.\n.\nslut",
    html="<p>Hej Åsa</p>",
    date=1_796_000_000_000_000,
    return_path="bounce@nomic.example",
    reply_to="nomic+kaffe@nomic.example",
    sender="nomic@nomic.example",
    sender_name="Nomic",
    thread="turn.5",
    answers="<abc@skog.example>",
)


def read(mail: Outbound) -> email.message.EmailMessage:
    return email.message_from_bytes(compose(mail), policy=email.policy.default)


def test_a_mail_reads_back_as_it_was_meant():
    back = read(MAIL)

    assert back["Subject"] == MAIL.subject
    assert back["To"].addresses[0].display_name == "Åsa Öberg"
    assert back["To"].addresses[0].addr_spec == "asa@skog.example"
    assert back["Reply-To"].addresses[0].addr_spec == "nomic+kaffe@nomic.example"
    assert back["Auto-Submitted"] == "auto-generated"
    assert back.get_body(("plain",)).get_content().splitlines() == MAIL.text.splitlines()
    assert back.get_body(("html",)).get_content().splitlines() == [MAIL.html]


def test_a_reader_without_html_gets_the_text_alone():
    back = read(replace(MAIL, html=""))

    assert back.get_content_type() == "text/plain"
    assert back.get_content().splitlines() == MAIL.text.splitlines()


def test_a_mail_is_the_same_bytes_every_time():
    assert compose(MAIL) == compose(replace(MAIL))


def test_another_key_is_another_message_in_the_same_thread():
    other = replace(MAIL, key="kaffe/digest:5/3")

    assert message_id(other) != message_id(MAIL)
    assert thread_root(other) == thread_root(MAIL)
    assert read(other)["References"].split()[0] == thread_root(MAIL)


def test_a_reply_leads_back_to_its_conversation():
    ids = ("<foreign@skog.example>", message_id(MAIL))

    assert thread_of(ids, ("nomic.example",)) == Thread("kaffe", "turn.5")
    assert thread_of((thread_root(MAIL),), ("nomic.example",)) == Thread("kaffe", "turn.5")
    assert thread_of(ids, ("other.example",)) is None


def test_no_line_is_longer_than_the_standard_asks():
    long = replace(MAIL, subject="ö" * 400, to_name="Å" * 200, text="ord " * 400)

    assert max(len(line) for line in compose(long).split(b"\r\n")) <= 78


def test_no_line_begins_with_from():
    body = compose(MAIL).split(b"\r\n\r\n", 1)[1]

    assert b"\r\nFrom " not in body
    assert b"=46=\r\nrom here" in body


@pytest.mark.parametrize("more", range(64, 80))
def test_a_line_that_begins_with_from_is_no_longer_for_it(more):
    said = f"From {'x' * more} and on"

    content = compose(replace(MAIL, text=said, html=""))

    assert max(len(line) for line in content.split(b"\r\n\r\n", 1)[1].split(b"\r\n")) <= 76
    assert read(replace(MAIL, text=said, html="")).get_content().splitlines() == [said]


EVIL = ["x\r\nBcc: e@e.example", "x\nBcc: e", "=?utf-8?q?x=0ABcc=3A_e=40e=2Eexample?=", "a\u2028Bcc: e", "\x00", '"', "\\", "<a@b>", ",;:", "(((("]  # fmt: skip


@pytest.mark.parametrize("evil", EVIL)
@pytest.mark.parametrize("field", ["subject", "to_name", "sender_name", "answers"])
def test_no_value_makes_a_header_of_its_own(field, evil):
    back = read(replace(MAIL, **{field: evil}))

    assert "bcc" not in [name.lower() for name in back.keys()]  # noqa: SIM118  # a message is no dict
    assert [address.addr_spec for address in back["To"].addresses] == ["asa@skog.example"]


@given(st.text(), st.text())
def test_any_subject_and_name_leave_one_recipient(subject, name):
    back = read(replace(MAIL, subject=subject, to_name=name))

    assert [address.addr_spec for address in back["To"].addresses] == ["asa@skog.example"]
    assert len(back.keys()) == len({header.lower() for header in back.keys()})  # noqa: SIM118
