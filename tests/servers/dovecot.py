"""A private Dovecot on free loopback ports; the system's own configuration and service are left alone.

Any user may log in with the password "secret", or with an access token that `token` makes, and gets what comes by LMTP.
Started as root it runs as `nobody`, since Dovecot serves
no mail as root; otherwise as whoever runs the tests.
"""

from __future__ import annotations

import base64
import grp
import hmac
import json
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType

from imapclient import IMAPClient

from tests.servers.ports import free_port

PASSWORD = "secret"
PATIENCE = 20

_CONF = """
base_dir = {folder}/run
state_dir = {folder}/run
log_path = {folder}/log
protocols = imap lmtp
listen = 127.0.0.1
ssl = {tls}
{certificate}
disable_plaintext_auth = no
auth_mechanisms = plain xoauth2
recipient_delimiter = +
default_internal_user = {user}
default_internal_group = {group}
default_login_user = {user}
first_valid_uid = 0
first_valid_gid = 0
mail_access_groups =
mail_location = maildir:{folder}/mail/%u
mail_fsync = never
default_vsz_limit = 512M
passdb {{
  driver = static
  mechanisms = plain none
  args = password={password}
}}
passdb {{
  driver = oauth2
  mechanisms = xoauth2
  args = {folder}/oauth2
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={folder}/mail/%u
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    address = 127.0.0.1
    port = {port}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
service lmtp {{
  inet_listener lmtp {{
    address = 127.0.0.1
    port = {lmtp}
  }}
}}
service auth {{
  inet_listener sasl {{
    address = 127.0.0.1
    port = {sasl}
  }}
}}
service anvil {{
  chroot =
}}
service stats {{
  chroot =
}}
"""

# Tokens are looked at here and nowhere else: signed by this key, for this user, and not too old.
_OAUTH2 = """
introspection_mode = local
local_validation_key_dict = fs:posix:prefix={folder}/keys/
username_attribute = sub
"""
_KEY = b"a key for one test run alone, and no secret"


def token(user: str, seconds: int = 3600) -> str:
    """An access token for a user (RFC 7519), good for so many seconds."""
    now = int(time.time())
    head, claims = (
        _encoded(json.dumps(part).encode())
        for part in ({"alg": "HS256", "typ": "JWT"}, {"sub": user, "iat": now, "exp": now + seconds})
    )
    return f"{head}.{claims}.{_encoded(hmac.digest(_KEY, f'{head}.{claims}'.encode(), 'sha256'))}"


def _encoded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


class Dovecot:
    """`with Dovecot() as dovecot:` and an IMAP server is at 127.0.0.1, `dovecot.port`.

    What is handed over at `dovecot.lmtp` it delivers, and at `dovecot.sasl` a mail server may ask it about logins.
    With `certificate` and `key` (PEM files) it offers STARTTLS.
    """

    def __init__(self, certificate: Path | None = None, key: Path | None = None) -> None:
        self.certificate = certificate
        self.key = key

    def __enter__(self) -> Dovecot:
        self.program = _program()
        # Not pytest's folder: `nobody` must reach it, and its Unix sockets allow 107 bytes of path.
        self.folder = Path(tempfile.mkdtemp(prefix="pbem-imap-", dir="/tmp"))
        for part in ("run", "mail", "keys/default/HS256"):
            (self.folder / part).mkdir(parents=True)
        (self.folder / "keys/default/HS256/default").write_bytes(base64.b64encode(_KEY))
        # `nobody` reads the key too.
        self.offer = [shutil.copy(file, self.folder) for file in (self.certificate, self.key) if file]
        self.port, self.lmtp, self.sasl = free_port(), free_port(), free_port()
        self._configure()
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        if kind is not None:
            print(self.log())  # noqa: T201  # pytest shows it with the failure
        shutil.rmtree(self.folder)

    def start(self) -> None:
        """Up, and greeting."""
        with (self.folder / "errors").open("w") as errors:
            self._process = subprocess.Popen(
                [self.program, "-F", "-c", str(self.folder / "conf")],
                stdout=subprocess.DEVNULL,
                stderr=errors,
                user=self._uid,
                group=self._gid,
                extra_groups=None if self._uid is None else [],
            )
        end = time.monotonic() + PATIENCE
        while not self._greets():
            if self._process.poll() is not None or time.monotonic() > end:
                self.stop()
                raise RuntimeError(
                    f"dovecot does not start: {(self.folder / 'errors').read_text()}{self.log()}"
                )
            time.sleep(0.02)

    def stop(self) -> None:
        """Down, with every connection."""
        self._process.terminate()
        self._process.wait(PATIENCE)

    def log(self) -> str:
        """What it has logged so far."""
        log = self.folder / "log"
        return log.read_text() if log.exists() else ""

    def maildir(self, user: str) -> Path:
        """Where the mails of a user are."""
        return self.folder / "mail" / user

    def client(self, user: str) -> IMAPClient:
        """A second person's program at the same mailbox."""
        client = IMAPClient("127.0.0.1", self.port, ssl=False, timeout=PATIENCE)
        client.login(user, PASSWORD)
        return client

    def renumber(self, user: str) -> None:
        """All mails of a user get new UIDs under a new UIDVALIDITY, as when a mailbox is restored."""
        self.stop()
        for file in self.maildir(user).glob("dovecot*"):
            file.unlink()
        # A UIDVALIDITY is the second in which it was made.
        time.sleep(1.1)
        self.start()

    def _configure(self) -> None:
        uid, gid = os.getuid(), os.getgid()
        self._uid: int | None = None
        self._gid: int | None = None
        if uid == 0:
            nobody = pwd.getpwnam("nobody")
            uid, gid = nobody.pw_uid, nobody.pw_gid
            self._uid, self._gid = uid, gid
            for path in (self.folder, *self.folder.iterdir()):
                os.chown(path, uid, gid)
        conf = _CONF.format(
            folder=self.folder,
            port=self.port,
            user=pwd.getpwuid(uid).pw_name,
            group=grp.getgrgid(gid).gr_name,
            uid=uid,
            gid=gid,
            password=PASSWORD,
            lmtp=self.lmtp,
            sasl=self.sasl,
            tls="yes" if self.offer else "no",
            certificate="ssl_cert = <{}\nssl_key = <{}".format(*self.offer) if self.offer else "",
        )
        (self.folder / "conf").write_text(conf)
        (self.folder / "oauth2").write_text(_OAUTH2.format(folder=self.folder))

    def _greets(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as line:
                return line.recv(64).startswith(b"* OK")
        except OSError:
            return False


def _program() -> str:
    program = shutil.which("dovecot", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if program is None:
        raise RuntimeError(
            "This test needs an IMAP server: install Dovecot 2.3 (apt-get install dovecot-imapd)."
        )
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    if not version.startswith("2.3."):
        raise RuntimeError(f"This test writes settings for Dovecot 2.3; {program} is {version.strip()}.")
    return program
