"""Delivery: what the outbox holds goes to the smart host, or into a Maildir for each recipient.

What lives here: the conversation with the smart host, and when a mail is tried again. What never may: changing
a byte of a mail, or forgetting one. A crash repeats at most the mail that was under way, the same to the byte.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import smtplib
import ssl
import unicodedata
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from typing import Protocol

from pbem.config import SmtpDelivery
from pbem.mail.tokens import hide
from pbem.service.loglines import line
from pbem.service.smtp_line import call
from pbem.service.smtp_login import log_in
from pbem.store import queues
from pbem.store.db import Store
from pbem.store.queues import OutboxMail

MINUTE = 60_000_000
"""In µs, as all times here."""
WAITS = (1 * MINUTE, 5 * MINUTE, 15 * MINUTE, 60 * MINUTE)
"""From a failed try to the next; the last one goes on for five days (RFC 5321 §4.5.4.1)."""
TRIES = len(WAITS) + 5 * 24
LEASE = 30 * MINUTE
AT_WORK = LEASE // 2
"""So long after mails were taken in hand the next one is still begun: a slow one must end before the lease does, after which
another worker may send it too."""
_YES = ("2", "2", "3")
"""How a yes to MAIL, RCPT and DATA begins."""

log = logging.getLogger(__name__)


class Later(Exception):
    """The mail was not delivered; it may be, later."""


class Unreachable(Later):
    """No mail can be delivered now: the way is closed, not this mail's part of it."""


class Never(Exception):
    """The mail was refused for good."""


class NoSuchAddress(Never):
    """The recipient's server does not know the address, or refuses it for good."""


class _Gone(Later):
    """The connection ended before the mail was sent on it."""


class Post(Protocol):
    """A way for mails to go out."""

    def send(self, mail: OutboxMail) -> None:
        """Deliver it. Raises Later, Unreachable or Never, with the reason in words."""

    def close(self) -> None:
        """No more mails for now."""


@dataclass(frozen=True, slots=True)
class Round:
    """How many mails one call of `deliver` sent, put off and gave up; and why there was no way out ("": there was one)."""

    sent: int = 0
    deferred: int = 0
    given_up: int = 0
    shut: str = field(default="", compare=False)

    def __add__(self, more: Round) -> Round:
        return Round(
            self.sent + more.sent,
            self.deferred + more.deferred,
            self.given_up + more.given_up,
            more.shut or self.shut,
        )


def _nobody_to_tell(_: OutboxMail) -> None:
    """Whoever only delivers counts no addresses."""


def deliver(
    store: Store,
    post: Post,
    clock: Callable[[], int],
    worker: str,
    limit: int = 100,
    dead: Callable[[OutboxMail], None] = _nobody_to_tell,
) -> Round:
    """Send up to `limit` mails that are due, the longest due first, over one connection.

    Each answer is committed before the next mail is sent. `clock` gives the present moment (UTC
    µs); `worker` names this process and thread; `dead` is told of each mail whose address was refused for good. When
    there is no way out the rest waits untried.
    """
    results: Counter[str] = Counter()
    closed: Unreachable | None = None
    with store.connected():
        begun = clock()
        with store.transaction():
            mails = queues.claim_outbox(store, begun, limit, worker, LEASE)
        for mail in takewhile(lambda _: clock() - begun <= AT_WORK, mails):
            failure = closed or _try(post, mail)
            closed = failure if isinstance(failure, Unreachable) else None
            with store.transaction():
                result = _settle(store, mail, failure, worker, clock())
            if isinstance(failure, NoSuchAddress):
                dead(mail)
            results[result] += 1
            sent = {"mail": f"out{mail.id}", "key": mail.key, "game": mail.game, "tries": mail.attempts}
            log.info("%s", line(**sent, state=result, why=failure))
        post.close()
    return Round(results["sent"], results["deferred"], results["given up"], str(closed or ""))


