"""The IMAP poller: what arrives in a mailbox somewhere is taken in, and only then marked or moved.

What lives here: one account's connection, its position, and its patience. What never may: reading a mail, or
trusting what others do to the mailbox: people read, flag and move mails, and mailboxes are made anew.
"""

from __future__ import annotations

import logging
import random
import ssl
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import datetime

from imapclient import SEEN, IMAPClient, SocketTimeout
from imapclient.exceptions import IMAPClientAbortError, IMAPClientError

from pbem.config import ImapIntake
from pbem.mail.message import Envelope
from pbem.service.door import MOST_AT_ONCE, ReceiveAll, nobody_counts, offer, portions
from pbem.service.loglines import unsaid
from pbem.store import imap
from pbem.store.db import Store, StoreError
from pbem.store.imap import Position

FIRST_WAIT, LONGEST_WAIT = 5.0, 900.0
"""Seconds before the first and the later tries to reach a server that is away."""
IDLE_ROUND = 20
"""Seconds after which IDLE is begun anew: what was overheard at its beginning is heard at its end. Routers forget a
quiet connection after minutes, and RFC 2177 allows 29."""
LONGEST_IDLE = 9 * 60
"""Seconds from one look to the next at most, whatever the server says or does not say."""
PATIENCE = SocketTimeout(connect=15, read=60)
SILENCE = 3600
"""Seconds without one successful look after which the keeper must hear of it."""

log = logging.getLogger(__name__)


class LoginRefused(Exception):
    """The server does not let us in: no waiting will cure it."""


class NothingStored(Exception):
    """Of very many mails not one could be stored: it is not the mails."""


@dataclass(frozen=True, slots=True)
class _Folder:
    """The state of the folder when it was selected; the next UID is 0 if the server does not tell."""

    uidvalidity: int
    uidnext: int


