"""Telling people: notices become mails in the outbox, final to the byte, each in its reader's language.

What lives here: the meeting of a notice with its readers. What never may: the choice of what is told
(mail/notify.py), or sending.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from pbem.config import Config
from pbem.game import regulation
from pbem.game.state import State
from pbem.mail.compose import compose
from pbem.mail.letters import invitation
from pbem.mail.message import Outbound
from pbem.mail.notice import Audience, Notice, NoticeKind
from pbem.mail.notify import notices
from pbem.service.books import Books, Host
from pbem.store import people, queues
from pbem.store.people import Reader

AT_ONCE = 0
"""When a mail is due: a replayed game's mails go out now, whenever their moment is."""


@dataclass(frozen=True, slots=True)
class Recipient:
    """Where a mail goes, and how its reader reads. `mark` tells recipients of one notice apart; `html` is
    false for those who want plain text alone."""

    address: str
    name: str
    language: str
    zone: str
    mark: str
    html: bool = True


@dataclass(frozen=True, slots=True)
class Answering:
    """The mail that a mail answers: its Message-ID, if it had one, and its digest."""

    message_id: str
    digest: str


def tell(books: Books, at: int) -> None:
    """Puts the mails that follow from what happened in these books into the outbox. `at` is now (UTC µs)."""
    for happening in books.happenings:
        told = notices(happening.before, happening.after, happening.facts, happening.first_seq)
        for notice in told:
            tell_one(books.host, happening.after, notice, at)
    books.happenings.clear()


def tell_one(host: Host, state: State, notice: Notice, at: int) -> None:
    """One notice of a game to those of its readers whom it is for. `at` is now (UTC µs)."""
    readers = people.readers(host.store, state.game)
    send(host, state.game, notice, _recipients(notice, readers, state), at)


def invite(books: Books, game: str, at: int) -> None:
    """Mails the open invitations of a game."""
    state, store = books.state(game), books.host.store
    keeper = next((reader.name for reader in people.readers(store, game) if reader.role == "keeper"), "")
    open_ones = people.invitations(store, game)
    for invited in open_ones:
        notice = invitation(state, invited.name, keeper, tuple(each.name for each in open_ones))
        # A key outlives the mail and is logged, so it holds no address.
        mark = hashlib.sha256(invited.address.encode()).hexdigest()[:16]
        zone = regulation.zone(state)
        recipient = Recipient(invited.address, invited.name, state.language, zone, mark)
        send(books.host, game, notice, [recipient], at)


def send(host: Host, game: str, notice: Notice, recipients: Iterable[Recipient], at: int) -> None:
    """One notice to each recipient."""
    mails = [mail_of(host, game, notice, recipient, at) for recipient in recipients]
    queue(host, game, mails)


def answer(
    host: Host, game: str, notice: Notice, recipient: Recipient, answering: Answering, at: int
) -> None:
    """One notice as the answer to a mail (RFC 3834)."""
    mail = mail_of(host, game, notice, replace(recipient, mark=answering.digest[:16]), at)
    queue(host, game, [replace(mail, auto="auto-replied", answers=answering.message_id)])


def queue(host: Host, game: str, mails: Iterable[Outbound]) -> None:
    """Final bytes into the outbox; a mail whose key is there already changes nothing."""
    queues.enqueue(
        host.store,
        [
            queues.Outgoing(
                mail.key, game or None, mail.return_path, mail.to, compose(mail), mail.date, AT_ONCE
            )
            for mail in mails
        ],
    )


def mail_of(host: Host, game: str, notice: Notice, recipient: Recipient, at: int) -> Outbound:
    """A notice in words, for one recipient."""
    view = {**notice.view, "site": site_of(host.config, game)}
    reading = {"language": recipient.language, "zone": recipient.zone}
    ours = host.config.mail
    return Outbound(
        key=f"{game}/{notice.key}/{recipient.mark}",
        game=game or "pbem",
        to=recipient.address,
        to_name=recipient.name,
        subject=f"[{game or ours.name}] {host.printer.sentence(notice.subject, **reading)}",
        text=host.printer.text(notice.template, view, **reading),
        html=host.printer.html(notice.template, view, **reading) if recipient.html else "",
        date=at,
        return_path=_return_path(host.config),
        reply_to=write_to(host.config, game),
        sender=ours.address,
        sender_name=ours.name,
        thread=notice.thread,
        list_mail=notice.list_mail,
        headers=_list_headers(host.config, game),
    )


def _list_headers(config: Config, game: str) -> tuple[tuple[str, str], ...]:
    """Where help and the archive are (RFC 2369)."""
    help_ = ("List-Help", f"<mailto:{write_to(config, game)}?subject=help>")
    archive = site_of(config, game)
    return (help_, ("List-Archive", f"<{archive}>")) if archive else (help_,)


def write_to(config: Config, game: str) -> str:
    """Our address, with the game's name as its tag so that a reply needs to say nothing else."""
    local, _, domain = config.mail.address.partition("@")
    return f"{local}+{game}@{domain}" if game else config.mail.address


def site_of(config: Config, game: str) -> str:
    """The address of a game's pages, "" when the host has none."""
    return f"{config.site.url}{game}/" if config.site.url and game else config.site.url


def _return_path(config: Config) -> str:
    """Where bounces go: our address for them, or a tag of the one players write to."""
    local, _, domain = config.mail.address.partition("@")
    known = (address for address in config.mail.addresses if address.startswith("bounce@"))
    return next(known, f"{local}+bounce@{domain}")


LEFT_OUT: dict[str, tuple[NoticeKind, ...]] = {
    "each": (),
    "results": ("post", "proposal", "joined"),
    "none": ("post", "proposal", "joined", "started", "result", "digest"),
}
"""What a reader does not get, by the choice made with `set mail`; what waits for them always comes."""


def _recipients(notice: Notice, readers: tuple[Reader, ...], state: State) -> Iterator[Recipient]:
    """The readers meant who want such mail, each person once."""
    met = set()
    for reader in readers:
        wanted = notice.kind not in LEFT_OUT.get(reader.mail, ())
        if wanted and reader.person not in met and _is_meant(notice.to, reader):
            met.add(reader.person)
            yield recipient_of(reader, state)


def _is_meant(to: Audience, reader: Reader) -> bool:
    if to == "everyone":
        return True
    if to == "keeper":
        return reader.role == "keeper"
    return reader.role == "player" and reader.player in to


def recipient_of(reader: Reader, state: State) -> Recipient:
    """A reader of a game, who reads in the game's language and zone until they say otherwise."""
    language, zone = reader.language or state.language, reader.zone or regulation.zone(state)
    return Recipient(reader.address, reader.name, language, zone, str(reader.person), reader.html)
