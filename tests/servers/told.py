"""A process that a test starts, and that goes on until the test closes its standard input."""

from __future__ import annotations

import os


def goes_on() -> bool:
    """Until standard input ends. Never waits for it."""
    os.set_blocking(0, False)
    try:
        return os.read(0, 1) != b""
    except BlockingIOError:
        return True
