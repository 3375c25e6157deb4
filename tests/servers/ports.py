"""Ports of the loopback that nobody has."""

from __future__ import annotations

import socket


def free_port() -> int:
    """A free one, for a server that cannot choose for itself."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
