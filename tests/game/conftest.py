"""A game at a table: real rules from the shipped files, real decisions, no mail."""

from __future__ import annotations

import hashlib
import importlib.resources
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest

from pbem.game import codec, silence
from pbem.game.clauses import normal
from pbem.game.commands import By, CallVote, Command, Join, Propose, Start, Vote
from pbem.game.decide import decide
from pbem.game.events import Fact, GameCreated
from pbem.game.fold import evolve, replay
from pbem.game.model import Clause, Player, RuleText
from pbem.game.ruleset import read_ruleset
from pbem.game.state import State
from pbem.game.vocabulary import HOUSE_RULES

SECOND = 1_000_000
HOUR = 3600 * SECOND
DAY = 24 * HOUR
BEGINNING = 1_796_000_000 * SECOND


def rules(language: str = "en", ruleset: str = "suber"):
    file = importlib.resources.files("pbem.game.rulesets") / f"{ruleset}-{language}.md"
    return read_ruleset(file.read_text("utf-8"))[0]


class Table:
    """Plays commands one minute apart, and lets the calendar act in between."""

    def __init__(
        self,
        names: tuple[str, ...],
        language: str = "en",
        *,
        ruleset: str = "suber",
        teams: Mapping[str, str] = MappingProxyType({}),
        book: tuple[RuleText, ...] | None = None,
        **house: str,
    ) -> None:
        self.now = BEGINNING
        self.state = State()
        self.facts: list[Fact] = []
        self.log: list[codec.Record] = []
        settings = {quantity.name: value for quantity, value in HOUSE_RULES} | {"cooling time": "0"}
        settings |= {name.replace("_", " "): value for name, value in house.items()}
        pairs = tuple((name, normal(name, value)) for name, value in settings.items())
        book = book or rules(language, ruleset)
        self._take((GameCreated("kaffe", "Kaffe", language, ruleset, book, pairs),))
        for name in names:
            self.ask("guest", Join(name, teams.get(name)))
        self.ask("keeper", Start())

    def ask(self, by: By, command: Command) -> tuple[Fact, ...]:
        """One command, then whatever is due. Raises Refused."""
        self.now += 60 * SECOND
        facts = decide(self.state, command, by, self.now)
        self._take(facts, hashlib.sha256(f"{self.now} {by}".encode()).hexdigest())
        return facts + self.wait()

    def play(self, name: str, command: Command) -> tuple[Fact, ...]:
        return self.ask(self.player(name).id, command)

    def wait(self, time: int = 0) -> tuple[Fact, ...]:
        """Lets time pass; returns what the calendar brought about, each thing at its moment."""
        end = self.now + time
        happened: list[Fact] = []
        while (due := silence.next_due(self.state)) is not None and due <= end:
            self.now = max(due, self.state.at)
            facts = decide(self.state, silence.agenda(self.state)[0][1], "clock", self.now)
            self._take(facts)
            happened += facts
        self.now = end
        return tuple(happened)

    def _take(self, facts: tuple[Fact, ...], mail: str | None = None) -> None:
        at = max(self.now, self.state.at)
        head = self.log[-1].hash if self.log else codec.GENESIS
        written = tuple(codec.write(facts, after=self.state.seq, head=head, at=at, mail=mail))
        replayed = replay(written, self.state)
        for fact in facts:
            self.state = evolve(self.state, fact, at, mail)
        self.log += written
        self.facts += facts
        assert replayed == self.state, "what is written down leads to the same state"

    def turn(self, name: str, change: Propose, votes_for: str, votes_against: str = "") -> int:
        """A whole turn: `name` proposes, ends the debate, and the players whose names begin so vote."""
        self.play(name, change)
        number = self.state.last_number
        self.play(name, CallVote(number))
        for initials, choice in ((votes_for, "for"), (votes_against, "against")):
            for initial in initials:
                self.play(initial, Vote(choice, number))
        return number

    def player(self, name: str) -> Player:
        return next(p for p in self.state.players.values() if p.name.startswith(name))

    def score(self, name: str) -> int:
        return self.player(name).score

    def stage(self, number: int) -> str:
        return self.state.proposals[number].stage

    @property
    def on_turn(self) -> str:
        return self.state.players[self.state.on_turn].name


NAMES = ("Alva Alm", "Bo Berg", "Cia Ceder", "Dan Dahl", "Eva Ek")
"""In alphabetical order of surnames, so that A begins."""


@pytest.fixture(name="table")
def _table():
    """`table(3)` seats three players; `table(4, language="sv", cooling_time="12h")` sets more;
    `ruleset="suber1990"` plays another shipped set."""

    def seat(players: int, language: str = "en", **house: Any) -> Table:
        return Table(NAMES[:players], language, **house)

    return seat


def enact(title: str = "Tea", text: str = "Tea is served at four.", **clauses: str) -> Propose:
    return Propose("enact", None, title, text, _clauses(clauses))


def amend(target: int, text: str, title: str = "", carry: Any = None, **clauses: str) -> Propose:
    return Propose("amend", target, title, text, _clauses(clauses), carry)


def _clauses(written: dict[str, str]) -> tuple[Clause, ...]:
    return tuple(Clause(name.replace("_", " "), expression) for name, expression in written.items())


MAJORITY = {"adopted_when": "votes_for * 2 > eligible"}


def majority() -> Propose:
    return amend(
        203, "A rule change is adopted when more than half of the eligible voters vote for it.", **MAJORITY
    )
