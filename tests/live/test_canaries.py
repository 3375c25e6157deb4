"""Ten secrets, each a word that is nowhere else, in every place where a host or a player has one; looked for in all that is written
by a server at DEBUG, and by commands that fail with their tracebacks.

What lives here: the words, the flows in which they are used, and the search: as they are, in base64 at any place in it, in
hexadecimal, and as an address has them. What never may: a kind of file that is left out because nothing is expected there.
"""

from __future__ import annotations

import base64
import smtplib
import socketserver
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

import pytest

from pbem.store.db import open_store
from tests.flow.forging import TOKEN
from tests.live.test_serve import found_game
from tests.promises.table import Promise
from tests.servers import running
from tests.servers.running import Running, run, until
from tests.servers.smarthost import SmartHost

pytestmark = pytest.mark.live

CANARIES = {
    "the key of the host": "kanariekey1-0123456789abcdef0123456789abcdef",
    "the key before it": "kanariekey2-0123456789abcdef0123456789abcdef",
    "the password of the smart host": "kanarie3 for smtp",
    "the password of the mailbox": "kanarie4 for imap",
    "the access token of the smart host": "kanarie5.ya29.a0Af_h",
    "the access token of the mailbox": "kanarie6.ya29.b1Bg_i",
    "the password of the database": "kanarie7database",
    "a password that a peer says to us": "kanarie8peer",
}
"""Two more the host makes itself: the secret addresses by which a player replies, and says yes to a mail that is held."""
HEAD = """[mail]
address = "nomic@nomic.example"
[identity]
key = "key"
[intake.smtp]
port = 0
[site]
folder = "site"
"""


COMMANDS = (
    *(
        "doctor",
        "queue",
        "show kaffe log",
        "state kaffe",
        "backup copy.db",
        "export kaffe public.log --public",
    ),
    *("deliver nothing.eml", "publish kaffe"),
)


class Mailbox(socketserver.ThreadingTCPServer):
    """An IMAP server that refuses every login, and repeats what was said to it."""

    allow_reuse_address = daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Refusing)
        self.port = self.server_address[1]
        self.asked = 0


class Refusing(socketserver.StreamRequestHandler):
    server: Mailbox

    def handle(self) -> None:
        self.wfile.write(b"* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN AUTH=XOAUTH2 SASL-IR] here\r\n")
        for line in self.rfile:
            tag, _, said = line.strip().partition(b" ")
            if said.upper().startswith(b"CAPABILITY"):
                self.wfile.write(
                    b"* CAPABILITY IMAP4rev1 AUTH=PLAIN AUTH=XOAUTH2 SASL-IR\r\n" + tag + b" OK done\r\n"
                )
            elif said.upper().startswith(b"LOGOUT"):
                self.wfile.write(b"* BYE\r\n" + tag + b" OK bye\r\n")
                return
            else:
                self.server.asked += 1
                self.wfile.write(
                    tag + b" NO [AUTHENTICATIONFAILED] wrong: " + said.replace(b'"', b"") + b"\r\n"
                )


@contextmanager
def mailbox() -> Iterator[Mailbox]:
    server = Mailbox()
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def written_as(secret: str) -> Iterator[str]:
    """A secret as it is, and in each shape in which it might slip out."""
    raw = secret.encode()
    yield from (secret, quote(secret), raw.hex(), secret[::-1])
    for before in range(3):  # base64 looks otherwise at each place in a group of three
        coded = base64.b64encode(b"\0" * before + raw).decode().rstrip("=")
        yield coded[4 if before else 0 : -2]


def found_in(folder: Path, more: Mapping[str, str], secrets: Mapping[str, str]) -> list[str]:
    """In which file, or other text, which of the secrets is."""
    texts = {**more}
    for file in folder.rglob("*"):
        if file.is_file() and not file.name.startswith("secret-") and file.name not in ("key", "other.toml"):
            texts[str(file.relative_to(folder))] = file.read_bytes().decode("latin-1")
    return [
        f"{name} in {where}"
        for where, text in texts.items()
        for name, secret in secrets.items()
        if any(shape.lower() in text.lower() for shape in written_as(secret))
    ]


def settings(folder: Path, smarthost: SmartHost, imap: Mailbox, way: str) -> None:
    """A host that logs in both ways, by passwords or by tokens; each secret in a file of its own."""
    (folder / "key").write_text(f"{CANARIES['the key before it']}\n{CANARIES['the key of the host']}\n")
    for kind, name in (("smtp", "the smart host"), ("imap", "the mailbox")):
        secret = CANARIES[f"the {'password' if way == 'password_file' else 'access token'} of {name}"]
        (folder / f"secret-{kind}").write_text(secret + "\n")
    for file in folder.iterdir():
        file.chmod(0o600)
    (folder / "pbem.toml").write_text(
        f'{HEAD}[delivery.smtp]\nhost = "127.0.0.1"\nport = {smarthost.port}\nuser = "nomic"\n{way} = "secret-smtp"\n'
        f'[[intake.imap]]\nhost = "127.0.0.1"\nport = {imap.port}\nuser = "nomic"\n{way} = "secret-imap"\n'
    )
    (folder / "other.toml").write_text(
        f'database = "postgresql://nomic:{CANARIES["the password of the database"]}@127.0.0.1:1/nomic"\n{HEAD}'
    )


