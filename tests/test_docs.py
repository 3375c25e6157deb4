"""README.md and docs/: the command line knows each command on them, the mail each line that people are told to send.

What lives here: whether a line exists. What never may: whether it does what the page says; the stories show that, and
operations.md and deploy.md have tests that run theirs.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import click
import pytest

from pbem.cli import main
from pbem.game.commands import Absent, Command, OfKeeper
from pbem.mail.grammar import read_commands

ROOT = Path(__file__).parents[1]
PAGES = {page.name: page.read_text("utf-8") for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"))}
LINES_IN = {"play.md": "en", "spela.md": "sv", "keep.md": "en"}
"""The pages with lines to send, and their language."""

BLOCK = re.compile(r"(?m)(?:^    .*\n(?:\n(?=    ))*)+|^```.*\n(?:(?!```).*\n)*```$")
INLINE = re.compile(r"`([^`]+)`")
FIRST_CELL = re.compile(r"(?m)^\| (`[^|]+`) \|")
OURS = re.compile(r"(?:sudo -u pbem )?(?:\S*/)?pbem\s+(?P<rest>.+)")


def blocks(page: str) -> list[str]:
    """The code blocks of a page, without their indentation."""
    return [re.sub(r"(?m)^    ", "", block) for block in BLOCK.findall(PAGES[page])]


def on_the_command_line(page: str) -> Iterator[str]:
    """What follows `pbem` wherever a page shows it: in blocks, in sentences, and in a table of commands."""
    for block in blocks(page):
        whole = re.sub(r"\\\n\s*", "", block)
        yield from _ours(part for line in whole.splitlines() for part in line.split(" && "))
    prose = BLOCK.sub("", PAGES[page])
    yield from _ours(" ".join(code.split()) for code in INLINE.findall(prose))
    for cell in FIRST_CELL.findall(prose):
        if cell.startswith("`pbem "):
            yield from (code.strip("` ") for code in cell.split(" · ")[1:])


def _ours(lines: Iterator[str]) -> Iterator[str]:
    found = (OURS.fullmatch(re.sub(r"\s{2,}#.*", "", line)) for line in lines)
    yield from (ours["rest"] for ours in found if ours)


def understand(words: str) -> None:
    """Raises click.UsageError for a command, an option or a number of arguments that the command line does not know."""
    command: click.Command = main
    rest = [word for word in shlex.split(words) if word != "…"]
    while rest:
        _, rest, _ = command.make_parser(click.Context(command)).parse_args(rest)
        if rest and isinstance(command, click.Group):
            name, *rest = rest
            if name not in command.commands:
                raise click.UsageError(f"no command {name}")
            command = command.commands[name]
        elif rest:
            raise click.UsageError(f"too many words: {rest}")


SHOWN = [(page, words) for page in sorted(PAGES) for words in on_the_command_line(page)]


@pytest.mark.parametrize("words", [pytest.param(words, id=f"{page}-{words}") for page, words in SHOWN])
def test_each_command_on_a_page_is_one(words: str) -> None:
    understand(words)


def test_the_pages_show_commands() -> None:
    """So that a page written another way is not passed over."""
    assert {"README.md", "deploy.md", "keep.md", "operations.md"} <= {page for page, _ in SHOWN}
    told = {words.split()[0] for page, words in SHOWN if page == "README.md"}
    assert set(main.commands) <= told


@pytest.mark.parametrize(
    "wrong", ["strat", "do kaffe --sa Ann start", "rules chekc FILE", "verify one two", "new --set"]
)
def test_what_is_no_command_is_seen(wrong: str) -> None:
    with pytest.raises(click.UsageError):
        understand(wrong)


def mails(page: str) -> list[str]:
    """What a page tells people to send: each block as a mail, and each first cell of a table that is code."""
    cells = (cell.strip("`") for cell in FIRST_CELL.findall(PAGES[page]))
    return [*(block for block in blocks(page) if not block.startswith("pbem ")), *cells]


def said(page: str) -> list[Command]:
    """The commands that a page shows, in their order."""
    return [line.command for mail in mails(page) for line in read_commands(mail).commands]


@pytest.mark.parametrize(
    ("page", "mail"),
    [(page, mail) for page in LINES_IN for mail in mails(page)],
    ids=lambda given: given[:40],
)
def test_each_line_to_send_is_understood(page: str, mail: str) -> None:
    reading = read_commands(mail)

    assert reading.commands
    assert [problem.why.text for problem in reading.problems] == []
    assert reading.prose == ""
    assert reading.languages <= {LINES_IN[page]}, "a line in the other language"


def test_both_languages_tell_of_the_same_lines_in_the_same_order() -> None:
    english, swedish = ([type(command) for command in said(page)] for page in ("play.md", "spela.md"))

    assert len(english) > 30
    assert swedish == english


def test_the_keeper_is_shown_every_line_that_is_the_keepers() -> None:
    shown = {type(command) for command in said("keep.md")}

    assert {*get_args(OfKeeper), Absent} - shown == set()


@pytest.mark.parametrize("page", sorted(PAGES))
def test_what_a_page_links_to_is_there(page: str) -> None:
    folder = ROOT if page == "README.md" else ROOT / "docs"
    links = re.findall(r"\]\(([^)#\s]+)", BLOCK.sub("", PAGES[page]))

    assert [link for link in links if "://" not in link and not (folder / link).exists()] == []
