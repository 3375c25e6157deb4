"""Telling people: notices become mails in the outbox, final to the byte, each in its reader's language.

What lives here: the meeting of a notice with its readers. What never may: the choice of what is told
(mail/notify.py), or sending.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from pbem.config import Config
from pbem.game import regulation
from pbem.game.state import State
from pbem.mail.ahead import Due
from pbem.mail.compose import compose
from pbem.mail.letters import invitation
from pbem.mail.message import Outbound
from pbem.mail.notice import Audience, Notice, NoticeKind
from pbem.mail.notify import notices
from pbem.mail.tokens import Purpose, claim, mark_of, tagged
from pbem.service.books import Books, Host
from pbem.store import eventlog, people, queues
from pbem.store.people import Reader

BOUNCE = "bounce"
"""The tag of our address that bounces of a mail to somebody without a token go to; so it is no name of a game."""
AT_ONCE = 0
"""When a mail is due: a replayed game's mails go out now, whenever their moment is."""


@dataclass(frozen=True, slots=True)
class Recipient:
    """Where a mail goes, and how its reader reads. `mark` tells recipients of one notice apart; `html` is
    false for those who want plain text alone; `person` 0: somebody who is none of ours, and gets no token. `player` is
    their seat in the game, if any."""

    address: str
    name: str
    language: str
    zone: str
    mark: str
    html: bool = True
    person: int = 0
    player: int | None = None


@dataclass(frozen=True, slots=True)
class Answering:
    """The mail that a mail answers: its Message-ID, if it had one, its digest, and the conversation it belongs to."""

    message_id: str
    digest: str
    within: str = ""


def tell(books: Books, at: int) -> None:
    """Puts the mails that follow from what happened in these books into the outbox. `at` is now (UTC µs)."""
    told = [
        (happening.after, notice)
        for happening in books.happenings
        for notice in notices(happening.before, happening.after, happening.facts, happening.first_seq)
    ]
    papers = {(state.game, notice.thread): notice.to for state, notice in told if notice.kind == "ballot"}
    for state, notice in told:
        tell_one(books.host, state, _left_for(notice, papers.get((state.game, notice.thread), ())), at)
    books.happenings.clear()


def _left_for(notice: Notice, voters: Audience) -> Notice:
    """A proposal goes by itself to those alone who do not get its ballot paper at the same time: it stands there too."""
    if notice.kind != "proposal" or isinstance(notice.to, str):
        return notice
    return replace(notice, to=tuple(player for player in notice.to if player not in voters))


def tell_one(host: Host, state: State, notice: Notice, at: int) -> None:
    """One notice of a game to those of its readers whom it is for. `at` is now (UTC µs)."""
    readers = people.readers(host.store, state.game)
    send(host, state.game, notice, _recipients(notice, readers, state), at)


def invite(books: Books, game: str, at: int, address: str = "") -> None:
    """Mails the open invitations of a game; anew the one to `address` alone, if given."""
    state, store = books.state(game), books.host.store
    keeper = next((reader.name for reader in people.readers(store, game) if reader.role == "keeper"), "")
    open_ones = people.invitations(store, game)
    for invited in open_ones:
        if address not in ("", invited.address):
            continue
        notice = invitation(state, invited.name, keeper, tuple(each.name for each in open_ones))
        if address:
            notice = replace(notice, key=f"{notice.key}:{state.seq}")
        # A key outlives the mail and is logged, so it holds no address.
        mark = hashlib.sha256(invited.address.encode()).hexdigest()[:16]
        zone = regulation.zone(state)
        person = people.person_by_address(store, invited.address)
        recipient = Recipient(
            invited.address, invited.name, state.language, zone, mark, person=person.id if person else 0
        )
        send(books.host, game, notice, [recipient], at)


def send(host: Host, game: str, notice: Notice, recipients: Iterable[Recipient], at: int) -> None:
    """One notice to each recipient. Those who read alike get the same words, which are printed once."""
    printed = Printed(host, game, notice)
    queue(host, game, [_addressed(host, game, printed, recipient, at) for recipient in recipients])


def answer(
    host: Host, game: str, notice: Notice, recipient: Recipient, answering: Answering, at: int
) -> None:
    """One notice as the answer to a mail (RFC 3834)."""
    mail = mail_of(host, game, notice, replace(recipient, mark=answering.digest[:16]), at)
    answered, within = answering.message_id, answering.within
    queue(host, game, [replace(mail, auto="auto-replied", answers=answered, within=within)])


def queue(host: Host, game: str, mails: Iterable[Outbound], *, though_paused: bool = False) -> None:
    """Final bytes into the outbox; a mail whose key is there already changes nothing. What goes to an address that
    mails come back from waits there, unless it is sent `though_paused`."""
    most = host.config.limits.bounces
    queues.enqueue(
        host.store,
        [
            queues.Outgoing(
                mail.key,
                game or None,
                mail.return_path,
                mail.to,
                compose(mail),
                mail.date,
                AT_ONCE if though_paused or people.bounces(host.store, mail.to) < most else queues.PAUSED,
            )
            for mail in mails
        ],
    )


def mail_of(host: Host, game: str, notice: Notice, recipient: Recipient, at: int) -> Outbound:
    """A notice in words, for one recipient."""
    return _addressed(host, game, Printed(host, game, notice), recipient, at)


