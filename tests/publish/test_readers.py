"""Whoever reads while the site is published, and while the publisher dies, meets whole pages, and all of them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.promises.table import Promise
from tests.publish.press_room import PATHS, content, swapped_in
from tests.servers.memory import in_memory

pytestmark = [pytest.mark.slow, pytest.mark.promise(25)]

ROOM = (sys.executable, "-m", "tests.publish.press_room")
EDITIONS = 200
SEED = 25


@pytest.fixture
def room() -> Iterator[Path]:
    with in_memory() as room:
        yield room


def press(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*ROOM, *arguments],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def read_along(folder: Path, way: str, editions: int = EDITIONS) -> dict[str, int]:
    """What three readers have met while so many editions were published."""
    swapped_in(folder, 0)
    with ExitStack() as room:
        readers = [room.enter_context(press("read", str(folder))) for _ in range(3)]
        publisher = room.enter_context(press("publish", str(folder), way, str(editions), str(SEED)))
        for each in (publisher, *readers):
            room.callback(each.kill)
        told = [each.communicate(timeout=100)[0] for each in (publisher, *readers)]
    counts = [json.loads(each) for each in told]
    return {
        name: sum(count.get(name, 0) for count in counts) for name in ("killed", "reads", "missing", "mixed")
    }


def judged(promise: Promise, seen: dict[str, int]) -> None:
    print(seen)  # noqa: T201  # beside what fails
    promise.shows(faults=seen["killed"], lost=seen["missing"], doubled=seen["mixed"])


def test_readers_never_miss_a_page_nor_see_half_of_one(promise: Promise, room: Path) -> None:
    seen = read_along(room, "swapped in")
    judged(promise, seen)
    assert seen["reads"] >= 40_000, seen
    assert seen["killed"] >= EDITIONS // 10, seen
    pages = {(room / "kaffe" / path).read_bytes() for path in PATHS} | {(room / "index.html").read_bytes()}
    assert pages == {content(EDITIONS)}, "published again after the last kill, it is the same"


def test_of_this_test_pages_written_in_place_are_seen(promise: Promise, room: Path) -> None:
    seen = read_along(room, "in place", EDITIONS // 2)
    with promise.breaks("pages are written where they are read"):
        judged(promise, seen)
