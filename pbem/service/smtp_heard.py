"""What a peer says, as aiosmtpd asks for it: a command by its line, a mail by as many lines as are there.

What lives here: where a command ends, and how much of a mail can be handed on at once. What never may: the end of a mail, the
dots of its lines, or what a command means; these stay aiosmtpd's.
"""

from __future__ import annotations

import asyncio
from typing import Final

NO_COMMAND: Final = b"BARE-LF\r\n"
_AT_ONCE: Final = 65_536
"""Bytes that are taken from the wire at once: most mails are shorter."""


class Heard:
    """Stands in the place of the `asyncio.StreamReader` that aiosmtpd reads from.

    aiosmtpd asks for the lines of a mail one by one, to look at each that begins with a dot (RFC 5321 §4.5.2). So such a line
    is handed to it alone, and those between two of them together: to it they are one long line.

    With `strict` a command must end in CR LF. aiosmtpd takes a bare LF for its end: a server before this one that does not
    would hand on two commands as one address.
    """

    def __init__(self, reader: asyncio.StreamReader, limit: int, *, strict: bool) -> None:
        """`limit` is how many bytes may be waiting without an end."""
        self._reader = reader
        self._limit = limit
        self._strict = strict
        self._had = bytearray()

    async def readuntil(self, separator: bytes = b"\n") -> bytes:
        """The next command (`separator` is LF) or the next lines of a mail (CR LF). Raises asyncio.LimitOverrunError when as
        much as the limit has no end, asyncio.IncompleteReadError at the end of the connection."""
        looked, end_in = 0, _end_of_command if separator == b"\n" else _end_of_lines
        while not (end := end_in(self._had, looked)):
            looked = max(0, len(self._had) - 1)  # a CR whose LF is still to come
            if looked >= self._limit:
                raise asyncio.LimitOverrunError("there is no end to this line", looked)
            await self._hear_more()
        return self._checked(self._cut(end)) if separator == b"\n" else self._cut(end)

    async def read(self, count: int) -> bytes:
        """The next bytes, at most so many, of those that had no end."""
        return self._cut(count)

    async def _hear_more(self) -> None:
        more = await self._reader.read(_AT_ONCE)
        if not more:
            raise asyncio.IncompleteReadError(bytes(self._had), None)
        self._had += more

    def _cut(self, end: int) -> bytes:
        first = bytes(self._had[:end])
        del self._had[:end]
        return first

    def _checked(self, line: bytes) -> bytes:
        """A command; for one that ends in a bare LF, one that there is not."""
        return NO_COMMAND if self._strict and not line.endswith(b"\r\n") else line


def _end_of_command(had: bytearray, looked: int) -> int:
    """Where the first line ends; 0: nowhere yet. Before `looked` there is no end."""
    return had.find(b"\n", looked) + 1


def _end_of_lines(had: bytearray, looked: int) -> int:
    """Where the lines end before the first that begins with a dot, or that line itself if it stands first; 0: nowhere yet."""
    if had.startswith(b"."):
        return _after(had.find(b"\r\n", looked))
    dotted = _after(had.find(b"\r\n.", looked))
    return dotted or _after(had.rfind(b"\r\n", looked))


def _after(found: int) -> int:
    return found + 2 if found >= 0 else 0
