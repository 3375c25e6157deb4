"""Mails made to hurt, one for each way, and what random ones are mixed from.

What lives here: bytes. What never may: a check.
"""

from __future__ import annotations

from base64 import encodebytes
from collections.abc import Callable
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

NEVER_SHOWN = frozenset("\0\r\x07\x1b\x85\u202e\u200b\ufeff\xa0")
"""Signs that no text, subject or address of a mail as read may hold."""
FROM = b"From: Signe <signe@lund.example>\r\nTo: rost@torg.example\r\n"


def _levels(count: int) -> bytes:
    heads = (b'Content-Type: multipart/mixed; boundary="b%d"\r\n\r\n--b%d\r\n' % (n, n) for n in range(count))
    return FROM + b"".join(heads) + b"\r\nfor 301\r\n"


def _parts(count: int) -> bytes:
    part = b"--b\r\nContent-Type: text/plain\r\n\r\nfor 301\r\n"
    return FROM + b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" + part * count + b"--b--\r\n"


def _enclosed(count: int) -> bytes:
    """A mail that is attached to itself, as far as it goes."""
    head = FROM + b"Message-ID: <round@lund.example>\r\nContent-Type: message/rfc822\r\n\r\n"
    return head * count + b"for 301\r\n"


def _alternating(count: int) -> bytes:
    """Multiparts and attached mails in turn."""
    level = (
        b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: message/rfc822\r\n\r\n" + FROM
    )
    return FROM + level * count + b"\r\nfor 301\r\n"


def _zipped(content: bytes) -> bytes:
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for number in range(10):
            archive.writestr(f"{number}.zip", content)
    return packed.getvalue()


def _attached(name: bytes, content: bytes) -> bytes:
    """A mail with words, and a file."""
    words = b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nfor 301\r\n--b\r\n"
    file = b"Content-Type: application/zip; name=%b\r\nContent-Transfer-Encoding: base64\r\n\r\n" % name
    return FROM + words + file + encodebytes(content).replace(b"\n", b"\r\n") + b"--b--\r\n"


def _bomb() -> bytes:
    """Zip files in zip files, six levels of ten each, with a megabyte in each of the innermost: a terabyte."""
    packed = b"\0" * 1_000_000
    for _ in range(6):
        packed = _zipped(packed)
    return packed


