"""The table of who is believed, row for row, and what holds of all of it."""

from __future__ import annotations

from itertools import product

import pytest

from pbem.mail.attribution import attribute

PROOFS = ("pass", "absent", "fail")


@pytest.mark.parametrize(
    ("sender", "proof", "bearer", "what"),
    [
        ("known", "pass", "own", "count"),
        ("known", "pass", "nobody's", "count"),
        ("known", "absent", "own", "count with a remark"),
        ("known", "fail", "own", "hold"),
        ("known", "fail", "nobody's", "hold"),
        ("known", "absent", "nobody's", "hold"),
        *(("unknown", proof, "own", "hold for its owner") for proof in PROOFS),
        *(("list", proof, "own", "hold for its owner") for proof in PROOFS),
        ("unknown", "pass", "nobody's", "answer once"),
        ("unknown", "absent", "nobody's", "silence"),
        ("unknown", "fail", "nobody's", "silence"),
        *(("known", proof, "another's", "tell both") for proof in PROOFS),
        *(("list", proof, "nobody's", "silence") for proof in PROOFS),
        ("known", "vouched", "nobody's", "count"),
        ("known", "vouched", "another's", "count"),
        ("unknown", "vouched", "nobody's", "answer once"),
    ],
)
def test_each_row(sender, proof, bearer, what):
    assert attribute(sender, proof, bearer) == what


def test_in_a_strict_game_a_token_does_not_stand_in_for_the_provider():
    assert attribute("known", "absent", "own", strict=True) == "hold"
    assert attribute("known", "pass", "nobody's", strict=True) == "count"


def test_nothing_counts_that_neither_the_domain_nor_the_host_vouches_for_unless_it_bears_the_senders_own_token():
    for sender, proof, bearer in product(("known", "unknown"), PROOFS, ("own", "another's", "nobody's")):
        if (sender, bearer) == ("unknown", "another's"):
            continue  # a token is anybody's own when From is nobody
        if attribute(sender, proof, bearer).startswith("count"):
            assert sender == "known"
            assert proof == "pass" or (proof == "absent" and bearer == "own")
