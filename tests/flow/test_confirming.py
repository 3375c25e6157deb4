"""A mail that nothing proves waits for a word from the registered address, and so does what is never done on a mail's
word alone: another address, leaving, being forgotten."""

from __future__ import annotations

import pytest

from pbem.mail.message import Envelope
from pbem.service import process
from pbem.service.receive import receive
from pbem.store import eventlog, people
from tests.flow.forging import TOKEN, WORLD, headers, replaced, results, signed, token, with_token
from tests.flow.post import ADDRESS, DAY, GAME, HOUR, MINUTE, PEOPLE, TEA, Letter, Post, maildir

ASKED = "1 question: did you write this?"
MEANT = "1 question: do you mean this?"


def held(post: Post, name: str, words: str, **mail: str) -> Letter:
    """A mail that nothing proves; returns the one that asks its owner."""
    before = len(post.inbox(name))
    post.take(post.compose(name, words, **mail), source=WORLD)
    (asked,) = post.inbox(name)[before:]
    assert ASKED in asked.subject
    assert post.taken()[0].state == "held"
    return asked


def reply(post: Post, name: str, asked: Letter, words: str, **mail: str) -> bytes:
    """A reply to a certain mail, from the address of `name`; no receiver says anything of it."""
    return post.compose(
        name,
        words,
        To=str(asked.message["Reply-To"]),
        subject=f"Re: {asked.subject}",
        In_Reply_To=str(asked.message["Message-ID"]),
        **mail,
    )


def answer(
    post: Post, name: str, asked: Letter, words: str, *, at: int | None = None, **mail: str
) -> list[Letter]:
    """The mails that the answer to a question brings to whoever gave it."""
    before = len(post.inbox(name))
    post.take(reply(post, name, asked, words, **mail), source=WORLD, at=at)
    return post.inbox(name)[before:]