def everything_is_used(folder: Path, way: str, commands: tuple[str, ...]) -> tuple[str, dict[str, str]]:
    """A server at DEBUG and commands with their tracebacks; returns the server's log, and what was printed."""
    refused = base64.b64encode(f"\0nomic\0{CANARIES['the password of the smart host']}".encode()).decode()
    with SmartHost(login=("nomic", "another password")) as smarthost, mailbox() as imap:
        settings(folder, smarthost, imap, way)
        smarthost.then("AUTH", *([f"535 5.7.8 refused: AUTH PLAIN {refused}"] * 4))
        found_game(folder, time.time_ns() // 1000)
        printed = {}
        with Running(folder, "--debug", "serve").start() as served:
            _log_in_to_us(served.port)
            _vote(folder, served.port)
            until(lambda: "refused: AUTH" in served.log() and imap.asked, "both logins were refused")
            until(lambda: "login was refused" in served.log(), "and that is told")
            until(lambda: "state=held" in served.log(), "both mails were worked off")
            log = served.log
            said = served.said()
        for command in commands:
            done = run(folder, "--debug", *command.split())
            printed[command] = done.stdout + done.stderr
        done = run(folder, "--config", "other.toml", "--debug", "list")
        printed["list, no database"] = done.stdout + done.stderr
        assert done.returncode
        return log(), {**printed, "said": said}


def _log_in_to_us(port: int) -> None:
    peer = CANARIES["a password that a peer says to us"]
    with smtplib.SMTP("127.0.0.1", port, "alm.example") as server:
        server.ehlo()
        with suppress(smtplib.SMTPException):
            server.user, server.password = "nomic", peer
            server.docmd("AUTH", "PLAIN " + base64.b64encode(f"\0nomic\0{peer}".encode()).decode())
        with suppress(smtplib.SMTPException):
            server.docmd("AUTH", "LOGIN")
            server.docmd(base64.b64encode(peer.encode()).decode())


def _vote(folder: Path, port: int) -> None:
    """A reply by a player's own secret address, unsigned, and one from elsewhere that is held."""
    address = secret_addresses(folder)[0]
    with smtplib.SMTP("127.0.0.1", port, "alm.example") as server:
        for author in ("anna@alm.example", "anna@elsewhere.example"):
            mail = f"From: {author}\r\nTo: {address}\r\nSubject: x\r\nMessage-ID: <1@{author}>\r\n\r\nscores\r\n\r\n> {address}\r\n"
            server.sendmail(author, address, mail.encode())


def secret_addresses(folder: Path) -> list[str]:
    """Those in the mails that wait to go out to Anna."""
    store = open_store("sqlite:///pbem.db", folder)
    try:
        with store.reading():
            rows = store.rows("SELECT content FROM outbox WHERE recipient = 'anna@alm.example'")
            return [f"nomic+{TOKEN.search(content.decode().lower())[0]}@nomic.example" for (content,) in rows]
    finally:
        store.close()


def none_is_found(promise: Promise, folder: Path, way: str, commands: tuple[str, ...] = COMMANDS) -> None:
    log, printed = everything_is_used(folder, way, commands)
    hits = found_in(folder, printed, CANARIES)
    texts = {"log": log, **printed, **{file.name: file.read_text() for file in folder.glob("public.log")}}
    texts |= {
        str(page): page.read_text("utf-8", "replace")
        for page in (folder / "site").rglob("*.*")
        if page.is_file()
    }
    hits += [f"a secret address in {where}" for where, text in texts.items() if TOKEN.search(text.lower())]
    assert hits == []
    promise.shows(faults=len(CANARIES) + 2, accepted=len(hits))


@pytest.mark.promise(24)
@pytest.mark.parametrize(("way", "commands"), [("password_file", COMMANDS), ("oauth2", ("doctor",))])
def test_no_secret_is_in_anything_that_is_written(
    promise: Promise, tmp_path: Path, way: str, commands: tuple[str, ...]
) -> None:
    none_is_found(promise, tmp_path, way, commands)


WHOLE_LOG = """import logging
setLevel = logging.Logger.setLevel
logging.Logger.setLevel = lambda self, level: setLevel(self, logging.DEBUG if self.name == "mail.log" else level)
"""
SERVERS_WORDS = """import sys
import pbem.service.loglines as loglines
loglines.unsaid = lambda told, secret: told
"""


@pytest.mark.promise(24)
@pytest.mark.parametrize(
    ("fault", "change"),
    [("aiosmtpd at DEBUG", WHOLE_LOG), ("what a server answers is logged as it is", SERVERS_WORDS)],
)
def test_a_log_that_says_too_much_is_seen(
    promise: Promise, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str, change: str
) -> None:
    """Python reads `sitecustomize` before the program: so the fault is in the server's own process."""
    planted = tmp_path / "planted"
    planted.mkdir()
    (planted / "sitecustomize.py").write_text(change)
    (tmp_path / "host").mkdir()
    whole = running.environment
    monkeypatch.setattr(
        running, "environment", lambda: {**whole(), "PYTHONPATH": f"{planted}:{running.CHECKOUT}"}
    )
    with promise.breaks(fault):
        none_is_found(promise, tmp_path / "host", "password_file", commands=())
