"""Silence: what the calendar asks of the game, and what follows when somebody says nothing.

The ladder of a vote, a debate, or a turn in which nothing is proposed: who is late is reminded at half time, a day
before the deadline, and at the deadline; then there is grace; then the clause `silence` counts those who are silent
in a vote, or the keeper is asked (remedies.py). What lives here: the steps. What never may: a clock.
"""

from __future__ import annotations

from collections.abc import Iterator

from pbem.game import consent, judgment, regulation, voting
from pbem.game.commands import By, CloseVote, EndAbsence, EndGrace, NoteDeadline, Remind, Scheduled
from pbem.game.deadlines import DAY
from pbem.game.events import DeadlinePassed, GraceOver, Remedied, Reminded
from pbem.game.model import Step
from pbem.game.move import Move
from pbem.game.proposals import Proposal, Remedy, Term
from pbem.game.state import State

Due = tuple[int, Scheduled]


def agenda(state: State) -> tuple[Due, ...]:
    """What the calendar will ask unless something happens first: moment (UTC µs) and command, soonest first."""
    coming: list[Due] = [*judgment.coming(state), *consent.coming(state)]
    if state.status == "playing":
        coming += _of_play(state)
    elif state.status == "won":
        coming += _of_proposals(state)
    return tuple(sorted(coming, key=lambda entry: entry[0]))


def _of_proposals(state: State) -> Iterator[Due]:
    for proposal in state.open_proposals:
        yield from _of_proposal(state, proposal)


def _of_play(state: State) -> Iterator[Due]:
    yield from _of_proposals(state)
    if not state.open and not state.docket.waits:
        yield from _next_step(None, state.term)
    away = ((player.id, player.absent_until) for player in state.seated if player.status == "absent")
    yield from ((until, EndAbsence(player)) for player, until in away if until is not None)


def _of_proposal(state: State, proposal: Proposal) -> Iterator[Due]:
    if proposal.number in state.held:
        return
    if proposal.closes is not None:
        yield proposal.closes, CloseVote(proposal.number)
    else:
        yield from _next_step(proposal.number, proposal.term)


def _next_step(number: int | None, term: Term | None) -> Iterator[Due]:
    coming = ladder(term)
    if coming is None:
        return
    moment, step = coming
    match step:
        case "deadline":
            yield moment, NoteDeadline(number)
        case "grace over":
            yield moment, EndGrace(number)
        case _:
            yield moment, Remind(number, step)


def ladder(term: Term | None) -> tuple[int, Step] | None:
    """The next step of the ladder in a term, and when it is due. A day before comes only if that is after half time."""
    if term is None:
        return None
    half, day_before = (term.since + term.until) // 2, term.until - DAY
    match term.reached:
        case None if half < term.until:
            return half, "half time"
        case "half time" if day_before > half:
            return day_before, "day before"
        case None | "half time" | "day before":
            return term.until, "deadline"
        case "deadline" if term.grace is not None:
            return term.grace, "grace over"
    return None


def next_due(state: State) -> int | None:
    """The soonest moment the calendar asks for something (UTC µs)."""
    coming = agenda(state)
    return coming[0][0] if coming else None


def remind(move: Move, asked: Remind, _: By) -> None:
    """Who is late is reminded; who is absent is left in peace."""
    late = waiting_for(move.state, asked.number)
    present = tuple(player for player in late if move.state.players[player].status != "absent")
    move.record(Reminded(asked.number, asked.step, present))


def note(move: Move, asked: NoteDeadline, _: By) -> None:
    """A deadline has passed with somebody still silent: the grace begins."""
    term = move.state.term if asked.number is None else move.state.proposals[asked.number].term
    begun = move.at if term is None else term.until
    grace = regulation.deadline(move.state, "grace", begun)
    move.record(DeadlinePassed(asked.number, waiting_for(move.state, asked.number), grace))


def end_grace(move: Move, asked: EndGrace, _: By) -> None:
    """The grace is over: in a vote the clause `silence` may say how to go on; else the keeper is asked."""
    late = waiting_for(move.state, asked.number)
    proposal = move.state.proposals[asked.number] if asked.number is not None else None
    remedy = _ordered(move.state, late) if proposal is not None and proposal.stage == "voting" else None
    if proposal is None or remedy is None:
        move.record(GraceOver(asked.number, late))
        return
    move.record(Remedied(proposal.number, remedy))
    voting.close(move, proposal.number)


def _ordered(state: State, late: tuple[int, ...]) -> Remedy | None:
    """How the rules or the house count silence in a vote, None if they wait."""
    answer = regulation.ask(state, "silence")
    departs_from = regulation.rule_for(state, "ballot required")
    match answer.value if answer else None:
        case "abstain" | "for" | "against" as what:
            rule = answer.rule if answer else None
            return Remedy(what, late, by_keeper=False, rule=rule, departs_from=departs_from)
    return None


def waiting_for(state: State, number: int | None = None) -> tuple[int, ...]:
    """The ids of those whose move it is: in the stage of proposal `number`, or (None) in the turn."""
    if number is None:
        return (state.on_turn,) if state.on_turn is not None else ()
    proposal = state.proposals[number]
    return proposal.missing if proposal.stage == "voting" else (proposal.proponent,)
