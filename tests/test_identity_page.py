"""docs/identity.md says what the program does: its table is that of mail/attribution.py, row for row."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

from pbem.config import Identity, Limits
from pbem.game import vocabulary
from pbem.mail.attribution import attribute
from pbem.mail.grammar import read_commands
from pbem.mail.tokens import DAYS, Claim, Keyring
from pbem.service.holding import NO, YES

PAGE = (Path(__file__).parents[1] / "docs" / "identity.md").read_text("utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if re.match(r"\| (known|unknown|list) \|", line)
]
COVERED = {
    case: what
    for sender, proofs, bearers, what in ROWS
    for case in product([sender], proofs.split(", "), bearers.split(", "))
}


@pytest.mark.parametrize("case", COVERED, ids=" ".join)
def test_each_row_is_what_is_done(case):
    assert attribute(*case) == COVERED[case]


def test_no_case_that_can_come_up_is_left_out():
    proofs, bearers = ("pass", "absent", "fail"), ("own", "another's", "nobody's")
    known = set(product(["known"], (*proofs, "vouched"), bearers))
    others = set(product(["unknown", "list"], proofs, ("own", "nobody's")))

    assert set(COVERED) >= known | others


@pytest.mark.parametrize("line", re.findall(r"`((?:add|remove) address A|forfeit for good|forget me|lägg till adress A|ta bort adress A|ge upp för gott|glöm mig)`", PAGE))  # fmt: skip
def test_each_line_can_be_sent(line):
    assert len(read_commands(line.replace(" A", " a@b.example")).commands) == 1


def test_its_numbers_and_words_are_those_of_the_program():
    assert DAYS["reply"] == 60
    assert "sixty days" in PAGE
    assert {quantity.name: time for quantity, time in vocabulary.HOUSE_RULES}["hold time"] == "48h"
    assert (Limits().answers_a_day, Limits().bounces) == (3, 5)
    assert "ok" in YES
    assert "no" in NO
    settings = {"key", "trusted_receivers", "relays", "believe_from", "strict_games"}
    assert settings == set(Identity.__dataclass_fields__)


def test_its_example_of_an_address_has_the_shape_of_a_token():
    token = Keyring((b"x" * 32,)).make(Claim("reply", 1, 1, 1))
    (shown,) = re.findall(r"nomic\+(q\w+)@", PAGE)

    assert len(shown) == len(token)
    assert shown[0] == token[0]
