"""How long work tells how far it is.

What lives here: the shape of that. What never may: a terminal (cli/app.py has the bar).
"""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int], None]
"""Told how much is done (games, pages, lines, bytes), and of how much."""


def untold(_done: int, _of: int) -> None:
    """Progress that nobody wants to know of."""
