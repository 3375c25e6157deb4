"""What all tests have in common: how random examples are drawn.

The same in each run, so that a run fails for what was changed and not by chance. `PBEM_SEARCH=1 pytest …` draws new
ones, to look for what nobody thought of.
"""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("same", derandomize=True)
settings.register_profile("search", derandomize=False)
settings.load_profile("search" if os.environ.get("PBEM_SEARCH") else "same")
