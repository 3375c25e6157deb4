"""Mails about judgment: all of them are told here, and each is a whole mail with the words to reply with.

What lives here: stories from a question to the mails it gives rise to. What never may: a made-up state.
"""

from __future__ import annotations

import inspect
import re

import pytest

from pbem.game.commands import (
    CallVote,
    Forfeit,
    GiveConsent,
    GiveVerdict,
    GoToJudgment,
    NameWinner,
    Overrule,
    Propose,
    Reopen,
    Speak,
    Vote,
)
from pbem.mail import hearings
from pbem.mail.grammar import read_commands
from tests.game.conftest import DAY, NAMES, amend, enact
from tests.mail.printing import Mailed, as_html, as_text, flat, seen, subject, too_wide, words

HOSTILE = 'Is 301 {{7*7}} & <script>alert("hej")</script> lawful? ' + "Long words in a row. " * 12


def table(players: int = 3, **house: str) -> Mailed:
    return Mailed(NAMES[:players], **house)


def adopted(game: Mailed, number: int) -> None:
    """Everybody votes for the proposal of the player on turn."""
    game.play(game.on_turn, CallVote(number))
    for player in game.state.seated:
        game.ask(player.id, Vote("for", number))


def contested() -> Mailed:
    """A hostile question, a silent Judge, two verdicts overruled, consent that is long in coming, a paradox, a win."""
    game = table(4)
    game.play("A", enact())
    game.play("B", GoToJudgment(HOSTILE))
    game.play("C", GoToJudgment("And rule 105?"))
    game.play("A", Speak(HOSTILE, case=1))
    game.wait(5 * DAY)
    game.play("D", GiveVerdict("legal", 1, HOSTILE))
    for name in "ABC":
        game.play(name, Overrule(1))
    game.play("C", GiveVerdict(None, 1, "Half of it."))
    for name in "ABD":
        game.play(name, Overrule(1))
    game.play("B", GiveVerdict("paradox", 1))
    adopted(game, 301)
    game.wait(5 * DAY)
    for name in "ACD":
        game.play(name, GiveConsent())
    game.play("B", enact("Cake"))
    game.ask("keeper", NameWinner("Bo", HOSTILE))
    return game


def exhausted() -> Mailed:
    """Nobody is left to judge; the keeper reopens; the Judge leaves."""
    game = table(3)
    game.play("A", GoToJudgment("May I?"))
    game.play("C", GiveVerdict("illegal", 1))
    for name in "AB":
        game.play(name, Overrule(1))
    game.play("B", GiveVerdict("legal", 1))
    for name in "AC":
        game.play(name, Overrule(1))
    game.ask("keeper", Reopen(1))
    game.play("C", Forfeit(for_good=True))
    return game


def unruled() -> Mailed:
    """No rule names a Judge, and the keeper takes too long."""
    game = table(3)
    game.turn("A", Propose("repeal", 212), "ABC")
    game.play("B", enact())
    game.play("C", GoToJudgment("May B?"))
    game.wait(5 * DAY)
    game.ask("keeper", GiveVerdict("legal", 1))
    return game


@pytest.fixture(name="mails", scope="module")
def _mails():
    games = (contested(), exhausted(), unruled())
    return [n for game in games for n in game.notices if n.thread.startswith(("case", "consent", "table"))]


def test_every_mail_about_judgment_is_told_here(mails):
    shown = {notice.template for notice in mails}

    assert set(re.findall(r'"(mail/\w+\.j2)"', inspect.getsource(hearings))) <= shown


@pytest.mark.parametrize("game", [contested, exhausted, unruled])
def test_every_notice_has_a_key_of_its_own(game):
    keys = [notice.key for notice in game().notices]

    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("language", ["en", "sv"])
@pytest.mark.parametrize("site", ["", "https://nomic.example/kaffe/"])
def test_html_says_what_the_text_says_and_the_text_is_72_columns_wide(mails, language, site):
    for notice in mails:
        text = as_text(notice, language, "Europe/Stockholm", site)
        page = seen(as_html(notice, language, "Europe/Stockholm", site))

        assert words(text) == words(" ".join(page.text)), notice.key
        assert not too_wide(text), notice.key
        assert not [line for line in text.splitlines() if line != line.rstrip()], notice.key
        assert "\n\n\n" not in text, notice.key
        assert "script" not in page.tags
        assert "{{7*7}}" in text or "49" not in text


