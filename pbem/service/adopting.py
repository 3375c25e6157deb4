"""An address that a person wants to write from, too: it is asked before it is theirs.

What lives here: the offer to the address, and what its answer leads to. What never may: an address that is somebody's
already, or that is invited to a game for itself.
"""

from __future__ import annotations

from pbem.mail import letters
from pbem.service import answering, holding
from pbem.service.answering import Letter
from pbem.service.books import Books
from pbem.service.sender import sender_of
from pbem.store import people
from pbem.store.holds import Hold


def offer(books: Books, letter: Letter, address: str) -> None:
    """The owner of the letter wants the address. One that this letter is proven to come from has said so itself."""
    person = letter.sender.person
    if person is None or not people.is_free(books.host.store, address):
        return
    books.must_hold(None)
    if letter.inbound.proof == "pass" and letter.inbound.author == address:
        people.add_address(books.host.store, person.id, address)
    else:
        holding.ask_address(books, letter, address, person)


def take(books: Books, letter: Letter, hold: Hold) -> None:
    """The address has said yes to being that person's, and they read of it, unless it is not free any more."""
    store = books.host.store
    owner = people.person_by_id(store, hold.person or 0)
    if owner is None or not people.is_free(store, hold.address):
        return
    people.add_address(store, owner.id, hold.address)
    to = Letter(
        letter.inbound, sender_of(store, owner.address), letter.mail, letter.at, letter.now, hold.game
    )
    notice = letters.adopted(f"{hold.digest[:24]}.{hold.id}", hold.address)
    answering.note(books.host, to, notice, holding.language_of(books, hold.game))
