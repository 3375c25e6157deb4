"""The lane in which a mail waits: the game it is for, by what the mail itself says.

What lives here: that choice, made when the mail is taken in. What never may: a decision about the mail. Which game it is for
and whose it is is found out when it is worked off, and a mail whose lane was wrong then waits again (store/lanes.py);
so a lane is named only where it will hardly ever be wrong, and one too few costs time alone.
"""

from __future__ import annotations

from pbem.mail import tokens
from pbem.mail.message import Inbound
from pbem.service.books import Host
from pbem.service.sender import games_named, sender_of
from pbem.store import eventlog


def lane_of(host: Host, inbound: Inbound, at: int) -> str:
    """The game whose mail this is, "" when that is not certain. Called inside a transaction."""
    named = tuple(dict.fromkeys(games_named(inbound, host.config)))
    abouts = [_about(host, token, named, at) for token in inbound.tokens if tokens.read(token)]
    about = [each for each in abouts if each is not None]
    if len(about) < len(abouts) or len({*about}) > 1:
        return ""
    known = eventlog.known(host.store, *about, *named)
    if known:
        return known[0]
    games = sender_of(host.store, inbound.author or "").games
    return games[0] if len(games) == 1 else ""


def _about(host: Host, token: str, named: tuple[str, ...], at: int) -> str | None:
    """The game that a token to answer with is about, "" for none; None if that, or the token, is something else."""
    claim = tokens.read(token)
    if claim is None or claim.purpose != "reply":
        return None
    return next((name for name in (*named, "") if host.keys.check(token, name, at) != "forged"), None)
