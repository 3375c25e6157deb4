"""The rulebook as it stood after each turn, told by links to versions of rules.

What lives here: which lines a turn has of its own, and which it shares with an earlier turn. What never may: a list of all
rules for each turn. The rules stand in blocks, in the order in which they came; a turn lists the blocks it changed, and
leads to the turn that listed each of the others.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain, zip_longest
from typing import Any, Final

from markupsafe import Markup

from pbem.game import editions
from pbem.game.model import Rule, RuleText, Version
from pbem.game.state import State
from pbem.publish.press import Press
from pbem.publish.rules import version_mark

RULES_A_BLOCK: Final = 50


@dataclass(frozen=True, slots=True)
class Line:
    """A rule in an edition, by its key: the place among its versions of the one that counted, -1 if it was not in force any
    more. `fresh`: that is new in this turn."""

    key: int
    place: int
    fresh: bool


@dataclass(frozen=True, slots=True)
class Block:
    """A part of the rulebook: the turn that last changed it, its lines, the lowest and highest number in it."""

    since: int
    lines: tuple[Line, ...]
    lowest: int
    highest: int


@dataclass(frozen=True, slots=True)
class Edition:
    """The rulebook at the end of a turn, block by block, and the keys of the rules that the keeper ruled on in it."""

    turn: int
    blocks: tuple[Block, ...]
    ruled: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Chunk:
    """Rules that stand in one block: the block as each turn left it that changed any of them, and by turn, once the game had
    begun, the keys of those on which the keeper ruled in it."""

    rules: tuple[Rule, ...]
    blocks: Mapping[int, Block]
    ruled: Mapping[int, tuple[int, ...]]


_NO_RULES: Final = Chunk((), {}, {})


@dataclass(frozen=True, slots=True)
class Bound:
    """The editions of all turns, and what they were made from."""

    chunks: tuple[Chunk, ...] = ()
    editions: tuple[Edition, ...] = ()


def all_editions(press: Press) -> tuple[Edition, ...]:
    """The edition of every turn there was, the one before the first turn first."""
    turn, before = press.state.turn, press.before("editions") or Bound()
    chunks = tuple(_chunks(press))
    made = partial(_bound, chunks, turn, before)
    bound: Bound = press.kept("editions", (turn, chunks), made)
    return bound.editions


def last_changed(press: Press) -> int:
    """The last turn that changed a rule; 0: none has."""
    return max((block.since for block in all_editions(press)[-1].blocks), default=0)


def _bound(chunks: tuple[Chunk, ...], turn: int, before: Bound) -> Bound:
    """The editions up to a turn, those that `before` has already taken from there. A block begins to stand after all that
    are before it."""
    pairs = zip_longest(before.chunks, chunks, fillvalue=_NO_RULES)
    differ = [_first_difference(then, now) for then, now in pairs]
    begin = min([len(before.editions), turn + 1, *differ])
    editions = list(before.editions[:begin])
    standing = list(editions[-1].blocks) if editions else []
    for turn_made in range(begin, turn + 1):
        for place, chunk in enumerate(chunks):
            if (block := chunk.blocks.get(turn_made)) is not None:
                standing[place : place + 1] = [block]
        ruled = chain.from_iterable(chunk.ruled.get(turn_made, ()) for chunk in chunks)
        editions.append(Edition(turn_made, tuple(standing), tuple(ruled)))
    return Bound(chunks, tuple(editions))


def _first_difference(then: Chunk, now: Chunk) -> int:
    """The first turn that left the rules of a chunk otherwise."""
    turns = () if then is now else sorted({*then.blocks, *now.blocks, *then.ruled, *now.ruled})
    differ = (turn for turn in turns if _left(then, turn) != _left(now, turn))
    return next(differ, sys.maxsize)


def _left(chunk: Chunk, turn: int) -> tuple[Block | None, tuple[int, ...]]:
    return chunk.blocks.get(turn), chunk.ruled.get(turn, ())


def _chunks(press: Press) -> Iterator[Chunk]:
    """All rules there ever were, in the order in which they came."""
    book, state = press.state.rulebook.rules, press.state
    came = press.kept(
        "order", tuple(sorted(book)), lambda: sorted(book, key=lambda key: (book[key].versions[0].at, key))
    )
    for number, at in enumerate(range(0, len(came), RULES_A_BLOCK)):
        rules = tuple([book[key] for key in came[at : at + RULES_A_BLOCK]])
        before = press.before(("chunk", number)) or _NO_RULES
        yield press.kept(("chunk", number), rules, partial(_chunk, state, rules, before))


def _chunk(state: State, rules: tuple[Rule, ...], before: Chunk) -> Chunk:
    """The chunk, with the very blocks of `before` up to the first turn that left a rule otherwise, so that editions are
    compared at a glance."""
    begin = min(_first_changed(state, *both) for both in zip_longest(before.rules, rules))
    known = {turn: block for turn, block in before.blocks.items() if turn < begin}
    turns = sorted(turn for turn in _turns_of(state, rules) if turn >= begin)
    return Chunk(rules, {**known, **{turn: _block(state, rules, turn) for turn in turns}}, _ruled(rules))


def _first_changed(state: State, then: Rule | None, now: Rule | None) -> int:
    """The first turn that left a rule otherwise than it was known to stand before."""
    if then is now:
        return sys.maxsize
    steps = zip_longest(_history(state, then), _history(state, now))
    turns = (step[0] for pair in steps if pair[0] != pair[1] for step in pair if step is not None)
    return min(turns, default=sys.maxsize)


def _history(state: State, rule: Rule | None) -> list[tuple[int, Version | int]]:
    """The versions of a rule and the number that repealed it, each with its turn."""
    if rule is None:
        return []
    came: list[tuple[int, Version | int]] = [(version.turn, version) for version in rule.versions]
    if rule.repealed is not None:
        came.append((editions.repealed_in(state, rule.repealed), rule.repealed))
    return came


def _turns_of(state: State, rules: Iterable[Rule]) -> set[int]:
    """The turns that changed any of the rules."""
    repealed = {editions.repealed_in(state, rule.repealed) for rule in rules if rule.repealed is not None}
    return repealed | {version.turn for rule in rules for version in rule.versions}


def _ruled(rules: tuple[Rule, ...]) -> Mapping[int, tuple[int, ...]]:
    found: dict[int, tuple[int, ...]] = {}
    for rule in rules:
        for turn in {version.turn for version in rule.versions if version.proposal is None and version.turn}:
            found[turn] = (*found.get(turn, ()), rule.key)
    return found


def _block(state: State, rules: tuple[Rule, ...], turn: int) -> Block:
    """A block as a turn left it."""
    lines = tuple(line for rule in rules if (line := _line(state, rule, turn)) is not None)
    keyed = {rule.key: rule for rule in rules}
    numbers = [keyed[line.key].versions[line.place].rule.number for line in lines]
    return Block(turn, lines, min(numbers), max(numbers))


def _line(state: State, rule: Rule, turn: int) -> Line | None:
    """A rule's line at the end of a turn; None before there was one."""
    turns = [version.turn for version in rule.versions if version.turn <= turn]
    if not turns:
        return None
    gone = editions.repealed_in(state, rule.repealed) if rule.repealed is not None else None
    if gone is not None and gone <= turn:
        return Line(rule.key, -1, gone == turn)
    return Line(rule.key, len(turns) - 1, turns[-1] == turn > 0)


