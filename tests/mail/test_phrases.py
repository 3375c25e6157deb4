"""Commands put into words, in both languages and back; the tables of words."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pbem.game.commands import (
    Absent,
    Abstain,
    AddAddress,
    Admit,
    Ask,
    AsPlayer,
    Back,
    CallVote,
    CarryClauses,
    ChangeAddress,
    Check,
    CloseVote,
    Command,
    Compare,
    Continue,
    EndGame,
    EndTurn,
    Extend,
    ForgetMe,
    GiveConsent,
    GiveVerdict,
    GoToJudgment,
    Invite,
    Join,
    NameWinner,
    NoteDeadline,
    Observe,
    Overrule,
    PassTurn,
    Pause,
    Press,
    Propose,
    Remind,
    Remove,
    RemoveAddress,
    Reopen,
    Replace,
    Resume,
    RetractVote,
    Revise,
    SayFor,
    Set,
    Speak,
    Start,
    Takeover,
    Uphold,
    Vote,
    Withdraw,
)
from pbem.game.model import KINDS, Clause
from pbem.game.proposals import Conditional
from pbem.mail.forms import Match, match
from pbem.mail.grammar import read_commands
from pbem.mail.lines import Line
from pbem.mail.phrasing import canonical, phrase
from pbem.mail.tree import CHECK, forms_of
from pbem.mail.words import HELP, LANGUAGES, VOCABULARY, help_table
from tests.mail.reading import asked

FOR = Vote("for", 301)
IF = Conditional("for", 304, passes=True)
ELSE = Conditional("against", 304, passes=False, otherwise="for")


@pytest.mark.parametrize(("command", "english", "swedish", "understood"), [
    (FOR, "for 301", "för 301", "ballot 301 for"),
    (Vote("against", "all"), "against all", "mot alla", "ballot all against"),
    (Vote("for", "rest"), "for the rest", "för resten", "ballot rest for"),
    (Vote("for"), "for", "för", "ballot for"),
    (Vote(IF, 305), "for 305 if 304 passes", "för 305 om 304 antas", "ballot 305 for if 304 passes"),
    (Vote(ELSE, 305), "against 305 if 304 fails, otherwise for", "mot 305 om 304 faller, annars för",
     "ballot 305 against if 304 fails otherwise for"),
    (Vote(ELSE), "against if 304 fails, otherwise for", "mot om 304 faller, annars för",
     "ballot against if 304 fails otherwise for"),
    (Vote(AsPlayer("Milo"), 305), "305 as Milo", "305 som Milo", "ballot 305 as Milo"),
    (Vote(AsPlayer("Anna von Essen")), "vote as Anna von Essen", "rösta som Anna von Essen",
     "ballot as Anna von Essen"),
    (Propose("transmute", 103), "propose transmute 103", "föreslå transmutera 103", "propose transmute 103"),
    (Check(Propose("repeal", 203)), "check propose repeal 203", "pröva föreslå avskaffa 203", "check propose repeal 203"),
    (GiveVerdict("legal", 1), "verdict legal J1", "dom giltigt J1", "verdict legal J1"),
    (GiveVerdict(None, 2, "Half."), "verdict J2: Half.", "dom J2: Half.", "verdict J2: Half."),
    (GoToJudgment("Is it?"), "judgment: Is it?", "till doms: Is it?", "judgment: Is it?"),
    (Overrule(3), "overrule J3", "upphäv J3", "overrule J3"),
    (CarryClauses("drop"), "drop", "stryk", "drop"),
    (CallVote(301), "call vote 301", "till omröstning 301", "call vote 301"),
    (Extend("2d", 301, "Bo is ill."), "extend 301 2d: Bo is ill.", "förläng 301 2d: Bo is ill.", "extend 301 2d: Bo is ill."),
    (CloseVote(301), "close 301", "stäng 301", "close 301"),
    (PassTurn(), "pass turn", "hoppa över tur", "pass turn"),
    (Absent("2027-01-10"), "absent until 2027-01-10", "borta till 2027-01-10", "absent until 2027-01-10"),
    (Absent("2027-01-10", "Bo Berg"), "absent Bo Berg until 2027-01-10", "borta Bo Berg till 2027-01-10",
     "absent Bo Berg until 2027-01-10"),
    (Replace("Bo Berg", "Zoe Zahl"), "replace Bo Berg by Zoe Zahl", "ersätt Bo Berg med Zoe Zahl",
     "replace Bo Berg by Zoe Zahl"),
    (SayFor("Bo Berg", FOR), "as Bo Berg: for 301", "som Bo Berg: för 301", "as Bo Berg: ballot 301 for"),
    (Invite("Dan Dahl", "dan@dahl.example"), "invite Dan Dahl <dan@dahl.example>", "bjud in Dan Dahl <dan@dahl.example>",
     "invite Dan Dahl <dan@dahl.example>"),
    (Continue("We like it."), "continue: We like it.", "fortsätt: We like it.", "continue: We like it."),
    (EndGame("Enough."), "end: Enough.", "avsluta: Enough.", "end: Enough."),
    (NoteDeadline(301), "note deadline 301", "note deadline 301", "note deadline 301"),
    (Remind(None, "half time"), "remind half time", "remind half time", "remind half time"),
    (Ask("rule", "203"), "rule 203", "regel 203", "ask rule 203"),
    (Compare(3, 9), "rules from 3 to 9", "regler från 3 till 9", "rules from 3 to 9"),
    (Compare(0), "rules from 0", "regler från 0", "rules from 0"),
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
        "klausul antas när över 203, föränderliga under 110: votes_for > 3\nslut"
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
_plain = st.sampled_from(["for", "against"])
_people = st.sampled_from(["Bo", "Anna-Lena von Essen", "Åke Öst", "Dan"])
_mailboxes = st.sampled_from(["bo@berg.example", "åsa+1@skog.example", "a_b-c@d.e.example"])
_reasons = st.just("") | _titles
_hanging = st.builds(AsPlayer, _names) | st.builds(
    Conditional, _plain, _numbers, st.booleans(), st.none() | _plain
)
_commands = st.one_of(
    st.builds(Join, _names, st.none() | _names) | st.just(Join()),
    st.sampled_from([Observe(), Start(), EndTurn()]),
    _proposals,
    _proposals.map(Check),
    st.builds(Revise, _some, _texts, st.just("") | _titles, _clauses, _carries),
    st.builds(CallVote, _some, _reasons) | st.builds(Withdraw, _some) | st.builds(RetractVote, _some),
    st.builds(Extend, st.sampled_from(["30m", "12h", "2d"]), _some, _reasons),
    st.builds(CloseVote, _some, _reasons)
    | st.builds(Abstain, _some, _reasons)
    | st.builds(PassTurn, _reasons),
    st.builds(Absent, st.just("2027-01-10"), st.just("") | _people, _reasons) | st.just(Back()),
    st.builds(Remove, _people, _reasons) | st.builds(Replace, _people, _people, _reasons),
    st.builds(Pause, _reasons)
    | st.builds(Resume, _reasons)
    | st.builds(EndGame, _reasons)
    | st.builds(Continue, _reasons),
    st.builds(Invite, _people, _mailboxes, _reasons)
    | st.builds(Invite, _people)
    | st.builds(ChangeAddress, _people, _mailboxes, _reasons),
    st.builds(Admit, _people, _reasons),
    st.builds(
        SayFor, _people, _proposals | st.builds(Vote, _plain, _some) | st.builds(GoToJudgment, _titles)
    ),
    st.builds(Takeover, st.just("") | _names),
    st.builds(Press, _titles),
    st.sampled_from([AddAddress("åsa+1@skog.example"), RemoveAddress("a_b@c.example"), ForgetMe()]),
    st.builds(Vote, st.sampled_from(["for", "against"]), _some | st.sampled_from(["all", "rest"])),
    st.builds(Vote, _hanging, _some),
    st.builds(GoToJudgment, _titles),
    st.builds(GiveVerdict, st.sampled_from(["legal", "illegal", "paradox"]), _some, st.just("") | _titles),
    st.builds(GiveVerdict, st.none(), _some, _titles),
    st.builds(Overrule, _some) | st.builds(Uphold, _some) | st.builds(Reopen, _some) | st.just(GiveConsent()),
    st.builds(NameWinner, _names, _titles),
    st.builds(Ask, st.sampled_from(["status", "rules", "scores", "proposals", "cases", "log", "help"])),
    st.builds(Ask, st.sampled_from(["rule", "history"]), _numbers.map(str)),
    st.builds(Compare, st.integers(0, 999), st.none() | st.integers(0, 999)),
    st.builds(Ask, st.just("help"), st.sampled_from(["vote", "vote", "propose"])),
    st.builds(Set, st.just("language"), st.sampled_from(["en", "sv"])),
    st.builds(Set, st.just("mail"), st.sampled_from(["each", "daily", "results", "none"])),
    st.builds(Set, st.just("html"), st.sampled_from(["on", "off"])),
    st.builds(
        Set,
        st.just("zone"),
        st.sampled_from(["Europe/Stockholm", "UTC", "Etc/GMT+1", "America/Port-au-Prince"]),
    ),
)


@example(Vote(Conditional("for", 1, False, "for"), None), "en")
@example(Vote(Conditional("for", 1, False, "for"), 1), "en")
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
    assert len(table) == len(HELP)
    for _, forms in table:
        for form in forms:
            if "<" in form or "/" in form:
                assert read_commands(form).commands == (), form


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_form_in_the_tables_is_reached(language: str) -> None:
    values = {
        "choice": "for", "numbers": "301", "number": "301", "rule": "203", "those": "all", "title": "T", "name": "Bo", "address": "a@b.example",
        "team": "Red", "word": "+5", "text": "x", "player": "Bo", "case": "J1", "command": "status", "clause": "judge",
        "language": "sv", "mail": "daily", "html": "on", "on": "304", "outcome": "fails", "otherwise": "yes",
        "by": "Cia", "points": "+5", "event": "12", "time": "2d", "date": "2027-01-10", "why": "x",
        "finding": "legal", "ending": "adopted", "question": "Is it?", "words": "It is.", "who": "Bo", "guest": "Bo", "mailbox": "a@b.example", "turn": "3", "until": "9",
    }  # fmt: skip
    if language == "sv":
        values |= {
            "those": "alla",
            "mail": "dagligen",
            "html": "på",
            "outcome": "faller",
            "finding": "giltigt",
        }
    for act, form in forms_of(VOCABULARY[language]):
        found = match(Line.of(form.format(**values)))
        assert isinstance(found, Match), form
        assert found.act == act, form
    assert {act for act, _ in forms_of(VOCABULARY["en"])} >= {
        *KINDS,
        *(CHECK + kind for kind in KINDS),
    }
