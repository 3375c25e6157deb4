"""Who is invited to a game and has not answered: the names that are kept for them, and what a keeper is told of them.

What lives here: the looks at open invitations. What never may: making one, or seating anybody.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import Any

from pbem.game.commands import Join
from pbem.game.events import Fact
from pbem.game.joining import LONGEST_NAME
from pbem.game.model import Refused, say
from pbem.service.books import Books
from pbem.service.sender import Sender
from pbem.store import people


def _kept(books: Books, game: str, who: Sender) -> dict[str, str]:
    """The names, as written by their folded form, that others are invited by."""
    own = who.invitation(game)
    kept = {
        each.name.casefold(): each.name for each in people.invitations(books.host.store, game) if each != own
    }
    if own is not None:
        kept.pop(own.name.casefold(), None)
    return kept


def must_not_be_kept(books: Books, game: str, who: Sender, name: str) -> None:
    """Raises Refused if somebody else is invited by that name."""
    kept = _kept(books, game, who).get(" ".join(name.casefold().split()))
    if kept is not None:
        raise Refused(
            "Somebody else is invited to this game as %(name)s. Choose another name.",
            cure=(Join(),),
            name=kept,
        )


def open_to(books: Books, game: str, who: Sender, cure: tuple[Any, ...]) -> tuple[Any, ...]:
    """The lines of a cure that the sender may be offered: no name that another is invited by, and for a `Join`
    without one, unless their own invitation gives it, a name that is free."""
    kept = _kept(books, game, who)
    return tuple(
        _free_to_join(books, game, who) if line == Join() else line
        for line in cure
        if not (isinstance(line, Join) and line.name.casefold() in kept)
    )


def _free_to_join(books: Books, game: str, who: Sender) -> Join:
    """How the sender joins: by their invitation, or else by a name like theirs or their address's."""
    invited = who.invitation(game)
    taken = {
        *_kept(books, game, who),
        *(player.name.casefold() for player in books.state(game).players.values()),
    }
    if invited is not None and invited.name.casefold() not in taken and len(invited.name) <= LONGEST_NAME:
        return Join()
    local = re.sub(r"[\W\d_]+", " ", who.address.partition("@")[0]).strip().title()
    known = invited.name if invited else who.person.name if who.person else local
    name = known[: LONGEST_NAME - 4].strip() or "New Player"
    tries = (name if number == 1 else f"{name} {number}" for number in itertools.count(1))
    return Join(next(each for each in tries if each.casefold() not in taken))


def starting(books: Books, game: str, ask: Callable[[], tuple[Fact, ...]]) -> dict[str, Any]:
    """The keeper starts the game: the facts, and (`told`) who is invited and has not answered. Raises Refused."""
    names = ", ".join(each.name for each in people.invitations(books.host.store, game))
    try:
        facts = ask()
    except Refused as refused:
        if not names or books.state(game).status != "setup":
            raise
        raise Refused(
            "%(why)s Invited, and without an answer so far: %(names)s. Wait for them, or let others join: their line is "
            "“%(line)s” with a name. Who has said yes to you in person is seated at once in a game made with "
            "`pbem new … --start`.",
            why=refused.said,
            names=names,
            line=Join(),
        ) from None
    told = say("Invited, and without an answer so far: %(names)s. They can still join.", names=names)
    return {"facts": facts, "told": told if names else None}