def printed(press: Press, edition: Edition) -> list[Markup]:
    """The blocks of an edition: the lines of those that its turn changed, and for the others the turn that has them."""
    return [_in_edition(press, edition, place, block) for place, block in enumerate(edition.blocks, 1)]


def _in_edition(press: Press, edition: Edition, place: int, block: Block) -> Markup:
    here = block.since == edition.turn
    lines = tuple(_entry(press, line) for line in block.lines) if here else None
    numbers = {"since": block.since, "lowest": block.lowest, "highest": block.highest}
    shown = {"here": "../../", "place": place, "lines": lines, **numbers}
    return press.part("edition_block.html", (place, block.since, here), (numbers, lines), lambda: shown)


def _entry(press: Press, line: Line) -> Markup:
    rule = press.state.rulebook.rules[line.key]
    version = rule.versions[line.place]
    began = rule.versions[0].turn == 0

    def view() -> Mapping[str, Any]:
        mark = version_mark(rule, len(rule.versions) - 1 if line.place < 0 else line.place)
        return {
            "here": "../../",
            "line": line,
            "rule": version.rule,
            "mark": mark,
            "repealed": rule.repealed if line.place < 0 else None,
            "began": began,
        }

    value = (line, version, rule.repealed if line.place < 0 else None)
    return press.part("edition_entry.html", line, value, view)


def apart(state: State, edition: Edition) -> tuple[tuple[RuleText | None, RuleText | None], ...]:
    """How rules read before and after a turn that changed them otherwise than by a proposal (a ruling of the keeper's)."""
    found = []
    for key in edition.ruled:
        rule = state.rulebook.rules[key]
        before = editions.text_in(state, rule, edition.turn - 1)
        found.append((before, editions.text_in(state, rule, edition.turn)))
    return tuple(found)
