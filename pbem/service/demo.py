"""A sample game on embedded parts: scripted players, real mail over SMTP on loopback, digests, pages.

What lives here: playing the script in demo.txt. What never may: a way into the game that is not a mail.
"""

from __future__ import annotations

import email
import email.policy
import importlib.resources
import shutil
import smtplib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import formatdate
from pathlib import Path

from pbem.service import process, publishing, searching, worker
from pbem.service.books import Host
from pbem.service.door import Offered
from pbem.service.founding import Plan, found
from pbem.service.maildir_out import safe_name
from pbem.service.receive import receive_all
from pbem.service.smtp_in import Guards, SmtpListener
from pbem.store import queues
from pbem.store.db import open_store
from pbem.store.upgrade import upgrade

GAME, ANOTHER = "kaffe", "te"
PLAYERS = {
    "Alice": ("Alice Ahlgren", "alice@ahlgren.example"),
    "Björn": ("Björn Berg", "bjorn@berg.example"),
    "Carol": ("Carol Crane", "carol@crane.example"),
    "David": ("David Dahl", "david@dahl.example"),
}
KEEPER = ("Kim Kvist", "kim@kvist.example")

SETTINGS = """# The settings of a demo: a closed host on this machine, where From is believed.
[mail]
address = "nomic@nomic.example"
[identity]
believe_from = true
[intake.smtp]
host = "127.0.0.1"
port = {port}
[delivery.maildir]
folder = "mail"
[site]
folder = "site"
preview = {preview}
"""


DATABASE = "pbem.db"
OF_A_DEMO = ("mail", "sent", "site", "pbem.key", DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm")
"""What a demo makes beside its settings: this much of an earlier one is removed."""


class NoRoom(ValueError):
    """The folder holds something that a demo has not made, or an earlier demo that somebody has played."""


@dataclass(frozen=True, slots=True)
class Scripted:
    """One mail of the script: who writes, its subject, or (`re`) the number of the proposal it is about."""

    player: str
    subject: str
    re: str
    body: str


def make_room(folder: Path, port: int = 0, preview: int = 0) -> Path:
    """An empty folder with the settings of a demo; an earlier demo in it is removed, unless somebody has written to
    it. Raises NoRoom."""
    settings = folder / "pbem.toml"
    if folder.exists() and any(folder.iterdir()):
        if not settings.is_file() or not settings.read_text("utf-8").startswith(SETTINGS.partition("\n")[0]):
            raise NoRoom(f"{folder} holds other things than a demo; name another folder")
        if _written_to(folder):
            raise NoRoom(
                f"{folder} holds a demo that somebody has written to, and it stays as it is; name another folder, "
                f"or remove this one"
            )
        for made in OF_A_DEMO:
            if (folder / made).is_dir():
                shutil.rmtree(folder / made)
            else:
                (folder / made).unlink(missing_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    settings.write_text(SETTINGS.format(port=port, preview=preview), "utf-8")
    return settings


def _written_to(folder: Path) -> bool:
    """Whether mails have come to an earlier demo beyond those of its script."""
    if not (folder / DATABASE).is_file():
        return False
    store = open_store(f"sqlite:///{DATABASE}", folder)
    try:
        with store.connected():
            upgrade(
                store, worker.clock()
            )  # it may be of an earlier version, or have broken off without its tables
            return sum(queues.inbox_counts(store).values()) > len(script())
    finally:
        store.close()


def script() -> tuple[Scripted, ...]:
    """The mails of the sample game, in order."""
    text = (importlib.resources.files("pbem.service") / "demo.txt").read_text("utf-8")
    return tuple(_scripted(block) for block in text.split("\n%%\n")[1:])


def _scripted(block: str) -> Scripted:
    head, _, body = block.partition("\n\n")
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    return Scripted(fields["From"], fields.get("Subject", ""), fields.get("Re", ""), body.strip() + "\n")


def play(host: Host, folder: Path, mails: Sequence[Scripted], tell: Callable[[], None]) -> None:
    """Plays a game by these mails, and publishes it. After each mail `tell` is called."""
    found(host, _plan(GAME))
    worker.send_all(host)
    (folder / "sent").mkdir()
    listener = _listener(host)
    listener.start()
    try:
        with smtplib.SMTP("127.0.0.1", listener.port) as server:
            for place, scripted in enumerate(mails, 1):
                _send(
                    host,
                    server,
                    _mail(folder, scripted, place),
                    folder / "sent" / f"{place:02}-{safe_name(scripted.player)}.eml",
                )
                tell()
    finally:
        listener.stop()
    publishing.publish_due(host)
    searching.make(host.config.site.folder, [GAME])


def begin_another(host: Host) -> None:
    """A second game of the same players, for whoever wants to try a move."""
    found(host, _plan(ANOTHER))
    worker.send_all(host)
    publishing.publish_due(host)


def _plan(game: str) -> Plan:
    players, house = tuple(PLAYERS.values()), {"cooling time": "0"}
    return Plan(game, game.capitalize(), "en", "suber", KEEPER, players, house, start=True, at=worker.clock())


def _listener(host: Host) -> SmtpListener:
    config = host.config
    assert config.intake.smtp is not None  # noqa: S101  # the settings of a demo have one

    def take(offered: Sequence[Offered]) -> list[str]:
        with host.store.connected():
            return receive_all(host, offered)

    return SmtpListener(
        config.intake.smtp, config.mail.addresses, Guards.of(config.limits), take, worker.clock
    )


def _send(host: Host, server: smtplib.SMTP, mail: EmailMessage, file: Path) -> None:
    """Over SMTP into the inbox; then the mail is worked off and its answers delivered."""
    file.write_bytes(mail.as_bytes())
    server.send_message(mail)
    process.work_off(host, worker.clock())
    worker.send_all(host)


def _mail(folder: Path, scripted: Scripted, place: int) -> EmailMessage:
    name, address = PLAYERS[scripted.player]
    mail = EmailMessage(policy=email.policy.SMTP)
    mail["From"] = f"{name} <{address}>"
    mail["To"] = "Nomic <nomic@nomic.example>"
    mail["Date"] = formatdate()
    mail["Message-ID"] = f"<demo-{place}@{address.partition('@')[2]}>"
    body = scripted.body
    if scripted.re:
        answered = _newest(folder / "mail" / safe_name(name), scripted.re)
        mail.replace_header("To", str(answered["Reply-To"]))
        mail["In-Reply-To"] = answered["Message-ID"]
        mail["References"] = answered["Message-ID"]
        body += "\n" + "\n".join(_quoted(answered)) + "\n"
    mail["Subject"] = scripted.subject or f"Re: {answered['Subject']}"
    mail.set_content(body)
    return mail


def _newest(box: Path, number: str) -> EmailMessage:
    """The newest mail in a Maildir that is about a proposal."""
    for file in sorted((box / "new").iterdir(), reverse=True):
        mail = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
        if str(mail["Message-ID"]).startswith(f"<{GAME}.proposal.{number}."):
            assert isinstance(mail, EmailMessage)  # noqa: S101  # what policy.default makes
            return mail
    raise LookupError(f"no mail about proposal {number} in {box}")


def _quoted(answered: EmailMessage) -> Iterator[str]:
    """The mail answered, quoted below an attribution line as mail programs do."""
    body = answered.get_body(("plain",))
    yield "On Tue, 1 Dec 2026 at 10:02, Nomic <nomic@nomic.example> wrote:"
    for line in (body.get_content() if body else "").splitlines():
        yield f"> {line}"
