"""What a service manager hears of us: that we are up, that work goes on, that we stop (sd_notify(3)).

What lives here: that one datagram. What never may: a failure; where nobody listens nothing is said.
"""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from typing import Final

READY: Final = "READY=1"
ALIVE: Final = "WATCHDOG=1"
STOPPING: Final = "STOPPING=1"

_PATIENCE = 5
"""Seconds to wait for somebody who reads slowly."""


def tell(news: str) -> None:
    """Sends one line of news to the socket that `NOTIFY_SOCKET` names, if any."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return
    # "@" stands for the NUL that begins the name of an abstract socket.
    name = address.replace("@", "\0", 1) if address.startswith("@") else address
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
        line.settimeout(_PATIENCE)
        line.connect(name)
        line.send(news.encode())
