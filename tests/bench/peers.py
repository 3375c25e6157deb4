"""Programs of others, installed for one run into a folder of their own where they are not there yet.

What lives here: having them. What never may: a measurement.
"""

from __future__ import annotations

import shutil
import subprocess
import venv
from pathlib import Path


def in_a_venv(folder: Path, *packages: str) -> Path | None:
    """The Python of an environment with these packages; None when they cannot be had."""
    place = folder / packages[0]
    venv.create(place, with_pip=True)
    python = place / "bin" / "python"
    done = subprocess.run(
        [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *packages],
        capture_output=True,
        check=False,
    )
    return python if done.returncode == 0 else None


def there(program: str) -> bool:
    """Whether a program for administrators is installed."""
    return shutil.which(program, path="/usr/sbin:/usr/local/sbin:/usr/bin") is not None


def run(python: Path, code: str, *words: str) -> str | None:
    """What a few lines of Python print there; None when they fail."""
    root = Path(__file__).parents[2]
    done = subprocess.run([python, "-c", code, *words], capture_output=True, text=True, check=False, cwd=root)
    return done.stdout if done.returncode == 0 else None
