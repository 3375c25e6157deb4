"""What the tests of the language share."""

from __future__ import annotations

from dataclasses import replace

from pbem.game.commands import Command, Vote
from pbem.mail.grammar import read_commands


def asked(text: str, subject: str = "") -> list[Command]:
    """The commands in a text, which must hold no problem; ballots without their words."""
    reading = read_commands(text, subject)
    assert reading.problems == ()
    return [
        replace(one.command, said="") if isinstance(one.command, Vote) else one.command
        for one in reading.commands
    ]