class TestAHeldMail:
    def test_the_question_shows_what_was_written_and_until_when_it_can_be_answered(
        self, voting: Post
    ) -> None:
        asked = held(voting, "Bo", "against 301", subject="My ballot")
        assert "> against 301" in asked.text
        assert "My ballot" in asked.text
        assert "until Thu 3 Dec 2026 10:02" in asked.words, "forty-eight hours"
        assert "\n    OK\n" in asked.text
        assert asked.message["Auto-Submitted"] == "auto-replied"
        assert str(asked.message["In-Reply-To"]).endswith("@berg.example>"), "beside the mail it is about"
        assert asked.message["Precedence"] is None

    @pytest.mark.parametrize(
        "word",
        [
            "OK",
            "ok.",
            "Yes!",
            "ja",
            "Hi,\n\n  OK\n\nBo",
            "> did you?\n\nOK",
            "Ok, det var jag",
            "Yes, that was me",
            "Ja, jag skrev det. Tack!",
        ],
    )
    def test_one_word_lets_it_count(self, voting: Post, word: str) -> None:
        asked = held(voting, "Bo", "against 301")
        (receipt,) = answer(voting, "Bo", asked, word)
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "against"}
        assert "against" in receipt.text
        assert {mail.state for mail in voting.taken()} == {"done"}

    def test_it_counts_as_of_when_it_came(self, voting: Post) -> None:
        asked = held(voting, "Bo", "against 301")
        came = voting.now
        voting.wait(5 * HOUR)
        (receipt,) = answer(voting, "Bo", asked, "OK")
        with voting.host.store.reading():
            (ballot,) = [
                record for record in eventlog.load(voting.host.store, GAME) if "ballot" in record.kind.lower()
            ]
        assert ballot.at == came
        assert "10:0" in receipt.text, "the receipt names the moment"

    def test_under_a_message_id_that_has_counted_it_does_not_count_though_its_author_confirms_it(
        self, game: Post
    ) -> None:
        """A copy that came by a list: the same Message-ID, a line more, and nothing that proves it."""
        name = "<once@berg.example>"
        game.take(game.compose("Bo", "I wonder about tea.", Message_ID=name))
        asked = held(game, "Bo", "I wonder about tea.\n\nBy courtesy of a list.", Message_ID=name)
        events = game.state()["events"]
        (told,) = answer(game, "Bo", asked, "OK")
        assert "please write this again" in told.subject
        assert game.state()["events"] == events
        assert {mail.state for mail in game.taken()} == {"done"}

    @pytest.mark.parametrize(
        "words", ["No!", "Nej!!! det var inte jag", "no it wasn't", "No, somebody else."]
    )
    def test_no_is_heard_at_once_and_it_cannot_be_confirmed_any_more(self, voting: Post, words: str) -> None:
        asked = held(voting, "Bo", "against 301")
        (told,) = answer(voting, "Bo", asked, words)
        assert "nothing was done" in told.subject
        (told,) = answer(voting, "Bo", asked, "OK")
        assert "settled already" in told.subject
        assert voting.proposal(301)["ballots"] == {}

    @pytest.mark.parametrize(
        "words",
        [
            "I am away until Monday.",
            "OK, I am away until Monday.",
            "OK, your mail has been received.",
            "Yes, that was not me",
            "Ja, det var inte jag",
            "No, yes, that was me",
            "Ok?",
            "OK\nno",
            "against 301",
            "",
        ],
    )
    def test_what_says_neither_is_asked_again_once(self, voting: Post, words: str) -> None:
        asked = held(voting, "Bo", "against 301")
        (again,) = answer(voting, "Bo", asked, words)
        assert "yes or no" in again.subject
        assert answer(voting, "Bo", asked, f"{words} ") == []
        assert voting.proposal(301)["ballots"] == {}
        answer(voting, "Bo", asked, "OK")
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "against"}

    @pytest.mark.parametrize(
        "robot",
        [
            {"Auto_Submitted": "auto-replied"},
            {"Precedence": "bulk"},
            {"X_Autoreply": "yes"},
            {"Subject": "Automatic reply: 1 question"},
            {"Subject": "Frånvaro: 1 fråga"},
        ],
        ids=str,
    )
    def test_an_out_of_office_confirms_nothing_even_if_its_provider_signs_it(
        self, voting: Post, robot: dict[str, str]
    ) -> None:
        asked = held(voting, "Bo", "against 301")
        content = reply(voting, "Bo", asked, "OK", Authentication_Results=results("Bo"))
        for header, value in robot.items():
            content = replaced(content, header.replace("_", "-"), value)
        voting.ignores(content, source=WORLD)
        assert voting.proposal(301)["ballots"] == {}

    def test_it_is_confirmed_once(self, voting: Post) -> None:
        asked = held(voting, "Bo", "against 301")
        answer(voting, "Bo", asked, "OK")
        voting.answer("Bo", signed(voting, "Bo", "for 301"), source=WORLD)
        (told,) = answer(voting, "Bo", asked, "OK")
        assert "settled already" in told.subject
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "for"}

    def test_only_what_was_asked_about_is_confirmed(self, voting: Post) -> None:
        first, second = held(voting, "Bo", "for 301"), held(voting, "Bo", "against 301")
        answer(voting, "Bo", first, "OK\nagainst 301")
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "for"}
        assert second.message["Reply-To"] != first.message["Reply-To"]

    def test_after_the_hold_time_it_is_dropped_and_its_owner_told(self, voting: Post) -> None:
        asked = held(voting, "Bo", "against 301", subject="My ballot")
        voting.wait(2 * DAY - MINUTE)
        assert "Not confirmed" not in voting.inbox("Bo")[-1].subject
        voting.wait(2 * MINUTE)
        told = voting.inbox("Bo")[-1]
        assert "Not confirmed" in told.subject
        assert "My ballot" in told.text
        assert "dropped" in str(voting.taken()[0].result)
        answer(voting, "Bo", asked, "OK")
        assert voting.proposal(301)["ballots"] == {}

    def test_an_answer_that_comes_after_that_and_before_the_clock_has_looked_is_too_late(
        self, voting: Post
    ) -> None:
        asked = held(voting, "Bo", "against 301")
        late = voting.now + 2 * DAY + MINUTE
        receive(voting.host, reply(voting, "Bo", asked, "OK"), Envelope(late), WORLD)
        voting.stored += 1
        process.work_off(voting.host, late)
        assert voting.proposal(301)["ballots"] == {}

    def test_another_holds_token_confirms_nothing(self, voting: Post) -> None:
        """Cia can confirm what came in her name, and not what came in Bo's."""
        bos, cias = held(voting, "Bo", "against 301"), held(voting, "Cia", "for 301")
        answer(voting, "Cia", cias, "OK")
        assert voting.proposal(301)["ballots"] == {"Cia Crane": "for"}
        assert TOKEN.findall(str(bos.message["Reply-To"])) != TOKEN.findall(str(cias.message["Reply-To"]))

    def test_a_reply_token_is_no_confirmation(self, voting: Post) -> None:
        held(voting, "Bo", "against 301")
        content = signed(voting, "Bo", "OK", To=with_token(token(voting, "Bo", GAME)))
        voting.take(content, source=WORLD)
        assert voting.proposal(301)["ballots"] == {}

    def test_the_hold_time_is_the_games(self, post: Post) -> None:
        post.found("Alice", "Bo", "Cia", hold_time="2h")
        post.propose("Alice", TEA)
        asked = held(post, "Bo", "against 301")
        post.wait(3 * HOUR)
        answer(post, "Bo", asked, "OK")
        assert post.proposal(301)["ballots"] == {}

    def test_the_same_mail_with_proof_settles_the_question(self, voting: Post) -> None:
        content = voting.compose("Bo", "against 301")
        voting.take(content, source=WORLD)
        asked = voting.inbox("Bo")[-1]
        voting.answer("Bo", headers(content, f"Authentication-Results: {results('Bo')}"), source=WORLD)
        voting.stored -= 1  # it is one mail
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "against"}
        (told,) = answer(voting, "Bo", asked, "OK")
        assert "settled already" in told.subject

    def test_a_domain_that_fails_is_held_even_with_the_token(self, voting: Post) -> None:
        paper = str(voting.newest("Bo", "301").message["Reply-To"])
        asked = held(voting, "Bo", "against 301", To=paper, Authentication_Results=results("Bo", "fail"))
        answer(voting, "Bo", asked, "OK")
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "against"}

    def test_an_invited_person_whose_provider_does_not_sign_can_join(self, post: Post) -> None:
        post.pbem.done(
            "new", GAME, "--keeper", "Kim <kim@kvist.example>", "--player", "Eve Ek <eve@ek.example>"
        )
        post.wait(MINUTE)
        invited = len(post.inbox("Eve"))
        post.take(post.compose("Eve", "join", subject=f"[{GAME}] hello"), source=WORLD)
        asked = post.inbox("Eve")[invited]
        assert ASKED in asked.subject
        answer(post, "Eve", asked, "OK")
        assert [player["name"] for player in post.state()["players"]] == ["Eve Ek"]

    def test_forgeries_are_asked_about_three_times_a_day_and_summed_up_once(self, voting: Post) -> None:
        before = len(voting.inbox("Bo"))
        for _ in range(7):
            voting.take(voting.compose("Bo", "against 301"), source=WORLD)
        subjects = [letter.subject for letter in voting.inbox("Bo")[before:]]
        assert [ASKED in subject for subject in subjects] == [True, True, True, False]
        assert "No more answers today" in subjects[-1]
        voting.wait(DAY)
        late = [letter.subject for letter in voting.inbox("Bo")[before + 4 :]]
        assert [ASKED in subject for subject in late] == [True] * 3, "the next day, and three of them"
        held(voting, "Bo", "for 301")

    def test_what_could_not_be_asked_about_is_asked_the_next_day_and_counts_by_an_ok(
        self, voting: Post
    ) -> None:
        for _ in range(3):
            voting.take(voting.compose("Bo", "hello"), source=WORLD)
        voting.take(voting.compose("Bo", "against 301"), source=WORLD)
        before = len(voting.inbox("Bo"))
        voting.wait(DAY)
        (asked,) = voting.inbox("Bo")[before:]
        assert "\n    against 301\n" in asked.text
        answer(voting, "Bo", asked, "OK")
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "against"}

    def test_what_was_never_asked_about_is_dropped_without_a_word(self, voting: Post) -> None:
        for _ in range(20):
            voting.take(voting.compose("Bo", "against 301"), source=WORLD)
        voting.wait(5 * DAY)
        assert {mail.state for mail in voting.taken()} == {"done"}

    def test_a_paused_address_is_asked_all_the_same(self, voting: Post) -> None:
        with voting.host.store.transaction():
            for _ in range(voting.host.config.limits.bounces):
                people.add_bounce(voting.host.store, PEOPLE["Bo"][1])
        asked = held(voting, "Bo", "against 301")
        answer(voting, "Bo", asked, "OK")
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "against"}

    def test_the_question_lists_every_command_however_long_the_mail_is(self, voting: Post) -> None:
        prose = "I think this is right, and I say so.\n" * 80
        asked = held(voting, "Bo", f"Hello.\n\n{prose}\nset mail none\nagainst 301\n\n{prose}")
        assert "It goes on after that" in asked.text
        assert "\n    set mail none\n" in asked.text
        assert "\n    against 301\n" in asked.text

    def test_it_lists_them_as_the_server_understands_them_in_that_conversation(self, voting: Post) -> None:
        asked = held(voting, "Bo", "No!", re="301", To=ADDRESS, Authentication_Results=results("Bo", "fail"))
        assert "\n    against 301\n" in asked.text

    def test_that_somebody_writes_swedish_in_another_s_name_changes_no_setting(self, voting: Post) -> None:
        asked = held(voting, "Bo", "mot 301")
        assert "did you write this" in asked.subject
        assert "did you write this" in held(voting, "Bo", "mot 301 ").subject

    @pytest.mark.parametrize(
        "wish",
        [
            "add address mallory@evil.example",
            "remove address bo@old.example",
            "forget me",
            "forfeit for good",
        ],
    )
    def test_an_ok_to_a_held_mail_does_no_wish_in_it_which_gets_a_question_of_its_own(
        self, voting: Post, wish: str
    ) -> None:
        asked = held(voting, "Bo", f"I vote so.\n{wish}\nagainst 301")
        assert f"\n    {wish}\n" in asked.text
        receipt, question = answer(voting, "Bo", asked, "OK")
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "against"}
        assert "waits for you" in receipt.words
        assert MEANT in question.subject
        assert f"\n    {wish}\n" in question.text
        assert addresses(voting, "Bo") == ("bo@berg.example",)
        assert statuses(voting)["Bo"] == "active"
        answer(voting, "Bo", question, "no")
        assert statuses(voting)["Bo"] == "active"

    def test_confirmed_twice_it_is_done(self, voting: Post) -> None:
        asked = held(voting, "Bo", "forfeit for good")
        _, question = answer(voting, "Bo", asked, "OK")
        answer(voting, "Bo", question, "OK")
        assert statuses(voting)["Bo"] == "forfeited"

    def test_a_wish_in_a_held_mail_that_then_comes_with_proof_is_asked_about(self, voting: Post) -> None:
        content = voting.compose("Bo", "forfeit for good")
        voting.take(content, source=WORLD)
        before = len(voting.inbox("Bo"))
        voting.take(headers(content, f"Authentication-Results: {results('Bo')}"), source=WORLD)
        voting.stored -= 1  # it is one mail
        receipt, question = voting.inbox("Bo")[before:]
        assert "waits for you" in receipt.words
        assert MEANT in question.subject
        answer(voting, "Bo", question, "OK")
        assert statuses(voting)["Bo"] == "forfeited"

    @pytest.mark.parametrize(
        ("first", "how"),
        [("OK", "You have confirmed it already, and it counts."), ("no", "You have said no to it already")],
    )
    def test_a_second_answer_is_told_how_the_first_one_settled_it(
        self, voting: Post, first: str, how: str
    ) -> None:
        asked = held(voting, "Bo", "against 301")
        answer(voting, "Bo", asked, first)
        (told,) = answer(voting, "Bo", asked, "OK ")
        assert how in told.words


