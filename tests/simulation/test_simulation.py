"""Worlds drawn by lot, in which everything may go wrong but what is promised.

`python -m tests.simulation --seed N` replays one and tells its story; `--seeds 20000` looks through many in a night.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.promises.table import Promise
from tests.simulation.faults import PLANTED
from tests.simulation.world import World

pytestmark = [pytest.mark.slow, pytest.mark.promise(28)]

SEEDS, STEPS, SHARES = 500, 200, 50
REPEATED = (0, 7)
"""A world on the disk with its pages, and one in memory."""


def look_through(promise: Promise, seeds: Iterable[int]) -> None:
    """Each of the worlds must be as promised; the first that is not says its seed."""
    for seed in seeds:
        world = World(seed)
        world.run(STEPS)
        promise.shows(**world.figures, uncaught=0)


@pytest.mark.parametrize("share", range(SHARES))
def test_what_is_promised_holds_in_every_world(promise: Promise, share: int) -> None:
    look_through(promise, range(share, SEEDS, SHARES))


@pytest.mark.parametrize("fault", PLANTED)
def test_each_planted_fault_is_found(promise: Promise, fault: str) -> None:
    """From the first seed on that is known to show it, which `python -m tests.simulation --faults` looks for."""
    planted = PLANTED[fault]
    with promise.breaks(fault), pytest.MonkeyPatch.context() as patch:
        planted.plant(patch)
        look_through(promise, range(planted.first, SEEDS))


def test_at_least_ten_faults_are_planted() -> None:
    assert len(PLANTED) >= 10


@pytest.mark.parametrize("seed", REPEATED)
def test_a_seed_is_the_same_world_each_time(seed: int) -> None:
    """In this process and in one with other hashes: every step, event and mail, to the byte."""
    again = [World(seed).run(STEPS) for _ in range(2)]
    elsewhere = subprocess.run(
        [sys.executable, "-m", "tests.simulation", "--seed", str(seed), "--steps", str(STEPS)],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTHONHASHSEED": "4711"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert {*again, elsewhere.stdout.split()[-1]} == {again[0]}


def test_other_seeds_are_other_worlds() -> None:
    assert World(1).run(20) != World(2).run(20)