BOMBS = {
    "2,000 levels of multipart": _levels(2_000),
    "10,000 levels of multipart": _levels(10_000),
    "10,000 parts": _parts(10_000),
    "30,000 parts": _parts(30_000),
    "10,000 recipients": b"From: a@b.example\r\nTo: " + b"x@y.example, " * 10_000 + b"\r\n\r\nfor 301",
    "a cyclic message/rfc822": _enclosed(3_000),
    "multipart and message/rfc822 in turn": _alternating(2_000),
    "20,000 encoded words": FROM + b"Subject: " + b"=?utf-8?Q?=C3=A5?= " * 20_000 + b"\r\n\r\nfor 301",
    "20,000 encoded words, folded": FROM + b"Subject:" + b" =?utf-8?B?w6U=?=\r\n" * 20_000 + b"\r\nfor 301",
    "a header of 1 MB": FROM + b"Subject: " + b"x" * 1_000_000 + b"\r\n\r\nfor 301",
    "1 MB of headers": FROM + b"X-Many: y\r\n" * 90_000 + b"\r\nfor 301",
    "1 MB of From": b"From: " + b"a@b.example, " * 80_000 + b"\r\n\r\nfor 301",
    "20,000 recipients": b"From: a@b.example\r\nTo: " + b"x@y.example,\r\n " * 20_000 + b"\r\n\r\nfor 301",
    "unterminated boundaries": FROM
    + b"Content-Type: multipart/mixed; boundary=b\r\n\r\n"
    + b"--b\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n" * 5_000,
    "one boundary for all": FROM + b'Content-Type: multipart/mixed; boundary=""\r\n\r\n' + b"--\r\n" * 60_000,
    "boundaries that are nearly right": FROM
    + b"Content-Type: multipart/mixed; boundary=b\r\n\r\n"
    + b"--bb\r\n" * 40_000,
    "1 MB of base64": FROM + b"Content-Transfer-Encoding: base64\r\n\r\n" + b"QUFB" * 250_000,
    "1 MB of =": FROM + b"Content-Transfer-Encoding: quoted-printable\r\n\r\n" + b"=" * 1_000_000,
    "1 MB of one line": FROM + b"\r\n" + b"a " * 500_000,
    "1 MB of empty lines": FROM + b"\r\n" + b"\r\n" * 500_000,
    "1 MB of quote marks": FROM + b"\r\n" + b">" * 1_000_000,
    "1 MB of flowed text": FROM + b"Content-Type: text/plain; format=flowed\r\n\r\n" + b"> a \r\n" * 170_000,
    "elements in elements": FROM + b"Content-Type: text/html\r\n\r\n" + b"<div><b><i><u>" * 18_000,
    "quotes in quotes": FROM + b"Content-Type: text/html\r\n\r\n" + b"<blockquote>x" * 20_000,
    "frames of quotes": FROM
    + b"Content-Type: text/html\r\n\r\n"
    + b'<div class="gmail_quote">x wrote:<blockquote>y</blockquote>z' * 5_000,
    "tables in tables": FROM + b"Content-Type: text/html\r\n\r\n" + b"<table><tr><td>" * 17_000,
    "styles that all differ": FROM
    + b"Content-Type: text/html\r\n\r\n"
    + b"".join(b"<p style='margin:%dpx'>x" % n for n in range(11_000)),
    "a style that begins without end": FROM
    + b"Content-Type: text/html\r\n\r\n<p style='"
    + b"text-decoration" * 17_000
    + b"'>for 301</p>",
    "a name of brackets": b"From: " + b"[" * 8_000 + b" <a@b.example>\r\nList-Id: <x.y>\r\n\r\nfor 301",
    "reasons": FROM + b"\r\nclause 301 adopted when: 1" + b" because" * 30_000 + b'"',
    "entities": FROM + b"Content-Type: text/html\r\n\r\n" + b"&amp;&#x200b;&nbsp;" * 15_000,
    "attributions in turn": FROM + b"\r\n" + b"x:\n> y\n" * 36_000,
    "glued originals": FROM + b"\r\n" + b"a ---- Original Message ---- b:  c\n" * 8_000,
    "framed lines": FROM + b"\r\n" + b"--- On 9 Nov 2026 at 10:02 x <x@y> ---\n" * 7_000,
    "commands joined by and": FROM + b"\r\n" + (b"for 301 and " * 160 + b"\r\n") * 130,
    "proposals without end": FROM + b"\r\n" + b"propose enact: x\n> y\n" * 12_000,
    "armour in armour": FROM + b"\r\n" + b"-----BEGIN PGP SIGNED MESSAGE-----\n\n" * 7_000,
    "nested comments in From": b"From: " + b"(" * 1_600 + b")" * 1_600 + b"\r\n\r\nx",
    "nested comments in Cc": FROM + b"Cc: " + b"(" * 1_600 + b"x" + b")" * 1_600 + b"\r\n\r\nx",
    "quotes in From": b"From: " + b'"\\' * 4_000 + b"\r\n\r\nx",
    "parameters": FROM + b"Content-Type: text/plain" + b';a="' * 2_000 + b"\r\n\r\nx",
    "brackets in the subject": FROM + b"Subject: " + b"[Re: " * 1_600 + b"\r\n\r\nx",
    "carriage returns": FROM + b"\r\n" + b"\r" * 260_000,
    "attributions": FROM + b"\r\n" + b"On Mon, 9 Nov 2026 at 10:02 x wrote:\n> a\n" * 6_000,
    "broken attributions": FROM + b"\r\n" + b"On Mon, 9 Nov 2026 at 10:02 x\nwrote\n" * 6_000,
    "colons": FROM + b"\r\n" + b"x:\n> y\n" * 36_000,
    "header labels": FROM + b"\r\n" + b"From: x\nTo: y\n" * 18_000,
    "bare signatures": FROM + b"\r\n" + b"--\n" * 80_000,
    "phone signatures": FROM + b"\r\n" + b"Sent from my iPhone\n" * 13_000,
    "disclaimers": FROM + b"\r\n" + b"This email is confidential\n\n" * 9_000,
    "rulers": FROM + b"\r\n" + b"_____\n" * 43_000,
    "open elements": FROM + b"Content-Type: text/html\r\n\r\n" + b"<div>" * 52_000,
    "open lists": FROM + b"Content-Type: text/html\r\n\r\n" + b"<ul><li>" * 30_000,
    "attributes": FROM
    + b"Content-Type: text/html\r\n\r\n<p "
    + b" ".join(b"%x" % n for n in range(52_000))
    + b">x",
    "line breaks": FROM + b"Content-Type: text/html\r\n\r\n" + b"<br>" * 65_000,
    "comments in HTML": FROM + b"Content-Type: text/html\r\n\r\n" + b"<!--" * 60_000,
    "NUL alone": b"\0" * 260_000,
    "colons alone": b":" * 260_000,
    "nothing": b"",
}
"""Each must be read like any other mail: no error, no more than half a second, no more than 64 MB."""

