"""Silence by mail: reminders, grace, what the keeper replies, who is away, and a seat that passes to a volunteer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.flow.conftest import opened
from tests.flow.post import DAY, HOUR, TEA, Letter, Post

TE = "föreslå ny: Te\nTe serveras klockan fyra."


@pytest.fixture(name="three")
def _three(post: Post) -> Post:
    """Alice, Bo and Cia in English; 301 is voted on, and Cia is silent."""
    post.found("Alice", "Bo", "Cia", zone="Europe/Stockholm")
    post.propose("Alice", TEA)
    post.vote(301, Alice="for", Bo="for")
    return post


def since(post: Post, name: str, count: int) -> list[Letter]:
    return post.inbox(name)[count:]


def test_the_late_one_gets_each_reminder_once_and_nobody_else_gets_any(three: Post) -> None:
    before = {name: len(three.inbox(name)) for name in ("Alice", "Bo", "Cia", "Kim")}

    for _ in range(8 * 24 - 1):
        three.wait(HOUR)

    cia = since(three, "Cia", before["Cia"])
    assert len(cia) == 3
    assert "Please vote by" in cia[0].words
    assert "There is grace until" in cia[2].words
    assert "9 Dec 2026 11:01:00 Europe/Stockholm (10:01:00 UTC)" in cia[2].words
    assert [len(three.inbox(name)) for name in ("Alice", "Bo", "Kim")] == [
        before[name] for name in ("Alice", "Bo", "Kim")
    ]


def test_the_keeper_replies_with_one_word_and_the_digest_says_what_it_departs_from(three: Post) -> None:
    three.wait(8 * DAY)
    case = three.newest("Kim", "301")
    assert "\n    abstain 301\n" in case.text

    receipt = three.mail("Kim", "abstain: Cia is at sea.", re="301")

    assert receipt.subject.split("] ")[1].startswith("OK")
    assert three.proposal(301)["stage"] == "adopted"
    digest = three.newest("Cia", "Turn 1").words
    assert "out of the vote: Cia Crane. The keeper’s reason: “Cia is at sea.”" in digest
    assert "departs from rule 105" in digest
    assert "departs from rule 105" in three.page("proposals", "301", "index.html")
    assert three.is_whole()


def test_a_second_close_finds_nothing_to_close(three: Post) -> None:
    three.mail("Kim", "close 301: time is up", subject="close")
    three_scores = three.scores()

    again = three.mail("Kim", "close 301", subject="close")

    assert "Proposal 301 was closed" in again.words
    assert three.scores() == three_scores


def test_a_player_who_sends_the_keepers_words_is_told_whose_they_are(three: Post) -> None:
    assert "Only the keeper" in three.mail("Bo", "extend 301 2d").words
    assert "for or against" in three.mail("Bo", "abstain 301").words
    assert three.proposal(301)["stage"] == "voting"


def test_the_cure_in_the_mail_is_a_proposal_to_send_as_it_is(three: Post) -> None:
    three.wait(8 * DAY)
    mail = three.newest("Bo", "301").text
    cure = mail[mail.index("    propose enact: Silence") : mail.index("    end\n")]
    three.mail("Kim", "abstain 301")

    number = three.turn(
        "Bo", "\n".join(line[4:] for line in cure.splitlines()), Alice="for", Bo="for", Cia="for"
    )

    assert three.proposal(number)["stage"] == "adopted"
    assert three.rule(number)["clauses"] == {"silence": '"abstain"'}


def test_who_is_away_is_left_in_peace_and_is_back_by_itself(three: Post) -> None:
    three.mail("Cia", "absent until 2026-12-12: holiday")
    told = three.newest("Alice", "news of Cia").words
    assert "Cia Crane is away until" in told
    assert "The reason given: “holiday”" in told
    assert "The keeper’s reason" not in told
    before = len(three.inbox("Cia"))
    three.wait(8 * DAY)
    assert [letter.subject for letter in since(three, "Cia", before) if "Please vote" in letter.words] == []

    three.wait(4 * DAY)

    assert "Cia Crane is back" in three.newest("Alice", "news of Cia").words
    too_long = three.mail("Bo", "absent until 2027-01-10")
    assert "“absent Bo Berg until 2027-01-10”" in too_long.words
    three.mail("Kim", "absent Bo Berg until 2027-01-10: skiing")
    assert next(p for p in three.state()["players"] if p["name"] == "Bo Berg")["status"] == "absent"


def test_a_volunteer_gets_the_abandoned_seat_by_the_keepers_word(three: Post) -> None:
    three.wait(8 * DAY)
    three.mail("Eve", "takeover as Eve Ek", subject="[kaffe] a seat")
    case = three.newest("Kim", "asks for a seat")
    assert "\n    replace Cia Crane by Eve Ek\n" in case.text

    three.mail("Kim", "replace Cia by Eve", re="asks for a seat")
    three.mail("Eve", "for 301")

    assert three.proposal(301)["stage"] == "adopted"
    assert three.proposal(301)["ballots"]["Eve Ek"] == "for"
    assert "Eve Ek plays on" in three.newest("Cia", "news of Eve").words
    assert "You have no seat" in three.mail("Cia", "end turn").words
    assert three.is_whole()


def test_a_keeper_names_those_who_watch_when_the_volunteer_is_unknown(three: Post) -> None:
    three.take(three.compose("Dan", "observe", subject="[kaffe]"))

    refused = three.mail("Kim", "replace Cia by Milo")

    assert "Nobody called Milo watches" in refused.words
    assert "dan" in refused.words


def test_a_keeper_who_plays_ends_the_debate_of_another_only(post: Post) -> None:
    post.found("Alice", "Kim")
    post.mail("Alice", f"{TEA}\nend\n")
    post.wait(8 * DAY)

    post.mail("Kim", "call vote 301: Alice is silent.")

    assert post.proposal(301)["stage"] == "voting"


def test_silence_in_swedish(tmp_path: Path) -> None:
    with opened(tmp_path) as post:
        post.found("Alice", "Bo", "Cia", language="sv", vilodagar="lör sön")
        post.mail("Alice", f"{TE}\nslut\n\ntill omröstning\n")
        post.mail("Bo", "ja på 301")
        post.mail("Alice", "ja på 301")
        post.mail("Bo", "borta till 2026-12-05")
        post.mail("Bo", "tillbaka")
        post.wait(9 * DAY)
        assert "\n    avstå 301\n" in post.newest("Kim", "301").text
        assert '\n    klausul tystnad: "abstain"\n' in post.newest("Bo", "301").text

        post.mail("Kim", "förläng 301 2d: snö\navstå 301", re="301")

        assert post.proposal(301)["stage"] == "adopted"
        post.mail("Kim", "hoppa över tur: Bo är sjuk")
        assert post.state()["on_turn"] == "Cia Crane"


def test_after_an_outage_only_what_still_holds_is_told(three: Post) -> None:
    """Half time, the day before and the deadline are past when the clock is looked at: one mail, not three."""
    before = {name: len(three.inbox(name)) for name in ("Cia", "Kim")}

    three.wait(7 * DAY + 12 * HOUR)

    (letter,) = since(three, "Cia", before["Cia"])
    assert "There is grace until" in letter.words
    assert len(three.inbox("Kim")) == before["Kim"]
    three.wait(DAY)
    assert any("abstain 301" in letter.text for letter in since(three, "Kim", before["Kim"]))