class TestTheClose:
    """Alice and Cia have voted; Bo's ballot is held; the vote would close by silence at its deadline."""

    @pytest.fixture(name="closing")
    def _closing(self, post: Post) -> Post:
        post.found("Alice", "Bo", "Cia", silence='"against"', voting_time="2d", grace="1h")
        post.propose("Alice", TEA)
        post.vote(301, Alice="for", Cia="for")
        post.wait(2 * DAY - 2 * HOUR)
        return post

    def test_a_held_ballot_counts_though_its_deadline_is_past(self, closing: Post) -> None:
        asked = held(closing, "Bo", "for 301")
        closing.wait(1 * DAY)
        assert closing.proposal(301)["stage"] == "voting", "the close waits"
        answer(closing, "Bo", asked, "OK")
        assert closing.proposal(301)["stage"] == "adopted"
        assert closing.is_whole()

    def test_it_is_put_off_by_the_hold_time_and_no_longer(self, closing: Post) -> None:
        held(closing, "Bo", "for 301")
        closing.wait(1 * DAY)
        held(closing, "Bo", "against 301")  # came after the deadline: puts nothing off
        closing.wait(1 * DAY - HOUR)
        assert closing.proposal(301)["stage"] == "voting"
        closing.wait(2 * HOUR)
        assert closing.proposal(301)["stage"] == "defeated", "silence counts as against"

    def test_no_lets_it_close_at_once(self, closing: Post) -> None:
        asked = held(closing, "Bo", "for 301")
        closing.wait(1 * DAY)
        answer(closing, "Bo", asked, "no")
        assert closing.proposal(301)["stage"] == "defeated"

    def test_a_held_mail_without_a_ballot_puts_nothing_off(self, closing: Post) -> None:
        held(closing, "Bo", "status")
        closing.wait(1 * DAY)
        assert closing.proposal(301)["stage"] == "defeated"

    def test_nor_does_one_of_somebody_who_has_no_seat(self, closing: Post) -> None:
        closing.take(closing.compose("Kim", "for 301"), source=WORLD)
        closing.wait(1 * DAY)
        assert closing.proposal(301)["stage"] == "defeated"

    def test_the_last_ballot_closes_the_vote_only_when_no_other_is_held(self, voting: Post) -> None:
        """Cooling time 0: it would close with the third ballot."""
        voting.vote(301, Alice="for", Bo="for")
        asked = held(voting, "Bo", "against 301")
        voting.vote(301, Cia="for")
        assert voting.proposal(301)["stage"] == "voting"
        answer(voting, "Bo", asked, "OK")
        assert voting.proposal(301)["stage"] == "defeated"

    def test_a_newer_ballot_is_not_undone_by_an_older_one_that_is_confirmed_late(self, voting: Post) -> None:
        asked = held(voting, "Bo", "against 301")
        voting.answer("Bo", signed(voting, "Bo", "for 301"), source=WORLD)
        (receipt,) = answer(voting, "Bo", asked, "OK")
        assert "You have voted anew since" in receipt.words
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "for"}

    def test_nor_by_one_that_comes_again_with_proof(self, voting: Post) -> None:
        content = voting.compose("Bo", "for 301")
        voting.take(content, source=WORLD)
        voting.answer("Bo", signed(voting, "Bo", "against 301"), source=WORLD)
        receipt = voting.answer(
            "Bo", headers(content, f"Authentication-Results: {results('Bo')}"), source=WORLD
        )
        voting.stored -= 1  # it is one mail
        assert "You have voted anew since" in receipt.words
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "against"}

    def test_nor_one_that_was_taken_back(self, voting: Post) -> None:
        asked = held(voting, "Bo", "against 301")
        voting.answer("Bo", signed(voting, "Bo", "for 301\nretract vote 301"), source=WORLD)
        answer(voting, "Bo", asked, "OK")
        assert voting.proposal(301)["ballots"] == {}


