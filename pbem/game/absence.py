"""Being away for a while: no reminders, and everyone knows until when. It touches neither votes nor turns (105, 201)
unless a rule says so.
"""

from __future__ import annotations

from datetime import date

from pbem.game import clauses, deadlines, regulation
from pbem.game.commands import Absent, Back, By, EndAbsence
from pbem.game.events import PlayerAbsent, PlayerBack
from pbem.game.model import Player, Refused, say
from pbem.game.move import Move, must_be_keeper


def absent(move: Move, asked: Absent, by: By) -> None:
    """A player is away until a day begins; or the keeper says so for them, however long."""
    player = _whose(move, asked, by)
    until = _beginning(move, asked.until)
    if until <= move.at:
        raise Refused("Write a day that is yet to come.")
    used = _used_without_rest(move, player) + until - move.at
    limit = regulation.ask(move.state, "absence per circuit")
    if by != "keeper" and limit is not None and used > clauses.microseconds(str(limit.value)):
        raise Refused(
            "You would be away for more than %(limit)s in this circuit. The keeper has to approve that; ask them to send “%(line)s”.",
            rule=limit.rule,
            limit=str(limit.value),
            line=Absent(asked.until, player.name),
        )
    move.record(PlayerAbsent(player.id, until, used, asked.why, by_keeper=asked.name != ""))


def back(move: Move, _: Back, by: By) -> None:
    """A player is back before the day they said."""
    player = move.seat(by)
    if player.status != "absent":
        raise Refused("You are not away.")
    move.record(PlayerBack(player.id, _used_without_rest(move, player)))


def end(move: Move, asked: EndAbsence, _: By) -> None:
    """The day has come on which the player said they would be back."""
    move.record(PlayerBack(asked.player, move.state.absences.get(asked.player, 0)))


def _whose(move: Move, asked: Absent, by: By) -> Player:
    if not asked.name:
        return move.seat(by)
    must_be_keeper(by, say("Only the keeper says this for somebody else."))
    return move.named(asked.name)


def _beginning(move: Move, day: str) -> int:
    """When the day begins in the game's zone."""
    try:
        return deadlines.day_begins(date.fromisoformat(day), regulation.zone(move.state))
    except ValueError:
        raise Refused("There is no day “%(day)s”. Write it like 2027-01-10.", day=day) from None


def _used_without_rest(move: Move, player: Player) -> int:
    """How much of this circuit (µs) the player has been away, were they back now."""
    rest = max(0, (player.absent_until or 0) - move.at)
    return max(0, move.state.absences.get(player.id, 0) - rest)
