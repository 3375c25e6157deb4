"""The command line: the only place that prints."""

from pbem.cli.app import main

__all__ = ["main"]
