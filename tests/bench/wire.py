"""The other ends of the line, in processes of their own: a smart host that counts what it takes, and a client that sends.

What lives here: SMTP as fast as Python speaks it. What never may: a look at what is in a mail.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

_CONTEXT = multiprocessing.get_context("fork")


class Sink:
    """`with Sink() as sink:` and `sink.port` takes every mail; `sink.taken` says how many it has taken, `sink.copies` for how many
    recipients, and `sink.last` when (`time.monotonic_ns`) it took the latest. It offers PIPELINING, SIZE and 8BITMIME, and keeps
    nothing. `core`: the one it runs on."""

    def __init__(self, core: int | None = None) -> None:
        self._core = core
        self._counts: Any = _CONTEXT.Array("q", 3)

    def __enter__(self) -> Sink:
        self._process = _CONTEXT.Process(target=self._serve, daemon=True)
        ours, theirs = _CONTEXT.Pipe()
        self._pipe = theirs
        self._process.start()
        self.port: int = ours.recv()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        self._process.join()

    @property
    def taken(self) -> int:
        return int(self._counts[0])

    @property
    def copies(self) -> int:
        return int(self._counts[2])

    @property
    def last(self) -> int:
        return int(self._counts[1])

    def _serve(self) -> None:
        if self._core is not None:
            os.sched_setaffinity(0, {self._core})
        asyncio.run(self._listen())

    async def _listen(self) -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: _Taking(self._counts), "127.0.0.1", 0)
        self._pipe.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()


class _Taking(asyncio.Protocol):
    def __init__(self, counts: Any) -> None:
        self._counts = counts
        self._had = b""
        self._in_data = False
        self._recipients = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._wire: Any = transport
        self._wire.write(b"220 sink.example ESMTP\r\n")

    def data_received(self, data: bytes) -> None:
        self._had += data
        said = []
        while (end := self._had.find(b"\r\n.\r\n" if self._in_data else b"\r\n")) >= 0:
            if self._in_data:
                self._had, self._in_data = self._had[end + 5 :], False
                self._counts[0] += 1
                self._counts[1] = time.monotonic_ns()
                self._counts[2] += self._recipients
                self._recipients = 0
                said.append(b"250 2.0.0 taken\r\n")
                continue
            line, self._had = self._had[:end].upper(), self._had[end + 2 :]
            self._in_data = line.startswith(b"DATA")
            self._recipients += line.startswith(b"RCPT")
            said.append(_REPLIES.get(line[:4], b"250 2.0.0 OK\r\n"))
        if said:
            self._wire.write(b"".join(said))


_REPLIES = {
    b"EHLO": b"250-sink.example\r\n250-PIPELINING\r\n250-SIZE 10000000\r\n250 8BITMIME\r\n",
    b"DATA": b"354 go on\r\n",
    b"QUIT": b"221 2.0.0 goodbye\r\n",
}


@dataclass(frozen=True, slots=True)
class Sent:
    """How it went: mails a second from the first byte to the last reply, and the milliseconds that each mail took, in order."""

    rate: float
    took: tuple[float, ...]
    ended: int
    """When the last one was (`time.monotonic_ns`)."""

    def at(self, share: float) -> float:
        """The milliseconds within which that share of the mails was taken."""
        return self.took[min(len(self.took) - 1, int(len(self.took) * share))]


def send(
    port: int,
    lines: Sequence[Sequence[tuple[str, bytes]]],
    to: str,
    core: int | None = None,
    lmtp: bool = False,
) -> Sent:
    """Each of the `lines` is a connection that hands over its mails (sender, content) one after the other. Runs in a process of
    its own, on that core. Raises RuntimeError when a mail is not taken."""
    ours, theirs = _CONTEXT.Pipe()
    greeting = b"LHLO bench.example\r\n" if lmtp else b"EHLO bench.example\r\n"
    process = _CONTEXT.Process(target=_send, args=(theirs, port, lines, to.encode(), greeting, core))
    process.start()
    sent = ours.recv()
    process.join()
    if isinstance(sent, str):
        raise RuntimeError(sent)
    return Sent(*sent)


def _send(
    pipe: Any,
    port: int,
    lines: Sequence[Sequence[tuple[str, bytes]]],
    to: bytes,
    greeting: bytes,
    core: int | None,
) -> None:
    if core is not None:
        os.sched_setaffinity(0, {core})
    try:
        pipe.send(asyncio.run(_send_all(port, lines, to, greeting)))
    except Exception as error:  # it is told where it can be raised
        pipe.send(repr(error))


async def _send_all(
    port: int, lines: Sequence[Sequence[tuple[str, bytes]]], to: bytes, greeting: bytes
) -> tuple[float, tuple[float, ...], int]:
    open_lines = [await asyncio.open_connection("127.0.0.1", port, limit=2**20) for _ in lines]
    for reader, writer in open_lines:
        await _reply(reader)
        writer.write(greeting)
        await _reply(reader)
    begun = time.perf_counter()
    took = await asyncio.gather(
        *(_hand_over(*line, mails, to) for line, mails in zip(open_lines, lines, strict=True))
    )
    rate, ended = sum(map(len, took)) / (time.perf_counter() - begun), time.monotonic_ns()
    for _, writer in open_lines:
        writer.write(b"QUIT\r\n")
        writer.close()
    return rate, tuple(sorted(each for line in took for each in line)), ended


async def _hand_over(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, mails: Sequence[tuple[str, bytes]], to: bytes
) -> list[float]:
    took = []
    for sender, content in mails:
        begun = time.perf_counter()
        for said in (
            b"MAIL FROM:<%s>\r\n" % sender.encode(),
            b"RCPT TO:<%s>\r\n" % to,
            b"DATA\r\n",
            content + b".\r\n",
        ):
            writer.write(said)
            await _reply(reader)
        took.append((time.perf_counter() - begun) * 1000)
    return took


async def _reply(reader: asyncio.StreamReader) -> None:
    while True:
        line = await reader.readuntil()
        if line[:1] not in b"23":
            raise RuntimeError(line.decode())
        if line[3:4] != b"-":
            return
