"""What a person asks for themselves: a seat, to watch, a setting."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from zoneinfo import available_timezones

from pbem.game.commands import Command, Join, Set, Takeover
from pbem.game.events import Fact
from pbem.game.model import Refused
from pbem.render import languages
from pbem.service import daily, invited
from pbem.service.books import Books, Happening
from pbem.service.sender import Sender
from pbem.store import people

_YES = ("on", "yes", "true", "på", "ja")
_NO = ("off", "no", "false", "av", "nej")
_MAIL = ("each", "daily", "results", "none")


def join(books: Books, game: str, who: Sender, asked: Join, at: int, mail: str | None) -> Happening:
    """A seat for the sender, under the name they give or were invited by. Raises Refused."""
    if who.player(game) is not None:
        raise Refused("You are in this game already.")
    books.must_hold(None)
    own = who.invitation(game)
    name = asked.name or (own.name if own else "")
    invited.must_not_be_kept(books, game, who, name)
    happening = books.ask(game, Join(name, asked.team, keeps=who.keeps(game)), "guest", at, mail)
    person = _person(books, who, happening.after.players[max(happening.after.players)].name)
    people.sit(books.host.store, game, person, "player", max(happening.after.players))
    people.uninvite(books.host.store, game, who.address)
    if not any(seat.role == "player" for seat in who.seats):
        people.set_preference(books.host.store, person, "name", name)
    return happening


def observe(books: Books, game: str, who: Sender) -> None:
    """The sender gets the game's results from now on."""
    books.must_hold(None)
    invited = who.invitation(game)
    name = invited.name if invited else who.address.partition("@")[0]
    people.sit(books.host.store, game, _person(books, who, name), "observer")


Ask = Callable[[Command], tuple[Fact, ...]]
"""Lets the game decide a command of the sender's. Raises Refused."""


def volunteer(books: Books, game: str, who: Sender, asked: Takeover, ask: Ask) -> tuple[Fact, ...]:
    """The sender would take over a seat, and watches the game until the keeper gives them one. Raises Refused."""
    books.must_hold(None)
    name = asked.name or (who.person.name if who.person else "")
    invited.must_not_be_kept(books, game, who, name)
    facts = ask(Takeover(name))
    store, person = books.host.store, _person(books, who, name)
    people.set_preference(store, person, "name", name)
    people.sit(store, game, person, "observer")
    return facts


def _person(books: Books, who: Sender, name: str) -> int:
    return who.person.id if who.person else people.add_person(books.host.store, name, who.address)


def set_preference(books: Books, who: Sender, asked: Set, at: int) -> None:
    """Remembers a setting made at `at` (UTC µs). Raises Refused with the nearest word for a value that does not exist."""
    if who.person is None:
        raise Refused("Join or observe a game first; then your settings are kept.")
    books.must_hold(None)
    store, person = books.host.store, who.person.id
    value = _value(asked, languages(books.host.printer.folder))
    if asked.name == "mail":  # the newer wish: whoever had unsubscribed gets digests again, by this choice
        people.set_preference(store, person, "digests", True)
        daily.gather(books, person, at)
        people.set_gathered(store, person, at)
    people.set_preference(store, person, asked.name, value)


def _value(asked: Set, known: tuple[str, ...]) -> str | bool:
    word = asked.value.strip()
    match asked.name:
        case "html":
            return _one_of(word.casefold(), (*_YES, *_NO)) in _YES
        case "language":
            return _one_of(word.casefold(), known)
        case "mail":
            return _one_of(word.casefold(), _MAIL)
        case "zone":
            return _one_of(word, tuple(available_timezones()))


def _one_of(word: str, known: tuple[str, ...]) -> str:
    if word in known:
        return word
    nearest = difflib.get_close_matches(word, known, n=1, cutoff=0.0)[0]
    raise Refused(
        "“%(word)s” is not one of the choices. Did you mean “%(nearest)s”?", word=word, nearest=nearest
    )
