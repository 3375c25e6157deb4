"""Whether a host keeps up: what waits and since when, what has not been done, and whether the logs end as they should.

What lives here: what counts as late. What never may: a change, or a connection to another server (doctor.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pbem.config import Config
from pbem.game import codec
from pbem.service.books import Host
from pbem.service.heart import heart_of
from pbem.store import eventlog, postmaster, pulse, queues
from pbem.store.db import Store
from pbem.store.eventlog import GameEntry
from pbem.store.postmaster import ON_HOLD, Waiting

SECOND: Final = 1_000_000
MINUTE: Final = 60 * SECOND
LATE: Final = {"unread": 15 * MINUTE, "unapplied": 60 * MINUTE, "overdue": 15 * MINUTE, "unsent": 60 * MINUTE}
"""µs after which something that waits is late."""
SILENT: Final = 15 * MINUTE
"""µs without a round after which a part of the server counts as stopped, beside the time between two polls."""


def health(host: Host, now: int) -> dict[str, Any]:
    """How the host is at `now` (UTC µs), as `pbem health --json` shows it; ages are in seconds."""
    store = host.store
    with store.reading():
        waiting = {
            "unread": postmaster.unread(store),
            "unapplied": postmaster.unapplied(store),
            "overdue": _overdue(store, now),
            "unsent": postmaster.unsent(store),
        }
        inbox, outbox = queues.inbox_counts(store), queues.outbox_counts(store)
        shown: dict[str, Any] = {name: _aged(each, now) for name, each in waiting.items()}
        shown["parked"] = inbox.get("parked", 0)
        shown["held"] = inbox.get("held", 0)
        shown["on_hold"] = {"in": inbox.get(ON_HOLD, 0), "out": outbox.get(ON_HOLD, 0)}
        shown["given_up"] = outbox.get("given up", 0)
        shown["polls"] = _polls(host.config, pulse.beats(store), now)
        shown["parts"] = {
            part: _age(at, now) for part, at in pulse.beats(store).items() if part in ("work", "delivery")
        }
        shown["games"] = [_game(store, entry) for entry in eventlog.games(store)]
    wanting = list(_wanting(host.config, shown))
    return {"ok": not wanting, "wanting": wanting, **shown}


def _overdue(store: Store, now: int) -> Waiting:
    """Games in which time alone should have changed something by now."""
    due = [game.due for game in eventlog.games(store) if game.due is not None and game.due <= now]
    return Waiting(len(due), min(due, default=None))


def _aged(waiting: Waiting, now: int) -> dict[str, int | None]:
    return {"count": waiting.count, "oldest": None if waiting.oldest is None else _age(waiting.oldest, now)}


def _age(at: int, now: int) -> int:
    return max(0, now - at) // SECOND


def _polls(config: Config, beats: dict[str, int], now: int) -> dict[str, int | None]:
    """Seconds since the last look at each mailbox in the settings; None: there was none yet."""
    intakes = (*config.intake.imap, *((config.intake.maildir,) if config.intake.maildir else ()))
    names = [heart_of(intake) for intake in intakes]
    return {name: _age(beats[name], now) if name in beats else None for name in names}


def _game(store: Store, entry: GameEntry) -> dict[str, Any]:
    """A game's head, and whether its last record is the one the head names, and follows the one before."""
    last = tuple(eventlog.load(store, entry.slug, max(0, entry.head.seq - 2)))
    before = last[-2].hash if len(last) > 1 else codec.GENESIS
    whole = not last and entry.head.seq == 0
    if last:
        end = last[-1]
        linked = codec.link(before, end.seq, end.at, end.mail, end.kind, end.body)
        whole = (end.seq, end.hash, linked) == (entry.head.seq, entry.head.hash, entry.head.hash)
    return {"game": entry.slug, "events": entry.head.seq, "hash": entry.head.hash, "whole": whole}


_LATE_WORDS: Final = {
    "unread": "mail(s) wait to be worked off: is `pbem serve` running?",
    "unapplied": "mail(s) failed and are tried again: `pbem queue` says why",
    "overdue": "game(s) wait for something that is due: is `pbem serve` running?",
    "unsent": "mail(s) wait to be sent: `pbem queue` says why",
}


def _wanting(config: Config, shown: dict[str, Any]) -> Iterator[str]:
    """What is wrong, in sentences."""
    for name, words in _LATE_WORDS.items():
        waits = shown[name]
        if waits["oldest"] is not None and waits["oldest"] * SECOND > LATE[name]:
            yield f"{waits['count']} {words} The oldest is {waits['oldest'] // 60} minutes old."
    if shown["parked"]:
        yield f"{shown['parked']} mail(s) are parked, as our own code failed on them: `pbem queue`, `pbem retry`."
    patience = {heart_of(account): account.poll * SECOND + SILENT for account in config.intake.imap}
    for name, age in {**shown["polls"], **shown["parts"]}.items():
        if age is not None and age * SECOND > patience.get(name, SILENT):
            yield f"{name}: nothing for {age // 60} minutes; start `pbem serve`, or look at its log."
    for game in shown["games"]:
        if not game["whole"]:
            yield f"{game['game']}: its log does not end as it was written; `pbem verify {game['game']}`."
