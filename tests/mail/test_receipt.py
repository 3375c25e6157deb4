"""The answer to a mail: every line told with what came of it, and what happens next.

What lives here: stories from a mail's words, through the grammar and the game, to its receipt. What never may:
a command that no words stand for.
"""

from __future__ import annotations

import re

import pytest

from pbem.game.commands import Ask, CallVote, Check, Observe, Propose, Set, Speak
from pbem.game.decide import decide
from pbem.game.fold import evolve
from pbem.game.model import Problem, Refused
from pbem.game.vocabulary import CLAUSES
from pbem.mail.answers import answer, checked
from pbem.mail.clause_help import ABOUT
from pbem.mail.grammar import read_commands
from pbem.mail.notice import Notice
from pbem.mail.receipt import Beside, Line, receipt
from tests.game.conftest import HOUR, NAMES, enact, majority
from tests.mail.printing import Mailed, as_html, as_text, flat, seen, subject, too_wide, words


class Desk:
    """Takes mails for a game and answers them, all lines of a mail at one moment."""

    def __init__(self, game: Mailed) -> None:
        self.game = game

    def mail(
        self, name: str, text: str, about: str = "", language: str = "en", thread: int | None = None
    ) -> Notice:
        player, before = self.game.player(name).id, self.game.state
        self.game.now += HOUR
        reading = read_commands(text)
        lines = [self._worked(line, player, language) for line in reading.lines]
        if not reading.lines and reading.prose:
            lines = [self._asked(1, reading.prose, Speak(reading.prose, thread), player)]
        return receipt(lines, before, self.game.state, player, "m", Beside(about))

    def _worked(self, line, player: int, language: str) -> Line:
        if isinstance(line, Problem):
            return Line(line.line, line.said, None, problem=line)
        if isinstance(line.command, Ask):
            return Line(
                line.line, line.said, line.command, answer=answer(self.game.state, line.command, language)
            )
        if isinstance(line.command, Set | Observe):
            return Line(line.line, line.said, line.command)
        return self._asked(line.line, line.said, line.command, player)

    def _asked(self, number: int, said: str, command, player: int) -> Line:
        try:
            if isinstance(command, Check):
                tried = checked(self.game.state, command, player, self.game.now)
                return Line(number, said, command, answer=tried)
            facts = decide(self.game.state, command, player, self.game.now)
        except Refused as refused:
            return Line(number, said, command, refused=refused)
        for fact in facts:
            self.game.state = evolve(self.game.state, fact, self.game.now)
        return Line(number, said, command, facts)


def desk(players: int = 3, **house: str) -> Desk:
    return Desk(Mailed(NAMES[:players], **house))


def voting(players: int = 3) -> Desk:
    """A desk at which proposal 301 is being voted on, with 12 hours to change a ballot."""
    opened = desk(players, cooling_time="12h")
    opened.game.play("A", enact())
    opened.game.play("A", CallVote())
    return opened


def played() -> Desk:
    """A desk after two turns: 203 amended by 301, 204 repealed by 302."""
    after = desk(3)
    after.game.turn("A", majority(), "ABC")
    after.game.turn("B", Propose("repeal", 204), "AB", "C")
    return after


def test_a_ballot_is_confirmed_with_the_moment_it_was_taken():
    opened = voting()

    answered = opened.mail("B", "for 301")

    assert (answered.to, answered.template) == ("person", "mail/receipt.j2")
    assert subject(answered) == "OK"
    assert "> for 301\n\nYour ballot on proposal 301: for, taken Mon 30 Nov 2026 01:59:20 UTC." in as_text(
        answered
    )


def test_the_zone_of_the_reader_stands_beside_utc():
    text = flat(as_text(voting().mail("B", "for 301"), zone="Europe/Stockholm"))

    assert "taken Mon 30 Nov 2026 02:59:20 Europe/Stockholm (01:59:20 UTC)." in text


def test_a_second_ballot_says_which_one_it_replaces():
    opened = voting()
    opened.mail("B", "against 301")

    text = flat(as_text(opened.mail("B", "for 301")))

    assert "It replaces your ballot of Mon 30 Nov 2026 01:59:20 UTC: against." in text


def test_each_line_of_a_mail_is_told_from_the_state_the_line_before_it_left():
    opened = desk()

    text = as_text(opened.mail("A", "propose enact: Tea\nTea is served.\nend\ncall vote 301\nfor 301"))

    assert "> propose enact: Tea\n\nYour proposal has number 301" in text
    assert "> call vote 301\n\nThe vote on proposal 301 is open" in text
    assert "> for 301\n\nYour ballot on proposal 301: for" in text
    assert "replaces" not in text


def test_a_line_in_other_words_is_told_as_understood():
    text = as_text(voting().mail("B", "ja på 301"))

    assert "> ja på 301\n\nUnderstood as: for 301\n" in text


def test_a_refusal_names_the_rule_and_offers_the_line_that_cures_it():
    answered = desk().mail("A", "propose amend 103: Less\nOne rule.\nend")

    text = as_text(answered)

    assert subject(answered) == "1 problem"
    assert "changed or repealed. (Rule 103)" in flat(text)
    assert "You can send this instead:\n\n    propose transmute 103\n" in text


def test_a_line_not_understood_is_a_question_with_the_nearest_command():
    answered = voting().mail("B", "agianst 301")

    assert subject(answered) == "1 question"
    assert "> agianst 301\n\nThis line was not understood." in as_text(answered)
    assert "\n    against 301\n" in as_text(answered)


