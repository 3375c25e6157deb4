"""Whether the tests see a small fault in the rules. `python -m tests.soak.mutation voting ballots scoring deadlines`

Of each function of these modules of pbem.game one thing is changed at a time: a comparison, a sum, a number, an `and`, a
`not`, a condition, what is returned, a call left out. The tests that come through the function are run, the
quickest first, until one fails; a change that none sees is printed. `--least 90` fails when fewer of a hundred are seen.

What lives here: the changes, and the tries. What never may: a change that stays, since each is tried in a process of its own.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib
import inspect
import json
import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

import pytest

PATIENCE = 20
"""Seconds after which a test that a change has made endless fails."""
TESTS = ("tests/game", "tests/games")
OTHER: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
EQUIVALENT = {"quiet_days: 0 → 1": "a word that is no day is refused, whatever day it would have been"}
"""Changes that change nothing, each with the reason."""


@dataclass(frozen=True)
class Mutant:
    """A function with one thing changed."""

    function: str
    line: int
    change: str
    code: CodeType

    @property
    def name(self) -> str:
        return f"{self.function}: {self.change}"


def others(node: ast.AST) -> Iterator[ast.AST]:
    """What may stand in place of a node."""
    match node:
        case ast.Compare(left, [op], right):
            yield ast.Compare(left, [OTHER[type(op)]()], right)
        case ast.BinOp(left, op, right) if type(op) in OTHER:
            yield ast.BinOp(left, OTHER[type(op)](), right)
        case ast.BoolOp(op, values):
            yield ast.BoolOp(OTHER[type(op)](), values)
        case ast.UnaryOp(ast.Not(), operand):
            yield operand
        case ast.Constant(bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(int(value)):
            yield ast.Constant(value + 1)
        case ast.If(test, body, orelse) if not isinstance(test, ast.Compare):
            yield ast.If(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.IfExp(test, body, orelse) if not isinstance(test, ast.Compare):
            yield ast.IfExp(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.Return(ast.expr() as value) if not isinstance(value, ast.Constant):
            yield ast.Return(ast.Constant(None))
        case ast.Expr(ast.Call()) | ast.Expr(ast.Yield()) | ast.Expr(ast.YieldFrom()):
            yield ast.Expr(ast.Constant(None))


class _Put(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        if node is not self.old:
            return self.generic_visit(node)
        return ast.copy_location(self.new, node)


def mutants(module: ModuleType) -> Iterator[Mutant]:
    """Every change of every function of a module."""
    file = str(module.__file__)
    tree = ast.parse(Path(file).read_text("utf-8"))
    original = {name: function.__code__ for name, function in functions(module).items()}
    for place, node in enumerate(list(ast.walk(tree))):
        for way, other in enumerate(others(node)):
            changed = copy.deepcopy(tree)
            target = list(ast.walk(changed))[place]
            put = list(others(target))[way]
            whole = ast.fix_missing_locations(_Put(target, put).visit(changed))
            code = _function(compile(whole, file, "exec"), node.lineno)  # type: ignore[attr-defined]  # all of them have one
            # What is worked out where a function begins, such as a default, is none of its code.
            if code is not None and code != original.get(code.co_qualname, code):
                yield Mutant(code.co_qualname, node.lineno, f"{_said(node)} → {_said(other)}", code)  # type: ignore[attr-defined]


def _said(node: ast.AST) -> str:
    return ast.unparse(ast.fix_missing_locations(copy.deepcopy(node))).split("\n")[0]


def _function(code: CodeType, line: int) -> CodeType | None:
    """The function of a module or a class that holds a line, itself or in what is made inside it."""
    inner = [each for each in code.co_consts if isinstance(each, CodeType)]
    for each in inner:
        if each.co_flags & inspect.CO_OPTIMIZED and line in _lines(each):
            return each
    return next((found for each in inner if (found := _function(each, line))), None)


def _lines(code: CodeType) -> set[int]:
    inner = (_lines(each) for each in code.co_consts if isinstance(each, CodeType))
    return {line for _, _, line in code.co_lines() if line}.union(*inner)


def functions(of: Any) -> dict[str, FunctionType]:
    """The functions of a module or class and of the classes in it, by their qualified names."""
    found: dict[str, FunctionType] = {}
    for value in vars(of).values():
        inner = (
            getattr(value, "fget", None) or getattr(value, "func", None) or getattr(value, "__func__", value)
        )
        inner = inspect.unwrap(inner) if callable(inner) else inner
        name = of.__name__ if isinstance(of, ModuleType) else of.__module__
        if inspect.isclass(inner) and inner.__module__ == name and inner is not of:
            found |= functions(inner)
        elif isinstance(inner, FunctionType) and inner.__module__ == name:
            found[inner.__qualname__] = inner
    return found


class Trial:
    """The plug-in that, in place of running the tests, tries the changes on them."""

    def __init__(self, modules: list[str], only: str) -> None:
        self.modules = modules
        self.only = only
        self.seen: list[Mutant] = []
        self.unseen: list[Mutant] = []

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        modules = [importlib.import_module(f"pbem.game.{name}") for name in self.modules]
        told = in_child(lambda: coming_through(session, modules))
        assert told, "a test fails without any change"
        through = json.loads(told)
        for module in modules:
            before = len(self.seen)
            for mutant in mutants(module):
                if self.only in mutant.name:
                    where = f"{module.__file__} {mutant.function}"
                    self._try(session, module, mutant, through.get(where, []))
            print(f"{module.__name__}: {len(self.seen) - before} seen", flush=True)  # noqa: T201
        return True

    def _try(self, session: pytest.Session, module: ModuleType, mutant: Mutant, items: list[int]) -> None:
        def tested() -> str:
            functions(module)[mutant.function].__code__ = mutant.code
            for item in items:
                run(session, item)
                if session.testsfailed:
                    return "seen"
            return "unseen"

        if in_child(tested) != "unseen":
            self.seen.append(mutant)
            return
        self.unseen.append(mutant)
        known = "equivalent" if mutant.name in EQUIVALENT else "NOT SEEN"
        print(f"{known} {module.__name__}:{mutant.line} {mutant.name} ({len(items)} tests)", flush=True)  # noqa: T201


def run(session: pytest.Session, place: int) -> None:
    item = session.items[place]
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)


def coming_through(session: pytest.Session, modules: list[ModuleType]) -> str:
    """Which tests come through which function, by its file and name, the quickest first, as JSON; nothing if one fails."""
    files = {str(module.__file__) for module in modules}
    through, took = defaultdict[str, list[int]](list), dict[int, float]()
    for place in range(len(session.items)):
        called: set[str] = set()

        def note(frame: FrameType, event: str, _: object, called: set[str] = called) -> None:
            if event == "call" and frame.f_code.co_filename in files:
                called.add(f"{frame.f_code.co_filename} {frame.f_code.co_qualname.partition('.<locals>')[0]}")

        began = time.monotonic()
        sys.setprofile(note)
        run(session, place)
        sys.setprofile(None)
        took[place] = time.monotonic() - began
        for name in called:
            through[name].append(place)
    return (
        ""
        if session.testsfailed
        else json.dumps({name: sorted(places, key=took.__getitem__) for name, places in through.items()})
    )


def in_child(work: Callable[[], str]) -> str:
    """What `work` says in a process of its own, in which nothing is written; nothing when that ends before its time."""
    ours, theirs = os.pipe()
    if (child := os.fork()) == 0:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        try:
            with os.fdopen(theirs, "w") as answer:
                answer.write(work())
        finally:
            os._exit(0)
    os.close(theirs)
    with os.fdopen(ours) as answer:
        said = answer.read()
    os.waitpid(child, 0)
    return said


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("modules", nargs="+", help="of pbem.game, such as voting")
    asked.add_argument("--only", default="", help="changes whose line of the report has this in it")
    asked.add_argument("--tests", nargs="+", default=TESTS, help="where to look for tests")
    asked.add_argument(
        "--least", type=float, default=85.0, help="of a hundred changes, how many are to be seen"
    )
    given = asked.parse_args()
    trial = Trial(given.modules, given.only)
    options = ["-qs", "--assert=plain", f"--timeout={PATIENCE}", "-m", "not slow and not live"]
    options += [f"-pno:{each}" for each in ("randomly", "xdist", "cacheprovider")]
    pytest.main([*options, *given.tests], plugins=[trial])
    real = [mutant for mutant in trial.unseen if mutant.name not in EQUIVALENT]
    score = 100 * len(trial.seen) / max(1, len(trial.seen) + len(real))
    print(f"{score:.1f} % of {len(trial.seen) + len(real)} changes are seen")  # noqa: T201
    sys.exit(score < given.least)


if __name__ == "__main__":
    main()
