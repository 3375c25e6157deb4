"""docs/rules.md: every rule of the default set has a row, and every row names code and tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.game.conftest import rules

ROOT = Path(__file__).parents[1]
ROWS = {
    int(cells[0]): cells
    for line in (ROOT / "docs" / "rules.md").read_text("utf-8").splitlines()
    if (cells := [cell.strip() for cell in line.strip("|").split("|")]) and cells[0].isdecimal()
}


def test_every_rule_of_the_set_has_a_row():
    assert sorted(ROWS) == sorted(rule.number for rule in rules())


@pytest.mark.parametrize("number", sorted(ROWS))
def test_a_row_names_code_and_tests_that_exist(number):
    _, does, where, tests = ROWS[number]
    files, named = re.findall(r"`([^`]+)`", where), re.findall(r"`([^`]+)::([^`]+)`", tests)

    assert does
    assert files
    assert named
    assert all((ROOT / "pbem" / file).is_file() for file in files)
    for file, test in named:
        assert f"def {test}(" in (ROOT / "tests" / file).read_text("utf-8")
