"""What a look at a host found: one thing, whether it is as it should be, and the cure if it is not.

What lives here: the shape of a finding. What never may: a look.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pbem.config import Config
from pbem.service.keys import OTHERS

State = Literal["ok", "note", "wanting"]
"""As it should be; worth knowing; to be cured before the host can be relied on."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What was looked at, how it is, in words, and what to do about it ("" for nothing)."""

    what: str
    state: State
    says: str
    cure: str = ""


Look = Callable[[Config], Iterator[Finding]]
"""One look at a host; what it cannot see because something else is wanting it leaves out."""


def ok(what: str, says: str) -> Finding:
    """It is as it should be."""
    return Finding(what, "ok", says)


def note(what: str, says: str, cure: str = "") -> Finding:
    """It works, and should be known."""
    return Finding(what, "note", says, cure)


def wanting(what: str, says: str, cure: str) -> Finding:
    """It must be cured."""
    return Finding(what, "wanting", says, cure)


def private(what: str, file: Path) -> Iterator[Finding]:
    """That none but its owner can read a file, if it is there."""
    if file.exists() and file.stat().st_mode & OTHERS:
        yield wanting(what, f"{file} can be read or written by others than its owner", f"chmod 600 {file}")
