"""What goes wrong in players' mails: one clear answer to each, and nothing is lost."""

from __future__ import annotations

import re
from email.message import EmailMessage
from email.policy import SMTP

import pytest

from tests.flow.post import ADDRESS, TEA, Post


class TestMailsThatSayNothingUseful:
    def test_an_empty_mail_is_answered(self, game: Post) -> None:
        assert "empty" in game.refuses("Bo", "\n").text

    def test_a_mail_that_only_quotes_is_empty(self, game: Post) -> None:
        quoted = (
            "On Tue, 1 Dec 2026 at 10:00, Nomic <nomic@nomic.example> wrote:\n> for 301\n> propose enact: x\n"
        )
        game.refuses("Bo", quoted)

    def test_plain_words_in_place_of_a_vote_are_posted_and_are_no_ballot(self, voting: Post) -> None:
        answer = voting.mail("Bo", "I rather like this one.", re="301")
        assert "posted" in answer.text
        assert "for 301" in answer.text or "help vote" in answer.text, "how to vote is told"
        assert voting.proposal(301)["ballots"] == {}
        assert "I rather like this one." in voting.newest("Cia", "301").text

    def test_a_command_misspelt_is_asked_back_with_the_nearest_line(self, game: Post) -> None:
        answer = game.refuses("Alice", "propse repeal 209\n")
        assert "propse repeal 209" in answer.text, "what was not understood"
        assert "propose repeal 209" in answer.text, "the line to paste"

    def test_a_misspelt_swedish_command_is_asked_back_in_swedish(self, game: Post) -> None:
        game.mail("Alice", "läge")
        answer = game.refuses("Alice", "föreslå avskafa 209\n")
        assert "föreslå avskaffa 209" in answer.text

    def test_what_another_line_did_stands_though_one_failed(self, voting: Post) -> None:
        answer = voting.mail("Bo", "for 301\nagainst 399\n")
        assert "1 problem" in answer.subject
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "for"}
        assert answer.text.index("for 301") < answer.text.index("against 399")


class TestBallotsThatAreNone:
    def test_a_ballot_without_number_outside_any_thread_is_asked_back(self, voting: Post) -> None:
        answer = voting.refuses("Bo", "for\n", subject="hello")
        assert "for 301" in answer.text, "the line to paste"
        assert voting.proposal(301)["ballots"] == {}

    def test_a_ballot_for_an_unknown_number_is_refused(self, voting: Post) -> None:
        answer = voting.refuses("Bo", "for 310\n")
        assert "310" in answer.text
        assert "301" in answer.text, "which one there is"

    def test_a_ballot_before_the_vote_is_open_is_refused(self, game: Post) -> None:
        game.mail("Alice", f"{TEA}\nend\n")
        answer = game.refuses("Bo", "for 301\n")
        assert "debate" in answer.text
        assert game.proposal(301)["ballots"] == {}

    def test_a_ballot_after_the_close_is_refused(self, voting: Post) -> None:
        voting.vote(301, Alice="for", Bo="for", Cia="for")
        answer = voting.refuses("Bo", "against 301\n")
        assert "closed" in answer.text or "over" in answer.text
        assert voting.proposal(301)["votes_for"] == 3

    def test_who_votes_twice_has_one_ballot_the_last(self, voting: Post) -> None:
        voting.mail("Bo", "for 301")
        voting.mail("Bo", "against 301")
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "against"}
        voting.vote(301, Alice="for", Cia="for")
        assert voting.proposal(301)["votes_for"] == 2
        assert voting.proposal(301)["votes_against"] == 1

    def test_a_mail_that_votes_both_ways_is_asked_which_shall_count(self, voting: Post) -> None:
        answer = voting.refuses("Bo", "for 301\nagainst 301\n")
        assert "both for and against" in answer.words
        assert voting.proposal(301)["ballots"] == {}

    def test_subject_and_line_that_disagree_are_asked_back_with_both(self, voting: Post) -> None:
        voting.vote(301, Alice="for", Bo="for", Cia="for")
        voting.propose("Bo", TEA)
        answer = voting.refuses("Cia", "for 302\n", subject="Proposal 301")
        assert "301" in answer.text
        assert "302" in answer.text

    def test_the_keeper_who_does_not_play_has_no_ballot(self, voting: Post) -> None:
        voting.refuses("Kim", "for 301\n")


