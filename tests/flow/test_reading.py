"""What programs read: the shapes of JSON they are written against, and whether a log is whole."""

from __future__ import annotations

import json
import sqlite3

import pytest

from tests.flow.post import GAME, MAJORITY, TEA, Post
from tests.flow.shapes import LISTED, RULE, STATE, faults


@pytest.fixture
def played(post: Post) -> Post:
    """Alice's turn is over: 301 amends 203, adopted three to none. Bo's 302 is being voted on, Cia has voted."""
    post.found("Alice", "Bo", "Cia")
    post.turn("Alice", MAJORITY, Alice="for", Bo="for", Cia="for")
    post.turn("Bo", TEA, Cia="against")
    return post


class TestReading:
    @pytest.mark.parametrize("topic", ["status", "rules", "scores", "proposals", "cases", "log"])
    def test_every_topic_is_shown(self, played: Post, topic: str) -> None:
        assert played.pbem.done("show", GAME, topic).strip()

    def test_a_rule_is_shown_by_any_number_it_had(self, played: Post) -> None:
        for number in ("203", "301"):
            assert "more than half of the eligible votes" in played.pbem.done("show", GAME, "rule", number)
            assert played.pbem.json("show", GAME, "rule", number)["number"] == 301
        assert "399" in played.pbem.fails(1, "show", GAME, "rule", "399", "--json")

    def test_the_rules_as_of_a_turn(self, played: Post) -> None:
        played.vote(302, Alice="for", Bo="for")
        then = {rule["number"] for rule in played.pbem.json("show", GAME, "rules", "--at-turn", "1")}
        now = {rule["number"] for rule in played.pbem.json("show", GAME, "rules")}
        assert now - then == {302}
        assert played.pbem.json("state", GAME, "--at-turn", "1")["turn"] == 1
        assert "9" in played.pbem.fails(1, "show", GAME, "rules", "--at-turn", "9")

    def test_list_names_the_games(self, played: Post) -> None:
        (entry,) = played.pbem.json("list")
        assert entry["game"] == GAME
        assert entry["title"] == "Kaffe"
        assert GAME in played.pbem.done("list")

    def test_published_pages_never_hold_what_the_host_sees(self, played: Post) -> None:
        out = played.folder / "out"
        played.pbem.done("publish", GAME, "--out", str(out))
        assert played.pbem.json("state", GAME)["proposals"][1]["ballots"] == {"Cia Crane": "against"}
        shown = json.loads((out / GAME / "game.json").read_text("utf-8"))
        assert "against" not in json.dumps(shown["proposals"][1].get("ballots"))
        assert (out / "index.html").is_file()


class TestShapes:
    def test_state(self, played: Post) -> None:
        state = played.pbem.json("state", GAME)
        assert faults(state, STATE) == []
        assert state["status"] == "playing"
        assert (state["turn"], state["circuit"], state["on_turn"]) == (2, 1, "Bo Berg")
        assert state["waiting_for"] == ["Alice Ahlgren", "Bo Berg"]
        assert [rule["lineage"] for rule in state["rules"] if rule["number"] == 301] == [[203, 301]]
        assert state["clauses"]["adopted when"] == {
            "rule": 301,
            "expression": "votes_for * 2 > eligible",
            "over": [],
        }
        assert [(each["kind"], each["target"], each["stage"]) for each in state["proposals"]] == [
            ("amend", 203, "adopted"),
            ("enact", None, "voting"),
        ]
        assert state["proposals"][0]["ballots"] == dict.fromkeys(
            ("Alice Ahlgren", "Bo Berg", "Cia Crane"), "for"
        )
        assert len(state["hash"]) == 64

    def test_show_gives_the_parts_of_the_state(self, played: Post) -> None:
        state = played.pbem.json("state", GAME)
        assert played.pbem.json("show", GAME, "rules") == state["rules"]
        assert played.pbem.json("show", GAME, "proposals") == state["proposals"]
        assert played.pbem.json("show", GAME, "scores") == state["players"]
        assert played.pbem.json("show", GAME, "cases") == state["cases"]
        assert faults(played.pbem.json("show", GAME, "rule", "203"), RULE) == []
        log = played.pbem.json("show", GAME, "log")
        assert len(log) == state["events"]
        assert log[-1]["hash"] == state["hash"]

    def test_list(self, played: Post) -> None:
        assert faults(played.pbem.json("list"), [LISTED]) == []


class TestVerify:
    def test_a_whole_log_is_found_whole(self, played: Post) -> None:
        said = played.pbem.done("verify", GAME)
        assert str(played.pbem.json("state", GAME)["events"]) in said

    @pytest.mark.parametrize(
        "change",
        [
            "UPDATE event SET body = replace(body, 'against', 'for') WHERE body LIKE '%against%'",
            "UPDATE event SET at = at + 1 WHERE seq = 3",
            "UPDATE event SET mail = 'somebody else' WHERE seq = 3",
            "DELETE FROM event WHERE seq = (SELECT max(seq) FROM event)",
            "DELETE FROM event WHERE seq = 3",
            "UPDATE event SET kind = 'spoken' WHERE seq = 4",
            "UPDATE game SET hash = replace(hash, 'a', 'b')",
        ],
    )
    def test_a_changed_record_is_found(self, played: Post, change: str) -> None:
        database = sqlite3.connect(played.folder / "pbem.db")
        with database:
            assert database.execute(change).rowcount > 0
        database.close()
        said = played.pbem.fails(1, "verify", GAME)
        assert GAME in said


def test_a_receipt_tells_each_deadline_once(voting: Post) -> None:
    receipt = voting.mail("Bo", "scores", subject="[kaffe]").words
    until = "Tue 8 Dec 2026"
    assert receipt.count(until) == 1, receipt
    status = voting.mail("Bo", "status", subject="[kaffe]").words
    assert "What happens next" not in status
