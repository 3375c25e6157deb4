"""The text under a proposal: kept as it came, its clauses cut out, never read for commands."""

from __future__ import annotations

import time
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
from pbem.mail.message import Cut, Envelope, Inbound, MailRules
from pbem.mail.parse import read_mail
from pbem.mail.readings import Understood
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


HEAD = b"From: Signe <signe@lund.example>\r\nTo: rost@torg.example\r\n\r\n"
ORIGINAL = (
    "\n\nFrom: Nomic <rost@torg.example>\nSent: Monday, 9 November 2026 10:02\nTo: Signe\nSubject: Help\n\n"
)


def mail(body: str) -> Inbound:
    return read_mail(HEAD + body.encode(), Envelope(received=0), MailRules(believe_from=True))


def told(body: str) -> Understood:
    """The one line that is understood in a mail with no problem in it."""
    reading = read_commands(mail(body).text or "")
    assert reading.problems == ()
    (line,) = reading.commands
    return line


LIKE_A_TAIL = [
    "> Quoted on purpose.",
    "Bo wrote:\n> I object.\n\nThis counts.",
    "-- ",
    "--",
    "_____\nTo unsubscribe, write to the keeper.",
    "Sent from my phone",
    "Two spaces.  \n\n\n\n  Three empty rows above.",
]


@pytest.mark.parametrize("row", LIKE_A_TAIL)
@pytest.mark.parametrize(
    ("head", "end"),
    [
        ("propose enact: Tea", "end"),
        ("*revise 301*", "END."),
        ("Pröva föreslå ändra tillägg 305: Te", "slut"),
    ],
)
def test_from_a_text_that_is_closed_nothing_is_cut(head: str, row: str, end: str) -> None:
    text = f"Tea.\n\n{row}\n\nCake."
    line = told(f"Hi!\n\n{head}\n{text}\n{row}\n{end}\n\nThanks\n-- \nSigne\n")
    asked_for = line.command.proposal if isinstance(line.command, Check) else line.command
    assert isinstance(asked_for, Propose | Revise)
    assert asked_for.text == f"{text}\n{row}".rstrip()
    assert line.closed


def test_what_stands_around_a_closed_text_is_trimmed_as_ever() -> None:
    body = "On Mon, 9 Nov 2026 at 10:02 Nomic <rost@torg.example> wrote:\n> Your turn.\n\npropose enact: A\n-- \nend\nfor 301\n-- \nSigne\n"
    assert mail(body).text == "propose enact: A\n-- \nend\nfor 301"
    above, below = mail(body).cuts
    assert above == Cut(
        0, "quote", ("On Mon, 9 Nov 2026 at 10:02 Nomic <rost@torg.example> wrote:", "> Your turn.")
    )
    assert below == Cut(4, "signature", ("-- ", "Signe"))


def test_two_closed_texts_in_one_mail_are_both_kept() -> None:
    body = "revise 301\n> a\nend\n\n-- \nrevise 302\n> never\nend\n> q\nrevise 303\n> b\nend\n"
    assert mail(body).text == "revise 301\n> a\nend\n\nrevise 303\n> b\nend", "the one in a signature is none"


@pytest.mark.parametrize(
    "opening",
    [
        ORIGINAL,
        "\n\n-----Original Message-----\n",
        "\n\nOn Mon, 9 Nov 2026 at 10:02 Nomic <rost@torg.example> wrote:\n\n",
    ],
    ids=["header block", "dashes", "attribution"],
)
def test_an_end_in_an_original_without_marks_closes_nothing(opening: str) -> None:
    body = (
        f"propose enact: Tea\nTea.\n> Quoted.{opening}Write like this:\n\npropose enact: Cake\nCake.\nend\n"
    )
    line = told(body)
    assert line.command == Propose("enact", None, "Tea", "Tea.")
    assert not line.closed
    assert mail(body).cuts[0] == Cut(2, "quote", ("> Quoted.",))


def test_an_end_that_is_quoted_closes_nothing() -> None:
    body = "propose enact: Tea\nTea.\n\nOn 9 Nov 2026 at 10:02 Nomic wrote:\n> propose enact: Cake\n> Cake.\n> end\n"
    assert mail(body).text == "propose enact: Tea\nTea."
    (cut,) = mail(body).cuts
    assert (cut.above, cut.why, cut.rows[0], len(cut.rows)) == (
        2,
        "quote",
        "On 9 Nov 2026 at 10:02 Nomic wrote:",
        4,
    )


@pytest.mark.parametrize(
    "words", ["Check it out:", "I propose enact: Tea", "propose repeal 203", "propse enact: Tea"]
)
def test_lines_that_take_no_text_keep_nothing_from_being_cut(words: str) -> None:
    assert mail(f"{words}\n> q\nTea.\nend\n").text == f"{words}\n\nTea.\nend"


def test_without_end_a_text_goes_to_the_tail_and_the_cut_is_told() -> None:
    line = told("propose enact: Tea\nTea.\n\n-- \nSigne\n")
    assert (line.command, line.closed) == (Propose("enact", None, "Tea", "Tea."), False)
    assert mail("propose enact: Tea\nTea.\n\n-- \nSigne\n").cuts == (Cut(2, "signature", ("-- ", "Signe")),)
    assert mail("propose enact: Tea\nTea.\n").cuts == ()


def test_a_text_under_a_line_without_its_colon_is_offered_whole() -> None:
    (problem,) = read_commands(
        mail("propose enact Tea\nTea.\n> Quoted.\n-- \nCake.\nend\n").text or ""
    ).problems
    assert problem.cure == (Propose("enact", None, "Tea", "Tea.\n> Quoted.\n-- \nCake."),)


@pytest.mark.parametrize(
    "unit", ["propose enact: x\n", "propose enact: x\nend\n", "propose enact x\n> y\nend\n", "check\n"]
)
def test_thousands_of_texts_are_found_at_once(unit: str) -> None:
    begun = time.process_time()
    mail(unit * (250_000 // len(unit)) + "\nend")
    assert time.process_time() - begun < 1.5  # ten times what it takes, for a busy machine