@pytest.mark.parametrize("language", ["en", "sv"])
def test_every_line_offered_is_understood_when_it_is_sent_back(mails, language):
    offered = 0
    for notice in mails:
        indented = [
            line.strip() for line in as_text(notice, language).splitlines() if line.startswith("    ")
        ]
        for line in indented:
            if not re.search(r"[=>\"]", line):
                assert read_commands(line).commands, line
                offered += 1

    assert offered > 50


def test_the_thread_of_a_case_has_one_subject(mails):
    assert {subject(n) for n in mails if n.thread == "case.J1"} == {"Case J1, turn 1", "Case J1, turn 2"}
    assert {n.thread for n in mails if n.key.startswith("case:2")} == {"case.J2"}


class TestWhoIsTold:
    def test_the_judge_is_asked_and_the_others_hear_who_that_is(self):
        game = table()
        game.play("B", GoToJudgment("May A?"))

        judge, others = game.notices[-2:]

        assert (judge.to, others.to) == ((3,), (1, 2))
        assert "You are the Judge, by “judge” in rule 212" in flat(as_text(judge))
        assert "Cia Ceder is the Judge, and is asked to give a verdict by" in flat(as_text(others))

    def test_without_a_rule_the_keeper_is_asked(self):
        game = unruled()

        asked = next(n for n in game.notices if n.thread == "case.J1" and n.to == "keeper")

        assert "No rule in force names a Judge, so the keeper decides." in flat(as_text(asked))
        assert "No rule in force lets anybody overrule" in flat(as_text(asked))
        verdict = game.notices[-1]
        assert verdict.to == "everyone"
        assert "overrule J1" not in as_text(verdict)

    def test_a_new_judge_is_told_what_the_one_before_found_and_who_overruled_it(self):
        game = exhausted()

        asked = next(n for n in game.notices if n.to == (2,) and n.template == "mail/case.j2")

        text = flat(as_text(asked))
        assert "The verdict is overruled, so Bo Berg is the new Judge of J1." in text
        assert "Verdict of Cia Ceder: illegal. Overruled by Alva Alm and Bo Berg." in text

    def test_the_keeper_is_asked_when_nobody_is_left(self):
        game = exhausted()

        asked = next(n for n in game.notices if n.kind == "keeper" and n.thread == "case.J1")

        assert "reopen J1: …\n" in as_text(asked)
        assert "winner Alva Alm: …" in as_text(asked)

    def test_nobody_is_asked_to_propose_before_the_others_consent(self):
        game = table()
        game.play("A", enact())
        game.play("B", GoToJudgment("May A?"))
        adopted(game, 301)

        assert "turn:2" not in {notice.key for notice in game.notices}
        assert game.told("between:1:consent").to == (1, 3)
        told = len(game.notices)
        for name in "AC":
            game.play(name, GiveConsent())

        (turn,) = game.since(told)
        assert turn.to == (2,)
        assert "it is your turn" in as_text(turn)

    def test_a_locked_rulebook_is_put_to_the_keeper_with_the_names(self):
        game = table(2)
        game.turn("A", Propose("transmute", 114), "AB")
        game.turn("B", Propose("repeal", 114), "AB")
        game.turn("A", Propose("repeal", 203), "AB")

        asked = next(
            n
            for n in game.notices
            if n.to == "keeper" and "can be adopted any more" in " ".join(as_text(n).split())
        )

        assert "winner Bo Berg: …" in as_text(asked)

    def test_a_disputed_win_is_told_as_one_that_may_be_undone(self):
        game = table()
        game.turn("A", enact(), "ABC")
        game.play("B", amend(208, "Ten points win.", wins_when="score >= 10"))
        game.play("C", GoToJudgment("Is this about points?"))
        adopted(game, 302)

        assert "this win may yet be undone" in flat(as_text(game.told("digest:2")))
