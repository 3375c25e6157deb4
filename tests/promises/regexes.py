"""Every regular expression in pbem, found in its source, with how it is used; and texts made to be slow for each.

What lives here: finding and making. What never may: a measurement.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import pbem

USES = {"match", "fullmatch", "search", "sub", "subn", "findall", "finditer", "split"}


@dataclass
class Used:
    """A regular expression, where it stands, and the ways in which it is asked."""

    pattern: re.Pattern[Any]
    where: str
    ways: set[str]


def all_of_them() -> list[Used]:
    """Those with a name in a module, and those that stand where they are used."""
    names = sorted(
        each.name for each in pkgutil.walk_packages(pbem.__path__, "pbem.") if "__main__" not in each.name
    )
    modules = {name: importlib.import_module(name) for name in names}
    sources = {
        name: ast.parse(Path(str(module.__file__)).read_text("utf-8")) for name, module in modules.items()
    }
    everywhere = _asked(sources.values())
    found: list[Used] = []
    for name, module in modules.items():
        found += _named(vars(module), sources[name], name, everywhere)
        found += _inline(vars(module), sources[name], name)
    return found


def _asked(sources: Iterable[ast.Module]) -> dict[str, set[str]]:
    """By the name of a thing, whichever of these ways it is asked in: `_WORD.search`, `phrases.OPENS.match`."""
    ways: dict[str, set[str]] = defaultdict(set)
    for node in (node for source in sources for node in ast.walk(source)):
        if isinstance(node, ast.Attribute) and node.attr in USES:
            of = node.value
            name = of.id if isinstance(of, ast.Name) else of.attr if isinstance(of, ast.Attribute) else ""
            ways[name].add(node.attr)
    return ways


def _named(
    values: dict[str, Any], source: ast.Module, where: str, everywhere: dict[str, set[str]]
) -> Iterator[Used]:
    here = _asked([source])
    made_here = {
        node.id for node in ast.walk(source) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    for name in values.keys() & made_here:
        for pattern in _patterns(values[name]):
            ways = (here if name.startswith("_") else everywhere).get(name)
            yield Used(pattern, f"{where}.{name}", ways or {"search"})


def _patterns(value: Any) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _patterns(each)
    elif isinstance(value, tuple | list | frozenset) and len(value) < 200:
        for each in value:
            yield from _patterns(each)


def _inline(values: dict[str, Any], source: ast.Module, where: str) -> Iterator[Used]:
    for node in ast.walk(source):
        if not (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in USES
        ):
            continue
        if isinstance(node.func.value, ast.Name) and node.func.value.id == "re":
            pattern = _evaluated(node.args[0], values)
            yield Used(re.compile(pattern), f"{where}:{node.lineno}", {node.func.attr})


def _evaluated(node: ast.expr, values: dict[str, Any]) -> Any:
    """The expression as it would be compiled; a name that only the function knows stands for a word."""
    unknown = {
        each.id: "word" for each in ast.walk(node) if isinstance(each, ast.Name) and each.id not in values
    }
    return eval(compile(ast.Expression(node), "<pattern>", "eval"), {**values, **unknown})  # noqa: S307  # our own source


def slow_texts(pattern: re.Pattern[Any], size: int) -> Iterator[str]:
    """Texts that repeat what the expression repeats, alone and in pairs, behind what it begins with, and never come to its end."""
    repeated, literal = _alphabet(pattern)
    units = [*repeated, *(one + other for one in repeated for other in repeated if one != other)][:40]
    words = [literal] if literal else []
    for unit in dict.fromkeys([*units, *words, *(word + unit for word in words for unit in repeated[:6])]):
        for head in dict.fromkeys(("", literal[:-1])):
            yield head + unit * (size // len(unit)) + "\x00"


def _alphabet(pattern: re.Pattern[Any]) -> tuple[list[str], str]:
    """A sign for each thing that the expression may repeat, and its longest run of literals."""
    text = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    signs: dict[str, None] = {}
    runs = [""]
    _walk(parser.parse(text, pattern.flags & ~re.DEBUG), signs, runs)
    return [*signs][:12], max(runs, key=len)


def _walk(tree: Any, signs: dict[str, None], runs: list[str]) -> None:
    for kind, value in tree:
        name = str(kind)
        if name in ("LITERAL", "NOT_LITERAL"):
            signs[chr(value) if name == "LITERAL" else "x"] = None
            runs[-1] += chr(value) if name == "LITERAL" else "x"
            continue
        runs.append("")
        match name:
            case "IN":
                signs.update(dict.fromkeys(_of_class(value)))
            case "ANY":
                signs["x"] = None
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                _walk(value[2], signs, runs)
            case "SUBPATTERN":
                _walk(value[3], signs, runs)
            case "BRANCH":
                for branch in value[1]:
                    runs.append("")
                    _walk(branch, signs, runs)
            case "ASSERT" | "ASSERT_NOT":
                _walk(value[1], signs, runs)
            case "ATOMIC_GROUP":
                _walk(value, signs, runs)
        runs.append("")


_CLASSES = {
    "CATEGORY_SPACE": " ",
    "CATEGORY_DIGIT": "1",
    "CATEGORY_WORD": "a",
    "CATEGORY_NOT_SPACE": "a",
    "CATEGORY_NOT_DIGIT": "a",
    "CATEGORY_NOT_WORD": "-",
}


def _of_class(items: Any) -> Iterator[str]:
    negated = any(str(kind) == "NEGATE" for kind, _ in items)
    if negated:
        yield from ("x", " ")
        return
    for kind, value in items:
        match str(kind):
            case "LITERAL":
                yield chr(value)
            case "RANGE":
                yield chr(value[0])
            case "CATEGORY":
                yield _CLASSES.get(str(value), "a")
