"""Random games of random rule changes, ballots, judgments, silences and corrections: what holds in every one of them.

`PBEM_SEARCH=1 PBEM_GAMES=5000 pytest --timeout 0 tests/game/test_properties.py` plays more of them.
"""

from __future__ import annotations

import json
import os
from dataclasses import fields
from itertools import chain, pairwise
from random import Random

import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from pbem.game import chronicle, events, preview, views
from pbem.game.commands import By, Command, Propose
from pbem.game.events import Fact
from pbem.game.fold import evolve, replay
from pbem.game.model import Refused, RuleText
from pbem.game.state import State
from pbem.mail.phrasing import phrase
from pbem.render import Printer
from tests.game.conftest import NAMES, Table
from tests.game.random_moves import Lot
from tests.game.sums import PAID_BY, Ledger, Payment, still_paid_as_at_first

GAMES = int(os.environ.get("PBEM_GAMES", "60"))
STEPS = 40
PRINTER = Printer(phrase)


class Witness:
    """Follows a game fact by fact, and sees to it that what must hold, holds."""

    def __init__(self) -> None:
        self.state = State()
        self.ledger = Ledger()
        self.changes: list[tuple[int, tuple[RuleText, ...]]] = []

    def see(self, table: Table) -> None:
        """What has happened since the last time. Table itself sees that each record leads to the same state."""
        new = table.log[self.state.seq :]
        facts = table.facts[self.state.seq :]
        for at, (record, fact) in enumerate(zip(new, facts, strict=True)):
            before, self.state = self.state, evolve(self.state, fact, record.at, record.mail)
            self._number_is_new(before, fact)
            if isinstance(fact, events.VoteClosed):
                self._vote_is_counted_and_paid(before, fact, facts[at + 1 :])
            self._restores_what_was(before, fact)
            self.ledger.enter(fact)
        self._can_be_told(table, facts)
        assert self.state == table.state
        assert self.ledger.scores == {player.id: player.score for player in self.state.players.values()}

    def _number_is_new(self, before: State, fact: Fact) -> None:
        if isinstance(fact, events.ProposalMade):
            assert fact.number > max(before.proposals, default=0)
            assert fact.number not in before.rulebook.numbers

    def _vote_is_counted_and_paid(self, before: State, fact: events.VoteClosed, after: list[Fact]) -> None:
        counted = self.ledger.count(fact.number)
        tally = fact.tally
        assert (tally.votes_for, tally.votes_against, tally.eligible) == counted
        followed = _until_next_vote(after)
        state = self.state
        for other in followed:
            state = evolve(state, other, state.at)
        if any(isinstance(other, events.ChangeVoided) for other in followed):
            assert state.rulebook == before.rulebook
        elif tally.adopted:
            assert any(isinstance(other, events.RuleChanged) for other in followed)
        if still_paid_as_at_first(state.rulebook) and before.status != "won":
            closed = Ledger({**self.ledger.votes}, {})
            closed.enter(fact)
            _assert_paid(closed.payments(fact.number, counted, state.rulebook), fact.number, followed)

    def _restores_what_was(self, before: State, fact: Fact) -> None:
        """What undoes the last change of the rulebook leaves it reading as it did before that."""
        if isinstance(fact, events.RuleChanged):
            self.changes.append((fact.number, _reading(before)))
        elif isinstance(fact, events.ClauseRuled):
            self.changes.clear()
        elif isinstance(fact, events.RuleRestored):
            number, was = self.changes.pop() if self.changes else (0, ())
            if number == fact.number:
                assert _reading(self.state) == was
            else:
                self.changes.clear()

    def _can_be_told(self, table: Table, facts: list[Fact]) -> None:
        for fact in facts:
            said = chronicle.told(table.state, fact)
            for language in ("en", "sv"):
                assert PRINTER.sentence(said, language=language, zone="UTC")
        assert json.dumps(views.state_json(table.state, table.log[-1].hash))
        assert vars(table.state).keys() == {each.name for each in fields(State)}


def _reading(state: State) -> tuple[RuleText, ...]:
    return tuple(rule.now for rule in state.rulebook.in_force)


def _until_next_vote(after: list[Fact]) -> list[Fact]:
    ends = (events.VoteClosed, events.TurnEnded, events.TurnContinued, events.PointsCorrected)
    end = next((at for at, fact in enumerate(after) if isinstance(fact, ends)), len(after))
    return after[:end]


def _assert_paid(expected: list[list[Payment]], number: int, followed: list[Fact]) -> None:
    """All is paid, moment by moment, or all up to the moment of a win and nothing after it."""
    won = any(isinstance(fact, events.PlayersWon) for fact in followed)
    awards = [fact.award for fact in followed if isinstance(fact, events.PointsAwarded)]
    paid = [(a.clause, a.player, a.points) for a in awards if a.proposal == number and a.clause in PAID_BY]
    possible = [list(chain(*expected[:moments])) for moments in range(len(expected) + 1)]
    assert paid in (possible if won else possible[-1:])


@settings(max_examples=GAMES, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
@pytest.mark.slow
@given(draw=st.randoms(use_true_random=True))
def test_what_holds_in_every_game(draw: Random) -> None:
    """`draw` is told with its seed when a game fails, and every move with it."""
    teams = draw.choice([{}, {}, dict.fromkeys(NAMES[:2], "Red")])
    table = Table(NAMES[: draw.randint(2, 4)], teams=teams)
    witness = Witness()
    witness.see(table)
    for _ in range(STEPS):
        lot = Lot(draw, table)
        for by, command in lot.next():
            note(f"{by}: {command}")
            _ask(table, by, command)
            witness.see(table)
        table.wait(lot.time())
        witness.see(table)
    assert replay(table.log) == table.state
    numbers = [fact.number for fact in table.facts if isinstance(fact, events.ProposalMade)]
    assert all(earlier < later for earlier, later in pairwise(numbers))


def _ask(table: Table, by: By, command: Command) -> None:
    """Any move is taken, or refused in words; nothing else. A proposal is looked at first, which changes nothing."""
    before = table.state
    try:
        if isinstance(command, Propose):
            preview.preview(before, command, by, table.now)
        table.ask(by, command)
    except Refused as refused:
        said, cures = refused.said, refused.cure
    else:
        return
    assert table.state is before
    assert PRINTER.sentence(said, language="sv", zone="UTC")
    assert all(phrase(cure, "sv") for cure in cures)
