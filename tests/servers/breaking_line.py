"""A line between a client and a server on loopback that breaks after so many bytes, or falls silent."""

from __future__ import annotations

import contextlib
import re
import socket
import threading
from collections.abc import Iterable
from types import TracebackType


class BreakingLine:
    """`with BreakingLine(port, cuts) as line:` and `line.port` leads to `port`.

    Each connection carries the next number of bytes in `cuts` from the server to the client, and then
    breaks; when there is no next number it does not. While `silent` is set nothing gets through. What the server
    says beginning with `held` (if given) waits for what it says next, and both go out in one packet. What matches
    `swallowed` within a packet from the server gets lost on the way.
    """

    def __init__(
        self, port: int, cuts: Iterable[int] = (), held: bytes = b"", swallowed: bytes = b""
    ) -> None:
        self.to = port
        self.held = held
        self.swallowed = swallowed
        self.holding = threading.Event()
        self.cuts = iter(cuts)
        self.broken = 0
        self.silent = threading.Event()

    def __enter__(self) -> BreakingLine:
        self._ends: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for end in self._ends:
            _hang_up(end)
        for thread in self._threads:
            thread.join()
        for end in self._ends:
            end.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self._ends.append(client)
                server = socket.create_connection(("127.0.0.1", self.to))
                self._ends.append(server)
                for ends in ((server, client, next(self.cuts, None)), (client, server, None)):
                    thread = threading.Thread(target=self._carry, args=ends)
                    thread.start()
                    self._threads.append(thread)

    def _carry(self, source: socket.socket, target: socket.socket, allowed: int | None) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(4096):
                if self.silent.is_set():
                    continue
                if self.held and data.startswith(self.held):
                    self.holding.set()
                    data += source.recv(4096)
                if self.swallowed:
                    data = re.sub(self.swallowed, b"", data, flags=re.DOTALL)
                target.sendall(data[:allowed])
                if allowed is not None:
                    allowed -= len(data[:allowed])
                    if not allowed:
                        self.broken += 1
                        break
        _hang_up(source)
        _hang_up(target)


def _hang_up(end: socket.socket) -> None:
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
