"""Whose mail it is: what From, the receiver's word and a token prove together, as one table.

What lives here: the table. What never may: reading any of the three, or carrying the answer out.
"""

from __future__ import annotations

from typing import Final, Literal

Sender = Literal["known", "unknown", "list"]
"""What From names: an address of a person's (or one that is invited), nobody we know, or a list that put itself there."""
Proof = Literal["vouched", "pass", "absent", "fail"]
"""What is said for From's domain: the host vouches for From itself; our own receiver passes it, says nothing, fails it."""
Bearer = Literal["own", "another's", "nobody's"]
"""Whose good token the mail bears: From's (any person's, if From is not known), another person's, none."""
Attribution = Literal["count", "count with a remark", "hold", "hold for its owner", "tell both", "answer once", "silence"]  # fmt: skip
"""
- count: it is From's. With a remark: the receipt says that the provider has not signed it.
- hold: nothing in it is done until From's registered address confirms it.
- hold for its owner: the same, and the registered address of the token's owner is asked.
- tell both: hold; From's registered address is asked, and the token's owner is told.
- answer once: a stranger whose address is genuine gets one short answer to the mail, a few a day.
- silence: nobody is answered, for the answer might go to somebody who never wrote.
"""

_ANY: Final[tuple[Bearer, ...]] = ("own", "another's", "nobody's")
_TABLE: Final[tuple[tuple[Sender, tuple[Proof, ...], tuple[Bearer, ...], Attribution], ...]] = (
    ("known", ("vouched",), _ANY, "count"),
    ("known", ("pass", "absent", "fail"), ("another's",), "tell both"),
    ("known", ("pass",), ("own", "nobody's"), "count"),
    ("known", ("absent",), ("own",), "count with a remark"),
    ("known", ("absent",), ("nobody's",), "hold"),
    ("known", ("fail",), ("own", "nobody's"), "hold"),
    ("unknown", ("vouched",), _ANY, "answer once"),
    ("unknown", ("pass", "absent", "fail"), ("own",), "hold for its owner"),
    ("unknown", ("pass",), ("nobody's",), "answer once"),
    ("unknown", ("absent", "fail"), ("nobody's",), "silence"),
    ("list", ("vouched", "pass", "absent", "fail"), ("own",), "hold for its owner"),
    ("list", ("vouched", "pass", "absent", "fail"), ("nobody's",), "silence"),
)


def attribute(sender: Sender, proof: Proof, bearer: Bearer, *, strict: bool = False) -> Attribution:
    """What is to be done with a mail. In a strict game a token does not stand in for the receiver's word."""
    found = next(
        what
        for who, proofs, bearers, what in _TABLE
        if who == sender and proof in proofs and bearer in bearers
    )
    return "hold" if strict and found == "count with a remark" else found
