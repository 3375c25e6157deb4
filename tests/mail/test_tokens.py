"""Tokens: what one says, who can make one, how long it is good, and where none may be left."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.mail.addresses import is_ours
from pbem.mail.tokens import DAY, DAYS, SHAPE, Claim, Keyring, claim, found_in, hide, mark_of, read, tagged

NOW = 20_788 * DAY
KEYS = Keyring(
    (b"an old secret of the host, thirty-two long", b"and the one it has now, just as long as that")
)
SAYS = claim("reply", 7, NOW, mark_of("kaffe/ballot:301/7"))
TOKEN = KEYS.make(SAYS, "kaffe")

claims = st.builds(
    Claim,
    st.sampled_from(["reply", "confirm", "leave", "bounce"]),
    st.integers(0, 2**24 - 1),
    st.integers(0, 2**16 - 1),
    st.integers(0, 2**24 - 1),
)


@given(claims, st.text())
def test_a_token_says_what_it_was_made_to_say_and_fits_an_address(says, about):
    token = KEYS.make(says, about)

    assert re.fullmatch(SHAPE, token)
    assert read(token) == says
    assert KEYS.check(token, about, says.day * DAY) == "good"
    local = tagged("nomic@nomic.example", token).partition("@")[0]
    assert len(local) < 64


def test_the_same_mail_has_the_same_token():
    assert KEYS.make(SAYS, "kaffe") == TOKEN


@given(st.integers(0, 31), st.sampled_from("abcdefghijklmnopqrstuvwxyz234567"))
def test_no_letter_of_it_can_be_changed(place, letter):
    forged = TOKEN[:place] + letter + TOKEN[place + 1 :]

    assert KEYS.check(forged, "kaffe", NOW) == ("good" if forged == TOKEN else "forged")


@pytest.mark.parametrize("about", ["te", "", "kaffe2"])
def test_it_is_about_one_matter(about):
    assert KEYS.check(TOKEN, about, NOW) == "forged"


@pytest.mark.parametrize("purpose", ["confirm", "leave", "bounce"])
def test_it_is_for_one_purpose(purpose):
    other = KEYS.make(Claim(purpose, SAYS.person, SAYS.day, SAYS.mark), "kaffe")

    assert other != TOKEN
    assert read(other).purpose == purpose


def test_it_is_good_through_its_last_day():
    last = (20_788 + DAYS["reply"]) * DAY

    assert KEYS.check(TOKEN, "kaffe", last + DAY - 1) == "good"
    assert KEYS.check(TOKEN, "kaffe", last + DAY) == "expired"


def test_a_client_may_write_it_in_capitals():
    assert KEYS.check(TOKEN.upper(), "kaffe", NOW) == "good"
    assert found_in([f"Nomic+{TOKEN.upper()}@nomic.example"]) == (TOKEN,)


def test_a_secret_that_was_replaced_is_still_known_until_it_is_taken_out():
    old = Keyring(KEYS.secrets[:1]).make(SAYS, "kaffe")

    assert KEYS.check(old, "kaffe", NOW) == "good"
    assert Keyring(KEYS.secrets[1:]).check(old, "kaffe", NOW) == "forged"
    assert Keyring(KEYS.secrets[1:]).make(SAYS, "kaffe") == TOKEN, "new ones are made with the last"


def test_the_secrets_are_not_shown():
    assert "secret" not in repr(KEYS)


@pytest.mark.parametrize(
    "text", ["", "q", "q" * 31, "q" * 33, "å" * 32, "q" + "1" * 31, TOKEN[:-1], f"{TOKEN}a"]
)
def test_what_has_not_the_shape_is_none(text):
    assert KEYS.check(text, "kaffe", NOW) == "forged"


@given(st.text())
def test_nothing_raises(text):
    assert KEYS.check(text, "", NOW) == "forged"
    assert hide(text) == text or re.search(SHAPE, text, re.IGNORECASE)


@pytest.mark.parametrize("sign", ["+", "-"])
def test_both_signs_tie_it_to_an_address_of_ours(sign):
    assert is_ours(f"nomic{sign}{TOKEN}@nomic.example", ("nomic@nomic.example",))


@pytest.mark.parametrize(
    "address", ["nomic-x@nomic.example", "nomic-list@nomic.example", f"x-{TOKEN}@nomic.example"]
)
def test_a_hyphen_alone_makes_no_address_ours(address):
    assert not is_ours(address, ("nomic@nomic.example",))


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        (f"Nomic <nomic+{TOKEN}@nomic.example> wrote:", "Nomic <nomic@nomic.example> wrote:"),
        (f"nomic-{TOKEN.upper()}@nomic.example", "nomic@nomic.example"),
        (f"<kaffe.proposal.301.{TOKEN}@nomic.example>", "<kaffe.proposal.301@nomic.example>"),
        (f"mailto:nomic%2B{TOKEN}@nomic.example", "mailto:nomic@nomic.example"),
        (f"({TOKEN})", "()"),
        (f"{TOKEN}\n{TOKEN}", "\n"),
        ("quite a long word, and a quarrel", "quite a long word, and a quarrel"),
        (f"x{TOKEN}", f"x{TOKEN}"),
    ],
)
def test_none_is_left_in_a_text_and_nothing_else_is_touched(text, hidden):
    assert hide(text) == hidden
