"""Looking at the ways mail comes in and goes out: each login tried as it will be, with its TLS.

What lives here: looks that ask another server. What never may: taking a mail, or sending one.
"""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from imapclient.exceptions import IMAPClientError

from pbem.config import Config, Encryption, ImapIntake, MaildirDelivery, Secret, SmtpDelivery, SmtpIntake
from pbem.service import imap_in
from pbem.service.deliver import Unreachable
from pbem.service.findings import Finding, note, ok, private, wanting
from pbem.service.imap_in import LoginRefused
from pbem.service.smtp_out import SmtpPost

Folder = Callable[[str, Path], Finding]
"""The look at a folder."""

PATIENCE: Final = 15.0
"""Seconds for each answer of a smart host."""
_HOW: Final[dict[Encryption, str]] = {"none": "in clear", "starttls": "with STARTTLS", "tls": "with TLS"}
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")


def looks(config: Config, folder: Folder) -> Iterator[Finding]:
    """Every way in and the way out."""
    intake = config.intake
    if intake.smtp is not None:
        yield _listener(intake.smtp)
    for account in intake.imap:
        yield from _imap(account)
    if intake.maildir is not None:
        yield folder("maildir", intake.maildir.folder)
    if not (intake.smtp or intake.imap or intake.maildir):
        yield note(
            "intake", "no way in is set, so mail comes by `pbem deliver` alone", "write an [intake…] section"
        )
    if isinstance(config.delivery, MaildirDelivery):
        yield note(
            "delivery",
            f"nothing is sent: mail goes into folders in {config.delivery.folder}",
            "[delivery.smtp]",
        )
        yield folder("delivery", config.delivery.folder)
    else:
        yield from _smtp(config, config.delivery)


def _imap(account: ImapIntake) -> Iterator[Finding]:
    what = f"imap {account.user}@{account.host}"
    secret = account.oauth2 or account.password_file
    faults = [*_secret(what, secret), *_clear(what, account.host, account.encryption, secret)]
    yield from faults
    if any(fault.state == "wanting" for fault in faults):
        return
    try:
        mails = imap_in.try_out(account)
        yield ok(what, f"logged in {_HOW[account.encryption]}; {mails} mail(s) in {account.folder}")
    except LoginRefused as refusal:
        yield wanting(what, f"the login was refused ({refusal})", "check user, and password_file or oauth2")
    except IMAPClientError as error:
        yield wanting(what, f"{account.folder} cannot be opened ({error})", "check folder in [[intake.imap]]")
    except OSError as error:
        yield wanting(what, _no_line(account.host, account.port, error), "check host, port and tls")


def _smtp(config: Config, way: SmtpDelivery) -> Iterator[Finding]:
    what, secret = f"smtp {way.host}", way.oauth2 or way.password_file
    faults = [*_secret(what, secret), *_clear(what, way.host, way.encryption, secret)]
    yield from faults
    if any(fault.state == "wanting" for fault in faults):
        return
    try:
        SmtpPost(way, config.mail.domain, timeout=PATIENCE).try_out()
        known = f" as {way.user}" if way.user else ""
        yield ok(what, f"it lets us in{known}, {_HOW[way.encryption]}")
    except Unreachable as error:
        yield wanting(
            what, str(error), "check host, port, tls, user, and password_file or oauth2 in [delivery.smtp]"
        )
    says = "pbem signs no mail: the smart host does, for the domain of [mail] address"
    yield note("dkim", says, "see that a mail of ours has dkim=pass where it arrives")


def _secret(what: str, secret: Secret | None) -> Iterator[Finding]:
    """That a password is there, and for its owner alone."""
    if secret is None:
        return
    try:
        if not secret.reveal():
            yield wanting(what, f"{secret.path} is empty", "write the password or token into it, on one line")
    except (OSError, UnicodeDecodeError) as error:
        yield wanting(
            what,
            f"{secret.path} cannot be read ({error})",
            "write the password or token into it, on one line",
        )
    yield from private(what, secret.path)


def _clear(what: str, host: str, how: Encryption, secret: Secret | None) -> Iterator[Finding]:
    if how == "none" and secret is not None and host not in _LOOPBACK:
        yield wanting(
            what, "the password would go over the network in clear", 'set tls = "starttls" or "tls"'
        )


def _listener(way: SmtpIntake) -> Finding:
    """The port is free, or something listens there: pbem, if it runs."""
    what = f"{way.protocol} port {way.port}"
    try:
        with socket.create_server((way.host, way.port)):
            return ok(what, "it is free for pbem")
    except PermissionError:
        return wanting(what, "we may not listen there", "set a port above 1023 in [intake.smtp]")
    except OSError as error:
        # An address that is not this machine's may be another's: whoever answers there is not asked.
        found = _greeting(what, way) if error.errno == errno.EADDRINUSE else None
        return found or wanting(
            what, f"nothing can listen there ({error.strerror})", "set another host or port in [intake.smtp]"
        )


def _greeting(what: str, way: SmtpIntake) -> Finding | None:
    """What somebody who listens there already says; None of one who says nothing."""
    try:
        with socket.create_connection((way.host, way.port), timeout=PATIENCE) as line:
            line.settimeout(PATIENCE)
            greeting = line.recv(200).decode("utf-8", "replace").strip()
    except OSError:
        return None
    return ok(what, f"somebody listens and says {greeting!r}: pbem, if it runs")


def _no_line(host: str, port: int, error: OSError) -> str:
    return f"{host}:{port} cannot be reached ({error})"
