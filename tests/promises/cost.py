"""What something costs this process: seconds of its processor time, and memory above what it held before.

What lives here: measuring. What never may: a verdict on a time; a busy machine makes every time longer.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import process_time

MOST_MEGABYTES = 64
"""What one mail may cost."""


@dataclass
class Cost:
    """Known when the block has ended; the memory is 0 where the system keeps no account of it (it is not Linux)."""

    seconds: float = 0.0
    megabytes: float = 0.0


@contextmanager
def cost() -> Iterator[Cost]:
    """What the block costs."""
    spent = Cost()
    held = megabytes("VmRSS") if forget_peak() else None
    begun = process_time()
    try:
        yield spent
    finally:
        spent.seconds = process_time() - begun
        if held is not None:
            spent.megabytes = max(0.0, megabytes("VmHWM") - held)


def forget_peak() -> bool:
    """Begin a new high-water mark of this process's memory; False where the system keeps none."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True


def megabytes(name: str, process: int | str = "self") -> float:
    """A figure of a process from /proc."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.partition(f"{name}:")[2].split(maxsplit=1)[0]) / 1_024
