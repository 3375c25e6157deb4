"""What the tests of the language share."""

from __future__ import annotations

from dataclasses import replace

from pbem.game.commands import Command, SayFor, Vote
from pbem.mail.grammar import read_commands


def asked(text: str, subject: str = "") -> list[Command]:
    """The commands in a text, which must hold no problem; ballots without their words."""
    reading = read_commands(text, subject)
    assert reading.problems == ()
    return [_wordless(one.command) for one in reading.commands]


def _wordless(command: Command) -> Command:
    if isinstance(command, SayFor):
        return replace(command, command=_wordless(command.command), said="")
    return replace(command, said="") if isinstance(command, Vote) else command
