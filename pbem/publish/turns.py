"""Turns as the site tells them: what was decided in each, and what everybody got."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pbem.game import case_views, views
from pbem.game.commands import Compare
from pbem.game.model import Player
from pbem.game.proposals import TurnRecord
from pbem.game.state import State
from pbem.game.views import ProposalView, TurnView
from pbem.publish.annotations import Difference, compared
from pbem.publish.editions import Edition, all_editions, apart, printed
from pbem.publish.page import Page
from pbem.publish.press import Press
from pbem.publish.proposals import outcome, settled


def pages(press: Press) -> Iterator[Page]:
    """The index of turns, newest first, and the page of each."""
    state = press.state
    played = [state.turns[number] for number in sorted(state.turns)]
    entries = lambda: {"turns": [_entry(press, turn) for turn in reversed(played)]}  # noqa: E731
    yield press.page("turns/index.html", "turns.html", (state.turns, state.proposals), entries)
    standing = all_editions(press)
    yield _start(press, standing[0])
    for turn in played:
        yield _page(press, turn, standing[turn.number])


def _start(press: Press, edition: Edition) -> Page:
    """The rulebook before the first turn."""
    begun = press.state.turn > 0
    view = lambda: {"blocks": printed(press, edition), "next": begun}  # noqa: E731
    return press.page("turns/0/index.html", "start.html", (edition, begun), view)


def _entry(press: Press, turn: TurnRecord) -> Any:
    """A turn in the list of them."""
    state = press.state
    proposals = tuple(state.proposals[number] for number in turn.proposals)

    def view() -> Mapping[str, Any]:
        headed = [(proposal, views.headline(proposal)) for proposal in proposals]
        name = state.name(turn.player, turn.began)
        return {"here": "../", "turn": turn, "player": name, "proposals": headed}

    return press.part("turn_entry.html", turn.number, (turn, proposals), view)


def _page(press: Press, turn: TurnRecord, edition: Edition) -> Page:
    own = apart(press.state, edition)

    def view() -> Mapping[str, Any]:
        ruled = [(before, after, compared(before, after)) for before, after in own]
        return {**_view(press.state, turn), "apart": ruled, "blocks": printed(press, edition)}

    return press.page(
        f"turns/{turn.number}/index.html",
        "turn.html",
        (_key(press.state, turn), edition, own),
        view,
    )


def _key(state: State, turn: TurnRecord) -> object:
    """All that a turn's page depends on: once the turn is over, and what it decided is final, that stays the same."""
    if turn.ended is None:
        return state.seq
    decided = tuple(settled(state, state.proposals[number]) for number in turn.proposals)
    return turn, decided, _cases(state, turn), turn.number + 1 in state.turns


def _cases(state: State, turn: TurnRecord) -> tuple[case_views.CaseView, ...]:
    return tuple(case_views.case_view(state, case.number) for case in state.docket.of_turn(turn.number))


def _view(state: State, record: TurnRecord) -> Mapping[str, Any]:
    turn = views.turn_view(state, record.number)
    return {
        "turn": turn,
        "results": [(view, outcome(view), _effect(view)) for view in turn.proposals],
        "gains": _gains(state, turn),
        "cases": _cases(state, record),
        "next": record.number + 1 in state.turns,
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
