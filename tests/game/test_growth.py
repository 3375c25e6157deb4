"""A game that is old costs no more a mail than one that is young. Absolute times: `python -m tests.bench.replay`."""

from __future__ import annotations

import copy
import statistics
import sys
from time import perf_counter

import pytest

from pbem.game.fold import replay
from tests.bench.long_game import TEA, LongGame

pytestmark = pytest.mark.slow

YOUNG, OLD = 1_000, 20_000
ROUNDS = 41


@pytest.fixture(name="games", scope="module")
def _games() -> tuple[LongGame, LongGame]:
    """The same game after 1,000 events and after 20,000."""
    game = LongGame()
    game.grow(YOUNG)
    young = copy.copy(game)
    young.log = list(game.log)
    game.grow(OLD)
    return young, game


def test_the_state_of_twenty_thousand_events_is_the_one_they_led_to(games):
    _, old = games
    begun = perf_counter()

    state = replay(old.log)

    sys.stdout.write(f"state from {len(old.log):,} events in {perf_counter() - begun:.3f} s\n")
    assert state == old.state
    assert len(old.log) >= OLD


def test_a_mail_to_an_old_game_costs_what_one_to_a_young_game_does(games):
    """Whole turns of twelve mails, in turns with one another, so that a busy machine weighs on both alike."""
    costs: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        for game, cost in zip(games, costs, strict=True):
            cost.append(_a_turn(game))

    young, old = (statistics.median(cost) / 12 for cost in costs)

    sys.stdout.write(f"a mail at {YOUNG:,} events: {young * 1e6:.0f} µs; at {OLD:,}: {old * 1e6:.0f} µs\n")
    assert old <= 3 * young, "work that grew with the log would be twenty times as much"


def _a_turn(game: LongGame) -> float:
    """Seconds for one more turn, which is then as if it had not been."""
    tried = copy.copy(game)
    tried.log = game.log[-1:]
    begun = perf_counter()
    tried.turn(TEA)
    return perf_counter() - begun
