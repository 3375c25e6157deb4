"""The one door that every mail comes in by.

What lives here: what an intake may expect of it. What never may: a way around it.
"""

from collections.abc import Callable

from pbem.mail.message import Envelope

Receive = Callable[[bytes, Envelope, str], str]
"""Stores a mail (its bytes, its envelope, the name of the intake) and returns once it is committed.

The answer says what became of it. Any exception means that it is not stored, and is to be offered again.
"""


def nobody_counts() -> None:
    """Whoever is told of each look at a mailbox, where no server watches over it."""