HUGE: dict[str, Callable[[], bytes]] = {
    "100 MB of base64": lambda: _attached(b"a.zip", b"\0" * 75_000_000),
    "100 MB of base64 as words": lambda: (
        FROM + b"Content-Transfer-Encoding: base64\r\n\r\n" + b"QUFB" * 25_000_000
    ),
    "zip of zips": lambda: _attached(b"a.zip", _bomb()),
}
"""Far more than is ever taken in, made when they are asked for."""

SCRAPS = (
    *(
        b"From: ",
        b"from: x@y.example\r\n",
        b"To: ",
        b"Subject: ",
        b"Message-ID: <",
        b"In-Reply-To: ",
        b"Received: ",
    ),
    *(
        b"Authentication-Results: in.torg.example; dmarc=pass header.from=",
        b"Auto-Submitted: auto-replied\r\n",
    ),
    *(
        b"Content-Type: text/html\r\n",
        b"Content-Type: multipart/mixed; boundary=b\r\n",
        b"Content-Type: message/rfc822\r\n",
    ),
    *(
        b"Content-Transfer-Encoding: base64\r\n",
        b"Content-Transfer-Encoding: quoted-printable\r\n",
        b"charset=utf-16",
    ),
    *(b"charset=utf-7", b"charset=idna", b"format=flowed; delsp=yes", b"name*0*=utf-8''%E5", b"boundary="),
    *(
        b"\r\n",
        b"\n",
        b"\r",
        b"\r\n\r\n",
        b"\n\n",
        b"\0",
        b"\t",
        b" ",
        b"\r\n ",
        b"--b\r\n",
        b"--b--\r\n",
        b"--",
    ),
    *(
        b"=?utf-8?Q?=C3?=",
        b"=?x?B?!?=",
        b"=?",
        b"?=",
        b"=\r\n",
        b"=C3=A5",
        b"w6U=",
        b"(",
        b")",
        b'"',
        b"\\",
        b"<",
        b">",
    ),
    *(
        b",",
        b";",
        b"@",
        b"[",
        b"]",
        b":",
        b"=",
        b"\xc3\xa5",
        b"\xe5",
        b"\x93",
        b"\xed\xa0\x80",
        b"\xe2\x80\xae",
    ),
    *(
        b"\xef\xbb\xbf",
        b"\xe2\x80\x8b",
        b"\xc2\xa0",
        b"\xef\xbc\x9a",
        b"> ",
        b">>> ",
        b"-- \n",
        b"--\n",
        b"_" * 40,
    ),
    *(
        b"On Mon, 9 Nov 2026 at 10:02, x <x@y.example> wrote:\n",
        b"Den 9 nov. 2026 skrev x:\n",
        b"wrote:\n",
        b"wrote",
    ),
    *(b"-----Original Message-----\n", b"From: x\nSent: y\nTo: z\nSubject: w\n", b"Sent from my iPhone\n"),
    *(b"CAUTION: external e-mail from outside\n", b"This e-mail is confidential.\n", b"To unsubscribe\n"),
    *(
        b"-----BEGIN PGP SIGNED MESSAGE-----\n",
        b"-----BEGIN PGP SIGNATURE-----\n",
        b"-----BEGIN PGP MESSAGE-----\n",
    ),
    *(
        b"<html>",
        b"<div class=gmail_quote>",
        b"<blockquote>",
        b"</blockquote>",
        b"<p>",
        b"<br>",
        b"<ol start=x><li>",
    ),
    *(
        b"<span style='mso-list:Ignore'>",
        b"<s>",
        b"<!--",
        b"]]>",
        b"<style>",
        b"&#0;",
        b"&nbsp;",
        b"<pre>",
        b"</",
    ),
    *(
        b"for 301\n",
        b"ja\n",
        b"propose enact: x\n",
        b"end\n",
        b"clause adopted when: 1\n",
        b"301-999 for\n",
        b"if 302 passes",
    ),
)
