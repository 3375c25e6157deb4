"""The mail reader against mails with one fault each, against noise, and against mails made to hurt it.

What lives here: what must come out. `samples/expected.json` gives, for each sample, the values that matter;
every sample says its kind, who is credited or claimed, and the new text. Its `faults` name what each sample is of.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.config import Limits as Taken
from pbem.mail import mime, parse
from pbem.mail.addresses import mailboxes
from pbem.mail.grammar import read_commands
from pbem.mail.headers import Headers
from pbem.mail.limits import Limits
from pbem.mail.message import Envelope, Inbound, MailRules
from pbem.mail.mime import Part
from pbem.mail.parse import read_mail
from tests.promises.cost import MOST_MEGABYTES, cost
from tests.promises.table import Promise
from tests.soak import hostile
from tests.soak.hostile import BOMBS, FROM

SAMPLES = Path(__file__).parent / "samples"
EXPECTED: dict[str, Any] = json.loads((SAMPLES / "expected.json").read_text("utf-8"))
RULES = MailRules(
    addresses=tuple(EXPECTED["rules"]["addresses"]),
    trusted_receivers=tuple(EXPECTED["rules"]["trusted_receivers"]),
)


def _leaf(headers: Headers, body: bytes, limits: Limits) -> Part:
    return mime.tree(headers, body, replace(limits, depth=0))


def _last(values: tuple[str, ...]) -> str | None:
    return next((address for value in values for address in reversed(mailboxes(value))), None)


def _raises(*_: object) -> None:
    raise UnicodeDecodeError("utf-8", b"", 0, 1, "as the standard library may")


def read(raw: bytes, envelope: Envelope | None = None, rules: MailRules = RULES) -> Inbound:
    return read_mail(raw, envelope or Envelope(received=0), rules)


def is_read_as_expected(promise: Promise, name: str) -> None:
    with cost() as spent:
        mail = read_or_not((SAMPLES / name).read_bytes())
    promise.shows(
        faults=1, mails=1, uncaught=int(mail is None), seconds=spent.seconds, megabytes=spent.megabytes
    )
    wanted = EXPECTED["mails"][name]
    assert {"kind", "authenticated", "claimed", "text"} <= wanted.keys()
    found = {field: getattr(mail, field) for field in wanted}
    assert {
        field: list(value) if isinstance(value, tuple) else value for field, value in found.items()
    } == wanted
    assert spent.megabytes <= MOST_MEGABYTES


def read_or_not(raw: bytes, rules: MailRules = RULES) -> Inbound | None:
    """A mail and its commands as read; None when an exception came of it."""
    try:
        mail = read(raw, rules=rules)
        read_commands(mail.text or "", mail.subject_core)
    except Exception:  # the very thing that is looked for
        return None
    return mail


@pytest.mark.promise(13)
@pytest.mark.parametrize("name", sorted(EXPECTED["mails"]))
def test_each_sample_is_read_as_expected(promise: Promise, name: str) -> None:
    is_read_as_expected(promise, name)


@pytest.mark.promise(13)
@pytest.mark.parametrize(
    ("fault", "step", "broken", "name"),
    [
        ("a multipart is not taken apart", "tree", _leaf, "36-three-multiparts-down.eml"),
        ("the last address in From is the author", "sole_mailbox", _last, "72-two-mailboxes.eml"),
        ("an exception in the headers", "split", _raises, "59-raw-8bit-headers.eml"),
    ],
)
def test_a_step_of_the_reader_that_is_wrong_is_seen(
    promise: Promise, monkeypatch: pytest.MonkeyPatch, fault: str, step: str, broken: object, name: str
) -> None:
    monkeypatch.setattr(parse, step, broken)
    with promise.breaks(fault):
        is_read_as_expected(promise, name)


def test_every_sample_is_expected_and_shows_a_fault_that_is_named() -> None:
    samples = {path.name for path in SAMPLES.glob("*.eml")}
    shown = [name for names in EXPECTED["faults"].values() for name in names]
    assert samples == set(EXPECTED["mails"]) == set(shown)
    assert len(samples) >= 150
    assert len(EXPECTED["faults"]) >= 77
    assert all(EXPECTED["faults"].values())


def test_the_same_mail_twice_has_one_key_though_it_came_by_another_way() -> None:
    mail = FROM + b"Message-ID: <one@lund.example>\r\n\r\nfor 301\r\n"
    direct, relayed = read(mail), read(b"Received: from relay.example by in.torg.example\r\n" + mail)
    assert direct.key == relayed.key
    assert direct.digest != relayed.digest


POSTFIX = b"Received: from out.lund.example (out.lund.example [192.0.2.7])\r\n\tby mx.torg.example (Postfix) with ESMTPS id 1\r\n"
DOVECOT = b"Received: from mx.torg.example\r\n\tby mx.torg.example with LMTP\r\n\tid 2\r\n\tfor <nomic@torg.example>\r\n"
GMAIL = b"Received: by 2002:a05:6a10::1 with SMTP id 3\r\n"
VERDICT = b"Authentication-Results: mx.torg.example; dmarc=pass header.from=lund.example\r\n"
AMAVIS = b"Received: from mx.torg.example ([127.0.0.1]) by localhost (mx [127.0.0.1]) with ESMTP id 4\r\n"


@pytest.mark.parametrize(
    ("trace", "believed"),
    [
        (VERDICT + POSTFIX, True),  # where OpenDMARC writes
        (POSTFIX + VERDICT, True),  # where rspamd does
        (DOVECOT + POSTFIX + VERDICT, True),
        (GMAIL + POSTFIX + VERDICT, True),
        (DOVECOT.replace(b"with LMTP", b"with (of sorts) UTF8LMTPSA") + POSTFIX + VERDICT, True),
        (POSTFIX + POSTFIX + VERDICT, False),
        (AMAVIS + POSTFIX + VERDICT, False),
        (POSTFIX + DOVECOT.replace(b"LMTP", b"ESMTP (no LMTP)") + VERDICT, False),
        (DOVECOT + GMAIL + POSTFIX + POSTFIX + VERDICT, False),
    ],
)
def test_a_verdict_counts_in_every_place_where_receiving_servers_write_it(
    trace: bytes, believed: bool
) -> None:
    rules = MailRules(addresses=("nomic@torg.example",), trusted_receivers=("mx.torg.example",))
    mail = trace + b"From: signe@lund.example\r\nMessage-ID: <1@lund.example>\r\n\r\nfor 301\r\n"
    assert (read(mail, rules=rules).authenticated is not None) == believed


def test_another_body_author_or_message_id_has_another_key() -> None:
    keys = {
        read(b"From: " + author + b"\r\nMessage-ID: <" + name + b"@lund.example>\r\n\r\n" + body).key
        for author in (b"signe@lund.example", b"malte@hamn.example")
        for name in (b"one", b"two")
        for body in (b"for 301", b"against 301")
    }
    assert len(keys) == 8


def test_without_message_id_date_and_subject_tell_mails_apart() -> None:
    def key(date: bytes, subject: bytes) -> str:
        return read(FROM + b"Date: " + date + b"\r\nSubject: " + subject + b"\r\n\r\nfor 301\r\n").key

    assert key(b"Mon, 9 Nov 2026 18:20:05 +0100", b"a") == key(b"Mon, 9 Nov 2026 18:20:05 +0100", b"a")
    assert key(b"Mon, 9 Nov 2026 18:20:05 +0100", b"a") != key(b"Mon, 9 Nov 2026 18:20:06 +0100", b"a")
    assert key(b"Mon, 9 Nov 2026 18:20:05 +0100", b"a") != key(b"Mon, 9 Nov 2026 18:20:05 +0100", b"b")


def test_the_transport_knows_sender_and_recipient_better_than_the_headers() -> None:
    raw = b"Return-Path: <signe@lund.example>\r\n" + FROM + b"\r\nfor 301\r\n"
    automatic = read(raw, Envelope(received=0, sender="", recipient="Spel+K7@Torg.example"))
    assert (automatic.kind, automatic.because) == ("auto-reply", "its return path is empty")
    assert automatic.recipients == ("spel+k7@torg.example", "rost@torg.example")
    assert read(raw, Envelope(received=0, sender="signe@lund.example")).kind == "human"


def test_a_host_that_believes_from_needs_no_verdict_but_still_not_a_list() -> None:
    trusting = MailRules(addresses=RULES.addresses, believe_from=True)
    assert read(FROM + b"\r\nfor 301", rules=trusting).authenticated == "signe@lund.example"
    listed = b"From: Signe via prat <prat@listor.example>\r\nList-Id: <prat.listor.example>\r\n\r\nfor 301"
    assert read(listed, rules=trusting).authenticated is None


def test_a_mail_longer_than_is_read_says_so_only_when_its_text_is_cut() -> None:
    long = FROM + b"\r\n" + b"for 301\r\n" * 40_000
    assert read(long).notes == ("too long",)
    parts = FROM + b'Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\n\r\nfor 301\r\n--b\r\n'
    photo = parts + b"Content-Type: image/jpeg\r\n\r\n" + b"A" * 400_000 + b"\r\n--b--\r\n"
    assert (read(photo).text, read(photo).notes) == ("for 301", ())


def test_new_text_is_cut_at_its_limit_and_the_note_says_so() -> None:
    mail = read(FROM + b"\r\n" + b"word " * 20_000)
    assert mail.text is not None
    assert (len(mail.text), mail.notes) == (65_536, ("too long",))


def is_read_in_no_time(promise: Promise, raw: bytes, rules: MailRules = RULES) -> None:
    with cost() as spent:
        mail = read_or_not(raw, rules)
    promise.shows(
        faults=1, mails=1, uncaught=int(mail is None), seconds=spent.seconds, megabytes=spent.megabytes
    )
    assert mail is not None
    assert mail.kind in {"human", "invalid"}
    assert (mail.text is None) == (mail.kind == "invalid")
    assert spent.megabytes <= MOST_MEGABYTES


@pytest.mark.promise(14)
@pytest.mark.timeout(30)
@pytest.mark.parametrize("name", BOMBS)
def test_a_mail_made_to_hurt_is_read_in_no_time(promise: Promise, name: str) -> None:
    is_read_in_no_time(promise, BOMBS[name])


@pytest.mark.promise(14)
@pytest.mark.timeout(30)
@pytest.mark.parametrize("name", hostile.HUGE)
def test_a_mail_far_too_big_costs_no_more_than_one_that_is_read(promise: Promise, name: str) -> None:
    """No way in hands over more than one byte above what is taken."""
    is_read_in_no_time(promise, hostile.HUGE[name]()[: Taken().mail_taken + 1])


@pytest.mark.promise(14)
@pytest.mark.parametrize(
    ("fault", "limits", "name"),
    [
        (
            "no limit to levels",
            Limits(depth=1_000_000, parts=1_000_000, read=1 << 40),
            "2,000 levels of multipart",
        ),
        ("no limit to what is read", Limits(read=1 << 40), "100 MB of base64"),
    ],
)
def test_a_limit_that_is_not_kept_is_seen(promise: Promise, fault: str, limits: Limits, name: str) -> None:
    raw = (BOMBS.get(name) or hostile.HUGE[name]())[:20_000_000]
    with promise.breaks(fault):
        is_read_in_no_time(promise, raw, replace(RULES, limits=limits))


def test_nothing_that_could_unpack_an_attachment_is_loaded_to_read_a_mail() -> None:
    unpackers = "{'zipfile', 'tarfile', 'gzip', 'bz2', 'lzma', 'shutil', 'xml.parsers.expat', 'pickle'}"
    program = f"import sys; import pbem.mail.parse, pbem.mail.grammar; print({unpackers} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


@pytest.mark.parametrize("size", [65_000, 70_000])
def test_a_header_block_is_read_up_to_its_limit_and_refused_above(size: int) -> None:
    raw = FROM + b"".join(b"X-Fill: %s\r\n" % (b"x" * 989) for _ in range(size // 1_000)) + b"\r\nfor 301"
    assert read(raw).kind == ("human" if size < 65_536 else "invalid")


FIELDS = st.sampled_from(
    [
        *(
            "From",
            "To",
            "Cc",
            "Subject",
            "Message-ID",
            "In-Reply-To",
            "References",
            "Reply-To",
            "Return-Path",
        ),
        *("Received", "Delivered-To", "List-Id", "Precedence", "Auto-Submitted", "Authentication-Results"),
        *("Content-Type", "Content-Transfer-Encoding", "Content-Disposition"),
    ]
)
SCRAPS = st.sampled_from(
    [
        *(
            "signe@lund.example",
            "<",
            ">",
            "(",
            ")",
            '"',
            "\\",
            ",",
            ";",
            ":",
            "=",
            "[",
            "]",
            "\n ",
            "\r",
            "\x00",
        ),
        *(
            "=?utf-8?Q?=C3?=",
            "=?x?B?!?=",
            "=?",
            "?=",
            "text/html",
            "multipart/mixed; boundary=b",
            "charset=idna",
        ),
        *(
            "multipart/signed; boundary=b",
            "message/rfc822",
            "base64",
            "quoted-printable",
            "name*0*=utf-7''%ff",
        ),
        *("in.torg.example; dmarc=pass header.from=", "Re: ", "[x] ", "\xe5", "\ud55c", "\u202e", " "),
    ]
)
VALUES = st.lists(SCRAPS, max_size=12).map("".join)
LINES = st.sampled_from(
    [
        *(
            "for 301",
            "> against 301",
            "--b",
            "--b--",
            "-- ",
            "--",
            "",
            "_" * 32,
            "On 9 Nov 2026 at 10:02 x",
            "wrote:",
        ),
        *(
            "From: x",
            "Sent: y",
            "To: z",
            "Subject: w",
            "<blockquote>",
            "<ol><li start=x>",
            "<s>",
            "</div>",
            "&#0;",
        ),
        *(
            "-----BEGIN PGP SIGNED MESSAGE-----",
            "-----END PGP SIGNATURE-----",
            "Content-Type: text/html",
            "=C3=",
            "/w==",
        ),
        *(
            "CAUTION: external email",
            "Sent from my phone",
            "This email is confidential",
            "\u200d",
            "\ufeff",
            "\x07",
        ),
    ]
)


CHANGES = st.tuples(
    st.floats(0, 1),
    st.integers(0, 200),
    st.sampled_from(hostile.SCRAPS) | st.binary(max_size=8),
    st.integers(1, 40),
)


@pytest.mark.slow
@settings(max_examples=300)
@given(st.sampled_from(sorted(EXPECTED["mails"])), st.lists(CHANGES, min_size=1, max_size=6))
def test_a_sample_changed_anywhere_is_answered(
    name: str, changes: list[tuple[float, int, bytes, int]]
) -> None:
    raw = (SAMPLES / name).read_bytes()
    for where, gone, put, times in changes:
        at = int(where * len(raw))
        raw = raw[:at] + put * times + raw[at + gone :]
    mail = read(raw)
    read_commands(mail.text or "", mail.subject_core)
    assert (mail.text is None) == (mail.kind != "human")
    assert (mail.authenticated is None) or (mail.authenticated == mail.author and mail.claimed is None)
    assert not hostile.NEVER_SHOWN & set((mail.text or "") + mail.subject + (mail.author or ""))


@given(st.binary(max_size=3_000))
def test_any_bytes_at_all_are_answered(raw: bytes) -> None:
    assert read(raw).kind in {"human", "invalid", "bounce", "loop", "auto-reply"}


@settings(max_examples=300)
@pytest.mark.slow
@given(
    st.lists(st.tuples(FIELDS, VALUES), max_size=12),
    st.lists(LINES, max_size=25),
    st.sampled_from(["utf-8", "utf-16"]),
)
def test_any_soup_of_headers_and_lines_is_answered(
    fields: list[tuple[str, str]], lines: list[str], charset: str
) -> None:
    head = "".join(f"{name}: {value}\n" for name, value in fields).encode("utf-8")
    mail = read(head + b"\n" + "\n".join(lines).encode(charset))
    assert (mail.text is None) == (mail.kind != "human")
    assert (mail.authenticated is None) or (mail.authenticated == mail.author and mail.claimed is None)
    assert not hostile.NEVER_SHOWN & set((mail.text or "") + mail.whole + mail.subject)
    assert "\n\n\n" not in (mail.text or "")
    assert "\n" not in mail.subject


@given(st.lists(LINES, max_size=25))
def test_new_text_is_made_of_lines_of_the_mail_and_nothing_else(lines: list[str]) -> None:
    mail = read(FROM + b"\n" + "\n".join(lines).encode())
    written = [line.strip() for line in mail.whole.split("\n")]
    assert all(line in written for line in (mail.text or "").split("\n") if line)
