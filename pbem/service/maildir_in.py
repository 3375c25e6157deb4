"""The Maildir intake: what a mail server puts into new/ is taken in, then moved to cur/.

What lives here: looking into the folder. What never may: deleting a mail, or touching one that is not stored.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from pbem.config import MaildirIntake
from pbem.mail.message import Envelope
from pbem.service.door import Offered, ReceiveAll, nobody_counts, offer, portions
from pbem.store.db import StoreError

log = logging.getLogger(__name__)


class MaildirPoller:
    """Takes in the mails of one Maildir, oldest first.

    `receive_all` stores mails; `limit` is how many bytes of one are read: of a longer one a byte more,
    which shows that it is too long. A file's time is the mail's arrival, but never later than `clock`
    (UTC µs). `looked`, which is told of each look that succeeds, may be changed before it runs.
    """

    def __init__(
        self, intake: MaildirIntake, receive_all: ReceiveAll, clock: Callable[[], int], *, limit: int
    ) -> None:
        self.folder = intake.folder
        self.receive_all = receive_all
        self.clock = clock
        self.limit = limit
        self.looked = nobody_counts
        self._stop = threading.Event()

    def poll_once(self) -> int:
        """Take in what is in new/; returns how many mails that were.

        A mail that could not be stored stays there for the next time. Raises OSError when the
        Maildir cannot be read.
        """
        for part in ("tmp", "new", "cur"):
            (self.folder / part).mkdir(parents=True, exist_ok=True)
        # No links: whoever can write here must not have us read other files.
        with os.scandir(self.folder / "new") as entries:
            mails = [
                entry for entry in entries if entry.is_file(follow_symlinks=False) and entry.name[0] != "."
            ]
        mails.sort(key=lambda entry: (entry.stat().st_mtime_ns, entry.name))
        sizes = {Path(entry.path): min(entry.stat().st_size, self.limit + 1) for entry in mails}
        taken = sum(self._take(files) for files in portions(sizes) if not self._stop.is_set())
        self.looked()
        return taken

    def run(self, stop: threading.Event, interval: float = 1.0) -> None:
        """Look every `interval` seconds until `stop` is set: then nothing more is read."""
        self._stop = stop
        while not stop.is_set():
            try:
                self.poll_once()
            except OSError as failure:
                log.warning("Maildir %s: %s", self.folder, failure)
            stop.wait(interval)

    def _take(self, files: Sequence[Path]) -> int:
        """Take these in; returns how many that were."""
        mails = {file: mail for file in files if (mail := self._read(file))}
        failures = offer(self.receive_all, list(mails.values()))
        return sum(map(self._put_away, mails, failures))

    def _read(self, file: Path) -> Offered | None:
        try:
            with file.open("rb") as mail:
                content = mail.read(self.limit + 1)
                arrived = os.fstat(mail.fileno()).st_mtime_ns // 1000
        except FileNotFoundError:
            return None  # another server at the same Maildir has taken it
        except OSError as failure:
            log.error("%s was not taken in (%s); it stays there", file, failure)
            return None
        return content, Envelope(min(arrived, self.clock())), "maildir"

    def _put_away(self, file: Path, failure: Exception | None) -> bool:
        """Move a mail that is stored, and tell of one that is not; whether it was moved, by us."""
        if failure:
            known = isinstance(failure, StoreError)
            log.error(
                "%s was not taken in (%s); it stays there", file, failure, exc_info=None if known else failure
            )
            return False
        try:
            file.rename(self.folder / "cur" / f"{file.name.partition(':')[0]}:2,S")
        except FileNotFoundError:
            return False  # another server at the same Maildir has moved it
        except OSError as error:
            log.error("%s is stored, but could not be moved (%s)", file, error)
            return False
        return True
