"""An expression in words: what a clause says, for a reader who has never met one.

What lives here: the words of the variables and signs, and their order. What never may: a value, or a claim to be what
counts; the expression itself does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from pbem.game.model import Say, say

VARIABLES: Mapping[str, Say] = {
    "votes_for": say("votes for"),
    "votes_against": say("votes against"),
    "votes_cast": say("votes cast"),
    "eligible": say("possible votes"),
    "unanimous": say("all vote for it"),
    "number": say("the proposal’s number"),
    "kind": say("the kind of change"),
    "turn": say("the number of the turn"),
    "circuit": say("the number of the circuit"),
    "players": say("the number of players"),
    "numbers": say("the rules in force"),
    "mutable_rules": say("the number of mutable rules"),
    "score": say("the player’s points"),
    "name": say("the player’s name"),
    "team": say("the player’s team"),
    "status": say("the player’s status"),
    "proposals_adopted": say("the player’s adopted proposals"),
    "against": say("the number against"),
    "others": say("the number of others"),
    "consenting": say("the number who consent"),
}
"""What an expression may read (clauses.py); a counter has the name its players gave it."""

_SIGNS: Mapping[str, Say | str] = {
    "&&": say("and"),
    "||": say("or"),
    "!": say("not"),
    "in": say("is one of"),
    "==": "=",
    "!=": "≠",
    ">=": "≥",
    "<=": "≤",
    "*": "×",
    "-": "−",
}
_TOKEN = re.compile(r"\"(?:[^\"\\]|\\.?)*+\"?|'(?:[^'\\]|\\.?)*+'?|\d+|[^\W\d]\w*|&&|\|\||[=!<>]=|\S")
_OPEN, _CLOSE = "([", ")]"

Words = tuple[Say | str, ...]


def in_words(expression: str) -> Words:
    """The expression piece by piece, to be put into the reader's language and joined by spaces; () if it asks
    nothing and so is plain as it is: `-10`."""
    tokens = _TOKEN.findall(expression)
    asks = "?" in tokens or VARIABLES.keys() & set(tokens)
    return tuple(_words(tokens)) if asks else ()


def joined(words: Sequence[str]) -> str:
    """Pieces in one line, with no space inside brackets or before a comma."""
    return re.sub(r"(?<=[(\[]) | (?=[,;:)\]])", "", " ".join(words))


def _words(tokens: Sequence[str]) -> Iterator[Say | str]:
    asked = _at(tokens, "?")
    if asked is None:
        yield from _sum(tokens)
        return
    otherwise = _otherwise(tokens, asked)
    yield say("if")
    yield from _words(tokens[:asked])
    yield ":"
    yield from _words(tokens[asked + 1 : otherwise])
    yield ";"
    yield say("otherwise")
    yield from _words(tokens[otherwise + 1 :])


def _otherwise(tokens: Sequence[str], asked: int) -> int:
    """The place of the colon that belongs to the question mark at `asked`."""
    open_ones = 0
    for place in range(asked, len(tokens)):
        open_ones += {"?": 1, ":": -1}.get(tokens[place], 0)
        if not open_ones:
            return place
    return len(tokens)


def _sum(tokens: Sequence[str]) -> Iterator[Say | str]:
    place = 0
    while place < len(tokens):
        first, rounds = tokens[place], tokens[place : place + 2] == ["round", "("]
        end = _end(tokens, place + rounds)
        inside = tokens[place + rounds + 1 : end]
        if rounds:
            yield from _rounded(inside, whole=end + 1 - place == len(tokens))
        elif first in _OPEN:
            yield from (first, *_words(inside), *tokens[end : end + 1])
        else:
            yield VARIABLES.get(first) or _SIGNS.get(first, first)
        place = end + 1


def _rounded(inside: Sequence[str], *, whole: bool) -> Iterator[Say | str]:
    """`round(a, b)` as `a ÷ b, rounded`, in brackets where it is but a part."""
    comma = _at(inside, ",")
    parts = (inside[:comma], inside[comma + 1 :]) if comma is not None else (inside,)
    pieces: list[Say | str] = []
    for part in parts:
        bracketed = _at(part, "+") is not None or _at(part, "-") is not None
        pieces += ["÷"] if pieces else []
        pieces += ["(", *_words(part), ")"] if bracketed else _words(part)
    pieces += [",", say("rounded")]
    yield from pieces if whole else ("(", *pieces, ")")


def _at(tokens: Sequence[str], sign: str) -> int | None:
    """The first place of `sign` outside all brackets."""
    depth = 0
    for place, token in enumerate(tokens):
        depth += (token in _OPEN) - (token in _CLOSE)
        if token == sign and not depth:
            return place
    return None


def _end(tokens: Sequence[str], start: int) -> int:
    """The place of the bracket that closes the one at `start`; `start` itself if none opens there."""
    depth = 0
    for place in range(start, len(tokens)):
        depth += (tokens[place] in _OPEN) - (tokens[place] in _CLOSE)
        if not depth:
            return place
    return len(tokens)
