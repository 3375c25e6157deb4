"""The host's hand in the queues: what waits and why, one more try, a stop, and a go.

What lives here: the names mails have for a host (`in12`, `out34`), and what may be done with which. What never may: a
change in a game; a mail that is let go is worked off as any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal

from pbem.mail.tokens import hide
from pbem.service.notdone import NotDone
from pbem.store import holds, postmaster
from pbem.store.db import Store
from pbem.store.postmaster import ON_HOLD, Incoming, Queued
from pbem.store.queues import PAUSED

Deed = Literal["retry", "hold", "release"]
_NAME: Final = re.compile(r"(in|out)(\d{1,15})")


@dataclass(frozen=True, slots=True)
class Entry:
    """A mail in a queue: its name, state, since when (UTC µs), its game, whose it is or who gets it, and why it waits."""

    id: str
    state: str
    since: int
    game: str | None
    who: str
    why: str


def queue(store: Store, now: int) -> tuple[Entry, ...]:
    """All mails that wait or that were given up, those that came in first."""
    with store.reading():
        waits = {hold.mail: hold.until for hold in holds.waiting(store)}
        came = [incoming_entry(mail, waits.get(mail.id), now) for mail in postmaster.incoming(store)]
        return (*came, *(outgoing_entry(mail, now) for mail in postmaster.outgoing(store)))


def incoming_entry(mail: Incoming, until: int | None, now: int) -> Entry:
    """A mail taken in, as the host sees it; `until` is when its hold ends (UTC µs), if it has an open one."""
    who = hide(mail.author or mail.sender or "–")
    return Entry(f"in{mail.id}", mail.state, mail.received, mail.game, who, hide(_why_in(mail, until, now)))


def _why_in(mail: Incoming, until: int | None, now: int) -> str:
    result = mail.result or ""
    match mail.state:
        case "new":
            return "waits to be worked off"
        case "failed":
            return f"{result}; tried {mail.attempts} time(s), again {_when(mail.due, now)}"
        case "parked":
            return f"{result}; tried {mail.attempts} times, `pbem retry in{mail.id}` once more"
        case "held" if until is not None:
            return f"{result}; waits for its sender's word until {moment(until)}"
        case "on hold":
            return f"stopped by the host; `pbem release in{mail.id}` lets it go"
    return result


def outgoing_entry(mail: Queued, now: int) -> Entry:
    """A mail of ours, as the host sees it."""
    return Entry(
        f"out{mail.id}", mail.state, mail.made, mail.game, mail.recipient or "–", hide(_why_out(mail, now))
    )


def _why_out(mail: Queued, now: int) -> str:
    match mail.state:
        case "on hold":
            return f"stopped by the host; `pbem release out{mail.id}` lets it go"
        case "ready" if mail.due == PAUSED:
            return "mails to this address come back; it waits until one comes from there"
        case "ready" if mail.error:
            return f"{mail.error}; tried {mail.attempts} time(s), again {_when(mail.due, now)}"
        case "ready":
            return "waits to be sent"
    return mail.error or mail.state


def _when(due: int, now: int) -> str:
    return "at once" if due <= now else moment(due)


def moment(at: int) -> str:
    """A moment (UTC µs) in figures."""
    return datetime.fromtimestamp(at / 1e6, UTC).strftime("%Y-%m-%d %H:%M:%S")


def change(store: Store, deed: Deed, names: tuple[str, ...], now: int) -> Iterator[str]:
    """Does it to each mail named, all or none; tells in a sentence what became of each. Raises NotDone."""
    with store.transaction():
        said = [_change(store, deed, name, now) for name in names]
    yield from said


def _change(store: Store, deed: Deed, name: str, now: int) -> str:
    found = _NAME.fullmatch(name)
    if found is None:
        raise NotDone(f"{name!r} is no name of a mail: `pbem queue` shows them, such as in12 or out34")
    way, number = found[1], int(found[2])
    mail = (
        postmaster.incoming_by_id(store, number) if way == "in" else postmaster.outgoing_by_id(store, number)
    )
    if mail is None:
        raise NotDone(f"there is no mail {name}; `pbem queue` shows them")
    return (
        _incoming(store, deed, mail, name)
        if isinstance(mail, Incoming)
        else _outgoing(store, deed, mail, name, now)
    )


def _incoming(store: Store, deed: Deed, mail: Incoming, name: str) -> str:
    match deed, mail.state:
        case "retry", "parked" | "failed":
            done = postmaster.set_incoming(store, mail, "new", due=0, attempts=0)
        case "hold", "new" | "failed":
            done = postmaster.set_incoming(store, mail, ON_HOLD)
        case "release", "on hold":
            done = postmaster.set_incoming(store, mail, "new", due=0)
        case "release", "held":
            raise NotDone(
                f"{name} waits for its sender's word; `pbem deliver --trust-from` takes a mail you vouch for"
            )
        case _:
            raise NotDone(_useless(deed, name, mail.state))
    return _told(deed, name, "`pbem serve` or `pbem work` works it off", done=done)


def _outgoing(store: Store, deed: Deed, mail: Queued, name: str, now: int) -> str:
    match deed, mail.state:
        case "retry", "given up" if not mail.recipient:
            raise NotDone(f"{name} was erased: its reader asked to be forgotten")
        case "retry", "given up" | "ready":
            done = postmaster.set_outgoing(store, mail, "ready", now, due=now, attempts=0, closed=None)
        case "hold", "ready":
            done = postmaster.set_outgoing(store, mail, ON_HOLD, now)
        case "release", "on hold":
            done = postmaster.set_outgoing(store, mail, "ready", now, due=now)
        case _:
            raise NotDone(_useless(deed, name, mail.state))
    return _told(deed, name, "`pbem serve` or `pbem send` sends it", done=done)


_USES: Final = {
    "retry": "only what failed, is parked, or is not sent can be tried again",
    "hold": "only what is not worked off or sent yet can be stopped",
    "release": "only what was stopped with `pbem hold` can be let go",
}


def _useless(deed: Deed, name: str, state: str) -> str:
    return f"{name} is {state!r}: {_USES[deed]}"


def _told(deed: Deed, name: str, then: str, *, done: bool) -> str:
    if not done:
        raise NotDone(f"{name} is being sent or worked off at this moment: look again with `pbem queue`")
    if deed == "hold":
        return f"{name} is stopped until `pbem release {name}`."
    return f"{name} is {'to be tried again' if deed == 'retry' else 'let go'}; {then}."
