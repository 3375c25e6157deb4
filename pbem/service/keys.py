"""The secrets of a host, from which tokens are made: one a line in a file that none but the host can read.

What lives here: that file. What never may: a token (mail/tokens.py).
"""

from __future__ import annotations

import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path

from pbem.mail.tokens import Keyring

FEWEST = 32
"""Characters a secret has at least; one that we make has twice as many."""


def host_keys(file: Path) -> Keyring:
    """The secrets in the file, which is made (mode 0600) if there is none. Raises OSError."""
    if not file.exists():
        _make(file)
    lines = tuple(line.strip().encode() for line in file.read_text("utf-8").splitlines() if line.strip())
    if not lines or any(len(line) < FEWEST for line in lines):
        raise OSError(f"{file} must hold a secret of at least {FEWEST} characters on each line")
    return Keyring(lines)


def _make(file: Path) -> None:
    """Written whole before it has its name: of two processes that make one, both then read the same."""
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")  # mode 0600
    try:
        with os.fdopen(handle, "w") as out:
            out.write(secrets.token_hex(FEWEST) + "\n")
            out.flush()
            os.fsync(out.fileno())
        with suppress(FileExistsError):
            os.link(name, file)
    finally:
        Path(name).unlink()
