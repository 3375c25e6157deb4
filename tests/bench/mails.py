"""Mails of 3 to 50 KB as people's programs make them, out of the samples: their headers and words, with filler.

What lives here: the making, the same each time for one seed. What never may: a measurement.
"""

from __future__ import annotations

import html
import quopri
import random
from collections.abc import Iterator
from pathlib import Path

from pbem.mail.message import Envelope, Inbound, MailRules
from pbem.mail.parse import read_mail

SAMPLES = Path(__file__).parents[1] / "mail" / "samples"
RULES = MailRules(
    ("spel@torg.example", "rost@torg.example", "studs@torg.example"), trusted_receivers=("in.torg.example",)
)
SMALLEST, LARGEST = 3_000, 50_000
_WORDS = [
    "the",
    "turn",
    "of",
    "a",
    "player",
    "lasts",
    "seven",
    "days",
    "unless",
    "otherwise",
    "is",
    "decided",
    "by",
    "those",
    "who",
    "vote",
    "on",
    "rule",
    "and",
    "amendment",
    "förslaget",
    "antas",
    "när",
    "fler",
    "än",
    "hälften",
    "av",
    "de",
    "röstande",
    "är",
    "för",
    "och",
    "poängen",
    "räknas",
    "efter",
    "varje",
    "omröstning",
    "om",
    "regeln",
    "gäller",
]
_TRACES = (
    "Received: from mx{n}.relay.example (mx{n}.relay.example [192.0.2.{n}])\r\n\tby hub{n}.relay.example (Postfix) with "
    "ESMTPS id 4F{n:04X}\r\n\tfor <spel@torg.example>; Mon,  9 Nov 2026 18:20:{n:02d} +0100 (CET)\r\n"
    "DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=relay{n}.example; s=k{n};\r\n\th=from:to:subject:date:message-id"
    ":mime-version; bh={b};\r\n\tb={b}{b}{b}{b}\r\nX-Relay-Tenant: {b}\r\n"
)


def mails(count: int, seed: int = 1) -> list[bytes]:
    """`count` mails, each made from one sample, their sizes spread evenly on a logarithmic scale."""
    draw = random.Random(seed)  # noqa: S311  # the same mails in each run, no secret
    samples = [path.read_bytes() for path in sorted(SAMPLES.glob("*.eml"))]
    fitting = [raw for raw in samples if len(raw) < SMALLEST]
    return [_grown(fitting[at % len(fitting)], draw) for at in range(count)]


def _grown(sample: bytes, draw: random.Random) -> bytes:
    size = int(SMALLEST * (LARGEST / SMALLEST) ** draw.random())
    head, _, below = sample.replace(b"\r\n", b"\n").partition(b"\n\n")
    traces = "".join(trace(draw) for _ in range(draw.randrange(1, 5))).encode()
    mail = read_mail(sample, Envelope(received=0), RULES)
    if mail.kind == "human" and mail.whole.strip():
        head = b"\n".join(_without_content(head))
        below = _body(mail, size - len(head) - len(traces), draw)
        return head.replace(b"\n", b"\r\n") + b"\r\n" + traces + below
    while len(head) + len(traces) + len(below) < SMALLEST:
        traces += trace(draw).encode()
    return (head + b"\n").replace(b"\n", b"\r\n") + traces + b"\r\n" + below.replace(b"\n", b"\r\n")


def trace(draw: random.Random) -> str:
    """The headers that two servers on the way leave."""
    return _TRACES.format(n=draw.randrange(1, 60), b=f"{draw.getrandbits(240):060x}")


def _without_content(head: bytes) -> Iterator[bytes]:
    """The lines of a header block, those aside that say how the old body is written."""
    skipping = False
    for line in head.split(b"\n"):
        folded = line.startswith((b" ", b"\t"))
        skipping = skipping if folded else line.lower().startswith((b"content-", b"mime-version"))
        if not skipping:
            yield line


def _body(mail: Inbound, size: int, draw: random.Random) -> bytes:
    """Half the mails say the same twice, as text and as HTML; a quarter are plain, a quarter HTML alone."""
    form = draw.choice(("both", "both", "plain", "page"))
    if form == "plain":
        return _leaf("text/plain", mail.whole + quote(size * 9 // 10, draw))
    if form == "page":
        return _leaf("text/html", page(mail.whole, size * 8 // 10, draw))
    plain = _leaf("text/plain", mail.whole + quote(size // 4, draw))
    shown = _leaf("text/html", page(mail.whole, size * 6 // 10, draw))
    return (
        b'MIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary="=_grown"\r\n\r\n--=_grown\r\n'
        + plain + b"\r\n--=_grown\r\n" + shown + b"\r\n--=_grown--\r\n"
    )  # fmt: skip


def _leaf(kind: str, text: str) -> bytes:
    coded = quopri.encodestring(text.encode("utf-8", "replace")).replace(b"\n", b"\r\n")
    return b"Content-Type: %s; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n%s" % (
        kind.encode(),
        coded,
    )


def sentences(size: int, draw: random.Random) -> Iterator[str]:
    """Lines of words without a meaning, about `size` bytes of them."""
    while size > 0:
        line = " ".join(draw.choices(_WORDS, k=draw.randrange(6, 13)))
        size -= len(line) + 12
        yield line


def quote(size: int, draw: random.Random) -> str:
    """About `size` bytes of an earlier mail, as they stand below an answer."""
    rows = "\n".join(f"{'>' * draw.randrange(1, 4)} {line}" for line in sentences(size, draw))
    return f"\n\nOn Mon, 9 Nov 2026 at 17:02, Nomic <rost+ab12@torg.example> wrote:\n\n{rows}\n"


def page(text: str, size: int, draw: random.Random) -> str:
    """Words and, below them, an earlier mail as HTML."""
    said = "".join(f"<div>{html.escape(line) or '<br>'}</div>" for line in text.split("\n"))
    style = 'style="margin:0cm;font-size:11pt;font-family:Calibri,sans-serif;color:#1f1f1f"'
    rows = "".join(
        f'<p class="MsoNormal" {style}><span>{line}</span></p>\n' for line in sentences(size // 3, draw)
    )
    return (
        "<html><head><style>p.MsoNormal {margin:0cm} a:link {color:#0563C1}</style></head><body>"
        f'<div dir="ltr">{said}</div><br><div class="gmail_quote"><div class="gmail_attr">On Mon, 9 Nov 2026, Nomic '
        f'wrote:<br></div><blockquote class="gmail_quote" style="border-left:1px solid">{rows}</blockquote></div></body></html>'
    )
