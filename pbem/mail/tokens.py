"""Secret words in our addresses and Message-IDs: who holds one has seen the mail it stood in.

What lives here: making, finding, checking and hiding them (HMAC-SHA256, cut to 80 bits). What never may: a file, a
clock, and a decision about what a token is worth (attribution.py). A token stands in the tag of an address,
`nomic+TOKEN@…` or `nomic-TOKEN@…`, and as the last word of a Message-ID; it is for one person, one purpose and a time.

Its 20 bytes: `q` and the purpose, the key's id, the person (3), the last day it is good (2), a mark (3), the MAC (10).
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, Literal

Purpose = Literal["reply", "confirm", "leave", "bounce"]
Standing = Literal["good", "expired", "forged"]

DAY: Final = 86_400_000_000
"""In µs."""
DAYS: Final = {"reply": 60, "confirm": 30, "leave": 400, "bounce": 30}
"""How many days from its making a token is good. A reply's: a long turn and thirty days."""

SHAPE: Final = "q[a-z2-7]{31}"
"""The shape of a token, as a regular expression. It is no name of a game, for those are shorter."""
MARK: Final = f"(?:[0-9a-f]{{24}}|{SHAPE})"
"""The shape of the last word of a Message-ID of ours."""

_PURPOSES: Final[tuple[Purpose, ...]] = ("reply", "confirm", "leave", "bounce")
_FIRST: Final = 0b10000_000
"""The five bits that base32 writes as q, above those of the purpose."""
_SAID: Final = 10
"""Bytes before the MAC, and in it."""
_MOST: Final = 20
"""Tokens looked at in one mail."""
_ALONE = re.compile(rf"(?<![a-z0-9]){SHAPE}(?![a-z0-9])", re.IGNORECASE)
_ONE = re.compile(SHAPE, re.IGNORECASE)
_TAGGED = re.compile(rf"(?:[+.-]|[%=](?:25)?2b|(?<![a-z0-9])){SHAPE}(?![a-z0-9])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Claim:
    """What a token says, proven or not. `person` 0: somebody who is none of ours yet. `day` is the last one on which
    it is good (days since 1970, UTC); `mark` tells tokens of one person and day apart (24 bits)."""

    purpose: Purpose
    person: int
    day: int
    mark: int


@dataclass(frozen=True, slots=True)
class Keyring:
    """The secrets of a host: new tokens are made with the last, those made with any of them are known."""

    secrets: tuple[bytes, ...] = field(repr=False)

    def make(self, claim: Claim, about: str = "") -> str:
        """The token for `claim`. `about` goes into the MAC and not into the token: whoever checks must know it."""
        secret = self.secrets[-1]
        said = bytes((_FIRST | _PURPOSES.index(claim.purpose), _key_id(secret)))
        said += claim.person.to_bytes(3) + claim.day.to_bytes(2) + claim.mark.to_bytes(3)
        return base64.b32encode(said + _mac(secret, said, about)).decode().lower()

    def check(self, token: str, about: str, now: int) -> Standing:
        """What a token is worth at `now` (UTC µs), if it is about that."""
        raw = _bytes(token)
        if raw is None or read(token) is None:
            return "forged"
        said, mac = raw[:_SAID], raw[_SAID:]
        known = [secret for secret in self.secrets if _key_id(secret) == said[1]]
        if not any(hmac.compare_digest(_mac(secret, said, about), mac) for secret in known):
            return "forged"
        return "good" if now // DAY <= int.from_bytes(said[5:7]) else "expired"


def claim(purpose: Purpose, person: int, at: int, mark: int) -> Claim:
    """The claim of a token made at `at` (UTC µs)."""
    return Claim(purpose, person, min(at // DAY + DAYS[purpose], 0xFFFF), mark)


def mark_of(text: str) -> int:
    """24 bits that stand for a text."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:3])


def read(token: str) -> Claim | None:
    """What a token says, None for what is none. It proves nothing: see `Keyring.check`."""
    raw = _bytes(token)
    if raw is None or raw[0] & 0b111 >= len(_PURPOSES):
        return None
    number = int.from_bytes
    return Claim(_PURPOSES[raw[0] & 0b111], number(raw[2:5]), number(raw[5:7]), number(raw[7:_SAID]))


def found_in(places: Iterable[str]) -> tuple[str, ...]:
    """The tokens in addresses and Message-IDs of ours, lower case, each once, in order; not more than a mail needs."""
    tokens = (token.lower() for place in places for token in _ALONE.findall(place))
    return tuple(dict.fromkeys(tokens))[:_MOST]


def hide(text: str) -> str:
    """`text` without any token, and without the sign that ties one to an address."""
    return _TAGGED.sub("", text) if _may_hold_one(text) else text


def _may_hold_one(text: str) -> bool:
    """A quick look: q is rare, and few texts hold so long a word that begins with it."""
    return any(_ONE.match(text, at) for letter in "qQ" for at in _places(text, letter))


def _places(text: str, letter: str) -> Iterator[int]:
    at = text.find(letter)
    while at >= 0:
        yield at
        at = text.find(letter, at + 1)


def tagged(address: str, token: str) -> str:
    """The address with the token as its tag."""
    local, _, domain = address.partition("@")
    return f"{local}+{token}@{domain}"


def _bytes(token: str) -> bytes | None:
    shaped = re.fullmatch(SHAPE, token.lower())
    return base64.b32decode(token.upper()) if shaped else None


def _key_id(secret: bytes) -> int:
    return hashlib.sha256(b"id\0" + secret).digest()[0]


def _mac(secret: bytes, said: bytes, about: str) -> bytes:
    return hmac.digest(secret, b"pbem\0" + said + about.encode(), "sha256")[:_SAID]
