"""What became of one mail, from its arrival to the mails that answered it.

What lives here: finding it by its Message-ID, digest or name, and gathering what is known. What never may: a change, or a
token in what is shown.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Any

from pbem.game import chronicle, codec, regulation
from pbem.game.codec import Record
from pbem.mail.message import Envelope
from pbem.mail.parse import read_mail
from pbem.mail.tokens import hide
from pbem.service import queue_work, reader
from pbem.service.books import Books, Host
from pbem.service.notdone import NotDone
from pbem.service.receive import reading_rules
from pbem.store import holds, postmaster, queues
from pbem.store.postmaster import Incoming, Queued


def became(host: Host, wanted: str, now: int) -> list[dict[str, Any]]:
    """Every mail in or out that `wanted` names: a Message-ID, the beginning of a SHA-256, or `in12` and `out34`.

    Raises NotDone when there is none.
    """
    with host.store.reading():
        found = [*_incoming(host, wanted, now), *_outgoing(host, wanted, now)]
    if not found:
        raise NotDone(
            f"no mail here is called {wanted}; `pbem show GAME log` and `pbem queue` name those there are"
        )
    return found


def _incoming(host: Host, wanted: str, now: int) -> Iterator[dict[str, Any]]:
    store = host.store
    if name := re.fullmatch(r"in(\d{1,15})", wanted):
        numbers = [int(name[1])]
    elif re.fullmatch(r"[0-9a-f]{12,64}", wanted):
        numbers = postmaster.incoming_by_digest(store, wanted)
    else:
        holding = postmaster.incoming_with(store, _id(wanted))
        numbers = [number for number, content in holding if _is(host, content, wanted)]
    for number in numbers:
        entry = postmaster.incoming_by_id(store, number)
        if entry is not None:
            yield _arrival(host, entry, now)


def _is(host: Host, content: bytes, wanted: str) -> bool:
    """Whether that is the mail's own Message-ID, and none that it answers."""
    inbound = read_mail(bytes(content), Envelope(0), reading_rules(host.config))
    return inbound.message_id == f"<{_id(wanted).decode()}>"


def _id(wanted: str) -> bytes:
    return wanted.strip().strip("<>").encode()


def _arrival(host: Host, entry: Incoming, now: int) -> dict[str, Any]:
    store = host.store
    mail = queues.held(store, entry.id)
    until = next((hold.until for hold in holds.waiting(store) if hold.mail == entry.id), None)
    row = queue_work.incoming_entry(entry, until, now)
    return {
        "id": row.id,
        "way": "in",
        "digest": entry.digest,
        "at": entry.received,
        "source": hide(mail.source) if mail else None,
        "sender": hide(mail.sender or "") or None if mail else None,
        "recipient": hide(mail.recipient or "") or None if mail else None,
        "reading": _reading(host, mail) if mail else None,
        "state": entry.state,
        "why": row.why,
        "game": entry.game,
        "credited_to": entry.author,
        "did": [_deed(host, *deed) for deed in postmaster.deeds_of(store, entry.digest)],
        "answers": [_sent(answer, now) for answer in postmaster.answers_to(store, entry.digest)],
    }


def _reading(host: Host, mail: queues.InboxMail) -> dict[str, Any]:
    """How it is read by the way it came: the steps with their evidence, the commands, and what was asked back."""
    envelope = Envelope(mail.received, mail.sender, mail.recipient)
    read = reader.explain(mail.content, envelope, host.config, mail.source)
    return {name: read[name] for name in ("kind", "subject", "steps", "commands", "problems")}


def _deed(host: Host, game: str, record: Record) -> dict[str, Any]:
    """An event it brought about, in words."""
    state = Books(host).state(game)
    said = chronicle.told(state.as_of(record.at), codec.decode(record))
    words = host.printer.sentence(said, language="en", zone=regulation.zone(state))
    return {"game": game, "seq": record.seq, "kind": record.kind, "said": words}


def _outgoing(host: Host, wanted: str, now: int) -> Iterator[dict[str, Any]]:
    store = host.store
    if name := re.fullmatch(r"out(\d{1,15})", wanted):
        one = postmaster.outgoing_by_id(store, int(name[1]))
        found: tuple[Queued, ...] = (one,) if one else ()
    else:
        found = postmaster.outgoing_with(store, b"Message-ID: <" + _id(wanted) + b">")
    for mail in found:
        yield {"way": "out", "digest": _digest(host, mail), **_sent(mail, now)}


def _digest(host: Host, mail: Queued) -> str | None:
    content = queues.outgoing(host.store, mail.key)
    return hashlib.sha256(content).hexdigest() if content is not None else None


def _sent(mail: Queued, now: int) -> dict[str, Any]:
    row = queue_work.outgoing_entry(mail, now)
    return {
        "id": row.id,
        "key": mail.key,
        "at": mail.made,
        "game": mail.game,
        "recipient": row.who,
        "state": mail.state,
        "attempts": mail.attempts,
        "why": row.why,
    }
