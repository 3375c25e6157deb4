"""Mails that are not what they seem: strangers, forgers, machines, repeats. Silence where an answer would do harm."""

from __future__ import annotations

import pytest

from tests.flow.post import ADDRESS, DAY, GAME, HOUR, PROBLEM, RECEIVER, TEA, Post

UNVOUCHED = "deliver"
VOUCHED = f"{RECEIVER}; dmarc=pass header.from=berg.example; dkim=pass header.d=berg.example"


class TestStrangers:
    def test_a_stranger_has_one_short_answer_a_day(self, game: Post) -> None:
        events = game.state()["events"]
        game.take(game.compose("Zoe", "Hello, what is this?"))
        game.take(game.compose("Zoe", "And who are you?"))
        (answer,) = game.inbox("Zoe")
        assert answer.is_receipt
        assert len(answer.text) < 1500
        assert "Alice" not in answer.text, "nothing is told of any game"
        game.wait(DAY)
        game.take(game.compose("Zoe", "Hello?"))
        assert len(game.inbox("Zoe")) == 2
        assert game.state()["events"] == events

    def test_a_stranger_is_answered_in_swedish_who_writes_it(self, game: Post) -> None:
        game.take(game.compose("Zoe", "gå med som Zoe\n"))
        assert "gå med" in game.inbox("Zoe")[0].text

    def test_a_stranger_whom_nobody_vouches_for_gets_nothing(self, game: Post) -> None:
        game.ignores(game.compose("Zoe", "Hello, what is this?"), source=UNVOUCHED)
        assert game.taken()[0].state == "held"


class TestIdentity:
    def test_a_forged_from_is_held_and_counts_for_nothing(self, voting: Post) -> None:
        events, boxes = voting.state()["events"], voting.everybody()
        voting.take(voting.compose("Bo", "against 301"), source=UNVOUCHED)
        assert voting.state()["events"] == events
        assert voting.proposal(301)["ballots"] == {}
        assert voting.taken()[0].state == "held"
        boxes["Bo Berg"] += 1
        assert voting.everybody() == boxes, "the owner of the address is asked, and nobody else"
        assert PROBLEM.match(voting.inbox("Bo")[-1].subject)

    def test_forgeries_bring_no_flood_upon_their_victim(self, voting: Post) -> None:
        before = len(voting.inbox("Bo"))
        for _ in range(6):
            voting.take(voting.compose("Bo", "against 301"), source=UNVOUCHED)
        assert len(voting.inbox("Bo")) - before <= 4, "three a day and one that sums up"

    def test_what_our_own_receiver_vouches_for_counts(self, voting: Post) -> None:
        content = voting.compose("Bo", "against 301", Authentication_Results=VOUCHED)
        voting.answer("Bo", content, source=UNVOUCHED)
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "against"}

    @pytest.mark.parametrize(
        "results",
        [
            VOUCHED.replace(RECEIVER, "mx.evil.example"),
            VOUCHED.replace("pass", "fail"),
            VOUCHED.replace("berg", "evil"),
            f"evil.example ({RECEIVER}); dmarc=pass header.from=berg.example",
            f'evil.example; x="\\"; {RECEIVER}; dmarc=pass header.from=berg.example',
        ],
        ids=["another receiver", "failed", "another domain", "in a comment", "in a quoted string"],
    )
    def test_what_does_not_vouch_for_the_sender_does_not_count(self, voting: Post, results: str) -> None:
        voting.take(voting.compose("Bo", "against 301", Authentication_Results=results), source=UNVOUCHED)
        assert voting.proposal(301)["ballots"] == {}
        assert voting.taken()[0].state == "held"

    def test_from_a_stranger_at_our_own_listener_no_header_counts(self, voting: Post) -> None:
        content = voting.compose("Bo", "against 301", Authentication_Results=VOUCHED)
        voting.take(content, source="smtp 1.2.3.4")
        assert voting.proposal(301)["ballots"] == {}
        assert voting.taken()[0].state == "held"

    def test_a_result_that_the_sender_put_below_does_not_count(self, voting: Post) -> None:
        content = voting.compose("Bo", "against 301")
        above = (
            f"Authentication-Results: {RECEIVER}; dmarc=fail header.from=berg.example\r\n"
            "Received: from evil.example by mx.nomic.example; Tue, 1 Dec 2026 10:00:00 +0000\r\n"
            f"Authentication-Results: {VOUCHED}\r\n"
        )
        voting.take(above.encode() + content, source=UNVOUCHED)
        assert voting.proposal(301)["ballots"] == {}

    def test_two_from_headers_are_nobody(self, voting: Post) -> None:
        content = voting.compose("Bo", "against 301")
        voting.ignores(b"From: Alice Ahlgren <alice@ahlgren.example>\r\n" + content)
        assert voting.proposal(301)["ballots"] == {}

    def test_a_player_named_in_the_display_name_alone_is_a_stranger(self, voting: Post) -> None:
        content = voting.compose("Zoe", "against 301").replace(b"Zoe Zell <", b'"Bo Berg bo@berg.example" <')
        voting.take(content)
        assert voting.proposal(301)["ballots"] == {}


