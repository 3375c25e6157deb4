"""Faults that are planted on purpose: the simulation must find each of them.

What lives here: the faults, each as somebody might have written it in good faith. What never may: a way to find them.
"""

from __future__ import annotations

import smtplib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import pytest

from pbem.game import events
from pbem.game.commands import NoteDeadline
from pbem.mail import parse
from pbem.mail.classify import Verdict
from pbem.service import attributing, books, calendar, deliver, holding, process, receive, smtp_out, telling
from pbem.service.imap_in import ImapPoller
from pbem.store import imap, queues
from tests.flow.post import HOUR

Patch = pytest.MonkeyPatch
Fault = Callable[[Patch], None]


@dataclass(frozen=True)
class Planted:
    """A fault, and the first seed whose world shows it."""

    plant: Fault
    first: int


PLANTED: dict[str, Planted] = {}
"""Each by the sentence that says what is wrong."""


def _planted(words: str, first: int = 0) -> Callable[[Fault], Fault]:
    def put(fault: Fault) -> Fault:
        PLANTED[words] = Planted(fault, first)
        return fault

    return put


# ---- mail in ----


@_planted("a mail is acknowledged before it is stored")
def _hasty(patch: Patch) -> None:
    store, begin_work = receive.receive_all, process.work_off
    waiting: list[Any] = []

    def receive_later(host: Any, offered: Any) -> list[str]:
        waiting[:] = [each for each in waiting if each[0] is host]  # the others died with their process
        waiting.append((host, offered))
        return ["taken"] * len(offered)

    def work_off(host: Any, *how: Any) -> int:
        while waiting:
            kept, offered = waiting.pop()
            if kept is host:
                store(host, offered)
        return begin_work(host, *how)

    patch.setattr(receive, "receive_all", receive_later)
    patch.setattr(process, "work_off", work_off)


@_planted("doubles are known by their raw bytes alone")
def _raw_bytes(patch: Patch) -> None:
    def marks_of(*mail: Any) -> Any:
        marks = parse.marks_of(*mail)
        return replace(marks, key=marks.digest)

    patch.setattr(receive, "marks_of", marks_of)


@_planted("a second mail counts under the same Message-ID")
def _uncounted(patch: Patch) -> None:
    patch.setattr(queues, "counted", lambda *_: False)


@_planted("the IMAP position is saved before the mails")
def _position_first(patch: Patch) -> None:
    take = ImapPoller._take

    def take_after(poller: ImapPoller, server: Any, uids: Any) -> Any:
        box = server.select_folder(poller.account.folder)
        with poller.store.transaction():
            reached = imap.Position(box[b"UIDVALIDITY"], uids[-1])
            imap.set_position(poller.store, poller.name, poller.account.folder, reached)
        return take(poller, server, uids)

    patch.setattr(ImapPoller, "_take", take_after)


@_planted("the IMAP position outlives the numbers it was taken from", first=13)
def _old_numbers(patch: Patch) -> None:
    def last_uid(poller: ImapPoller, _: int) -> int:
        with poller.store.reading():
            reached = imap.position(poller.store, poller.name, poller.account.folder)
        return reached.last_uid if reached else 0

    patch.setattr(ImapPoller, "_last_uid", last_uid)


# ---- whose mail it is ----


@_planted("From is believed")
def _believed(patch: Patch) -> None:
    def attribute(sender: str, *_: Any, **__: Any) -> str:
        return "count" if sender == "known" else "silence"

    patch.setattr(attributing, "attribute", attribute)


@_planted("any answer to the question is a yes", first=1)
def _always_yes(patch: Patch) -> None:
    patch.setattr(holding, "answer_in", lambda *_: "yes")


@_planted("an away note is read like a mail of a person's", first=1)
def _no_machines(patch: Patch) -> None:
    classify = parse.classify

    def human(seen: Any) -> Verdict:
        found = classify(seen)
        return Verdict("human", "") if found.kind == "auto-reply" else found

    patch.setattr(parse, "classify", human)


# ---- the game ----


@_planted("the state in memory is not caught up", first=1)
def _stale(patch: Patch) -> None:
    caught_up = books.Books._caught_up

    def remembered(self: Any, game: str) -> Any:
        return self.host.pages.get(game) or caught_up(self, game)

    patch.setattr(books.Books, "_caught_up", remembered)


