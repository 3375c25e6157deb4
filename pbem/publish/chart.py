"""The scores of a game as a chart: where its lines, marks and words stand.

What lives here: geometry, in units of the drawing. What never may: a colour, or a line that only its colour tells from the
others: each has marks of its own shape, and its name at its end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from pbem.game.model import Player

WIDTH: Final = 440
_LEFT, _RIGHT = 36, 302
"""Where the lines begin and end."""
_TOP, _BOTTOM = 12, 24
_LEAST_HEIGHT, _LINE = 270, 17
"""The least height of the drawing, and the room that a name takes in it."""
_MOST_POINTS: Final = 120
_MOST_MARKS: Final = 30
_MARK: Final = 3.6
_LONGEST_NAME: Final = 13

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Line:
    """A player's line: its path, its marks, and where its name begins; the `end` is joined to the name by `leader`."""

    player: Player
    name: str
    path: str
    marks: str
    label: Point
    leader: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing: its height, the scale at its left (height, points), that below (place, turn), and the lines."""

    height: int
    scale: tuple[tuple[float, int], ...]
    turns: tuple[tuple[float, int], ...]
    lines: tuple[Line, ...]


def drawn(standings: Sequence[Mapping[int, int]], players: Sequence[Player]) -> Chart:
    """The chart of the scores after each turn, one line for each player; the first of `players` is drawn first."""
    last = len(standings) - 1
    shown = [*range(0, last, -(-last // _MOST_POINTS) or 1), last]
    height = max(_LEAST_HEIGHT, _LINE * len(players) + _TOP + _BOTTOM)
    across = _scaled(0, max(last, 1), _LEFT, _RIGHT)
    values = [points for standing in standings for points in standing.values()]
    steps = _steps(min([0, *values]), max([1, *values]))
    up = _scaled(steps[0], steps[-1], height - _BOTTOM, _TOP)
    traces = [[(across(turn), up(standings[turn][player.id])) for turn in shown] for player in players]
    labels = _apart([trace[-1][1] for trace in traces], height)
    lines = tuple(_line(*each) for each in zip(range(len(players)), players, traces, labels, strict=True))
    marked = range(0, last + 1, -(-last // 10) or 1)
    return Chart(
        height,
        tuple((up(step), step) for step in steps),
        tuple((across(turn), turn) for turn in marked),
        lines,
    )


def _scaled(low: int, high: int, first: float, last: float) -> Callable[[int], float]:
    return lambda value: round(first + (last - first) * (value - low) / (high - low), 1)


def _steps(low: int, high: int) -> list[int]:
    """Round numbers from below the lowest to above the highest, a handful of them."""
    step = next(n * 10**power for power in range(19) for n in (1, 2, 5) if n * 10**power * 5 >= high - low)
    return list(range(low // step * step, (-(-high // step) + 1) * step, step))


def _line(number: int, player: Player, trace: Sequence[Point], label: float) -> Line:
    marked = trace if len(trace) <= _MOST_MARKS else trace[-1:]
    shape = _SHAPES[number % len(_SHAPES)]
    x, y = trace[-1]
    cut = len(player.name) > _LONGEST_NAME
    return Line(
        player,
        f"{player.name[: _LONGEST_NAME - 1]}…" if cut else player.name,
        "M" + "L".join(f"{a:g} {b:g}" for a, b in trace),
        "".join(shape(*point) for point in marked),
        (x + 14, label),
        f"M{x + 6:g} {y:g}L{x + 11:g} {label:g}",
    )


def _apart(heights: Sequence[float], height: int) -> list[float]:
    """Where names stand: as near to the ends of their lines as they can without touching."""
    order = sorted(range(len(heights)), key=lambda place: heights[place])
    placed = [heights[place] for place in order]
    for above, below in pairwise(range(len(placed))):
        placed[below] = max(placed[below], placed[above] + _LINE)
    floor = height - _BOTTOM / 2
    for at in reversed(range(len(placed))):
        placed[at] = min(placed[at], floor - _LINE * (len(placed) - 1 - at))
    return [round(placed[order.index(place)], 1) for place in range(len(heights))]


def _closed(corners: Sequence[Point]) -> Callable[[float, float], str]:
    """A shape of straight sides around a point."""

    def shape(x: float, y: float) -> str:
        return "M" + "L".join(f"{x + a * _MARK:.1f} {y + b * _MARK:.1f}" for a, b in corners) + "Z"

    return shape


def _disc(x: float, y: float) -> str:
    r = _MARK
    return f"M{x - r:.1f} {y:.1f}a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0 {-2 * r} 0Z"


def _crossing(turned: bool) -> Callable[[float, float], str]:
    """A thin square-ended cross, upright or turned."""
    arms = [(-1.3, 0.0), (1.3, 0.0), (0.0, -1.3), (0.0, 1.3)]
    if turned:
        arms = [(-1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (1.0, -1.0)]

    def shape(x: float, y: float) -> str:
        return "".join(_strokes(x, y, arms))

    return shape


def _strokes(x: float, y: float, arms: Sequence[Point]) -> Iterator[str]:
    for (a, b), (c, d) in (arms[:2], arms[2:]):
        yield f"M{x + a * _MARK:.1f} {y + b * _MARK:.1f}L{x + c * _MARK:.1f} {y + d * _MARK:.1f}"


_SHAPES: Final[tuple[Callable[[float, float], str], ...]] = (
    _disc,
    _closed([(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
    _closed([(0, -1.15), (1.1, 0.9), (-1.1, 0.9)]),
    _closed([(0, -1.35), (1.2, 0), (0, 1.35), (-1.2, 0)]),
    _crossing(turned=True),
    _closed([(0, 1.15), (1.1, -0.9), (-1.1, -0.9)]),
    _crossing(turned=False),
)
