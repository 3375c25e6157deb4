"""Ballots whose mail was written before it came: one that takes the place of a later one, and one after the close.

What lives here: what is said of them. What never may: a change of what counts; that is the time our server took a mail.
"""

from __future__ import annotations

from pbem.game.commands import Command, Vote
from pbem.game.model import Moment, Say, say
from pbem.game.state import State
from pbem.mail.letters import late_ballot
from pbem.mail.receipt import Line
from pbem.mail.times import moment
from pbem.service import telling
from pbem.service.books import Books
from pbem.service.writing import Writing

_SLIP = 60_000_000
"""Clocks may differ by so much (µs) before a Date is called earlier."""
MARGIN = 3_600_000_000
"""So long after the close (µs) a ballot is still worth the keeper's look."""


def older(state: State, player: int | None, command: Command, writing: Writing) -> Say | None:
    """That a ballot takes the place of one which came later than its own mail was written."""
    dated = moment(writing.dated)
    if not isinstance(command, Vote) or not isinstance(command.number, int) or dated is None:
        return None
    proposal = state.proposals.get(command.number)
    earlier = proposal.ballots.get(player or 0) if proposal is not None else None
    if earlier is None or dated + _SLIP >= earlier.at or earlier.choice == command.choice:
        return None
    if not isinstance(earlier.choice, str):
        return None
    return say(
        "Your mail is dated %(dated)s, before the ballot it replaces. To have that one back, send “%(line)s”.",
        dated=Moment(dated),
        line=Vote(earlier.choice, command.number),
    )


def tell_keeper(books: Books, game: str, player: int | None, line: Line, writing: Writing) -> None:
    """A ballot that came after the close, though its Date is before it, is put before the keeper with all its times."""
    command = line.command
    state = books.state(game)
    if not isinstance(command, Vote) or not isinstance(command.number, int) or player is None:
        return
    proposal = state.proposals.get(command.number)
    if proposal is None or proposal.closed is None or player not in proposal.electorate:
        return
    dated = moment(writing.dated)
    if dated is not None and dated < proposal.closed and writing.at - proposal.closed <= MARGIN:
        hops = tuple(hop for hop in map(moment, writing.stamps) if hop is not None)
        notice = late_ballot(state, proposal, player, line.said, (writing.at, dated, hops))
        telling.tell_one(books.host, state, notice, writing.at)
