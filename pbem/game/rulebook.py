"""The rules in force and every rule there ever was: numbering, lineage, and who orders what.

What lives here: the four changes (108) as functions from one rulebook to the next, and precedence (110, 211).
What never may: deciding whether a change is allowed.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, cmp_to_key

from immutables import Map

from pbem.game.events import RuleChanged
from pbem.game.model import Clause, Rule, RuleText, Version


@dataclass(frozen=True, slots=True)
class Carrier:
    """A rule in force that carries a clause, as the two read now."""

    rule: RuleText
    lineage: tuple[int, ...]
    clause: Clause


@dataclass(frozen=True)
class Rulebook:
    """All rules by lineage key (their first number); `numbers` leads from every number ever used to that key."""

    rules: Map[int, Rule] = Map()
    numbers: Map[int, int] = Map()

    @cached_property
    def in_force(self) -> tuple[Rule, ...]:
        """The rules in force, by number."""
        standing = (rule for rule in self.rules.values() if rule.repealed is None)
        return tuple(sorted(standing, key=lambda rule: rule.number))

    @cached_property
    def in_force_numbers(self) -> tuple[int, ...]:
        return tuple(rule.number for rule in self.in_force)

    @cached_property
    def mutable_count(self) -> int:
        return sum(rule.mutable for rule in self.in_force)

    def find(self, number: int) -> Rule | None:
        """The rule that has, or ever had, this number (in force or not)."""
        key = self.numbers.get(number)
        return None if key is None else self.rules[key]

    def standing(self, number: int) -> Rule | None:
        """The rule in force that has, or ever had, this number."""
        rule = self.find(number)
        return rule if rule is not None and rule.repealed is None else None

    def nearest(self, number: int) -> int | None:
        """The number in force that looks most like `number`."""
        known = [str(there) for there in self.in_force_numbers]
        close = difflib.get_close_matches(str(number), known, n=1, cutoff=0.0)
        return int(close[0]) if close else None

    @cached_property
    def _carriers(self) -> dict[str, tuple[Carrier, ...]]:
        found: dict[str, list[Carrier]] = {}
        for rule in self.in_force:
            for clause in rule.now.clauses:
                found.setdefault(clause.name, []).append(Carrier(rule.now, rule.lineage, clause))
        order = _order(found)
        return {name: _ranked(carriers, order) for name, carriers in found.items()}

    def carriers(self, *names: str) -> tuple[Carrier, ...]:
        """Every carrier of any of these clauses, the one that prevails first (110, 211)."""
        if len(names) == 1:
            return self._carriers.get(names[0], ())
        return _ranked(
            [c for name in names for c in self.carriers(name)], _order_word(self.carriers("precedence"))
        )

    def carried(self) -> Iterator[tuple[str, tuple[Carrier, ...]]]:
        """Every clause in force with its carriers in rank, by name."""
        return ((name, self._carriers[name]) for name in sorted(self._carriers))


def initial(rules: Iterable[RuleText], at: int) -> Rulebook:
    """The rulebook a game begins with."""
    lineages = {rule.number: Rule((Version(rule, "initial", None, 0, at),)) for rule in rules}
    return Rulebook(Map(lineages), Map({number: number for number in lineages}))


def changed(book: Rulebook, change: RuleChanged, *, turn: int, at: int) -> Rulebook:
    """The rulebook after a change took effect (108): no new text repeals the target, no target enacts the text."""
    number, target, text = change.number, change.target, change.rule
    if text is None:
        return _repealed(book, target or 0, number)
    version = Version(text, change.kind, number, turn, at)
    if target is None:
        return Rulebook(book.rules.set(number, Rule((version,))), book.numbers.set(number, number))
    old = book.rules[book.numbers[target]]
    renewed = replace(old, versions=(*old.versions, version))
    return Rulebook(book.rules.set(old.key, renewed), book.numbers.set(number, old.key))


def _repealed(book: Rulebook, target: int, proposal: int) -> Rulebook:
    old = book.rules[book.numbers[target]]
    return Rulebook(
        book.rules.set(old.key, replace(old, repealed=proposal)), book.numbers.set(proposal, old.key)
    )


def _order(found: dict[str, list[Carrier]]) -> str:
    """The word that orders rules of one rank: what `precedence` says, itself ranked by the lowest number."""
    return _order_word(_ranked(found.get("precedence", []), "lowest"))


def _order_word(carriers: tuple[Carrier, ...]) -> str:
    return carriers[0].clause.expression.strip("\"' ") if carriers else "lowest"


def _ranked(carriers: list[Carrier], order: str) -> tuple[Carrier, ...]:
    """By rank: immutable before mutable (110), then claims, then number in the given order (211)."""
    by_number = sorted(carriers, key=lambda c: c.rule.number, reverse=order in ("highest", "newest"))
    return tuple(sorted(by_number, key=cmp_to_key(_compare)))


def _compare(one: Carrier, other: Carrier) -> int:
    if one.rule.mutable != other.rule.mutable:
        return 1 if one.rule.mutable else -1
    return _claims(other, one) - _claims(one, other)


def _claims(one: Carrier, other: Carrier) -> bool:
    """Whether `one` says it goes before `other`, or `other` says it yields."""
    return _names(one.clause.over, other) or _names(other.clause.under, one)


def _names(words: tuple[str, ...], carrier: Carrier) -> bool:
    group = "mutable" if carrier.rule.mutable else "immutable"
    return group in words or any(str(number) in words for number in carrier.lineage)