@_planted("the state in memory stays when its transaction is undone", first=6)
def _kept(patch: Patch) -> None:
    @contextmanager
    def opened(host: Any) -> Iterator[Any]:
        made = books.Books(host)
        with host.store.transaction():
            yield made
            made.keep()

    patch.setattr(process, "open_books", opened)
    patch.setattr(calendar, "open_books", opened)


@_planted("an event is written twice")
def _doubled(patch: Patch) -> None:
    write = books.Books.write

    def twice(self: Any, game: str, facts: Any, *how: Any) -> Any:
        return write(self, game, [*facts, *(each for each in facts if isinstance(each, events.Posted))], *how)

    patch.setattr(books.Books, "write", twice)


@_planted("a mail that failed once is done with", first=12)
def _dropped(patch: Patch) -> None:
    def fail(store: Any, mail: int, why: str, _: int) -> str:
        queues.finish(store, mail, queues.Outcome("human", None, None, why))
        return "failed"

    patch.setattr(queues, "fail", fail)


# ---- deadlines ----


@_planted("a deadline is noted twice")
def _noted_twice(patch: Patch) -> None:
    ask = books.Books.ask

    def twice(self: Any, game: str, command: Any, *how: Any) -> Any:
        if isinstance(command, NoteDeadline):
            ask(self, game, command, *how)
        return ask(self, game, command, *how)

    patch.setattr(books.Books, "ask", twice)


@_planted("deadlines come an hour early", first=3)
def _early(patch: Patch) -> None:
    tick = calendar.tick
    patch.setattr(calendar, "tick", lambda host, now: tick(host, now + HOUR))


@_planted("a ballot counts that comes after the deadline")
def _late_ballots(patch: Patch) -> None:
    def advance(made: Any, game: str, now: int) -> None:
        if made.happenings:  # after the mail, and not before it
            calendar.advance(made, game, now)

    patch.setattr(process, "calendar", SimpleNamespace(advance=advance))


# ---- mail out ----


@_planted("every other digest is left out", first=4)
def _no_digest(patch: Patch) -> None:
    notices = telling.notices

    def fewer(*happened: Any) -> Any:
        return tuple(n for n in notices(*happened) if n.kind != "digest" or n.view["turn"] % 2)

    patch.setattr(telling, "notices", fewer)


@_planted("the mails are written in a transaction of their own", first=125)
def _told_later(patch: Patch) -> None:
    def attend(host: Any, game: str, now: int) -> bool:
        with books.open_books(host) as made:
            calendar.advance(made, game, now)
        with host.store.transaction():
            telling.tell(made, now)
        return True

    patch.setattr(calendar, "_attend", attend)


@_planted("a mail is written anew when it is tried again")
def _written_anew(patch: Patch) -> None:
    send = smtp_out.SmtpPost.send

    def anew(self: Any, mail: Any) -> None:
        again = f"\r\nX-Try: {mail.attempts}\r\n\r\n".encode()
        send(
            self,
            mail
            if mail.attempts == 1
            else replace(mail, content=mail.content.replace(b"\r\n\r\n", again, 1)),
        )

    patch.setattr(smtp_out.SmtpPost, "send", anew)


@_planted("an error at QUIT is taken for a failure")
def _quit_fails(patch: Patch) -> None:
    send = smtp_out.SmtpPost.send

    def send_and_quit(self: Any, mail: Any) -> None:
        send(self, mail)
        smtp, self._smtp = self._smtp, None
        try:
            smtp.quit()
        except (smtplib.SMTPException, OSError) as error:
            raise deliver.Later(str(error)) from error

    patch.setattr(smtp_out.SmtpPost, "send", send_and_quit)


@_planted("a mail is marked as sent before it is")
def _marked_first(patch: Patch) -> None:
    claim = queues.claim_outbox

    def claim_and_mark(store: Any, now: int, limit: int, worker: str, lease: int) -> Any:
        mails = claim(store, now, limit, worker, lease)
        queues.sent(store, [mail.id for mail in mails], worker, now)
        return mails

    patch.setattr(queues, "claim_outbox", claim_and_mark)