def _try(post: Post, mail: OutboxMail) -> Later | Never | None:
    try:
        post.send(mail)
    except (Later, Never) as failure:
        return failure
    except Exception as error:
        # A fault of ours on one mail must not keep the others waiting.
        log.exception("mail %s could not be sent", mail.key)
        return Later(repr(error))
    return None


def _settle(store: Store, mail: OutboxMail, failure: Later | Never | None, worker: str, now: int) -> str:
    if failure is None:
        queues.sent(store, (mail.id,), worker, now)
        return "sent"
    if isinstance(failure, Never) or mail.attempts >= TRIES:
        queues.give_up(store, mail.id, worker, now, str(failure))
        return "given up"
    queues.defer(store, mail.id, worker, now + wait(mail.attempts), str(failure))
    return "deferred"


def wait(attempts: int) -> int:
    """How long after so many failed tries the next one comes (µs)."""
    return WAITS[min(attempts, len(WAITS)) - 1]


class SmtpPost:
    """The smart host, over one connection for as many mails as it takes.

    `hostname` is what we call ourselves, `timeout` is the patience with each answer in seconds.
    """

    def __init__(self, way: SmtpDelivery, hostname: str, timeout: float = 60) -> None:
        self.way = way
        self.hostname = hostname
        self.timeout = timeout
        self._smtp: smtplib.SMTP | None = None

    @cached_property
    def tls(self) -> ssl.SSLContext:
        """Which certificates are believed: those the system believes. To read them takes longer than a mail, so they
        are not read before a line is to be encrypted."""
        return ssl.create_default_context()

    def send(self, mail: OutboxMail) -> None:
        """Deliver it: done once the smart host has said 250 to its last line (RFC 5321 §4.2.5)."""
        reused = self._smtp is not None
        try:
            self._hand_over(mail)
        except _Gone:
            # A server may end a connection after so many mails, or so long a rest.
            if not reused:
                raise
            self._hand_over(mail)

    def try_out(self) -> None:
        """Connect, and log in where that is set, as for a mail. Raises Unreachable."""
        self._smtp = self._smtp or self._connect()
        self.close()

    def close(self) -> None:
        """Say goodbye; what was answered stays answered, whatever comes now."""
        smtp, self._smtp = self._smtp, None
        if smtp is None:
            return
        try:
            _be_patient(smtp, min(5, self.timeout))
            smtp.quit()
        except (smtplib.SMTPException, OSError):
            smtp.close()

    def _hand_over(self, mail: OutboxMail) -> None:
        smtp = self._smtp = self._smtp or self._connect()
        commands = _commands(smtp, mail)
        try:
            replies = _ask(smtp, commands)
        except (smtplib.SMTPException, OSError) as error:
            self._drop()
            raise _Gone(f"the connection ended: {error}") from error
        try:
            self._content(smtp, mail, replies)
        except (smtplib.SMTPException, OSError) as error:
            self._drop()
            raise Later(f"the connection ended before the answer: {error}") from error

    def _content(self, smtp: smtplib.SMTP, mail: OutboxMail, replies: list[_Reply]) -> None:
        refused = next((place for place, reply in enumerate(replies) if not reply.begins(_YES[place])), None)
        if refused is None:
            smtp.send(_stuffed(mail.content))
            answer = self._last_reply(smtp)
            if not answer.begins("2"):
                raise self._failure("the mail", answer)
            return
        if replies[-1].code == 354:
            # Pipelined: DATA was let through although nobody is to get the mail (RFC 2920 §3.1).
            smtp.send(b".\r\n")
            smtp.getreply()
        if replies[refused].code != 421:
            smtp.rset()
        raise self._failure(("our address", "the address", "the mail")[refused], replies[refused])

    def _last_reply(self, smtp: smtplib.SMTP) -> _Reply:
        # The server may look long at the mail now, and giving up on it means sending twice (RFC 5321 §4.5.3.2.6).
        _be_patient(smtp, 10 * self.timeout)
        reply = _Reply(*smtp.getreply())
        _be_patient(smtp, self.timeout)
        return reply

    def _failure(self, what: str, reply: _Reply) -> Later | Never:
        """What a reply that is no yes means. What is said of our own address may be cured by us."""
        if reply.code == 421:
            self._drop()
            return _Gone(str(reply))
        if reply.begins("5") and (what != "our address" or reply.code == 552):
            never = NoSuchAddress if what == "the address" else Never
            return never(f"{what} was refused: {reply}")
        if not reply.begins("45"):
            self._drop()  # whatever this server speaks, it is not what we do
        return Later(f"{what} was refused for now: {reply}")

    def _connect(self) -> smtplib.SMTP:
        with ExitStack() as on_failure:
            try:
                tls = self.tls if self.way.encryption == "tls" else None
                smtp = call(self.way, self.hostname, tls, self.timeout)
                on_failure.callback(smtp.close)
                self._introduce(smtp)
            except (smtplib.SMTPException, OSError) as error:
                where = f"{self.way.host}:{self.way.port}"
                raise Unreachable(f"{where} takes no mail from us: {error}") from error
            on_failure.pop_all()
            return smtp

    def _introduce(self, smtp: smtplib.SMTP) -> None:
        if self.way.encryption == "starttls":
            smtp.starttls(context=self.tls)
        smtp.ehlo_or_helo_if_needed()
        log_in(smtp, self.way)

    def _drop(self) -> None:
        if self._smtp:
            self._smtp.close()
        self._smtp = None


