"""What a mail costs, told by what something else costs in the same run: the one kind of figure that holds on any machine."""

from __future__ import annotations

import pytest

from tests.bench import chain, parsing

MOST = 60
"""So many times as long as the standard library takes to read the same mail (compat32, headers and text decoded) may a mail be
in the worker, with the three mails or so that follow from it. It is about twenty-five times."""
READING = 5
"""Of which so many times may be reading."""
GROWN = 3
"""So many times as long may it take to find whose a mail is when there are `CROWD` games more: it is once, but for chance."""
CROWD = 5_000

pytestmark = pytest.mark.slow


def test_a_mail_in_the_worker_costs_so_many_times_the_parsing_of_it_and_not_more() -> None:
    stages = chain.in_the_worker(games=8)
    parsed = parsing.cost(parsing.compat32, parsing.mails())

    assert sum(stages.values()) < MOST * parsed, stages
    assert stages["read it"] < READING * parsed


def test_whose_a_mail_is_costs_the_same_among_thousands_of_games() -> None:
    alone, among_many = (chain.in_the_worker(games=8, beside=beside) for beside in (0, CROWD))

    for stage in chain.OF_THE_SENDER:
        assert among_many[stage] < GROWN * alone[stage], (alone, among_many)
