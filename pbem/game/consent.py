"""Consent (212): once somebody went to judgment in a turn, the next one waits until enough of the others let it begin."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.game import failing, judgment, regulation, turns
from pbem.game.commands import By, GiveConsent, NoteConsent
from pbem.game.events import ConsentAsked, ConsentGiven, ConsentLate, ConsentReached
from pbem.game.model import Player, Refused, say
from pbem.game.move import Move
from pbem.game.regulation import Answer, Facts
from pbem.game.state import State

WAITING = "next turn waits for"


def give(move: Move, _: GiveConsent, by: By) -> None:
    """One of the others lets the next turn begin; the keeper's word does it alone."""
    move.must_play()
    if not move.state.docket.bench:
        raise Refused("Nobody has gone to judgment in this turn, so the next one needs no consent.")
    if _answer(move.state) is None:
        raise Refused("No rule in force makes the next turn wait for consent.")
    if by == "keeper":
        _let_begin(move)
        return
    player = move.seat(by)
    if player.id == next_player(move.state):
        raise Refused("The next turn is yours; the others consent to it.", rule=_rule(move.state))
    move.record(ConsentGiven(player.id))


def _let_begin(move: Move) -> None:
    if not move.state.docket.waits:
        raise Refused("The next turn does not wait for consent.")
    move.record(ConsentGiven(None))
    _reached(move, None)


def must_be_reached(state: State) -> None:
    """Raises Refused, naming who is awaited, while the next turn may not begin."""
    if state.docket.waits:
        raise Refused(
            "Your turn begins when enough of the others consent. Awaited: %(names)s.",
            rule=_rule(state),
            names=", ".join(player.name for player in awaited(state)) or say("the keeper"),
        )


def see_to(move: Move) -> None:
    """After any move: the others are asked once the turn is over, and the next may begin once enough have said so."""
    state = move.state
    if not state.docket.bench or state.in_turn or state.status != "playing" or state.docket.consent.reached:
        return
    answer = failing.asked(move, WAITING, _facts(state))
    state = move.state
    if answer is None or answer.value is True:
        if state.docket.waits or answer is not None:
            _reached(move, answer)
    elif not state.docket.consent.asked:
        move.record(ConsentAsked(state.turn, regulation.deadline(state, "consent time", move.at)))


def _reached(move: Move, answer: Answer | None) -> None:
    until = regulation.deadline(move.state, "proposal time", move.at)
    rule = answer.rule if answer else None
    expression, working = (answer.expression, answer.working) if answer else ("", "")
    move.record(ConsentReached(move.state.turn, rule, expression, working, until))


def others(state: State) -> tuple[Player, ...]:
    """Those whose consent counts: the active players but the one whose turn would begin."""
    return tuple(p for p in state.seated if p.status == "active" and p.id != next_player(state))


def awaited(state: State) -> tuple[Player, ...]:
    """Those of the others who have not consented."""
    return tuple(player for player in others(state) if player.id not in state.docket.consent.given)


def next_player(state: State) -> int | None:
    """Whose turn would begin, as things stand."""
    if not state.in_turn:
        return state.next_player
    player, _ = turns.following(state)
    return player.id if player else None


def _answer(state: State) -> Answer | None:
    """Whether enough consent, by the rules in force; None: no rule asks for it."""
    return regulation.ask(state, WAITING, facts=_facts(state))


def _facts(state: State) -> Facts:
    asked = others(state)
    consenting = sum(player.id in state.docket.consent.given for player in asked)
    return regulation.case_facts(state, others=len(asked), consenting=consenting)


def _rule(state: State) -> int | None:
    return regulation.rule_for(state, WAITING)


# ---- the time there is to consent ----


def coming(state: State) -> Iterator[tuple[int, NoteConsent]]:
    """When the time to consent, or the grace after it, is over (UTC µs), with what the calendar then asks."""
    term = state.docket.consent.term if state.status == "playing" else None
    if term is not None and term.reached is None:
        yield term.until, NoteConsent()
    elif term is not None and term.grace is not None:
        yield term.grace, NoteConsent()


def note(move: Move, _: NoteConsent, __: By) -> None:
    """Whose consent is missing is reminded once, then the keeper is told."""
    until = judgment.grace(move.state, move.state.docket.consent.term)
    move.record(ConsentLate(tuple(player.id for player in awaited(move.state)), until))
