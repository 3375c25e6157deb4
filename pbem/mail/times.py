"""When a mail says that it was written, and when it says that servers handed it on.

What lives here: reading those times. What never may: a deadline; what counts is when our own server took the mail.
"""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from pbem.mail.headers import Headers

_MOST_HOPS = 30


def dated(headers: Headers) -> int | None:
    """The Date of a mail (RFC 5322 3.6.1) in UTC µs, None if it has none that can be read."""
    return _moment(headers.first("date"))


def hops(headers: Headers) -> tuple[int, ...]:
    """The times in its Received headers (RFC 5321 4.4) in UTC µs, the last server's first."""
    stamps = (value.rpartition(";")[2] for value in headers.all("received")[:_MOST_HOPS])
    return tuple(moment for moment in map(_moment, stamps) if moment is not None)


def _moment(written: str) -> int | None:
    try:
        moment = parsedate_to_datetime(" ".join(written.split())[:100])
        aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
        return round((aware - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() * 1_000_000)
    except (ValueError, TypeError, IndexError, OverflowError):  # whatever a sender may write
        return None
