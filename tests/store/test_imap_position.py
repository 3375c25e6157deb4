"""Stories of how far an IMAP folder has been read."""

from __future__ import annotations

import pytest

from pbem.store import queues
from pbem.store.db import Store
from pbem.store.imap import Position, position, set_position
from tests.store.samples import arrival


def test_each_folder_of_each_account_has_its_own_place(store: Store) -> None:
    with store.transaction():
        set_position(store, "nomic@imap.example", "INBOX", Position(7, 20))
        set_position(store, "nomic@imap.example", "INBOX", Position(4_294_967_295, 4_294_967_295))
        set_position(store, "nomic@imap.example", "Votes", Position(7, 1))
    with store.reading():
        assert position(store, "nomic@imap.example", "INBOX") == Position(4_294_967_295, 4_294_967_295)
        assert position(store, "nomic@imap.example", "Votes") == Position(7, 1)
        assert position(store, "other@imap.example", "INBOX") is None


def test_the_place_moves_with_the_mails_or_not_at_all(store: Store) -> None:
    def take_until_cut() -> None:
        with store.transaction():
            queues.accept(store, arrival("k"))
            set_position(store, "nomic@imap.example", "INBOX", Position(7, 20))
            raise ConnectionError

    with pytest.raises(ConnectionError):
        take_until_cut()
    with store.reading():
        assert position(store, "nomic@imap.example", "INBOX") is None
        assert queues.inbox_log(store) == ()
