"""The files in deploy/, as a host uses them: with a few words changed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

DEPLOY = Path(__file__).parents[2] / "deploy"


def shipped(name: str, changes: Mapping[str, object] | None = None) -> str:
    """The file of that name in deploy/ with each word changed to another; all of them must stand in it."""
    text = (DEPLOY / name).read_text("utf-8")
    for word, other in (changes or {}).items():
        assert word in text, f"{name} does not say {word}"
        text = text.replace(word, str(other))
    return text
