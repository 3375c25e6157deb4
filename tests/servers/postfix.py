"""A private Postfix on free ports of the loopback; the system's own configuration, queue and service are left alone.

It stands between the players and the game: what comes in by `port` gets an Authentication-Results header, as a milter
(rspamd, OpenDMARC) would write it, after what the envelope's sender shows; `submission` is for those who log in. Only
root may start it.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import smtplib
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType

import pytest

from tests.servers.ports import free_port
from tests.servers.root import only_root

RECEIVER = "mx.nomic.example"
"""What it calls itself, and its word about senders (RFC 8601: the authserv-id)."""
PATIENCE = 30

# A mail that is tried again while whoever tried it last still has its file is put aside for good: not within a second.
_MAIN = """
compatibility_level = 3.6
myhostname = {receiver}
queue_directory = {folder}/queue
data_directory = {folder}/data
maillog_file = {folder}/log
maillog_file_prefixes = {folder}
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
smtp_dns_support_level = disabled
smtpd_peername_lookup = no
alias_maps =
mydestination =
smtpd_sender_restrictions = check_sender_access regexp:{folder}/verdicts
virtual_mailbox_maps = static:yes
queue_run_delay = 1s
minimal_backoff_time = 3s
maximal_backoff_time = 3s
"""
_VERDICTS = """
/@([a-z]+)[.]example$/  PREPEND Authentication-Results: {receiver}; dmarc=pass header.from=$1.example
/@([a-z]+)[.]forged$/   PREPEND Authentication-Results: {receiver}; dmarc=fail header.from=$1.example
"""
_MASTER = """
127.0.0.1:{port} inet n - n - - smtpd
127.0.0.1:{submission} inet n - n - - smtpd
  -o smtpd_sender_restrictions=
  -o smtpd_tls_security_level=encrypt
  -o smtpd_sasl_auth_enable=yes
  -o smtpd_relay_restrictions=permit_sasl_authenticated,reject
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
smtp unix - - n - - smtp
lmtp unix - - n - - lmtp
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
"""


def program(name: str) -> str:
    """Where a program for administrators is; fails when it is not installed."""
    found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin:/usr/local/sbin")
    if found is None:
        pytest.fail(f"This test needs {name}: tests/run installs it through apt.")
    return found


class Postfix:
    """`with Postfix(main, master) as postfix:` and it takes mail at 127.0.0.1, `postfix.port`.

    `main` and `master` are lines for its main.cf and master.cf, which come after ours.
    """

    def __init__(self, main: str, master: str = "") -> None:
        self.main, self.master = main, master
        self.port, self.submission = free_port(), free_port()
        self.folder = Path(tempfile.mkdtemp(prefix="pbem-postfix-", dir="/tmp"))

    def __enter__(self) -> Postfix:
        self.check()
        with (self.folder / "errors").open("w") as errors:
            # start-fg: the process waits for the master, which ends all that it has started.
            self._process = subprocess.Popen(
                [program("postfix"), "-c", str(self.folder), "start-fg"], stdout=errors, stderr=errors
            )
        end = time.monotonic() + PATIENCE
        while not self._greets():
            if self._process.poll() is not None or time.monotonic() > end:
                self.__exit__(None, None, None)
                raise RuntimeError("postfix does not start")
            time.sleep(0.05)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()
        if kind is not None:
            print(self.log())  # noqa: T201  # pytest shows it with the failure
        shutil.rmtree(self.folder)

    def _end(self) -> None:
        """Ends the master, or what was to become one."""
        written = self.folder / "queue/pid/master.pid"
        os.kill(int(written.read_text()) if written.exists() else self._process.pid, signal.SIGTERM)
        self._process.wait(PATIENCE)

    def check(self) -> None:
        """Written down and found good: no service or setting is unknown, or there twice."""
        only_root("start Postfix")
        self._configure()
        for command in (
            ("postfix", "-c", str(self.folder), "check"),
            ("postconf", "-c", str(self.folder), "-n"),
        ):
            done = subprocess.run(
                [program(command[0]), *command[1:]], capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stderr + self.log()
            assert not re.search("unused parameter|overriding earlier", done.stderr), done.stderr

    def log(self) -> str:
        """What it has logged so far."""
        log = self.folder / "log"
        return log.read_text() if log.exists() else ""

    def _configure(self) -> None:
        self.folder.chmod(0o755)
        for part in ("queue", "data"):
            (self.folder / part).mkdir(exist_ok=True)
        shutil.chown(self.folder / "data", "postfix")
        given = {"folder": self.folder, "receiver": RECEIVER}
        (self.folder / "verdicts").write_text(_VERDICTS.format(**given))
        (self.folder / "main.cf").write_text(_MAIN.format(**given) + self.main)
        master = _MASTER.format(port=self.port, submission=self.submission)
        (self.folder / "master.cf").write_text(master + self.master)

    def _greets(self) -> bool:
        try:
            with smtplib.SMTP("127.0.0.1", self.port, timeout=PATIENCE) as line:
                return line.noop()[0] == 250
        except (OSError, smtplib.SMTPException):
            return False