class Printed:
    """A notice of a game in the words of its readers."""

    def __init__(self, host: Host, game: str, notice: Notice) -> None:
        self.notice = notice
        self.site = site_of(host, game)
        self._printer = host.printer
        self._texts: dict[tuple[str, str, int | None], tuple[str, str]] = {}
        self._htmls: dict[tuple[str, str, int | None], str] = {}

    def text(self, reader: Recipient) -> tuple[str, str]:
        """The subject, and the plain text."""
        key, notice = self._key(reader), self.notice
        if key not in self._texts:
            read = {"language": reader.language, "zone": reader.zone}
            subject = self._printer.sentence(notice.subject, **read)
            self._texts[key] = subject, self._printer.text(notice.template, self._view(reader), **read)
        return self._texts[key]

    def html(self, reader: Recipient) -> str:
        """The same in HTML; "" for those who want none."""
        key, notice = self._key(reader), self.notice
        if reader.html and key not in self._htmls:
            read = {"language": reader.language, "zone": reader.zone}
            self._htmls[key] = self._printer.html(notice.template, self._view(reader), **read)
        return self._htmls[key] if reader.html else ""

    def _key(self, reader: Recipient) -> tuple[str, str, int | None]:
        return reader.language, reader.zone, self._you(reader)

    def _view(self, reader: Recipient) -> dict[str, Any]:
        return {**self.notice.view, "site": self.site, "you": self._you(reader)}

    def _you(self, reader: Recipient) -> int | None:
        """In a mail that tells what is due, which is all that tells its readers apart: the seat of one for whom something is,
        0 for other players, None for those without a seat. In other mails None."""
        due = self.notice.view.get("due")
        if due is None or reader.player is None:
            return None
        return reader.player if _awaits(due, reader.player) else 0


def _awaits(due: Iterable[Due], player: int) -> bool:
    return any(player in entry.players for entry in due)


def _addressed(host: Host, game: str, printed: Printed, recipient: Recipient, at: int) -> Outbound:
    """What was printed, for one recipient."""
    notice, site = printed.notice, printed.site
    ours, key = host.config.mail, f"{game}/{notice.key}/{recipient.mark}"
    token = token_of(host, "reply", recipient, at, key, game)
    subject, text = printed.text(recipient)
    return Outbound(
        key=key,
        game=game or "pbem",
        to=recipient.address,
        to_name=recipient.name,
        subject=f"[{game or ours.name}] {subject}",
        text=text,
        html=printed.html(recipient),
        date=at,
        return_path=_return_path(host, recipient, at),
        reply_to=tagged(ours.address, token) if token else write_to(host.config, game),
        sender=ours.address,
        sender_name=ours.name,
        thread=notice.thread,
        list_mail=notice.list_mail and notice.kind == "digest",
        token=token,
        headers=tuple(_list_headers(host, game, site, recipient, at)),
    )


def token_of(
    host: Host, purpose: Purpose, recipient: Recipient, at: int, mail: str = "", about: str = ""
) -> str:
    """The recipient's token for that purpose, in the mail with that key; "" for who gets none."""
    if not recipient.person:
        return ""
    return host.keys.make(claim(purpose, recipient.person, at, mark_of(mail)), about)


def _list_headers(
    host: Host, game: str, archive: str, recipient: Recipient, at: int
) -> Iterator[tuple[str, str]]:
    """That nobody posts to all, where help and the archive are, and how to get no more digests (RFC 2369)."""
    config = host.config
    yield "List-Post", "NO"
    yield "List-Help", f"<mailto:{write_to(config, game)}?subject=help>"
    if archive:
        yield "List-Archive", f"<{archive}>"
    if leaving := game and token_of(host, "leave", recipient, at):
        address = tagged(config.mail.address, leaving)
        yield "List-Unsubscribe", f"<mailto:{address}?subject=unsubscribe>"


def write_to(config: Config, game: str) -> str:
    """Our address, with the game's name as its tag so that a reply needs to say nothing else."""
    local, _, domain = config.mail.address.partition("@")
    return f"{local}+{game}@{domain}" if game else config.mail.address


def site_of(host: Host, game: str) -> str:
    """The address of a game's pages, "" when the host has none or the game is private."""
    url = host.config.site.url
    if not (url and game):
        return url
    return "" if eventlog.privacy(host.store, game) == "private" else f"{url}{game}/"


def _return_path(host: Host, recipient: Recipient, at: int) -> str:
    """Where bounces go: our address for them or the one players write to, with a tag that tells whose they are (VERP)."""
    ours = host.config.mail
    to = next((address for address in ours.addresses if address.startswith("bounce@")), ours.address)
    if token := token_of(host, "bounce", recipient, at, recipient.address.lower()):
        return tagged(to, token)
    return to if to != ours.address else tagged(to, BOUNCE)


LEFT_OUT: dict[str, tuple[NoticeKind, ...]] = {
    "each": (),
    "daily": ("post",),
    "results": ("post", "proposal", "joined"),
    "none": ("post", "proposal", "joined", "started", "result", "digest"),
}
"""What a reader does not get, by the choice made with `set mail`; what waits for them always comes, and by the choice
`daily` posts come gathered (daily.py)."""


def _recipients(notice: Notice, readers: tuple[Reader, ...], state: State) -> Iterator[Recipient]:
    """The readers meant who want such mail, each person once."""
    met = set()
    for reader in readers:
        wanted = notice.kind not in LEFT_OUT.get(reader.mail, ()) and (
            reader.digests or notice.kind != "digest"
        )
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
    return Recipient(
        reader.address,
        reader.name,
        language,
        zone,
        str(reader.person),
        reader.html,
        reader.person,
        reader.player,
    )