class TestProposalsThatAreNone:
    def test_who_is_not_on_turn_is_told_who_is(self, game: Post) -> None:
        answer = game.refuses("Bo", f"{TEA}\nend\n")
        assert "Alice Ahlgren" in answer.text
        assert game.state()["proposals"] == []

    def test_a_second_proposal_in_one_turn_is_refused(self, voting: Post) -> None:
        voting.refuses("Alice", f"{TEA}\nend\n")
        assert len(voting.state()["proposals"]) == 1

    @pytest.mark.parametrize(
        "words", ["propose amend 299: X\nText.\nend", "propose repeal 299", "propose transmute 299"]
    )
    def test_a_rule_that_never_was_is_refused(self, game: Post, words: str) -> None:
        answer = game.refuses("Alice", f"{words}\n")
        assert "299" in answer.text

    @pytest.mark.parametrize("words", ["propose amend 105: X\nText.\nend", "propose repeal 105"])
    def test_an_immutable_rule_must_be_transmuted_first(self, game: Post, words: str) -> None:
        answer = game.refuses("Alice", f"{words}\n")
        assert "103" in answer.text, "the rule that says so"
        assert "propose transmute 105" in answer.text, "the line to paste"
        assert game.state()["proposals"] == []

    def test_a_clause_with_an_error_is_asked_back_with_column_and_nearest_name(self, game: Post) -> None:
        words = "propose amend 203: Majority\nMore than half.\n\nclause adopted when: 2 * vote_for > eligible\nend\n"
        answer = game.refuses("Alice", words)
        assert "votes_for" in answer.text, "the nearest name"
        assert re.search(r"column 5\b", answer.words, re.IGNORECASE), answer.text
        assert game.propose("Alice", TEA) == 301, "no number was used"

    def test_a_clause_of_an_unknown_name_is_asked_back_with_the_nearest(self, game: Post) -> None:
        words = "propose amend 203: Majority\nMore than half.\n\nclause adoptd when: votes_for * 2 > eligible\nend\n"
        answer = game.refuses("Alice", words)
        assert "adopted when" in answer.text

    def test_a_clause_of_the_wrong_type_is_asked_back(self, game: Post) -> None:
        words = "propose amend 203: Majority\nMore than half.\n\nclause adopted when: votes_for * 2\nend\n"
        game.refuses("Alice", words)

    def test_an_amendment_without_clauses_where_the_rule_had_some_is_asked_back(self, game: Post) -> None:
        answer = game.refuses("Alice", "propose amend 203: Majority\nMore than half decide.\nend\n")
        assert "keep" in answer.text
        assert "drop" in answer.text

    def test_a_new_rule_without_text_is_asked_back(self, game: Post) -> None:
        game.refuses("Alice", "propose enact: Tea\n")


