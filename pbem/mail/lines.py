"""A line in tokens: words, numbers and signs, and where each stands.

What lives here: the cutting of one line. What never may: a word of any language, or what a line means.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import NamedTuple

LONGEST_NUMBER = 6
_TOKEN = re.compile(r"[+\-–−]1(?![0-9])|[0-9]+|[^\W\d_]+(?:['’][^\W\d_]+)*|\S")
_PLAIN = str.maketrans(
    dict.fromkeys("–—−‐‑", "-") | dict.fromkeys("“”„‟«»″", '"') | dict.fromkeys("‘’‚‛′", "'")
)
QUOTES = frozenset("\"'")
_LEADING = frozenset("*-•·_") | QUOTES
_TRAILING = frozenset(".!*_") | QUOTES


class Token(NamedTuple):
    """A word, number or sign, folded (lower case, plain quotes and dashes), and where it stands in the line."""

    word: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Line:
    """A line in tokens, without what does not matter around it: bullets, list numbers, quotes, final `.` `!`."""

    raw: str
    tokens: tuple[Token, ...]

    @classmethod
    def of(cls, raw: str) -> Line:
        raw = unicodedata.normalize("NFC", raw)
        tokens = [
            Token(found[0].translate(_PLAIN).lower(), found.start(), found.end())
            for found in _TOKEN.finditer(raw)
        ]
        begin, end = 0, len(tokens)
        while begin < end and tokens[begin].word in _LEADING:
            begin += 1
        if end - begin > 3 and tokens[begin + 1].word in (".", ")") and len(tokens[begin].word) < 3:
            begin += 2 * tokens[begin].word.isdecimal()
        while begin < end and tokens[end - 1].word in _TRAILING:
            end -= 1
        return cls(raw, tuple(tokens[begin:end]))

    def word(self, at: int) -> str:
        """The folded word at `at`; "" past the end."""
        return self.tokens[at].word if at < len(self.tokens) else ""

    def number(self, at: int) -> int | None:
        """The number at `at`, if a number of sensible length stands there."""
        word = self.word(at)
        return int(word) if word.isdecimal() and len(word) <= LONGEST_NUMBER else None

    def between(self, at: int, until: int) -> str:
        """The words from token `at` up to token `until` as they were written."""
        return self.raw[self.tokens[at].start : self.tokens[until - 1].end]