class TestWhoIsTold:
    def test_a_stolen_vote_shows_in_the_inbox_of_the_one_it_was_stolen_from(self, voting: Post) -> None:
        """Somebody at the same small provider, whom its signature cannot tell from Bo."""
        before = len(voting.inbox("Bo"))
        voting.take(signed(voting, "Bo", "against 301"), source=WORLD, sender="other@berg.example")
        (receipt,) = voting.inbox("Bo")[before:]
        assert receipt.message["To"].addresses[0].addr_spec == PEOPLE["Bo"][1]
        assert "against" in receipt.text
        voting.answer("Bo", signed(voting, "Bo", "for 301"), source=WORLD)
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "for"}, "and is undone before the close"


def from_alias(post: Post, words: str, address: str = "bo@work.example", **mail: str) -> bytes:
    """A reply of Bo's to the ballot paper, from an address that nobody knows here."""
    content = replaced(post.compose("Bo", words, re="301", **mail), "From", f"Bo <{address}>")
    return headers(content, f"Authentication-Results: mx.nomic.example; dmarc=pass header.from={address[3:]}")


class TestAnotherAddress:
    def test_a_reply_from_an_unknown_address_is_asked_about_at_the_registered_one(self, voting: Post) -> None:
        before = len(voting.inbox("Bo"))
        voting.take(from_alias(voting, "against"), source=WORLD)
        (asked,) = voting.inbox("Bo")[before:]
        assert "bo@work.example" in asked.text
        assert "add address bo@work.example" in asked.text
        answer(voting, "Bo", asked, "OK")
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "against"}
        voting.take(from_alias(voting, "for"), source=WORLD)
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "against"}, "it was for that mail alone"

    def test_the_address_can_be_added_with_the_same_answer(self, voting: Post) -> None:
        voting.take(from_alias(voting, "against"), source=WORLD)
        answer(voting, "Bo", voting.inbox("Bo")[-1], "add address bo@work.example")
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "against"}
        before = len(voting.inbox("Bo"))
        voting.take(from_alias(voting, "for"), source=WORLD)
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "for"}
        (receipt,) = voting.inbox("Bo")[before:]
        assert receipt.message["To"].addresses[0].addr_spec == "bo@berg.example", "never to From"

    def test_one_whose_provider_has_not_signed_is_asked_itself_before_it_is_added(self, voting: Post) -> None:
        content = replaced(voting.compose("Bo", "against", re="301"), "From", "Bo <bo@work.example>")
        voting.take(content, source=WORLD)
        answer(voting, "Bo", voting.inbox("Bo")[-1], "add address bo@work.example")
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "against"}
        assert addresses(voting, "Bo") == ("bo@berg.example",)
        agree(voting, "bo@work.example", "OK")
        assert addresses(voting, "Bo") == ("bo@berg.example", "bo@work.example")

    def test_a_list_that_put_itself_into_from_is_asked_about_and_not_offered(self, voting: Post) -> None:
        content = replaced(
            voting.compose("Bo", "against", re="301"), "From", "Bo via Talk <talk@lists.example>"
        )
        voting.take(headers(content, "List-Id: <talk.lists.example>"), source=WORLD)
        asked = voting.inbox("Bo")[-1]
        assert ASKED in asked.subject
        assert "add address" not in asked.text
        answer(voting, "Bo", asked, "ja")
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "against"}

    @pytest.mark.parametrize("way", [WORLD, "host"])
    def test_adding_one_is_confirmed_at_the_old_one(self, voting: Post, way: str) -> None:
        before = len(voting.inbox("Bo"))
        voting.take(signed(voting, "Bo", "add address bo@new.example\nagainst 301"), source=way)
        receipt, asked = voting.inbox("Bo")[before:]
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "against"}, "the rest is done"
        assert "waits for you" in receipt.words
        assert MEANT in asked.subject
        assert asked.message["To"].addresses[0].addr_spec == "bo@berg.example"
        assert addresses(voting, "Bo") == ("bo@berg.example",)
        (done,) = answer(voting, "Bo", asked, "OK")
        assert "A question has gone to bo@new.example" in done.words
        assert addresses(voting, "Bo") == ("bo@berg.example",)
        agree(voting, "bo@new.example", "OK")
        assert "bo@new.example are yours" in voting.inbox("Bo")[-1].words
        assert addresses(voting, "Bo") == ("bo@berg.example", "bo@new.example")
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "against"}, "and the rest is not done again"

    def test_the_registered_one_changes_by_taking_it_away(self, voting: Post) -> None:
        voting.take(signed(voting, "Bo", "add address bo@new.example"), source=WORLD)
        answer(voting, "Bo", voting.inbox("Bo")[-1], "OK")
        agree(voting, "bo@new.example", "OK")
        voting.take(signed(voting, "Bo", "remove address bo@berg.example"), source=WORLD)
        asked = voting.inbox("Bo")[-1]
        assert asked.message["To"].addresses[0].addr_spec == "bo@berg.example", "the old one is asked"
        answer(voting, "Bo", asked, "OK")
        assert addresses(voting, "Bo") == ("bo@new.example",)

    @pytest.mark.parametrize(
        ("line", "why"),
        [
            ("add address cia@crane.example", "belongs to somebody here already"),
            ("add address bo", "is no mail address"),
            ("add address eve@ek.example", "is invited to a game"),
            ("remove address bo@berg.example", "your only address"),
            ("remove address cia@crane.example", "none of your addresses"),
        ],
    )
    def test_what_cannot_be_done_is_said(self, voting: Post, line: str, why: str) -> None:
        with voting.host.store.transaction():
            people.invite(voting.host.store, people.Invitation(GAME, "eve@ek.example", "Eve Ek", 0))
        voting.take(signed(voting, "Bo", line), source=WORLD)
        (told,) = answer(voting, "Bo", voting.inbox("Bo")[-1], "OK")
        assert why in told.words
        assert addresses(voting, "Bo") == ("bo@berg.example",)

    def test_an_address_that_says_no_or_nothing_is_not_added(self, voting: Post) -> None:
        voting.take(
            signed(voting, "Bo", "add address bo@new.example\nadd address bo@third.example"), source=WORLD
        )
        answer(voting, "Bo", voting.inbox("Bo")[-1], "OK")
        asked = agree(voting, "bo@new.example", "no")
        assert asked.message["To"].addresses[0].addr_spec == "bo@new.example"
        assert "Bo Berg plays Nomic" in asked.words
        voting.wait(3 * DAY)
        agree(voting, "bo@third.example", "OK")
        assert addresses(voting, "Bo") == ("bo@berg.example",)

    def test_an_address_that_is_somebodys_by_then_stays_theirs(self, voting: Post) -> None:
        voting.take(signed(voting, "Bo", "add address eve@ek.example"), source=WORLD)
        answer(voting, "Bo", voting.inbox("Bo")[-1], "OK")
        voting.take(signed(voting, "Eve", "observe", To=f"nomic+{GAME}@nomic.example"), source=WORLD)
        asked = next(letter for letter in voting.inbox("Eve") if "is this address yours" in letter.subject)
        answer(voting, "Eve", asked, "OK")
        assert addresses(voting, "Bo") == ("bo@berg.example",)

    def test_somebody_else_cannot_have_it_added(self, voting: Post) -> None:
        content = headers(voting.compose("Bo", "add address mallory@evil.example"))
        voting.take(content, source=WORLD)
        assert ASKED in voting.inbox("Bo")[-1].subject
        assert addresses(voting, "Bo") == ("bo@berg.example",)


