"""Commands put into words, in both languages and back; the tables of words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.game.commands import (
    Ask,
    CallVote,
    Check,
    Command,
    EndTurn,
    Join,
    Observe,
    Propose,
    RetractVote,
    Revise,
    Set,
    Speak,
    Start,
    Vote,
    Withdraw,
)
from pbem.game.model import KINDS, Clause
from pbem.mail.acts import canonical, phrase
from pbem.mail.forms import CHECK, LATER, Line, Match, forms_of, match
from pbem.mail.grammar import read_commands
from pbem.mail.words import LANGUAGES, VOCABULARY, help_table
from tests.mail.reading import asked

FOR = Vote("for", 301)


@pytest.mark.parametrize(("command", "english", "swedish", "understood"), [
    (FOR, "for 301", "för 301", "ballot 301 for"),
    (Vote("against", "all"), "against all", "mot alla", "ballot all against"),
    (Vote("for", "rest"), "for the rest", "för resten", "ballot rest for"),
    (Vote("for"), "for", "för", "ballot for"),
    (Propose("transmute", 103), "propose transmute 103", "föreslå transmutera 103", "propose transmute 103"),
    (Check(Propose("repeal", 203)), "check propose repeal 203", "pröva föreslå avskaffa 203", "check propose repeal 203"),
    (CallVote(301), "call vote 301", "till omröstning 301", "call vote 301"),
    (Ask("rule", "203"), "rule 203", "regel 203", "ask rule 203"),
    (Set("mail", "daily"), "set mail daily", "sätt post dagligen", "set mail daily"),
    (Set("language", "sv"), "set language sv", "sätt språk sv", "set language sv"),
    (Speak("Hello!", 301), "Hello!", "Hello!", "post 301"),
])  # fmt: skip
def test_a_command_has_a_line_to_paste_and_a_canonical_form(
    command: Command, english: str, swedish: str, understood: str
) -> None:
    assert (phrase(command, "en"), phrase(command, "sv"), canonical(command)) == (
        english,
        swedish,
        understood,
    )


def test_a_proposal_is_phrased_whole_and_named_by_its_head() -> None:
    clause = Clause("adopted when", "votes_for > 3", over=("203", "mutable"), under=("110",))
    command = Propose("amend", 203, "Röster", "En text.", (clause,), "drop")
    assert canonical(command) == "propose amend 203: Röster"
    assert phrase(command, "sv") == (
        "föreslå ändra 203: Röster\nstryk\nEn text.\n"
        "klausul antas när over 203, mutable under 110: votes_for > 3\nslut"
    )


_letters = st.sampled_from("abcåäöÅéĳ7")
_names = st.lists(st.text(_letters, min_size=1, max_size=8), min_size=1, max_size=3).map(" ".join)
_titles = st.text(_letters | st.sampled_from(" ,:;'“”!.-()<*"), max_size=20).map(lambda s: f"T{s}".strip())
_numbers = st.integers(1, 9999)
_some = st.none() | _numbers
_lines = st.lists(
    _names | st.just("") | st.sampled_from(["for 301", "propose repeal 203", "-- "]), max_size=5
)
_texts = _lines.map(lambda lines: "\n".join(lines).strip())
_clauses = st.lists(
    st.builds(
        Clause,
        st.sampled_from(
            ["adopted when", "wins when", "judge", "counter coins", "on adopted give proponent coins"]
        ),
        st.sampled_from(["none", '"keeper"', "votes_for > 3", "a ? b : c"]),
        st.lists(st.sampled_from(["203", "mutable", "immutable"]), max_size=2).map(tuple),
        st.lists(st.sampled_from(["110", "mutable"]), max_size=2).map(tuple),
    ),
    max_size=3,
    unique_by=lambda clause: clause.name,
).map(tuple)
_carries = st.sampled_from([None, "keep", "drop"])
_proposals = st.one_of(
    st.builds(Propose, st.just("enact"), st.none(), st.just("") | _titles, _texts, _clauses),
    st.builds(
        Propose,
        st.sampled_from(["amend", "amend amendment"]),
        _numbers,
        st.just("") | _titles,
        _texts,
        _clauses,
        _carries,
    ),
    st.builds(Propose, st.sampled_from(["repeal", "transmute", "repeal amendment"]), _numbers),
)
_commands = st.one_of(
    st.builds(Join, _names, st.none() | _names) | st.just(Join()),
    st.sampled_from([Observe(), Start(), EndTurn()]),
    _proposals,
    _proposals.map(Check),
    st.builds(Revise, _some, _texts, st.just("") | _titles, _clauses, _carries),
    st.builds(CallVote, _some) | st.builds(Withdraw, _some) | st.builds(RetractVote, _some),
    st.builds(Vote, st.sampled_from(["for", "against"]), _some | st.sampled_from(["all", "rest"])),
    st.builds(Ask, st.sampled_from(["status", "rules", "scores", "proposals", "log", "help"])),
    st.builds(Ask, st.sampled_from(["rule", "history"]), _numbers.map(str)),
    st.builds(Ask, st.just("help"), st.sampled_from(["vote", "rösta", "propose"])),
    st.builds(Set, st.just("language"), st.sampled_from(["en", "sv"])),
    st.builds(Set, st.just("mail"), st.sampled_from(["each", "daily", "results", "none"])),
    st.builds(Set, st.just("html"), st.sampled_from(["on", "off"])),
    st.builds(
        Set,
        st.just("zone"),
        st.sampled_from(["Europe/Stockholm", "UTC", "Etc/GMT+1", "America/Port-au-Prince"]),
    ),
)


@given(_commands, st.sampled_from(LANGUAGES))
def test_a_phrase_is_read_as_the_command_it_says(command: Command, language: str) -> None:
    assert asked(phrase(command, language)) == [command]


@pytest.mark.parametrize("language", LANGUAGES)
def test_both_languages_can_say_everything(language: str) -> None:
    table, english = VOCABULARY[language], VOCABULARY["en"]
    assert table.forms.keys() == english.forms.keys()
    assert table.choices.keys() == english.choices.keys()
    assert table.places.keys() == english.places.keys()
    assert table.doubt.keys() == english.doubt.keys()


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_example_from_help_sent_back_unchanged_does_nothing(language: str) -> None:
    table = help_table(language)
    assert len(table) == 8
    for _, forms in table:
        for form in forms:
            if "<" in form or "/" in form:
                assert read_commands(form).commands == (), form


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_form_in_the_tables_is_reached(language: str) -> None:
    values = {
        "choice": "for", "numbers": "301", "number": "301", "rule": "203", "those": "all", "title": "T", "name": "Bo",
        "team": "Red", "word": "+5", "text": "x", "player": "Bo", "case": "J1", "command": "status", "clause": "judge",
        "language": "sv", "mail": "daily", "html": "on",
    }  # fmt: skip
    if language == "sv":
        values |= {"those": "alla", "mail": "dagligen", "html": "på"}
    for act, form in forms_of(VOCABULARY[language]):
        found = match(Line.of(form.format(**values)))
        assert isinstance(found, Match), form
        assert found.act == act, form
    assert {act for act, _ in forms_of(VOCABULARY["en"])} >= {
        *KINDS,
        *(CHECK + kind for kind in KINDS),
        LATER,
    }
