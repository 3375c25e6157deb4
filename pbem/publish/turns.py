"""Turns as the site tells them: what was decided in each, and what everybody got."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from pbem.game import case_views, views
from pbem.game.commands import Compare
from pbem.game.model import Player, Rule
from pbem.game.proposals import Proposal, TurnRecord
from pbem.game.state import State
from pbem.game.views import ProposalView, TurnView
from pbem.publish.annotations import Difference, compared
from pbem.publish.editions import Edition, all_editions, apart, printed
from pbem.publish.lists import last_first, together
from pbem.publish.page import Page, Shelf
from pbem.publish.press import Press
from pbem.publish.proposals import all_settled, outcome


@dataclass(frozen=True, slots=True)
class Played:
    """A turn, and all that its page depends on beside the turn itself: what it `decided`, its cases, the rulebook at its end and
    the rules that the keeper ruled on in it, and whether a turn came after it. While it runs that is everything (`seq`)."""

    turn: TurnRecord
    seq: int | None
    decided: tuple[object, ...]
    cases: tuple[case_views.CaseView, ...]
    edition: Edition
    ruled: tuple[Rule, ...]
    next: bool


def shelves(press: Press) -> Iterator[Page | Shelf]:
    """The index of turns, newest first, and the page of each."""
    state = press.state
    numbers = sorted(state.turns)
    made = tuple([_made(state, state.turns[number]) for number in numbers])

    def entries() -> Mapping[str, Any]:
        newest_first = last_first(together(numbers, made))
        return {"turns": press.listed("turns", newest_first, lambda each: _entry(press, *each))}

    yield press.page("turns/index.html", "turns.html", made, entries)
    standing = all_editions(press)
    yield _start(press, standing[0])
    cases, known = _cases_by_turn(state), all_settled(press)
    played = [
        _played(state, turn, known, standing[turn.number], cases.get(turn.number, ())) for turn, _ in made
    ]
    yield from press.shelves("turns", numbers, played, partial(_page, press))


def _made(state: State, turn: TurnRecord) -> tuple[TurnRecord, tuple[Proposal, ...]]:
    """A turn and its proposals."""
    return turn, tuple([state.proposals[number] for number in turn.proposals])


def _cases_by_turn(state: State) -> Mapping[int, tuple[case_views.CaseView, ...]]:
    found: dict[int, tuple[case_views.CaseView, ...]] = {}
    for view in case_views.all_cases(state)[::-1]:
        found[view.case.turn] = (*found.get(view.case.turn, ()), view)
    return found


def _played(
    state: State,
    turn: TurnRecord,
    known: Mapping[int, object],
    edition: Edition,
    cases: tuple[case_views.CaseView, ...],
) -> Played:
    return Played(
        turn,
        state.seq if turn.ended is None else None,
        tuple([known[number] for number in turn.proposals]),
        cases,
        edition,
        tuple([state.rulebook.rules[key] for key in edition.ruled]),
        turn.number + 1 in state.turns,
    )


def _start(press: Press, edition: Edition) -> Page:
    """The rulebook before the first turn."""
    begun = press.state.turn > 0
    view = lambda: {"blocks": printed(press, edition), "next": begun}  # noqa: E731
    return press.page("turns/0/index.html", "start.html", (edition, begun), view)


def _entry(press: Press, turn: TurnRecord, proposals: tuple[Proposal, ...]) -> Any:
    """A turn in the list of them."""
    state = press.state

    def view() -> Mapping[str, Any]:
        headed = [(proposal, views.headline(proposal)) for proposal in proposals]
        name = state.name(turn.player, turn.began)
        return {"here": "../", "turn": turn, "player": name, "proposals": headed}

    return press.part("turn_entry.html", turn.number, (turn, proposals), view)


def _page(press: Press, number: int, played: Played) -> Iterator[Page]:
    yield press.page(f"turns/{number}/index.html", "turn.html", played, lambda: _view(press, played))


def _view(press: Press, played: Played) -> Mapping[str, Any]:
    state, record = press.state, played.turn
    turn = views.turn_view(state, record.number)
    own = apart(state, played.edition)
    return {
        "turn": turn,
        "results": [(view, outcome(view), _effect(view)) for view in turn.proposals],
        "gains": _gains(state, turn),
        "cases": played.cases,
        "apart": [(before, after, compared(before, after)) for before, after in own],
        "blocks": printed(press, played.edition),
        "next": played.next,
        "commands": [Compare(first, record.number) for first in dict.fromkeys((record.number - 1, 0))],
    }


def _effect(view: ProposalView) -> Difference | None:
    """What an adopted change did to the rulebook."""
    if view.proposal.stage != "adopted" or view.proposal.without_effect is not None:
        return None
    return compared(view.before, view.after)


def _gains(state: State, turn: TurnView) -> list[tuple[Player, dict[str | None, int]]]:
    """What each player got in a turn, by counter (None: points); most points first."""
    awards = views.awards(state, turn.record.number)
    receivers = dict.fromkeys(award.player for award in awards)
    gains = [(state.players[player], views.gained(awards, player)) for player in receivers]
    return sorted(gains, key=lambda gain: -gain[1].get(None, 0))
