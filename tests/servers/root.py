"""What root alone can do: a test that needs it fails for anybody else, and is no gap that nobody sees."""

from __future__ import annotations

import os

import pytest


def only_root(deed: str) -> None:
    """Fails the test for anybody else; `deed` is what root alone can do."""
    if os.geteuid() != 0:
        pytest.fail(f"Only root can {deed}: run tests/run as root.")
