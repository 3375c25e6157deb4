"""How much room the disk of a SQLite database has, and how much it should have.

What lives here: the two numbers. What never may: what follows from them (doctor.py, alarms.py).
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

LEAST_FREE: Final = 200_000_000
"""Bytes that must be free on the disk, beside room for a copy of the database."""


@dataclass(frozen=True, slots=True)
class Room:
    """Bytes that are free on the disk, that the database takes, and that should be free."""

    free: int
    size: int

    @property
    def needed(self) -> int:
        return LEAST_FREE + self.size

    @property
    def is_short(self) -> bool:
        """Whether a backup may find no room."""
        return self.free < self.needed


def room(file: Path) -> Room:
    """The room on the disk of a database, which need not be there yet. Raises OSError."""
    return Room(shutil.disk_usage(file.parent).free, file.stat().st_size if file.exists() else 0)


def in_words(count: int) -> str:
    """So many bytes, for people."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"