class TestMailsOutOfTheOrdinary:
    def test_a_mail_of_300_kb_is_answered_too_long_and_kept(self, voting: Post) -> None:
        content = voting.compose("Bo", "for 301\n\n" + "Blah blah blah blah.\n" * 15_000)
        assert len(content) > 300_000
        answer = voting.answer("Bo", content)
        assert "too long" in answer.subject
        assert voting.proposal(301)["ballots"] == {}
        assert voting.taken()[0].result == "too long"

    def test_four_hundred_commands_are_one_mail_with_one_answer(self, voting: Post) -> None:
        answer = voting.mail("Bo", "for 301\n" * 400)
        assert "200" in answer.text, "how many are read is told"
        assert len(voting.proposal(301)["ballots"]) == 1

    def test_nul_and_control_characters_are_left_out(self, voting: Post) -> None:
        content = voting.compose("Bo", "@@for 301\nHello @@@ there")
        assert b"@@for" in content
        voting.answer("Bo", content.replace(b"@@for", b"\x00\x07for").replace(b"@@@", b"\x1b[31m\x00\x08"))
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "for"}
        for letter in voting.inbox("Bo"):
            assert not re.search(
                r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", letter.text + letter.html + letter.subject
            )

    def test_control_characters_in_a_rule_do_not_reach_the_rulebook(self, game: Post) -> None:
        text = "Tea \u202eis\u202c served\x00\x1b at\u200b four."
        game.mail("Alice", f"propose enact: Tea\n{text}\nend\n")
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e]", game.proposal(301)["text"])
        assert "served" in game.proposal(301)["text"]

    def test_a_mail_in_html_alone_counts(self, voting: Post) -> None:
        mail = EmailMessage(policy=SMTP)
        mail["From"] = "Bo Berg <bo@berg.example>"
        mail["To"] = ADDRESS
        mail["Message-ID"] = "<html@berg.example>"
        mail["Subject"] = "vote"
        mail.set_content(
            "<html><body><div>for 301</div><blockquote>against 301</blockquote></body></html>", subtype="html"
        )
        voting.answer("Bo", mail.as_bytes())
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "for"}

    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"\r\n\r\n",
            b"\x00" * 5000,
            b"no header at all, just words",
            b"From: Bo Berg <bo@berg.example>\r\n\r\nfor 301\r\n",
            b"From: Bo Berg <bo@berg.example>\r\nContent-Type: text/plain; charset=klingon\r\n\r\nfor 301\r\n",
            b"From: Bo Berg <bo@berg.example>\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\nfor 301\r\n",
            b"From: Bo Berg <bo@berg.example>\rfor 301\rfor 301",
        ],
        ids=["nothing", "blank", "NULs", "no header", "no id", "charset", "no parts", "bare CR"],
    )
    def test_no_bytes_whatever_bring_the_server_down(self, voting: Post, content: bytes) -> None:
        voting.take(content)
        assert voting.taken()[0].state == "done" or voting.taken()[0].state == "held"
        voting.mail("Cia", "for 301")
        assert voting.proposal(301)["ballots"]["Cia Crane"] == "for"

    def test_a_subject_cannot_add_headers_to_our_answer(self, voting: Post) -> None:
        content = voting.compose("Bo", "status", subject="SUBJECT")
        encoded = b"=?utf-8?Q?hi=0D=0ABcc:_all@evil.example?="
        answer = voting.answer("Bo", content.replace(b"SUBJECT", encoded))
        assert answer.message["Bcc"] is None
        assert len(answer.message.get_all("Subject") or []) == 1


class TestTextThatLooksLikeCode:
    EVIL = "<script>alert(1)</script> {{7*7}} {% raise %} ${7*7} <img src=x onerror=alert(1)> %(name)s &amp; done"

    @pytest.fixture
    def proposed(self, game: Post) -> Post:
        game.propose("Alice", f"propose enact: Tea <b>{{{{7*7}}}}</b>\n{self.EVIL}")
        game.mail("Bo", f"{self.EVIL} says Bo", re="301")
        return game

    def test_mails_show_it_as_it_was_typed(self, proposed: Post) -> None:
        letters = [each for each in proposed.inbox("Cia") if "301" in each.subject]
        assert any(self.EVIL in letter.words for letter in letters)
        assert any(self.EVIL in " ".join(letter.shown.split()) for letter in letters)
        for letter in letters:
            assert "<script" not in letter.html
            assert "<img" not in letter.html
            assert "49" not in letter.subject

    def test_pages_show_it_as_it_was_typed(self, proposed: Post) -> None:
        pages = {path: page for path, page in proposed.pages().items() if path.endswith(".html")}
        about = proposed.page("proposals", "301", "index.html")
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in about
        assert "{{7*7}}" in about
        for path, page in pages.items():
            assert "<script>alert" not in page, path
            assert not re.search(r"<[^>]*\sonerror=", page), path

    def test_the_state_holds_it_to_the_byte(self, proposed: Post) -> None:
        assert proposed.proposal(301)["text"] == self.EVIL
        assert proposed.proposal(301)["title"] == "Tea <b>{{7*7}}</b>"


def test_a_rule_longer_than_the_host_takes_is_refused_with_the_cure(game: Post) -> None:
    refused = game.refuses("Alice", "propose enact: Tea\n" + "Tea is served at four.\n" * 800 + "end")
    assert "The text has 18399 bytes; a rule may have 16384 on this server." in refused.words
    assert "propose it as several rules" in refused.words
    assert (
        "18399 bytes"
        in game.refuses(
            "Alice", "check propose enact: Tea\n" + "Tea is served at four.\n" * 800 + "end"
        ).words
    )


def test_more_commands_than_the_host_takes_are_told_from_which_line_on(game: Post) -> None:
    answer = game.mail("Alice", "score\n" * 200 + "status\nlog\n", subject="Much")
    assert answer.subject.endswith("1 question: Much")
    assert "A mail holds 200 commands at most. From this line on nothing was read" in answer.words
    assert "> status" in answer.text
