"""How far each IMAP folder has been read.

What lives here: positions, saved in the transaction that accepts the mails they stand for. What never may: a socket.
"""

from __future__ import annotations

from dataclasses import dataclass

from pbem.store.db import Store
from pbem.store.tables import ImapPosition


@dataclass(frozen=True, slots=True)
class Position:
    """The last UID taken, under the UIDVALIDITY that gives it meaning (RFC 3501 §2.3.1.1)."""

    uidvalidity: int
    last_uid: int


def position(store: Store, account: str, folder: str) -> Position | None:
    """Where reading stopped; None for a folder never read."""
    here = (ImapPosition.account == account) & (ImapPosition.folder == folder)
    found = ImapPosition.select(ImapPosition.uidvalidity, ImapPosition.last_uid).where(here)
    for row in found.tuples().execute(store.db):
        return Position(*row)
    return None


def set_position(store: Store, account: str, folder: str, reached: Position) -> None:
    """Everything up to `reached` is accepted, by this very transaction."""
    row = {"uidvalidity": reached.uidvalidity, "last_uid": reached.last_uid}
    ImapPosition.insert(account=account, folder=folder, **row).on_conflict(
        conflict_target=[ImapPosition.account, ImapPosition.folder], update=row
    ).execute(store.writer)
