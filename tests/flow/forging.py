"""Mails as they really come and as forgers write them: receivers' words, tokens good and bad.

What lives here: the making of them. What never may: a look inside the host, but for its secret, which makes the
tokens that a forger might have got hold of.
"""

from __future__ import annotations

import email
import email.policy
import re

from pbem.mail import tokens
from pbem.mail.tokens import Claim
from pbem.store import people
from tests.flow.post import ADDRESS, PEOPLE, RECEIVER, Post

WORLD = "lmtp 127.0.0.1"
"""The way of a mail that our own mail server has looked at."""
TOKEN = re.compile(tokens.SHAPE)


def domain_of(name: str) -> str:
    return PEOPLE[name][1].partition("@")[2]


def results(name: str, verdict: str = "pass") -> str:
    """What our receiver writes about a mail from somebody's domain."""
    return f"{RECEIVER}; dmarc={verdict} header.from={domain_of(name)}"


def signed(post: Post, name: str, words: str, **mail: str) -> bytes:
    """A mail of a player whose provider signs, as it comes from our receiver."""
    return post.compose(name, words, Authentication_Results=results(name), **mail)


def headers(content: bytes, *lines: str) -> bytes:
    """The mail with these header lines on top."""
    return "".join(f"{line}\r\n" for line in lines).encode() + content


def replaced(content: bytes, name: str, value: str) -> bytes:
    """The mail with another value in one header, written as it stands."""
    head, _, body = content.partition(b"\r\n\r\n")
    kept = [line for line in head.split(b"\r\n") if not line.lower().startswith(f"{name.lower()}:".encode())]
    return b"\r\n".join([f"{name}: {value}".encode(), *kept]) + b"\r\n\r\n" + body


def token(post: Post, name: str, game: str, *, at: int | None = None, purpose: str = "reply") -> str:
    """A token of a player's as the host makes it."""
    with post.host.store.reading():
        person = people.person_by_address(post.host.store, PEOPLE[name][1])
    assert person is not None
    made = tokens.claim(purpose, person.id, post.now if at is None else at, 7)  # type: ignore[arg-type]
    return post.host.keys.make(made, game)


def forged(claim: Claim) -> str:
    """A token as somebody makes it who does not know the host's secret."""
    return tokens.Keyring((b"what a forger thinks might be the secret",)).make(claim)


def with_token(made: str) -> str:
    """Our address with that token, or our bare address."""
    return tokens.tagged(ADDRESS, made) if made else ADDRESS


def tokens_in(content: bytes) -> set[str]:
    """All that looks like a token in a mail, its encodings undone."""
    message = email.message_from_bytes(content, policy=email.policy.default)
    texts = [str(value) for value in message.values()]
    texts += [part.get_content() for part in message.walk() if part.get_content_maintype() == "text"]
    return {found for text in texts for found in TOKEN.findall(text.lower())}
