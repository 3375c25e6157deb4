"""Deadlines near every move of the clocks in every time zone, 2020-2037: each against a sum over the moves themselves."""

from __future__ import annotations

import bisect
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

import pytest

from pbem.game import deadlines
from tests.promises.table import Promise

pytestmark = [pytest.mark.slow, pytest.mark.promise(11)]

DAY = 86_400
FIRST, LAST = (int(datetime(year, 1, 1, tzinfo=UTC).timestamp()) for year in (2020, 2038))
AROUND = range(-6 * 3600, 6 * 3600 + 1, 600)
"""Seconds before and after a move of the clocks."""
SHARES = 4


class Clocks:
    """The clocks of a zone as a list of their moves: since which moment (s, UTC) they show how much more than UTC.

    Which time a moment has there is all that is asked of the zone; what it makes of a time that comes twice or never is
    worked out here.
    """

    def __init__(self, zone: str) -> None:
        self._clocks = ZoneInfo(zone)
        self.since, self.offsets = [FIRST - 2 * DAY], [self._shown(FIRST - 2 * DAY)]
        for midnight in range(FIRST - 2 * DAY, LAST, DAY):
            if self._shown(midnight + DAY) != self.offsets[-1]:
                self.since.append(self._moved(midnight, midnight + DAY))
                self.offsets.append(self._shown(self.since[-1]))

    def _shown(self, at: int) -> int:
        offset = datetime.fromtimestamp(at, UTC).astimezone(self._clocks).utcoffset()
        assert offset is not None
        return int(offset.total_seconds())

    def _moved(self, low: int, high: int) -> int:
        before = self._shown(low)
        return bisect.bisect_left(range(low, high), True, key=lambda at: self._shown(at) != before) + low

    def offset(self, at: int) -> int:
        """How much more than UTC they show at a moment."""
        return self.offsets[bisect.bisect_right(self.since, at) - 1]

    def moment(self, wall: int) -> int:
        """The last moment at which they show that; if they never do, the one at which they are moved past it."""
        near = bisect.bisect_right(self.since, wall)
        found = [wall - offset for offset in self.offsets[max(0, near - 2) : near + 2]]
        shown = [at for at in found if at + self.offset(at) == wall]
        return max(shown) if shown else self._passed_over(wall)

    def _passed_over(self, wall: int) -> int:
        """The first move after which they show more than `wall`."""
        pairs = zip(self.since[1:], self.offsets, self.offsets[1:], strict=False)
        return next(at for at, before, after in pairs if at + before <= wall < at + after)


def walls(clocks: Clocks) -> Iterator[int]:
    """Times by the clock around each of their moves, as seconds since 1970 by it."""
    for at, before in zip(clocks.since[1:], clocks.offsets, strict=False):
        yield from (at + before + beside for beside in AROUND)


@cache
def _epoch() -> datetime:
    return datetime(1970, 1, 1)  # noqa: DTZ001  # a time by a clock


def violations(zones: list[str]) -> tuple[int, int]:
    """How many deadlines are set in these zones, and how many of them are at another moment than they should be."""
    tried = wrong = 0
    for zone in zones:
        clocks = Clocks(zone)
        for wall in walls(clocks):
            expected = clocks.moment(wall)
            tried += 1
            wrong += any(found != expected for found in _set(zone, clocks, wall))
    return tried, wrong


def _set(zone: str, clocks: Clocks, wall: int) -> Iterator[int]:
    """The deadline at that time by the clock (s, UTC): said outright, and as a day after the same time the day before."""
    yield deadlines.instant(_epoch() + timedelta(seconds=wall), zone) // 1_000_000
    begun = clocks.moment(wall - DAY)
    if begun + clocks.offset(begun) == wall - DAY:
        yield deadlines.after(begun * 1_000_000, "1d", zone) // 1_000_000


def zones(share: int) -> list[str]:
    return sorted(available_timezones())[share::SHARES]


@pytest.mark.parametrize("share", range(SHARES))
def test_no_deadline_is_at_another_moment_than_its_clocks_say(promise: Promise, share: int) -> None:
    tried, wrong = violations(zones(share))
    promise.shows(faults=tried, lost=wrong)
    assert tried > 100_000


def test_a_time_that_is_passed_over_moved_an_hour_on_is_seen(
    promise: Promise, monkeypatch: pytest.MonkeyPatch
) -> None:
    def later(wall: datetime, clocks: tzinfo, *, earlier: bool = False) -> int:
        del earlier
        both = (wall.replace(tzinfo=clocks, fold=fold).astimezone(UTC) for fold in (0, 1))
        return deadlines._count(max(both))

    monkeypatch.setattr(deadlines, "_instant", later)
    with promise.breaks("a time that clocks pass over is read by the clocks before the move"):
        tried, wrong = violations(["Europe/Stockholm"])
        promise.shows(faults=tried, lost=wrong)
