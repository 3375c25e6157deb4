"""docs/promises.md names each suite of the table of promises, and where it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.promises.table import ROWS

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "promises.md").read_text("utf-8")
LINES = dict(re.findall(r"(?m)^\| (\d+) \| [^|]+ \| ([^|]+\.py`[^|]*) \|", PAGE))


def test_every_suite_is_on_the_page_and_no_other() -> None:
    assert [int(number) for number in LINES] == list(ROWS)


@pytest.mark.parametrize("number", ROWS)
def test_its_tests_are_where_the_page_says(number: int) -> None:
    for file in re.findall(r"`([^`]+\.py)`", LINES[str(number)]):
        assert f"mark.promise({number})" in (ROOT / "tests" / file).read_text("utf-8")
