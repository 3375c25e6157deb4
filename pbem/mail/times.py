"""When a mail says that it was written, and when it says that servers handed it on.

What lives here: reading those times. What never may: a deadline; what counts is when our own server took the mail.
"""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from pbem.mail.headers import Headers

_MOST_HOPS = 30


def stamps(headers: Headers) -> tuple[str, ...]:
    """The times in its Received headers (RFC 5321 4.4) as they are written, the last server's first."""
    return tuple(value.rpartition(";")[2].strip() for value in headers.all("received")[:_MOST_HOPS])


def moment(written: str) -> int | None:
    """A date and time as mails write them (RFC 5322 3.3) in UTC µs, None if it cannot be read."""
    try:
        read = parsedate_to_datetime(" ".join(written.split())[:100])
        aware = read if read.tzinfo is not None else read.replace(tzinfo=UTC)
        return round((aware - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() * 1_000_000)
    except (ValueError, TypeError, IndexError, OverflowError):  # whatever a sender may write
        return None
