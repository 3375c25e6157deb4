"""Where the points came from.

What lives here: awards sorted for reading. What never may: a sum made anew; awards carry their own.
"""

from __future__ import annotations

from dataclasses import dataclass

from pbem.game import views
from pbem.game.model import Player
from pbem.game.proposals import Award
from pbem.game.state import State


@dataclass(frozen=True, slots=True)
class Row:
    """A player's points: what each clause gave, in the order of the ledger's `clauses`, and the rest of the score
    (points from the start, and awards of no proposal)."""

    player: Player
    points: tuple[int, ...]
    rest: int


@dataclass(frozen=True, slots=True)
class Ledger:
    """All scores by what gave them. `awards` are in the order they were made."""

    clauses: tuple[str, ...]
    rows: tuple[Row, ...]
    awards: tuple[Award, ...]

    def of(self, player: int) -> tuple[Award, ...]:
        """The awards of one player."""
        return tuple(award for award in self.awards if award.player == player)


def ledger(state: State) -> Ledger:
    """The ledger of a game, highest score first."""
    closed = sorted(state.proposals.values(), key=lambda proposal: (proposal.closed or 0, proposal.number))
    awards = tuple(award for proposal in closed for award in proposal.awards)
    clauses = tuple(dict.fromkeys(award.clause for award in awards))
    return Ledger(clauses, tuple(_row(player, clauses, awards) for player in views.scores(state)), awards)


def _row(player: Player, clauses: tuple[str, ...], awards: tuple[Award, ...]) -> Row:
    own = [award for award in awards if award.player == player.id]
    points = tuple(sum(award.points for award in own if award.clause == clause) for clause in clauses)
    return Row(player, points, player.score - sum(points))
