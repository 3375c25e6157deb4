"""Proposals as the site tells them: an index, and a page for each with its debate, vote and effect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from pbem.game import preview, views
from pbem.game.commands import CallVote, Command, GoToJudgment, Vote, Withdraw
from pbem.game.model import OPEN_STAGES, Say, say
from pbem.game.proposals import Proposal
from pbem.game.state import State
from pbem.game.views import PostLine, ProposalView
from pbem.publish.annotations import compared
from pbem.publish.lists import last_first, together
from pbem.publish.page import Page, Shelf
from pbem.publish.press import Press

YOUR_QUESTION = say("your question")


def shelves(press: Press) -> Iterator[Page | Shelf]:
    """The index of proposals, newest first, and the page of each."""
    state = press.state
    numbers = sorted(state.proposals)
    made = tuple([state.proposals[number] for number in numbers])

    def entries() -> Mapping[str, Any]:
        newest_first = last_first(together(numbers, made))
        return {"proposals": press.listed("proposals", newest_first, partial(entry, press))}

    yield press.page("proposals/index.html", "proposals.html", made, entries)
    known = all_settled(press)
    depends = [known[number] for number in numbers]
    yield from press.shelves("proposals", numbers, depends, partial(_page, press))


def entry(press: Press, proposal: Proposal, here: str = "../") -> Any:
    """A proposal in a list of them."""
    name = press.state.name(proposal.proponent, proposal.made)
    shown = {"here": here, "proposal": proposal, "headline": views.headline(proposal), "proponent": name}
    return press.part("proposal_entry.html", (here, proposal.number), proposal, lambda: shown)


def outcome(view: ProposalView) -> Say | None:
    """What became of a proposal, None while it is open."""
    return None if view.proposal.stage in OPEN_STAGES else views.outcome(view)


def settled(state: State, proposal: Proposal) -> object:
    """All that the view of a proposal depends on: once it is closed that is itself and the rules it speaks of."""
    if proposal.stage in OPEN_STAGES:
        return state.seq
    book = state.rulebook
    target = None if proposal.target is None else book.find(proposal.target)
    return proposal, target, book.find(proposal.number)


def all_settled(press: Press) -> Mapping[int, object]:
    """`settled` of every proposal by number."""
    state = press.state

    def each() -> Mapping[int, object]:
        return {number: settled(state, proposal) for number, proposal in state.proposals.items()}

    found: Mapping[int, object] = press.kept("settled", state.seq, each)
    return found


def _page(press: Press, number: int, key: object) -> Iterator[Page]:
    yield press.page(f"proposals/{number}/index.html", "proposal.html", key, lambda: _view(press, number))


def _commands(proposal: Proposal) -> tuple[Command, ...]:
    """What a proposal waits for: its proponent's word, then the ballots."""
    number = proposal.number
    if proposal.stage == "debate":
        return CallVote(number), Withdraw(number)
    return (Vote("for", number), Vote("against", number)) if proposal.stage == "voting" else ()


def _thread(view: ProposalView) -> list[tuple[str, int, PostLine | None]]:
    """The debate in order of time, with the moments at which the vote opened and closed among the posts."""
    moments = (("opened", view.proposal.opened), ("closed", view.proposal.closed))
    marks: list[tuple[str, int, PostLine | None]] = [
        (what, at, None) for what, at in moments if at is not None
    ]
    posts: list[tuple[str, int, PostLine | None]] = [("post", post.at, post) for post in view.debate]
    return sorted([*posts, *marks], key=lambda entry: entry[1])


def _view(press: Press, number: int) -> Mapping[str, Any]:
    state = press.state
    view, held = views.proposal_view(state, number), state.held.get(number)
    return {
        "view": view,
        "outcome": outcome(view),
        "difference": compared(view.before, view.after),
        "clauses": preview.clause_changes(state, number),
        "thread": _thread(view),
        "is_open": view.proposal.stage in OPEN_STAGES,
        "held": held,
        "hidden": number in views.hidden_votes(state),
        "judgment": GoToJudgment(press.gap(YOUR_QUESTION)),
        "commands": () if held else _commands(view.proposal),
    }
