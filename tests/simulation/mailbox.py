"""A mailbox read over IMAP, without a network: what the real poller asks is answered, or the line breaks.

What lives here: the mailbox, and the client's side of a connection to it (what `imapclient` offers). What never may:
a look at the store.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from random import Random
from typing import Any

import pytest
from imapclient.exceptions import IMAPClientAbortError

from pbem.service import imap_in


@dataclass
class Mailbox:
    """Mails by UID, each with the moment it came (UTC µs). `trouble` is how often the line breaks at a command."""

    lot: Random
    trouble: float = 0.0
    cuts: int = 0
    uidvalidity: int = 1
    mails: dict[int, tuple[bytes, int]] = field(default_factory=dict)
    seen: set[int] = field(default_factory=set)
    _next: int = 1

    def put(self, content: bytes, at: int) -> None:
        self.mails[self._next] = content, at
        self._next += 1

    @property
    def uidnext(self) -> int:
        return self._next

    def make_anew(self) -> None:
        """Another UIDVALIDITY, under which all mails have new numbers (RFC 3501 §2.3.1.1)."""
        kept = list(self.mails.values())
        self.uidvalidity += 1
        self.mails, self.seen, self._next = {}, set(), 1
        for content, at in kept:
            self.put(content, at)

    def empty(self) -> None:
        """Somebody removes what was read; the numbers go on."""
        for uid in self.seen:
            del self.mails[uid]
        self.seen.clear()

    def login(self) -> None:
        """Raises TimeoutError when there is no way to it."""
        if self.lot.random() < self.trouble:
            self.cuts += 1
            raise TimeoutError("timed out")


class Connection:
    """A connection as `imapclient` shows it. Once the line is broken, every command fails."""

    def __init__(self, mailbox: Mailbox) -> None:
        self._mailbox = mailbox
        self._broken = False
        self.normalise_times = True

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is left of it."""

    def login(self, *_: str) -> None:
        self._mailbox.login()

    def _must_hold(self) -> None:
        self._broken = self._broken or self._mailbox.lot.random() < self._mailbox.trouble
        if self._broken:
            self._mailbox.cuts += 1
            raise IMAPClientAbortError("socket error: EOF")

    def select_folder(self, *_: Any, **__: Any) -> dict[bytes, Any]:
        self._must_hold()
        box = self._mailbox
        return {b"UIDVALIDITY": box.uidvalidity, b"UIDNEXT": box.uidnext, b"EXISTS": len(box.mails)}

    def search(self, asked: Sequence[str]) -> list[int]:
        """`UID n:*`, `UID n:m` and `UID n,m`; the first names the last mail even if its number is below n."""
        self._must_hold()
        uids = sorted(self._mailbox.mails)
        if ":" not in asked[1]:
            return [uid for uid in uids if str(uid) in asked[1].split(",")]
        first, _, last = asked[1].partition(":")
        least, most = int(first), uids[-1] if last == "*" and uids else int(last.replace("*", "0"))
        return [uid for uid in uids if min(least, most) <= uid <= max(least, most)]

    def fetch(self, uids: Sequence[int], parts: Sequence[str]) -> dict[int, dict[bytes, Any]]:
        self._must_hold()
        here = {uid: self._mailbox.mails[uid] for uid in uids if uid in self._mailbox.mails}
        if parts[0] == "RFC822.SIZE":
            return {
                uid: {b"RFC822.SIZE": len(mail), b"INTERNALDATE": _stamp(at)}
                for uid, (mail, at) in here.items()
            }
        return {uid: {b"BODY[]<0>": mail} for uid, (mail, _) in here.items()}

    def add_flags(self, uids: Sequence[int], *_: Any, **__: Any) -> None:
        self._must_hold()
        self._mailbox.seen.update(uid for uid in uids if uid in self._mailbox.mails)


def _stamp(at: int) -> datetime:
    """To the second, as IMAP tells it."""
    return datetime.fromtimestamp(at // 1_000_000, UTC)


@contextmanager
def reached(mailbox: Mailbox) -> Iterator[None]:
    """Whatever connects over IMAP, to the end of the block, reaches this mailbox."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(imap_in, "IMAPClient", lambda *_, **__: Connection(mailbox))
        yield