def test_one_bad_line_leaves_the_others_and_the_subject_counts():
    opened = voting()

    answered = opened.mail("B", "for 301\nfor 999\nwithdraw 301", about="Re: ballots")

    assert subject(answered) == "2 problems: Re: ballots"
    assert "Your ballot on proposal 301: for" in as_text(answered)
    assert opened.game.state.proposals[301].ballots[2].choice == "for"


def test_words_alone_are_posted_and_the_sender_is_told_how_to_vote():
    text = as_text(voting().mail("B", "I am in two minds.", thread=301))

    assert "Your words are posted to the debate of proposal 301." in text
    assert "No command was found in your mail." in text
    assert "If you meant to vote, send one of these lines:\n\n    for 301\n    against 301\n" in text


def test_words_alone_when_nothing_is_voted_on_are_posted_and_no_more_is_said():
    text = as_text(desk().mail("B", "Hello all."))

    assert "Your words are posted to the table talk." in text
    assert "help vote" not in text


def test_an_empty_mail_is_answered_too():
    assert "There was nothing to read in your mail." in as_text(desk().mail("B", ""))


def test_what_the_sender_is_to_do_is_told_with_its_deadline_once():
    text = as_text(voting().mail("B", "scores"))

    assert "\nYour move\n---------\n\n- vote on proposal 301, by Mon 7 Dec 2026 00:59:20 UTC\n" in text
    assert text.count("Mon 7 Dec 2026 00:59:20 UTC") == 1


def test_who_has_nothing_to_do_reads_who_has_and_by_when():
    game = voting()
    game.mail("B", "for 301")

    text = as_text(game.mail("B", "scores"))

    assert "Your move" not in text
    assert "The deadline of proposal 301 is Mon 7 Dec 2026 00:59:20 UTC." in text


def test_a_complete_vote_tells_when_it_closes():
    opened = voting(2)
    opened.mail("A", "for 301")

    text = flat(as_text(opened.mail("B", "for 301")))

    # The second ballot came at 02:58:20; 12 hours later the vote closes.
    assert "Everyone has voted on proposal 301. The vote closes Mon 30 Nov 2026 14:58:20 UTC" in text


def test_nobody_elses_ballot_is_told_while_the_vote_runs():
    opened = voting()
    opened.mail("C", "against 301")

    text = as_text(opened.mail("B", "status\nproposals\nlog\nscores"))

    assert "against" not in text.replace("    against 301\n", "")


def test_a_proposal_gets_its_number_and_its_warnings():
    game = played()

    text = flat(as_text(game.mail("C", "propose amend 203: Again\nkeep\nMore than half.\nend")))

    assert "Your proposal has number 303, and all players get it now." in text
    assert "Rule 203 is now rule 301." in text


def test_a_check_shows_the_change_and_records_nothing():
    checked = desk()

    text = as_text(checked.mail("A", "check propose amend 210: Talk\nAnyone may talk.\nend"))

    assert "Nothing is recorded, and no number is used." in text
    assert "{+Talk+}" in text
    assert "3 0 adopted +10" in flat(text)
    assert checked.game.state.open == ()


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("status", "Turn 2 is over. Cia Ceder begins turn 3 with a proposal."),
        ("rule 203", "Rule 203 is now rule 301. 301 Unanimity (mutable)"),
        ("rule 203", "clause adopted when: votes_for * 2 > eligible"),
        ("rule 203", "Its numbers so far: 203, 301."),
        ("rule 204", "This rule was repealed by proposal 302. It read: 204"),
        ("rule 231", "There has never been a rule “231”. The nearest is: rule "),
        ("history 203", "203 Unanimity (mutable)"),
        ("history 203", "Amended by proposal 301"),
        ("history 301", "[-every-]{+more than half of the+}"),
        ("rules", "116 "),
        ("scores", "Player Points Alva Alm 10 Bo Berg 7 Cia Ceder 0"),
        (
            "proposals",
            "Proposal 302: repeal rule 204, “Reward for dissent”. Proposed by Bo Berg. Adopted. Rule 204 is",
        ),
        ("log", "Turn 1: Alva Alm"),
        ("help vote", "for/against <NUMBER>"),
        ("help propose", "It goes on to the end of the mail, or to this line: end"),
        ("help propose", "has the server carry the rule out, such as: clause points for the turn: 10"),
        ("help clauses", "- wins when: who wins"),
        ("help klum", "Nothing is called “klum”."),
        ("set language sv", "Your setting is changed."),
    ],
)
def test_a_question_is_answered(asked, told):
    text = as_text(played().mail("A", asked))

    assert told in flat(re.sub(r"^[-=]+$", "", text, flags=re.MULTILINE))


def test_help_tells_of_every_clause_of_the_rules_in_the_reader_s_words():
    assert tuple(ABOUT) == tuple(quantity.name for quantity in CLAUSES)
    text = flat(as_text(played().mail("A", "hjälp klausuler", language="sv"), "sv"))
    assert "- vinner när: vem som vinner" in text


def test_help_understands_the_word_of_another_language_and_answers_in_the_readers():
    text = as_text(played().mail("A", "help rösta", language="sv"), "sv")

    assert "    för/mot <NUMMER>\n" in text


def test_html_says_what_the_text_says():
    answered = played().mail(
        "A",
        "status\nrule 203\nhistory 203\nrules\nscores\nproposals\nlog\nhelp\nfor 999\nagianst 301\ncheck propose repeal 205",
    )

    text, page = as_text(answered), seen(as_html(answered))

    assert words(text) == words(" ".join(page.text))
    assert not too_wide(text)
    assert "\n\n\n" not in text
