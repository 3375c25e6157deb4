"""The text under a proposal: kept as it came, its clauses cut out, never read for commands."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pbem.game.commands import (
    Ask,
    Check,
    Command,
    EndTurn,
    Propose,
    Revise,
    Vote,
    Withdraw,
)
from pbem.game.model import Clause
from pbem.mail.grammar import read_commands
from tests.mail.reading import asked


@pytest.mark.parametrize(
    ("head", "end", "command"),
    [
        ("propose enact: Coffee!", "end", Propose("enact", None, "Coffee!", "TEXT")),
        ("propose amend 203: Votes", "END", Propose("amend", 203, "Votes", "TEXT")),
        ("propose amend 203", "end.", Propose("amend", 203, "", "TEXT")),
        ("propose amend amendment 305: “Votes”", "end", Propose("amend amendment", 305, "“Votes”", "TEXT")),
        ("check propose enact: Coffee", "end", Check(Propose("enact", None, "Coffee", "TEXT"))),
        ("revise 301", "end", Revise(301, "TEXT")),
        ("revise", "end", Revise(None, "TEXT")),
        ("föreslå ny: Kaffe", "slut", Propose("enact", None, "Kaffe", "TEXT")),
        ("föreslå ändra regel 203: Röster", "slut", Propose("amend", 203, "Röster", "TEXT")),
        ("föreslå ändra tillägg 305: Röster", "end", Propose("amend amendment", 305, "Röster", "TEXT")),
        ("pröva föreslå ny: Kaffe", "slut", Check(Propose("enact", None, "Kaffe", "TEXT"))),
        ("ändra förslag 301", "slut", Revise(301, "TEXT")),
    ],
)
def test_a_text_goes_on_to_its_end_and_commands_resume(head: str, end: str, command: Command) -> None:
    text = "Each turn\u00a0has a “coffee” break – at 3.  \n\n  for 301\nagainst 302\npropose repeal 203\n>> Bo wrote:\n-- \nAnna"
    said = (
        [replace(command.proposal, text=text)]
        if isinstance(command, Check)
        else [replace(command, text=text)]
    )
    expected = [Check(said[0])] if isinstance(command, Check) else said
    assert asked(f"{head}\n{text}\n{end}\nwithdraw 303") == [*expected, Withdraw(303)]


def test_without_end_the_text_goes_on_to_the_end_of_the_mail() -> None:
    assert asked("propose enact: T\n\n  Indented.\n\nfor 301\n \n") == [
        Propose("enact", None, "T", "  Indented.\n\nfor 301")
    ]


def test_clauses_are_taken_out_of_the_text_and_made_plain() -> None:
    text = (
        "propose amend 203: Votes\nA majority adopts.\n\n"
        "clause adopted when over 204:\n  votes_for * 2\n  > eligible\n\n"
        "klausul turordning: “name”\nclause points when defeated: none\nend\nstatus"
    )
    clauses = (
        Clause("adopted when", "votes_for * 2 > eligible", over=("204",)),
        Clause("turn order", '"name"'),
        Clause("points when defeated", "none"),
    )
    assert asked(text) == [Propose("amend", 203, "Votes", "A majority adopts.", clauses), Ask("status")]


@pytest.mark.parametrize(
    ("word", "carry"), [("keep", "keep"), ("Drop", "drop"), ("behåll", "keep"), ("stryk", "drop")]
)
def test_keep_and_drop_tell_what_becomes_of_old_clauses(word: str, carry: str) -> None:
    (command,) = asked(f"propose amend 203: T\nNew.\n{word}\nend")
    assert command == Propose("amend", 203, "T", "New.", (), carry)


def test_an_enactment_has_nothing_to_keep() -> None:
    assert asked("propose enact: T\nkeep\nit\nend") == [Propose("enact", None, "T", "keep\nit")]


def test_a_wrong_clause_is_asked_back_by_its_line_and_nothing_is_proposed() -> None:
    reading = read_commands("propose enact: T\nText.\nclause adoptd when: true\nend\nfor 301")
    (problem,) = reading.problems
    assert (problem.line, problem.said) == (3, "clause adoptd when: true")
    assert "Did you mean “adopted when”?" in str(problem.why)
    assert [one.command for one in reading.commands] == [Vote("for", 301, "for 301")]


def test_a_clause_given_twice_is_asked_back() -> None:
    (problem,) = read_commands('revise 301\nT\nclause judge: "keeper"\nclause judge: "random"').lines
    assert problem.line == 4


@pytest.mark.parametrize("line", ["clause adopted when: true", "klausul antas när: true"])
def test_what_belongs_in_a_proposal_is_not_taken_outside_one(line: str) -> None:
    (problem,) = read_commands(line).problems
    assert "among the lines of a proposal" in str(problem.why)


@pytest.mark.parametrize("head", ["propose enact Coffee", "propse enact: Coffee", "propose enakt: Coffee"])
def test_the_text_under_a_wrong_head_is_not_read_and_is_offered_whole(head: str) -> None:
    reading = read_commands(f"{head}\nfor 301\nagainst 302\nend\nstatus")
    (problem,) = reading.problems
    assert problem.cure == (Propose("enact", None, "Coffee", "for 301\nagainst 302"),)
    assert [one.command for one in reading.commands] == [Ask("status")]


def test_an_end_under_a_proposal_without_text_does_no_harm() -> None:
    assert asked("propose repeal 203\nend\nend turn") == [Propose("repeal", 203), EndTurn()]
