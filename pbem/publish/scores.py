"""Where the points came from: the scores, and a page for each player.

What lives here: awards sorted for reading, points apart from other counters' units. What never may: a sum made
anew; awards carry their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import sub
from typing import Any

from pbem.game import proclaimed, views
from pbem.game.model import Player
from pbem.game.proposals import Award
from pbem.game.standings import after_turns, awards_by_turn
from pbem.game.state import State
from pbem.publish import chart, proposals
from pbem.publish.lists import Blocks, last_first, together
from pbem.publish.page import Page
from pbem.publish.press import Press


@dataclass(frozen=True, slots=True)
class Row:
    """A player's points: what each clause gave, in the order of the ledger's `clauses`, and the rest of the score
    (points from the start, and corrections). `counters` are the units held, in the order of the ledger's."""

    player: Player
    points: tuple[int, ...]
    rest: int
    counters: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Ledger:
    """All scores by what gave them: the `clauses` that gave points, the `counters` that rules keep. `awards` are
    those of points and of counters' units, in the order they were made."""

    clauses: tuple[str, ...]
    counters: tuple[str, ...]
    rows: tuple[Row, ...]
    awards: tuple[Award, ...]

    def of(self, player: int) -> tuple[Award, ...]:
        """The awards of one player."""
        return tuple(award for award in self.awards if award.player == player)


def ledger(state: State) -> Ledger:
    """The ledger of a game, highest score first."""
    awards = tuple(chain.from_iterable(awards_by_turn(state)))
    of_points = [award for award in awards if award.counter is None]
    clauses = tuple(dict.fromkeys(award.clause for award in of_points))
    counters = state.rulebook.counters
    rows = tuple(_row(player, clauses, of_points, counters) for player in views.scores(state))
    return Ledger(clauses, counters, rows, awards)


def _row(player: Player, clauses: tuple[str, ...], awards: list[Award], counters: tuple[str, ...]) -> Row:
    own = [award for award in awards if award.player == player.id]
    points = tuple(sum(award.points for award in own if award.clause == clause) for clause in clauses)
    kept = tuple(player.counters.get(counter, 0) for counter in counters)
    return Row(player, points, player.score - sum(points), kept)


def pages(press: Press) -> Iterator[Page]:
    """The scores, and the page of each player."""
    state = press.state
    book = ledger(state)
    key = (book, state.corrections, state.turn, state.earlier_wins)
    yield press.page("scores/index.html", "scores.html", key, lambda: _scores(press, book))
    for _, player in sorted(state.players.items()):
        yield _player(press, player, book.of(player.id))


def _scores(press: Press, book: Ledger) -> Mapping[str, Any]:
    # By number and not by score: what was printed of earlier turns then serves again, and a line keeps its marks.
    standings = after_turns(press.state)
    players = [player for _, player in sorted(press.state.players.items())]
    rows = tuple(enumerate(_pairs(standings, players)))
    return {
        "ledger": book,
        "earlier_wins": proclaimed.earlier_wins(press.state),
        "chart": chart.drawn(standings, players) if press.state.turn else None,
        "players": players,
        "turn": len(standings) - 1,
        "standings": press.listed(
            "standings", together(range(len(rows)), rows), lambda row: _standing(press, *row)
        ),
        "corrections": press.state.corrections[::-1],
        "awards": _listed(press, last_first(_placed(book.awards)), "all", "../"),
    }


Placed = Blocks[tuple[int, Award]]
"""Awards with their places, by fifties."""


def _placed(awards: Sequence[Award]) -> Placed:
    return together(range(len(awards)), tuple(enumerate(awards)))


def _listed(press: Press, awards: Placed, slot: object, here: str, *, named: bool = True) -> Any:
    """A list of many turns' awards."""
    return press.listed(
        ("awards", slot), awards, lambda each: _award(press, each[1], (slot, each[0]), here, named=named)
    )


def _pairs(
    standings: Sequence[Mapping[int, int]], players: Sequence[Player]
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The points of the players after each turn, and what they got in it."""
    seats = [player.id for player in players]
    before = tuple([standings[0][seat] for seat in seats])
    for standing in standings:
        now = tuple([standing[seat] for seat in seats])
        yield now, tuple(map(sub, now, before))
        before = now


def _standing(press: Press, turn: int, row: tuple[tuple[int, ...], tuple[int, ...]]) -> Any:
    """A row of the table of scores by turn."""
    points, gains = row
    view = {"here": "../", "turn": turn, "points": list(zip(points, gains, strict=True))}
    return press.part("standing.html", turn, row, lambda: view)


def _player(press: Press, player: Player, awards: tuple[Award, ...]) -> Page:
    state = press.state
    own = sorted(number for number, each in state.proposals.items() if each.proponent == player.id)
    made = tuple([state.proposals[number] for number in own])
    corrections = tuple(
        correction for correction in reversed(state.corrections) if correction.player == player.id
    )

    earlier_wins = proclaimed.earlier_wins(state, player.id)

    def view() -> Mapping[str, Any]:
        return {
            "player": player,
            "earlier_wins": earlier_wins,
            "proposals": press.listed(
                ("proposals", player.id),
                together(own, made),
                lambda proposal: proposals.entry(press, proposal, "../../"),
            ),
            "awards": _listed(press, _placed(awards), player.id, "../../", named=False),
            "corrections": corrections,
        }

    key = (player, made, awards, corrections, earlier_wins)
    return press.page(f"players/{player.id}/index.html", "player.html", key, view)


def _award(press: Press, award: Award, slot: object, here: str, *, named: bool = True) -> Any:
    """An award in a list of many turns'."""
    return press.part(
        "award_entry.html", (slot, here), award, lambda: {"here": here, "award": award, "named": named}
    )
