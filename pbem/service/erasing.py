"""Those who asked to be forgotten, erased with their mails.

What lives here: which mails those are. What never may: the asking (wishes.py), or a change in the log of a game.
"""

from __future__ import annotations

from collections.abc import Iterator

from pbem.mail import tokens
from pbem.service import opening
from pbem.service.books import Books, Host
from pbem.store import holds, people, queues


def erase(books: Books, *mails: int) -> bool:
    """Erases those who asked to be forgotten, with all their mails and `mails`, the last ones (numbers in the inbox);
    returns whether there were any.

    Their names stay in the logs of their games, and the logs whole.
    """
    store = books.host.store
    for person in books.forgotten:
        addresses = (*people.addresses_of(store, person), *people.former_addresses_of(store, person))
        theirs = (*holds.erase(store, person, addresses), *_unowned(books.host, person, addresses), *mails)
        queues.erase_mails(store, addresses, theirs)
        people.forget(store, person)
    erased = bool(books.forgotten)
    books.forgotten.clear()
    return erased


def _unowned(host: Host, person: int, addresses: tuple[str, ...]) -> Iterator[int]:
    """The mails that were attributed to nobody and are the person's by From, or are a robot's that names an address of
    theirs or answers a token of theirs."""
    for mail in queues.unowned(host.store):
        inbound = opening.read(host, mail)
        claims = filter(None, map(tokens.read, inbound.tokens))
        robots = (claim.person for claim in claims if inbound.kind != "human" or claim.purpose == "leave")
        named = inbound.kind != "human" and any(each.encode() in mail.content.lower() for each in addresses)
        if inbound.author in addresses or named or person in robots:
            yield mail.id
