"""However the bytes of a peer are cut on their way, its mail is the same one, and its commands are the same ones."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from itertools import pairwise
from typing import TypeVar

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pbem.service.smtp_heard import Heard

WORDS = st.lists(st.sampled_from([b".", b"..", b"\r\n", b"\r", b"\n", b"a", b"\xe5 b"])).map(b"".join)
END = b".\r\n"
PATIENCE = 20
"""Seconds: much more than anything here takes."""
Found = TypeVar("Found")


def _run(story: Coroutine[None, None, Found]) -> Found:
    """What comes of a story; one that waits for ever fails."""
    return asyncio.run(asyncio.wait_for(story, PATIENCE))


async def _taken(pieces: list[bytes]) -> tuple[bytes, bytes]:
    """The mail that aiosmtpd makes of what it is handed, and the command behind it."""
    reader = asyncio.StreamReader()
    heard = Heard(reader, 10_000, strict=True)

    async def arrive() -> None:
        for piece in pieces:
            reader.feed_data(piece)
            await asyncio.sleep(0)

    arriving, lines = asyncio.create_task(arrive()), []
    while (line := await heard.readuntil(b"\r\n")) != END:
        lines.append(line.removeprefix(b"."))
    command = await heard.readuntil()
    await arriving
    return b"".join(lines), command


def _cut(wire: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({0, len(wire), *(cut % len(wire) for cut in cuts)})
    return [wire[first:last] for first, last in pairwise(places)]


@given(WORDS, st.lists(st.integers(0, 300)))
@example(b".\r\n..\r\nb\r\n.", [2, 4, 5, 6, 9])
@example(b"a\r\n\r\n.\n.\r\n", [2])
def test_a_mail_is_one_however_it_comes(words: bytes, cuts: list[int]) -> None:
    mail = words + b"\r\n"
    # Each line that begins with a dot is sent with one more (RFC 5321 §4.5.2).
    wire = b"\r\n".join(b"." + line if line.startswith(b".") else line for line in mail.split(b"\r\n"))
    assert _run(_taken(_cut(wire + END + b"NOOP\r\n", cuts))) == (mail, b"NOOP\r\n")


def test_many_lines_are_one_and_a_dot_stands_alone() -> None:
    async def story() -> list[bytes]:
        reader = asyncio.StreamReader()
        reader.feed_data(b"a\r\nb\r\n.c\r\nd\r\n.\r\n")
        heard = Heard(reader, 10_000, strict=True)
        return [await heard.readuntil(b"\r\n") for _ in range(4)]

    assert _run(story()) == [b"a\r\nb\r\n", b".c\r\n", b"d\r\n", b".\r\n"]


def test_a_line_without_end_is_let_go_of() -> None:
    async def story() -> bytes:
        reader = asyncio.StreamReader()
        reader.feed_data(b"x" * 150 + b"\r")
        heard = Heard(reader, 100, strict=True)
        with pytest.raises(asyncio.LimitOverrunError) as overrun:
            await heard.readuntil(b"\r\n")
        assert await heard.read(overrun.value.consumed) == b"x" * 150
        reader.feed_data(b"\n.\r\n")
        assert await heard.readuntil(b"\r\n") == b"\r\n"
        return await heard.readuntil(b"\r\n")

    assert _run(story()) == END


def test_a_connection_that_ends_within_a_line_is_no_line() -> None:
    async def story() -> None:
        reader = asyncio.StreamReader()
        reader.feed_data(b"NOO")
        reader.feed_eof()
        await Heard(reader, 100, strict=True).readuntil()

    with pytest.raises(asyncio.IncompleteReadError):
        _run(story())