def agree(post: Post, address: str, word: str) -> Letter:
    """An address that somebody wants to add answers the question that went to it."""
    (asked,) = [
        Letter(file)
        for file in maildir(post.folder / "mail" / address)
        if "address yours" in Letter(file).subject
    ]
    content = replaced(reply(post, "Bo", asked, word), "From", f"<{address}>")
    post.take(content, source=WORLD)
    return asked


def addresses(post: Post, name: str) -> tuple[str, ...]:
    with post.host.store.reading():
        person = people.person_by_address(post.host.store, PEOPLE[name][1]) or people.person_by_address(
            post.host.store, f"{name.lower()}@new.example"
        )
        return people.addresses_of(post.host.store, person.id) if person else ()


class TestLanguage:
    def test_whoever_has_chosen_none_is_asked_in_the_games(self, post: Post) -> None:
        post.found("Alice", "Bo", "Cia", language="sv")
        post.propose("Alice", TEA)
        post.take(post.compose("Bo", "mot 301"), source=WORLD)
        asked = post.inbox("Bo")[-1]
        assert "har du skrivit det här" in asked.subject
        assert "\n    NEJ\n" in asked.text
        (told,) = answer(post, "Bo", asked, "Nej!")
        assert "ingenting gjordes" in told.subject


class TestLeaving:
    def test_leaving_is_confirmed(self, voting: Post) -> None:
        voting.take(signed(voting, "Bo", "forfeit for good"), source=WORLD)
        asked = voting.inbox("Bo")[-1]
        assert MEANT in asked.subject
        assert "forfeit for good" in asked.text
        assert statuses(voting)["Bo"] == "active"
        answer(voting, "Bo", asked, "OK")
        assert statuses(voting)["Bo"] == "forfeited"

    def test_it_is_not_done_without(self, voting: Post) -> None:
        voting.take(signed(voting, "Bo", "forfeit for good"), source=WORLD)
        asked = voting.inbox("Bo")[-1]
        voting.wait(3 * DAY)
        answer(voting, "Bo", asked, "OK")
        assert statuses(voting)["Bo"] == "active"

    def test_the_hosts_word_is_enough(self, voting: Post) -> None:
        voting.mail("Bo", "forfeit for good")
        assert statuses(voting)["Bo"] == "forfeited"


