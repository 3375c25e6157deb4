"""A folder in memory, where there is one: for what does not depend on a real disk and would wait for it thousands of times."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MEMORY = Path("/dev/shm")  # noqa: S108  # what is made in there has a name of its own


@contextmanager
def in_memory() -> Iterator[Path]:
    """Thrown away at the end."""
    with tempfile.TemporaryDirectory(
        prefix="pbem-", dir=MEMORY if os.access(MEMORY, os.W_OK) else None
    ) as room:
        yield Path(room)
