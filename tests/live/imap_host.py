"""A host with one IMAP account, for the stories of `test_imap_*.py`: its poller, its inbox, its mails."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from imapclient import SEEN, SocketTimeout

from pbem.config import ImapIntake, Secret
from pbem.mail.message import Envelope
from pbem.service.door import Offered
from pbem.service.imap_in import ImapPoller
from pbem.service.receive import receive_all
from pbem.store.db import Store
from tests.flow.post import Post
from tests.servers.dovecot import PASSWORD, Dovecot


def now() -> int:
    return time.time_ns() // 1000


class Inbox:
    """What was taken in: repeats are counted and not kept, as in the real one."""

    def __init__(self) -> None:
        self.mails: dict[bytes, Envelope] = {}
        self.repeats = 0
        self.failure: Exception | None = None
        self.unbearable: tuple[bytes, ...] = ()
        self.together: list[int] = []
        self.news = threading.Condition()

    def receive_all(self, mails: Sequence[Offered]) -> Sequence[str]:
        assert all(source.startswith("imap ") for _, _, source in mails)
        if self.failure:
            raise self.failure
        if any(content in self.unbearable for content, _, _ in mails):
            raise RuntimeError("this mail is too much for us")
        with self.news:
            for content, envelope, _ in mails:
                self.repeats += content in self.mails
                self.mails.setdefault(content, envelope)
            self.together.append(len(mails))
            self.news.notify_all()
        return ["taken"] * len(mails)

    def await_mails(self, count: int) -> bool:
        with self.news:
            return self.news.wait_for(lambda: len(self.mails) >= count, timeout=30)


class Kept(Inbox):
    """The inbox of a real host."""

    def __init__(self, post: Post) -> None:
        super().__init__()
        self.post = post

    def receive_all(self, mails: Sequence[Offered]) -> Sequence[str]:
        return receive_all(self.post.host, mails)

    def all(self) -> list[bytes]:
        """As they were stored."""
        with self.post.host.store.reading():
            found = self.post.host.store.rows("SELECT content FROM inbox ORDER BY id")
            return [bytes(content) for (content,) in found]


class Host:
    """Makes pollers for one mailbox, and hears their alarms."""

    def __init__(self, folder: Path, store: Store, inbox: Inbox, port: int, user: str) -> None:
        self.folder, self.store, self.inbox, self.port, self.user = folder, store, inbox, port, user
        self.alarms: list[str] = []
        self.rung = threading.Event()
        (folder / "password").write_text(PASSWORD + "\n")

    def poller(self, limit: int = 1_000_000, clock: Callable[[], int] = now, **account: Any) -> ImapPoller:
        settings = {"port": self.port, "password_file": Secret(self.folder / "password"), **account}
        made = ImapPoller(
            ImapIntake("127.0.0.1", self.user, **settings),
            self.store,
            self.inbox.receive_all,
            clock,
            limit=limit,
            alarm=self.alarm,
        )
        made.patience = SocketTimeout(connect=10, read=10)
        made.first_wait = 0.05
        return made

    def alarm(self, sentence: str) -> None:
        self.alarms.append(sentence)
        self.rung.set()


def mail(number: int, size: int = 0) -> bytes:
    head = f"From: p{number}@mail.example\r\nSubject: vote {number}\r\n\r\nfor 301\r\n".encode()
    return head + b"x" * max(0, size - len(head) - 2) + b"\r\n"


def deliver(
    dovecot: Dovecot, user: str, *mails: bytes, at: datetime | None = None, folder: str = "INBOX"
) -> None:
    with dovecot.client(user) as client:
        for content in mails:
            client.append(folder, content, msg_time=at)


def contents(dovecot: Dovecot, user: str, folder: str = "INBOX") -> list[tuple[bytes, bool]]:
    """Each mail of a folder, and whether it is marked as read."""
    with dovecot.client(user) as client:
        client.select_folder(folder, readonly=True)
        found = client.fetch(client.search("ALL"), ["BODY.PEEK[]", "FLAGS"])
    return [(found[uid][b"BODY[]"], SEEN in found[uid][b"FLAGS"]) for uid in sorted(found)]


def own_mailbox(story: str) -> str:
    """The user whose mailbox is this story's alone."""
    return "u" + hashlib.sha256(story.encode()).hexdigest()[:12]


class running:  # noqa: N801  # reads as a word in `with running(poller):`
    """The poller's loop in a thread, stopped at the end of the block."""

    def __init__(self, poller: ImapPoller) -> None:
        self.stop = threading.Event()
        self.thread = threading.Thread(target=poller.run, args=(self.stop,))

    def __enter__(self) -> None:
        self.thread.start()

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        self.thread.join(20)
        assert not self.thread.is_alive(), "stops soon after it is told"
