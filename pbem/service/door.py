"""The one door that every mail comes in by.

What lives here: what an intake may expect of it, and how it hands over many mails at once. What never may: a way around it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from pbem.mail.message import Envelope
from pbem.store.db import StoreError

MOST_AT_ONCE = 200
BYTES_AT_ONCE = 4_000_000
"""What an intake that has many mails before it holds in memory, and hands over, at once."""

Offered = tuple[bytes, Envelope, str]
"""A mail: its bytes, its envelope, the name of the intake."""

ReceiveAll = Callable[[Sequence[Offered]], Sequence[str]]
"""Stores mails and returns once they are committed, all of them: the answers say what became of each.

Any exception means that none is stored, and that they are to be offered again.
"""

Name = TypeVar("Name")


def offer(receive_all: ReceiveAll, mails: Sequence[Offered]) -> list[Exception | None]:
    """Hands over mails, in one transaction if that can be; returns, for each, why it is not stored, or None: then it is."""
    try:
        receive_all(mails)
    except StoreError as failure:
        return [failure] * len(mails)
    except Exception as failure:
        if len(mails) > 1:  # one of them may be to blame
            return [outcome for mail in mails for outcome in offer(receive_all, [mail])]
        return [failure]
    return [None] * len(mails)


def portions(sizes: Mapping[Name, int]) -> Iterator[list[Name]]:
    """The names of mails (with their bytes), in order, in portions that are not too much to hold at once."""
    portion: list[Name] = []
    total = 0
    for name, size in sizes.items():
        if portion and (total + size > BYTES_AT_ONCE or len(portion) == MOST_AT_ONCE):
            yield portion
            portion, total = [], 0
        portion.append(name)
        total += size
    if portion:
        yield portion


def nobody_counts() -> None:
    """Whoever is told of each look at a mailbox, where no server watches over it."""
