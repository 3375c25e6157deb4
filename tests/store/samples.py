"""Small invented mails and records for the stories of the store."""

from __future__ import annotations

import hashlib
from typing import Any

from pbem.game.codec import GENESIS, Record, link
from pbem.store.queues import Arrival, Outcome, Outgoing

MINUTE = 60 * 1_000_000


def records(count: int, after: int = 0, head: str = GENESIS) -> list[Record]:
    """`count` chained records that follow number `after`, one a minute; every body tells its number."""
    made: list[Record] = []
    for seq in range(after + 1, after + count + 1):
        body = f'{{"nr":{seq}}}'
        head = link(head, seq, seq * MINUTE, None, "announced", body)
        made.append(Record(seq, seq * MINUTE, None, "announced", body, head))
    return made


def arrival(key: str, **changes: Any) -> Arrival:
    """A mail from Mia, received at minute 1."""
    content = changes.pop("content", f"Subject: {key}\r\n\r\nfor 301\r\n".encode())
    facts: dict[str, Any] = {
        "letter": None,
        "received": MINUTE,
        "sender": "mia@players.example",
        "recipient": "nomic@nomic.example",
        "source": "smtp",
    }
    return Arrival(content=content, key=key, digest=hashlib.sha256(content).hexdigest(), **(facts | changes))


def outcome(**changes: Any) -> Outcome:
    """A ballot of Mia's that counted."""
    facts: dict[str, Any] = {
        "kind": "human",
        "game": "kaffe",
        "author": "mia@players.example",
        "result": "ballot for 301",
    }
    return Outcome(**(facts | changes))


def outgoing(key: str, **changes: Any) -> Outgoing:
    """A digest to Bo, made and due at minute 1."""
    facts: dict[str, Any] = {
        "game": "kaffe",
        "sender": "bounce+1@nomic.example",
        "recipient": "bo@players.example",
        "content": b"Subject: turn 1\r\n\r\n",
        "made": MINUTE,
        "due": MINUTE,
    }
    return Outgoing(key=key, **(facts | changes))
