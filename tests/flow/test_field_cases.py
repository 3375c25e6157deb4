"""Situations that games by mail have met, fifteen of them, each from the mail as it came (field/*.eml) to state and reply."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.flow.post import HOUR, SECOND, Post

FIELD = Path(__file__).parent / "field"
MANY = """\
propose amend 202: Many a turn
The player on turn makes nine proposals.
clause proposals per turn: 9"""


def eml(name: str) -> bytes:
    return (FIELD / f"{name}.eml").read_bytes()


@pytest.fixture(name="six")
def _six(game: Post) -> Post:
    """302 to 307, “A” to “F”, are voted on at once."""
    game.turn("Alice", MANY, Alice="for", Bo="for", Cia="for")
    for title in "ABCDEF":
        game.propose("Alice", f"propose enact: {title}\nText {title}.")
    return game


def ballots(game: Post, voter: str) -> dict[int, str]:
    return {
        proposal["number"]: proposal["ballots"][voter]
        for proposal in game.state()["proposals"]
        if voter in proposal["ballots"] and proposal["number"] > 301
    }


def test_1_words_under_quoted_rows_are_ballots_on_the_proposals_of_the_rows(six: Post) -> None:
    reply = six.answer("Bo", eml("01-answers-under-rows"))

    assert ballots(six, "Bo Berg") == {302: "for", 303: "against", 306: "for", 307: "for"}
    assert "These words stand under a row about proposal 305." in reply.words
    assert "for 305" in reply.words
    assert "Nothing stands under the row of proposal 304, and that is no ballot." in reply.words
    assert "> for, nice one Understood as: for 306" in reply.words


def test_2_for_all_of_these_counts_for_what_the_mail_quotes_and_nothing_else_in_it(six: Post) -> None:
    reply = six.answer("Cia", eml("02-for-all-of-these"))

    assert ballots(six, "Cia Crane") == dict.fromkeys(range(302, 308), "for")
    for number in range(302, 308):
        assert f"Your ballot on proposal {number}: for" in reply.words


def test_3_a_delayed_copy_is_no_mail_and_a_ballot_dated_earlier_counts_with_a_warning(voting: Post) -> None:
    voting.answer("Cia", eml("03-first-for"))
    voting.answer("Cia", eml("03-then-against"), at=voting.now + 23 * HOUR)
    inbox = len(voting.inbox("Cia"))

    assert voting.take(eml("03-first-for")) == "repeat"
    assert len(voting.inbox("Cia")) == inbox
    assert voting.proposal(301)["ballots"] == {"Cia Crane": "against"}
    reply = voting.answer("Cia", eml("03-for-again-dated-earlier"))

    assert voting.proposal(301)["ballots"] == {"Cia Crane": "for"}
    assert "Your mail is dated Tue 1 Dec 2026 10:06:00 UTC, before the ballot it replaces." in reply.words
    assert "To have that one back, send “against 301”." in reply.words


def test_4_a_ballot_forty_seconds_late_is_not_counted_and_the_keeper_sees_its_times(voting: Post) -> None:
    voting.vote(301, Alice="for", Cia="for", Bo="for")
    assert voting.proposal(301)["stage"] == "adopted"
    closed = voting.now

    reply = voting.answer("Bo", eml("04-forty-seconds-late"), at=closed + 40 * SECOND)

    assert voting.proposal(301)["ballots"]["Bo Berg"] == "for"
    assert "closed Tue 1 Dec 2026" in reply.words
    assert "claim: …" in reply.words, "and how to say that this is wrong"
    margin = voting.newest("Kim", "a ballot came after the close")
    assert "against 301" in margin.words
    for row in ("The vote closed", "Our server took the mail", "Its Date says", "A server handed it on"):
        assert row in margin.words
    assert margin.words.count("A server handed it on") == 2
    assert "rerun 301: …" in margin.words


def test_13_a_ballot_from_an_address_nobody_knows_counts_for_nobody(voting: Post) -> None:
    boxes = voting.everybody()
    voting.take(eml("13-from-an-unknown-address"), source="lmtp 127.0.0.1")

    assert voting.proposal(301)["ballots"] == {}
    after = voting.everybody()
    assert {box: after[box] - boxes.get(box, 0) for box in after if after[box] != boxes.get(box, 0)} == {
        "bob.private@mail.example": 1
    }, "the address is genuine, and gets the one short answer for strangers"


def test_13_the_right_from_without_proof_is_held_and_its_owner_asked(voting: Post) -> None:
    before = len(voting.inbox("Bo"))
    voting.take(eml("13-the-right-from-without-proof"), source="lmtp 127.0.0.1")

    assert voting.proposal(301)["ballots"] == {}
    assert voting.taken()[0].state == "held"
    asked = voting.inbox("Bo")[before]
    assert "against 301" in asked.words
    answer = voting.compose(
        "Bo", "ok", To=str(asked.message["Reply-To"]), In_Reply_To=str(asked.message["Message-ID"])
    )
    voting.take(answer, source="lmtp 127.0.0.1")
    assert voting.proposal(301)["ballots"] == {"Bo Berg": "against"}


@pytest.mark.parametrize("name", ["14-out-of-office", "14-bounce", "14-our-own-list-mail"])
def test_14_what_no_person_wrote_has_no_answer_and_no_effect(voting: Post, name: str) -> None:
    voting.ignores(eml(name), source="lmtp 127.0.0.1")

    assert voting.proposal(301)["ballots"] == {}
    assert voting.taken()[0].kind != "human"


def test_15_what_is_struck_out_or_attached_is_not_read_and_that_is_told(voting: Post) -> None:
    reply = voting.answer("Cia", eml("15-struck-out-in-html"))

    assert voting.proposal(301)["ballots"] == {"Cia Crane": "against"}
    assert "Words that are struck out in your mail were not read." in reply.words
    assert "What is attached to your mail was not read: my vote.txt." in reply.words


def test_5_conditions_and_endorsements_are_settled_at_the_close_and_a_circle_is_no_ballot(six: Post) -> None:
    six.answer("Alice", eml("05-if-it-would-pass"))
    six.answer("Bo", eml("05-endorses-cia"))
    six.answer("Cia", eml("05-endorses-bo"))
    six.vote(304, Alice="for", Bo="against", Cia="for")
    assert six.proposal(304)["stage"] == "defeated"

    six.vote(307, Bo="for", Cia="for")
    assert (six.proposal(307)["stage"], six.proposal(307)["settled"]["Alice Ahlgren"]) == (
        "defeated",
        "against",
    )

    # 305: Bo and Cia follow each other, and Alice follows Bo. Nobody has a ballot: 0 for of 3.
    assert (six.proposal(305)["stage"], six.proposal(305)["votes_for"]) == ("defeated", 0)
    told = six.newest("Bo", "305").words
    assert "in a circle" in told


@pytest.fixture(name="one")
def _one(voting: Post) -> Post:
    return voting


def test_6_a_vote_like_other_peoples_is_asked_back(one: Post) -> None:
    reply = one.answer("Cia", eml("06-same-as-the-others"))

    assert one.proposal(301)["ballots"] == {}
    assert "1 question" in reply.subject


@pytest.mark.parametrize(
    ("number", "offered"),
    [
        (1, ["against 301"]),
        (2, ["for 301", "against 301"]),
        (3, ["for 301"]),
        (4, ["for 301"]),
        (5, ["against 301"]),
    ],
)
def test_7_a_strange_vote_is_never_guessed_at(one: Post, number: int, offered: list[str]) -> None:
    reply = one.answer("Bo", eml(f"07-strange-vote-{number}"))

    assert one.proposal(301)["ballots"] == {}
    assert "votes are never guessed" in reply.words
    for line in offered:
        assert f"\n    {line}\n" in reply.text


def test_8_a_vote_on_the_number_of_a_rule_is_asked_back_naming_both(one: Post) -> None:
    reply = one.answer("Bo", eml("08-a-number-that-is-a-rule"))

    assert one.proposal(301)["ballots"] == {}
    assert "names proposal 301, this line 207" in reply.words


def test_9_a_change_in_prose_is_asked_back_with_the_rule_it_names_and_the_one_it_sounds_like(
    game: Post,
) -> None:
    reply = game.answer("Alice", eml("09-number-and-title-disagree"))

    assert game.state()["proposals"] == []
    assert "Rule 206 is called “The price of defeat”." in reply.words
    assert "“The winner” is rule 208." in reply.words


def test_10_a_text_is_kept_to_the_byte_whatever_it_looks_like(game: Post) -> None:
    game.answer("Alice", eml("10-a-text-with-traps"))

    assert game.proposal(301)["text"] == (
        "On adoption of this rule, Ms Ray wrote:\n> Let there be tea.\nAnd there was tea.\n-- \n"
        "This stands below two dashes and is the last clause."
    )


def test_11_four_acts_in_a_mail_are_each_answered_and_one_failure_leaves_the_others(six: Post) -> None:
    reply = six.answer("Alice", eml("11-four-acts"))

    made = {proposal["title"]: proposal["text"] for proposal in six.state()["proposals"]}
    assert (made["First"], made["Second"]) == ("The first text.", "The second text.")
    assert ballots(six, "Alice Ahlgren") == {302: "for"}
    assert six.state()["cases"][0]["question"] == "turn 4 ended early"
    assert "not sure that everybody" in reply.words, "the words between went to nobody, and that is told"


def test_11_out_of_turn_the_proposals_are_refused_and_the_rest_counts(six: Post) -> None:
    six.vote(302, Bo="for")
    mail = (
        eml("11-four-acts")
        .replace(b"alice@ahlgren.example", b"cia@crane.example")
        .replace(b"Alice Ahlgren", b"Cia Crane")
    )
    reply = six.answer("Cia", mail)

    assert "2 problems" in reply.subject
    assert ballots(six, "Cia Crane") == {302: "for"}
    assert len(six.state()["cases"]) == 1


def test_12_a_proposal_that_is_voted_on_cannot_be_taken_back_and_that_is_told_at_once(one: Post) -> None:
    reply = one.answer("Alice", eml("12-retract-and-resubmit"))

    assert one.proposal(301)["stage"] == "voting"
    assert (
        "It could not be done anyway: The vote on proposal 301 is open, so its text is frozen." in reply.words
    )
    assert "withdraw 301" not in reply.words
