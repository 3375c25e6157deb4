"""Old mails sent again: by servers that repeat themselves, and by somebody who has kept one. Nothing comes of it, at once or later.

What lives here: each kind of mail that does something, a hundred times. What never may: a mail that its writer sends anew with
new words; that is theirs to do.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace

import pytest

from pbem.mail.message import Envelope, MailRules
from pbem.mail.parse import Marks, marks_of
from pbem.service import receive
from tests.flow.forging import WORLD, headers, replaced, signed
from tests.flow.post import ADDRESS, GAME, MINUTE, RECEIVER, TEA, Post
from tests.promises.table import Promise

COPIES = 100
HOP = "Received: from relay{0}.example by mx.nomic.example with ESMTPS id {0}; Tue, 1 Dec 2026 10:00:00 +0000"

KINDS = {
    "a proposal": ("Alice", "propose enact: Coffee\nCoffee is served at three.\nend", ""),
    "debate": ("Bo", "And what about those who drink neither?", "301"),
    "a revision": ("Alice", "revise 301\nTea is served at five.\nend", "301"),
    "a call for the vote": ("Alice", "call vote 301", "301"),
    "a ballot": ("Bo", "against", "301"),
    "another mind": ("Bo", "for 301", "301"),
    "a question": ("Cia", "status", ""),
    "somebody new": ("Dan", "observe", ""),
    "table talk": ("Cia", "Hello, everybody! How was your summer?", ""),
    "the last ballots": ("Cia", "for", "301"),
}
"""Mails in the order in which one turn has them; the first of them waits in the queue."""


def compose(post: Post, kind: str) -> bytes:
    name, words, re = KINDS[kind]
    return signed(post, name, words, subject="" if re else f"[{GAME}] {kind}", re=re)


def has_no_effect_again(post: Post, promise: Promise, content: bytes, copies: int = COPIES) -> None:
    """Copies of a mail, as they are or with other traces of servers, by another way or to another of our addresses."""
    events, boxes, kept = post.state()["events"], post.everybody(), len(post.taken())
    for number in range(copies):
        post.now += MINUTE // 10
        copy = content if number % 3 == 0 else headers(content, HOP.format(number))
        copy = copy.replace(b"\r\n", b"\n") if number % 5 == 0 else copy
        by, to = (WORLD, ADDRESS) if number % 2 else ("imap nomic@mail.example", None)
        receive.receive(post.host, copy, Envelope(post.now, recipient=to), by)
    post.wait(0)
    new = sum(post.everybody().values()) - sum(boxes.values())
    done = post.state()["events"] - events + new + len(post.taken()) - kept
    promise.shows(faults=copies, mails=copies, doubled=done)


def one_of_each(post: Post) -> Iterator[tuple[str, bytes]]:
    """A turn of Alice's; each mail in it, once it has done what it does."""
    post.found("Alice", "Bo", "Cia")
    post.mail("Alice", f"{TEA}\nend", subject="My proposal")
    for kind in KINDS:
        content = compose(post, kind)
        before = post.state()["events"], sum(post.everybody().values())
        assert post.take(content, source=WORLD) == "taken"
        assert (post.state()["events"], sum(post.everybody().values())) > before, kind
        yield kind, content
    post.vote(301, Alice="for")


def three_turns(post: Post) -> None:
    """Those of Bo, of Cia, and of Alice again."""
    for name in ("Bo", "Cia", "Alice"):
        number = post.propose(name, TEA.replace("Tea", f"The tea of {name}"))
        if post.proposal(number)["stage"] == "voting":
            post.vote(number, Alice="for", Bo="for", Cia="for")
    assert post.state()["turn"] >= 4


@pytest.mark.promise(17)
def test_a_mail_sent_again_does_nothing_at_once(post: Post, promise: Promise) -> None:
    for _, content in one_of_each(post):
        has_no_effect_again(post, promise, content)


@pytest.mark.promise(17)
def test_a_mail_sent_again_three_turns_later_does_nothing(post: Post, promise: Promise) -> None:
    sent = [content for _, content in one_of_each(post)]
    three_turns(post)
    for content in sent:
        has_no_effect_again(post, promise, content)


@pytest.mark.promise(17)
def test_what_was_about_a_proposal_that_is_closed_does_nothing_even_as_a_new_mail(
    post: Post, promise: Promise
) -> None:
    """Somebody has kept the mails, tokens and all, and gives each another Message-ID; no signature covers that one."""
    sent = {kind: content for kind, content in one_of_each(post) if KINDS[kind][2] and kind != "debate"}
    three_turns(post)
    events = post.state()["events"]
    for number, content in enumerate(sent.values()):
        mail = replaced(content, "Message-ID", f"<anew.{number}@evil.example>")
        mail = replaced(mail, "Authentication-Results", f"{RECEIVER}; dmarc=none")
        post.take(mail, source=WORLD)
    promise.shows(faults=len(sent), mails=len(sent), doubled=post.state()["events"] - events)


@pytest.mark.promise(17)
@pytest.mark.parametrize("kind", ["a ballot", "debate", "a question", "table talk"])
def test_a_store_that_knows_mails_by_their_bytes_alone_is_seen(
    post: Post, promise: Promise, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    def by_bytes(content: bytes, envelope: Envelope, rules: MailRules) -> Marks:
        return replace(marks_of(content, envelope, rules), key=hashlib.sha256(content).hexdigest())

    monkeypatch.setattr(receive, "marks_of", by_bytes)
    sent = dict(one_of_each(post))
    with promise.breaks("the key of a mail is the hash of its bytes"):
        has_no_effect_again(post, promise, sent[kind], copies=3)
