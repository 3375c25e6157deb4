"""The keeper lets the game stand still, go on, or end: what the players get, and what the pages show."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from tests.flow.conftest import opened
from tests.flow.post import DAY, GAME, MINUTE, TEA, Post

TAG = f"[{GAME}]"


def voted_on(post: Post) -> None:
    """301 waits for Cia's ballot."""
    post.found("Alice", "Bo", "Cia")
    post.propose("Alice", TEA)
    post.vote(301, Alice="for", Bo="for")


def test_nobody_is_reminded_in_a_pause_and_the_deadline_told_after_it_is_later(post: Post) -> None:
    voted_on(post)
    post.mail("Kim", "pause: snow", subject=TAG)
    boxes = post.everybody()
    assert "until the keeper lets it go on" in post.page("index.html")
    assert "snow" in post.page("index.html")
    assert "each is later by the length of the pause" in post.page("proposals", "301", "index.html")

    post.wait(30 * DAY)
    assert post.everybody() == boxes
    post.mail("Kim", "resume: thaw", subject=TAG)

    told = post.newest("Cia", "the game goes on").words
    assert "vote on proposal 301, by Thu 7 Jan 2027 10:02:00 UTC" in told
    assert post.is_whole()


def test_a_ballot_in_a_pause_counts_and_its_receipt_says_that_nothing_closes(post: Post) -> None:
    voted_on(post)
    post.mail("Kim", "pause", subject=TAG)

    receipt = post.mail("Cia", "for 301", subject=TAG)

    assert receipt.subject == f"{TAG} OK"
    assert "Your ballot on proposal 301: for" in receipt.words
    assert "The game has been paused since" in receipt.words
    post.wait(3 * DAY)
    assert post.state()["status"] == "paused"
    assert post.state()["proposals"][0]["stage"] == "voting"
    post.mail("Kim", "resume", subject=TAG)
    assert post.state()["proposals"][0]["stage"] == "adopted"
    assert "The game stood still from" in post.newest("Bo", "Turn 1").words


def test_the_keeper_reads_until_when_a_result_can_be_said_to_be_wrong_with_the_pause_in_it(
    post: Post,
) -> None:
    voted_on(post)
    post.mail("Cia", "for 301", subject=TAG)
    post.mail("Cia", "claim: the sum is wrong", subject=TAG)
    assert "Until Fri 4 Dec 2026" in post.newest("Kim", "Claim C1").words
    post.mail("Kim", "pause", subject=TAG)
    post.wait(10 * DAY)
    post.mail("Kim", "resume", subject=TAG)

    post.mail("Cia", "claim: it still is", subject=TAG)

    assert "Until Mon 14 Dec 2026" in post.newest("Kim", "Claim C2").words


def test_what_is_refused_in_a_pause_is_told_with_the_cure(post: Post) -> None:
    voted_on(post)
    post.mail("Kim", "pause", subject=TAG)

    assert (
        "The game is paused, so this was not done"
        in post.refuses("Bo", "judgment: is it?", subject=TAG).words
    )
    refused = post.refuses("Kim", "extend 301 2d", subject=TAG)
    assert "resume" in refused.text


def test_everybody_reads_of_a_pause_whatever_mail_they_have_chosen(post: Post) -> None:
    voted_on(post)
    post.mail("Cia", "set mail none", subject=TAG)

    post.mail("Kim", "pause: snow", subject=TAG)

    assert "snow" in post.newest("Cia", "the game is paused").words


def test_an_ended_game_takes_words_alone_and_its_page_says_why(post: Post) -> None:
    voted_on(post)
    post.mail("Bo", "judgment: is it one change?", subject=TAG)
    assert "This cannot be undone. Say why" in post.refuses("Kim", "end the game", subject=TAG).words

    before = len(post.inbox("Bo"))
    post.mail("Kim", "end: we all moved", subject=TAG)

    assert len(post.inbox("Bo")) == before + 1
    assert post.state()["status"] == "ended"
    assert post.state()["winners"] == []
    assert post.state()["proposals"][0]["stage"] == "void"
    told = [letter for letter in post.inbox("Bo") if "ballot" not in letter.subject][-1]
    assert "the game has ended" in told.subject, "one mail for all of it"
    assert "Proposal 301 counts as never made" in told.words
    assert "Final scores" in told.words
    page = post.page("index.html")
    assert "The keeper has ended the game. Nobody has won it." in page
    assert "we all moved" in page
    assert "The keeper has ended this game." in post.refuses("Cia", "for 301", subject=TAG).words
    assert "The keeper has ended this game." in post.refuses("Zoe", "join as Zoe", subject=TAG).words
    boxes = len(post.inbox("Bo"))
    post.wait(60 * DAY)
    assert len(post.inbox("Bo")) == boxes
    post.mail("Alice", "Thank you all, that was a fine game to play.", subject=TAG)
    assert "a fine game" in post.newest("Bo", "table talk").words


def test_the_host_pauses_and_ends_without_being_asked(post: Post) -> None:
    voted_on(post)

    assert "no deadline passes" in post.pbem("do", GAME, "--at", a_minute_later(post), "pause: snow").output
    assert post.state()["status"] == "paused"
    assert "Nobody has won it." in post.pbem("do", GAME, "--at", a_minute_later(post), "end: enough").output
    assert post.state()["status"] == "ended"


def a_minute_later(post: Post) -> str:
    """A minute later, as `--at` takes it."""
    post.now += MINUTE
    return datetime.fromtimestamp(post.now // 1_000_000, UTC).isoformat()


def test_in_swedish(tmp_path: Path) -> None:
    with opened(tmp_path) as post:
        post.found("Alice", "Bo", "Cia", language="sv")

        assert "pausar spelet" in post.mail("Kim", "pausa: snö", subject=TAG).words
        assert "snö" in post.newest("Bo", "spelet är pausat").words
        assert "pausat sedan" in post.page("index.html")
        assert "Spelet går vidare" in post.mail("Kim", "återuppta: tö", subject=TAG).words
        assert "Ingen har vunnit" in post.mail("Kim", "avsluta: nog", subject=TAG).words
        assert "nog" in post.newest("Bo", "spelet är slut").words