class TestEndingAGame:
    def test_the_end_is_confirmed(self, voting: Post) -> None:
        boxes = len(voting.inbox("Bo"))
        voting.take(signed(voting, "Kim", "end: enough\nannounce: tea"), source=WORLD)
        asked = next(letter for letter in voting.inbox("Kim") if MEANT in letter.subject)
        assert "\n    end: enough\n" in asked.text
        assert voting.state()["status"] == "playing"
        assert len(voting.inbox("Bo")) == boxes + 1, "what is said beside it is done"
        answer(voting, "Kim", asked, "OK")
        assert voting.state()["status"] == "ended"
        assert "enough" in voting.newest("Bo", "the game has ended").words

    def test_a_player_who_says_it_is_refused_and_not_asked(self, voting: Post) -> None:
        voting.take(signed(voting, "Bo", "end: enough"), source=WORLD)
        refused = voting.inbox("Bo")[-1]
        assert "Only the keeper ends the game." in refused.words
        assert voting.state()["status"] == "playing"

    def test_it_is_not_done_without(self, voting: Post) -> None:
        voting.take(signed(voting, "Kim", "end: enough"), source=WORLD)
        asked = voting.inbox("Kim")[-1]
        answer(voting, "Kim", asked, "NO")
        assert voting.state()["status"] == "playing"

    def test_what_is_over_when_it_is_confirmed_is_refused(self, voting: Post) -> None:
        voting.take(signed(voting, "Kim", "end: enough"), source=WORLD)
        asked = voting.inbox("Kim")[-1]
        voting.mail("Kim", "end: enough")
        (told,) = answer(voting, "Kim", asked, "OK")
        assert "The keeper has ended this game." in told.words


