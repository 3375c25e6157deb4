"""The table of promises says what the tests said, and is red where one of them saw a fault."""

from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]

SUITE = """
import pytest
from tests.promises.table import promise, pytest_runtest_setup, pytest_terminal_summary

@pytest.mark.promise(1)
@pytest.mark.parametrize("lost", [0, {lost}])
def test_holds(promise, lost):
    promise.shows(faults=150, mails=10, lost=lost, seconds=0.25 + lost)

@pytest.mark.promise(1)
def test_is_seen(promise):
    with promise.breaks("a mail is lost"):
        promise.shows(faults=1, lost={planted})
"""


def table(pytester: pytest.Pytester, **given: int) -> list[str]:
    """The row, as it is printed."""
    pytester.makepyfile(conftest="from tests.promises.table import *")
    pytester.makepyfile(SUITE.format(**given))
    pytester.makeini("[pytest]\nmarkers = promise: a row")
    done = pytester.runpytest_inprocess("-m", "promise", "-p", "no:randomly")
    return next(line for line in done.outlines if line.startswith("| 1 |")).split(" | ")[1:]


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PBEM_PLANT", raising=False)


def test_a_kept_promise_has_its_figures_added_up(pytester: pytest.Pytester) -> None:
    assert table(pytester, lost=0, planted=1) == [
        "Killed at a call that changes a file",
        *("300", "20", "0", "", "", "", "", "0.25", "", "1", "kept |"),
    ]


def test_a_lost_mail_turns_the_row_red(pytester: pytest.Pytester) -> None:
    row = table(pytester, lost=2, planted=1)
    assert (row[3], row[-1]) == ("2", "**broken** |")


def test_a_planted_fault_that_nobody_sees_turns_the_row_red(pytester: pytest.Pytester) -> None:
    assert table(pytester, lost=0, planted=0)[-2:] == ["0", "**broken** |"]


def test_a_planted_fault_turns_the_row_red_when_it_is_let_through(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PBEM_PLANT", "1")
    row = table(pytester, lost=0, planted=1)
    assert (row[1], row[3], row[-1]) == ("301", "1", "**broken** |")
