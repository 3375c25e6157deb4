"""The host hears by mail of what is the host's to see to: what happened, the exact words, what to run; once a day at most."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pbem.config import ImapIntake
from pbem.mail import operating
from pbem.render import Printer
from pbem.service import alarms, calendar, publishing, room, worker
from pbem.service.deliver import Round
from pbem.settings import Secret
from pbem.store import people
from tests.flow.conftest import opened
from tests.flow.post import DAY, GAME, HOUR, MINUTE, PEOPLE, SETTINGS, Letter, Post, maildir
from tests.flow.test_loops import TestBounces as Returning
from tests.flow.test_mirroring import carrying
from tests.flow.test_mirroring import host as host_that_copies
from tests.flow.test_queues_by_hand import fail, parked, work
from tests.servers.running import until

OPERATOR = "host@owner.example"
FAULT = "a fault of ours in this game alone"


def overseen(post: Post, address: str | None = OPERATOR) -> Post:
    """The same host, whose own address is set."""
    mail = replace(post.host.config.mail, operator=address)
    return Post(replace(post.host, config=replace(post.host.config, mail=mail)), post.folder)


@pytest.fixture
def hosted(tmp_path: Path) -> Iterator[Post]:
    """A game on a host that is to be told."""
    with opened(tmp_path) as bare:
        post = overseen(bare)
        post.found("Alice", "Bo", "Cia")
        yield post


def told(post: Post, box: str = OPERATOR) -> list[Letter]:
    """The mails that the host has, oldest first."""
    worker.send_all(post.host, lambda: post.now)
    return [Letter(file) for file in maildir(post.folder / "mail" / box)]


def the_one(post: Post) -> Letter:
    (letter,) = told(post)
    return letter


def fault_in(monkeypatch: pytest.MonkeyPatch, game: str) -> None:
    """Whatever is to be printed for that game fails, as by a fault of ours; but not what the host is told."""
    for way in ("text", "html"):
        real = getattr(Printer, way)

        def failing(self, template, view, *, real=real, **reading):
            if game in (view.get("game"), getattr(view.get("frame"), "game", "")):
                raise RuntimeError(FAULT)
            return real(self, template, view, **reading)

        monkeypatch.setattr(Printer, way, failing)


class TestAMailIsSetAside:
    def test_with_its_names_the_words_of_the_failure_and_what_to_run(self, hosted: Post) -> None:
        parked(hosted, "Alice", "propose repeal 209")
        hosted.wait(MINUTE)
        letter = the_one(hosted)
        assert letter.subject == "[Nomic] A mail is set aside, because our code failed on it"
        (name,) = [entry["id"] for entry in hosted.pbem.json("queue")]
        assert f"name here is {name}" in letter.words
        assert re.search(r"Its Message-ID: <1\.\d+@ahlgren\.example>", letter.words)
        assert "from Alice Ahlgren <alice@ahlgren.example>." in letter.words
        assert "> KeyError: 305" in letter.text
        assert "it counts as having come when it did" in letter.words
        assert f"    pbem why {name}\n    pbem retry {name}\n" in letter.text
        assert "repeal 209" not in letter.text, "what a mail says is its game's affair"

    def test_what_to_run_does_it(self, hosted: Post) -> None:
        parked(hosted, "Alice", "propose repeal 209")
        hosted.wait(MINUTE)
        lines = [
            line.split()[1:] for line in the_one(hosted).text.splitlines() if line.startswith("    pbem")
        ]
        for line in lines:
            hosted.pbem.done(*line)
        work(hosted)
        assert [each["target"] for each in hosted.state()["proposals"]] == [209]

    def test_it_is_told_once_and_once_more_if_it_fails_again(self, hosted: Post) -> None:
        parked(hosted, "Alice", "propose repeal 209")
        for _ in range(3):
            hosted.wait(DAY)
        assert len(told(hosted)) == 1
        (name,) = [entry["id"] for entry in hosted.pbem.json("queue")]
        hosted.pbem.done("retry", name)
        fail(hosted, int(name.removeprefix("in")))
        hosted.wait(MINUTE)
        assert len(told(hosted)) == 2


class TestAGameStandsStill:
    def test_the_host_is_told_once_a_day(self, hosted: Post, monkeypatch: pytest.MonkeyPatch) -> None:
        fault_in(monkeypatch, GAME)
        for hours in (7 * 24 + 1, 1, 1):
            hosted.now += hours * HOUR
            calendar.tick(hosted.host, hosted.now)
        letter = the_one(hosted)
        assert "Kaffe stands still" in letter.subject
        assert f"> RuntimeError: {FAULT}" in letter.text
        assert "Nothing is lost" in letter.words
        assert f"    pbem tick\n    pbem verify {GAME}\n" in letter.text
        hosted.now += DAY
        calendar.tick(hosted.host, hosted.now)
        assert len(told(hosted)) == 2

    def test_pages_that_cannot_be_made_are_told_too(
        self, hosted: Post, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fault_in(monkeypatch, GAME)
        worker.work_through(hosted.host, lambda: hosted.now)
        worker.work_through(hosted.host, lambda: hosted.now)
        letter = the_one(hosted)
        assert "The pages of Kaffe are out of date" in letter.subject
        assert FAULT in letter.text
        assert f"    pbem publish {GAME}\n" in letter.text


class TestTheKeeperCannotBeReached:
    def test_each_mail_that_comes_back_is_told_but_one_a_day(self, hosted: Post) -> None:
        for _ in range(3):
            hosted.now += MINUTE
            Returning().bounce(hosted, Returning().return_path(hosted, "Kim"))
        letter = the_one(hosted)
        assert "Mails to the keeper of Kaffe come back" in letter.subject
        assert "Kim Kvist, who keeps the game" in letter.words
        assert "In a row: 1." in letter.words
        assert "From 5 on, mails to that address wait here" in letter.words
        (why,) = [line for line in letter.text.splitlines() if "pbem why" in line]
        assert "bounce" in hosted.pbem.done(*why.split()[1:])
        assert f"pbem do {GAME} 'pass keepership to NAME: why'" in letter.text

    def test_a_players_mail_is_the_keepers_affair(self, hosted: Post) -> None:
        Returning().bounce(hosted, Returning().return_path(hosted, "Bo"))
        assert told(hosted) == []


class TestTheWays:
    def test_a_nearly_full_disk(self, hosted: Post, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(room, "LEAST_FREE", 10**18)
        hosted.wait(MINUTE)
        hosted.wait(MINUTE)
        letter = the_one(hosted)
        assert "The disk is nearly full" in letter.subject
        assert f"    df -h {hosted.folder}\n" in letter.text
        assert "no mail can be taken in or sent" in letter.words

    def test_a_mailbox_that_cannot_be_read(self, hosted: Post) -> None:
        secret = Secret(hosted.folder / "password")
        account = ImapIntake("imap.owner.example", "nomic", password_file=secret)
        intake = replace(hosted.host.config.intake, imap=(account,))
        host = replace(hosted.host, config=replace(hosted.host.config, intake=intake))
        (poller,) = worker.pollers(host, lambda mails: ["taken"] * len(mails))
        poller.alarm("IMAP nomic@imap.owner.example: the login was refused (no such user).")  # type: ignore[union-attr]
        hosted.now = worker.clock()
        letter = the_one(hosted)
        assert "A mailbox cannot be read" in letter.subject
        assert "the login was refused (no such user)" in letter.words
        assert "    pbem doctor\n    pbem poll\n" in letter.text

    def test_nothing_goes_out_for_more_than_an_hour(self, hosted: Post) -> None:
        way_out, words = alarms.WayOut(hosted.host), "smtp.owner.example:587 takes no mail from us: 535 wrong"
        begun = hosted.now
        for minutes in (0, 1, 59):
            way_out.watch(Round(deferred=1, shut=words), begun + minutes * MINUTE)
            way_out.watch(Round(), begun + minutes * MINUTE)
        assert told(hosted) == []
        way_out.watch(Round(deferred=1, shut=words), begun + 61 * MINUTE)
        letter = the_one(hosted)
        assert "No mail could be sent" in letter.subject
        assert f"> {words}" in letter.text
        assert "Since Tue 1 Dec 2026 10:00:00 UTC the smart host" in letter.words

    def test_a_mail_that_goes_out_begins_the_hour_anew(self, hosted: Post) -> None:
        way_out, begun = alarms.WayOut(hosted.host), hosted.now
        way_out.watch(Round(deferred=1, shut="no route"), begun)
        way_out.watch(Round(sent=1), begun + 50 * MINUTE)
        way_out.watch(Round(deferred=1, shut="no route"), begun + 70 * MINUTE)
        assert told(hosted) == []

    def test_a_round_tells_that_there_was_no_way_out(self, hosted: Post) -> None:
        (hosted.folder / "mail").rename(hosted.folder / "away")
        (hosted.folder / "mail").touch()
        hosted.take(hosted.compose("Bo", "scores"))
        done = worker.send_all(hosted.host, lambda: hosted.now + HOUR)
        assert done.sent == 0
        assert "Not a directory" in done.shut
        (hosted.folder / "mail").unlink()
        (hosted.folder / "away").rename(hosted.folder / "mail")

    def test_the_command_after_publishing_fails_for_long(self, tmp_path: Path) -> None:
        heard: list[str] = []
        with carrying(host_that_copies(tmp_path), heard, long=0.2):
            until(lambda: bool(heard), "an alarm")
        assert "ended with status 12" in heard[0]

    def test_its_first_failures_are_told_to_nobody(self, tmp_path: Path) -> None:
        heard: list[str] = []
        runs = tmp_path / "runs"
        with carrying(host_that_copies(tmp_path), heard):
            until(lambda: runs.exists() and len(runs.read_text().splitlines()) > 2, "three tries")
        assert heard == []


class TestTheAddress:
    def test_without_it_nobody_is_told(self, game: Post) -> None:
        alarms.tell(game.host, operating.not_carried("no route"), game.now)
        assert told(game) == []
        assert {box.name for box in (game.folder / "mail").iterdir()} <= {
            name for pair in PEOPLE.values() for name in pair
        }

    def test_a_host_who_plays_reads_it_in_their_language(self, hosted: Post) -> None:
        post = overseen(hosted, PEOPLE["Bo"][1])
        with post.host.store.transaction():
            person = people.person_by_address(post.host.store, PEOPLE["Bo"][1])
            assert person is not None
            people.set_preference(post.host.store, person.id, "language", "sv")
        alarms.tell(post.host, operating.not_carried("no route"), post.now)
        letter = told(post, PEOPLE["Bo"][0])[-1]
        assert "Till värden" in letter.text
        assert "Vad du kan köra:" in letter.text

    def test_a_matter_has_its_own_day(self, hosted: Post) -> None:
        for matter in (operating.not_carried("no route"), operating.mailbox("a@b.example", "no route")):
            for hours in (0, 1):
                alarms.tell(hosted.host, matter, hosted.now + hours * HOUR)
        assert len(told(hosted)) == 2

    @pytest.mark.parametrize("ours", ["nomic@nomic.example", "vote@nomic.example"])
    def test_it_cannot_be_one_that_players_write_to(self, post: Post, ours: str) -> None:
        also = f'operator = "{ours}"\nother_addresses = ["vote@nomic.example"]\n[identity]'
        (post.folder / "pbem.toml").write_text(SETTINGS.replace("[identity]", also), "utf-8")
        said = post.pbem.fails(2, "list")
        assert "[mail]: operator must be an address of your own" in said

    def test_doctor_asks_for_one_and_looks_at_it(self, hosted: Post) -> None:
        assert "set [mail] operator to your own address" in hosted.pbem("doctor").stdout
        also = 'operator = "host@owner.net"\n[identity]'
        (hosted.folder / "pbem.toml").write_text(SETTINGS.replace("[identity]", also), "utf-8")
        assert "is mailed to host@owner.net" in hosted.pbem("doctor").stdout
        post = overseen(hosted, "host@owner.net")
        alarms.tell(post.host, operating.not_carried("no route"), post.now)
        with post.host.store.transaction():
            post.host.store.write("UPDATE outbox SET state = 'given up', error = '550 no such user' WHERE recipient = ?",
                                  "host@owner.net")  # fmt: skip
        said = post.pbem("doctor").stdout
        assert "a mail to host@owner.net was refused for good (550 no such user)" in said


def test_publishing_by_hand_tells_its_own_failures(hosted: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    fault_in(monkeypatch, GAME)
    publishing.publish_due(hosted.host)
    assert told(hosted) == []