class TestALostMailbox:
    def test_that_mails_go_elsewhere_is_confirmed(self, voting: Post) -> None:
        """Else whoever got hold of one mail to the keeper could take any seat, and keep the game."""
        line = "address Bo Berg: bo@home.example: He lost it"
        voting.take(voting.compose("Kim", line, re="has begun"), source=WORLD)
        voting.take(signed(voting, "Kim", line), source=WORLD)
        assert "bo@berg.example" in reached(voting)
        asked = next(letter for letter in reversed(voting.inbox("Kim")) if MEANT in letter.subject)
        assert "address Bo Berg: <bo@home.example>: He lost it" in asked.words

        answer(voting, "Kim", asked, "OK")

        assert "bo@home.example" in reached(voting)
        assert "bo@berg.example" not in reached(voting)

    def test_what_cannot_be_is_refused_at_once(self, voting: Post) -> None:
        voting.take(signed(voting, "Bo", "address Cia Crane: bo@home.example"), source=WORLD)
        assert "Only the keeper changes where" in voting.inbox("Bo")[-1].words

    def test_that_somebody_else_keeps_the_game_is_confirmed(self, voting: Post) -> None:
        voting.take(signed(voting, "Kim", "pass keepership to Bo Berg: I am away"), source=WORLD)
        asked = voting.inbox("Kim")[-1]
        assert MEANT in asked.subject
        assert "pass keepership to Bo Berg: I am away" in asked.words
        assert "Only the keeper" in voting.refuses("Bo", "ruling: tea").words

        answer(voting, "Kim", asked, "OK")

        assert "Only the keeper can do this." in voting.refuses("Kim", "ruling: tea").words
        voting.mail("Bo", "ruling: tea is free")
        assert "tea is free" in voting.newest("Cia", "the keeper decides").words


def reached(post: Post) -> set[str]:
    """Where mails of the game go."""
    with post.host.store.reading():
        return {reader.address for reader in people.readers(post.host.store, GAME)}


def statuses(post: Post) -> dict[str, str]:
    return {player["name"].partition(" ")[0]: player["status"] for player in post.state()["players"]}


