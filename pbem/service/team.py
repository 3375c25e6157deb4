"""Words among team-mates (210): the one private relay of a game, and it leaves no trace in it.

What lives here: who gets them, and what stops them. What never may: a fact; what a team confers is not play.
"""

from __future__ import annotations

import hashlib

from pbem.game.commands import By, Press
from pbem.game.model import Player, Refused
from pbem.game.state import State
from pbem.mail.letters import to_team
from pbem.service import telling
from pbem.service.books import Books


def press(books: Books, state: State, by: By, asked: Press, at: int, mail: str | None) -> None:
    """Mails the words of player `by` to their team-mates alone. `at` is now (UTC µs), `mail` the SHA-256 of the
    mail they came in. Raises Refused."""
    said = f"{mail or at} {by} {asked.text}"
    key = hashlib.sha256(said.encode()).hexdigest()[:16]
    sender = _sender(state, by)
    telling.tell_one(books.host, state, to_team(state, key, sender, _mates(state, sender), asked), at)


def _sender(state: State, by: By) -> Player:
    sender = state.players.get(by) if isinstance(by, int) else None
    if sender is None or not sender.in_game:
        raise Refused("Only a player in the game has a team to write to.")
    return sender


def _mates(state: State, sender: Player) -> tuple[int, ...]:
    """The others of the sender's team who are in the game. Raises Refused when there are none."""
    if sender.team is None:
        raise Refused("You are in no team, and the server relays no other private words.")
    mates = tuple(one.id for one in state.seated if one.is_mate_of(sender) and one.id != sender.id)
    if not mates:
        raise Refused("Nobody else of team %(team)s is in the game.", team=sender.team)
    return mates
