"""Clauses without a value (116): nothing comes of them, and that is written down, so that the keeper hears of it.

What lives here: asking a clause in a move, and the look at all others once something has changed. What never may: a
value to put in the place of the missing one.
"""

from __future__ import annotations

from collections.abc import Iterator

from pbem.game import regulation
from pbem.game.clauses import Unevaluated
from pbem.game.events import (
    ClauseFailed,
    ClauseRuled,
    GameStarted,
    PointsAwarded,
    PointsCorrected,
    RuleChanged,
    RuleRestored,
    TurnBegan,
)
from pbem.game.model import Player
from pbem.game.move import Move
from pbem.game.precedence import Carrier
from pbem.game.proposals import Failure, Proposal
from pbem.game.regulation import Answer, Facts
from pbem.game.state import State
from pbem.game.vocabulary import gift_of, quantity

_MAY_CHANGE_A_VALUE = (
    ClauseRuled,
    GameStarted,
    PointsAwarded,
    PointsCorrected,
    RuleChanged,
    RuleRestored,
    TurnBegan,
)


def asked(
    move: Move,
    name: str,
    facts: Facts,
    *,
    player: Player | None = None,
    proposal: Proposal | None = None,
    carrier: Carrier | None = None,
) -> Answer | None:
    """The answer of the clause `name` (as one `carrier` alone has it, if given); None if no rule orders the matter, or
    (noted) the clause has no value."""
    try:
        if carrier is not None:
            return regulation.ask_carrier(move.state, carrier, facts)
        return regulation.ask_strictly(move.state, name, facts=facts)
    except Unevaluated as error:
        rule = carrier.rule.number if carrier is not None else regulation.rule_for(move.state, name)
        number = proposal.number if proposal is not None else None
        failure = Failure(name, rule, error.said, player.id if player else None, number)
        if number is not None or gift_of(name) or not _is_known(move.state, failure):
            move.record(ClauseFailed(failure))
        return None


def _is_known(state: State, failure: Failure) -> bool:
    """Whether it was told before: what is asked again and again is told once, until the rule changes."""
    return (failure.clause, failure.rule, failure.player) in state.failed


def see_to(move: Move) -> None:
    """After a move that may have changed what clauses come to: those of the game and of its players are asked."""
    if not any(isinstance(fact, _MAY_CHANGE_A_VALUE) for fact in move.facts):
        return
    for name, facts, player, carrier in tuple(_standing(move.state)):
        asked(move, name, facts, player=player, carrier=carrier)


def _standing(state: State) -> Iterator[tuple[str, Facts, Player | None, Carrier | None]]:
    """The clauses in force that can be asked at any time, with what they may read; of those that name a winner, each."""
    of_game = regulation.game_facts(state)
    of_players = [(regulation.player_facts(state, player), player) for player in state.seated]
    for name, carriers in state.rulebook.carried():
        known = quantity(name)
        if known is None or gift_of(name):
            continue
        each = carriers if name == "wins when" else (None,)
        if known.scope in ("book", "game"):
            yield name, of_game, None, None
        elif known.scope == "player":
            yield from ((name, facts, player, one) for facts, player in of_players for one in each)
