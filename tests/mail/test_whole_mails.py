"""Lines among their neighbours: sentences over two lines, votes both ways, subjects, limits, and any text at all."""

from __future__ import annotations

import string
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.game.commands import (
    Ask,
    Command,
    Vote,
)
from pbem.mail.grammar import read_commands
from pbem.mail.phrasing import canonical, phrase
from pbem.mail.tree import forms_of
from pbem.mail.words import VOCABULARY
from tests.mail.reading import asked


@pytest.mark.parametrize("text", [
    "I have thought about it for a week now and I will never ever vote\nfor 301.",
    "I would not\nvote for 301",
    "Jag har funderat på det i en hel vecka nu och kommer aldrig att rösta\nför 301",
    "I vote for 301\nif the comma is mended.",
    "ja på 301\nmen bara om kommat rättas",
])  # fmt: skip
def test_a_ballot_that_is_part_of_a_sentence_is_asked_back(text: str) -> None:
    reading = read_commands(text)
    assert reading.commands == ()
    assert [cure.number for problem in reading.problems for cure in problem.cure] == [301]


@pytest.mark.parametrize("tail", ["rules.", "start", "review.", "for me.", "end turn", "regler."])
def test_the_broken_end_of_a_sentence_is_prose(tail: str) -> None:
    text = f"I have read the whole of it twice and think that we need more\n{tail}"
    assert read_commands(text).lines == ()
    assert read_commands(text).prose == text


@pytest.mark.parametrize(
    "text", ["Hi Bo,\nfor 301\nThanks", "Hello!\nfor 301\n/Anna", "Hej alla\nför 301\nMvh Anna"]
)
def test_a_greeting_above_and_a_name_below_do_not_matter(text: str) -> None:
    assert asked(text) == [Vote("for", 301)]


@pytest.mark.parametrize(("text", "lines"), [
    ("for 301\nstatus\nagainst 301", [1, 3]),
    ("301-303 for\nagainst 302", [1, 2]),
    ("for all\nagainst 302", [1, 2]),
    ("ja\nnej", [1, 2]),
    ("for all\nagainst all", [1, 2]),
    ("against the rest\nfor the rest", [1, 2]),
])  # fmt: skip
def test_two_different_votes_on_one_proposal_are_both_asked_back(text: str, lines: list[int]) -> None:
    reading = read_commands(text)
    assert [problem.line for problem in reading.problems] == lines
    assert not any(isinstance(one.command, Vote) for one in reading.commands)


def test_votes_that_agree_are_not_disputed() -> None:
    assert asked("for 301\nagainst 302\nfor the rest\nfor 301") == [
        Vote("for", 301), Vote("against", 302), Vote("for", "rest"), Vote("for", 301),
    ]  # fmt: skip


@pytest.mark.parametrize(("subject", "commands"), [
    ("for 301", [Vote("for", 301)]), ("Yes", [Vote("for")]), ("hjälp", [Ask("help")]),
    ("Proposal 301", []), ("Proposal 301 is open for voting", []), ("vote", []), ("", []),
])  # fmt: skip
def test_a_subject_is_read_when_there_is_no_text(subject: str, commands: list[Command]) -> None:
    assert asked(" \n\n", subject) == commands
    assert all(one.line == 0 for one in read_commands("", subject).commands)


def test_a_subject_is_not_read_beside_a_text() -> None:
    assert asked("Hello there!", "for 301") == []


def test_the_language_is_the_one_of_all_commands() -> None:
    assert read_commands("för 301\n302: ja\n+1 303").language == "sv"
    assert read_commands("för 301\nstatus").language is None
    assert read_commands("för 301\nstatus").languages == {"sv", "en"}
    assert read_commands("Hello there").language is None


def test_a_mail_holds_two_hundred_commands() -> None:
    reading = read_commands("status\n" * 300)
    assert (len(reading.commands), [problem.line for problem in reading.problems]) == (200, [201])
    assert read_commands("for 301-501").commands == ()
    assert [one.line for one in read_commands("for 301-450\nfor 451-550").problems] == [2]
    assert len(read_commands("for 301-500").commands) == 200


_vocabulary = [word for table in VOCABULARY.values() for _, form in forms_of(table) for word in form.split()]
_noise = st.sampled_from(
    [*_vocabulary, "301", "302", "-", ":", ",", "…", "\u00a0", "*", "+1", "if", "Anna", "end", "clause", ">"]
)
_word_lines = st.lists(st.lists(_noise, max_size=6).map(" ".join), max_size=8).map("\n".join)


@given(st.text() | _word_lines, st.text(max_size=20))
def test_no_text_makes_the_reader_fail(text: str, subject: str) -> None:
    reading = read_commands(text, subject)
    assert [one.line for one in reading.lines] == sorted(one.line for one in reading.lines)
    for one in reading.commands:
        assert one.line == 0 or one.said == text.split("\n")[one.line - 1].strip()
        assert canonical(one.command)
    for problem in reading.problems:
        assert str(problem.why)
        assert all(isinstance(cure, str) or phrase(cure, "sv") for cure in problem.cure)


_WORDS_FOR_A_BALLOT = {
    *("for", "yes", "against", "no", "för", "ja", "mot", "nej", "emot"),
    *("dafür", "für", "dagegen", "nein", "gegen"),  # German is understood on ballots
}


@given(st.text(string.ascii_letters + " .,'!?åäö\n"))
def test_no_ballot_comes_without_a_word_for_it(text: str) -> None:
    for one in read_commands(text).commands:
        if isinstance(one.command, Vote):
            words = one.said.lower().strip("*-.!'’ ").split()
            assert _WORDS_FOR_A_BALLOT & set(words)


HOSTILE = ["a\n", "no x y zz\n", "AGAINT 306\n", "zzzzzz 301 a b\n", "for 301 ", "301, ", "propose enact X\n", "agaisnt\n",
           "propose amnd 203: x\nend\n", "for 301\nagainst 301\n", "as a b: ", ": ", "clause x: 1\n", '"', "i vote ",
           "propose enact: x\nclause x: 1\n", "propose enact: x\nend\n", "9", "for 1-200\n", f"{'for 301 and ' * 160}\n", "\u0308", "join as "]  # fmt: skip


@pytest.mark.parametrize("unit", HOSTILE)
@pytest.mark.parametrize("head", ["", "for ", "propose enact: T\n"])
def test_a_long_hostile_text_is_read_at_once(head: str, unit: str) -> None:
    text = (head + unit * (65_536 // len(unit)))[:65_536]
    begun = time.process_time()
    read_commands(text)
    assert time.process_time() - begun < 0.5  # ten times what it takes, for a busy machine
