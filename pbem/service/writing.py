"""What somebody wrote to a game, by mail or at the keyboard: its words, and what is known about them.

What lives here: the value. What never may: reading it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pbem.mail.compose import Thread
from pbem.mail.message import Cut

Standing = Literal["proven", "vouched", "confirmed", "meant"]
"""What shows who wrote some words: the proofs of a mail, the host's word for its From, or the registered address's own;
"meant" if that, or whoever sits at the host, was asked about the very lines."""


@dataclass(frozen=True, slots=True)
class Writing:
    """New words to a game, taken at `at` (UTC µs): `subject` without prefixes and tags, `thread` the
    conversation of ours they answer, `mail` the SHA-256 of the raw mail if it was one, `unreadable` whether its
    words were packed in a way that is not opened, `cuts` where lines of it were left out, `asked_back` earlier words
    which ours, that these answer, asked something about, `standing` what shows who wrote them, and `dated` and `stamps`
    the times that the mail itself tells, as they are written."""

    text: str
    at: int
    subject: str = ""
    thread: Thread | None = None
    mail: str | None = None
    unreadable: bool = False
    cuts: tuple[Cut, ...] = ()
    asked_back: Writing | None = None
    standing: Standing = "meant"
    dated: str = ""
    stamps: tuple[str, ...] = ()

    @property
    def is_mail(self) -> bool:
        return self.mail is not None
