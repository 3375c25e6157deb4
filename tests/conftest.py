"""What all tests have in common: how random examples are drawn, and how a test tells the figures of a promise.

The same in each run, so that a run fails for what was changed and not by chance. `PBEM_SEARCH=1 pytest …` draws new
ones, to look for what nobody thought of.
"""

from __future__ import annotations

import os

from hypothesis import settings

from tests.promises.table import promise, pytest_runtest_setup, pytest_terminal_summary

__all__ = ["promise", "pytest_runtest_setup", "pytest_terminal_summary"]

settings.register_profile("same", derandomize=True)
settings.register_profile("search", derandomize=False)
settings.load_profile("search" if os.environ.get("PBEM_SEARCH") else "same")
