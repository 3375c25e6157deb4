"""A Maildir for each recipient: where mails go when no smart host is set.

What lives here: files that are whole and on the disk once they have their name. What never may: a folder's name that
somebody else has chosen.
"""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path

from pbem.service.deliver import Unreachable
from pbem.store.queues import OutboxMail


class MaildirPost:
    """A Maildir for each recipient in `folder`, named by `name_of` from the recipient's address; one that the address
    itself has named, before there was a name, goes on.

    A mail's file is named by its key: delivered again after a crash, it takes its own place. Sorted by
    name they stand as they were made. Lines end in LF, as is the custom of Maildirs.
    """

    def __init__(self, folder: Path, name_of: Callable[[str], str] = str) -> None:
        self.folder = folder
        self.name_of = name_of

    def send(self, mail: OutboxMail) -> None:
        """Deliver it: done once the file is on the disk under its name in new/."""
        box = self.folder / safe_name(mail.recipient)
        if not box.is_dir():
            box = self.folder / safe_name(self.name_of(mail.recipient))
        name = f"{mail.made // 1_000_000}.M{mail.made % 1_000_000:06d}Q{mail.id:09d}.{_digest(mail.key)}.pbem"
        try:
            for part in ("", "tmp", "new", "cur"):
                (box / part).mkdir(mode=0o700, parents=True, exist_ok=True)
            _write(box / "tmp" / name, mail.content.replace(b"\r\n", b"\n"))
            (box / "tmp" / name).replace(box / "new" / name)
            _sync_folder(box / "new")
        except OSError as error:
            raise Unreachable(str(error)) from error

    def close(self) -> None:
        """Every mail is on the disk already."""


def safe_name(name: str) -> str:
    """`name` as the name of one folder: itself if it is plain, else cleaned and told apart by its digest."""
    plain = unicodedata.normalize("NFC", name)
    if re.fullmatch(r"[\w+][\w.@+ -]{0,60}", plain) and not plain.endswith(" "):
        return plain
    cleaned = re.sub(r"[^\w@+-]", "_", plain)[:40]
    return f"{_digest(name)[:12]}-{cleaned}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _write(file: Path, content: bytes) -> None:
    with open(file, "wb", opener=lambda path, flags: os.open(path, flags, 0o600)) as out:
        out.write(content)
        out.flush()
        os.fsync(out.fileno())


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
