"""Deadlines: what the calendar asks of the game, and what is noted when somebody stays silent."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.game.commands import By, CloseVote, NoteDeadline
from pbem.game.events import DeadlinePassed
from pbem.game.model import Proposal
from pbem.game.move import Move
from pbem.game.state import State

Due = tuple[int, CloseVote | NoteDeadline]


def agenda(state: State) -> tuple[Due, ...]:
    """What the calendar will ask unless something happens first: moment (UTC µs) and command, soonest first."""
    if state.status != "playing":
        return ()
    coming = [entry for proposal in state.open_proposals for entry in _coming(state, proposal)]
    if state.until is not None and not state.overdue and not state.open:
        coming.append((state.until, NoteDeadline()))
    return tuple(sorted(coming, key=lambda entry: entry[0]))


def _coming(state: State, proposal: Proposal) -> Iterator[Due]:
    if proposal.number in state.held:
        return
    if proposal.closes is not None:
        yield proposal.closes, CloseVote(proposal.number)
    elif proposal.until is not None and not proposal.overdue:
        yield proposal.until, NoteDeadline(proposal.number)


def next_due(state: State) -> int | None:
    """The soonest moment the calendar asks for something (UTC µs)."""
    coming = agenda(state)
    return coming[0][0] if coming else None


def note(move: Move, asked: NoteDeadline, _: By) -> None:
    """A deadline has passed with somebody still silent: it is written down, and the keeper is asked."""
    move.record(DeadlinePassed(asked.number, waiting_for(move.state, asked.number)))


def waiting_for(state: State, number: int | None = None) -> tuple[int, ...]:
    """The ids of those whose move it is: in the stage of proposal `number`, or (None) in the turn."""
    if number is None:
        return (state.on_turn,) if state.on_turn is not None else ()
    proposal = state.proposals[number]
    return proposal.missing if proposal.stage == "voting" else (proposal.proponent,)
