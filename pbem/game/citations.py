"""Which rules a text names by number.

What lives here: the one reading of numbers in prose. What never may: a guess at what a number means that no rule ever had.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from pbem.game.model import Rule
from pbem.game.rulebook import Rulebook

_NUMBER = re.compile(r"(?<!\w)\d{3,6}(?!\w)")


@lru_cache(maxsize=16_384)
def numbers_named(words: str) -> tuple[int, ...]:
    """Each number of three to six digits in a text that may be a rule's, in the order they are first named."""
    return tuple(dict.fromkeys(map(int, _NUMBER.findall(words))))


def cited_by(book: Rulebook) -> Mapping[int, tuple[int, ...]]:
    """For each rule that is named in the text of another in force, by its key: the numbers of those others, by number.

    A rule is named by any number it ever had, if it had it when the text came: what an older text says of 301 is said of
    another matter.
    """
    found: dict[int, list[int]] = {}
    for rule in book.in_force:
        for key in dict.fromkeys(_named(book, rule)):
            found.setdefault(key, []).append(rule.number)
    return {key: tuple(numbers) for key, numbers in found.items()}


def _named(book: Rulebook, rule: Rule) -> Iterator[int]:
    """The keys of the other rules that a rule names."""
    text = rule.now.text
    if not (named := numbers_named(text)):
        return
    written = next(version.at for version in rule.versions if version.rule.text == text)
    for number in named:
        key = book.numbers.get(number)
        if key is not None and key != rule.key and _bore(book.rules[key], number, written):
            yield key


def _bore(rule: Rule, number: int, at: int) -> bool:
    """Whether a rule had had a number by a moment (UTC µs)."""
    return any(version.rule.number == number and version.at <= at for version in rule.versions)
