"""How long it takes to find the state of a game of 20,000 events from its log. `python -m tests.bench.replay`"""

from __future__ import annotations

import statistics
import sys
from time import perf_counter

from pbem.game.fold import replay
from tests.bench.long_game import LongGame

EVENTS = 20_000
TARGET = 0.3
"""Seconds."""


def measured(game: LongGame, rounds: int = 9) -> list[float]:
    """Seconds a replay, fastest first."""
    times = []
    for _ in range(rounds):
        begun = perf_counter()
        replay(game.log)
        times.append(perf_counter() - begun)
    return sorted(times)


def main() -> None:
    game = LongGame()
    game.grow(EVENTS)
    times = measured(game)
    sys.stdout.write(
        f"{len(game.log):,} events, {game.state.turn:,} turns: state from the log in {times[0]:.3f} s at best, "
        f"{statistics.median(times):.3f} s in the middle (target {TARGET} s)\n"
    )


if __name__ == "__main__":
    main()
