"""Who is told what: the right people get the right notice, and it says all they need.

What lives here: stories from a command to the mails it gives rise to. What never may: a made-up state.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from pbem.game.commands import (
    Absent,
    Abstain,
    Ask,
    CallVote,
    CloseVote,
    EndTurn,
    Extend,
    Join,
    PassTurn,
    Propose,
    Remove,
    Revise,
    Speak,
    Takeover,
    Vote,
    Withdraw,
)
from pbem.game.model import Clause
from pbem.mail import results
from pbem.mail.answers import answer
from pbem.mail.letters import invitation, meant, to_stranger, too_long, which_game
from tests.game.conftest import DAY, NAMES, amend, enact, majority
from tests.mail.printing import PRINTER, Mailed, as_html, as_text, flat, seen, subject, too_wide, words

HOSTILE = 'See {{7*7}} & <script>alert("hej")</script>\n-- \nFrom now on\n' + "long words in a row " * 12


def table(players: int = 4, **house: str) -> Mailed:
    return Mailed(NAMES[:players], **house)


def voted(game: Mailed, change: Propose, votes_for: str, votes_against: str = "") -> Mailed:
    game.turn(game.on_turn, change, votes_for, votes_against)
    return game


def eventful() -> Mailed:
    """A game with silence, revision, a withdrawal, a repeal, a change without effect, and a win."""
    game = table()
    game.play("A", majority())
    game.play("B", Speak(HOSTILE, 301))
    game.play("C", Speak("Hello, table."))
    game.play(
        "A", Revise(301, "More than half decide.", "", (Clause("adopted when", "votes_for * 2 > eligible"),))
    )
    game.turn_of_votes("A", 301, "A")
    game.wait(8 * DAY)
    game.ask("keeper", Extend("2d", 301))
    for name in "BCD":
        game.play(name, Vote("for", 301))
    game.wait(8 * DAY)
    game.play("B", enact())
    game.play("B", Withdraw())
    game.play("B", Propose("repeal", 204))
    game.wait(8 * DAY)
    game.turn_of_votes("B", 303, "ABC", "D")
    game.turn("C", Propose("transmute", 103), "ABCD")
    game.turn("D", amend(202, "Two proposals.", proposals_per_turn="2"), "ABC", "D")
    game.play("D", EndTurn())
    without_effect(game, "A")
    game.ask("guest", Join("Eva Ek"))
    game.turn("B", amend(208, "Nine points win.", "Early", wins_when="score >= 9"), "ABC", "DE")
    return game


def without_effect(game: Mailed, name: str) -> int:
    """The number of a new rule of `name`’s that is adopted without effect: 209 is lowered while it is debated."""
    game.play(name, enact("One", "One rule more."))
    number = game.state.last_number
    game.turn(name, amend(209, "At most five.", most_mutable_rules="5"), "ABCD"[: len(game.state.seated)])
    game.turn_of_votes(name, number, "ABCD"[: len(game.state.seated)])
    return number


def held() -> Mailed:
    """A game whose vote on 302 cannot be judged: no number is divided by nothing."""
    game = voted(table(2), amend(203, "By share.", adopted_when="round(1, votes_against) > 0"), "AB")
    game.play("B", enact())
    game.turn_of_votes("B", 302, "AB")
    return game


@pytest.fixture(name="all_mails", scope="module")
def _all_mails():
    game = eventful()
    letters = [
        invitation(game.state, "Eva Ek", "Kim Kvist", ("Eva Ek", "Fia Falk")),
        to_stranger("m", "en"),
        which_game("m", (("kaffe", "Kaffe"), ("te", "Te & toast"))),
        too_long("m", 262144),
    ]
    return [*game.notices, *held().notices, *letters]


def test_every_notice_of_a_game_has_a_key_of_its_own():
    keys = [notice.key for notice in eventful().notices]

    assert len(set(keys)) == len(keys)


def test_the_games_told_here_give_rise_to_every_mail(all_mails):
    """So that what is tested of all mails is tested of each."""
    told = {notice.template.removeprefix("mail/").removesuffix(".j2") for notice in all_mails}

    of_a_game = {
        "created",
        "joined",
        "started",
        "turn",
        "proposal",
        "post",
        "ballot",
        "late",
        "result",
        "held",
        "stalled",
        "silent",
        "news",
    }
    assert told == of_a_game | {"digest", "keeper", "invitation", "stranger", "which_game", "too_long"}


@pytest.mark.parametrize("language", ["en", "sv"])
@pytest.mark.parametrize("site", ["", "https://nomic.example/kaffe/"])
def test_html_says_what_the_text_says_and_the_text_is_72_columns_wide(all_mails, language, site):
    for notice in all_mails:
        text = as_text(notice, language, "Europe/Stockholm", site)
        page = seen(as_html(notice, language, "Europe/Stockholm", site))

        assert words(text) == words(" ".join(page.text)), notice.key
        assert not too_wide(text), notice.key
        assert not [line for line in text.splitlines() if line != line.rstrip()], notice.key
        assert "\n\n\n" not in text, notice.key


def test_html_fetches_nothing_and_leaves_the_ground_to_the_reader(all_mails):
    for notice in all_mails:
        page = seen(as_html(notice, "sv"))

        assert not {"img", "script", "link", "iframe", "object"} & set(page.tags)
        assert "src" not in page.attributes
        assert page.attributes["lang"] == "sv"
        assert "bgcolor" not in page.attributes


def test_what_a_player_writes_is_shown_and_never_carried_out():
    game = table(2)
    game.play("A", enact("Tea {{7*7}} <b>", HOSTILE))
    game.play("B", Speak(HOSTILE, 301))
    post = game.notices[-1]

    text, page = as_text(post), as_html(post)

    assert "> See {{7*7}} & <script>alert(" in text
    assert "\n> --\n> From now on\n" in text, (
        "player's words stand behind a mark, so no line is a signature's"
    )
    assert "49" not in text + page
    assert "<script>" not in page
    assert "Tea {{7*7}} &lt;b&gt;" in page


def test_the_game_begins_with_a_mail_to_everyone_and_one_to_the_first_player():
    game = table(3)

    started, turn = game.told("started"), game.told("turn:1")

    assert (started.to, turn.to) == ("everyone", (1,))
    text = as_text(started)
    assert "- Alva Alm\n- Bo Berg\n- Cia Ceder\n" in text
    assert "It is Alva Alm’s turn." in text
    assert "the text of the rule, and “end” on a line of its own below it" in flat(as_text(turn))
    assert "Sedan regelns text, och ”slut” på en egen rad under den" in flat(as_text(turn, "sv"))
    assert "score >= 100" in text
    assert "https://nomic.example/kaffe/rules/" in text
    assert "\n    propose enact: …\n" in as_text(turn)


def test_before_the_start_the_keeper_hears_who_joins_and_later_everyone_does():
    game = table(2)
    game.ask("guest", Join("Eva Ek"))

    assert game.told("joined:1").to == "keeper"
    assert game.told("joined:3").to == "everyone"
    assert "\n    start\n" in as_text(game.told("joined:1"))
    assert "Eva Ek votes from the next vote on." in as_text(game.told("joined:3"))


def test_a_proposal_goes_to_all_players_with_a_redline_and_its_remarks():
    game = voted(table(2), majority(), "AB")
    game.play("B", amend(203, "A rule change is adopted when most voters vote for it.", carry="keep"))

    proposal = game.told("proposal:302")
    text = flat(as_text(proposal))

    assert (proposal.to, proposal.thread) == ((1, 2), "proposal.302")
    assert "adopted when [-more than half of the eligible-]{+most+} voters" in text
    assert "Rule 203 is now rule 301." in text
    assert "Rule 302 carries “adopted when” as rule 301 did" in text
    assert "<del" in as_html(proposal)
    assert "<ins" in as_html(proposal)


def test_a_revision_shows_what_it_changes():
    game = table(2)
    game.play("A", enact("Tea", "Tea is served at four."))
    game.play("A", Revise(301, "Tea is served at five."))

    assert "Tea is served at [-four-]{+five+}." in as_text(game.notices[-1])


def test_words_are_relayed_to_the_others_and_not_back_to_their_author():
    game = table(3)
    game.play("A", enact())
    game.play("B", Speak("I like tea.", 301))
    in_debate = game.notices[-1]
    game.play("B", Speak("Hello."))
    at_the_table = game.notices[-1]
    game.ask("keeper", Speak("Be kind.", 301))
    from_the_keeper = game.notices[-1]

    assert (in_debate.to, in_debate.thread) == ((1, 3), "proposal.301")
    assert (at_the_table.to, at_the_table.thread) == ((1, 3), "table")
    assert from_the_keeper.to == (1, 2, 3)
    assert "Bo Berg writes:\n\n> I like tea.\n" in as_text(in_debate)
    assert "The keeper writes:\n\n> Be kind.\n" in as_text(from_the_keeper)


def test_the_ballot_paper_holds_all_a_voter_needs():
    game = table(3, cooling_time="12h")
    game.play("A", majority())
    game.play("A", CallVote())

    paper = game.told("ballot:301")
    text = as_text(paper)

    assert (paper.to, paper.thread, subject(paper)) == (
        (1, 2, 3),
        "proposal.301",
        "Proposal 301: amend rule 203, “Unanimity”",
    )
    assert "\n    for 301\n    against 301\n" in text
    assert "stays open for 12 hours more" in flat(text)
    assert "It is adopted if “adopted when” in rule 203 comes true:\n\n    votes_for > 0 &&" in text
    assert "Rule 301 carries “adopted when” in place of rule 203, and changes it:" in text
    assert "  [-votes_for > 0 && votes_for == eligible-]\n  {+votes_for * 2 > eligible+}\n" in text
    assert "How it will read as rule 301" in text
    assert "\n    för 301\n    mot 301\n" in as_text(paper, "sv")


def test_a_clause_that_a_lower_number_beats_is_said_to_have_no_effect():
    game = table(2)
    game.play("A", enact("Mine", "I decide.", adopted_when="true"))
    game.play("A", CallVote())

    text = flat(as_text(game.told("ballot:301")))

    assert "Rule 203 carries “adopted when” too and goes before it, so this has no effect." in text


def test_a_second_rule_that_names_a_winner_is_said_to_count_beside_the_first():
    game = table(2)
    began = game.told("started")
    game.play("A", enact("Luck", "Nine hundred wins.", wins_when="score > 900"))
    game.play("A", CallVote())
    paper = flat(as_text(game.told("ballot:301")))
    for name in "AB":
        game.play(name, Vote("for", 301))
    rule = PRINTER.text(
        "mail/answers/rule.j2",
        {"answer": answer(game.state, Ask("rule", "301"), "en").view, "site": ""},
        language="en",
        zone="UTC",
    )
    both = replace(began, view={**began.view, "wins": results.orders(game.state, "wins when")})

    assert "The same clause counts in rule 208 too." in paper
    assert "no effect" not in paper
    assert "“wins when” counts in rule 208 too." in flat(rule)
    assert "no effect" not in rule
    told = flat(as_text(both))
    assert "Rule 208 names the winner, by “wins when”: score >= 100" in told
    assert "Rule 301 names the winner, by “wins when”: score > 900" in told


def test_the_rule_that_still_names_a_winner_is_told_when_another_goes():
    game = table(2)
    game.turn("A", enact("Luck", "Nine hundred wins.", wins_when="score > 900"), "AB")
    game.play("B", Propose("repeal", 301))

    text = flat(as_text(game.told("proposal:302")))

    assert "Rule 301 no longer carries “wins when”. It still counts in rule 208." in text


def test_a_repeal_tells_that_nobody_orders_the_matter_any_more():
    game = table(2)
    game.play("A", Propose("repeal", 204))

    text = flat(as_text(game.told("proposal:301")))

    assert "Rule 204 no longer carries “points for dissent”, and no other rule does." in text


def test_no_ballot_is_told_while_the_vote_runs():
    game = table(3)
    game.play("A", enact())
    game.play("A", CallVote())
    told = len(game.notices)

    game.play("B", Vote("against", 301, "against 301, never"))
    game.play("C", Speak("How do you vote?", 301))
    game.wait(8 * DAY)

    mails = game.since(told)
    assert [notice.kind for notice in mails] == ["post", *["deadline"] * 3, "result", "keeper"]
    assert not [notice for notice in mails if "never" in as_text(notice)]
    assert not [ballot for notice in mails for ballot in notice.view["proposal"].ballots if ballot.choice]


def test_only_the_late_are_reminded_and_the_keeper_is_told_who_they_are():
    game = table(3)
    game.play("A", enact())
    game.play("A", CallVote())
    game.play("B", Vote("for", 301))
    told = len(game.notices)

    game.wait(8 * DAY)

    *reminders, everyone, keeper = game.since(told)
    assert [reminder.to for reminder in reminders] == [(1, 3)] * 3
    assert (everyone.to, keeper.to) == ("everyone", "keeper")
    for reminder in reminders:
        assert "\n    for 301\n    against 301\n" in as_text(reminder)
    assert "There is grace until" in as_text(reminders[2])
    assert "- Alva Alm\n- Cia Ceder\n" in as_text(keeper)
    assert "Bo Berg" not in as_text(keeper)


def test_the_keeper_is_asked_with_the_lines_that_answer_and_everyone_gets_a_cure_to_propose():
    game = table(3)
    game.play("A", enact())
    game.turn_of_votes("A", 301, "AB")
    game.wait(8 * DAY)

    everyone, keeper = (as_text(notice) for notice in game.notices[-2:])

    assert "\n    extend 301 2d\n    abstain 301\n    close 301\n    remove Cia Ceder\n" in keeper
    for mail in (everyone, keeper):
        assert "\n    propose enact: Silence in a vote\n" in mail
        assert '\n    clause silence: "abstain"\n    end\n' in mail
        assert "Rule 105 is immutable" in mail
    assert "extend 301" not in everyone


def test_the_keeper_is_asked_about_a_debate_and_about_a_turn():
    game = table(2)
    game.wait(8 * DAY)
    turn = as_text(game.notices[-1])
    game.play("A", enact())
    game.wait(8 * DAY)
    debate = as_text(game.notices[-1])

    assert "\n    extend 2d\n    pass turn\n    remove Alva Alm\n" in turn
    assert "\n    propose amend 201: Turn order\n" in turn
    assert "\n    extend 301 2d\n    call vote 301\n    remove Alva Alm\n" in debate


def test_who_is_away_gets_no_reminder_and_everyone_is_told_until_when():
    game = table(3)
    game.play("A", enact())
    game.turn_of_votes("A", 301, "A")
    game.play("B", Absent("2026-12-12"))
    news = game.notices[-1]
    assert news.to == "everyone"
    assert "Bo Berg is away until" in as_text(news)
    told = len(game.notices)

    game.wait(7 * DAY)

    assert [notice.to for notice in game.since(told)] == [(3,)] * 3


def test_what_silence_was_counted_as_is_told_in_the_digest_with_the_rule_it_departs_from():
    game = table(3, silence="against")
    game.play("A", enact())
    game.turn_of_votes("A", 301, "AB")
    game.wait(8 * DAY)

    digest = flat(as_text(game.told("digest:1")))

    assert (
        "By “silence” in the house rule those who cast no ballot on proposal 301 count as voting against: Cia Ceder."
        in digest
    )
    assert "This departs from rule 105." in digest
    assert "Cia Ceder against, by silence" in digest


def test_the_digest_of_a_turn_that_stalled_offers_the_cure_and_tells_the_keepers_remedy_and_reason():
    game = table(3)
    game.play("A", enact())
    game.turn_of_votes("A", 301, "AB")
    game.wait(8 * DAY)
    game.ask("keeper", Abstain(301, "Cia is at sea."))

    digest = as_text(game.told("digest:1"))

    assert "The keeper’s reason: “Cia is at sea.”" in flat(digest)
    assert "\n    propose enact: Silence in a vote\n" in digest


def test_more_time_and_a_turn_passed_on_are_told_to_everyone_with_the_reason():
    game = table(2)
    game.ask("keeper", Extend("2d", why="Snow."))
    extended = game.notices[-1]
    game.ask("keeper", PassTurn("No word from Alva."))
    digest = game.told("digest:1")

    assert (extended.to, digest.to) == ("everyone", "everyone")
    assert "The keeper’s reason: “Snow.”" in flat(as_text(extended))
    assert (
        "The keeper passes the turn of Alva Alm on to the next player. The keeper’s reason: “No word from Alva.”"
        in flat(as_text(digest))
    )
    assert "departs from rule 201" in flat(as_text(digest))


def test_a_volunteer_is_put_to_the_keeper_with_the_lines_that_give_a_seat():
    game = table(2)
    game.ask("guest", Takeover("Zoe Zahl"))

    case = game.notices[-1]

    assert case.to == "keeper"
    assert "\n    replace Alva Alm by Zoe Zahl\n" in as_text(case)


def test_a_silent_player_on_turn_and_a_silent_proponent_are_reminded():
    game = table(2)
    told = len(game.notices)
    game.wait(7 * DAY)
    assert [(notice.template, notice.to) for notice in game.since(told)] == [("mail/turn.j2", (1,))] * 3

    game.play("A", enact())
    told = len(game.notices)
    game.wait(7 * DAY)

    assert [(notice.template, notice.to) for notice in game.since(told)] == [("mail/late.j2", (1,))] * 3
    assert all("\n    call vote 301\n" in as_text(notice) for notice in game.since(told))


def test_the_digest_gives_outcome_ballots_sums_change_scores_and_what_is_due():
    game = voted(table(4), majority(), "ABCD")
    voted(game, enact("Tea", "Tea is served at four."), "ABC", "D")

    first, second = as_text(game.told("digest:1")), as_text(game.told("digest:2"))

    assert game.told("digest:1").to == "everyone"
    # 301: (301 − 291) × 4/4 = 10 by rule 202, decided by 203 as it was.
    assert "Adopted. Rule 203 reads anew, and is now rule 301." in first
    assert "    votes_for > 0 && votes_for == eligible\n    = 4 > 0 && 4 == 4\n    = yes\n" in first
    assert "Alva Alm: +10 points by rule 202, “points for the turn”:" in first
    assert "    = round((301 - 291) * 4 ÷ 4)\n    = 10\n" in first
    # 302: adopted 3 of 4 by 301; 203 is gone from the numbers, so dissent pays 10; (302 − 291) × 3/4 = 8.25 → 8.
    assert "Adopted. Rule 302 is in force." in second
    assert "    = 3 * 2 > 4\n" in second
    assert "  Cia Ceder  for\n  Dan Dahl   against\n" in second
    assert "Dan Dahl: +10 points by rule 204, “points for dissent”:" in second
    assert "    = round((302 - 291) * 3 ÷ 4)\n    = 8\n" in second
    assert "  Player     Before  This turn  Now\n" in second
    assert "  Alva Alm       10          0   10\n" in second
    assert "  Dan Dahl        0        +10   10\n" in second
    assert "  Bo Berg         0         +8    8\n" in second
    assert "Cia Ceder: propose a rule change, by " in second
    assert "propose enact: …" not in second, "the line is for her alone"


def test_a_defeat_costs_points_and_is_told_with_both_sums():
    text = as_text(voted(table(3), enact(), "AB", "C").told("digest:1"))

    # −10 by 206, then (301 − 291) × 2/3 = 6.67 → 7 by 202: −3.
    assert "\nDefeated.\n" in text
    assert "Alva Alm: −10 points by rule 206" in text
    assert "Alva Alm: +7 points by rule 202" in text
    assert "  Alva Alm        0         −3   −3\n" in text


def test_a_voter_without_a_ballot_has_a_mark():
    game = table(3)
    game.play("A", enact())
    game.turn_of_votes("A", 301, "AB")
    game.ask("clock", CloseVote(301))

    assert "  Bo Berg    for\n  Cia Ceder  –\n" in as_text(game.told("digest:1"))


def test_the_next_player_gets_a_mail_of_their_own():
    game = voted(table(3), enact(), "ABC")

    turn = game.told("turn:2")

    assert (turn.to, turn.kind, turn.list_mail) == ((2,), "turn", False)
    assert "Bo Berg, it is your turn" in as_text(turn)


def test_a_change_without_effect_is_told_in_the_digest_and_to_the_keeper():
    game = table(2)
    game.turn("A", amend(202, "Two proposals.", proposals_per_turn="2"), "AB")
    game.play("A", EndTurn())

    number = without_effect(game, "B")

    keeper = next(notice for notice in game.notices if notice.template == "mail/keeper.j2")
    digest = as_text(game.told("digest:2"))
    assert keeper.to == "keeper"
    assert keeper.thread == f"proposal.{number}"
    assert "Adopted, but without effect: There would be more than 5 mutable rules" in flat(digest)
    assert f"The change of proposal {number}" not in digest
    assert f"The change of proposal {number + 1}" in digest


def test_a_vote_that_cannot_be_judged_is_told_to_everyone_and_to_the_keeper():
    everyone, keeper = held().notices[-2:]

    assert (everyone.to, keeper.to) == ("everyone", "keeper")
    assert "the rules in force do not say how it ends" in flat(as_text(everyone))


def test_the_winner_is_congratulated_with_the_final_scores():
    text = as_text(
        voted(table(2), amend(208, "Five.", "Five", wins_when="score >= 5"), "AB").told("digest:1")
    )

    assert "Alva Alm has won. Congratulations!" in text
    assert "Rule 301 names the winner, by “wins when”:\n\n    score >= 5\n" in text
    assert "Final scores" in text
    assert "What happens next" not in text


def test_those_who_win_together_are_named_in_the_subject_as_the_language_does():
    game = voted(table(3), amend(208, "Nought.", "Nought", wins_when="score >= 0"), "ABC")
    digest = game.told("digest:1")

    assert subject(digest) == "Turn 1: Alva Alm, Bo Berg and Cia Ceder won"
    assert (
        PRINTER.sentence(digest.subject, language="sv", zone="UTC")
        == "Tur 1: Alva Alm, Bo Berg och Cia Ceder vann"
    )
    assert "Nothing waits for you" not in as_text(digest, you=1), "the game is over"


def test_what_is_past_is_told_in_the_readers_zone_alone_and_what_binds_in_both():
    asked = meant("m", 1_796_000_000_000_000, 1_796_086_400_000_000, (Ask("help", ""),))
    text = flat(as_text(asked, zone="Europe/Stockholm"))

    assert "(Mon 30 Nov 2026 01:53 Europe/Stockholm)" in text
    assert "until Tue 1 Dec 2026 01:53:20 Europe/Stockholm (00:53:20 UTC)." in text


def test_a_turn_that_ends_with_the_vote_of_somebody_who_left_is_nobodys():
    game = held()
    game.ask("keeper", Remove("Bo Berg", "No answer."))
    left = as_text(game.told("left:2"))

    assert "These play on, in this order:\n\n- Alva Alm\n" in left
    assert "Bo Berg’s turn" not in left


def test_a_result_is_told_by_itself_when_the_turn_goes_on():
    game = table(2)
    game.play("A", enact())
    game.play("A", Withdraw())

    result = game.told("result:301")

    assert (result.to, result.thread) == ("everyone", "proposal.301")
    assert "Withdrawn." in as_text(result)


def test_the_subject_of_a_proposals_mails_stays_the_same():
    game = voted(table(2), enact(), "AB")

    subjects = {subject(notice) for notice in game.notices if notice.thread == "proposal.301"}

    assert subjects == {"Proposal 301: a new rule, “Tea”"}


def test_the_letters_tell_a_stranger_nothing_of_a_game():
    text = as_text(to_stranger("m", "en"), site="")

    assert "    join as <NAME>\n" in text
    assert "Kaffe" not in text


def test_an_invitation_says_how_to_say_yes():
    game = table(2)

    text = as_text(invitation(game.state, "Eva Ek", "Kim Kvist", ("Eva Ek", "Fia Falk")))

    assert "Eva Ek, Kim Kvist invites you" in text
    assert "Also invited: Fia Falk." in text
    assert "Alva Alm and Bo Berg" in text
    assert "\n    join\n" in text
    assert "\n    gå med\n" in as_text(
        invitation(game.state, "Eva Ek", "Kim Kvist", ("Eva Ek", "Fia Falk")), "sv"
    )
