"""The host looks through the queues, stops a mail, lets it go, tries again, and is told what became of one."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from pbem.mail.message import Envelope
from pbem.service import health, process, worker
from pbem.service.receive import TRUSTED, receive
from pbem.store import queues
from tests.flow.post import DAY, GAME, HOUR, MINUTE, Post, maildir


def taken(post: Post, name: str, body: str) -> bytes:
    """A mail that is stored and not worked off."""
    content = post.compose(name, body)
    post.now += MINUTE
    receive(post.host, content, Envelope(post.now), TRUSTED)
    post.stored += 1
    return content


def parked(post: Post, name: str, body: str) -> None:
    """A mail that our own code has failed on as often as it tries."""
    taken(post, name, body)
    with post.host.store.reading():
        number = max(entry.id for entry in queues.inbox_log(post.host.store))
    fail(post, number)


def fail(post: Post, number: int) -> None:
    """Our code fails on the mail as often as it tries."""
    for _ in range(queues.TRIES):
        with post.host.store.transaction():
            queues.fail(post.host.store, number, "KeyError: 305", post.now)


def waiting(post: Post) -> dict[str, tuple[str, str]]:
    """State and reason of each mail that `pbem queue` lists."""
    return {entry["id"]: (entry["state"], entry["why"]) for entry in post.pbem.json("queue")}


def work(post: Post) -> None:
    process.work_off(post.host, post.now + 5 * DAY)
    worker.send_all(post.host, lambda: post.now)


def only(post: Post) -> str:
    """The name of the one mail that waits."""
    (name,) = waiting(post)
    return name


def test_nothing_waits(game: Post) -> None:
    assert game.pbem.json("queue") == []
    assert "Nothing waits" in game.pbem.done("queue")


def test_an_incoming_mail_is_stopped_and_let_go(game: Post) -> None:
    taken(game, "Alice", "propose repeal 209")
    name = only(game)
    assert waiting(game)[name] == ("new", "waits to be worked off")

    assert f"{name} is stopped" in game.pbem.done("hold", name)
    work(game)
    assert game.state()["proposals"] == []
    assert waiting(game)[name][0] == "on hold"
    assert f"pbem release {name}" in game.pbem.done("queue")

    game.pbem.done("release", name)
    work(game)
    assert len(game.state()["proposals"]) == 1
    assert waiting(game) == {}


def test_a_parked_mail_is_tried_once_more(game: Post) -> None:
    parked(game, "Alice", "propose repeal 209")
    name = only(game)
    work(game)
    assert waiting(game)[name][0] == "parked"
    assert "KeyError: 305" in waiting(game)[name][1]

    assert "pbem work" in game.pbem.done("retry", name)
    work(game)

    assert waiting(game) == {}
    assert len(game.state()["proposals"]) == 1


def block(post: Post) -> None:
    """Nothing can be delivered: a file stands in the place of the folder of Maildirs."""
    (post.folder / "mail").rename(post.folder / "put away")
    (post.folder / "mail").touch()


@pytest.fixture
def no_way_out(game: Post) -> Post:
    """A game from which no mail can go out."""
    block(game)
    return game


def way_out(post: Post) -> None:
    (post.folder / "mail").unlink()
    (post.folder / "put away").rename(post.folder / "mail")


def test_an_outgoing_mail_is_stopped_let_go_and_tried_again(no_way_out: Post) -> None:
    post = no_way_out
    before = len(maildir(post.folder / "put away" / "Bo Berg"))
    taken(post, "Bo", "scores")
    work(post)
    name = only(post)
    assert name.startswith("out")
    state, why = waiting(post)[name]
    assert state == "ready"
    assert "tried 1 time(s), again" in why

    post.pbem.done("hold", name)
    way_out(post)
    post.now += DAY
    work(post)
    assert len(post.inbox("Bo")) == before, "it is stopped"
    post.pbem.done("release", name)
    work(post)
    assert len(post.inbox("Bo")) == before + 1
    assert waiting(post) == {}


def test_what_waits_for_its_next_try_is_tried_at_once_when_asked(no_way_out: Post) -> None:
    post = no_way_out
    taken(post, "Bo", "scores")
    work(post)
    way_out(post)
    work(post)
    name = only(post)

    post.pbem.done("retry", name)
    worker.send_all(post.host)

    assert waiting(post) == {}


@pytest.mark.parametrize(
    ("command", "names", "says"),
    [
        ("retry", ("in1",), "only what failed"),
        ("release", ("in1",), "only what was stopped"),
        ("hold", ("in1",), "only what is not worked off"),
        ("hold", ("out1",), "only what is not worked off"),
        ("retry", ("in999",), "no mail in999"),
        ("retry", ("12",), "in12 or out34"),
        ("retry", ("in1; drop",), "pbem queue"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_changed(
    game: Post, command: str, names: tuple[str, ...], says: str
) -> None:
    game.mail("Bo", "scores")
    assert says in game.pbem.fails(1, command, *names)


def test_of_several_all_are_changed_or_none(game: Post) -> None:
    taken(game, "Alice", "propose repeal 209")
    name = only(game)
    game.pbem.fails(1, "hold", name, "in999")
    assert waiting(game)[name][0] == "new"
    work(game)


def test_a_mail_that_waits_for_its_sender_says_so_and_is_not_let_go(game: Post) -> None:
    game.take(game.compose("Bo", "for 301"), source="smtp 203.0.113.7")
    name = only(game)
    state, why = waiting(game)[name]
    assert state == "held"
    assert "nothing proves who wrote it; waits for its sender's word until" in why
    assert "--trust-from" in game.pbem.fails(1, "release", name)


def test_a_stopped_mail_to_somebody_forgotten_is_never_sent(post: Post) -> None:
    post.found("Alice", "Bo", "Cia")
    block(post)
    taken(post, "Cia", "scores")
    work(post)
    post.pbem.done("hold", only(post))
    name = only(post)

    with post.host.store.transaction():
        queues.erase_mails(post.host.store, ["cia@crane.example"])

    assert waiting(post) == {}
    assert "withdrawn" in post.pbem.fails(1, "release", name)


class TestWhy:
    def test_a_mail_is_told_from_arrival_to_answer(self, voting: Post) -> None:
        content = voting.compose("Bo", "for 301\n")
        voting.answer("Bo", content)
        mail_id = next(line for line in content.decode().splitlines() if line.startswith("Message-ID: "))[12:]

        (told,) = voting.pbem.json("why", mail_id)

        assert told["way"] == "in"
        assert told["state"] == "done"
        assert told["game"] == GAME
        assert told["credited_to"] == "bo@berg.example"
        assert told["reading"]["kind"] == "human"
        assert [line["understood"] for line in told["reading"]["commands"]] == ["ballot 301 for"]
        assert [deed["kind"] for deed in told["did"]] == ["ballot cast"]
        assert [(answer["recipient"], answer["state"]) for answer in told["answers"]] == [
            ("bo@berg.example", "sent")
        ]
        said = voting.pbem.done("why", mail_id.strip("<>"))
        for words in ("taken 20", "Bo Berg", "ballot 301 for", "became     done", "answered   out"):
            assert words in said

    def test_it_is_found_by_digest_and_by_name_too(self, voting: Post) -> None:
        voting.mail("Bo", "for 301")
        digest = voting.taken()[0].digest
        (told,) = voting.pbem.json("why", digest[:16])
        assert told["digest"] == digest
        assert voting.pbem.json("why", told["id"]) == [told]

    def test_a_mail_of_ours_is_found_by_its_message_id(self, voting: Post) -> None:
        paper = voting.newest("Bo", "301")
        (told,) = voting.pbem.json("why", str(paper.message["Message-ID"]))
        assert (told["way"], told["state"], told["recipient"]) == ("out", "sent", "bo@berg.example")

    def test_an_answer_to_a_mail_is_not_taken_for_it(self, voting: Post) -> None:
        first = voting.compose("Bo", "scores")
        voting.answer("Bo", first)
        mail_id = next(line for line in first.decode().splitlines() if line.startswith("Message-ID: "))[12:]
        voting.take(voting.compose("Cia", "scores", In_Reply_To=mail_id))
        assert len(voting.pbem.json("why", mail_id)) == 1

    def test_no_token_is_told(self, voting: Post) -> None:
        paper = voting.newest("Bo", "301")
        token = str(paper.message["Reply-To"]).partition("+")[2].partition("@")[0]
        voting.mail("Bo", "for 301", re="301")
        said = voting.pbem.done("why", f"in{voting.stored}")
        assert token not in said
        assert token not in voting.pbem.done("why", f"in{voting.stored}", "--json")

    def test_of_an_unknown_mail_it_says_where_to_look(self, game: Post) -> None:
        assert "pbem queue" in game.pbem.fails(1, "why", "<nobody@nowhere.example>")


class TestLog:
    def test_each_mail_in_and_out_is_one_line(self, voting: Post, caplog: pytest.LogCaptureFixture) -> None:
        with caplog.at_level(logging.INFO, "pbem"):
            voting.mail("Bo", "for 301\nprop something", re="301")
        lines = [record.getMessage() for record in caplog.records]
        digest = voting.taken()[0].digest[:16]
        (came,) = [line for line in lines if line.startswith("mail=") and " way=" in line]
        assert came.startswith(
            f'mail={digest} id=in{voting.stored} way=host kind=human game={GAME} state=done result="'
        )
        (went,) = [line for line in lines if line.startswith("mail=out")]
        assert f" game={GAME} tries=1 state=sent" in went
        assert "@" not in came + went


class TestHealth:
    def seen(self, post: Post, at: int) -> Any:
        return health.health(post.host, at)

    def test_a_host_that_keeps_up_is_well(self, game: Post) -> None:
        found = game.pbem.json("health")
        assert found["ok"] is True
        assert found["games"] == [
            {"game": GAME, "events": game.state()["events"], "hash": game.state()["hash"], "whole": True}
        ]
        assert found["unread"] == found["unsent"] == found["unapplied"] == {"count": 0, "oldest": None}
        assert "All is well" in game.pbem.done("health")

    def test_a_mail_that_is_not_worked_off_is_late_after_a_while(self, game: Post) -> None:
        taken(game, "Bo", "scores")
        assert self.seen(game, game.now + 14 * MINUTE)["ok"] is True
        found = self.seen(game, game.now + 16 * MINUTE)
        assert found["unread"] == {"count": 1, "oldest": 16 * 60}
        assert found["ok"] is False
        assert "pbem serve" in found["wanting"][0]
        work(game)

    def test_a_mail_that_is_not_sent_is_late_after_a_while(self, no_way_out: Post) -> None:
        taken(no_way_out, "Bo", "scores")
        work(no_way_out)
        assert self.seen(no_way_out, no_way_out.now + 59 * MINUTE)["ok"] is True
        found = self.seen(no_way_out, no_way_out.now + 61 * MINUTE)
        assert found["unsent"]["count"] == 1
        assert "wait to be sent" in found["wanting"][0]
        way_out(no_way_out)

    def test_a_parked_mail_is_wrong_at_once(self, game: Post) -> None:
        parked(game, "Bo", "scores")
        assert game.pbem("health").exit_code == 1
        assert "pbem retry" in game.pbem("health").stdout
        game.pbem.done("retry", only(game))
        work(game)
        assert game.pbem("health").exit_code == 0

    def test_a_deadline_that_nobody_did_is_late(self, voting: Post) -> None:
        found = self.seen(voting, voting.now + 30 * DAY)
        assert found["overdue"]["count"] == 1
        assert found["ok"] is False

    def test_a_server_that_stopped_is_missed(self, game: Post) -> None:
        server = worker.Server(game.host)
        server.start()
        server.stop()
        now = worker.clock()
        assert set(self.seen(game, now)["parts"]) == {"work", "delivery"}
        assert self.seen(game, now)["wanting"] == []
        assert any("work: nothing for" in said for said in self.seen(game, now + HOUR)["wanting"])

    def test_a_log_that_lost_its_end_is_found(self, four: Post) -> None:
        with four.host.store.transaction():
            four.host.store.write("DELETE FROM event WHERE seq = (SELECT MAX(seq) FROM event)")
        found = self.seen(four, four.now)
        assert found["games"][0]["whole"] is False
        assert "pbem verify kaffe" in found["wanting"][0]
