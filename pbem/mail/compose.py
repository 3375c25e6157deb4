"""A mail to be written, to its final bytes (RFC 5322, 2045, 2047, 2369, 3834).

What lives here: our own serializer, for outgoing mail alone. What never may: a header value taken from a
mail that came in. Every value is cleaned of line ends and controls; the same `Outbound` always gives the
same bytes, so a repeat after a crash is one that receivers can drop.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from datetime import UTC, datetime
from email.utils import format_datetime
from functools import lru_cache
from typing import NamedTuple

from pbem.mail.message import Outbound
from pbem.mail.tokens import MARK

_CONTROLS = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ud800-\udfff\ufeff]+"
)
_SPECIALS = re.compile(r"[\"(),:;<>@\[\\\]]")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~ -]*\Z")
_FROM_LINE = re.compile(rb"^From ", re.MULTILINE)
"""What begins a mail in an mbox: its F is written as `=46`, on a line of its own, for the other may be full."""
_OURS = re.compile(rf"<([a-z0-9-]+)\.([a-z]+(?:\.(?!{MARK}@)[a-zJ0-9]+)?)(?:\.{MARK})?@([a-z0-9.-]+)>\Z")
_ENCODED_WORD_BYTES = 42
"""Bytes of text in one encoded word: with its frame it stays under the 75 characters of RFC 2047."""


class Thread(NamedTuple):
    """A conversation of ours: the game, and what it is about ("proposal.301", "turn.5", "table")."""

    game: str
    about: str


def message_id(mail: Outbound) -> str:
    """Its Message-ID: the same key always has the same. It ends in the token, as some mailers drop Reply-To."""
    mark = mail.token or hashlib.sha256(mail.key.encode()).hexdigest()[:24]
    return f"<{mail.game}.{mail.thread or 'mail'}.{mark}@{_domain(mail.sender)}>"


def thread_root(mail: Outbound) -> str:
    """The Message-ID that every mail of a conversation refers to, and answers to mails in it; "" for none."""
    conversation = mail.thread or mail.within
    return f"<{mail.game}.{conversation}@{_domain(mail.sender)}>" if conversation else ""


def thread_of(ids: tuple[str, ...], domains: tuple[str, ...]) -> Thread | None:
    """The conversation of ours that the first known of these Message-IDs belongs to."""
    for candidate in ids:
        found = _OURS.match(candidate)
        if found and found[3] in domains:
            return Thread(found[1], found[2])
    return None


def compose(mail: Outbound) -> bytes:
    """The mail as it goes out: headers, then the text, and the HTML that says the same if there is any. CRLF line ends."""
    head = "".join(
        f"{name}: {value}\r\n" for name, value in (*_headers(mail), ("MIME-Version", "1.0"))
    ).encode()
    text = _part("plain", mail.text)
    return head + (_alternatives(mail, text) if mail.html else text)


def _alternatives(mail: Outbound, text: bytes) -> bytes:
    boundary = "=_" + hashlib.sha256(mail.key.encode()).hexdigest()[:24]
    kind = f'Content-Type: multipart/alternative; boundary="{boundary}"\r\n\r\n'
    frame = f"--{boundary}\r\n".encode()
    parts = frame + text + b"\r\n" + frame + _part("html", mail.html)
    return kind.encode() + parts + f"\r\n--{boundary}--\r\n".encode()


def _headers(mail: Outbound) -> list[tuple[str, str]]:
    sent = datetime.fromtimestamp(mail.date // 1_000_000, UTC)
    headers = [
        ("From", _mailbox(mail.sender_name, mail.sender)),
        ("To", _mailbox(mail.to_name, mail.to)),
        ("Reply-To", _mailbox(mail.sender_name, mail.reply_to)),
        ("Subject", encoded(mail.subject, first=9)),
        ("Date", format_datetime(sent)),
        ("Message-ID", message_id(mail)),
    ]
    headers += _threading(mail)
    headers += [
        ("Auto-Submitted", mail.auto),
        ("X-Auto-Response-Suppress", "All"),
        ("X-Pbem-Loop", mail.game),
    ]
    return headers + _list_headers(mail)


def _threading(mail: Outbound) -> list[tuple[str, str]]:
    answered = mail.answers if _OURS.match(mail.answers) or _is_id(mail.answers) else ""
    root = thread_root(mail)
    references = " ".join(dict.fromkeys(reference for reference in (root, answered) if reference))
    if not references:
        return []
    return [("In-Reply-To", answered or root), ("References", references.replace(" ", "\r\n "))]


def _is_id(text: str) -> bool:
    """Whether a received Message-ID is made of safe characters alone, and so may be referred to."""
    return bool(re.fullmatch(r"<[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,120}@[A-Za-z0-9.-]{1,120}>", text))


def _list_headers(mail: Outbound) -> list[tuple[str, str]]:
    domain = _domain(mail.sender)
    headers = [("List-Id", f"<{mail.game}.{domain}>"), *mail.headers]
    if mail.list_mail:
        headers.append(("Precedence", "list"))
    return headers


def _mailbox(name: str, address: str) -> str:
    # Some readers decode a name before they look for the address in it: nothing that could be one stays.
    clean_name = cleaned(_SPECIALS.sub(" ", name))
    if not clean_name:
        return f"<{cleaned(address)}>"
    if _PLAIN_NAME.match(clean_name) and len(clean_name) + len(address) < 60:
        return f'"{clean_name}" <{cleaned(address)}>'
    return f"{encoded(clean_name, first=78)}\r\n <{cleaned(address)}>"


def cleaned(value: str) -> str:
    """A header value on one line: no controls, no line ends, nothing that reads as an encoded word."""
    return " ".join(_CONTROLS.sub(" ", value).replace("=?", "= ?").split())


def encoded(value: str, first: int = 0) -> str:
    """A header's words: as they are when ASCII and they fit behind `first` columns, else encoded (RFC 2047) and folded."""
    value = cleaned(value)
    if value.isascii() and len(value) + first < 78:
        return value
    words, rest = [], value
    while rest:
        size = len(rest[:_ENCODED_WORD_BYTES])
        while len(rest[:size].encode()) > _ENCODED_WORD_BYTES:
            size -= 1
        words.append(base64.b64encode(rest[:size].encode()).decode())
        rest = rest[size:]
    return "\r\n ".join(f"=?utf-8?B?{word}?=" for word in words)


@lru_cache(maxsize=16)  # several readers get the same words one after the other
def _part(subtype: str, body: str) -> bytes:
    head = (
        f"Content-Type: text/{subtype}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
    )
    ended = body if body.endswith("\n") else body + "\n"
    printable = binascii.b2a_qp(ended.encode("utf-8", "replace"))
    return head.encode() + _FROM_LINE.sub(b"=46=\nrom ", printable).replace(b"\n", b"\r\n")


def _domain(address: str) -> str:
    return address.rpartition("@")[2]
