"""Stories of games as their players live them: mail in, mail out."""

from __future__ import annotations

import re

import pytest

from tests.flow.post import DAY, GAME, HOUR, MAJORITY, TEA, Post

FOUR = ("Alice", "Bo", "Cia", "Dan")
ENGLISH = ("What happens next", "Your ballot", "Your move", "Scores", "Ballots:", "is over", "Adopted")


def adopt_majority(post: Post) -> None:
    """Alice's turn: 203 becomes 301, by four of four (+10)."""
    assert post.turn("Alice", MAJORITY, Alice="for", Bo="for", Cia="for", Dan="for") == 301


class TestAWholeTurn:
    def test_in_english_each_step_reaches_the_right_people(self, four: Post) -> None:
        receipt = four.mail("Alice", f"Good morning!\n\n{MAJORITY}\nend\n", subject="A beginning")
        assert receipt.subject.startswith(f"[{GAME}] OK")
        assert "301" in receipt.text
        assert four.proposal(301)["stage"] == "debate"
        assert "call vote 301" in receipt.text, "the line that ends the debate is offered"

        four.mail("Bo", "Why not two thirds?", re="301")
        for name in ("Alice", "Cia", "Dan"):
            assert "Why not two thirds?" in four.newest(name, "301").text
            assert "Bo Berg" in four.newest(name, "301").text

        four.mail("Alice", "Half is simpler.\n\ncall vote", re="301")
        for name in FOUR:
            paper = four.newest(name, "301")
            assert "for 301" in paper.text
            assert "against 301" in paper.text
            assert "{+votes_for * 2 > eligible+}" in paper.text, "what the server will carry out"
            assert "8 Dec 2026 10:03:00 UTC" in paper.words, "seven days to vote, told to the second"
        assert four.proposal(301)["stage"] == "voting"

        four.mail("Alice", "for", re="301")
        four.mail("Bo", "yes", re="301")
        four.mail("Cia", "I vote for 301.", re="301")
        assert four.state()["waiting_for"] == ["Dan Dahl"]
        four.mail("Dan", "+1 301", subject="vote")

        assert four.proposal(301)["stage"] == "adopted"
        for name in FOUR:
            digest = four.newest(name, "Turn 1")
            assert "4 for, 0 against" in digest.text
            assert "(301 - 291) * 4 ÷ 4" in digest.words
        assert four.scores() == {"Alice": 10, "Bo": 0, "Cia": 0, "Dan": 0}
        assert "your turn" in four.inbox("Bo")[-1].subject
        assert not any("your turn" in letter.subject for letter in four.inbox("Cia"))
        assert four.state()["on_turn"] == "Bo Berg"
        assert four.state()["turn"] == 1, "a turn begins with its first proposal"
        four.mail("Bo", f"{TEA}\nend\n")
        assert four.state()["turn"] == 2
        assert four.is_whole()

    def test_in_swedish_it_is_the_same_game(self, post: Post) -> None:
        post.found(*FOUR, language="sv")
        post.mail(
            "Alice",
            "God morgon!\n\nföreslå ändra 203: Majoritet räcker\nEn regeländring antas när mer än hälften\n"
            "av rösterna är för.\n\nklausul antas när: votes_for * 2 > eligible\nslut\n",
            subject="En början",
        )
        assert post.proposal(301)["title"] == "Majoritet räcker"
        post.mail("Bo", "Varför inte två tredjedelar?", re="301")
        assert "Varför inte två tredjedelar?" in post.newest("Cia", "301").text
        post.mail("Alice", "till omröstning 301", re="301")
        for name in FOUR:
            paper = post.newest(name, "301")
            assert "för 301" in paper.text
            assert "mot 301" in paper.text
        post.vote(301, Alice="för", Bo="ja på 301", Cia="Jag röstar ja på 301", Dan="301: ja")
        assert post.proposal(301)["votes_for"] == 4
        assert post.rule(301)["clauses"]["adopted when"] == "votes_for * 2 > eligible"
        assert post.scores() == {"Alice": 10, "Bo": 0, "Cia": 0, "Dan": 0}
        assert post.state()["on_turn"] == "Bo Berg"
        assert "antas när" in post.newest("Dan", "1").text, "clauses are shown by their Swedish names"
        assert "föreslå" in post.inbox("Bo")[-1].text

    def test_in_a_swedish_game_no_mail_speaks_english(self, post: Post) -> None:
        post.found(*FOUR, language="sv")
        number = post.propose("Alice", "föreslå ny: Te\nTe serveras klockan fyra.")
        post.vote(number, Alice="för", Bo="ja", Cia="ja", Dan="nej")
        for name in FOUR:
            for letter in post.inbox(name):
                assert [words for words in ENGLISH if words in letter.text] == [], letter.subject

    def test_each_is_answered_in_the_language_they_write(self, four: Post) -> None:
        four.propose("Alice", TEA)
        swedish = four.mail("Bo", "ja på 301")
        english = four.mail("Cia", "yes 301")
        assert "för 301" in swedish.text
        assert "What happens next" not in swedish.text
        assert "for 301" in english.text
        assert "What happens next" in english.text

    def test_a_chosen_language_is_kept_whatever_the_mail_is_written_in(self, four: Post) -> None:
        four.mail("Dan", "set language sv")
        four.propose("Alice", TEA)
        assert "för 301" in four.newest("Dan", "301").text
        assert "for 301" in four.newest("Cia", "301").text
        four.mail("Dan", "yes 301")
        four.vote(301, Alice="for", Bo="for", Cia="for")
        assert "poäng för turen" in four.newest("Dan", "1").text
        assert "points for the turn" in four.newest("Cia", "Turn 1").text

    def test_the_proponent_may_revise_until_the_vote_opens_and_not_after(self, four: Post) -> None:
        four.mail("Alice", f"{TEA}\nend\n")
        four.mail("Alice", "revise 301\nTea is served at five.\nend\n")
        assert four.proposal(301)["text"] == "Tea is served at five."
        four.mail("Alice", "call vote 301")
        refused = four.mail("Alice", "revise 301\nTea is served at six.\nend\n")
        assert re.search(r"\d+ (problem|question)", refused.subject)
        assert four.proposal(301)["text"] == "Tea is served at five."

    def test_only_the_proponent_ends_the_debate(self, four: Post) -> None:
        four.mail("Alice", f"{TEA}\nend\n")
        refused = four.mail("Bo", "call vote 301")
        assert "1 problem" in refused.subject
        assert "Alice Ahlgren" in refused.text
        assert four.proposal(301)["stage"] == "debate"

    def test_a_withdrawn_proposal_costs_its_number_and_nothing_else(self, four: Post) -> None:
        four.mail("Alice", f"{TEA}\nend\n")
        four.mail("Alice", "withdraw 301")
        assert four.proposal(301)["stage"] == "withdrawn"
        assert four.state()["on_turn"] == "Alice Ahlgren"
        assert four.propose("Alice", TEA) == 302
        assert four.scores() == {"Alice": 0, "Bo": 0, "Cia": 0, "Dan": 0}

    def test_the_cooling_time_keeps_the_vote_open_after_the_last_ballot(self, post: Post) -> None:
        post.found(*FOUR, cooling_time="12h")
        number = post.propose("Alice", TEA)
        post.vote(number, Alice="for", Bo="for", Cia="for", Dan="for")
        assert post.proposal(301)["stage"] == "voting"
        post.wait(11 * HOUR)
        receipt = post.mail("Dan", "against 301")
        assert "your against" not in receipt.text
        assert "for" in receipt.text
        assert post.proposal(301)["stage"] == "voting"
        post.wait(HOUR)
        assert post.proposal(301)["stage"] == "defeated", "three of four, where all are needed"
        assert post.proposal(301)["votes_against"] == 1

    def test_a_ballot_that_is_changed_says_what_it_replaces_and_the_last_one_counts(self, four: Post) -> None:
        four.propose("Alice", TEA)
        four.mail("Bo", "against 301")
        receipt = four.mail("Bo", "for 301")
        words = receipt.words
        assert "against" in words
        assert "10:02:00" in words, "when the ballot came that this one replaces"
        assert "10:03:00" in words, "when this one came"
        four.vote(301, Alice="for", Cia="for", Dan="for")
        assert four.proposal(301)["votes_for"] == 4

    def test_a_ballot_taken_back_is_missing_again(self, four: Post) -> None:
        four.propose("Alice", TEA)
        four.vote(301, Alice="for", Bo="for", Cia="for")
        four.mail("Bo", "retract vote 301")
        assert four.state()["waiting_for"] == ["Bo Berg", "Dan Dahl"]
        four.vote(301, Dan="for")
        assert four.proposal(301)["stage"] == "voting"


