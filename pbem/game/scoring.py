"""Points and the players' own counters: who is given what, and by which rule (202, 204, 206).

What lives here: awards, one moment each, with a look for a winner after each. What never may: a number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pbem.game import failing, regulation, winning
from pbem.game.events import CounterClosed, CounterOpened, PointsAwarded
from pbem.game.model import Player
from pbem.game.move import Move
from pbem.game.precedence import Carrier
from pbem.game.proposals import Award, Proposal
from pbem.game.regulation import Answer, Facts
from pbem.game.state import State
from pbem.game.vocabulary import POINTS, counter_of, gift_of

Roles = Mapping[str, Sequence[int]]
"""Who plays which part in what happened: "proponent", "voters", "player" … to player ids."""


def award(move: Move, clause: str, receivers: Iterable[int], proposal: Proposal) -> None:
    """One award to all its receivers at one moment, then a look for a winner. None is made once the game is won."""
    if move.state.status == "won":
        return
    due = []
    for receiver in receivers:
        player = move.state.players[receiver]
        answer = failing.asked(
            move, clause, _facts(move.state, player, proposal), player=player, proposal=proposal
        )
        if answer is not None and answer.value:
            due.append(_award(move.state, receiver, answer, proposal, None))
    _give(move, due)


def happened(move: Move, what: Iterable[str], roles: Roles, proposal: Proposal | None = None) -> None:
    """The awards that rules in force make on these events, by rule number: `on EVENT give WHO WHAT`."""
    events = tuple(what)
    carried = [
        carrier
        for name, carriers in move.state.rulebook.carried()
        if (gift := gift_of(name)) is not None and gift.event in events
        for carrier in carriers
    ]
    everyone = tuple(player.id for player in move.state.seated)
    for carrier in sorted(carried, key=lambda carrier: carrier.rule.number):
        _gift(move, carrier, {"everyone": everyone, **roles}, proposal)


def _gift(move: Move, carrier: Carrier, roles: Roles, proposal: Proposal | None) -> None:
    gift = gift_of(carrier.clause.name)
    if gift is None or move.state.status == "won":
        return
    counter = None if gift.what == POINTS else gift.what
    due = []
    for receiver in roles.get(gift.who, ()):
        player = move.state.players[receiver]
        answer = failing.asked(
            move,
            carrier.clause.name,
            _facts(move.state, player, proposal),
            player=player,
            proposal=proposal,
            carrier=carrier,
        )
        if answer is not None and answer.value:
            due.append(_award(move.state, receiver, answer, proposal, counter))
    _give(move, due)


def _facts(state: State, player: Player, proposal: Proposal | None) -> Facts:
    of_player = regulation.player_facts(state, player)
    return of_player if proposal is None else {**regulation.vote_facts(state, proposal), **of_player}


def _award(
    state: State, receiver: int, answer: Answer, proposal: Proposal | None, counter: str | None
) -> Award:
    number = proposal.number if proposal else None
    return Award(
        receiver,
        int(answer.value),
        answer.clause,
        answer.rule,
        number,
        answer.expression,
        answer.working,
        counter,
        state.turn,
    )


def _give(move: Move, awards: Sequence[Award]) -> None:
    if not awards:
        return
    for each in awards:
        move.record(PointsAwarded(each))
    winning.see_who_won(move)


def keep_counters(move: Move, before: Sequence[str]) -> None:
    """Opens the counters that rules in force keep and did not `before`, and closes those no rule keeps now."""
    for counter in sorted(set(before) - set(move.state.rulebook.counters)):
        move.record(CounterClosed(counter))
    for counter, answer in _starts(move.state):
        if counter not in before:
            move.record(CounterOpened(counter, answer.rule if answer else None, _start(answer)))


def beginning(state: State) -> tuple[tuple[str, int], ...]:
    """What a player who joins now begins with, by counter."""
    return tuple((counter, _start(answer)) for counter, answer in _starts(state))


def _starts(state: State) -> Iterable[tuple[str, Answer | None]]:
    names = (name for name, _ in state.rulebook.carried() if counter_of(name))
    return ((str(counter_of(name)), regulation.ask(state, name)) for name in names)


def _start(answer: Answer | None) -> int:
    """An expression without a value begins at nothing."""
    return int(answer.value) if answer else 0
