"""What is told when a vote or a turn is over: outcomes, sums with their working, the change, the scores.

What lives here: values for templates, drawn from a state. What never may: who gets them, or a sentence.
"""

from __future__ import annotations

from dataclasses import dataclass

from pbem.game import preview, views
from pbem.game.events import PlayersWon
from pbem.game.model import Player, Say
from pbem.game.preview import ClauseChange
from pbem.game.proposals import Award, Tally
from pbem.game.redline import Piece, redline
from pbem.game.state import State
from pbem.game.views import ProposalView


@dataclass(frozen=True, slots=True)
class Points:
    """Points, or another counter's units, that somebody got by the clause `clause` of rule `rule` (None: of the house);
    `sum` is the working, one step a line."""

    name: str
    points: int
    counter: str | None
    clause: str
    rule: int | None
    sum: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ClauseLine:
    """What happens to one clause; `expression` holds it before and after, each whole and on its own line."""

    change: ClauseChange
    expression: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Amendment:
    """A rule's change, made or asked for: `title` and `text` lead from its words before to those after."""

    title: tuple[Piece, ...]
    text: tuple[Piece, ...]
    clauses: tuple[ClauseLine, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """A closed proposal. `sum` is the working of the count up to its yes or no; `change` is None if the rulebook is as it
    was."""

    view: ProposalView
    outcome: Say
    sum: tuple[str, ...]
    points: tuple[Points, ...]
    change: Amendment | None


@dataclass(frozen=True, slots=True)
class CounterLine:
    """How many units of a counter a player has now, and how many of them were gained in the turn."""

    name: str
    gained: int
    now: int


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """A player's score before and after, and what was gained between; then the counters that rules keep, and whether the
    player keeps the game."""

    name: str
    before: int
    gained: int
    score: int
    counters: tuple[CounterLine, ...]
    keeps: bool = False


@dataclass(frozen=True, slots=True)
class Win:
    """Who won, by the clause `wins when` of rule `rule` (None: of the house), and its expression."""

    names: tuple[str, ...]
    rule: int | None
    expression: str


@dataclass(frozen=True, slots=True)
class Order:
    """The clause that orders a matter, and the rule that carries it (None: the house)."""

    clause: str
    expression: str
    rule: int | None


def order(state: State, *names: str) -> Order | None:
    """What orders the matter that any of these clauses is about; None: nothing does."""
    return next(iter(orders(state, *names)), None)


def orders(state: State, *names: str) -> tuple[Order, ...]:
    """All that orders the matter, the first in rank first; the house only where no rule does."""
    carried = tuple(
        Order(carrier.clause.name, carrier.clause.expression, carrier.rule.number)
        for carrier in state.rulebook.carriers(*names)
    )
    return carried or tuple(Order(name, state.house[name], None) for name in names if name in state.house)


def amendment(state: State, number: int) -> Amendment:
    """What proposal `number` does, or did, to its rule."""
    view = views.proposal_view(state, number)
    old_title, old_text = (view.before.title, view.before.text) if view.before else ("", "")
    new_title, new_text = (view.after.title, view.after.text) if view.after else ("", "")
    title, text = redline(old_title, new_title), redline(old_text, new_text)
    return Amendment(title, text, tuple(map(_clause_line, preview.clause_changes(state, number))))


def _clause_line(change: ClauseChange) -> ClauseLine:
    return ClauseLine(change, expressions(change.before, change.after))


def expressions(before: str | None, after: str | None) -> tuple[Piece, ...]:
    """A clause's expression before and after a change (None: not carried), each whole and on its own line."""
    if before == after:
        return (Piece("same", after or ""),)
    pieces = (Piece("gone", before or ""), Piece("same", "\n"), Piece("new", after or ""))
    if before is None or after is None:
        return tuple(piece for piece in pieces if piece.text.strip())
    return pieces


def result(state: State, number: int) -> Result:
    """All there is to tell of a closed proposal."""
    view = views.proposal_view(state, number)
    changed = view.proposal.stage == "adopted" and view.proposal.without_effect is None
    return Result(
        view,
        views.outcome(view),
        _count_sum(view.tally),
        tuple(_points(line.name, line.award) for line in view.awards),
        amendment(state, number) if changed else None,
    )


def _count_sum(tally: Tally | None) -> tuple[str, ...]:
    if tally is None or not tally.expression:
        return ()
    return _steps(tally.expression, tally.working)


def _points(name: str, award: Award) -> Points:
    steps = _steps(award.expression, award.working, str(award.points))
    return Points(name, award.points, award.counter, award.clause, award.rule, steps)


def _steps(*forms: str) -> tuple[str, ...]:
    """The formula, the formula with its numbers put in, and its value: each once."""
    first, *rest = dict.fromkeys(forms)
    return (first, *(f"= {step}" for step in rest))


def turn_results(state: State, turn: int) -> tuple[Result, ...]:
    """The closed proposals of a turn, in order of number."""
    return tuple(result(state, number) for number in state.turns[turn].proposals if number not in state.open)


def turn_awards(state: State, turn: int) -> tuple[Points, ...]:
    """What was given for the turn itself, for none of its proposals."""
    return tuple(_points(state.name(award.player, state.at), award) for award in state.turns[turn].awards)


def turn_scores(state: State, turn: int) -> tuple[ScoreLine, ...]:
    """Everyone's score now and before the turn, highest first."""
    awards = views.awards(state, turn)
    return tuple(_score(state, player, views.gained(awards, player.id)) for player in views.scores(state))


def _score(state: State, player: Player, gains: dict[str | None, int]) -> ScoreLine:
    points, counters = gains.get(None, 0), state.rulebook.counters
    kept = tuple(CounterLine(name, gains.get(name, 0), player.counters.get(name, 0)) for name in counters)
    return ScoreLine(
        player.name, player.score - points, points, player.score, kept, player.id == state.keeper
    )


def win(state: State, fact: PlayersWon) -> Win:
    """A win with the winners' names."""
    return Win(tuple(state.players[player].name for player in fact.players), fact.rule, fact.expression)
