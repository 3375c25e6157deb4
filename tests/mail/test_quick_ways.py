"""Where the reader has a quick way for what nearly every mail holds, it gives what the slow way gives."""

from __future__ import annotations

from itertools import product

import pytest

from pbem.mail.addresses import mailboxes
from pbem.mail.chars import clean
from pbem.mail.headers import unify

ODD = [
    *map(chr, (0, 7, 8, 11, 12, 27, 31, 127, 128, 133, 159, 160, 173, 0x34F, 0x61C, 0x180E, 0xFEFF, 0xFFFE)),
    *map(
        chr,
        (
            *range(0x2000, 0x2010),
            *range(0x2028, 0x2030),
            *range(0x2060, 0x2065),
            *range(0x2066, 0x2070),
            0xFFF9,
            0xD800,
            0xE0041,
        ),
    ),
]


@pytest.mark.parametrize("size", range(9))
def test_every_order_of_line_ends_is_read_as_the_plain_rule_says(size):
    for signs in product(b"a\r\n", repeat=size):
        raw = bytes(signs)
        assert unify(raw) == raw.replace(b"\r\r\n", b"\n").replace(b"\r\n", b"\n").replace(b"\r", b"\n"), raw


@pytest.mark.parametrize("odd", ODD, ids=ascii)
def test_no_odd_sign_stays_among_plain_words(odd):
    assert clean(f"rad{odd}1\tmåla\n") in {"rad1\tmåla\n", "rad 1\tmåla\n", "rad\n1\tmåla\n"}


@pytest.mark.parametrize(
    "value",
    [
        "Ada <Ada@berg.example>",
        "ada@berg.example",
        "<ada@berg.example>",
        '"Berg, Ada" <ada@berg.example>',
        "Ada (at home) <ada@berg.example>",
        " Ada  < ada@berg.example > ",
        "=?utf-8?q?=C3=85da?= <ada@berg.example>",
    ],
)
def test_a_mailbox_is_found_in_every_dress(value):
    assert mailboxes(value) == ("ada@berg.example",)
    assert mailboxes(f"bo@dal.example, {value}") == ("bo@dal.example", "ada@berg.example")


@pytest.mark.parametrize(
    "value", ["", "Ada", "@", "ada@", "ada@@berg.example", "a b@berg.example", "<ada>", "<>"]
)
def test_what_is_no_mailbox_gives_none(value):
    assert mailboxes(value) == ()
