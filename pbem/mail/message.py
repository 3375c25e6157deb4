"""What crosses the border of the mail layer: a mail as read (`Inbound`), and one to be written (`Outbound`).

What lives here: frozen values. What never may: reading, writing, deciding.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from pbem.mail.attribution import Proof
from pbem.mail.limits import Limits

Kind = Literal["human", "auto-reply", "bounce", "loop", "invalid"]
Note = Literal["too long", "struck out", "unreadable", "weak", "not final"]
LeftOut = Literal["quote", "original", "signature", "phone", "footer", "disclaimer", "banner", "armour"]
"""Why lines of a mail are not its new text: marked or attributed as older, an older mail without marks, a signature, a
phone's words, the footer of a list or program, lawyers' words, a gateway's warning, the armour of a signed text."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """What the transport said of a mail, which headers cannot be trusted to say.

    `sender` is the SMTP envelope sender ("" for the null sender, None when unknown), `recipient` the
    envelope recipient or None, `received` the moment the server took it (UTC µs).
    """

    received: int
    sender: str | None = None
    recipient: str | None = None


@dataclass(frozen=True, slots=True)
class Cut:
    """Lines left out below the line numbered `above` of the new text (from 1; 0: above all of it), as they came and
    without empty ones; and why."""

    above: int
    why: LeftOut
    rows: tuple[str, ...]

    @property
    def row(self) -> str:
        """The first of them, which is the mark they were known by."""
        return self.rows[0]


@dataclass(frozen=True, slots=True)
class Inbound:
    """A mail as read. `kind` and `because` (the evidence, one phrase) classify it.

    `author` is the one mailbox of the one From header, lower case, or None: a claim, not a proof.
    `authenticated` is that address again when the topmost trusted Authentication-Results vouches for
    it (RFC 8601, RFC 7489), else None; `proof` says what was said for its domain, `shows` the same in one phrase,
    `munged` whether a mailing list has put itself into From. `tokens` are those it bears in our addresses and
    Message-IDs, lower case, unproven. No token is left in any text. `subject` is decoded on one line; `subject_core` is it without
    reply prefixes and [tags]; `tags` are those tags. `text` is what the person wrote anew, None for
    all but human mail: the text of a proposal closed with `end` stands in it as it came, from all else
    quotes, signatures and the like are gone, and `cuts` tell where. `whole` is the body before that.
    `answers` are the Message-IDs in
    In-Reply-To and References, newest first, each with its angle brackets as `message_id` has.
    `recipients` are our own addresses it was sent to, the envelope's first.

    `notes` tell what else a reader should know: the mail or its new text goes on beyond what was read
    ("too long"), words struck out in HTML were left out ("struck out"), all there is was encrypted or
    packed in winmail.dat ("unreadable"), an auto-reply has nothing but the first word of its subject
    to show for it ("weak"), a bounce reports a delay and no failure ("not final").
    """

    kind: Kind
    because: str
    author: str | None
    authenticated: str | None
    claimed: str | None
    subject: str
    subject_core: str
    tags: tuple[str, ...]
    text: str | None
    whole: str
    message_id: str | None
    answers: tuple[str, ...] = ()
    recipients: tuple[str, ...] = ()
    proof: Proof = "absent"
    munged: bool = False
    tokens: tuple[str, ...] = ()
    key: str = ""
    """SHA-256 (hex) over author, Message-ID and decoded body: the same key is one mail."""
    letter: str | None = None
    """SHA-256 (hex) over author and Message-ID: under one `letter` only one mail counts. None without a Message-ID."""
    digest: str = ""
    """SHA-256 (hex) of the raw bytes."""
    shows: str = ""
    notes: tuple[Note, ...] = ()
    cuts: tuple[Cut, ...] = ()
    dated: str = ""
    """Its Date as it is written, which proves nothing."""
    stamps: tuple[str, ...] = ()
    """When servers handed it on, by their own word and as it is written, the last one first."""
    attached: tuple[str, ...] = ()
    """The names of what is attached to it and not read."""


@dataclass(frozen=True, slots=True)
class MailRules:
    """The settings that reading depends on: our addresses (tags of them are ours too), whose
    Authentication-Results count, whether From is believed without them, and how much of a mail is read."""

    addresses: tuple[str, ...] = ()
    trusted_receivers: tuple[str, ...] = ()
    believe_from: bool = False
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class Outbound:
    """A mail to be written. `key` names it for ever (the Message-ID is made from it), `to` is one address.

    `thread` is the fixed root of its conversation ("" for none), `answers` the Message-ID it replies to, and `within`
    the conversation of ours which that one belongs to ("" for none), `auto` the Auto-Submitted word, `date` UTC µs,
    `list_mail` whether it is a digest. `html` "" leaves the text alone. `token` is the reader's secret for this mail, "" for who has none.
    """

    key: str
    game: str
    to: str
    to_name: str
    subject: str
    text: str
    html: str
    date: int
    return_path: str
    reply_to: str
    sender: str
    sender_name: str
    thread: str = ""
    answers: str = ""
    within: str = ""
    auto: Literal["auto-generated", "auto-replied"] = "auto-generated"
    list_mail: bool = False
    token: str = ""
    headers: tuple[tuple[str, str], ...] = field(default=())
