"""`pbem serve`: it starts, tells what runs, rests when nothing happens, and stops without losing anything."""

from __future__ import annotations

import base64
import errno
import os
import re
import smtplib
import socket
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import pytest

from pbem.cli.app import open_host
from pbem.config import load
from pbem.service.founding import Plan, found
from pbem.store import queues
from pbem.store.db import open_store
from tests.servers.dovecot import PASSWORD, Dovecot
from tests.servers.running import STOP, Running, pbem, run, until
from tests.servers.smarthost import SmartHost

pytestmark = pytest.mark.live

ADDRESS = "anna@alm.example"
SMTP = "[intake.smtp]\nport = 0\n"
BOX = '[intake.maildir]\nfolder = "box"\n'
NEW_YEAR = 1_767_225_600_000_000
REST = 3
"""Seconds in which a server is watched that has nothing to do."""


def make(folder: Path, *settings: str, game: bool = True) -> None:
    """A host in `folder`, that believes From, and a game on it that has just begun."""
    head = '[mail]\naddress = "nomic@nomic.example"\n[identity]\nbelieve_from = true\n'
    (folder / "pbem.toml").write_text(head + "".join(settings), "utf-8")
    (folder / "imap-password").write_text(PASSWORD)
    if game:
        found_game(folder, time.time_ns() // 1000)


def found_game(folder: Path, at: int) -> None:
    """A game that began at a moment (UTC µs); its first mails wait to be sent."""
    players = (("Anna Alm", ADDRESS), ("Bo Berg", "bo@berg.example"))
    keeper = ("Kim Kvist", "kim@kvist.example")
    with open_host(load(folder / "pbem.toml", {})) as host:
        found(host, Plan("kaffe", "Kaffe", "en", "suber", keeper, players, {}, True, at))


def imap(dovecot: Dovecot) -> str:
    account = f'host = "127.0.0.1"\nport = {dovecot.port}\nuser = "nomic"\npassword_file = "imap-password"\n'
    return f"[[intake.imap]]\n{account}"


def to(smarthost: SmartHost, more: str = "") -> str:
    return f'[delivery.smtp]\nhost = "127.0.0.1"\nport = {smarthost.port}\n{more}'


def question(name: str) -> bytes:
    """A mail that is answered."""
    return (
        f"From: {ADDRESS}\r\nMessage-ID: <{name}@alm.example>\r\nSubject: {name}\r\n\r\nscores\r\n".encode()
    )


def send(port: int, *mails: bytes) -> None:
    """By SMTP; returns when all are acknowledged."""
    with smtplib.SMTP("127.0.0.1", port, "alm.example") as server:
        for mail in mails:
            server.sendmail(ADDRESS, "nomic@nomic.example", mail)


def drop(box: Path, name: str, mail: bytes) -> None:
    """Into a Maildir, as a mail server does."""
    (box / "tmp" / name).write_bytes(mail)
    (box / "tmp" / name).rename(box / "new" / name)


def answered(folder: Path) -> Counter[str]:
    """The names of the questions whose answers are in Anna's Maildir, with how often."""
    return names(file.read_text("utf-8") for file in (folder / "mail").glob("*/new/*"))


def names(mails: Iterable[str]) -> Counter[str]:
    lines = (line for mail in mails for line in mail.splitlines() if line.startswith("In-Reply-To: <"))
    return Counter(line[14:].partition("@")[0] for line in lines if "@alm.example>" in line)


def inbox(folder: Path) -> list[tuple[str, int]]:
    """State and repeats of the mails taken."""
    store = open_store("sqlite:///pbem.db", folder)
    with store.reading():
        return [(row.state, row.repeats) for row in queues.inbox_log(store, limit=1000)]


@pytest.mark.parametrize("protocol", ["smtp", "lmtp"])
def test_a_listener_is_told_of_with_its_port(tmp_path: Path, protocol: str) -> None:
    make(tmp_path, f'{SMTP}protocol = "{protocol}"\n')
    with Running(tmp_path, "serve").start() as served:
        assert f"Mail is taken on port {served.port} for nomic@nomic.example." in served.said()
        with (smtplib.LMTP if protocol == "lmtp" else smtplib.SMTP)("127.0.0.1", served.port) as client:
            assert client.ehlo()[0] == 250
            client.sendmail(ADDRESS, "nomic@nomic.example", question("one"))
        until(lambda: answered(tmp_path), "an answer")
    assert "Stopping" in served.said()
    assert answered(tmp_path) == Counter(one=1)


def test_a_maildir_is_told_of_and_watched(tmp_path: Path) -> None:
    make(tmp_path, BOX)
    with Running(tmp_path, "serve").start() as served:
        assert f"Mail is taken from {tmp_path / 'box'}." in served.said()
        until((tmp_path / "box" / "new").is_dir, "a Maildir is made")
        drop(tmp_path / "box", "one", question("one"))
        until(lambda: answered(tmp_path), "an answer")
    assert [file.name for file in (tmp_path / "box" / "cur").iterdir()] == ["one:2,S"]


def test_pages_are_told_of_and_shown(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    make(tmp_path, f"[site]\npreview = {port}\n")
    with Running(tmp_path, "serve").start() as served:
        assert f"The pages are at http://127.0.0.1:{port}/." in served.said()
        assert served.url == f"http://127.0.0.1:{port}/"
        until((tmp_path / "site" / "kaffe" / "index.html").is_file, "pages")


def test_a_mailbox_is_told_of_and_no_password_is_ever_written_down(tmp_path: Path) -> None:
    (tmp_path / "smtp-password").write_text("sesam öppna dig")
    login = 'user = "nomic"\npassword_file = "smtp-password"\n'
    with Dovecot() as dovecot, SmartHost(login=("nomic", "sesam öppna dig")) as smarthost:
        make(tmp_path, imap(dovecot), to(smarthost, login))
        with Running(tmp_path, "--debug", "serve").start() as served:
            assert "Mail is fetched from nomic at 127.0.0.1." in served.said()
            with dovecot.client("nomic") as client:
                client.append("INBOX", question("one"))
            until(lambda: names(mail.content.decode() for mail in tuple(smarthost.taken)), "an answer")
        log = served.said() + served.log()

    assert len(log) > 1000, "there is much in it"
    for secret in (PASSWORD, "sesam"):
        assert secret not in log
        assert base64.b64encode(f"\0nomic\0{secret}".encode()).decode()[:16] not in log


def test_no_secret_address_is_ever_written_down(tmp_path: Path) -> None:
    """Anna's replies, which bear her token in every header and in their words, go in over IMAP; the smart host
    quotes the return path when it refuses one."""
    with Dovecot() as dovecot, SmartHost() as smarthost:
        make(tmp_path, imap(dovecot), to(smarthost))
        with Running(tmp_path, "--debug", "serve").start() as served:
            first = until(
                lambda: [mail for mail in tuple(smarthost.taken) if mail.recipient == ADDRESS], "a mail"
            )[0]
            (reply_to,) = re.findall(rb"<(nomic\+q[a-z2-7]{31}@nomic.example)>\r\nSubject", first.content)
            (name,) = re.findall(rb"Message-ID: (<\S+>)", first.content)
            assert re.fullmatch(r"nomic\+q[a-z2-7]{31}@nomic.example", first.sender)
            smarthost.then("RCPT", f"550 5.1.1 <{first.sender}> may not write to <{ADDRESS}>")
            with dovecot.client("nomic") as client:
                for number in (b"1", b"2"):
                    head = b"From: %s\r\nTo: Nomic <%s>\r\nDelivered-To: %s\r\nIn-Reply-To: %s\r\nMessage-ID: <%s@alm.example>\r\n"
                    words = b"Subject: Re: %s\r\n\r\nscores\r\n\r\nWritten to %s\r\n"
                    head %= (ADDRESS.encode(), reply_to, reply_to, name, number)
                    client.append("INBOX", head + words % (reply_to, reply_to))
            until(lambda: names(mail.content.decode() for mail in tuple(smarthost.taken)), "an answer")
            until(lambda: "given up" in served.log(), "a refusal")
        log = (served.said() + served.log()).lower()

    assert "may not write to" in log
    assert [line for line in log.splitlines() if re.search("q[a-z2-7]{31}", line)] == []


def test_a_password_that_is_refused_is_not_written_down_either(tmp_path: Path) -> None:
    (tmp_path / "smtp-password").write_text("sesam öppna mig")
    login = 'user = "nomic"\npassword_file = "smtp-password"\n'
    with Dovecot() as dovecot, SmartHost(login=("nomic", "sesam öppna dig")) as smarthost:
        make(tmp_path, imap(dovecot), to(smarthost, login))
        (tmp_path / "imap-password").write_text("sesam öppna mig")
        with Running(tmp_path, "--debug", "serve").start() as served:
            until(lambda: "535" in served.log() and "login was refused" in served.log(), "both are refused")
        log = served.said() + served.log()

    assert "sesam" not in log
    assert base64.b64encode(b"\0nomic\0sesam").decode()[:16] not in log


def test_a_mail_acknowledged_just_before_the_stop_is_answered_after_the_next_start(tmp_path: Path) -> None:
    make(tmp_path, SMTP)
    mails = [question(f"q{number}") for number in range(8)]
    with Running(tmp_path, "serve").start() as served:
        # Somebody is always connected and says nothing.
        with closing(socket.create_connection(("127.0.0.1", served.port))):
            send(served.port, *mails)
            served.stop()
        assert len(inbox(tmp_path)) == 8
        served.start()
        until(lambda: len(answered(tmp_path)) == 8, "all answers")
    assert inbox(tmp_path) == [("done", 0)] * 8
    assert answered(tmp_path) == Counter({f"q{number}": 1 for number in range(8)})


def test_a_full_inbox_does_not_delay_the_stop(tmp_path: Path) -> None:
    make(tmp_path, BOX)
    for part in ("tmp", "new", "cur"):
        (tmp_path / "box" / part).mkdir(parents=True)
    for number in range(400):
        drop(tmp_path / "box", f"{number:03}", question(f"q{number}"))
    with Running(tmp_path, "serve").start() as served:
        until(lambda: len(inbox(tmp_path)) > 0, "some are taken")
        began = time.monotonic()
        served.stop()
        assert time.monotonic() - began < STOP
    taken = inbox(tmp_path)
    assert {repeats for _, repeats in taken} == {0}
    assert taken.count(("done", 0)) < 400, "it was stopped in the middle"


@pytest.mark.parametrize("which", ["port in [intake.smtp]", "preview in [site]"])
def test_a_port_that_is_taken_is_told_in_one_sentence(tmp_path: Path, which: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        make(tmp_path, f"[intake.smtp]\nport = {port if 'smtp' in which else 0}\n", game=False)
        with (tmp_path / "pbem.toml").open("a") as settings:
            settings.write(f"[site]\npreview = {port if 'site' in which else 0}\n")
        failed = run(tmp_path, "serve")

    assert failed.returncode == 1
    assert failed.stdout == ""
    assert failed.stderr == (
        f"pbem: nothing can listen on port {port} ({os.strerror(errno.EADDRINUSE)});"
        f" set another {which}, or stop the program that has this one\n"
    )


def test_two_servers_on_one_database_neither_lose_nor_double_a_mail(tmp_path: Path) -> None:
    with SmartHost() as smarthost:
        make(tmp_path, SMTP, BOX, to(smarthost))
        with Running(tmp_path, "serve").start() as one, Running(tmp_path, "serve").start() as two:
            for number in range(10):
                send(one.port, question(f"a{number}"))
                send(two.port, question(f"b{number}"), question(f"a{number}"))
                drop(tmp_path / "box", f"c{number}", question(f"c{number}"))
            asked = {f"{letter}{number}" for letter in "abc" for number in range(10)}
            answers = until(lambda: all_answers(smarthost, asked), "all answers")

    assert answers == Counter(dict.fromkeys(asked, 1))
    assert [state for state, _ in inbox(tmp_path)] == ["done"] * 30
    assert sum(repeats for _, repeats in inbox(tmp_path)) >= 10
    assert "every link of the chain holds" in pbem(tmp_path, "verify", "kaffe")
    assert "Traceback" not in one.log() + two.log()


def all_answers(smarthost: SmartHost, asked: set[str]) -> Counter[str] | None:
    found = names(mail.content.decode() for mail in tuple(smarthost.taken))
    return found if found.keys() == asked else None


def test_a_server_with_nothing_to_do_rests(tmp_path: Path) -> None:
    with Dovecot() as dovecot:
        make(tmp_path, SMTP, BOX, imap(dovecot), game=False)
        # All its deadlines have passed, and nobody has done anything.
        people = (
            "--keeper",
            "kim@kvist.example",
            "--player",
            "anna@alm.example",
            "--player",
            "bo@berg.example",
        )
        pbem(tmp_path, "new", "kaffe", "--start", "--at", "2026-01-01T10:00Z", *people)
        with Running(tmp_path, "serve").start() as served:
            until((tmp_path / "site" / "kaffe" / "index.html").is_file, "pages")
            time.sleep(1)
            seconds, wakes = spent(served.process.pid)
            time.sleep(REST)
            later_seconds, later_wakes = spent(served.process.pid)

    # Looking into a Maildir once a second, and at a stop request in IDLE, takes some milliseconds.
    assert later_seconds - seconds < 0.1 * REST
    assert later_wakes - wakes < 50 * REST


def spent(pid: int) -> tuple[float, int]:
    """The seconds of processor time a process has had, and how often its threads have gone to sleep."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    ticks = int(fields[11]) + int(fields[12])
    status = "".join(file.read_text() for file in Path(f"/proc/{pid}/task").glob("*/status"))
    wakes = [
        int(line.split()[1]) for line in status.splitlines() if line.startswith("voluntary_ctxt_switches")
    ]
    return ticks / os.sysconf("SC_CLK_TCK"), sum(wakes)
