"""The lane of a mail on PostgreSQL: which games it may be worked off beside, and what is done by a worker who is alone."""

from __future__ import annotations

import email
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pbem.mail.message import Envelope
from pbem.service import process, publishing
from pbem.service.books import Host, open_books
from pbem.service.receive import TRUSTED, receive
from pbem.service.recent import Recent
from pbem.store import eventlog, lanes, people, queues
from pbem.store.db import Store, StoreError
from tests.flow.post import ADDRESS, BEGINNING, MINUTE, PEOPLE
from tests.live.crew import acted, arrived, begin, opened, settled, words
from tests.servers.postgres import empty, postgres_url

pytestmark = pytest.mark.live
__all__ = ["postgres_url"]

GAMES = ("kaffe", "te")
ALICE, BO = PEOPLE["Alice"][1], PEOPLE["Bo"][1]
LATE = BEGINNING + 10**12


@pytest.fixture
def host(tmp_path: Path, postgres_url: str) -> Iterator[Host]:
    empty(postgres_url)
    with opened(settled(tmp_path, postgres_url)) as host:
        begin(host, GAMES, BEGINNING)
        yield host


class Door:
    """Mails come in, a minute apart."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.now = BEGINNING

    def take(self, content: str | bytes) -> None:
        self.now += MINUTE
        raw = content if isinstance(content, bytes) else content.encode()
        receive(self.host, raw, Envelope(self.now), TRUSTED)

    def mail(self, author: str, subject: str, body: str, to: str = ADDRESS, more: str = "") -> None:
        self.take(
            f"From: {author}\nTo: {to}\nSubject: {subject}\nMessage-ID: <{self.now}@x.example>\n{more}\n{body}\n"
        )


def lanes_of(host: Host) -> list[str]:
    """Of all mails taken, in the order in which they came."""
    with host.store.reading():
        return [lane for (lane,) in host.store.rows("SELECT lane FROM inbox ORDER BY received, id")]


def results(host: Host) -> list[str]:
    with host.store.reading():
        return [str(mail.result) for mail in reversed(queues.inbox_log(host.store))]


def last_mail_to(host: Host, address: str) -> bytes:
    with host.store.reading():
        rows = host.store.rows(
            "SELECT content FROM outbox WHERE recipient = ? ORDER BY id DESC LIMIT 1", address
        )
        return next(bytes(content) for (content,) in rows)


def test_a_mail_waits_in_the_lane_of_the_game_that_it_names_for_certain(host: Host) -> None:
    door = Door(host)
    begin(host, ("saft",), BEGINNING)
    ours = email.message_from_bytes(last_mail_to(host, ALICE))
    assert str(ours["Subject"]).startswith("[saft]")
    door.mail(ALICE, "[te] scores", "scores")
    door.mail(ALICE, "scores", "scores", to=ADDRESS.replace("@", "+kaffe@"))
    door.mail(ALICE, "scores", "scores")
    door.mail("zoe@zell.example", "[nothing] of the kind", "scores")
    door.take(words("te", 7, lost=True))
    door.mail(ALICE, "hello", "scores", to=ours["Reply-To"], more=f"In-Reply-To: {ours['Message-ID']}\n")
    assert lanes_of(host) == ["te", "kaffe", "", "", "", "saft"]


def test_the_only_game_of_its_sender_is_certain_enough(tmp_path: Path, postgres_url: str) -> None:
    empty(postgres_url)
    with opened(settled(tmp_path, postgres_url)) as host:
        begin(host, ("kaffe",), BEGINNING)
        Door(host).mail(ALICE, "scores", "scores")
        assert lanes_of(host) == ["kaffe"]


def test_while_one_is_at_a_game_another_takes_the_next_and_waits_for_one_that_is_taken(host: Host) -> None:
    door, seen = Door(host), list[list[str]]()
    for game in ("kaffe", "kaffe", "te"):
        door.mail(ALICE, f"[{game}] hello", "scores")

    def other() -> None:
        with host.store.transaction():
            found = lanes.claim(host.store, LATE, 20)
            assert found is not None
            seen.append(sorted(found.games or ()))
            for mail in found.mails:
                queues.finish(host.store, mail.id, queues.Outcome("human", None, None, "1 done"))

    with host.store.transaction():
        ((slug,),) = host.store.rows("SELECT slug FROM game WHERE slug = 'kaffe' FOR NO KEY UPDATE")
        first = threading.Thread(target=other)
        first.start()
        first.join(20)
        assert (slug, seen) == ("kaffe", [["te"]])
        second = threading.Thread(target=other)
        second.start()
        second.join(0.3)
        assert second.is_alive()
    second.join(20)
    assert seen == [["te"], ["kaffe"]]


def test_nothing_passes_by_a_mail_of_no_lane(host: Host) -> None:
    door = Door(host)
    door.mail(ALICE, "[kaffe] hello", "scores")
    door.mail(ALICE, "hello", "scores")
    door.mail(ALICE, "[te] hello", "scores")
    found = []
    for _ in range(3):
        with host.store.transaction():
            claim = lanes.claim(host.store, LATE, 20)
            assert claim is not None
            found.append((claim.games, [mail.id for mail in claim.mails]))
            for mail in claim.mails:
                queues.finish(host.store, mail.id, queues.Outcome("human", None, None, "1 done"))
    assert found == [(frozenset({"kaffe"}), [1]), (None, [2]), (frozenset({"te"}), [3])]


def test_what_changes_a_person_is_undone_in_a_lane_and_done_by_one_who_is_alone(host: Host) -> None:
    door = Door(host)
    door.mail(ALICE, "[kaffe] less", "set mail daily")
    door.mail(ALICE, "[te] more", "set mail results")
    assert lanes_of(host) == ["kaffe", "te"]
    assert process.work_off(host, door.now) >= 2
    assert lanes_of(host) == ["", ""], "both have waited"
    assert results(host) == ["1 done, 0 refused, 0 asked back"] * 2
    with host.store.reading():
        alice = people.person_by_address(host.store, ALICE)
    assert alice is not None
    assert alice.mail == "results"


def test_a_mail_in_the_wrong_lane_is_worked_off_for_its_own_game(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    door = Door(host)
    monkeypatch.setattr("pbem.service.receive.lanes.lane_of", lambda *_: "te")
    for number in range(4):
        door.take(words("kaffe", number))
    process.work_off(host, door.now)
    assert lanes_of(host) == [""] * 4
    assert acted(host, GAMES)["kaffe"] == arrived(host)["kaffe"]
    assert acted(host, GAMES)["te"] == []


def test_copies_of_one_mail_in_two_lanes_count_once(host: Host) -> None:
    door = Door(host)
    mail = words("kaffe", 1)
    door.take(mail)
    door.take(mail.replace(b"[kaffe]", b"[te]").replace(b"a good one", b"a good one, as the list adds"))
    assert lanes_of(host) == list(GAMES)
    process.work_off(host, door.now)
    assert [result.startswith("held: a mail with the same Message-ID") for result in results(host)] == [
        False,
        True,
    ]
    assert lanes_of(host) == ["", "te"], "the first has waited until nobody was at its copy"


def test_a_game_in_which_another_writes_while_it_is_read_is_no_mixture(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    Door(host).take(words("kaffe", 1))
    head = eventlog.head

    def and_then_somebody_writes(store: Store, slug: str) -> eventlog.Head:
        found = head(store, slug)
        monkeypatch.undo()
        other = threading.Thread(
            target=process.work_off, args=(replace(host, pages=Recent(9, lambda _: 1)), LATE)
        )
        other.start()
        other.join(20)
        return found

    monkeypatch.setattr(eventlog, "head", and_then_somebody_writes)
    with open_books(replace(host, pages=Recent(9, lambda _: 1))) as books:
        page = books.page("kaffe")
        log = [record.hash for record in eventlog.load(host.store, "kaffe")]
    assert len(log) == page.state.seq + 1, "somebody has written"
    assert page.head == log[page.state.seq - 1]


def test_of_two_that_wait_for_each_other_one_is_told_to_try_again(host: Host) -> None:
    """Two lanes may meet in what belongs to no game, such as how often somebody has been answered."""
    both, crossed = threading.Barrier(2), list[bool]()

    def lock(*names: str) -> None:
        try:
            with host.store.transaction():
                for name in names:
                    host.store.write("UPDATE game SET due = due WHERE slug = ?", name)
                    if name == names[0]:
                        both.wait(20)
        except StoreError as error:
            crossed.append(host.store.crossed(error))

    threads = [threading.Thread(target=lock, args=names) for names in (GAMES, GAMES[::-1])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert crossed == [True]


def test_a_game_that_another_process_publishes_is_passed_by(host: Host) -> None:
    at_it, goes_on = threading.Event(), threading.Event()

    def other() -> None:
        with host.store.reserved(eventlog.PUBLISHING, "kaffe") as free:
            assert free
            at_it.set()
            goes_on.wait(20)

    publisher = threading.Thread(target=other)
    publisher.start()
    try:
        at_it.wait(20)
        assert publishing.publish_due(host) == 1
        assert not (host.config.site.folder / "kaffe").exists()
    finally:
        goes_on.set()
        publisher.join(20)
    assert publishing.publish_due(host) == 1
    assert (host.config.site.folder / "kaffe" / "index.html").is_file()
    assert publishing.publish_due(host) == 0
