"""The rules in force and every rule there ever was: numbering, lineage, and who orders what.

What lives here: the changes (108) as functions from one rulebook to the next, and what the rules say of rank.
What never may: deciding whether a change is allowed.
"""

from __future__ import annotations

import difflib
from bisect import insort
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

from immutables import Map

from pbem.game.clauses import Unevaluated, compiled
from pbem.game.events import ClauseRuled, RuleChanged
from pbem.game.model import Rule, RuleText, Say, Version
from pbem.game.precedence import Carrier, Order, Ranks, ranked, undecided
from pbem.game.vocabulary import counter_of, each_counts


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
        return tuple([rule.versions[-1].rule.number for rule in self.in_force])

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
        """The number in force that looks most like `number`, None if none looks like it."""
        known = [str(there) for there in self.in_force_numbers]
        close = difflib.get_close_matches(str(number), known, n=1, cutoff=0.6)
        return int(close[0]) if close else None

    @cached_property
    def _carriers(self) -> dict[str, tuple[Carrier, ...]]:
        return {name: ranked(found, self.ranks) for name, found in self._unranked.items()}

    @cached_property
    def _unranked(self) -> dict[str, list[Carrier]]:
        found: dict[str, list[Carrier]] = {}
        for rule in self.in_force:
            for clause in rule.now.clauses:
                carrier = Carrier(rule.now, rule.lineage, clause, rule.versions[-1].at)
                found.setdefault(clause.name, []).append(carrier)
        return found

    @cached_property
    def ranks(self) -> Ranks:
        """What the rules say of rank. Of what they say, what ranks first counts: before it is known who goes
        first, an immutable rule that says so does, and then the lowest number."""
        saying = self._unranked.get("immutable first", [])
        presumed = Ranks(any(not carrier.rule.mutable for carrier in saying), "lowest")
        first = self._said(ranked(saying, presumed)) is True
        order = self._said(ranked(self._unranked.get("precedence", []), Ranks(first, "lowest")))
        known: dict[object, Order] = {"lowest": "lowest", "highest": "highest", "newest": "newest"}
        return Ranks(first, known.get(order))

    def _said(self, carriers: tuple[Carrier, ...]) -> object:
        """The value of a clause about rank, None if no rule carries it or it has none."""
        if not carriers:
            return None
        program = compiled(carriers[0].clause.name, carriers[0].clause.expression)
        if isinstance(program, Say):
            return None
        try:
            return program.value({"numbers": self.in_force_numbers, "mutable_rules": self.mutable_count})
        except Unevaluated:
            return None

    def carriers(self, *names: str) -> tuple[Carrier, ...]:
        """Every carrier of any of these clauses, the one that prevails first (110, 211)."""
        if len(names) == 1:
            return self._carriers.get(names[0], ())
        return ranked([carrier for name in names for carrier in self.carriers(name)], self.ranks)

    def beside(self, name: str, number: int | None) -> tuple[int, ...]:
        """The rules but `number` whose clause of that name counts whatever its rank; none where only one prevails."""
        if not each_counts(name):
            return ()
        return tuple(sorted(each.rule.number for each in self.carriers(name) if each.rule.number != number))

    def rivals(self, *names: str) -> tuple[Carrier, ...]:
        """The carriers between which no rule decides; none where one prevails."""
        return undecided(chain.from_iterable(map(self.carriers, names)), self.ranks)

    @cached_property
    def counters(self) -> tuple[str, ...]:
        """The names of the counters that rules in force keep, in alphabetical order."""
        return tuple(sorted(counter for name in self._unranked if (counter := counter_of(name))))

    def carried(self) -> Iterator[tuple[str, tuple[Carrier, ...]]]:
        """Every clause in force with its carriers in rank, by name."""
        return ((name, self._carriers[name]) for name in sorted(self._carriers))


def initial(rules: Iterable[RuleText], at: int) -> Rulebook:
    """The rulebook a game begins with."""
    lineages = {rule.number: Rule((Version(rule, "initial", None, 0, at),)) for rule in rules}
    return Rulebook(Map(lineages), Map({number: number for number in lineages}))


def _with(book: Rulebook, key: int, rule: Rule | None, numbers: Map[int, int]) -> Rulebook:
    """The rulebook with this rule under its key, or with none there.

    Of thousands of rules one changes: those in force are not sorted again, the one is put in its place among the others.
    """
    old = book.rules.get(key)
    made = Rulebook(book.rules.delete(key) if rule is None else book.rules.set(key, rule), numbers)
    standing = [each for each in book.in_force if each is not old]
    if rule is not None and rule.repealed is None:
        insort(standing, rule, key=lambda each: each.number)
    vars(made)["in_force"] = tuple(standing)
    return made


def changed(book: Rulebook, change: RuleChanged, *, turn: int, at: int) -> Rulebook:
    """The rulebook after a change took effect (108): no new text repeals the target, no target enacts the text."""
    number, target, text = change.number, change.target, change.rule
    if text is None:
        return _repealed(book, target or 0, number)
    version = Version(text, change.kind, number, turn, at)
    if target is None:
        return _with(book, number, Rule((version,)), book.numbers.set(number, number))
    old = book.rules[book.numbers[target]]
    renewed = replace(old, versions=(*old.versions, version))
    return _with(book, old.key, renewed, book.numbers.set(number, old.key))


def ruled(book: Rulebook, ruling: ClauseRuled, *, turn: int, at: int) -> Rulebook:
    """The rulebook after the keeper gave a rule in force other clauses; its number stays as it is."""
    old = book.rules[book.numbers[ruling.rule.number]]
    version = Version(ruling.rule, "ruling", None, turn, at, ruling.why)
    return _with(book, old.key, replace(old, versions=(*old.versions, version)), book.numbers)


def _repealed(book: Rulebook, target: int, proposal: int) -> Rulebook:
    old = book.rules[book.numbers[target]]
    return _with(book, old.key, replace(old, repealed=proposal), book.numbers.set(proposal, old.key))


def restored(book: Rulebook, number: int) -> Rulebook:
    """The rulebook without what proposal `number` did to it; the number still leads to the rule, if one is left.

    Only the last change of a rule by a proposal can be taken back (see `resting_on`); what the keeper ruled of its
    text goes with that text.
    """
    old = book.rules[book.numbers[number]]
    if old.repealed == number:
        return _with(book, old.key, replace(old, repealed=None), book.numbers)
    place = next(place for place, version in enumerate(old.versions) if version.proposal == number)
    if place == 0:
        return _with(book, old.key, None, book.numbers.delete(number))
    return _with(book, old.key, replace(old, versions=old.versions[:place]), book.numbers)


def resting_on(book: Rulebook, number: int) -> int | None:
    """The later proposal that changed what proposal `number` made of a rule, None if none did."""
    key = book.numbers.get(number)
    rule = book.rules.get(key) if key is not None else None
    if rule is None or rule.repealed == number:
        return None
    if rule.repealed is not None:
        return rule.repealed
    last = next((v.proposal for v in reversed(rule.versions) if v.proposal is not None), number)
    return None if last == number else last


def stands(book: Rulebook, number: int) -> bool:
    """Whether proposal `number` changed a rule, and that has not been taken back."""
    rule = book.find(number)
    return rule is not None and (rule.repealed == number or any(v.proposal == number for v in rule.versions))
