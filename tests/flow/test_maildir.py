"""Mail comes in through a Maildir, where others write and read too."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from pbem.config import MaildirIntake
from pbem.mail.message import Envelope
from pbem.service.door import Offered
from pbem.service.maildir_in import MaildirPoller
from pbem.store.db import StoreError

NOON = 1_796_000_000_000_000
VOTE = b"From: alice@mail.example\nSubject: 301\n\nfor 301\n"


class Store:
    """Keeps mails in a list; a mail that says so cannot be stored."""

    def __init__(self) -> None:
        self.mails: list[tuple[bytes, Envelope, str]] = []
        self.together: list[int] = []
        self.full = False
        self.stored = threading.Event()

    def receive_all(self, mails: Sequence[Offered]) -> Sequence[str]:
        if self.full:
            raise StoreError("database or disk is full")
        if any(b"bad luck" in content for content, _, _ in mails):
            raise RuntimeError("this mail is too much for us")
        self.mails += mails
        self.together.append(len(mails))
        self.stored.set()
        return ["taken"] * len(mails)


@pytest.fixture
def box(tmp_path: Path) -> Path:
    for part in ("tmp", "new", "cur"):
        (tmp_path / "box" / part).mkdir(parents=True)
    return tmp_path / "box"


def drop(box: Path, name: str, content: bytes = VOTE, seconds_before_noon: float = 60) -> None:
    file = box / "tmp" / name
    file.write_bytes(content)
    moment = NOON // 1_000_000 - seconds_before_noon
    os.utime(file, (moment, moment))
    file.rename(box / "new" / name)


def poller(box: Path, store: Store, limit: int = 1_000) -> MaildirPoller:
    return MaildirPoller(MaildirIntake(box), store.receive_all, lambda: NOON, limit=limit)


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def test_mails_are_taken_in_the_order_they_came_and_then_moved(box: Path) -> None:
    store = Store()
    drop(box, "1.a", b"Subject: second\n\n", seconds_before_noon=30)
    drop(box, "2.b", b"Subject: first\n\n", seconds_before_noon=90)
    assert poller(box, store).poll_once() == 2
    assert store.mails == [
        (b"Subject: first\n\n", Envelope(NOON - 90_000_000), "maildir"),
        (b"Subject: second\n\n", Envelope(NOON - 30_000_000), "maildir"),
    ]
    assert names(box / "new") == []
    assert names(box / "cur") == ["1.a:2,S", "2.b:2,S"]
    assert poller(box, store).poll_once() == 0


def test_a_mail_from_the_future_came_now(box: Path) -> None:
    store = Store()
    drop(box, "1.a", seconds_before_noon=-3600)
    poller(box, store).poll_once()
    assert store.mails[0][1].received == NOON


def test_a_mail_that_is_not_stored_stays_and_the_others_go_on(box: Path) -> None:
    store = Store()
    drop(box, "1.a", b"Subject: bad luck\n\n", seconds_before_noon=90)
    drop(box, "2.b")
    assert poller(box, store).poll_once() == 1
    assert names(box / "new") == ["1.a"]
    assert names(box / "cur") == ["2.b:2,S"]


def test_many_mails_are_stored_together_and_a_bad_one_among_them_stays(box: Path) -> None:
    store = Store()
    for number in range(450):
        drop(box, f"{number:03}", f"Subject: {number}\n\n".encode())
    assert poller(box, store).poll_once() == 450
    assert store.together == [200, 200, 50]
    assert [content for content, _, _ in store.mails] == [f"Subject: {n}\n\n".encode() for n in range(450)]
    for number in range(10):
        drop(box, f"{number:03}", b"Subject: bad luck\n\n" if number == 4 else VOTE)
    assert poller(box, store).poll_once() == 9
    assert names(box / "new") == ["004"]
    assert len(store.mails) == 450 + 9


def test_who_is_told_to_stop_does_not_read_all_there_is_first(box: Path) -> None:
    store = Store()
    for number in range(450):
        drop(box, f"{number:03}")
    poller(box, store).run(store.stored)
    assert store.together == [200]
    assert len(names(box / "new")) == 250


def test_a_mail_that_cannot_be_moved_keeps_no_other_back(box: Path) -> None:
    store = Store()
    drop(box, "1.a", seconds_before_noon=90)
    drop(box, "2.b")
    (box / "cur" / "1.a:2,S").mkdir()
    assert poller(box, store).poll_once() == 1
    assert names(box / "new") == ["1.a"]
    assert names(box / "cur") == ["1.a:2,S", "2.b:2,S"]


def test_when_the_store_is_well_again_every_mail_is_taken(box: Path) -> None:
    store = Store()
    drop(box, "1.a")
    store.full = True
    assert poller(box, store).poll_once() == 0
    store.full = False
    assert poller(box, store).poll_once() == 1
    assert [content for content, _, _ in store.mails] == [VOTE]


def test_of_an_endless_mail_one_byte_more_than_allowed_is_read(box: Path) -> None:
    store = Store()
    drop(box, "1.a", b"x" * 5_000)
    poller(box, store, limit=1_000).poll_once()
    assert store.mails[0][0] == b"x" * 1_001


def test_links_folders_and_hidden_files_are_no_mails(box: Path, tmp_path: Path) -> None:
    store = Store()
    (tmp_path / "secret").write_text("not yours")
    (box / "new" / "1.link").symlink_to(tmp_path / "secret")
    (box / "new" / "folder").mkdir()
    drop(box, ".hidden")
    (box / "tmp" / "half").write_bytes(VOTE)
    assert poller(box, store).poll_once() == 0
    assert store.mails == []


def test_a_folder_that_is_not_there_yet_is_made(tmp_path: Path) -> None:
    assert poller(tmp_path / "new box", Store()).poll_once() == 0
    assert names(tmp_path / "new box") == ["cur", "new", "tmp"]


def test_a_mail_is_seen_soon_after_it_arrives_until_told_to_stop(box: Path) -> None:
    store, stop = Store(), threading.Event()
    watching = threading.Thread(target=poller(box, store).run, args=(stop, 0.01))
    watching.start()
    drop(box, "1.a")
    assert store.stored.wait(20)
    stop.set()
    watching.join(20)
    assert not watching.is_alive()
