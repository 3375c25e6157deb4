"""The pages of a game, and of the host: a state in, bytes out.

What lives here: which pages there are, at which path, from which template and view. What never may: writing
them, the time of day, or a choice of words. A page depends on the state alone, so making it again makes
the same bytes. Links are relative and name the file, so that a site can be read from any address or a disk.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pbem.game import case_views, preview, regulation, views
from pbem.game.codec import Record
from pbem.game.commands import Join, Propose, Vote
from pbem.game.model import OPEN_STAGES, Player, RuleText, Say
from pbem.game.state import State
from pbem.game.views import ProposalView, TurnView, Waiting
from pbem.game.vocabulary import HOUSE_RULES
from pbem.publish.ledger import Ledger, ledger
from pbem.publish.log import LogPage, log_pages
from pbem.publish.page import Page, SiteView
from pbem.publish.rules import Difference, compared, rule_view
from pbem.render import Printer

PLAIN_FILES: Final = ("style.css", "icon.svg")
LONGEST_LINKED: Final = 1200
"""Characters of a rule that a mailto link still carries: mail programs cut longer links."""


@dataclass(frozen=True)
class _Game:
    """A game about to be printed, with what all its pages share."""

    state: State
    site: SiteView
    printer: Printer
    ledger: Ledger
    zone: str

    def page(self, path: str, template: str, **view: Any) -> Page:
        """One page, e.g. `page("turns/5/index.html", "turn", turn=…)`."""
        parts = tuple(path.split("/"))
        here = "../" * (len(parts) - 1)
        shared = {"state": self.state, "site": self.site, "here": here, "home": f"{here}../index.html"}
        return Page(parts, self._print(f"site/{template}.j2", {**shared, **view}))

    def _print(self, template: str, view: dict[str, Any]) -> bytes:
        state = self.state
        write = self.printer.text if ".txt" in template else self.printer.html
        return write(template, view, language=state.language, zone=self.zone).encode()


def pages(state: State, records: Sequence[Record], site: SiteView, printer: Printer) -> Iterator[Page]:
    """Every page of a game, relative to its folder. `records` are its whole log, or the newer pages of it
    (see `log_pages`)."""
    game = _Game(state, site, printer, ledger(state), regulation.zone(state))
    log = list(log_pages(state, records))
    yield from _plain_files(printer)
    yield _status(game)
    yield from _rulebook(game)
    yield from _proposals(game)
    yield from _turns(game)
    yield from _cases(game)
    yield from _players(game)
    yield from _log(game, log)
    yield _json(state, log)


def index(site: SiteView, printer: Printer) -> Iterator[Page]:
    """The index of games, with what it needs beside it."""
    yield from _plain_files(printer)
    view = {"site": site, "here": ""}
    html = printer.html("site/games.html.j2", view, language=site.language, zone=site.zone)
    yield Page(("index.html",), html.encode())


def _plain_files(printer: Printer) -> Iterator[Page]:
    for name in PLAIN_FILES:
        yield Page((name,), (printer.folder / "site" / name).read_bytes())


def _status(game: _Game) -> Page:
    state = game.state
    closed = [proposal for proposal in state.proposals.values() if proposal.stage in ("adopted", "defeated")]
    latest = max(closed, key=lambda proposal: (proposal.closed or 0, proposal.number), default=None)
    view = views.proposal_view(state, latest.number) if latest else None
    return game.page(
        "index.html",
        "status.html",
        join=Join("…"),
        tasks=_tasks(state),
        held=sorted(state.held.items()),
        closing=[proposal for proposal in state.open_proposals if proposal.closes is not None],
        latest=view,
        outcome=_outcome(view) if view else None,
        scores=views.scores(state),
        provisional=case_views.provisional(state),
    )


def _tasks(state: State) -> list[list[Waiting]]:
    """Who is waited for, those with the same thing to do by the same time together."""
    tasks: dict[tuple[str, int | None], list[Waiting]] = {}
    for entry in views.waiting(state):
        tasks.setdefault((str(entry.task), entry.until), []).append(entry)
    return list(tasks.values())


def _outcome(view: ProposalView) -> Say | None:
    return None if view.proposal.stage in OPEN_STAGES else views.outcome(view)


def _rulebook(game: _Game) -> Iterator[Page]:
    state = game.state
    book = state.rulebook
    parts = {
        "immutable": [rule for rule in book.in_force if not rule.mutable],
        "mutable": [rule for rule in book.in_force if rule.mutable],
        "repealed": [rule for _, rule in sorted(book.rules.items()) if rule.repealed is not None],
    }
    house = [(q.name, state.house[q.name].strip('"')) for q, _ in HOUSE_RULES if q.name in state.house]
    yield game.page("rules/index.html", "rulebook.html", house=house, **parts)
    yield game.page("rulebook.txt", "rulebook.txt", **parts)
    yield from _rules(game)


def _rules(game: _Game) -> Iterator[Page]:
    """A page for every number ever used: the rule that has or had it, or the proposal that left no rule."""
    book, heard = game.state.rulebook, case_views.all_cases(game.state)
    for key in sorted(book.rules):
        view = rule_view(game.state, book.rules[key])
        for number in (number for number, lineage in sorted(book.numbers.items()) if lineage == key):
            path = f"rules/{number}/index.html"
            yield game.page(
                path,
                "rule.html",
                number=number,
                view=view,
                commands=_changing(view.rule.now),
                cases=[case for case in heard if view.rule.number in case.rules],
            )
    for number in sorted(set(game.state.proposals) - set(book.numbers)):
        proposal = game.state.proposals[number]
        yield game.page(f"rules/{number}/index.html", "no_rule.html", proposal=proposal)


def _changing(rule: RuleText) -> tuple[Propose, ...]:
    """What a player can write to change a rule; the text in force comes along, to be worked on."""
    if not rule.mutable:
        return (Propose("transmute", rule.number),)
    text = rule.text if len(rule.text) <= LONGEST_LINKED else None
    amend = Propose("amend", rule.number, rule.title, text, rule.clauses)
    return amend, Propose("repeal", rule.number), Propose("transmute", rule.number)


def _proposals(game: _Game) -> Iterator[Page]:
    state = game.state
    shown = [views.proposal_view(state, number) for number in sorted(state.proposals)]
    yield game.page("proposals/index.html", "proposals.html", proposals=shown[::-1])
    for view in shown:
        yield _proposal(game, view)


def _proposal(game: _Game, view: ProposalView) -> Page:
    number = view.proposal.number
    voting, held = view.proposal.stage == "voting", game.state.held.get(number)
    return game.page(
        f"proposals/{number}/index.html",
        "proposal.html",
        view=view,
        outcome=_outcome(view),
        difference=compared(view.before, view.after),
        clauses=preview.clause_changes(game.state, number),
        held=held,
        hidden=number in views.hidden_votes(game.state),
        commands=(Vote("for", number), Vote("against", number)) if voting and not held else (),
    )


def _turns(game: _Game) -> Iterator[Page]:
    turns = [views.turn_view(game.state, number) for number in sorted(game.state.turns)]
    yield game.page("turns/index.html", "turns.html", turns=turns[::-1])
    for turn in turns:
        results = [(view, _outcome(view), _effect(view)) for view in turn.proposals]
        path = f"turns/{turn.record.number}/index.html"
        cases = [
            case_views.case_view(game.state, case.number)
            for case in game.state.docket.of_turn(turn.record.number)
        ]
        yield game.page(path, "turn.html", turn=turn, results=results, gains=_gains(game, turn), cases=cases)


def _cases(game: _Game) -> Iterator[Page]:
    """Every case that was brought to judgment; none before there is one."""
    heard = case_views.all_cases(game.state)
    if heard:
        yield game.page("cases/index.html", "cases.html", cases=heard)
    for view in heard:
        can = case_views.can_be_overruled(game.state, view.case)
        commands = case_views.opinions(view.case) if can else ()
        yield game.page(f"cases/{view.case.name}/index.html", "case.html", view=view, commands=commands)


def _effect(view: ProposalView) -> Difference | None:
    """What an adopted change did to the rulebook."""
    if view.proposal.stage != "adopted" or view.proposal.without_effect is not None:
        return None
    return compared(view.before, view.after)


def _gains(game: _Game, turn: TurnView) -> list[tuple[Player, dict[str | None, int]]]:
    """What each player got in a turn, by counter (None: points); most points first."""
    awards = views.awards(game.state, turn.record.number)
    receivers = dict.fromkeys(award.player for award in awards)
    gains = [(game.state.players[player], views.gained(awards, player)) for player in receivers]
    return sorted(gains, key=lambda gain: -gain[1].get(None, 0))


def _players(game: _Game) -> Iterator[Page]:
    state = game.state
    yield game.page("scores/index.html", "scores.html", ledger=game.ledger)
    for number, player in sorted(state.players.items()):
        proposals = [views.proposal_view(state, p) for p in sorted(state.proposals) if _by(state, p, number)]
        yield game.page(
            f"players/{number}/index.html",
            "player.html",
            player=player,
            proposals=proposals,
            awards=game.ledger.of(number),
            corrections=[made for made in reversed(state.corrections) if made.player == number],
        )


def _by(state: State, proposal: int, player: int) -> bool:
    return state.proposals[proposal].proponent == player


def _log(game: _Game, log: Sequence[LogPage]) -> Iterator[Page]:
    last = log[-1].number
    for page in log:
        yield game.page(f"log/{page.number}/index.html", "log.html", page=page, last=last)
    yield game.page("log/index.html", "log.html", page=log[-1], last=last)


def _json(state: State, log: Sequence[LogPage]) -> Page:
    newest = log[-1].lines[0]
    public = views.public_json(state, newest.hash)
    return Page(("game.json",), (json.dumps(public, ensure_ascii=False, indent=1) + "\n").encode())
