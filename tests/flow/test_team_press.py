"""Words among team-mates (210): they reach the team, and are nowhere else to be found."""

from __future__ import annotations

import json

import pytest

from tests.flow.post import GAME, Post

SECRET = "Let us both vote against 301."


@pytest.fixture(name="teams")
def _teams(post: Post) -> Post:
    """Alice and Bo have no team; Dan, Eve and Zoe are of team Red."""
    post.found("Alice", "Bo")
    for name, whole in (("Dan", "Dan Dahl"), ("Eve", "Eve Ek"), ("Zoe", "Zoe Zell")):
        post.mail(name, f"join as {whole}, team Red", subject=f"[{GAME}]")
    return post


def test_words_to_the_team_reach_the_team_alone(teams: Post) -> None:
    before = teams.everybody()

    receipt = teams.mail("Zoe", f"press team: {SECRET}", subject=f"[{GAME}]")

    told = {box for box, count in teams.everybody().items() if count > before.get(box, 0)}
    assert told == {"Dan Dahl", "Eve Ek", "Zoe Zell"}
    assert "Your words go to your team-mates, and to nobody else." in receipt.words
    words = teams.newest("Dan", "Team Red: Zoe Zell writes")
    assert SECRET in words.words
    assert SECRET in words.shown


def test_an_answer_without_a_command_stays_in_the_team(teams: Post) -> None:
    teams.mail("Zoe", f"press team: {SECRET}", subject=f"[{GAME}]")

    teams.mail("Dan", "Agreed, but let us wait for Alice to speak first.", re="Team Red")

    assert "wait for Alice" in teams.newest("Zoe", "Team Red: Dan Dahl writes").words
    assert all("wait for Alice" not in letter.text for letter in teams.inbox("Alice") + teams.inbox("Kim"))


def test_what_a_team_confers_is_in_no_log_and_on_no_page(teams: Post) -> None:
    events = teams.state()["events"]

    teams.mail("Zoe", f"press team: {SECRET}", subject=f"[{GAME}]")

    assert teams.state()["events"] == events
    assert SECRET not in json.dumps(teams.pbem.json("show", GAME, "log"))
    assert all(SECRET not in page for page in teams.pages().values())


def test_whoever_has_no_team_is_told_that_nothing_is_relayed(teams: Post) -> None:
    refused = teams.refuses("Alice", "press team: Psst!", subject=f"[{GAME}]")
    assert "You are in no team, and the server relays no other private words." in refused.words


def test_two_notes_in_one_mail_are_two_and_the_same_one_twice_is_one(teams: Post) -> None:
    before = teams.everybody()["Dan Dahl"]

    teams.mail("Zoe", "press team: First.\n\npress team: Second.\n\npress team: First.", subject=f"[{GAME}]")

    assert teams.everybody()["Dan Dahl"] == before + 2
