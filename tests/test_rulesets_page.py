"""docs/rulesets.md says what the program does: its tables are those of the vocabulary, and each example is carried out.

What lives here: the page as a set of tables and examples. What never may: how well it reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import click
import pytest
from cel_expr_python import cel

from pbem.cli import main
from pbem.config import Limits
from pbem.game.clauses import LONGEST, VARIABLES, Compiled, compiled, faults
from pbem.game.linting import WITHOUT_A_CARRIER, lint
from pbem.game.model import KINDS, Clause
from pbem.game.ruleset import SHIPPED, cut_clauses, file_name, read_clause, read_ruleset
from pbem.game.vocabulary import CLAUSES, EVENTS, HOUSE_RULES, Quantity
from tests.game.conftest import Table, enact

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "rulesets.md").read_text("utf-8")

TYPES = {"int": "whole number", "bool": "true or false", "text": "text", "time": "time"}
CEL_TYPES = [
    (cel.Type.INT, "whole number"),
    (cel.Type.BOOL, "true or false"),
    (cel.Type.STRING, "text"),
    (cel.Type.List(cel.Type.INT), "list of whole numbers"),
]

Row = tuple[str, ...]


def table(heading: str) -> list[Row]:
    """The rows of the table with that first heading, without marks of code."""
    lines = PAGE.partition(f"\n| {heading} |")[2].splitlines()[2:]
    rows = (line.strip("|").split("|") for line in _until_empty(lines))
    return [tuple(cell.strip() for cell in row) for row in rows]


def _until_empty(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        if not line:
            return
        yield line


def fenced(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def code(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def value_of(quantity: Quantity) -> str:
    return code(f'"{word}"' for word in quantity.words) or TYPES[quantity.type]


# ---- the tables ----


def test_the_clauses_are_those_of_the_vocabulary() -> None:
    assert [row[:4] for row in table("clause")] == [
        (f"`{quantity.name}`", f"`{quantity.swedish}`", value_of(quantity), quantity.scope)
        for quantity in CLAUSES
    ]


def test_the_house_rules_are_those_of_the_vocabulary() -> None:
    assert table("house rule") == [
        (f"`{quantity.name}`", f"`{quantity.swedish}`", value_of(quantity), f"`{value}`" if value else "none")
        for quantity, value in HOUSE_RULES
    ]
    assert {quantity.scope for quantity, _ in HOUSE_RULES} == {"game"}


def test_the_variables_are_those_an_expression_may_read_with_type_and_place() -> None:
    told = {(row[0].strip("`"), row[1], tuple(row[3].split(", "))) for row in table("variable")}

    names = {name: known for variables in VARIABLES.values() for name, known in variables.items()}
    assert told == {
        (
            name,
            next(words for each, words in CEL_TYPES if each == known),
            tuple(scope for scope, variables in VARIABLES.items() if name in variables),
        )
        for name, known in names.items()
    }
    assert dict(row[::2] for row in table("variable"))["`kind`"] == code(f'"{kind}"' for kind in KINDS)


def test_the_events_and_who_may_be_given_something_are_those_of_the_vocabulary() -> None:
    assert [row[:2] for row in table("event")] == [(f"`{event}`", code(who)) for event, who in EVENTS.items()]


def test_what_happens_without_a_carrier_is_what_the_linter_says() -> None:
    assert table("no rule carries") == [(f"`{name}`", str(then)) for name, then in WITHOUT_A_CARRIER.items()]


# ---- the examples ----


@pytest.mark.parametrize("row", table("clause"), ids=lambda row: row[0].strip("`"))
def test_the_example_of_a_clause_compiles(row: Row) -> None:
    assert isinstance(compiled(row[0].strip("`"), row[4].strip("`")), Compiled)


@pytest.mark.parametrize("block", fenced("clauses"), ids=lambda block: block.partition(":")[0])
def test_a_block_of_clauses_holds_nothing_else_and_each_compiles(block: str) -> None:
    prose, written = cut_clauses(block.splitlines())
    read = [read_clause(said) for _, said in written]

    clauses = tuple(clause for clause in read if isinstance(clause, Clause))
    assert (prose, len(clauses)) == ("", len(read))
    assert faults(clauses) == ()


@pytest.mark.parametrize("text", fenced("markdown"))
def test_a_ruleset_on_the_page_can_be_played(text: str) -> None:
    assert lint(text, Limits().rule_text).faults == ()


def test_the_first_ruleset_pays_as_its_words_say() -> None:
    """“An adopted proposal gives its proponent a point for each vote for it”: 301 by 2 of 2, and nothing for 302 by 1 of 2."""
    book, _ = read_ruleset(fenced("markdown")[0])
    game = Table(("A Alm", "B Berg"), book=book)

    game.turn("A", enact(), "AB")
    game.turn("B", enact(), "B", "A")

    assert (game.stage(302), game.score("A"), game.score("B")) == ("defeated", 2, 0)


def test_every_kind_of_example_is_on_the_page_and_every_block_is_of_one_of_them() -> None:
    blocks = {kind: fenced(kind) for kind in ("clauses", "markdown", "sh")}

    assert all(blocks.values())
    assert PAGE.count("```") == 2 * sum(len(found) for found in blocks.values())


def test_the_commands_on_the_page_are_there() -> None:
    for line in "".join(fenced("sh")).splitlines():
        program, *words = line.split()
        command: click.Command | None = main
        while isinstance(command, click.Group):
            command = command.commands.get(words.pop(0))
        assert (program, command is not None) == ("pbem", True), line
        known = {option for parameter in command.params for option in parameter.opts} if command else set()
        assert {word for word in words if word.startswith("--")} <= known


def test_the_sets_and_limits_named_on_the_page_are_there() -> None:
    named = set(re.findall(r"\]\((\.\./[\w./-]+)\)", PAGE))

    assert named == {f"../pbem/game/rulesets/{file_name(ruleset, 'en')}" for ruleset in SHIPPED}
    assert all((DOCS / path).is_file() for path in named)
    assert f"may have {Limits().rule_text // 1024} kB" in PAGE
    assert f"a clause {LONGEST:,} characters" in PAGE