@dataclass(frozen=True, slots=True)
class _Reply:
    code: int
    text: bytes

    def begins(self, digits: str) -> bool:
        """Whether it begins with one of these digits (RFC 5321 §4.2.1); a line that is no reply has none."""
        return str(self.code)[0] in digits

    def __str__(self) -> str:
        # A server may quote our return path, which bears a token; what it says is logged.
        return hide(f"{self.code} {self.text.decode('utf-8', 'replace')}")


def _be_patient(smtp: smtplib.SMTP, seconds: float) -> None:
    if smtp.sock:
        smtp.sock.settimeout(seconds)


def _commands(smtp: smtplib.SMTP, mail: OutboxMail) -> tuple[bytes, ...]:
    """MAIL, RCPT and DATA for a mail. Raises Never when an address cannot be said."""
    beyond = not (mail.sender + mail.recipient).isascii()
    if beyond and not smtp.has_extn("smtputf8"):
        raise Never("the smart host takes no address beyond ASCII")
    if not all(re.fullmatch(r"[^\s<>@]+@[^\s<>]+", each) for each in (mail.sender, mail.recipient) if each):
        raise Never("this is no mail address")
    options = f" SIZE={len(mail.content)}" if smtp.has_extn("size") else ""
    options += " BODY=8BITMIME" if smtp.has_extn("8bitmime") and not mail.content.isascii() else ""
    options += " SMTPUTF8" if beyond else ""
    return f"MAIL FROM:<{mail.sender}>{options}".encode(), f"RCPT TO:<{mail.recipient}>".encode(), b"DATA"


def _ask(smtp: smtplib.SMTP, commands: tuple[bytes, ...]) -> list[_Reply]:
    """The replies to the commands: in one go where the server allows it (RFC 2920), else up to a refusal."""
    if smtp.has_extn("pipelining"):
        smtp.send(b"".join(command + b"\r\n" for command in commands))
        return [_Reply(*smtp.getreply()) for _ in commands]
    replies: list[_Reply] = []
    for command in commands:
        smtp.send(command + b"\r\n")
        replies.append(_Reply(*smtp.getreply()))
        if not 200 <= replies[-1].code < 400:
            break
    return replies


def _stuffed(content: bytes) -> bytes:
    """The content as it travels: dots doubled at the start of a line, a lone dot after it (RFC 5321 §4.5.2)."""
    end = b".\r\n" if content.endswith(b"\r\n") else b"\r\n.\r\n"
    return re.sub(rb"(?m)^\.", b"..", content) + end


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
