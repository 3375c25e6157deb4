"""A mail of the inbox opened again: its words read, and laid before the desk of a game.

What lives here: the way from stored bytes to a desk. What never may: doing what the mail says, or asking about it.
"""

from __future__ import annotations

import re
from typing import Final

from pbem.game.commands import Command
from pbem.mail.compose import Thread
from pbem.mail.grammar import read_commands
from pbem.mail.message import Envelope, Inbound
from pbem.mail.parse import read_mail
from pbem.mail.receipt import ASKED
from pbem.service import sender
from pbem.service.answering import Letter
from pbem.service.books import Books, Host
from pbem.service.desk import Desk
from pbem.service.receive import reading_rules
from pbem.service.writing import Writing
from pbem.store import queues
from pbem.store.queues import InboxMail

VERDICT: Final = re.compile(r"\A(?:(?:OK(?:, [\w ]+)?|\d+ \w+): )+")
"""How the subjects of our own answers begin: a reply to one is about what that one was about."""


def read(host: Host, mail: InboxMail) -> Inbound:
    """A mail taken, as it is read by the way it came."""
    envelope = Envelope(mail.received, mail.sender, mail.recipient)
    return read_mail(mail.content, envelope, reading_rules(host.config, mail.source))


def desk(books: Books, game: str, letter: Letter) -> Desk:
    """The desk of the game with the words of the letter on it."""
    inbound = letter.inbound
    thread = sender.thread(inbound, game, books.host.config)
    writing = Writing(
        text=inbound.text or "",
        at=letter.at,
        subject=VERDICT.sub("", inbound.subject_core),
        thread=thread,
        mail=inbound.digest,
        unreadable="unreadable" in inbound.notes,
        cuts=inbound.cuts,
        asked_back=_asked_back(books.host, game, thread, letter),
        standing=letter.standing,
        dated=inbound.dated,
        stamps=inbound.stamps,
    )
    return Desk(books, game, letter.sender, writing)


def understood(books: Books, letter: Letter) -> tuple[Command, ...]:
    """Every command that would be carried out if the letter counted."""
    if letter.game is None:
        read_now = read_commands(letter.inbound.text or "", letter.inbound.subject_core)
        return tuple(line.command for line in read_now.commands)
    laid = desk(books, letter.game, letter)
    return tuple(laid.meant(line.command) for line in laid.reading.commands)


def _asked_back(host: Host, game: str, thread: Thread | None, letter: Letter) -> Writing | None:
    """The sender's earlier mail, read again, if this one answers what we asked about it."""
    if thread is None or not thread.about.startswith(ASKED):
        return None
    mail = queues.taken_from(host.store, letter.sender.address, thread.about.removeprefix(ASKED))
    if mail is None:
        return None
    inbound = read(host, mail)
    subject, conversation = VERDICT.sub("", inbound.subject_core), sender.thread(inbound, game, host.config)
    return Writing(inbound.text or "", letter.at, subject, conversation, inbound.digest)
