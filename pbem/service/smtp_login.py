"""How we log in at a smart host: by a password, or by OAuth 2.0.

What lives here: AUTH (RFC 4954). What never may: a secret in an exception, or kept for longer than it takes to say it.
"""

from __future__ import annotations

import base64
import smtplib

from pbem.config import SmtpDelivery


def log_in(smtp: smtplib.SMTP, way: SmtpDelivery) -> None:
    """As the settings have it, or not at all. Raises SMTPException, and OSError for a file that cannot be read."""
    if way.user and way.password_file:
        _say_password(smtp, way.user, way.password_file.reveal())
    elif way.user and way.oauth2:
        _show_token(smtp, way.user, way.oauth2.reveal())


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
