"""Who writes, and about which game.

What lives here: from a mail's proven address to a person's parts, and from its traces to a game
(spec order: tag of the recipient, thread, [tag] of the subject, the only game there is). What never
may: a guess; two candidates are a question.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from pbem.config import Config
from pbem.mail import tokens
from pbem.mail.compose import Thread, thread_of
from pbem.mail.message import Inbound
from pbem.store import eventlog, people
from pbem.store.db import Store
from pbem.store.people import Invitation, Person, Role, Seat


@dataclass(frozen=True, slots=True)
class Sender:
    """Whoever a mail is credited to. `person` None: somebody we do not know yet."""

    address: str
    person: Person | None
    seats: tuple[Seat, ...]
    invitations: tuple[Invitation, ...]

    @property
    def games(self) -> tuple[str, ...]:
        """The games the sender has a part in or is invited to."""
        asked = (invitation.game for invitation in self.invitations)
        return tuple(sorted({*(seat.game for seat in self.seats), *asked}))

    def invitation(self, game: str) -> Invitation | None:
        return next((invitation for invitation in self.invitations if invitation.game == game), None)

    def player(self, game: str) -> int | None:
        """The sender's player id in the game."""
        return next((seat.player for seat in self.seats if seat.game == game and seat.role == "player"), None)

    def only(self, role: Role) -> Sender:
        """The same person in that part alone."""
        return replace(self, seats=tuple(seat for seat in self.seats if seat.role == role))

    def keeps(self, game: str) -> bool:
        return any(seat.game == game and seat.role == "keeper" for seat in self.seats)


def sender_of(store: Store, address: str) -> Sender:
    """The person behind a proven address, with every part and invitation they have."""
    return Sender(
        address,
        people.person_by_address(store, address),
        people.seats_of(store, address),
        people.invitations_to(store, address),
    )


def thread(inbound: Inbound, game: str, config: Config) -> Thread | None:
    """The conversation of the game that the mail answers."""
    answered = thread_of(inbound.answers, (config.mail.domain,))
    return answered if answered is not None and answered.game == game else None


def game_of(store: Store, inbound: Inbound, sender: Sender, config: Config, token: str = "") -> str | None:
    """The game a mail is about, None when that must be asked. `token` is the game that a token in it is about. Whoever has
    no part in a private game learns nothing of it, with an old token neither: for them there is none of that name."""
    own = sender.games
    for named in (token, *games_named(inbound, config)):
        if named in own or (named and _is_shown(store, named)):
            return named
    return own[0] if len(own) == 1 else None


def _is_shown(store: Store, game: str) -> bool:
    """Whether there is a game of that name that everybody may know of."""
    try:
        return eventlog.privacy(store, game) != "private"
    except eventlog.NoSuchGame:
        return False


def games_named(inbound: Inbound, config: Config) -> Iterator[str]:
    """What the mail itself names as its game, the surest first; there need be no game of that name."""
    tags = (recipient.partition("@")[0].partition("+")[2] for recipient in inbound.recipients)
    yield from (tag for tag in tags if tag and tokens.read(tag) is None)
    answered = thread_of(inbound.answers, (config.mail.domain,))
    if answered is not None:
        yield answered.game
    yield from (tag.casefold() for tag in inbound.tags)
