"""A game with a rulebook of thousands of rules, most of them with a history, for measuring."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from pbem.game.commands import Propose
from pbem.game.model import RuleText
from tests.bench.long_game import LongGame
from tests.game.conftest import rules

PROSE = (
    "a player who has the lantern may ask any other to name a river and a stone the clerk then counts votes points turns "
    "boats and bells at noon until nobody of the house has written for seven days or the keeper has closed the book"
)
WORDS = PROSE.split()


class BigBook(LongGame):
    """`rules` of them, of which each of `proposals` turns amends one, or (each tenth) enacts another."""

    def __init__(self, rules: int, proposals: int) -> None:
        self._draw = Random(rules)  # noqa: S311 – a game for measuring
        super().__init__(self._first_set(rules))
        for turn in range(proposals):
            self.turn(self._another() if turn % 10 == 9 else self.amendment())

    def amendment(self) -> Propose:
        """Another sentence for one of the sentences of a rule; each fifth time another text."""
        rule = self._draw.choice(self.state.rulebook.in_force[-1000:]).now
        old, _, rest = rule.text.partition(".")
        text = self._prose() if self._draw.random() < 0.2 else f"{self._sentence(len(old.split()))}.{rest}"
        return Propose("amend", rule.number, rule.title, text, rule.clauses)

    def _first_set(self, count: int) -> tuple[RuleText, ...]:
        """The shipped set without its limit on the number of rules, and as many as are wanted beside it."""
        shipped = [
            replace(rule, clauses=tuple(c for c in rule.clauses if c.name != "most mutable rules"))
            for rule in rules()
        ]
        made = (
            RuleText(number, True, self._title(), self._prose())
            for number in range(1001, 1001 + count - len(shipped))
        )
        return (*shipped, *made)

    def _another(self) -> Propose:
        return Propose("enact", None, self._title(), self._prose())

    def _title(self) -> str:
        return self._sentence(3)

    def _prose(self) -> str:
        return "\n\n".join(
            f"{self._sentence(self._draw.randrange(15, 60))}." for _ in range(self._draw.randrange(1, 4))
        )

    def _sentence(self, words: int) -> str:
        return " ".join(self._draw.choices(WORDS, k=words)).capitalize()
