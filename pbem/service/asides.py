"""A player's mail that our own code failed on again and again: the keeper of its game learns of it, with its words.

What lives here: whether the mail is surely a player's, and so may be shown. What never may: doing what it says, or a second
failure; the host is told in any case (alarms.py).
"""

from __future__ import annotations

import logging

from pbem.mail import letters
from pbem.service import attributing, opening, telling
from pbem.service.books import Books, Host
from pbem.store.queues import InboxMail

log = logging.getLogger(__name__)


def tell_keeper(host: Host, mail: InboxMail, now: int) -> None:
    """Tells the keeper that a mail is set aside, if it can be read as a player's. `now` in UTC µs."""
    try:
        with host.store.transaction():
            _tell(host, mail, now)
    except Exception:  # what failed on the mail may fail here too
        log.exception("mail=%s: its game's keeper could not be told", mail.digest[:16])


def _tell(host: Host, mail: InboxMail, now: int) -> None:
    inbound = opening.read(host, mail)
    found = attributing.attributed(host, inbound, attributing.borne(host, inbound, mail.received))
    if not found.what.startswith("count") or found.game is None:
        return
    state = Books(host).state(found.game)
    player = found.sender.player(found.game)
    if player is not None:
        notice = letters.set_aside(state, state.players[player].name, f"in{mail.id}", inbound, mail.received)
        telling.tell_one(host, state, notice, now)
