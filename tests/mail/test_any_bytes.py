"""Whether any bytes at all are read, and commands in any order: a share of what tests/soak/reading.py does for hours.

What lives here: how much of it each run of the tests does. What never may: an input; Samples makes them.
"""

from __future__ import annotations

import pytest

from pbem.mail import headers
from tests.promises.table import Promise
from tests.soak.reading import Run, Samples, made_again

PARTS = 12
INPUTS = 3_000
"""In each part, of any length: 36,000."""
SHORT_PARTS = 20
SHORT_INPUTS = 8_200
"""In each part, of 4 KiB at most, of which a minute sees twice as many: 164,000."""
SHORT = 4_096


@pytest.fixture(scope="module", name="samples")
def _samples() -> Samples:
    return Samples()


def all_are_read(samples: Samples, promise: Promise, seed: str, inputs: int, most: int | None = None) -> None:
    """Each has an answer that does not contradict itself; one that has none is printed with how to make it again."""
    run = Run()
    for number in range(inputs):
        run.take(samples.made(seed, number, most), made_again(seed, number, most))
    promise.shows(
        faults=run.inputs,
        uncaught=run.uncaught,
        seconds=run.seconds.figure,
        megabytes=run.megabytes.figure,
    )
    assert run.wrong == 0
    assert len(run.kinds) == 5, "mails of every kind were among them"


@pytest.mark.slow
@pytest.mark.promise(12)
@pytest.mark.parametrize("part", range(PARTS))
def test_any_bytes_have_an_answer(samples: Samples, promise: Promise, part: int) -> None:
    all_are_read(samples, promise, f"part-{part}", INPUTS)


@pytest.mark.slow
@pytest.mark.promise(12)
@pytest.mark.parametrize("part", range(SHORT_PARTS))
def test_any_few_bytes_have_an_answer(samples: Samples, promise: Promise, part: int) -> None:
    all_are_read(samples, promise, f"short-{part}", SHORT_INPUTS, SHORT)


@pytest.mark.promise(12)
def test_a_reader_that_lets_one_exception_through_is_seen(
    samples: Samples, promise: Promise, monkeypatch: pytest.MonkeyPatch
) -> None:
    with promise.breaks("headers that are no UTF-8 raise"):
        monkeypatch.setattr(headers, "decode", bytes.decode)
        all_are_read(samples, promise, "planted", 300)
