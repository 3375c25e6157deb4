"""The smart host: mails go out over one connection for as many as it takes.

What lives here: the conversation with the smart host. What never may: changing a byte of a mail, or taking anything for
a yes that is none.
"""

from __future__ import annotations

import re
import smtplib
import ssl
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property

from pbem.config import SmtpDelivery
from pbem.mail.tokens import hide
from pbem.service.deliver import Later, Never, NoSuchAddress, Unreachable
from pbem.service.smtp_line import call
from pbem.service.smtp_login import log_in
from pbem.store.queues import OutboxMail

_YES = ("2", "2", "3")
"""How a yes to MAIL, RCPT and DATA begins."""


class _Gone(Later):
    """The connection ended before the mail was sent on it."""


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
                self.__dict__.pop("tls", None)  # whoever is to be believed from now on is read anew
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
