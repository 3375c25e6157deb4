"""The table of promises: what the suites marked `promise` have tried, and what came of it.

What lives here: the rows, their figures, and the fixture by which a test tells its own. What never may: a test, or a
figure that no test of this run has told.

A test of a row is marked `@pytest.mark.promise(1)` and says what it did: `promise.shows(faults=300, lost=0)`. Each
row has at least one fault that is planted on purpose, `with promise.breaks("…"):`, and the suite must see it.
`PBEM_PLANT=1` lets what it saw through: then every row is red.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

ROWS = {
    1: "Killed at a call that changes a file",
    2: "No space, or a broken disk, at such a call",
    3: "Acknowledged only when it is on the disk",
    4: "A full disk that grows again",
    5: "PostgreSQL stopped hard, workers cut off",
    6: "A smart host that fails at every point",
    7: "IMAP that breaks off, renumbers, is silent",
    8: "The same mail again, by every way",
    9: "Mails in any order",
    10: "Clocks that jump",
    11: "Deadlines in every time zone",
    12: "Random mails and commands",
    13: "A folder of hostile mails",
    14: "Mails that blow up when they are unpacked",
    15: "Peers that smuggle, flood or fall asleep",
    16: "Mails in another's name",
    17: "Old mails sent again",
    18: "Headers in what players write",
    19: "Scripts and templates in what players write",
    20: "Paths in what players write",
    21: "Texts made to be slow",
    22: "SQL in what players write",
    23: "Robots that answer robots",
    24: "Secrets looked for in everything that is written",
    25: "Readers while the site is published",
    26: "A log that was tampered with",
    27: "The same game on both databases",
    28: "Simulated hosts, mails, clocks and crashes",
    29: "A backup while mail comes in",
    30: "Several processes upgrade at once",
    33: "Every type of page, judged",
}
"""The suites, by their number."""
NOUGHT = ("lost", "doubled", "accepted", "scripts", "uncaught")
"""What must be 0: mails lost; effects doubled; what was to be kept out and got in, such as an act in another's name or a header of
somebody else's making; scripts run; exceptions that nobody caught."""
SUMS = ("faults", "mails", *NOUGHT)
WORST = ("seconds", "megabytes")
"""Of one input: the longest time, and the most memory above that at the start."""


def planting() -> bool:
    """Whether the planted faults are to turn their rows red."""
    return bool(os.environ.get("PBEM_PLANT"))


class Promise:
    """What a test of a row tells of itself."""

    def __init__(self, item: pytest.Item) -> None:
        self._item = item
        self._broken = False

    def shows(self, **figures: float) -> None:
        """Figures by the names in `SUMS` and `WORST`; fails when one is not 0 that must be."""
        unknown = figures.keys() - {*SUMS, *WORST}
        assert not unknown, f"no such figures: {unknown}"
        if not self._broken or planting():
            self._item.user_properties.append(("figures", figures))
        wrong = {name: figures[name] for name in NOUGHT if figures.get(name)}
        assert not wrong, wrong

    @contextmanager
    def breaks(self, fault: str) -> Iterator[None]:
        """Around a check with that fault in the code: it must fail, by an assertion."""
        self._broken = True
        try:
            yield
        except AssertionError:
            if planting():
                raise
            self._item.user_properties.append(("planted", fault))
        else:
            pytest.fail(f"nothing was seen of the planted fault: {fault}")
        finally:
            self._broken = False


@pytest.fixture
def promise(request: pytest.FixtureRequest) -> Promise:
    """By which a test tells the figures of its row."""
    return Promise(request.node)


def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark in item.iter_markers("promise"):
        item.user_properties.append(("row", mark.args[0]))


@dataclass
class Row:
    """What the tests of one suite have told."""

    sums: Counter[str] = field(default_factory=Counter)
    worst: dict[str, float] = field(default_factory=dict)
    planted: list[str] = field(default_factory=list)
    failed: int = 0

    @property
    def kept(self) -> bool:
        return not self.failed and not any(self.sums[name] for name in NOUGHT) and bool(self.planted)

    def add(self, report: pytest.TestReport) -> None:
        self.failed += report.failed
        if report.when != "call":
            return
        for name, value in report.user_properties:
            if name == "planted":
                self.planted.append(str(value))
            elif name == "figures":
                self._count(value)  # type: ignore[arg-type]  # what `shows` has put there

    def _count(self, figures: dict[str, float]) -> None:
        for name, value in figures.items():
            if name in WORST:
                self.worst[name] = max(value, self.worst.get(name, 0))
            else:
                self.sums[name] += int(value)

    def cells(self) -> Iterator[str]:
        for name in SUMS:
            yield f"{self.sums[name]:,}" if name in self.sums else ""
        for name in WORST:
            yield f"{self.worst[name]:,.2f}" if name in self.worst else ""
        yield str(len(self.planted))
        yield "kept" if self.kept else "**broken**"


def rows_of(reports: Iterable[pytest.TestReport]) -> dict[int, Row]:
    """The rows that the reports tell of."""
    rows: dict[int, Row] = {}
    for report in reports:
        for name, number in report.user_properties:
            if name == "row":
                rows.setdefault(int(str(number)), Row()).add(report)
    return dict(sorted(rows.items()))


def written(rows: dict[int, Row]) -> Iterator[str]:
    """The table, in Markdown."""
    heads = ("", "suite", *SUMS, "worst s", "worst MB", "planted, seen", "")
    yield f"| {' | '.join(heads)} |"
    yield f"| {' | '.join('---' if place < 2 else '--:' for place in range(len(heads)))} |"
    for number, row in rows.items():
        yield f"| {number} | {ROWS[number]} | {' | '.join(row.cells())} |"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    stats = terminalreporter.stats
    rows = rows_of(report for kind in ("passed", "failed", "error") for report in stats.get(kind, []))
    if config.getoption("markexpr") == "promise" or rows.keys() == ROWS.keys():
        for line in written(rows):
            terminalreporter.write_line(line)
