"""Who is who in a game, by the keeper's word: seats given and passed on, people asked to play, a lost mailbox.

What lives here: what becomes of persons and their addresses when the game has agreed. What never may: what somebody asks
for themselves (personal.py); or an address that goes into the game.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pbem.game.commands import Admit, ChangeAddress, Command, Invite, PassKeepership, Replace
from pbem.game.events import AddressChanged, Fact, PlayerAdmitted, SeatTaken
from pbem.game.model import Refused
from pbem.mail import letters
from pbem.mail.addresses import mailboxes
from pbem.service import telling
from pbem.service.books import Books
from pbem.service.sender import sender_of
from pbem.store import holds, people, queues
from pbem.store.db import Store
from pbem.store.people import Invitation, Reader

Ask = Callable[[Command], tuple[Fact, ...]]
"""Lets the game decide a command of the keeper's. Raises Refused."""


def give_seat(books: Books, game: str, asked: Replace, ask: Ask) -> tuple[Fact, ...]:
    """Somebody who watches gets a player's seat; whoever had it watches from now on. Raises Refused."""
    store = books.host.store
    found = _watching(store, game, asked.by)
    facts = ask(replace(asked, by=found.name, keeps=_keeps(store, game, found)))
    taken = next(fact.player for fact in facts if isinstance(fact, SeatTaken))
    before = next((reader for reader in people.readers(store, game) if reader.player == taken), None)
    _seat(store, game, found, taken)
    if before is not None:
        people.sit(store, game, before.person, "observer")
    return facts


def pass_keepership(books: Books, game: str, asked: PassKeepership, ask: Ask) -> tuple[Fact, ...]:
    """Somebody who plays or watches becomes the keeper; whoever was it watches from now on, if they do not play. Raises
    Refused."""
    store = books.host.store
    readers = people.readers(store, game)
    keeper = next(reader.person for reader in readers if reader.role == "keeper")
    others = {reader.person: reader for reader in readers if reader.person != keeper}
    found = _by_name(tuple(others.values()), asked.name)
    if found is None:
        names = ", ".join(sorted(reader.name for reader in others.values())) or "–"
        raise Refused(
            "Nobody else called %(name)s plays or watches this game. Those who do: %(names)s.",
            name=asked.name,
            names=names,
        )
    facts = ask(replace(asked, name=found.name, player=found.player))
    people.sit(store, game, found.person, "keeper")
    people.leave(store, game, found.person, "observer")
    if not any(reader.person == keeper and reader.role == "player" for reader in readers):
        people.sit(store, game, keeper, "observer")
    return facts


def admit(books: Books, game: str, asked: Admit, ask: Ask) -> tuple[Fact, ...]:
    """Somebody who watches gets a new seat. Raises Refused."""
    store = books.host.store
    found = _watching(store, game, asked.name)
    facts = ask(replace(asked, name=found.name, keeps=_keeps(store, game, found)))
    seat = next(fact.player for fact in facts if isinstance(fact, PlayerAdmitted))
    _seat(store, game, found, seat)
    return facts


def _seat(store: Store, game: str, found: Reader, seat: int) -> None:
    """Who watched the game plays in it; an invitation of theirs has had its answer."""
    people.leave(store, game, found.person, "observer")
    people.sit(store, game, found.person, "player", seat)
    for address in people.addresses_of(store, found.person):
        people.uninvite(store, game, address)


def invite(books: Books, game: str, asked: Invite, at: int, ask: Ask) -> tuple[Fact, ...]:
    """Somebody is mailed an invitation, or mailed it again. Raises Refused."""
    if not asked.address:
        raise Refused(
            "Write the address after the name, for instance: %(line)s",
            line=Invite(asked.name, "name@there.example"),
        )
    books.must_hold(None)
    store, address = books.host.store, _possible(books, asked.address)
    kept = (each for each in people.invitations(store, game) if each.address != address)
    name = " ".join(asked.name.split())
    if any(each.name.casefold() == name.casefold() for each in kept):
        raise Refused("Somebody else is invited to this game as %(name)s. Choose another name.", name=name)
    if sender_of(store, address).player(game) is not None:
        raise Refused("Whoever writes from %(address)s plays in this game already.", address=address)
    facts = ask(replace(asked, name=name))
    people.invite(store, Invitation(game, address, name, at))
    telling.invite(books, game, at, address)
    return facts


def change_address(books: Books, game: str, asked: ChangeAddress, at: int, ask: Ask) -> tuple[Fact, ...]:
    """A player's part in this game goes over to a person at the new address, so that whoever reads the old mailbox has
    none of it, and no token that lies there is worth anything; what still waits to go there stays here. The old address is
    told. Raises Refused."""
    books.must_hold(None)
    store, address = books.host.store, _possible(books, asked.address)
    if not people.is_free(store, address):
        raise Refused("The address %(address)s belongs to somebody here already.", address=address)
    facts = ask(asked)
    changed = next(fact.player for fact in facts if isinstance(fact, AddressChanged))
    before = next((each for each in people.readers(store, game) if each.player == changed), None)
    if before is not None:
        _drop_questions(store, game, before.address)
        queues.withdraw_to(store, game, before.address, at)
        people.move(store, game, before.person, address)
        notice = letters.moved(books.state(game), before.name, f"{books.state(game).seq}")
        telling.send(books.host, game, notice, [_nobody(telling.recipient_of(before, books.state(game)))], at)
    return facts


def _nobody(recipient: telling.Recipient) -> telling.Recipient:
    """Who is told, and gets no token any more."""
    return replace(recipient, person=0, player=None)


def _drop_questions(store: Store, game: str, address: str) -> None:
    """What the old mailbox was asked about mails to this game can be answered there no more."""
    for hold in holds.waiting(store):
        if hold.game == game and hold.address == address:
            holds.close(store, hold, "dropped")
            why = "dropped: its sender’s mails go elsewhere now"
            queues.release(store, hold.mail, queues.Outcome("human", game, None, why))


def _possible(books: Books, words: str) -> str:
    """The address, if mail can go there that is not our own. Raises Refused."""
    address = words.strip().lower()
    if mailboxes(address) != (address,) or address in books.host.config.mail.addresses:
        raise Refused("“%(address)s” is no mail address.", address=words)
    return address


def _keeps(store: Store, game: str, reader: Reader) -> bool:
    """Whether the person keeps the game."""
    return any(each.person == reader.person and each.role == "keeper" for each in people.readers(store, game))


def _watching(store: Store, game: str, name: str) -> Reader:
    """Who watches the game under that name, or that first name if it is one person's alone. Raises Refused."""
    readers = people.readers(store, game)
    seated = {reader.person for reader in readers if reader.role == "player"}
    watching = {reader.person: reader for reader in readers if reader.person not in seated}
    found = _by_name(tuple(watching.values()), name)
    if found is not None:
        return found
    names = ", ".join(sorted(reader.name for reader in watching.values())) or "–"
    raise Refused(
        "Nobody called %(name)s watches this game. Those who do: %(names)s.", name=name, names=names
    )


def _by_name(readers: tuple[Reader, ...], name: str) -> Reader | None:
    """The one of that name, or of that first name; None if there is none, or more than one."""
    folded = " ".join(name.casefold().split())
    whole = [reader for reader in readers if reader.name.casefold() == folded]
    first = [reader for reader in readers if reader.name.casefold().partition(" ")[0] == folded]
    found = whole or first
    return found[0] if len(found) == 1 else None
