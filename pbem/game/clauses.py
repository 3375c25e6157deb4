"""Clauses: expressions in CEL, narrowed; compiled when they arrive, evaluated when the game asks.

What lives here: everything that knows CEL. What never may: a number of the game's own, or any rule.
No `map`, `filter`, `matches`; no `+` on texts or lists; no integer `/`. One function is added:
`round(a, b)` is a ÷ b exactly, taken to the nearest integer, halves away from zero.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from cel_expr_python import cel

from pbem.game import deadlines, vocabulary
from pbem.game.model import Clause, ClauseName, Say, say
from pbem.game.vocabulary import POINTS, Quantity, Scope

LONGEST = 2000
"""Characters of source a clause may have."""

Value = int | bool | str

_NARROWED = """
stdlib:
  exclude_macros: [map, filter]
  exclude_functions:
  - name: _+_
    overloads: [{id: add_string}, {id: add_list}, {id: add_bytes}]
  - name: _/_
    overloads: [{id: divide_int64}]
  - name: matches
"""

_INT, _BOOL, _TEXT = cel.Type.INT, cel.Type.BOOL, cel.Type.STRING
_BOOK = {"numbers": cel.Type.List(_INT), "mutable_rules": _INT}
_GAME = _BOOK | {"turn": _INT, "circuit": _INT, "players": _INT}
_VOTE = _GAME | {
    "number": _INT,
    "kind": _TEXT,
    "votes_for": _INT,
    "votes_against": _INT,
    "votes_cast": _INT,
    "eligible": _INT,
    "unanimous": _BOOL,
}
_PLAYER = {"score": _INT, "name": _TEXT, "team": _TEXT, "status": _TEXT, "proposals_adopted": _INT}
_CASE = {"against": _INT, "others": _INT, "consenting": _INT}
VARIABLES: Mapping[Scope, Mapping[str, Any]] = {
    "book": _BOOK,
    "game": _GAME,
    "vote": _VOTE,
    "player": _GAME | _PLAYER,
    "voter": _VOTE | _PLAYER,
    "case": _GAME | _CASE,
}
"""What an expression may read, by scope. Counters join where a player is asked about."""

_TYPES = {"int": _INT, "bool": _BOOL, "text": _TEXT, "time": _TEXT}
_TYPE_WORDS = {
    "int": say("a whole number"),
    "bool": say("true or false"),
    "text": say("a text in quotes"),
    "time": say("a time such as 12h or 7d"),
}
_BARE_TIME = re.compile(r"\d{1,4}[mhd]?\Z")
_BARE_WORD = re.compile(r"[^\W\d_][\w/+, -]{0,39}\Z")
_LITERAL = re.compile(r"\"([^\"\\]*)\"\Z")
_CEL_FAULT = re.compile(r":(\d+):(\d+): (.*)")
_UNDECLARED = re.compile(r"undeclared reference to '([^']*)'")
_NAME = re.compile(r"[A-Za-z_]\w*")
_NAME_OR_TEXT = re.compile(r"\"(?:[^\"\\]|\\.?)*+\"?|'(?:[^'\\]|\\.?)*+'?|[A-Za-z_]\w*")
"""A text that is never closed goes on to the end: it is not looked for again from each quote in it."""


class Unevaluated(ArithmeticError):
    """An expression met a case it has no value for (`said` tells which): the matter is unregulated."""

    def __init__(self, said: Say) -> None:
        super().__init__(str(said))
        self.said = said


_NO_VALUE = {
    "by zero": say("it divides by zero"),
    "overflow": say("its number is too large"),
    "Index error": say("it asks for a place that its list does not have"),
}
"""What keeps an expression from having a value, by the words of the library."""


def _without_value(reason: str) -> Say:
    known = (said for words, said in _NO_VALUE.items() if words in reason)
    return next(known, say("it has no value here (%(reason)s)", reason=reason))


def _divide_rounding(dividend: int, divisor: int) -> int:
    quotient, rest = divmod(abs(dividend), abs(divisor))
    magnitude = quotient + (2 * rest >= abs(divisor))
    return magnitude if (dividend < 0) == (divisor < 0) else -magnitude


_ROUND = cel.FunctionDecl(
    "round",
    [cel.Overload("round_ratio", return_type=_INT, parameters=[_INT, _INT], impl=_divide_rounding)],
)


@lru_cache(maxsize=64)
def _environment(scope: Scope, counters: tuple[str, ...]) -> Any:
    config = cel.NewEnvConfigFromYaml(_NARROWED)
    return cel.NewEnv(config=config, variables=_variables(scope, counters), functions=[_ROUND])


def _variables(scope: Scope, counters: tuple[str, ...]) -> dict[str, Any]:
    """What an expression of that scope may read, with types. A counter hides no quantity of the game."""
    counted = dict.fromkeys(counters, _INT) if scope in ("player", "voter") else {}
    return counted | dict(VARIABLES[scope])


@dataclass(frozen=True, slots=True)
class Compiled:
    """A clause ready to be asked. `quantity` tells the type of its value, `expression` is its CEL source, and
    `variables` are what it reads: the numbers of thousands of rules are not handed over to a clause that asks for none.
    `always` is its value if it reads nothing (None: it reads something, or has no value)."""

    quantity: Quantity
    expression: str
    program: Any
    variables: tuple[str, ...]
    always: Value | None = None

    def value(self, facts: Mapping[str, Any]) -> Value:
        """Its value under `facts` (its variables at least). Raises `Unevaluated`."""
        return self._evaluated(facts) if self.always is None else self.always

    def _evaluated(self, facts: Mapping[str, Any]) -> Value:
        # What may be many is a tuple here, and a list in CEL.
        data = {name: list(fact) if isinstance(fact, tuple) else fact for name, fact in facts.items()}
        result = self.program.eval(data=data)
        if result.type() == cel.Type.ERROR:
            raise Unevaluated(_without_value(str(result.value()).split(":", 1)[-1].strip()))
        value: Value = result.value()
        if isinstance(value, str) and _misfit(self.quantity, value):
            raise Unevaluated(say("its value “%(value)s” is none that it can have", value=value))
        return value


def normal(name: str, expression: str) -> str:
    """The CEL source of what a person wrote: a time (`12h`) or a word (`wait`) may stand without quotes."""
    plain = expression.strip()
    quantity = vocabulary.quantity(name)
    if quantity is None or quantity.type not in ("time", "text"):
        return plain
    if quantity.type == "time" and _BARE_TIME.match(plain):
        return f'"{plain}"'
    is_word = _BARE_WORD.match(plain) and plain not in VARIABLES[quantity.scope]
    return f'"{plain}"' if is_word or not plain else plain


@lru_cache(maxsize=4096)
def compiled(name: str, expression: str, counters: tuple[str, ...] = ()) -> Compiled | Say:
    """The clause `name: expression`, type-checked, or what is wrong with it: column and nearest right name."""
    quantity = vocabulary.quantity(name)
    if quantity is None:
        return say(
            "The engine does not carry out clauses called “%(name)s” yet. Say it in the text of the rule instead.",
            name=name,
        )
    if len(expression) > LONGEST:
        return say(
            "This clause has %(length)d characters; at most %(most)d are read.",
            length=len(expression),
            most=LONGEST,
        )
    source = normal(name, expression)
    if fault := _wrong_word(quantity, source) or _unknown_gift(name, counters):
        return fault
    try:
        program = _environment(quantity.scope, counters).compile(source)
    except RuntimeError as error:  # the binding's only exception for a source it cannot take
        return _explain(str(error), source, quantity.scope, counters)
    if program.return_type() != _TYPES[quantity.type]:
        return say(
            "The value of “%(name)s” must be %(type)s.",
            name=ClauseName(name),
            type=_TYPE_WORDS[quantity.type],
        )
    # A name in a text is taken for one too: a fact too many does no harm.
    words = {*_NAME.findall(source)}
    read = (variable for variable in _variables(quantity.scope, counters) if variable in words)
    return _settled(Compiled(quantity, source, program, tuple(read)))


def _settled(clause: Compiled) -> Compiled:
    """The clause with its value, if there is but one."""
    try:
        return clause if clause.variables else replace(clause, always=clause.value({}))
    except Unevaluated:  # whoever asks is told why
        return clause


def _wrong_word(quantity: Quantity, source: str) -> Say | None:
    """A literal that is none of the words the quantity knows, or no time."""
    literal = _LITERAL.match(source)
    return None if literal is None else _misfit(quantity, literal[1])


def _misfit(quantity: Quantity, value: str) -> Say | None:
    """What keeps a text from being a value of the quantity."""
    if quantity.type == "time" and not _BARE_TIME.match(value):
        return say("“%(word)s” is not a time. Write 0, 30m, 12h or 7d.", word=value)
    if quantity.words and value not in quantity.words:
        return _not_among(value, quantity.words)
    if quantity.name == "zone" and not deadlines.is_zone(value):
        return say("There is no time zone called “%(word)s”. Write one such as Europe/Stockholm.", word=value)
    if quantity.name == "quiet days":
        return _not_quiet(value)
    return None


def _not_quiet(value: str) -> Say | None:
    try:
        deadlines.quiet_days(value)
    except ValueError as error:
        if unknown := str(error):
            return _not_among(unknown, deadlines.weekday_words())
        return say("One day of the week at least must not be quiet.")
    return None


def _not_among(word: str, words: tuple[str, ...]) -> Say:
    nearest = difflib.get_close_matches(word, words, n=1, cutoff=0.0)[0]
    return say("“%(word)s” is not a word for this. Did you mean “%(nearest)s”?", word=word, nearest=nearest)


def _unknown_gift(name: str, counters: tuple[str, ...]) -> Say | None:
    """An award of something that no rule counts."""
    gift = vocabulary.gift_of(name)
    if gift is None or gift.what in (POINTS, *counters):
        return None
    return say(
        "No rule has a counter called “%(name)s”. A line “clause counter %(name)s: 0” makes one.",
        name=gift.what,
    )


_WORD = re.compile(r"[^\W\d]\w*")


def _foreign_word(source: str, column: int) -> re.Match[str] | None:
    """The word at a column (1 is the first) if it has a letter that no name of a quantity has: `röster_för`."""
    words = (found for found in _WORD.finditer(source) if found.start() < column <= found.end() + 1)
    return next((found for found in words if not found[0].isascii()), None)


def _explain(error: str, source: str, scope: Scope, counters: tuple[str, ...]) -> Say:
    found = _CEL_FAULT.search(error)
    column, reason = (int(found[2]), found[3]) if found else (1, error)
    if undeclared := _UNDECLARED.search(reason):
        known = [*VARIABLES[scope], *counters]
        nearest = difflib.get_close_matches(undeclared[1], known, n=1, cutoff=0.0)[0]
        return say(
            "Column %(column)d: there is no quantity called “%(name)s” here. Did you mean “%(nearest)s”?",
            column=column,
            name=undeclared[1],
            nearest=nearest,
        )
    if "'_/_'" in reason:
        return say(
            "Column %(column)d: whole numbers are divided with round(a, b), which rounds to the nearest.",
            column=column,
        )
    if foreign := _foreign_word(source, column):
        return say(
            "Column %(column)d: there is no quantity called “%(name)s” here. Their names are English: %(known)s.",
            column=foreign.start() + 1,
            name=foreign[0],
            known=", ".join([*VARIABLES[scope], *counters]),
        )
    if reason.startswith("Syntax error"):
        return say("Column %(column)d: the expression cannot be read from here on.", column=column)
    return say(
        "Column %(column)d: these values do not fit together (%(reason)s).", column=column, reason=reason
    )


def working(expression: str, facts: Mapping[str, Any]) -> str:
    """`expression` with the numbers and truths of `facts` put in: the sum as a person would check it."""

    def put_in(found: re.Match[str]) -> str:
        value = facts.get(found[0])
        if isinstance(value, bool):
            return "true" if value else "false"
        return str(value) if isinstance(value, int) else found[0]

    return _divided(_NAME_OR_TEXT.sub(put_in, expression))


def _divided(sum_: str) -> str:
    """`round(a, b)` as people write it: `round(a ÷ b)`."""
    if not sum_.startswith("round(") or not sum_.endswith(")"):
        return sum_
    depth = 0
    for place, character in enumerate(sum_):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 1:
            dividend, divisor = sum_[len("round(") : place], sum_[place + 1 : -1].strip()
            return f"round({dividend} ÷ {divisor})" if depth == 1 and divisor.isalnum() else sum_
        if depth == 0 and character == ")":
            break
    return sum_


def faults(clauses: tuple[Clause, ...], counters: tuple[str, ...] = ()) -> tuple[tuple[Clause, Say], ...]:
    """The clauses of a rule that do not compile, each with what is wrong. `counters` are those of other rules."""
    own = (counter for clause in clauses if (counter := vocabulary.counter_of(clause.name)))
    known = tuple(sorted({*counters, *own}))
    judged = ((clause, compiled(clause.name, clause.expression, known)) for clause in clauses)
    return tuple((clause, verdict) for clause, verdict in judged if isinstance(verdict, Say))


_UNITS = {"": 0, "m": 60_000_000, "h": 3_600_000_000, "d": 86_400_000_000}


def microseconds(time: str) -> int:
    """A time as written (`0`, `30m`, `12h`, `7d`) in µs; a bare number other than 0 is read as hours."""
    unit = time[-1] if time[-1:].isalpha() else ""
    return int(time.removesuffix(unit)) * (_UNITS[unit] or _UNITS["h"])
