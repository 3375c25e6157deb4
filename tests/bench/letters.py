"""Mails of about 8 KB as players write them in answer to ours: their words on top, and below them what their program quotes.

What lives here: the making, the same each time for one number. What never may: a game, or a measurement. A fifth is plain,
a fifth has no quote and a long header block, the others say the same twice, as text and as HTML.
"""

from __future__ import annotations

import quopri
import random
from collections.abc import Iterator

from tests.bench.mails import page, quote, trace

RECEIVER = "mx.nomic.example"
OURS = "nomic@nomic.example"
SIZE = 8_000
"""Bytes of a mail, nearly."""


def letter(
    author: tuple[str, str], subject: str, words: str, number: int, *, to: str = OURS, size: int = SIZE
) -> bytes:
    """A mail of an `author` (name and address) that our own receiving server vouches for; `number` tells it from all others."""
    draw = random.Random(number)  # noqa: S311  # the same mails in each run, no secret
    head = "".join(_head(author, subject, number, to, draw)).encode()
    form = ("plain", "page", "page", "page", "long head")[number % 5]
    if form == "long head":
        while len(head) < size - 1_000:
            head += trace(draw).encode()
        return head + _leaf("plain", words, draw)
    room = size - len(head) - 400
    if form == "plain":
        return head + _leaf("plain", words + quote(room * 9 // 10, draw), draw)
    return head + _twice(words, room, draw)


def _head(author: tuple[str, str], subject: str, number: int, to: str, draw: random.Random) -> Iterator[str]:
    name, address = author
    domain = address.partition("@")[2]
    yield f"Return-Path: <{address}>\r\n"
    yield (
        f"Authentication-Results: {RECEIVER};\r\n\tdkim=pass header.d={domain} header.s=k1;\r\n\tspf=pass "
        f"smtp.mailfrom={address};\r\n\tdmarc=pass (p=REJECT) header.from={domain}\r\n"
    )
    for _ in range(2):
        yield trace(draw)
    yield f"From: {name} <{address}>\r\nTo: Nomic <{to}>\r\nSubject: {subject}\r\n"
    yield f"Date: Mon, 9 Nov 2026 18:{number // 60 % 60:02}:{number % 60:02} +0100\r\n"
    yield f"Message-ID: <{number}.{draw.getrandbits(64):x}@{domain}>\r\nMIME-Version: 1.0\r\nUser-Agent: Mozilla Thunderbird\r\n"


def _leaf(kind: str, text: str, draw: random.Random) -> bytes:
    """Half of them are quoted-printable, the others 8bit."""
    if draw.random() < 0.5:
        coded, way = quopri.encodestring(text.encode()), "quoted-printable"
    else:
        coded, way = text.encode(), "8bit"
    head = f"Content-Type: text/{kind}; charset=utf-8\r\nContent-Transfer-Encoding: {way}\r\n\r\n"
    return head.encode() + coded.replace(b"\n", b"\r\n") + b"\r\n"


def _twice(words: str, room: int, draw: random.Random) -> bytes:
    plain = _leaf("plain", words + quote(room // 4, draw), draw)
    shown = _leaf("html", page(words, room * 5 // 10, draw), draw)
    frame = b"--=_letter\r\n"
    return (
        b'Content-Type: multipart/alternative; boundary="=_letter"\r\n\r\n'
        + frame + plain + frame + shown + b"--=_letter--\r\n"
    )  # fmt: skip
