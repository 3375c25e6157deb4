"""What lies ahead: who is waited for, and what the calendar will do by itself.

What lives here: values for templates, drawn from a state. What never may: the rules of silence (silence.py).
"""

from __future__ import annotations

from dataclasses import dataclass

from pbem.game import silence, views
from pbem.game.commands import CloseVote, Command, NoteDeadline
from pbem.game.model import Moment, Say, say
from pbem.game.state import State


@dataclass(frozen=True, slots=True)
class Due:
    """People waited for to do one thing, by when (UTC µs or None), and the lines that do it."""

    players: tuple[int, ...]
    names: tuple[str, ...]
    task: Say
    until: int | None
    lines: tuple[Command | str, ...]


def due(state: State) -> tuple[Due, ...]:
    """What is waited for, those who are to do the same taken together."""
    groups: dict[str, list[views.Waiting]] = {}
    for entry in views.waiting(state):
        groups.setdefault(str(entry.task), []).append(entry)
    return tuple(_together(entries) for entries in groups.values())


def _together(entries: list[views.Waiting]) -> Due:
    first = entries[0]
    players = tuple(entry.player.id for entry in entries)
    names = tuple(entry.player.name for entry in entries)
    return Due(players, names, first.task, first.until, first.lines)


def calendar(state: State) -> tuple[Say, ...]:
    """What happens by itself unless something is done before, soonest first."""
    return tuple(_coming(at, command) for at, command in silence.agenda(state))


def _coming(at: int, command: CloseVote | NoteDeadline) -> Say:
    if isinstance(command, CloseVote):
        return say(
            "Everyone has voted on proposal %(number)d. The vote closes %(at)s; until then ballots may change.",
            number=command.number,
            at=Moment(at),
        )
    if command.number is None:
        return say("The time to propose ends %(at)s.", at=Moment(at))
    return say(
        "The deadline of proposal %(number)d is %(at)s. Then those who are late are reminded and the keeper is told.",
        number=command.number,
        at=Moment(at),
    )
