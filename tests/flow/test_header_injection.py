"""What players write makes no header and no recipient of ours, however it is put: in a name, a title, a subject, a reference.

What lives here: the words, and a count of what a reader of our mails would find that we did not write. What never may: our own
idea of what a header is; the standard library reads the bytes, as it is and with its encoded words undone.
"""

from __future__ import annotations

import email.policy
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from email.header import decode_header, make_header
from email.message import Message
from email.parser import BytesHeaderParser
from functools import cache

import pytest

from pbem.mail import compose
from pbem.mail.message import Outbound
from tests.flow.forging import WORLD, replaced, signed
from tests.flow.post import GAME, PEOPLE, Post
from tests.mail.test_compose import MAIL
from tests.promises.table import Promise

PAYLOADS = (
    "x\r\nBcc: e@evil.example",
    "x\nBcc: e@evil.example",
    "x\rBcc: e@evil.example",
    "x\r\n\r\nBcc: e@evil.example",
    "x\r\n\tfolded\r\nCc: e@evil.example",
    "x\x0bBcc: e@evil.example",
    "x\x0cBcc: e@evil.example",
    "x\x1cBcc: e@evil.example",
    "x\x85Bcc: e@evil.example",
    "x\u2028Bcc: e@evil.example",
    "=?utf-8?q?x=0D=0ABcc=3A_e=40evil=2Eexample?=",
    "=?utf-8?b?eA0KQmNjOiBlQGV2aWwuZXhhbXBsZQ==?=",
    "=?utf-8?q?=22?= <e@evil.example>,",
    '" <e@evil.example>, "',
    "e@evil.example, x",
    '\\" <e@evil.example>; (',
)
FIELDS = ("subject", "to_name", "sender_name", "answers", "text", "html")
ADDRESSES = ("From", "To", "Cc", "Bcc", "Reply-To", "Sender")


def foreign(content: bytes, names: Counter[str], ours: set[str]) -> int:
    """How many headers of a mail are not among `names`, and how many addresses in them are not among `ours`."""
    mail = BytesHeaderParser().parsebytes(content)
    found = Counter(name.lower() for name in mail.keys())  # noqa: SIM118  # a message is no dict
    new = (found - names).total() + sum("\n" in line or "\r" in line for line in _decoded(mail))
    for header in ADDRESSES:
        for value in mail.get_all(header, []):
            new += len(_addresses(header, str(value)) - ours)
    return new


@cache
def _addresses(header: str, value: str) -> frozenset[str]:
    made = email.policy.default.header_factory(header, "".join(value.splitlines()))
    return frozenset(each.addr_spec for each in made.addresses)


def _decoded(message: Message) -> Iterator[str]:
    """Each header, unfolded, with its encoded words undone."""
    for value in {*message.values()} - PLAIN:
        yield str(make_header(decode_header("".join(str(value).splitlines()))))


def names_of(content: bytes) -> Counter[str]:
    return Counter(name.lower() for name in BytesHeaderParser().parsebytes(content).keys())  # noqa: SIM118


PLAIN = {*BytesHeaderParser().parsebytes(compose.compose(MAIL)).values()}
"""What headers say that no word of a player is in: it need not be looked at again each time."""
OURS = {MAIL.to, MAIL.reply_to, MAIL.sender}
HARMLESS = names_of(compose.compose(MAIL)) | names_of(compose.compose(replace(MAIL, html="")))


def found_in(mail: Outbound) -> int:
    return foreign(compose.compose(mail), HARMLESS, OURS)


def no_header_is_made(promise: Promise, field: str, payload: str) -> None:
    promise.shows(faults=1, mails=1, accepted=found_in(replace(MAIL, **{field: payload})))


@pytest.mark.promise(18)
@pytest.mark.parametrize("payload", PAYLOADS)
@pytest.mark.parametrize("field", FIELDS)
def test_no_words_make_a_header(promise: Promise, field: str, payload: str) -> None:
    no_header_is_made(promise, field, payload)


SCRAPS = (
    *PAYLOADS,
    *'\r\n\t\0\x0b\x1c\x85\u2028<>@,;:()[]"\\ =?åx',
    "Bcc:",
    "=?utf-8?b?",
    "?=",
    "e@evil.example",
)


@pytest.mark.promise(18)
def test_nor_do_any_others(promise: Promise) -> None:
    draw = random.Random(18)  # noqa: S311  # to be made again, no secret
    found = 0
    for number in range(5_000):
        words, others = ("".join(draw.choices(SCRAPS, k=draw.randrange(20))) for _ in range(2))
        wrong = found_in(replace(MAIL, **{"subject": others, FIELDS[number % len(FIELDS)]: words}))
        assert not wrong, (FIELDS[number % len(FIELDS)], words, others)
        found += wrong
    promise.shows(faults=5_000, mails=5_000, accepted=found)


@pytest.mark.promise(18)
def test_nor_do_they_on_their_way_through_a_game(post: Post, promise: Promise) -> None:
    """As a name, a title, a text, a subject and a post: the names and the addresses of all mails are as without them."""
    post.found("Alice", "Bo")
    post.mail("Alice", "propose enact: Tea\nTea is served.\nend", subject=f"[{GAME}] harmless")
    post.mail("Bo", "What of coffee, I ask?", re="301")
    names = Counter(name for letter in post.letters() for name in names_of(letter.file.read_bytes()))
    names = Counter(dict.fromkeys(names, 1))
    for number, payload in enumerate(PAYLOADS):
        line = f"{number} {' '.join(payload.split())}"
        PEOPLE[f"guest {number}"] = (" ".join(line.split(",")), f"g{number}@guest.example")
        said = {
            "Alice": f"propose enact: {line}\n{payload}\nend",
            "Bo": f"I wonder what everybody makes of {line}",
            f"guest {number}": f"join as {line}",
        }
        for name, words in said.items():
            mail = signed(post, name if name in PEOPLE else "Zoe", words)
            post.take(replaced(mail, "Subject", f"[{GAME}] {line}"), source=WORLD)
    found = mails = 0
    for letter in post.letters():
        (to,) = letter.message["To"].addresses
        here = {
            to.addr_spec,
            *(each.addr_spec for each in letter.message["Reply-To"].addresses),
            "nomic@nomic.example",
        }
        mails += 1
        found += foreign(letter.file.read_bytes(), names | HARMLESS, here)
        found += "evil" in to.addr_spec
    promise.shows(faults=5 * len(PAYLOADS), mails=mails, accepted=found)
    assert mails > 60


@pytest.mark.promise(18)
@pytest.mark.parametrize(
    ("step", "broken", "field"),
    [
        ("cleaned", str, "subject"),
        ("_mailbox", lambda name, address: f'"{name}" <{address}>', "to_name"),
        ("_is_id", lambda _: True, "answers"),
    ],
)
def test_a_header_that_is_put_together_as_it_comes_is_seen(
    promise: Promise, monkeypatch: pytest.MonkeyPatch, step: str, broken: object, field: str
) -> None:
    monkeypatch.setattr(compose, step, broken)
    with promise.breaks(f"{field} is written into its header as it comes"):
        no_header_is_made(promise, field, PAYLOADS[0])
