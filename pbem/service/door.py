"""The one door that every mail comes in by.

What lives here: what an intake may expect of it. What never may: a way around it.
"""

from collections.abc import Callable, Sequence

from pbem.mail.message import Envelope

Offered = tuple[bytes, Envelope, str]
"""A mail: its bytes, its envelope, the name of the intake."""


Receive = Callable[[bytes, Envelope, str], str]
"""Stores a mail (its bytes, its envelope, the name of the intake) and returns once it is committed.

The answer says what became of it. Any exception means that it is not stored, and is to be offered again.
"""

ReceiveAll = Callable[[Sequence[Offered]], Sequence[str]]
"""The same for several mails at once: all of them, or with an exception none."""


def nobody_counts() -> None:
    """Whoever is told of each look at a mailbox, where no server watches over it."""
