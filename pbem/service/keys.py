"""The secrets of a host, from which tokens are made: one a line in a file that none but the host can read.

What lives here: that file. What never may: a token (mail/tokens.py).
"""

from __future__ import annotations

import os
import secrets
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from pbem.mail.tokens import Keyring

FEWEST = 32
"""Characters a secret has at least; one that we make has twice as many."""
OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
"""The rights of everybody but the owner."""


class BadKeys(Exception):
    """The file holds no secrets, or none that are secret; the sentence says what to do."""


def host_keys(file: Path) -> Keyring:
    """The secrets in the file, which is made (mode 0600) if there is none. Raises BadKeys and OSError."""
    if file.is_symlink() and not file.exists():
        raise BadKeys(f"{file} points to a file that is not there")
    if not file.exists():
        _make(file)
    if not file.is_file():
        raise BadKeys(f"{file} is no file: move it away, and a new key is made")
    if file.stat().st_mode & OTHERS:
        raise BadKeys(f"{file} can be read or written by others than its owner: chmod 600 {file}")
    try:
        lines = tuple(line.strip().encode() for line in file.read_text("ascii").splitlines() if line.strip())
    except UnicodeDecodeError:
        raise BadKeys(f"{file} holds no key: bring it back from your backup, or move it away") from None
    if not lines or any(len(line) < FEWEST for line in lines):
        raise BadKeys(f"{file} must hold a secret of at least {FEWEST} characters on each line")
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
