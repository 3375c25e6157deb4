"""What lies ahead: who is waited for, and what the calendar will do by itself.

What lives here: values for templates, drawn from a state. What never may: the rules of silence (silence.py).
"""

from __future__ import annotations

from dataclasses import dataclass

from pbem.game import proclaimed, silence, views
from pbem.game.commands import (
    CloseVote,
    Command,
    EndAbsence,
    EndGrace,
    NoteConsent,
    NoteDeadline,
    NoteJudging,
    Remind,
    Scheduled,
)
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


def calendar(state: State, told: frozenset[int | None] = frozenset()) -> tuple[Say, ...]:
    """What happens by itself unless something is done before, soonest first; deadlines (UTC µs) `told` already left out."""
    coming = (
        _coming(state, at, command)
        for at, command in silence.agenda(state)
        if not (isinstance(command, Remind | NoteDeadline) and _deadline(state, command.number) in told)
    )
    return tuple(said for said in (proclaimed.standing(state), *coming) if said is not None)


def _deadline(state: State, number: int | None) -> int | None:
    return state.until if number is None else state.proposals[number].until


def _coming(state: State, at: int, command: Scheduled) -> Say | None:
    """What a step of the calendar means to the players. Until a deadline it is the deadline, not the reminders before."""
    match command:
        case CloseVote(number):
            return say(
                "Everyone has voted on proposal %(number)d. The vote closes %(at)s; until then ballots may change.",
                number=number,
                at=Moment(at),
            )
        case Remind(None) | NoteDeadline(None):
            return say("The time to propose ends %(at)s.", at=Moment(state.until or at))
        case Remind(int(number)) | NoteDeadline(int(number)):
            until = Moment(state.proposals[number].until or at)
            return say("The deadline of proposal %(number)d is %(at)s.", number=number, at=until)
        case EndGrace(None):
            return say("The time to propose is over; there is grace until %(at)s.", at=Moment(at))
        case EndGrace(number):
            return say(
                "The deadline of proposal %(number)d has passed; there is grace until %(at)s.",
                number=number,
                at=Moment(at),
            )
        case EndAbsence(player):
            return say("%(name)s is away until %(until)s.", name=state.players[player].name, until=Moment(at))
        case NoteJudging(case):
            return _judging(state, at, case)
        case NoteConsent():
            return _consenting(state, at)
    return None


def _judging(state: State, at: int, case: int) -> Say:
    term = state.docket.cases[case].term
    if term is not None and term.reached is not None:
        return say(
            "The verdict in case J%(case)d is late; there is grace until %(at)s.", case=case, at=Moment(at)
        )
    return say("The verdict in case J%(case)d is due %(at)s.", case=case, at=Moment(at))


def _consenting(state: State, at: int) -> Say:
    term = state.docket.consent.term
    if term is not None and term.reached is not None:
        return say("Consent to the next turn is late; there is grace until %(at)s.", at=Moment(at))
    return say("Consent to the next turn is asked for until %(at)s.", at=Moment(at))
