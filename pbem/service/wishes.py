"""What a person asks that a mail alone never brings about: another address, leaving, being forgotten.

What lives here: which commands wait until the registered address confirms them, and what then happens. What never may:
asking for the confirmation (holding.py).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from pbem.game.commands import (
    AddAddress,
    ChangeAddress,
    Command,
    EndGame,
    Forfeit,
    ForgetMe,
    PassKeepership,
    Personal,
    RemoveAddress,
)
from pbem.game.model import Refused, Say, say
from pbem.mail.readings import Reading
from pbem.service.books import Books
from pbem.service.sender import Sender
from pbem.service.writing import Standing
from pbem.store import people

WAITS: Final = say("This waits for you: reply to the mail that asks you to confirm it.")


def must_wait(command: Command, standing: Standing) -> bool:
    """Whether the registered address is asked first. The host's word is enough to leave a game, and for what else a forged
    mail could take from a keeper: the game, or anybody's seat in it."""
    takes = isinstance(command, EndGame | ChangeAddress | PassKeepership)
    if takes or (isinstance(command, Forfeit) and command.for_good):
        return standing in ("proven", "confirmed")
    return isinstance(command, Personal) and standing != "meant"


def waiting(reading: Reading) -> Reading:
    """Those of the words that wait until they are confirmed."""
    lines = tuple(line for line in reading.commands if must_wait(line.command, "proven"))
    return replace(reading, lines=lines)


def grant(books: Books, who: Sender, asked: Personal) -> Say:
    """Carries out what was confirmed; what is then said of it. Raises Refused."""
    if who.person is None:
        raise Refused("Join or observe a game first; then your settings are kept.")
    books.must_hold(None)
    match asked:
        case AddAddress():
            return _add(books, who, asked)
        case RemoveAddress(address):
            return _remove(books, who.person.id, address.lower())
        case ForgetMe():
            return _forget(books, who)


def may_be_added(books: Books, who: Sender, asked: AddAddress) -> str:
    """The address, if it can become one of the person's. Raises Refused."""
    address = asked.address.lower()
    if who.person is None:
        raise Refused("Join or observe a game first; then your settings are kept.")
    if not re.fullmatch(r"[^@\s<>]{1,64}@[^@\s<>]{1,255}", address):
        raise Refused("“%(address)s” is no mail address.", address=address)
    if people.person_by_address(books.host.store, address) is not None:
        raise Refused("The address %(address)s belongs to somebody here already.", address=address)
    if not people.is_free(books.host.store, address):
        raise Refused("The address %(address)s is invited to a game here.", address=address)
    return address


def asked_there(asked: AddAddress) -> Say:
    """What is said while the address has not answered."""
    return say(
        "A question has gone to %(address)s. When it is answered with OK there, mails from it are yours.",
        address=asked.address.lower(),
    )


def _add(books: Books, who: Sender, asked: AddAddress) -> Say:
    """At the host's own word: the address is not asked."""
    assert who.person is not None  # noqa: S101  # `grant` has looked
    address = may_be_added(books, who, asked)
    people.add_address(books.host.store, who.person.id, address)
    return say(
        "Mails from %(address)s are yours from now on. Ours go where they went before.", address=address
    )


def _remove(books: Books, person: int, address: str) -> Say:
    mine = people.addresses_of(books.host.store, person)
    if address not in mine:
        raise Refused("%(address)s is none of your addresses.", address=address)
    if len(mine) == 1:
        raise Refused("This is your only address. Add another one first.")
    people.remove_address(books.host.store, address)
    first = next(each for each in mine if each != address)
    return say(
        "Mails from %(address)s are not yours any more. Ours go to %(first)s.", address=address, first=first
    )


def _forget(books: Books, who: Sender) -> Say:
    """Out of every game at once; the rest is erased when the mail that confirmed it is done with."""
    assert who.person is not None  # noqa: S101  # `grant` has looked
    kept = sorted({seat.game for seat in who.seats if seat.role == "keeper"})
    if kept:
        raise Refused("You keep %(games)s: somebody else must be its keeper first.", games=", ".join(kept))
    for seat in who.seats:
        player = books.state(seat.game).players.get(seat.player or 0)
        if player is not None and player.in_game:
            books.ask(seat.game, Forfeit(for_good=True), player.id, books.state(seat.game).at)
    books.forgotten.append(who.person.id)
    return say("You are forgotten.")
