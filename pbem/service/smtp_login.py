"""How we log in at a smart host: by a password, or by OAuth 2.0.

What lives here: AUTH (RFC 4954). What never may: a secret in an exception, or kept for longer than it takes to say it.
"""

from __future__ import annotations

import base64
import smtplib

from pbem.config import SmtpDelivery
from pbem.service.loglines import unsaid


def log_in(smtp: smtplib.SMTP, way: SmtpDelivery) -> None:
    """As the settings have it, or not at all. Raises SMTPException, and OSError for a file that cannot be read."""
    given = way.password_file or way.oauth2
    if not way.user or not given:
        return
    secret, show = given.reveal(), _say_password if way.password_file else _show_token
    try:
        show(smtp, way.user, secret)
    except smtplib.SMTPResponseException as refusal:
        told = refusal.smtp_error
        words = told.decode("utf-8", "replace") if isinstance(told, bytes) else told
        # Without what it came from: that has the server's own words.
        raise smtplib.SMTPAuthenticationError(refusal.smtp_code, unsaid(words, secret)) from None


def _say_password(smtp: smtplib.SMTP, user: str, password: str) -> None:
    if (user + password).isascii():
        smtp.login(user, password)
        return
    # smtplib takes ASCII alone, and its UnicodeEncodeError bears the password; PLAIN is UTF-8 (RFC 4616).
    _welcome(*_authenticate(smtp, "PLAIN", f"\0{user}\0{password}"))


def _show_token(smtp: smtplib.SMTP, user: str, token: str) -> None:
    code, text = _authenticate(smtp, "XOAUTH2", f"user={user}\1auth=Bearer {token}\1\1")
    if code == 334:  # the server says what is wrong, and refuses once that is acknowledged
        code, text = smtp.docmd("")
    _welcome(code, text)


def _authenticate(smtp: smtplib.SMTP, mechanism: str, response: str) -> tuple[int, bytes]:
    return smtp.docmd("AUTH", f"{mechanism} {base64.b64encode(response.encode()).decode()}")


def _welcome(code: int, text: bytes) -> None:
    if code != 235:
        raise smtplib.SMTPAuthenticationError(code, text)
