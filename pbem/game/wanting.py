"""What a person asks for themselves, in the imperative: settings, addresses, to be forgotten. No game decides it.

What lives here: values only; commands.py says what a command may be.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Set:
    """A person's own setting: `set language sv`, `set zone Europe/Stockholm`, `set mail daily`, `set html off`."""

    name: Literal["language", "zone", "mail", "html"]
    value: str


@dataclass(frozen=True, slots=True)
class AddAddress:
    """`add address A`: mails from there are the sender's, too."""

    address: str


@dataclass(frozen=True, slots=True)
class RemoveAddress:
    """`remove address A`: they are not any more. If it was the registered one, the next oldest is."""

    address: str


@dataclass(frozen=True, slots=True)
class ForgetMe:
    """`forget me`: the sender leaves every game, and their addresses and mails are erased."""


Personal = AddAddress | RemoveAddress | ForgetMe
"""What a person asks about themselves that no game decides, and that is never done on a mail's word alone."""
