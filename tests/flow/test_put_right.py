"""A result put right by the keeper's mail: afterwards everything there is to read can still be read."""

from __future__ import annotations

import pytest

from tests.flow.post import GAME, MAJORITY, TEA, Post

pytestmark = pytest.mark.slow

CHANGES = {
    "enact": TEA,
    "amend": MAJORITY,
    "repeal": "propose repeal 204",
    "transmute": "propose transmute 103",
}
ALL_FOR = {"Alice": "for", "Bo": "for", "Cia": "for"}


@pytest.fixture(name="three", params=CHANGES)
def _three(post: Post, request: pytest.FixtureRequest) -> Post:
    """Alice's change, 301, adopted by all three."""
    post.found("Alice", "Bo", "Cia")
    assert post.turn("Alice", CHANGES[request.param], **ALL_FOR) == 301
    return post


def everything_can_be_read(post: Post) -> None:
    for question in ("proposals", "log", "rules", "history 203", "status", "scores"):
        assert post.mail("Bo", question, subject=f"[{GAME}]").subject.split("] ")[1] == "OK"
    assert any(path.endswith("proposals/301/index.html") for path in post.pages())
    assert post.is_whole()
    assert all(mail.state == "done" for mail in post.taken())


def test_after_a_void_the_proposal_counts_as_never_made(three: Post) -> None:

    three.mail("Kim", "void 301: unclear", subject=f"[{GAME}]")

    assert three.proposal(301)["stage"] == "void"
    assert three.scores()["Alice"] == 0
    everything_can_be_read(three)


def test_after_a_rerun_the_vote_is_held_again_and_may_end_otherwise(three: Post) -> None:
    three.mail("Kim", "rerun 301: a ballot was lost", subject=f"[{GAME}]")

    paper = three.newest("Cia", "301").words
    assert "The vote on proposal 301 is held again. Ballots from the first vote do not count." in paper
    everything_can_be_read(three)
    three.vote(301, Alice="for", Bo="for", Cia="against")

    assert three.proposal(301)["stage"] == "defeated"
    # Rule 206: −10; rule 202: (301 − 291) × 2 ÷ 3 = 6.67, rounded 7.
    assert three.scores()["Alice"] == -3
    everything_can_be_read(three)


def test_after_a_rerun_the_same_change_may_be_adopted_again(three: Post) -> None:
    three.mail("Kim", "rerun 301: a ballot was lost", subject=f"[{GAME}]")
    three.vote(301, **ALL_FOR)

    assert three.proposal(301)["stage"] == "adopted"
    assert three.scores()["Alice"] == 10
    everything_can_be_read(three)