def rows(post: Post) -> dict[str, str]:
    """All that the database holds, by table."""
    store = post.host.store
    with store.reading():
        return {table: repr(list(store.rows(f'SELECT * FROM "{table}"'))) for table in store.db.get_tables()}  # noqa: S608  # its own tables


class TestBeingForgotten:
    def test_addresses_and_mails_are_gone_the_name_stays_and_the_log_is_whole(self, four: Post) -> None:
        four.propose("Alice", TEA)
        four.answer("Bo", signed(four, "Bo", "against 301"), source=WORLD)
        held(four, "Bo", "for 301")
        four.take(signed(four, "Bo", "forget me"), source=WORLD)
        asked = four.inbox("Bo")[-1]
        assert "last mail you get" in asked.words
        assert answer(four, "Bo", asked, "OK") == [], "the last mail it was"
        assert statuses(four)["Bo"] == "forfeited"
        assert [p["name"] for p in four.state()["players"] if "Bo" in p["name"]] == ["Bo Berg"]
        kept = rows(four)
        assert [table for table in kept if "berg.example" in kept[table]] == []
        assert "against 301" not in kept["inbox"]
        assert four.is_whole()
        before = len(four.inbox("Bo"))
        four.vote(301, Alice="for", Cia="for", Dan="for")
        assert len(four.inbox("Bo")) == before

    def test_the_host_can_do_it_for_somebody(self, voting: Post) -> None:
        voting.pbem.done("do", GAME, "--as", "Bo Berg", "forget me")
        assert statuses(voting)["Bo"] == "forfeited"
        assert addresses(voting, "Bo") == ()

    def test_it_is_not_done_without_a_word(self, voting: Post) -> None:
        voting.take(signed(voting, "Bo", "forget me"), source="host")
        assert MEANT in voting.inbox("Bo")[-1].subject
        assert addresses(voting, "Bo") == ("bo@berg.example",)

    def test_nothing_is_left_of_old_addresses_and_of_robots(self, four: Post) -> None:
        four.propose("Alice", TEA)
        own = four.newest("Bo", "301").message
        with four.host.store.transaction():
            bo = people.person_by_address(four.host.store, PEOPLE["Bo"][1])
            assert bo is not None
            people.add_address(four.host.store, bo.id, "bo@work.example")
        four.take(from_alias(four, "hello to all of you who play"), source=WORLD)
        four.take(signed(four, "Bo", "remove address bo@work.example"), source=WORLD)
        answer(four, "Bo", four.inbox("Bo")[-1], "OK")
        away = replaced(four.compose("Bo", "I am away, at berg.example"), "Auto-Submitted", "auto-replied")
        four.take(away, source=WORLD)
        robot = replaced(
            four.compose("Zoe", "berg.example is away", To=str(own["Reply-To"])), "Precedence", "bulk"
        )
        four.take(robot, source=WORLD)
        four.take(replaced(four.compose("Zoe", "no bo@berg.example here"), "Auto-Submitted", "auto-replied"))
        four.take(signed(four, "Bo", "forget me"), source=WORLD)
        answer(four, "Bo", four.inbox("Bo")[-1], "OK")
        kept = rows(four)
        assert [
            table for table in kept if "berg.example" in kept[table] or "work.example" in kept[table]
        ] == []
        files = [file.read_bytes() for file in four.folder.glob("pbem.db*")]
        assert [content for content in files if b"berg.example" in content] == [], (
            "nor in the database's own log"
        )

    def test_a_token_of_theirs_never_is_the_next_ones(self, four: Post) -> None:
        four.take(signed(four, "Zoe", "observe", To=f"nomic+{GAME}@nomic.example"), source=WORLD)
        theirs = token(four, "Zoe", GAME)
        four.take(signed(four, "Zoe", "forget me", To=f"nomic+{GAME}@nomic.example"), source=WORLD)
        asked = Letter(maildir(four.folder / "mail" / "zoe")[-1])
        assert MEANT in asked.subject
        four.take(reply(four, "Zoe", asked, "OK"), source=WORLD)
        four.take(signed(four, "Eve", "observe", To=f"nomic+{GAME}@nomic.example"), source=WORLD)
        four.take(four.compose("Eve", "set mail none", To=with_token(theirs)), source=WORLD)
        assert four.taken()[0].state == "held"

    def test_a_keeper_hands_over_first(self, voting: Post) -> None:
        voting.take(signed(voting, "Kim", "forget me"), source=WORLD)
        (told,) = answer(voting, "Kim", voting.inbox("Kim")[-1], "OK")
        assert "somebody else must be its keeper first" in told.words

    def test_a_stranger_has_nothing_to_forget(self, voting: Post) -> None:
        content = signed(voting, "Zoe", "forget me", subject=f"[{GAME}] me", To=ADDRESS)
        voting.take(content, source=WORLD)
        assert "Join or observe a game first" in voting.inbox("Zoe")[-1].words
