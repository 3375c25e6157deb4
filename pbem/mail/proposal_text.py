"""The text under `propose enact`, `propose amend` and `revise`: its words, its clause lines, `keep` or `drop`.

What lives here: where such a text ends, and what in it is not prose of the rule. What never may: reading a
command in it, or changing a byte of the prose between its first and its last letter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pbem.game.model import Clause, ClauseName, Problem, say
from pbem.game.ruleset import cut_clauses, read_clause
from pbem.mail.words import VOCABULARY

_MOST_FAULTS = 10
"""Wrong clauses told of one text; after ten there is no end to it."""

Carry = Literal["keep", "drop"]

_ENDS = frozenset(table.end for table in VOCABULARY.values())
_MAY_END = frozenset({word[0] for word in _ENDS} | {word[0].upper() for word in _ENDS} | set(" \t\xa0"))
"""What a line that closes a text begins with."""
_CARRIES: dict[str, Carry] = {
    word: carry for table in VOCABULARY.values() for carry, word in table.carry.items()
}


@dataclass(frozen=True, slots=True)
class Written:
    """A text as handed in: prose, clauses (names in English), what becomes of clauses it does not name.

    `closed`: an `end` closes it, or there is none to close.
    """

    text: str = ""
    clauses: tuple[Clause, ...] = ()
    carry: Carry | None = None
    closed: bool = True


NO_TEXT = Written()


def end_of_text(lines: Sequence[str], begin: int) -> int:
    """The index of the `end` that closes the text beginning at index `begin`, or the number of lines."""
    return next((at for at in range(begin, len(lines)) if _is_end(lines[at])), len(lines))


def last_end(lines: Sequence[str]) -> int:
    """The index of the last line that closes a text, or 0: nothing stands above that line to be closed."""
    # Few mails have one, and few lines begin like one: told fast.
    near = (at for at in reversed(range(len(lines))) if lines[at][:1] in _MAY_END)
    return next((at for at in near if _is_end(lines[at])), 0)


def _is_end(line: str) -> bool:
    return _word(line) in _ENDS


def read_text(
    lines: Sequence[str], begin: int, until: int, *, amends: bool
) -> tuple[Written, tuple[Problem, ...]]:
    """The text in `lines[begin:until]`, and the clause lines in it that are wrong.

    `amends`: the text takes another's place, so a line `keep` or `drop` tells what becomes of the old
    rule's clauses (the last such line counts). Empty lines around the text and white space at its end go.
    """
    kept, carry = [], None
    for at in range(begin, until):
        said = _CARRIES.get(_word(lines[at])) if amends else None
        carry = said or carry
        if said is None:
            kept.append(at)
    prose, written = cut_clauses(lines[at] for at in kept)
    clauses, problems = _clauses([(kept[index], said) for index, said in written])
    indent = _indent(prose, [lines[at] for at in kept])
    return Written(indent + prose, clauses, carry, until < len(lines)), problems


def _clauses(written: list[tuple[int, str]]) -> tuple[tuple[Clause, ...], tuple[Problem, ...]]:
    clauses: dict[str, Clause] = {}
    problems: list[Problem] = []
    for at, said in written:
        clause = read_clause(said)
        if isinstance(clause, Clause) and clause.name in clauses:
            name = ClauseName(clause.name)
            clause = say("This text carries “%(name)s” already. Keep one of the two.", name=name)
        if isinstance(clause, Clause):
            clauses[clause.name] = clause
            continue
        why = say("%(fault)s Mend it and send the whole text again.", fault=clause)
        problems.append(Problem(at + 1, said, why))
        if len(problems) == _MOST_FAULTS:
            break
    return tuple(clauses.values()), tuple(problems)


def _indent(prose: str, lines: list[str]) -> str:
    """The white space before the first line of the prose, which belongs to the text."""
    first = prose.split("\n", 1)[0]
    line = next((line for line in lines if line.strip() == first.strip() != ""), "")
    return line[: len(line) - len(line.lstrip())]


def _word(line: str) -> str:
    """The one word on a line, folded; "" for a longer line."""
    return line.strip().rstrip(".!").lower() if len(line) < 40 else ""
