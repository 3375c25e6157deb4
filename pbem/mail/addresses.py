"""Mailboxes out of address fields: a tokenizer that never guesses and never fails.

What lives here: RFC 5322 addresses, and which of them are our own. What never may: trust.
A name never counts as an address, and encoded words are not decoded before the address is found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from pbem.mail.headers import without_comments
from pbem.mail.remembering import remembered
from pbem.mail.tokens import SHAPE

_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"?|[<>,;]|\\.|[^"<>,;\\]+', re.DOTALL)
_NEVER = r'\s\x00-\x20\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff@<>()\[\],;:"\\'
_SHAPE = rf"[^{_NEVER}]{{1,64}}@[^{_NEVER}]{{1,255}}"
_ADDRESS = re.compile(_SHAPE)
_ORDINARY = re.compile(rf'[^<>,;"\\()@]{{0,998}}<({_SHAPE})>|({_SHAPE})')
"""One mailbox without anything quoted or commented, as nearly all of them are."""


@remembered(200)
def mailboxes(value: str) -> tuple[str, ...]:
    """The addresses of a From, To, Cc or Reply-To value, lower case, in order.

    A comma or an @ in an unquoted name makes no second mailbox as long as an <address> follows it.
    Empty groups, quoted local parts and whatever else is no plain address yield nothing.
    """
    if ordinary := _ORDINARY.fullmatch(value):
        return ((ordinary[1] or ordinary[2]).lower(),)
    found: list[str] = []
    for name, angles in _entries(without_comments(value)):
        candidates = angles or ([name.strip()] if "@" in name else [])
        found += [plain.lower() for plain in map(str.strip, candidates) if _ADDRESS.fullmatch(plain)]
    return tuple(found)


def _entries(value: str) -> list[tuple[str, list[str]]]:
    """Each comma-separated entry as its bare words and what stood between its angle brackets."""
    entries: list[tuple[str, list[str]]] = [("", [])]
    inside = False
    for piece in _PIECE.findall(value):
        name, angles = entries[-1]
        if piece == "<":
            inside = True
            angles.append("")
        elif piece == ">":
            inside = False
        elif inside:
            angles[-1] += piece
        elif piece in {",", ";"}:
            entries.append(("", []))
        elif not piece.startswith('"'):
            entries[-1] = (name + piece, angles)
    return entries


def sole_mailbox(values: Iterable[str]) -> str | None:
    """The address when there is exactly one field with exactly one mailbox in it, else None."""
    fields = list(values)
    found = mailboxes(fields[0]) if len(fields) == 1 else ()
    return found[0] if len(found) == 1 else None


def domain(address: str) -> str:
    """What stands after the @, lower case."""
    return address.rpartition("@")[2].lower()


_TAG = re.compile(rf"\+.*|-{SHAPE}\Z")


@remembered(400)
def untagged(address: str) -> str:
    """The address without its +tag (or -TOKEN: some forms on the web take no plus), lower case."""
    local, _, host = address.lower().rpartition("@")
    return f"{_TAG.sub('', local)}@{host}"


def is_ours(address: str, ours: Iterable[str]) -> bool:
    """Whether the address is one of ours; any tag of ours is ours too."""
    return untagged(address) in {untagged(own) for own in ours}