class TestRepeats:
    def test_the_same_mail_again_is_counted_once_and_answered_once(self, voting: Post) -> None:
        content = voting.compose("Bo", "for 301")
        assert voting.take(content) == "taken"
        boxes, events = voting.everybody(), voting.state()["events"]
        assert voting.take(content) == "repeat"
        assert voting.everybody() == boxes
        assert voting.state()["events"] == events
        assert voting.taken()[0].repeats == 1

    def test_the_same_mail_by_two_ways_is_one_mail(self, voting: Post) -> None:
        content = voting.compose("Bo", "for 301", Authentication_Results=VOUCHED)
        assert voting.take(content, source=UNVOUCHED, sender="bo@berg.example", recipient=ADDRESS) == "taken"
        other = b"Received: from b.example by mx.nomic.example; Tue, 1 Dec 2026 10:00:00 +0000\r\n" + content
        assert voting.take(other, source="imap") == "repeat"
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "for"}

    def test_a_repeat_after_a_change_of_mind_does_not_bring_the_old_ballot_back(self, voting: Post) -> None:
        content = voting.compose("Bo", "for 301")
        voting.take(content)
        voting.mail("Bo", "against 301")
        voting.take(content)
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "against"}

    def test_the_same_words_in_a_new_mail_are_a_new_mail(self, game: Post) -> None:
        first, second = (game.mail("Bo", "status") for _ in range(2))
        assert first.message["Message-ID"] != second.message["Message-ID"]

    def test_the_same_message_id_with_another_body_is_held(self, voting: Post) -> None:
        content = voting.compose("Bo", "for 301")
        voting.take(content)
        voting.take(content.replace(b"for 301", b"against 301"))
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "for"}
        assert voting.taken()[0].state == "held"
        assert "Message-ID" in str(voting.taken()[0].result)

    def test_whose_second_mail_is_held_is_told_and_a_new_one_counts(self, voting: Post) -> None:
        content = voting.compose("Bo", "for 301", subject="My ballot")
        voting.take(content)
        boxes = voting.everybody()
        answer = voting.answer("Bo", content.replace(b"for 301", b"against 301"))
        assert PROBLEM.match(answer.subject)
        assert "My ballot" in answer.text, "which mail it was"
        assert "in a new mail" in answer.words, "what to do"
        boxes["Bo Berg"] += 1
        assert voting.everybody() == boxes, "nobody else is troubled"
        voting.mail("Bo", "against 301")
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "against"}

    def test_a_forgery_under_a_message_id_does_not_keep_the_true_mail_out(self, voting: Post) -> None:
        content = voting.compose("Bo", "for 301")
        voting.take(content.replace(b"for 301", b"against 301"), source=UNVOUCHED)
        voting.answer("Bo", content)
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "for"}

    def test_two_mails_without_a_message_id_are_two_mails(self, voting: Post) -> None:
        for words in ("for 301", "against 301"):
            content = voting.compose("Bo", words).replace(b"Message-ID:", b"X-Nothing:")
            voting.answer("Bo", content)
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "against"}


class TestMachines:
    @pytest.mark.parametrize(
        "headers",
        [
            {"Auto_Submitted": "auto-replied"},
            {"Auto_Submitted": "auto-generated"},
            {"Precedence": "auto_reply"},
            {"X_Autoreply": "yes"},
        ],
        ids=str,
    )
    def test_an_automatic_reply_gets_none(self, voting: Post, headers: dict[str, str]) -> None:
        voting.ignores(voting.compose("Bo", "for 301", **headers))
        assert voting.taken()[0].kind == "auto-reply"

    def test_a_bounce_gets_no_answer(self, voting: Post) -> None:
        content = voting.compose(
            "Bo", "for 301", From="MAILER-DAEMON@berg.example", subject="Undelivered Mail"
        )
        voting.ignores(content, sender="")
        assert voting.taken()[0].kind == "bounce"

    def test_our_own_digest_sent_back_gets_no_answer(self, voting: Post) -> None:
        paper = voting.newest("Bo", "301")
        voting.ignores(paper.file.read_bytes().replace(b"\n", b"\r\n"))
        assert voting.taken()[0].kind == "loop"

    def test_our_own_digest_sent_on_by_a_player_gets_no_answer(self, voting: Post) -> None:
        content = voting.compose("Bo", "for 301", X_Pbem_Loop=GAME)
        voting.ignores(content)
        assert voting.taken()[0].kind == "loop"


def test_a_late_mail_counts_by_the_moment_it_was_taken(game: Post) -> None:
    """The Date header says nothing: what counts is when the server took the mail."""
    game.propose("Alice", TEA)
    game.vote(301, Alice="for", Bo="for")
    content = game.compose("Cia", "for 301", Date="Tue, 01 Dec 2020 10:00:00 +0000")
    game.wait(3 * HOUR)
    answer = game.answer("Cia", content)
    assert "13:0" in answer.text