class TestRules:
    def test_an_amended_rule_answers_to_its_old_number(self, four: Post) -> None:
        adopt_majority(four)
        for asked, name in (("rule 203", "Cia"), ("regel 203", "Dan")):
            answer = four.mail(name, asked)
            assert "more than half of the eligible votes" in answer.words
            assert "301" in answer.text
            assert "203" in answer.text
        assert "A majority is enough" in four.page("rules", "203", "index.html")
        assert "A majority is enough" in four.page("rules", "301", "index.html")
        assert "A majority is enough" in four.pbem("show", GAME, "rule", "203").stdout

    def test_a_proposal_may_name_a_rule_by_its_old_number(self, four: Post) -> None:
        adopt_majority(four)
        receipt = four.mail(
            "Bo",
            "propose amend 203: Two thirds\nTwo thirds are needed.\n\nclause adopted when: votes_for * 3 >= eligible * 2\nend\n",
        )
        assert four.proposal(302)["target"] == 301
        assert "301" in receipt.text

    def test_a_refused_proposal_uses_no_number(self, four: Post) -> None:
        refused = four.mail("Alice", "propose amend 103: What a change is\nAnything goes.\nend\n")
        assert "1 problem" in refused.subject
        assert "103" in refused.text
        assert "propose transmute 103" in refused.text, "the cure can be pasted"
        assert four.state()["proposals"] == []
        assert four.propose("Alice", TEA) == 301

    def test_defeated_numbers_are_never_used_again(self, four: Post) -> None:
        four.turn("Alice", TEA, Alice="for", Bo="against", Cia="for", Dan="for")
        assert four.turn("Bo", TEA, Alice="for", Bo="for", Cia="for", Dan="for") == 302
        assert four.rule(302)["text"] == "Tea is served at four."

    def test_a_proposal_text_is_adopted_byte_for_byte(self, four: Post) -> None:
        text = "Tea – “black” – costs 5 €.\n\n* with milk\n* or  without\n\n    indented"
        four.turn("Alice", f"propose enact: Thé\n{text}", Alice="for", Bo="for", Cia="for", Dan="for")
        assert four.rule(301)["text"] == text
        assert four.rule(301)["title"] == "Thé"

    @pytest.mark.parametrize(
        "row", ["> Quoted on purpose.", "-- ", "On 1 Dec 2026, Bo wrote:", "Sent from my phone"]
    )
    def test_of_a_text_that_ends_with_end_nothing_is_trimmed(self, four: Post, row: str) -> None:
        text = f"The first line.\n\n{row}\n\nThe last line."
        four.mail("Alice", f"propose enact: Whole\n{text}\nend\n")
        assert [each["text"] for each in four.state()["proposals"]] == [text]

    def test_what_is_cut_from_a_text_without_end_is_told(self, four: Post) -> None:
        answer = four.mail("Alice", "propose enact: Tea\nTea is served at four.\n\n-- \nAlice\n")
        assert four.proposal(301)["text"] == "Tea is served at four."
        assert "From “-- ” on, lines were left out" in answer.words
        assert "“end”" in answer.text, "what would keep them"
        answer = four.mail("Alice", "revise 301\nTea is served at five.\nend\n\n-- \nAlice\n")
        assert "left out" not in answer.text, "a signature below the end is no loss"

    def test_a_proposal_without_text_loses_none(self, four: Post) -> None:
        assert "left out" not in four.mail("Alice", "propose repeal 209\n\n-- \nAlice\n").text

    def test_who_asks_is_answered_and_nothing_happens(self, four: Post) -> None:
        adopt_majority(four)
        events = four.state()["events"]
        answers = {
            asked: four.mail("Cia", asked).text
            for asked in (
                "status",
                "scores",
                "rules",
                "proposals",
                "log",
                "help",
                "history 203",
                "rules from 0",
            )
        }
        assert "Bo Berg" in answers["status"]
        assert "10" in answers["scores"]
        assert "208" in answers["rules"]
        assert "301" in answers["proposals"]
        assert "301" in answers["history 203"]
        assert "it was rule 203" in answers["rules from 0"]
        assert "propose amend" in answers["help"]
        assert four.state()["events"] == events

    def test_whoever_asks_for_turns_that_have_not_been_learns_which_have(self, four: Post) -> None:
        answer = four.mail("Cia", "rules from 1 to 9").words
        assert "There has been no turn 9 yet: the last one is 1, and 0 stands for the start." in answer
        assert "rules from 0" in answer


class TestSilence:
    def test_a_vote_waits_for_the_missing_and_the_keeper_is_told(self, four: Post) -> None:
        four.propose("Alice", TEA)
        four.vote(301, Alice="for", Bo="for", Cia="for")
        before = len(four.inbox("Kim"))
        four.wait(8 * DAY)
        assert four.proposal(301)["stage"] == "voting"
        told = four.inbox("Kim")[before:]
        assert any("Dan Dahl" in letter.text for letter in told)
        four.vote(301, Dan="for")
        assert four.proposal(301)["stage"] == "adopted"
