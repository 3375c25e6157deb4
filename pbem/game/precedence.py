"""Which of several rules prevails in a matter (110, 211).

What lives here: the order of the carriers of a clause. What never may: asking what a clause is worth.
Immutable goes before mutable where a rule says so (110); then what the rules claim of each other; two
that both claim, and circles of claims, are decided by number, in the order a rule gives (211).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from pbem.game.model import Clause, RuleText

Order = Literal["lowest", "highest", "newest"]


@dataclass(frozen=True, slots=True)
class Carrier:
    """A rule in force that carries a clause, as the two read now. `since` is the moment it was last changed (UTC µs)."""

    rule: RuleText
    lineage: tuple[int, ...]
    clause: Clause
    since: int = 0


@dataclass(frozen=True, slots=True)
class Ranks:
    """What the rules in force say of rank: whether immutable goes first (110), and the order of numbers (211).

    `order` None: no rule gives one, so what only an order could decide is open.
    """

    immutable_first: bool
    order: Order | None


def ranked(carriers: Sequence[Carrier], ranks: Ranks) -> tuple[Carrier, ...]:
    """The carriers, the one that prevails first."""
    by_number = sorted(carriers, key=lambda carrier: _place(carrier, ranks.order))
    if not any(carrier.clause.over or carrier.clause.under for carrier in carriers):
        return tuple(sorted(by_number, key=lambda carrier: ranks.immutable_first and carrier.rule.mutable))
    rest, order = by_number, []
    while rest:
        first = _unbeaten(rest, ranks)
        order += first
        rest = [carrier for carrier in rest if carrier not in first]
    return tuple(order)


def undecided(carriers: Iterable[Carrier], ranks: Ranks) -> tuple[Carrier, ...]:
    """The carriers between which only an order of numbers could decide, when no rule gives one; else none."""
    if ranks.order is not None or len(found := tuple(carriers)) < 2:
        return ()
    first = ranked(found, ranks)[0]
    rivals = [other for other in found if other is first or not _beats(first, other, ranks)]
    return tuple(rivals) if len(rivals) > 1 else ()


def circles(carriers: Sequence[Carrier], ranks: Ranks) -> tuple[tuple[Carrier, ...], ...]:
    """The groups whose claims lead round to themselves, so that the claims decide nothing among them (211)."""
    ahead: list[set[int]] = [
        {place for place, other in enumerate(carriers) if _defers(one, other, ranks)} for one in carriers
    ]
    reach = [_closure(place, ahead) for place in range(len(carriers))]
    groups = {
        frozenset(other for other in found if place in reach[other]) for place, found in enumerate(reach)
    }
    return tuple(
        tuple(carriers[place] for place in sorted(group))
        for group in sorted(groups, key=min)
        if len(group) > 1
    )


def _place(carrier: Carrier, order: Order | None) -> tuple[int, int]:
    number = carrier.rule.number
    match order:
        case "highest":
            return -number, 0
        case "newest":
            return -carrier.since, -number
        case _:
            return number, 0


def _unbeaten(carriers: list[Carrier], ranks: Ranks) -> list[Carrier]:
    """The fewest carriers that each prevail over every other: one, unless claims run in a circle.

    They stay in the order they came in, which is that of numbers.
    """
    # Whoever is beaten by one of them, directly or round a circle, is not ahead of it.
    ahead: list[set[int]] = [
        {place for place, other in enumerate(carriers) if other is not one and _beats(other, one, ranks)}
        for one in carriers
    ]
    reach = [_closure(place, ahead) for place in range(len(carriers))]
    fewest = min(reach, key=len)
    return [carrier for place, carrier in enumerate(carriers) if place in fewest]


def _closure(place: int, ahead: list[set[int]]) -> frozenset[int]:
    """`place` and all that are ahead of it, or of one of those."""
    found, waiting = {place}, [place]
    while waiting:
        for other in ahead[waiting.pop()] - found:
            found.add(other)
            waiting.append(other)
    return frozenset(found)


def _beats(one: Carrier, other: Carrier, ranks: Ranks) -> bool:
    """Whether, of these two alone, something other than numbers gives `one` precedence."""
    if ranks.immutable_first and one.rule.mutable != other.rule.mutable:
        return not one.rule.mutable
    return _claims(one, other) and not _claims(other, one)


def _defers(one: Carrier, other: Carrier, ranks: Ranks) -> bool:
    """Whether a claim of either puts `other` before `one`, and claims are what counts between the two rules (110)."""
    apart = ranks.immutable_first and one.rule.mutable != other.rule.mutable
    return one.rule.number != other.rule.number and not apart and _claims(other, one)


def _claims(one: Carrier, other: Carrier) -> bool:
    """Whether `one` says that it goes before `other`, or `other` that it yields."""
    return _names(one.clause.over, other) or _names(other.clause.under, one)


def _names(words: tuple[str, ...], carrier: Carrier) -> bool:
    group = "mutable" if carrier.rule.mutable else "immutable"
    return group in words or any(str(number) in words for number in carrier.lineage)
