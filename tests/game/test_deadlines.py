"""Time by clocks and calendars: days of the zone, clocks that are moved, quiet days (the house rules of silence)."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.game import deadlines

STOCKHOLM = "Europe/Stockholm"
WEEKEND = frozenset({5, 6})


def moment(*parts: int) -> int:
    """A moment in UTC (µs)."""
    return int(datetime(*parts, tzinfo=UTC).timestamp()) * 1_000_000


def clock(at: int, zone: str = STOCKHOLM) -> str:
    """What clocks in the zone show."""
    return datetime.fromtimestamp(at / 1_000_000, ZoneInfo(zone)).strftime("%a %Y-%m-%d %H:%M:%S")


def test_a_week_ends_at_the_same_time_of_day_when_the_clocks_are_moved_forward():
    begun = moment(2027, 3, 25, 17)  # 18:00 in Stockholm

    assert clock(deadlines.after(begun, "7d", STOCKHOLM)) == "Thu 2027-04-01 18:00:00"
    assert deadlines.after(begun, "7d", STOCKHOLM) == begun + (7 * 24 - 1) * 3_600_000_000


def test_a_week_ends_at_the_same_time_of_day_when_the_clocks_are_moved_back():
    begun = moment(2026, 10, 22, 16)  # 18:00 in Stockholm

    assert clock(deadlines.after(begun, "7d", STOCKHOLM)) == "Thu 2026-10-29 18:00:00"
    assert deadlines.after(begun, "7d", STOCKHOLM) == begun + (7 * 24 + 1) * 3_600_000_000


def test_hours_are_as_long_as_they_are_whatever_the_clocks_do():
    begun = moment(2027, 3, 27, 17)

    assert deadlines.after(begun, "24h", STOCKHOLM) == moment(2027, 3, 28, 17)
    assert deadlines.after(begun, "12", STOCKHOLM) == moment(2027, 3, 28, 5)
    assert deadlines.after(begun, "30m", STOCKHOLM) == moment(2027, 3, 27, 17, 30)
    assert deadlines.after(begun, "0", STOCKHOLM) == begun


def test_a_time_that_clocks_pass_over_is_the_moment_they_are_moved():
    at_half_past_two = moment(2027, 3, 27, 1, 30)  # the day before, 02:30 in Stockholm

    assert deadlines.after(at_half_past_two, "1d", STOCKHOLM) == moment(2027, 3, 28, 1)
    assert clock(moment(2027, 3, 28, 1)) == "Sun 2027-03-28 03:00:00"


def test_of_a_time_that_clocks_show_twice_the_later_counts():
    at_half_past_two = moment(2026, 10, 24, 0, 30)  # 02:30 in Stockholm

    assert deadlines.after(at_half_past_two, "1d", STOCKHOLM) == moment(2026, 10, 25, 1, 30)


def test_a_deadline_on_a_quiet_day_moves_to_the_same_time_of_the_next_day_that_is_none():
    thursday = moment(2026, 12, 3, 10)

    assert clock(deadlines.after(thursday, "1d", STOCKHOLM, WEEKEND)) == "Fri 2026-12-04 11:00:00"
    assert clock(deadlines.after(thursday, "2d", STOCKHOLM, WEEKEND)) == "Mon 2026-12-07 11:00:00"
    assert clock(deadlines.after(thursday, "3d", STOCKHOLM, WEEKEND)) == "Mon 2026-12-07 11:00:00"
    assert clock(deadlines.after(thursday, "36h", STOCKHOLM, WEEKEND)) == "Fri 2026-12-04 23:00:00"
    assert clock(deadlines.after(thursday, "48h", STOCKHOLM, WEEKEND)) == "Mon 2026-12-07 11:00:00"


def test_which_day_it_is_is_a_matter_of_the_zone():
    """Friday 23:30 in UTC is Saturday in Stockholm."""
    thursday = moment(2026, 12, 3, 23, 30)

    assert deadlines.after(thursday, "24h", "UTC", WEEKEND) == moment(2026, 12, 4, 23, 30)
    assert clock(deadlines.after(thursday, "24h", STOCKHOLM, WEEKEND)) == "Mon 2026-12-07 00:30:00"


def test_a_deadline_moved_past_a_weekend_in_which_the_clocks_are_moved_keeps_its_time_of_day():
    friday = moment(2027, 3, 26, 17)

    assert clock(deadlines.after(friday, "24h", STOCKHOLM, WEEKEND)) == "Mon 2027-03-29 18:00:00"


def test_a_day_begins_when_its_first_hour_does():
    assert deadlines.day_begins(date(2027, 1, 10), STOCKHOLM) == moment(2027, 1, 9, 23)
    # In Havana midnight came twice on that day: it begins with the first.
    assert deadlines.day_begins(date(2026, 11, 1), "America/Havana") == moment(2026, 11, 1, 4)
    # In Beirut the clocks pass over midnight.
    assert deadlines.day_begins(date(2027, 3, 28), "Asia/Beirut") == moment(2027, 3, 27, 22)


@pytest.mark.parametrize(
    ("words", "days"),
    [
        ("", set()),
        ("none", set()),
        ("sat sun", {5, 6}),
        ("lör sön", {5, 6}),
        ("Saturday, Sunday", {5, 6}),
        ("fredag", {4}),
    ],
)
def test_quiet_days_are_named_in_either_language(words, days):
    assert deadlines.quiet_days(words) == days


@pytest.mark.parametrize(
    ("words", "wrong"), [("sat snu", "snu"), ("mon tue wed thu fri sat sun", ""), ("sat7", "sat7")]
)
def test_other_words_and_a_week_of_quiet_days_are_no_quiet_days(words, wrong):
    with pytest.raises(ValueError, match=f"^{wrong}$"):
        deadlines.quiet_days(words)


def test_the_farthest_deadline_is_far_and_does_no_harm():
    at = moment(2026, 12, 1)
    for _ in range(40):
        at = deadlines.after(at, "99999d", STOCKHOLM, WEEKEND)

    assert datetime.fromtimestamp(at // 1_000_000, UTC).year in (9989, 9990)
    assert deadlines.after(at, "99999h", "Pacific/Kiritimati", WEEKEND) >= at - 2 * deadlines.DAY


# ---- over all zones ----

_zones = st.sampled_from(sorted(available_timezones()))
_walls = st.datetimes(datetime(2020, 1, 1), datetime(2037, 12, 31))  # noqa: DTZ001  # times by a clock


def _moved(zone: str) -> list[datetime]:
    """The moments (UTC) at which clocks in the zone are moved, to the minute, 2024-2028."""
    clocks, found = ZoneInfo(zone), []
    at, step = datetime(2024, 1, 1, tzinfo=UTC), timedelta(days=14)
    while at.year < 2028:
        low, high = at, at + step
        offset = high.astimezone(clocks).utcoffset()
        if low.astimezone(clocks).utcoffset() != offset:
            while high - low > timedelta(minutes=1):
                middle = low + (high - low) / 2
                low, high = (
                    (low, middle) if middle.astimezone(clocks).utcoffset() == offset else (middle, high)
                )
            found.append(high)
        at += step
    return found


@st.composite
def _near_a_move(draw):
    """A zone, and a time by its clocks within three hours of a move of them (any time, where they never are)."""
    zone = draw(_zones)
    moved = _moved(zone)
    if not moved:
        return zone, draw(_walls)
    around = draw(st.sampled_from(moved)).astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    return zone, around + timedelta(seconds=draw(st.integers(-3 * 3600, 3 * 3600)))


@given(_near_a_move(), st.timedeltas(timedelta(0), timedelta(hours=3)))
def test_an_earlier_time_by_the_clock_is_never_a_later_moment(near, later):
    zone, wall = near

    assert deadlines.instant(wall, zone) <= deadlines.instant(wall + later, zone)


@given(_near_a_move())
def test_clocks_show_the_time_at_its_moment_or_are_moved_past_it_then(near):
    zone, wall = near
    at = datetime.fromtimestamp(0, UTC) + timedelta(microseconds=deadlines.instant(wall, zone))
    shown = at.astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    second_before = (at - timedelta(seconds=1)).astimezone(ZoneInfo(zone)).replace(tzinfo=None)

    assert shown == wall or second_before < wall < shown


@given(
    _zones, _walls, st.integers(0, 400), st.sampled_from("mhd"), st.frozensets(st.integers(0, 6), max_size=6)
)
def test_a_deadline_lies_ahead_and_on_no_quiet_day(zone, wall, count, unit, quiet):
    at = deadlines.instant(wall, zone)
    due = deadlines.after(at, f"{count}{unit}", zone, quiet)

    assert due >= at
    shown = (datetime.fromtimestamp(0, UTC) + timedelta(microseconds=due)).astimezone(ZoneInfo(zone))
    assert shown.weekday() not in quiet
