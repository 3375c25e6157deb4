"""The command line in this process, on a folder of its own.

What lives here: calling `pbem`, and what a call that succeeds or fails must look like. What never may: a test.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from pbem.cli import main


class Console:
    """`pbem` with the settings in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, *arguments: str, stdin: bytes | None = None) -> Result:
        settings = str(self.folder / "pbem.toml")
        # What tells the tests something is no setting of pbem's.
        return CliRunner(env={"PBEM_PLANT": None}).invoke(
            main, ["--config", settings, *arguments], input=stdin
        )

    def done(self, *arguments: str, stdin: bytes | None = None) -> str:
        """What a command prints that succeeds."""
        result = self(*arguments, stdin=stdin)
        assert result.exit_code == 0, result.output
        return result.stdout

    def json(self, *arguments: str) -> Any:
        """What a command prints with --json."""
        return json.loads(self.done(*arguments, "--json"))

    def fails(self, code: int, *arguments: str, stdin: bytes | None = None) -> str:
        """What a command that fails says on standard error: never a traceback."""
        result = self(*arguments, stdin=stdin)
        assert result.exit_code == code, result.output
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        assert "Traceback" not in result.output
        assert result.stderr.strip(), "it says why"
        return result.stderr
