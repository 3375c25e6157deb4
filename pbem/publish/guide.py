"""How to play by mail: every want of a player and a keeper, with lines that do it.

What lives here: which examples there are. What never may: a line in some language. The lines are put into words by the
same tables that mails are read by, so what stands on the page is what the server understands.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pbem.game.commands import (
    Absent,
    Abstain,
    AddAddress,
    Admit,
    Announce,
    Ask,
    AsPlayer,
    Back,
    CallVote,
    CarryClauses,
    ChangeAddress,
    Check,
    Claim,
    CloseVote,
    Command,
    Compare,
    Continue,
    Correct,
    EndGame,
    EndTurn,
    Extend,
    Forfeit,
    ForgetMe,
    GiveConsent,
    GiveVerdict,
    GoToJudgment,
    Invite,
    Join,
    NameWinner,
    Observe,
    OrderClause,
    Overrule,
    PassKeepership,
    PassTurn,
    Pause,
    Propose,
    Remove,
    RemoveAddress,
    Reopen,
    Replace,
    Rerun,
    Resume,
    RetractVote,
    Revise,
    Ruling,
    SayFor,
    Set,
    Start,
    Takeover,
    Undo,
    Uphold,
    Void,
    Vote,
    Withdraw,
)
from pbem.game.commands import Press as ToTeam
from pbem.game.model import Clause, Say, say
from pbem.game.proposals import Conditional
from pbem.publish.page import Page
from pbem.publish.press import Press
from pbem.render import language_name, languages

Words = Callable[[Say], str]
"""How a sentence of an example reads in the language of its line."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A want, what a player should know of it (None: nothing more), and commands that meet it. `at_once`: the lines can be
    sent as they stand; in others something has to be put in the place of the example."""

    want: Say
    more: Say | None
    commands: tuple[Command, ...]
    at_once: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """Lessons that belong together, under a heading and the word its link ends in."""

    id: str
    title: Say
    lessons: tuple[Lesson, ...]


def page(press: Press) -> Page:
    """The page, in the game's language, with the same lines in every other that the server reads."""
    own = press.frame.language
    others = [language for language in languages(press.printer.folder) if language != own]

    def view() -> dict[str, object]:
        same = [(each, language_name(each, own), _lines(press, each)) for each in others]
        return {"parts": parts(_words(press, own)), "others": same}

    return press.page("how-to-play/index.html", "guide.html", None, view)


def _words(press: Press, language: str) -> Words:
    return lambda said: press.printer.sentence(said, language=language, zone=press.frame.zone)


def _lines(press: Press, language: str) -> tuple[tuple[Say, tuple[str, ...]], ...]:
    """Each want with its lines in a language."""
    lessons = (lesson for part in parts(_words(press, language)) for lesson in part.lessons)
    phrase = press.printer.phrase
    return tuple(
        (lesson.want, tuple(phrase(command, language) for command in lesson.commands)) for lesson in lessons
    )


def parts(words: Words) -> tuple[Part, ...]:
    """The whole page."""
    return (
        Part("start", say("To begin with"), _beginning()),
        Part("change", say("To change the rules"), _changing(words)),
        Part("vote", say("To vote"), _voting()),
        Part("dispute", say("When you do not agree"), _disputing(words)),
        Part("away", say("To be away, or to leave"), _leaving()),
        Part("settings", say("Your mail"), _settings()),
        Part("keeper", say("For the keeper"), _keeping(words)),
    )


def _beginning() -> tuple[Lesson, ...]:
    asks: tuple[Command, ...] = tuple(
        Ask(topic) for topic in ("status", "rules", "scores", "proposals", "cases", "log", "help")
    )
    return (
        Lesson(
            say("Join the game"),
            say("With the name you want to play under. In a game with teams, name your team too."),
            (Join("Alva Alm"), Join("Alva Alm", "Norr")),
        ),
        Lesson(say("Watch it"), say("You get the digests and have no vote."), (Observe(),), at_once=True),
        Lesson(say("Ask how things stand"), None, asks, at_once=True),
        Lesson(
            say("Ask for one rule, for all it has been, or for help with one word"),
            None,
            (Ask("rule", "203"), Ask("history", "203"), Ask("help", "vote")),
        ),
        Lesson(
            say("Ask what changed in the rules from one turn to another, or to now"),
            None,
            (Compare(3, 9), Compare(3)),
        ),
    )


def _changing(words: Words) -> tuple[Lesson, ...]:
    title, text = words(say("Tea at four")), words(say("Whoever is on turn serves tea at four."))
    enact = Propose("enact", None, title, text)
    limit = Clause("most mutable rules", "30")
    amend = Propose("amend", 209, "", words(say("At any time there may be thirty mutable rules.")), (limit,))
    back = Propose("amend amendment", 305, "", text)
    return (
        Lesson(
            say("Propose a new rule"),
            say(
                "The text of the rule stands on the lines after the command. The last line keeps greetings and names out of it."
            ),
            (enact,),
        ),
        Lesson(
            say("Propose another text for a rule"),
            say(
                "Give the whole new text. A clause on a line of its own in it has the server carry the rule out."
            ),
            (amend,),
        ),
        Lesson(
            say("Repeal a rule, make it mutable or immutable, or undo its last amendment"),
            None,
            (
                Propose("repeal", 209),
                Propose("transmute", 103),
                Propose("repeal amendment", 305),
                back,
            ),
        ),
        Lesson(
            say("See what a change would do, before you propose it"),
            say("Nothing is recorded."),
            (Check(Propose("repeal", 209)), Check(enact)),
        ),
        Lesson(
            say("Say what becomes of a rule’s clauses, when you are asked"),
            None,
            (CarryClauses("keep"), CarryClauses("drop")),
        ),
        Lesson(
            say("Give your proposal another text, end its debate, or take it back"),
            say("Once its debate has ended the text can no longer change."),
            (Revise(301, text), CallVote(301), Withdraw(301)),
        ),
        Lesson(say("End your turn"), None, (EndTurn(),)),
    )


