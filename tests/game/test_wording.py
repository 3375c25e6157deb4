"""What an expression says in words: every clause of the shipped rules, and shapes that players write."""

from __future__ import annotations

import pytest

from pbem.game import clauses
from pbem.game.wording import VARIABLES, in_words, joined
from tests.game.conftest import rules


def words(expression: str) -> str:
    return joined([str(piece) for piece in in_words(expression)])


@pytest.mark.parametrize(("expression", "said"), [
    ("votes_for * 2 > eligible", "votes for × 2 > possible votes"),
    ("203 in numbers || unanimous ? 0 : 10",
     "if 203 is one of the rules in force or all vote for it: 0; otherwise 10"),
    ("round((number - 291) * votes_for, votes_cast)",
     "(the proposal’s number − 291) × votes for ÷ votes cast, rounded"),
    ("round(number - 291, votes_cast)", "(the proposal’s number − 291) ÷ votes cast, rounded"),
    ("round(score, 2) + 1", "(the player’s points ÷ 2, rounded) + 1"),
    ("votes_for > 0 && (circuit <= 2 ? votes_for == eligible : votes_for * 2 > eligible)",
     "votes for > 0 and (if the number of the circuit ≤ 2: votes for = possible votes; "
     "otherwise votes for × 2 > possible votes)"),
    ('kind == "repeal" ? 1 : turn > 9 ? 2 : 3',
     'if the kind of change = "repeal": 1; otherwise if the number of the turn > 9: 2; otherwise 3'),
    ("turn > 9 ? (turn > 20 ? 1 : 2) : 3",
     "if the number of the turn > 9: (if the number of the turn > 20: 1; otherwise 2); otherwise 3"),
    ('status in ["active", "absent"]', 'the player’s status is one of ["active", "absent"]'),
    ("!unanimous", "not all vote for it"),
    ('name == "number > 1"', 'the player’s name = "number > 1"'),
    (r'name == "a\" ? turn" ? 1 : 2', r'if the player’s name = "a\" ? turn": 1; otherwise 2'),
    ("coins > 10 ? 1 : 0", "if coins > 10: 1; otherwise 0"),
    ("size(numbers) >= 20", "size (the rules in force) ≥ 20"),
])  # fmt: skip
def test_an_expression_is_told_in_words(expression: str, said: str) -> None:
    assert words(expression) == said


@pytest.mark.parametrize("expression", ["-10", "true", '"surname"', "12h", ""])
def test_what_is_plain_as_it_is_is_left_alone(expression: str) -> None:
    assert in_words(expression) == ()


@pytest.mark.parametrize("broken", ["round(", "a ? b", "votes_for ? ) (", "] ? :", "round(votes_for"])
def test_what_no_clause_can_say_breaks_nothing(broken: str) -> None:
    assert isinstance(words(broken), str)


def test_everything_an_expression_may_read_has_words() -> None:
    assert VARIABLES.keys() == {name for scope in clauses.VARIABLES.values() for name in scope}


@pytest.mark.parametrize("ruleset", ["suber", "suber1990"])
def test_no_clause_of_the_shipped_rules_keeps_a_name_of_the_program(ruleset: str) -> None:
    for rule in rules("en", ruleset):
        for clause in rule.clauses:
            assert "_" not in words(clause.expression), clause.expression
            assert not {"&", "|", "?"} & set(words(clause.expression)), clause.expression
