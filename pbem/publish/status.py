"""The front page of a game: who is to do what, by when, and how things stand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pbem.game import case_views, proclaimed, views
from pbem.game.commands import Claim, Join
from pbem.game.model import say
from pbem.game.state import State
from pbem.game.views import Waiting
from pbem.publish.page import Page
from pbem.publish.press import Press
from pbem.publish.proposals import outcome

WHAT_IS_WRONG = say("what is wrong")


def page(press: Press) -> Page:
    """The front page; it depends on everything, and is made each time."""
    return press.page("index.html", "status.html", press.state.seq, lambda: _view(press))


def _view(press: Press) -> Mapping[str, Any]:
    state = press.state
    closed = [proposal for proposal in state.proposals.values() if proposal.stage in ("adopted", "defeated")]
    latest = max(closed, key=lambda proposal: (proposal.closed or 0, proposal.number), default=None)
    view = views.proposal_view(state, latest.number) if latest else None
    return {
        "state": state,
        "standing": proclaimed.standing(state),
        "earlier_wins": proclaimed.earlier_wins(state),
        "join": Join("…"),
        "tasks": _tasks(state),
        "held": sorted(state.held.items()),
        "closing": [each for each in state.open_proposals if each.closes is not None and state.pause is None],
        "latest": view,
        "claim": Claim(press.gap(WHAT_IS_WRONG)),
        "outcome": outcome(view) if view else None,
        "scores": views.scores(state),
        "provisional": case_views.provisional(state),
    }


def _tasks(state: State) -> list[list[Waiting]]:
    """Who is waited for, those with the same thing to do by the same time together."""
    tasks: dict[tuple[str, int | None], list[Waiting]] = {}
    for entry in views.waiting(state):
        tasks.setdefault((str(entry.task), entry.until), []).append(entry)
    return list(tasks.values())