def _voting() -> tuple[Lesson, ...]:
    return (
        Lesson(
            say("Vote"),
            say(
                "In reply to a ballot paper the first word is enough. The last ballot before the vote closes counts."
            ),
            (
                Vote("for", 301),
                Vote("against", 301),
                Vote("for"),
                Vote("against"),
            ),
        ),
        Lesson(
            say("Vote on everything that is open, or on what is left of it"),
            None,
            (Vote("for", "all"), Vote("against", "rest")),
        ),
        Lesson(
            say("Let your ballot hang on another proposal, or vote as somebody else does"),
            say("It is settled when the vote closes."),
            (
                Vote(Conditional("for", 304, passes=True), 305),
                Vote(Conditional("for", 304, passes=True, otherwise="against"), 305),
                Vote(AsPlayer("Bo"), 305),
            ),
        ),
        Lesson(say("Take your ballot back"), None, (RetractVote(301),)),
    )


def _disputing(words: Words) -> tuple[Lesson, ...]:
    question = words(say("May a player who is away serve tea?"))
    found = words(say("Nothing in the rules forbids it."))
    return (
        Lesson(
            say("Go to judgment"),
            say("Whenever players disagree about what the rules say, a Judge decides."),
            (GoToJudgment(question),),
        ),
        Lesson(
            say("Answer as the Judge"),
            None,
            (
                GiveVerdict("legal", 1, found),
                GiveVerdict("illegal", 1),
                GiveVerdict("paradox", 1),
            ),
        ),
        Lesson(
            say("Overrule a verdict or let it stand, and let the next turn begin"),
            None,
            (Overrule(1), Uphold(1), GiveConsent()),
        ),
        Lesson(
            say("Say that a result is wrong"),
            say("The keeper answers you, and a correction tells the whole result again."),
            (Claim(words(say("I voted before the vote closed."))),),
        ),
        Lesson(
            say("Write to your team alone"), None, (ToTeam(words(say("Let us vote against it together."))),)
        ),
    )


def _leaving() -> tuple[Lesson, ...]:
    return (
        Lesson(
            say("Be away for a while, and come back"),
            say("No reminders come while you are away."),
            (Absent("2027-01-10"), Back()),
        ),
        Lesson(
            say("Give up"),
            say("You are asked once more before it counts."),
            (Forfeit(), Forfeit(for_good=True)),
        ),
        Lesson(say("Take over a seat that is abandoned"), None, (Takeover("Eva Ek"),)),
    )


def _settings() -> tuple[Lesson, ...]:
    return (
        Lesson(
            say("Choose the language, the zone and the look of your mails, and how many come"),
            None,
            (
                Set("language", "en"),
                Set("language", "sv"),
                Set("zone", "Europe/Stockholm"),
                Set("mail", "each"),
                Set("mail", "daily"),
                Set("mail", "results"),
                Set("mail", "none"),
                Set("html", "off"),
            ),
            at_once=True,
        ),
        Lesson(
            say("Write from one more address, or from one less"),
            None,
            (AddAddress("alva@home.example"), RemoveAddress("alva@home.example")),
        ),
        Lesson(
            say("Leave every game and be forgotten"),
            say("Your addresses and mails are erased. What you did in a game stays in its log."),
            (ForgetMe(),),
        ),
    )


def _keeping(words: Words) -> tuple[Lesson, ...]:
    why = words(say("The mail came in time."))
    return (
        Lesson(say("Start the game"), None, (Start(),)),
        Lesson(
            say("Go on when somebody is silent"),
            None,
            (
                Extend("2d", 301),
                CloseVote(301),
                Abstain(301),
                PassTurn(),
                Remove("Bo"),
                Replace("Bo", "Eva Ek"),
            ),
        ),
        Lesson(
            say("Put a result right, or decide in words"),
            say("A reason after a colon is published with it."),
            (
                Correct("Bo", 5, why),
                Void(301, why),
                Rerun(301, why),
                Undo(123, why),
                Ruling(words(say("Cake counts as tea."))),
                OrderClause(305, "points for the turn: 10"),
            ),
        ),
        Lesson(
            say("Tell everyone something, or let somebody else keep the game"),
            None,
            (Announce(words(say("The server moves on Sunday."))), PassKeepership("Eva Ek")),
        ),
        Lesson(
            say("Invite somebody, give a seat to somebody who watches, send a player’s mails elsewhere"),
            say("No address is ever published."),
            (Invite("Mia Mo", "mia@mo.example"), Admit("Eva Ek"), ChangeAddress("Bo", "bo@sea.example")),
        ),
        Lesson(
            say("Speak for a player who cannot write"),
            say("It is published as said by you, and the player gets a mail with the words."),
            (SayFor("Bo", Vote("for", 301)), SayFor("Bo", CallVote(301))),
        ),
        Lesson(
            say("Let the game stand still, go on, be played on after a win, or end"),
            say(
                "No deadline passes in a pause, and each is later by its length. You are asked to confirm the end by mail."
            ),
            (
                Pause(words(say("Holidays."))),
                Resume(),
                Continue(words(say("We like it."))),
                EndGame(words(say("We agreed to stop."))),
            ),
        ),
        Lesson(
            say("Have a case judged anew, or name who has won"),
            None,
            (Reopen(1), NameWinner("Bo", words(say("Nobody can complete a turn.")))),
        ),
    )
