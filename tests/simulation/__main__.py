"""Replays one world and tells its story, or looks through many of them.

python -m tests.simulation --seed 17 --steps 200
python -m tests.simulation --seeds 20000
"""

from __future__ import annotations

import argparse
import sys
import time

import pytest

from tests.simulation.faults import PLANTED
from tests.simulation.world import World


def main() -> int:
    """Returns how many worlds were wrong."""
    asked = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    asked.add_argument("--seed", type=int, default=0, help="the world to replay, or the first of many")
    asked.add_argument("--seeds", type=int, default=0, help="look through so many, and tell the wrong ones")
    asked.add_argument("--steps", type=int, default=200)
    asked.add_argument("--faults", action="store_true", help="tell which seed first finds each planted fault")
    given = asked.parse_args()
    if given.faults:
        return _find_faults(given.steps)
    return (
        _look_through(given.seed, given.seeds, given.steps)
        if given.seeds
        else _replay(given.seed, given.steps)
    )


def _replay(seed: int, steps: int) -> int:
    world = World(seed)
    try:
        digest = world.run(steps)
    finally:
        print("\n".join(world.story))  # noqa: T201  # how it answers
    print(f"seed {seed}: all is well; {digest}")  # noqa: T201  # how it answers
    return 0


def _look_through(first: int, count: int, steps: int) -> int:
    wrong, begun = 0, time.monotonic()
    for seed in range(first, first + count):
        try:
            World(seed).run(steps)
        except Exception as error:  # whatever it is, the seed tells it again
            wrong += 1
            print(f"seed {seed}: {type(error).__name__}: {error}", flush=True)  # noqa: T201  # how it answers
    print(f"{count} worlds, {wrong} wrong, {time.monotonic() - begun:.0f} s")  # noqa: T201  # how it answers
    return min(wrong, 100)


def _find_faults(steps: int) -> int:
    """Returns how many faults no world shows."""
    unseen = 0
    for words, fault in PLANTED.items():
        with pytest.MonkeyPatch.context() as patch:
            fault.plant(patch)
            seed = next((seed for seed in range(500) if _is_wrong(seed, steps)), None)
        unseen += seed is None
        print(f"{words}: {seed}", flush=True)  # noqa: T201  # how it answers
    return unseen


def _is_wrong(seed: int, steps: int) -> bool:
    try:
        World(seed).run(steps)
    except AssertionError:
        return True
    return False


if __name__ == "__main__":
    sys.exit(main())
