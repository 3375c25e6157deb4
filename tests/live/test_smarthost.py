"""The smart host of the tests is a good server too: a peer that dies leaves it nothing to do."""

from __future__ import annotations

import socket
import threading

from tests.servers.running import until
from tests.servers.smarthost import SmartHost


def test_a_mail_that_breaks_off_is_not_waited_for() -> None:
    before = threading.active_count()
    with SmartHost() as host:
        with socket.create_connection(("127.0.0.1", host.port)) as line:
            replies = line.makefile("rb")
            for said in (
                "HELO here",
                "MAIL FROM:<a@b.example>",
                "RCPT TO:<c@d.example>",
                "DATA",
                "Subject: hal",
            ):
                replies.readline()
                line.sendall(f"{said}\r\n".encode())
            replies.close()
        until(lambda: threading.active_count() == before + 1, "only the listener goes on")
        assert host.taken == []
