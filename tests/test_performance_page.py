"""docs/performance.md has a place for the table that `python -m tests.bench --write` puts there, and the table is one."""

from __future__ import annotations

import pytest

from tests.bench import table
from tests.bench.table import Row

PAGE = table.PAGE.read_text("utf-8")


def test_the_table_takes_the_place_of_the_one_before_and_nothing_else_is_changed() -> None:
    once = table.put_into(PAGE, table.written([Row("reading", "10/s")], "a machine", "2026-12-01"))
    again = table.put_into(once, "another")

    assert "| reading | 10/s | – | – | – |" in once
    assert "reading | 10/s" not in again
    assert [part.partition(table.BEGIN)[0] for part in (once, again)] == [PAGE.partition(table.BEGIN)[0]] * 2
    assert [part.partition(table.END)[2] for part in (once, again)] == [PAGE.partition(table.END)[2]] * 2


def test_a_page_without_a_place_for_it_is_left_alone() -> None:
    with pytest.raises(ValueError, match="no place for the table"):
        table.put_into("# Another page\n", "a table")


def test_what_stands_there_is_a_table_with_a_cell_for_each_column() -> None:
    rows = [
        line
        for line in PAGE.partition(table.BEGIN)[2].partition(table.END)[0].split("\n")
        if line.startswith("|")
    ]

    assert rows[:2] == list(table.HEAD)
    assert len(rows) > 2
    assert {row.count(" | ") for row in rows[2:]} == {table.HEAD[0].count(" | ")}


@pytest.mark.parametrize(("ours", "theirs", "said"), [(34, 10, "3.4 ×"), (1, 2, "0.5 ×"), (512, 10, "51 ×")])
def test_a_ratio_is_told_in_as_many_digits_as_it_has(ours: float, theirs: float, said: str) -> None:
    assert table.times(ours, theirs) == said
