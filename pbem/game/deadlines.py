"""Deadlines as clocks and calendars have them: zones, clocks that are moved, quiet days.

What lives here: arithmetic on moments (UTC µs). What never may: the rules, the state, or what time it is.
Days are days of the zone's calendar, at the same time by its clocks; hours and minutes are as long as they are.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo

DAY = 86_400_000_000
_MICROSECOND = timedelta(microseconds=1)
_SECOND = timedelta(seconds=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST = datetime(9990, 1, 1, tzinfo=UTC)
"""The latest deadline: time enough, and far from the end of what can be counted."""

_WRITTEN = re.compile(r"(\d{1,5})([mhd]?)\Z")
_WEEKDAYS = {
    word: number
    for number, words in enumerate(
        (
            "mon monday mån måndag",
            "tue tuesday tis tisdag",
            "wed wednesday ons onsdag",
            "thu thursday tor torsdag",
            "fri friday fre fredag",
            "sat saturday lör lördag",
            "sun sunday sön söndag",
        )
    )
    for word in words.split()
}
NONE_QUIET = ("", "none", "inga")


def quiet_days(words: str) -> frozenset[int]:
    """The days that `sat sun` or `lör sön` names: 0 is Monday. Raises ValueError: the word that is none, or
    "" for all seven."""
    if words.strip().casefold() in NONE_QUIET:
        return frozenset()
    named = re.split(r"[\s,]+", words.strip().casefold())
    unknown = next((word for word in named if word not in _WEEKDAYS), None)
    days = frozenset(_WEEKDAYS.get(word, 0) for word in named)
    if unknown is not None or len(days) == 7:
        raise ValueError(unknown or "")
    return days


def weekday_words() -> tuple[str, ...]:
    """The words for days of the week, in both languages."""
    return tuple(_WEEKDAYS)


def is_zone(name: str) -> bool:
    """Whether there is a time zone of that name."""
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # unknown; no name for a file; a folder of zones
        return False
    return True


def after(at: int, written: str, zone: str, quiet: frozenset[int] = frozenset()) -> int:
    """The moment that lies a time as written (`0`, `30m`, `12h`, `7d`) after `at`. On a quiet day it moves to the
    same time of the next day that is none."""
    count, unit = _parts(written)
    clocks = ZoneInfo(zone)
    wall = _wall(at, clocks)
    if unit == "d":
        wall += timedelta(days=min(count, (_LAST.replace(tzinfo=None) - wall).days))
        moved = _instant(wall, clocks) if count else at
    else:
        moved = min(at + count * _UNITS[unit], _count(_LAST))
        wall = _wall(moved, clocks)
    loud = _next_loud(wall, quiet)
    return moved if loud == wall else _instant(loud, clocks)


_UNITS = {"m": 60_000_000, "h": 3_600_000_000}


def _parts(written: str) -> tuple[int, str]:
    """The number and the unit; a bare number is one of hours."""
    found = _WRITTEN.match(written)
    if found is None:
        raise ValueError(written)
    return int(found[1]), found[2] or "h"


def _next_loud(wall: datetime, quiet: frozenset[int]) -> datetime:
    while wall.weekday() in quiet:
        wall += timedelta(days=1)
    return wall


def day_begins(day: date, zone: str) -> int:
    """The first moment of a day in the zone."""
    return _instant(
        min(_LAST.replace(tzinfo=None), datetime.combine(day, time())), ZoneInfo(zone), earlier=True
    )


def instant(wall: datetime, zone: str) -> int:
    """The moment at which clocks in the zone show `wall` (naive). Shown twice: the later; never: when they are moved."""
    return _instant(wall, ZoneInfo(zone))


def _instant(wall: datetime, clocks: tzinfo, *, earlier: bool = False) -> int:
    """As `instant`; of two moments the earlier if asked for."""
    first, second = (wall.replace(tzinfo=clocks, fold=fold).astimezone(UTC) for fold in (0, 1))
    if first <= second:
        return _count(first if earlier else second)
    return _count(_moved_between(second, first, clocks))


def _moved_between(before: datetime, behind: datetime, clocks: tzinfo) -> datetime:
    """When the clocks are moved, to the second: after `before`, and no later than `behind`."""
    new = behind.astimezone(clocks).utcoffset()
    low, high = before.replace(microsecond=0), behind.replace(microsecond=0)
    while high - low > _SECOND:
        middle = low + (high - low) // _SECOND // 2 * _SECOND
        moved = middle.astimezone(clocks).utcoffset() == new
        low, high = (low, middle) if moved else (middle, high)
    return high


def _wall(at: int, clocks: tzinfo) -> datetime:
    """What clocks show at a moment."""
    return (_EPOCH + timedelta(microseconds=at)).astimezone(clocks).replace(tzinfo=None)


def _count(moment: datetime) -> int:
    return (moment - _EPOCH) // _MICROSECOND