class ImapPoller:
    """Takes in one account's mails.

    `receive_all` stores mails; the position is saved after them, so a crash between fetches them again and
    the store knows them. `limit` is how many bytes of a mail are fetched: of a longer one a byte more,
    which shows that it is too long. `clock` gives the moment (UTC µs), `alarm` tells the keeper a
    sentence, `tls` decides which certificates are believed. `patience`, `first_wait`
    (seconds) and `looked`, which is told of each look that succeeds, may be changed before it runs.
    """

    def __init__(
        self,
        account: ImapIntake,
        store: Store,
        receive_all: ReceiveAll,
        clock: Callable[[], int],
        *,
        limit: int,
        alarm: Callable[[str], None],
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.account = account
        self.store = store
        self.receive_all = receive_all
        self.clock = clock
        self.limit = limit
        self.alarm = alarm
        self.looked = nobody_counts
        self.tls = tls or ssl.create_default_context()
        self.patience = PATIENCE
        self.first_wait = FIRST_WAIT
        self.name = f"{account.user}@{account.host}"
        # Mails in one FETCH. It halves with each failure and doubles with each success: a fixed number may never get through.
        self._batch = MOST_AT_ONCE
        # What is stored past the position, which stops short of a mail that could not be: UIDVALIDITY and UID.
        self._ahead: set[tuple[int, int]] = set()
        self._failures = 0
        self._looked = clock()
        self._rung = False
        self._stop = threading.Event()

    def poll_once(self) -> int:
        """Take in what is new; returns how many mails that were. The keeper hears of one that could not be stored.

        Raises LoginRefused, NothingStored, OSError or IMAPClientError; what was taken before stays taken.
        """
        with self._connected() as server:
            return self._look(server, self._select(server))

    def run(self, stop: threading.Event) -> None:
        """Take in mails as they arrive, whatever happens on the way, until `stop` is set: then no further batch is fetched."""
        self._stop = stop
        while not stop.is_set():
            try:
                self._attend()
            except LoginRefused as refusal:
                self._ring(f"IMAP {self.name}: the login was refused ({refusal}). Check user and password.")
                stop.wait(LONGEST_WAIT)
            except Exception as failure:
                # The connection's or the store's: either may be well again after a while.
                log.warning("IMAP %s: %r", self.name, failure)
                if self.clock() - self._looked > SILENCE * 1_000_000:
                    self._ring(
                        f"IMAP {self.name}: not all mails could be taken in for an hour ({failure!r})."
                    )
                stop.wait(self._next_wait())

    def _attend(self) -> None:
        """Look and wait in turn, until told to stop."""
        # Between a SELECT that shows no news and IDLE no other command may stand: the server would tell of a
        # mail in the reply to that one, and be silent in IDLE.
        with self._connected() as server:
            looked_at = None
            while not self._stop.is_set():
                state = self._select(server)
                if looked_at != state:
                    self._look(server, state)
                    looked_at = state
                else:
                    self._await_news(server)
                    looked_at = None

    def _select(self, server: IMAPClient) -> _Folder:
        state = server.select_folder(self.account.folder)
        return _Folder(state[b"UIDVALIDITY"], state.get(b"UIDNEXT", 0))

    def _await_news(self, server: IMAPClient) -> None:
        """Return when the server has something to say, and after `poll` seconds in any case."""
        patience = min(self.account.poll, LONGEST_IDLE)
        if not server.has_capability("IDLE"):
            self._stop.wait(patience)
            return
        for waited in range(0, patience, IDLE_ROUND):
            if self._is_called(server, min(IDLE_ROUND, patience - waited)):
                break

    def _is_called(self, server: IMAPClient, seconds: int) -> bool:
        """Whether the server says something within so many seconds of IDLE (RFC 2177), or we are told to stop."""
        server.idle()
        heard = any(self._stop.is_set() or server.idle_check(timeout=1) for _ in range(seconds))
        # What came in one packet with the reply to IDLE lies in a buffer, where idle_check does not look.
        _, unheard = server.idle_done()
        return heard or bool(unheard)

    def _next_wait(self) -> float:
        self._failures += 1
        longest = min(LONGEST_WAIT, self.first_wait * 2.0**self._failures)
        return random.uniform(self.first_wait, longest)  # noqa: S311  # spreads the load, keeps no secret

    def _ring(self, sentence: str) -> None:
        """Tell the keeper, once until a look succeeds again."""
        log.error(sentence)
        if not self._rung:
            self.alarm(sentence)
        self._rung = True

    def _connected(self) -> AbstractContextManager[IMAPClient]:
        return _connected(self.account, self.tls, self.patience)

    def _look(self, server: IMAPClient, state: _Folder) -> int:
        """Take in every mail past the position; returns how many."""
        try:
            taken, failed = self._take_new(server, state.uidvalidity)
        except Exception:
            self._batch = max(1, self._batch // 2)
            raise
        self._failures = 0
        self._looked = self.clock()
        self.looked()
        if failed:
            which = ", ".join(map(str, failed[:10]))
            self._ring(
                f"IMAP {self.name}: cannot be stored, by UID: {which}. They stay, the others are taken in."
            )
        else:
            self._rung = False
        return taken

    def _take_new(self, server: IMAPClient, uidvalidity: int) -> tuple[int, list[int]]:
        """How many mails were taken in, and the UIDs of those that could not be."""
        last = self._last_uid(uidvalidity)
        self._put_away_leftovers(server, last)
        news, failed = self._news(server, uidvalidity, last), list[int]()
        start = 0
        while start < len(news) and not self._stop.is_set():
            uids = news[start : start + self._batch]
            start += len(uids)
            failed += self._take(server, uids)
            stored = [uid for uid in uids if uid not in failed]
            self._note(uidvalidity, stored, first_open=min([*failed, *news[start : start + 1]], default=None))
            self._put_away(server, stored)
            if start == len(failed) >= MOST_AT_ONCE:
                raise NothingStored(f"none of {start} mails could be stored")
            self._batch = min(MOST_AT_ONCE, self._batch * 2)
        return start - len(failed), failed

    def _news(self, server: IMAPClient, uidvalidity: int, last: int) -> list[int]:
        # "n:*" names the last mail even when its UID is below n.
        found = (uid for uid in server.search(["UID", f"{last + 1}:*"]) if uid > last)
        return sorted(uid for uid in found if (uidvalidity, uid) not in self._ahead)

    def _note(self, uidvalidity: int, stored: Sequence[int], first_open: int | None) -> None:
        """These are stored, and all before the first that is open (None: none is)."""
        ahead = {uid for valid, uid in self._ahead if valid == uidvalidity} | {*stored}
        reached = first_open - 1 if first_open else max(ahead)
        self._save(Position(uidvalidity, reached))
        self._ahead = {(uidvalidity, uid) for uid in ahead if uid > reached}

    def _last_uid(self, uidvalidity: int) -> int:
        with self.store.reading():
            reached = imap.position(self.store, self.name, self.account.folder)
        # Under another UIDVALIDITY all numbers are new; the store knows the mails that it has seen.
        return reached.last_uid if reached and reached.uidvalidity == uidvalidity else 0

    def _save(self, reached: Position) -> None:
        with self.store.transaction():
            imap.set_position(self.store, self.name, self.account.folder, reached)

    def _take(self, server: IMAPClient, uids: Sequence[int]) -> list[int]:
        """Take these in, but those that somebody has removed meanwhile; returns which are not stored.

        Raises IMAPClientError when the server keeps one back, StoreError when nothing can be stored.
        """
        facts = server.fetch(uids, ["RFC822.SIZE", "INTERNALDATE"])
        sizes = {uid: facts[uid][b"RFC822.SIZE"] for uid in uids if uid in facts}
        missing, failed = set(uids), list[int]()
        for portion in portions(sizes):
            contents = self._contents(server, portion, sizes)
            arrivals = {uid: self._arrival(facts[uid].get(b"INTERNALDATE")) for uid in contents}
            failed += self._store(contents, arrivals)
            missing -= contents.keys()
        if missing and (kept := server.search(["UID", ",".join(map(str, missing))])):
            raise IMAPClientError(f"the server does not give the mail with UID {kept[0]}, which is there")
        return failed

    def _store(self, contents: dict[int, bytes], arrivals: dict[int, int]) -> list[int]:
        """Store mails in one transaction; returns which are not. Raises StoreError, which is no matter of one mail."""
        source = f"imap {self.name}"
        mails = [(content, Envelope(arrivals[uid]), source) for uid, content in contents.items()]
        met = zip(contents, offer(self.receive_all, mails), strict=True)
        failed = {uid: failure for uid, failure in met if failure}
        for uid, failure in failed.items():
            if isinstance(failure, StoreError):
                raise failure
            log.error("IMAP %s: the mail with UID %d is not stored", self.name, uid, exc_info=failure)
        return [*failed]  # not why: that would keep the mails in memory

    def _contents(self, server: IMAPClient, uids: Sequence[int], sizes: dict[int, int]) -> dict[int, bytes]:
        """The mails' bytes; one that was removed meanwhile is left out, one without any is empty."""
        fetched = server.fetch(uids, [f"BODY.PEEK[]<0.{self.limit + 1}>"])
        found = {uid: fetched[uid].get(b"BODY[]<0>") for uid in uids if uid in fetched}
        # NIL stands for a mail without a byte, and for one that is no longer there.
        return {
            uid: content or b"" for uid, content in found.items() if content is not None or not sizes[uid]
        }

    def _arrival(self, stamp: datetime | None) -> int:
        """The moment the server took the mail, never later than now (UTC µs)."""
        now = self.clock()
        return min(now, round(stamp.timestamp() * 1_000_000)) if stamp else now

    def _put_away_leftovers(self, server: IMAPClient, last: int) -> None:
        """Move what a crash, or a refusal, left behind: everything up to the position is stored."""
        if not self.account.processed or not last:
            return
        left = server.search(["UID", f"1:{last}"])
        for start in range(0, len(left), MOST_AT_ONCE):
            self._put_away(server, left[start : start + MOST_AT_ONCE])

    def _put_away(self, server: IMAPClient, uids: Sequence[int]) -> None:
        """Mark or move mails that are stored. A server that refuses is no reason to stop taking mails."""
        if not uids:
            return
        try:
            if self.account.processed:
                _move(server, uids, self.account.processed)
            else:
                server.add_flags(uids, [SEEN], silent=True)
        except IMAPClientAbortError:
            raise
        except IMAPClientError as error:
            log.warning("IMAP %s: %d mails are stored but not put away: %s", self.name, len(uids), error)


def try_out(account: ImapIntake) -> int:
    """Log in and open the folder, touching nothing; returns how many mails are in it. Raises as `poll_once` does."""
    with _connected(account, ssl.create_default_context(), PATIENCE) as server:
        return int(server.select_folder(account.folder, readonly=True)[b"EXISTS"])


@contextmanager
def _connected(account: ImapIntake, tls: ssl.SSLContext, patience: SocketTimeout) -> Iterator[IMAPClient]:
    """A connection to the account, logged in."""
    with IMAPClient(
        account.host, account.port, ssl=account.encryption == "tls", ssl_context=tls, timeout=patience
    ) as server:
        if account.encryption == "starttls":
            server.starttls(tls)
        _log_in(server, account)
        server.normalise_times = False
        yield server


def _log_in(server: IMAPClient, account: ImapIntake) -> None:
    try:
        if account.oauth2:
            server.oauth2_login(account.user, account.oauth2.reveal())
        elif account.password_file:
            _with_password(server, account.user, account.password_file.reveal())
    except IMAPClientError as error:
        # A line that breaks during login looks like a refusal, and so does a server too busy to check (RFC 5530).
        broken = isinstance(error.__context__ or error, IMAPClientAbortError)
        if broken or any(code in str(error) for code in ("[UNAVAILABLE]", "[INUSE]", "[LIMIT]")):
            raise ConnectionError(f"the login was cut short: {error}") from error
        given = account.oauth2 or account.password_file
        # Without what it came from: that has the server's own words.
        raise LoginRefused(unsaid(str(error), given.reveal() if given else "")) from None


def _with_password(server: IMAPClient, user: str, password: str) -> None:
    """Raises IMAPClientError, which never shows the password."""
    if (user + password).isascii():
        server.login(user, password)
    else:
        # LOGIN is ASCII, and the UnicodeEncodeError would bear the password; PLAIN is UTF-8 (RFC 4616).
        server.plain_login(user, password)


def _move(server: IMAPClient, uids: Sequence[int], folder: str) -> None:
    if not server.folder_exists(folder):
        server.create_folder(folder)
    if server.has_capability("MOVE"):
        server.move(uids, folder)
        return
    server.copy(uids, folder)
    server.delete_messages(uids, silent=True)
    # A plain EXPUNGE would also take what other people have marked as deleted.
    if server.has_capability("UIDPLUS"):
        server.uid_expunge(uids)
