"""A line: every form in both languages, every form that must be asked back, prose that must stay prose."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pbem.game.commands import (
    AddAddress,
    Ask,
    AsPlayer,
    CallVote,
    ChangeAddress,
    Check,
    Command,
    Compare,
    Continue,
    EndGame,
    EndTurn,
    Forfeit,
    ForgetMe,
    GiveConsent,
    GiveVerdict,
    GoToJudgment,
    Invite,
    Join,
    Observe,
    Pause,
    Press,
    Propose,
    RemoveAddress,
    RetractVote,
    Ruling,
    SayFor,
    Set,
    Start,
    Vote,
    Withdraw,
)
from pbem.game.model import Problem
from pbem.game.proposals import Conditional
from pbem.mail.grammar import read_commands
from pbem.mail.phrasing import phrase
from tests.mail.reading import asked


def cures(text: str) -> list[str]:
    """The lines offered for a text that must hold no command, and one problem."""
    reading = read_commands(text)
    assert reading.commands == ()
    (problem,) = reading.problems
    return [cure if isinstance(cure, str) else phrase(cure, "en") for cure in problem.cure]


FORMS: list[tuple[str, Command, str | None]] = [
    ("join as Anna Lind", Join("Anna Lind"), "en"),
    ("Join as Åsa O’Brien.", Join("Åsa O’Brien"), "en"),
    ("join as Bo, team Red", Join("Bo", "Red"), "en"),
    ("join", Join(), "en"),
    ("observe", Observe(), "en"),
    ("add address anna.lind@new.example", AddAddress("anna.lind@new.example"), "en"),
    ("Remove address Anna+1@new.example.", RemoveAddress("Anna+1@new.example"), "en"),
    ("forget me", ForgetMe(), "en"),
    ("START", Start(), "en"),
    ("propose repeal 203", Propose("repeal", 203), "en"),
    ("propose repeal rule 203", Propose("repeal", 203), "en"),
    ("propose transmute 103.", Propose("transmute", 103), "en"),
    ("propose repeal amendment 305", Propose("repeal amendment", 305), "en"),
    ("check propose repeal 203", Check(Propose("repeal", 203)), "en"),
    ("call vote 301", CallVote(301), "en"),
    ("call vote", CallVote(), "en"),
    ("withdraw 301", Withdraw(301), "en"),
    ("Withdraw proposal 301!", Withdraw(301), "en"),
    ("end turn", EndTurn(), "en"),
    ("retract vote 301", RetractVote(301), "en"),
    ("changing 305 to AGAINST", Vote("against", 305), "en"),
    ("I change my vote on 305 to no", Vote("against", 305), "en"),
    ("jag ändrar min röst på 305 till nej", Vote("against", 305), "sv"),
    ("I endorse Bo Berg on 305", Vote(AsPlayer("Bo Berg"), 305), "en"),
    ("jag röstar som Anna-Karin Ek på 305", Vote(AsPlayer("Anna-Karin Ek"), 305), "sv"),
    (
        "For 308 if 304 would pass, otherwise AGAINST",
        Vote(Conditional("for", 304, True, "against"), 308),
        "en",
    ),
    ("för 308 om 304 skulle falla", Vote(Conditional("for", 304, False), 308), "sv"),
    ("I forfeit", Forfeit(), "en"),
    ("Jag ger upp.", Forfeit(), "sv"),
    ("I call for judgment that turn 4 ended early", GoToJudgment("turn 4 ended early"), "en"),
    ("jag går till doms: slutade tur 4 för tidigt?", GoToJudgment("slutade tur 4 för tidigt?"), "sv"),
    ("retract my vote on 301", RetractVote(301), "en"),
    ("press team: Hush!", Press("Hush!"), "en"),
    ("status", Ask("status"), "en"),
    ("rules", Ask("rules"), "en"),
    ("rules from 3 to 9", Compare(3, 9), "en"),
    ("rules from 0", Compare(0), "en"),
    ("rule 203", Ask("rule", "203"), "en"),
    ("history 203", Ask("history", "203"), "en"),
    ("scores", Ask("scores"), "en"),
    ("proposals", Ask("proposals"), "en"),
    ("log", Ask("log"), "en"),
    ("help", Ask("help"), "en"),
    ("help vote", Ask("help", "vote"), "en"),
    ("set language sv", Set("language", "sv"), "en"),
    ("set language Swedish", Set("language", "sv"), "en"),
    ("set language FI", Set("language", "fi"), "en"),
    ("set zone Europe/Stockholm", Set("zone", "Europe/Stockholm"), "en"),
    ("set mail daily", Set("mail", "daily"), "en"),
    ("set html off", Set("html", "off"), "en"),
    ("lagpost: Tyst!", Press("Tyst!"), "sv"),
    ("gå med som Åsa", Join("Åsa"), "sv"),
    ("gå med som Åsa, lag Blå", Join("Åsa", "Blå"), "sv"),
    ("följ", Observe(), "sv"),
    ("lägg till adress anna@new.example", AddAddress("anna@new.example"), "sv"),
    ("glöm mig", ForgetMe(), "sv"),
    ("starta", Start(), "sv"),
    ("föreslå avskaffa 203", Propose("repeal", 203), "sv"),
    ("föreslå transmutera 103", Propose("transmute", 103), "sv"),
    ("föreslå återta tillägg 305", Propose("repeal amendment", 305), "sv"),
    ("pröva föreslå avskaffa regel 203", Check(Propose("repeal", 203)), "sv"),
    ("till omröstning 301", CallVote(301), "sv"),
    ("dra tillbaka 301", Withdraw(301), "sv"),
    ("avsluta tur", EndTurn(), "sv"),
    ("återta röst 301", RetractVote(301), "sv"),
    ("läge", Ask("status"), "sv"),
    ("regler", Ask("rules"), "sv"),
    ("regler från 3 till 9", Compare(3, 9), "sv"),
    ("regel 203", Ask("rule", "203"), "sv"),
    ("historik 203", Ask("history", "203"), "sv"),
    ("poäng", Ask("scores"), "sv"),
    ("förslag", Ask("proposals"), "sv"),
    ("logg", Ask("log"), "sv"),
    ("hjälp", Ask("help"), "sv"),
    ("hjälp rösta", Ask("help", "vote"), "sv"),
    ("sätt språk engelska", Set("language", "en"), "sv"),
    ("sätt zon Europe/Stockholm", Set("zone", "Europe/Stockholm"), "sv"),
    ("sätt post dagligen", Set("mail", "daily"), "sv"),
    ("sätt html av", Set("html", "off"), "sv"),
]


@pytest.mark.parametrize(("line", "command", "language"), FORMS)
def test_a_command_is_a_line_of_its_own(line: str, command: Command, language: str | None) -> None:
    reading = read_commands(f"Hello!\n\n{line}\n\nThanks, Anna\n")
    (understood,) = reading.lines
    assert (understood.line, understood.said) == (3, line)
    if isinstance(command, Vote):
        command = replace(command, said=line)
    assert (understood.command, understood.language) == (command, language)
    assert reading.prose == "Hello!\n\n\nThanks, Anna"


FOR, AGAINST = Vote("for", 301), Vote("against", 301)
BALLOTS: list[tuple[str, Vote, str | None]] = [
    ("for 301", FOR, "en"),
    ("FOR 301.", FOR, "en"),
    ("against 301!", AGAINST, "en"),
    ("vote 301 for", FOR, "en"),
    ("Vote for 301", FOR, "en"),
    ("301: yes", FOR, "en"),
    ("301 no", AGAINST, "en"),
    ("no on 301", AGAINST, "en"),
    ("yes to proposal 301", FOR, "en"),
    ("for #301", FOR, "en"),
    ("+1 301", FOR, None),
    ("I vote for 301", FOR, "en"),
    ("I vote FOR 301.", FOR, "en"),
    ("i vote yes on 301", FOR, "en"),
    ("My vote is “FOR” 301", FOR, "en"),
    ("My vote on 301 is no.", AGAINST, "en"),
    ("för 301", FOR, "sv"),
    ("mot 301", AGAINST, "sv"),
    ("emot 301", AGAINST, "sv"),
    ("ja på 301", FOR, "sv"),
    ("Ja på 301!", FOR, "sv"),
    ("rösta 301 ja", FOR, "sv"),
    ("301: nej", AGAINST, "sv"),
    ("Jag röstar ja på 301", FOR, "sv"),
    ("Jag röstar nej på förslag 301.", AGAINST, "sv"),
    ("Jag röstar för 301.", FOR, "sv"),
    ("Min röst på 301 är nej", AGAINST, "sv"),
    ("301: dafür", FOR, None),
    ("dagegen 301", AGAINST, None),
    ("Für 301", FOR, None),
    ("nein 301", AGAINST, None),
    ("* for 301", FOR, "en"),
    ("- for 301", FOR, "en"),
    ("– for 301", FOR, "en"),
    ("*for 301*", FOR, "en"),
    ("2. for 301", FOR, "en"),
    ("“for 301”", FOR, "en"),
    ("for\u00a0301", FOR, "en"),
    ("  for \t 301  ", FOR, "en"),
    ("301 – yes", FOR, "en"),
    ("fo\u0308r 301", FOR, "sv"),
    ("for", Vote("for"), "en"),
    ("Yes.", Vote("for"), "en"),
    ("NO!", Vote("against"), "en"),
    ("against", Vote("against"), "en"),
    ("I vote yes", Vote("for"), "en"),
    ("+1", Vote("for"), None),
    ("ja", Vote("for"), "sv"),
    ("Nej.", Vote("against"), "sv"),
    ("för", Vote("for"), "sv"),
    ("Jag röstar nej.", Vote("against"), "sv"),
    ("nein", Vote("against"), None),
    ("for all", Vote("for", "all"), "en"),
    ("yes to all", Vote("for", "all"), "en"),
    ("against the rest", Vote("against", "rest"), "en"),
    ("för alla", Vote("for", "all"), "sv"),
    ("mot resten", Vote("against", "rest"), "sv"),
]


@pytest.mark.parametrize(("line", "vote", "language"), BALLOTS)
def test_a_ballot_may_be_written_in_many_ways(line: str, vote: Vote, language: str | None) -> None:
    (understood,) = read_commands(line).commands
    assert understood.command == replace(vote, said=line.strip())
    assert understood.language == language


IF = Conditional("for", 304, passes=True)
ELSE = Conditional("for", 304, passes=True, otherwise="against")


@pytest.mark.parametrize(("line", "choice", "language"), [
    ("for 305 if 304 passes", IF, "en"),
    ("I vote for 305 if proposal 304 is adopted.", IF, "en"),
    ("305: yes if 304 passes", IF, "en"),
    ("+1 305 if 304 passes", IF, "en"),
    ("against 305 if 304 fails", Conditional("against", 304, passes=False), "en"),
    ("for 305 if 304 passes, otherwise against", ELSE, "en"),
    ("yes on 305 if 304 is adopted otherwise no", ELSE, "en"),
    ("305 as Milo", AsPlayer("Milo"), "en"),
    ("I vote 305 as Milo", AsPlayer("Milo"), "en"),
    ("305 as Anna von Essen", AsPlayer("Anna von Essen"), "en"),
    ("för 305 om 304 antas", IF, "sv"),
    ("Jag röstar ja på 305 om förslag 304 antas", IF, "sv"),
    ("mot 305 om 304 faller", Conditional("against", 304, passes=False), "sv"),
    ("för 305 om 304 antas, annars mot", ELSE, "sv"),
    ("305 som Milo", AsPlayer("Milo"), "sv"),
])  # fmt: skip
def test_a_ballot_may_hang_on_another_proposal_or_player(
    line: str, choice: Conditional | AsPlayer, language: str
) -> None:
    (understood,) = read_commands(line).commands
    assert understood.command == Vote(choice, 305, line)
    assert understood.language == language


@pytest.mark.parametrize(("line", "choice"), [
    ("for if 304 passes", IF), ("nej om 304 faller", Conditional("against", 304, passes=False)),
    ("vote as Milo", AsPlayer("Milo")), ("Jag röstar som Milo", AsPlayer("Milo")),
])  # fmt: skip
def test_in_a_reply_such_a_ballot_needs_no_number(line: str, choice: Conditional | AsPlayer) -> None:
    assert asked(line) == [Vote(choice)]


def test_a_range_on_a_condition_is_one_such_ballot_for_each() -> None:
    assert asked("301-303 for if 304 passes") == [Vote(IF, 301), Vote(IF, 302), Vote(IF, 303)]


def test_two_conditions_that_exclude_each_other_are_offered_as_one_ballot() -> None:
    reading = read_commands("for 305 if 304 passes\nagainst 305 if 304 fails")
    assert reading.commands == ()
    assert reading.problems[0].cure[0] == Vote(ELSE, 305)


@pytest.mark.parametrize("line", ["for 305 if Bo agrees", "for 305 if 304 passes and the comma is mended",
                                  "305 as <NAME>"])  # fmt: skip
def test_any_other_condition_is_asked_back(line: str) -> None:
    (problem,) = read_commands(line).lines
    assert isinstance(problem, Problem)


@pytest.mark.parametrize("line", ["301-303 for", "for 301–303", "for 301 to 303", "för 301 till 303",
                                  "for 301, 302 and 303", "301, 302, 303: yes", "vote 301-303 for"])  # fmt: skip
def test_a_line_with_several_numbers_is_one_ballot_for_each(line: str) -> None:
    assert asked(line) == [Vote("for", 301), Vote("for", 302), Vote("for", 303)]


ASKED_BACK = [
    ("AGAINT 306", ["against 306"]),
    ("agianst 306", ["against 306"]),
    ("306 agaisnt", ["against 306"]),
    ("half a vote against 306", ["against 306"]),
    ("half a vote against", ["against"]),
    ("Amend Rule 206 (Winner by points) by replacing 10 with 5", ["propose amend 206\nend"]),
    ("repeal 204", ["propose repeal 204"]),
    ("Ändra regel 206 så att tio blir fem", ["propose amend 206\nend"]),
    ("ROOT on 306", ["for 306", "against 306"]),
    ("root 306", ["for 306", "against 306"]),
    ("FOR*1048576", ["for"]),
    ("-1 301", ["for 301", "against 301"]),
    ("I vote like Ana", ["for/against <NUMBER>", "för/mot <NUMMER>"]),
    ("same as the last three people", ["for/against <NUMBER>", "för/mot <NUMMER>"]),
    ("MMM, YES", ["for"]),
    ("Yes please", ["for"]),
    ("Ja tack!", ["for"]),
    ("for 301?", ["for 301"]),
    ("for 301, nice one", ["for 301"]),
    ("for 301 against", ["for 301", "against 301"]),
    ("FOR all of these", ["for all"]),
    ("for 303-301", ["for 303", "for 301"]),
    ("for 301, 305-303", ["for 301", "for 305", "for 303"]),
    ("No, 301", ["against 301"]),
    ("vote 301", ["for 301", "against 301"]),
    ("rösta 301", ["for 301", "against 301"]),
    ("for 301, against 302", ["for 301", "against 302"]),
    ("Please vote for 301", ["for 301"]),
    ("On balance I vote FOR 323. Two wishes:", ["for 323"]),
    ("My vote is “FOR” 309 – it’s about time…", ["for 309"]),
    ("I would never vote for 301 as long as I live", ["for 301"]),
    ("After long thought I am AGAINST 301, sadly, and so is my cat", ["against 301"]),
    ("Jag tänker nog rösta nej på 301, tror jag, om inget händer", [
        "for/against <NUMBER> if <NUMBER> passes/fails",
        "för/mot <NUMMER> om <NUMMER> antas/faller",
    ]),
    ("I retract my proposal 306 and resubmit it with the typo fixed", ["withdraw 306"]),
    ("I also propose that rule 105 be repealed.", [
        "propose enact: <TITLE>", "propose amend 105: <TITLE>", "propose repeal 105", "propose transmute 105"]),
    ("Jag föreslår att regel 105 avskaffas.", [
        "föreslå ny: <TITEL>", "föreslå ändra 105: <TITEL>", "föreslå avskaffa 105", "föreslå transmutera 105"]),
    ("propose repael 203", ["propose repeal 203"]),
    ("propose repeal 203: because", ["propose repeal 203"]),
    ("propose transmute 103 to mutable", ["propose transmute 103"]),
    ("föreslå avskafa 203", ["propose repeal 203"]),
    ("föreslo avskaffa 203", ["propose repeal 203"]),
    ("set languge sv", ["set language sv"]),
    ("set language klingon", ["set language en/sv"]),
    ("call vot 301", ["call vote 301"]),
    ("withdraw 301 please", ["withdraw 301"]),
    ("histry 203", ["history 203"]),
    ("statsu", ["status"]),
    ("end trun", ["end turn"]),
    ("join as <NAME>", ["join as <NAME>"]),
    ("for <NUMBER>", ["for"]),
    ("extend <TIME, as 2d or 12h>", ["extend <TIME, as 2d or 12h>"]),
    ("extend 301 <TIME, as 2d or 12h>", ["extend 301 <TIME, as 2d or 12h>"]),
    ("extend 301 tomorrow", ["extend 301 <TIME, as 2d or 12h>"]),
    ("förläng 301", ["förläng 301 <TID, som 2d eller 12h>"]),
    ("absent until Christmas", ["absent until <DATE, as 2027-01-10>"]),
    ("borta till <DATUM, som 2027-01-10>", ["borta till <DATUM, som 2027-01-10>"]),
    ("propose", [
        "propose enact: <TITLE>", "propose amend <NUMBER>: <TITLE>",
        "propose repeal <NUMBER>", "propose transmute <NUMBER>"]),
]  # fmt: skip


@pytest.mark.parametrize(("line", "offered"), ASKED_BACK)
def test_a_line_like_a_command_is_asked_back_with_the_nearest_lines(line: str, offered: list[str]) -> None:
    assert cures(line) == offered


def test_a_problem_tells_the_line_its_words_and_why() -> None:
    (problem,) = read_commands("Hi\n\n  call vot 301 \n").problems
    assert (problem.line, problem.said) == (3, "call vot 301")
    assert str(problem.why) == "This looks like a command, but I do not understand “call vot 301”."


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("as Bo Berg: for 301", SayFor("Bo Berg", Vote("for", 301))),
        ("som Åke: +1 301", SayFor("Åke", Vote("for", 301))),
        ("as Bo: consent", SayFor("Bo", GiveConsent())),
        (
            "as Bo: propose enact: Tea\nTea is served.\nend",
            SayFor("Bo", Propose("enact", None, "Tea", "Tea is served.")),
        ),
        ("as Bo: judgment: is it\nlawful?", SayFor("Bo", GoToJudgment("is it lawful?"))),
        ("invite Dan O'Brien dan@brien.example", Invite("Dan O'Brien", "dan@brien.example")),
        ('invite "Dan Dahl" <dan@dahl.example>: why not', Invite("Dan Dahl", "dan@dahl.example", "why not")),
        ("invite Dan B. Dahl <dan@dahl.example>", Invite("Dan B. Dahl", "dan@dahl.example")),
        ("address Bo: <bo@new.example>: lost", ChangeAddress("Bo", "bo@new.example", "lost")),
        ("continue", Continue()),
        ("continue: we like it", Continue("we like it")),
        ("fortsätt: det är kul", Continue("det är kul")),
        ("end: enough", EndGame("enough")),
        ("end game", EndGame()),
        ("invite Dan Dahl", Invite("Dan Dahl")),
        ("end the game: enough", EndGame("enough")),
        ("avsluta spelet: nog", EndGame("nog")),
    ],
)
def test_the_keepers_lines_about_people(line: str, command: Command) -> None:
    assert asked(line) == [command]


@pytest.mark.parametrize(
    "line",
    [
        "as Bo: as Cia: for 301",
        "invite dan@dahl.example",
        "as Bo: for 301 and I consent",
        "address Bo: new",
    ],
)
def test_a_line_about_people_that_is_not_whole_is_asked_back(line: str) -> None:
    reading = read_commands(line)

    assert reading.commands == ()
    (problem,) = reading.problems
    assert not any(isinstance(cure, Vote) for cure in problem.cure), "it would be the keeper's own ballot"


def test_the_text_below_what_is_said_for_another_and_gone_wrong_is_not_read() -> None:
    reading = read_commands("as Bo: propose enakt: Tea\nruling: so be it\nend\nruling: tea")

    assert [line.command for line in reading.commands] == [Ruling("tea")]
    assert len(reading.problems) == 1


PROSE = [
    "As you like it: we can wait.",
    "Invite your friends, I said.",
    "I think 301 is a bad idea because it is too hard for new players.",
    "I think 301 is bad",
    "Thanks, Anna",
    "Hello everyone!",
    "The rule has worked well so far.",
    "For the record, I have nothing against Bo personally.",
    "For example, one could pay in coins.",
    "No problem!",
    "No, I still think that 301 should be shorter and clearer.",
    "Yes, that was my reading of it as well.",
    "Rule 203 is my favourite, to be honest.",
    "Rules are rules.",
    "History shows that we never agree on points.",
    "Help me understand what this is about",
    "Start small and build on it.",
    "Back to the matter at hand: who keeps the score?",
    "Claim what you like, Bo.",
    "Let us vote early and vote often.",
    "Nobody should have to vote for 301 just to be polite, should they?",
    "As promised: here is my summary of the week.",
    "301 and 302 are much alike.",
    "Comments on 301",
    "Proposal 301:",
    "Propose something better than this, Bo, if you dare!",
    "The end of the turn is near.",
    "Set the table, the guests are here.",
    "Remove the second sentence and I am happy.",
    "See you in 2027.",
    "> for 301",
    "Reason: none.",
    "Jag tycker att 301 är en dålig idé eftersom den är för svår.",
    "Tack för ett trevligt spel!",
    "Mvh\nBritta",
    "För övrigt anser jag att regel 210 bör skrivas om.",
    "För egen del spelar det ingen större roll alls.",
    "Mot slutet av turen brukar det bli bråttom.",
    "Nej, det håller jag inte med om.",
    "Ja, det var så jag också läste den.",
    "Regel 203 är bra som den är.",
    "Tillbaka till saken: vem räknar poängen?",
    "Gå hem och sov på saken.",
    "Dra inte förhastade slutsatser.",
    "Ändra gärna den andra meningen.",
    "Förslag 301 och 302 liknar varandra mycket.",
    "Synpunkter på 301",
    "Vi ses på fredag!",
    "Hjälp mig att förstå vad det handlar om",
]


@pytest.mark.parametrize("sentence", PROSE)
def test_prose_stays_prose(sentence: str) -> None:
    reading = read_commands(f"{sentence}\n")
    assert reading.lines == ()
    assert reading.prose == sentence


def test_prose_beside_commands_is_left_over() -> None:
    reading = read_commands("Hi Bo,\n\nfor 301\n\nThanks, Anna")
    assert (len(reading.commands), reading.prose) == (1, "Hi Bo,\n\n\nThanks, Anna")


def test_a_question_goes_on_in_the_lines_below_up_to_an_empty_line_or_a_command() -> None:
    """Mail programs break long lines: half a question would be a false one."""
    assert asked("judgment: May 301 be voted on\nif it is two changes?\nfor 302\n\nThanks!") == [
        GoToJudgment("May 301 be voted on if it is two changes?"),
        Vote("for", 302),
    ]
    assert asked("dom ogiltigt J2: Regel 202\nmedger en.") == [
        GiveVerdict("illegal", 2, "Regel 202 medger en.")
    ]


@pytest.mark.parametrize("line", ["Winner takes it all.", "Dom kommer inte hit.", "Verdict on this is hard."])
def test_prose_that_begins_like_a_word_of_judgment_is_prose(line: str) -> None:
    assert read_commands(line).lines == ()


FOR_FEW = [
    "press team Let us vote no", "press team", "press team – hush", "press: hush", "press my team: hush", "team: hush",
    "lagpost Låt oss rösta nej", "lagpost", "lagpost – hemligt", "lag post: hemligt", "lag: hemligt",
]  # fmt: skip
CUT_SHORT = [
    "remove", "void", "rerun", "ruling", "extend", "award", "claim", "judgment", "verdict", "absent", "remove Bo:",
    "replace Bo by Zoe:", "extend:", "void:", "award 3 to Bo: x", "ta bort Bo:",
]  # fmt: skip


@pytest.mark.parametrize("line", [*FOR_FEW, *CUT_SHORT])
def test_what_is_not_for_everybody_or_is_cut_short_is_asked_back(line: str) -> None:
    reading = read_commands(f"{line}\n")
    assert reading.commands == ()
    assert len(reading.problems) == 1
    assert reading.prose == ""


@pytest.mark.parametrize("line", ["end", "slut"])
def test_the_end_of_a_text_that_none_begins_is_told_so(line: str) -> None:
    (problem,) = read_commands(line).problems
    assert str(problem.why).startswith("This belongs among the lines of a proposal.")


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        (
            "I vote FOR 303 and call for judgment that turn 4 ended early.",
            [Vote("for", 303), GoToJudgment("turn 4 ended early")],
        ),
        ("Jag röstar ja på 301 och nej på 302", [Vote("for", 301), Vote("against", 302)]),
        ("withdraw 301 and end turn", [Withdraw(301), EndTurn()]),
    ],
)
def test_a_line_may_hold_two_whole_commands(line: str, commands: list[Command]) -> None:
    assert asked(line) == commands


@pytest.mark.parametrize(
    "line",
    ["for 301 and I hope it passes", "end turn and propose enact: Tea", "for 301 if 302 fails and for 303"],
)
def test_half_a_line_is_no_command(line: str) -> None:
    assert read_commands(line).commands == ()


@pytest.mark.parametrize(
    ("line", "cure"),
    [
        ("address Bo Berg bo@new.example", (ChangeAddress("Bo Berg", "bo@new.example"),)),
        ("adress Bo Berg bo@new.example: borta", (ChangeAddress("Bo Berg", "bo@new.example", "borta"),)),
        ("invite dan@dahl.example", ("invite <NAME> <ADDRESS>",)),
    ],
)
def test_a_mail_address_is_offered_whole_or_not_at_all(line: str, cure: tuple[object, ...]) -> None:
    (problem,) = read_commands(line).lines
    assert isinstance(problem, Problem)
    assert problem.cure == cure


def test_the_same_line_is_offered_once_though_two_words_are_near() -> None:
    (problem,) = read_commands("paus: lov").lines
    assert isinstance(problem, Problem)
    assert problem.cure == (Pause("lov"),)
