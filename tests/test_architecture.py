"""Imports point down, the core is pure, each library has one home: and the check itself is checked."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "pbem"

MAY_IMPORT = {
    "game": {"game"},
    "mail": {"game", "mail"},
    "store": {"game", "store"},
    "markdown": set(),
    "sentences": set(),
    "progress": set(),
    "render": {"game", "markdown", "sentences"},
    "settings": set(),
    "config": {"settings"},
    "publish": {"game", "progress", "render", "publish"},
    "service": {"game", "progress", "mail", "store", "render", "publish", "settings", "config", "service"},
    "cli": {
        "game",
        "mail",
        "store",
        "render",
        "publish",
        "settings",
        "config",
        "service",
        "cli",
        "__version__",
    },
    "__main__": {"cli"},
    "__init__": set(),
}
"""The layers: what each may import of ours."""

ONLY_IN = {
    "peewee": {"store"},
    "playhouse": {"store"},
    "apsw": {"store"},
    "psycopg": {"store"},
    "jinja2": {"render", "sentences"},
    "babel": {"render"},
    "cmarkgfm": {"markdown"},
    "nh3": {"markdown"},
    "cel_expr_python": {"game"},
    "selectolax": {"mail"},
    "aiosmtpd": {"service"},
    "imapclient": {"service"},
    "smtplib": {"service"},
    "click": {"cli"},
}
"""The layers that may know a library."""

CLAUSES_ALONE = "game/clauses.py"
PURE = {"game", "mail"}
IMPURE = {
    "io",
    "logging",
    "os",
    "pathlib",
    "random",
    "secrets",
    "socket",
    "sqlite3",
    "subprocess",
    "time",
    "uuid",
}
FORBIDDEN_CALLS = {".now", ".today", ".utcnow", "open", "print", "input"}


def faults(source: str, place: str) -> list[str]:
    """What a module at `place` (relative to pbem/) imports or does that its layer may not."""
    layer = place.partition("/")[0].removesuffix(".py")
    found = [fault for node in ast.walk(ast.parse(source)) for fault in _faults_of(node, layer)]
    if "cel_expr_python" in source and place != CLAUSES_ALONE:
        found.append("knows CEL, which clauses.py alone does")
    return found


def _faults_of(node: ast.AST, layer: str) -> Iterator[str]:
    for name in _imported(node):
        top, _, rest = name.partition(".")
        if top == "pbem" and rest.split(".")[0] not in MAY_IMPORT[layer] | {""}:
            yield f"imports {name}"
        if layer not in ONLY_IN.get(top, {layer}):
            yield f"imports {name}"
        if layer in PURE and top in IMPURE:
            yield f"imports {name}"
    if isinstance(node, ast.ImportFrom) and node.level:
        yield "relative import"
    if layer in PURE and isinstance(node, ast.Call) and _called(node) in FORBIDDEN_CALLS:
        yield f"asks the clock or does I/O: {_called(node)}"


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and not node.level:
        base = node.module or ""
        return [f"pbem.{alias.name}" for alias in node.names] if base == "pbem" else [base]
    return []


def _called(node: ast.Call) -> str:
    if isinstance(node.func, ast.Attribute):
        return f".{node.func.attr}"
    return node.func.id if isinstance(node.func, ast.Name) else ""


MODULES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_imports_point_down_and_the_core_is_pure(path):
    assert faults(path.read_text(), path.relative_to(PACKAGE).as_posix()) == []


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_every_file_opens_with_its_law_and_stays_under_400_lines(path):
    source = path.read_text()

    assert ast.get_docstring(ast.parse(source)), "says what lives here"
    assert source.count("\n") <= 400


@pytest.mark.parametrize(
    ("place", "source"),
    [
        ("game/state.py", "import peewee"),
        ("game/state.py", "from pbem.store import tables"),
        ("game/state.py", "def f():\n    from pbem import store"),
        ("game/state.py", "import os.path"),
        ("game/state.py", "from datetime import datetime\ndatetime.now()"),
        ("game/state.py", "from .model import x"),
        ("game/state.py", "open('x')"),
        ("game/state.py", "from cel_expr_python import cel"),
        ("mail/parse.py", "import jinja2"),
        ("mail/parse.py", "from pbem.render import Printer"),
        ("store/db.py", "from pbem.mail import message"),
        ("store/db.py", "from pbem.service import process"),
        ("service/process.py", "import peewee"),
        ("publish/site.py", "from pbem.store import db"),
        ("publish/site.py", "import jinja2"),
        ("render.py", "from pbem.mail import words"),
        ("service/worker.py", "import click"),
    ],
)
def test_the_check_itself_bites(place, source):
    assert faults(source, place)
