"""A claim, and the keeper's answers by mail: what was put right is told to everyone, with the scores anew."""

from __future__ import annotations

import pytest

from pbem.game.commands import Claim, Correct, Rerun, Ruling, Undo, Void
from pbem.mail.grammar import read_commands
from tests.flow.post import Post


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("claim: the sum is wrong", Claim("the sum is wrong")),
        ("invändning: summan är fel", Claim("summan är fel")),
        ("award Bo Berg +5: forgotten", Correct("Bo Berg", 5, "forgotten")),
        ("award Bo -3", Correct("Bo", -3)),
        ("ge Anna-Karin Ek −3: fel", Correct("Anna-Karin Ek", -3, "fel")),
        ("void 301: unclear", Void(301, "unclear")),
        ("ogiltigförklara 301", Void(301)),
        ("rerun 301", Rerun(301)),
        ("gör om 301: posten kom bort", Rerun(301, "posten kom bort")),
        ("ruling: emoji are not words", Ruling("emoji are not words")),
        ("undo #12: a slip", Undo(12, "a slip")),
        ("ångra #12", Undo(12)),
    ],
)
def test_what_is_written_is_what_is_asked(line, command):
    (read,) = read_commands(line).commands

    assert read.command == command


def test_a_sign_apart_from_its_number_is_asked_back():
    assert read_commands("award Bo - 3").commands == ()


@pytest.mark.parametrize(
    ("points", "told"),
    [
        ("+1", "Corrected: +1 point for"),
        ("-1", "Corrected: −1 point for"),
        ("+2", "Corrected: +2 points for"),
    ],
)
def test_one_point_is_told_as_one(game: Post, points: str, told: str) -> None:
    receipt = game.mail("Kim", f"award Bo Berg {points}: the tea was served", subject="[kaffe]")
    assert told in receipt.words
