"""The libraries that come along: each has a reason, a lower bound, and a licence under which anybody may use it with ours."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

import pytest

TOP = Path(__file__).parents[1]
PROJECT = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
NAMED = [*PROJECT["dependencies"], *EXTRAS["postgres"], *EXTRAS["search"]]
PERMISSIVE = re.compile(r"\b(?:MIT|BSD|Apache|ISC|PSF|Zlib|any-OSI)\b", re.IGNORECASE)
WORDS = ("Permission is hereby granted, free of charge", "Redistribution and use in source and binary forms")
"""How the licences of MIT and of BSD begin, where a library names none but brings its text."""
COPYLEFT = {"psycopg": "LGPL-3.0-only", "psycopg-binary": "LGPL-3.0-only"}
"""Of the extra `postgres` alone, and used as the library it is."""


def name_of(requirement: str) -> str:
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert found
    return found[0].lower()


def all_of_them() -> Iterator[Distribution]:
    """Those we name that are installed, and all that these need."""
    waiting, seen = [*NAMED, "psycopg-binary"], set()
    while waiting:
        name = name_of(waiting.pop())
        if name in seen:
            continue
        seen.add(name)
        try:
            found = distribution(name)
        except PackageNotFoundError:
            continue
        waiting += [each for each in found.requires or [] if "extra ==" not in each]
        yield found


def licences(library: Distribution) -> list[str]:
    """What a library says of its licence, by its own fields; where it says nothing, the text it brings."""
    data = library.metadata
    said = [data.get("License-Expression") or "", (data.get("License") or "").split("\n")[0]]
    said += [each for each in data.get_all("Classifier", []) if each.startswith("License ::")]
    return [each for each in said if each] or [
        "MIT or BSD, by its text"
        for file in library.files or []
        if re.search(r"LICEN[CS]E|COPYING", file.name) and any(each in file.read_text() for each in WORDS)
    ]


@pytest.mark.parametrize("library", [pytest.param(each, id=each.name) for each in all_of_them()])
def test_it_has_a_licence_under_which_anybody_may_use_it_with_ours(library: Distribution) -> None:
    said = licences(library)
    copyleft = COPYLEFT.get(library.name.lower())
    assert said == [copyleft] if copyleft else any(map(PERMISSIVE.search, said)), said


@pytest.mark.parametrize("requirement", NAMED)
def test_it_has_a_reason_and_a_lower_bound(requirement: str) -> None:
    assert ">=" in requirement
    reasons = (TOP / "docs" / "dependencies.md").read_text("utf-8")
    assert re.search(rf"^\| {re.escape(name_of(requirement))}(?: \(extra `\w+`\))? \|", reasons, re.MULTILINE)


def test_the_bounds_in_the_document_are_those_we_ask_for() -> None:
    text = (TOP / "docs" / "dependencies.md").read_text("utf-8").partition("## What was looked at")[2]
    told = dict(re.findall(r"^\| ([a-z0-9]+) \| ([\d.]+) \|", text, re.MULTILINE))
    assert len(told) >= 5
    asked = {name_of(each): each.partition(">=")[2].partition(",")[0] for each in NAMED}
    assert told.items() <= asked.items()


def test_what_was_not_audited_is_said_aloud() -> None:
    page = " ".join((TOP / "docs" / "dependencies.md").read_text("utf-8").split())
    assert "none was audited by machine against a whole database.**" in page
