"""A game played through a real mail system, with the files that deploy/ ships.

A player's mail goes by SMTP to Postfix, which writes down what it found out about the sender and hands it on: by LMTP to
pbem, or to a mailbox in Dovecot that pbem reads over IMAP. Answers go by Postfix into the players' mailboxes in Dovecot.
"""

from __future__ import annotations

import re
import smtplib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path

import pytest

from pbem.store import eventlog, queues
from tests.live.test_whole_game import (
    OURS,
    SCORES,
    WAVES,
    answers,
    begin,
    body,
    looking_into,
    play,
    read,
    state,
    still_to_publish,
    still_to_send,
)
from tests.servers.certificate import make_certificate
from tests.servers.dovecot import PASSWORD, Dovecot, token
from tests.servers.ports import free_port
from tests.servers.postfix import RECEIVER, Postfix
from tests.servers.running import Running, pbem, run, until
from tests.servers.shipped import shipped

pytestmark = [pytest.mark.live, pytest.mark.timeout(300)]

HOMES = "alm.example berg.example crane.example kvist.example"
"""The domains of the players and the keeper, whose mailboxes are in Dovecot."""
FORGER = "mallory@alm.forged"
FORGED = f"Authentication-Results: {RECEIVER}; dmarc=pass header.from=alm.example\r\n".encode()

Facts = list[tuple[str, str]]


@dataclass
class Stack:
    """The players' side of a mail system with pbem in it."""

    folder: Path
    postfix: Postfix
    dovecot: Dovecot
    served: Running
    vouched: bool = True
    handed_in: int = 0

    def carry(self, wave: int, mails: Sequence[bytes]) -> None:
        # The mail system keeps the first mails until pbem is up.
        if wave == 0:
            for mail in mails:
                self.hand_in(mail)
            self.served.start()
            self.await_all()
            return
        for mail in mails:
            self.hand_in(mail)
            self.await_all()

    def hand_in(self, mail: bytes) -> None:
        """As the player's own mail server does, and somebody else's does who writes in a player's name."""
        verdict, _, content = mail.partition(b"\r\n")
        bearing = read(content)
        sender, forgery = bearing["From"].addresses[0].addr_spec, b""
        if b"dmarc=fail" in verdict:
            sender, forgery = FORGER, FORGED
        to = bearing["To"].addresses[0].addr_spec
        with smtplib.SMTP("127.0.0.1", self.postfix.port) as server:
            server.sendmail(sender, to, forgery + content, ["BODY=8BITMIME"])
        self.handed_in += 1

    def await_all(self) -> None:
        """All mails that were handed in are stored, once or as a repeat."""
        until(lambda: self.stored() == self.handed_in, "all mails are stored")

    def stored(self) -> int:
        with looking_into(self.folder) as store:
            return sum(1 + row.repeats for row in queues.inbox_log(store))

    def delivered(self) -> list[EmailMessage]:
        """What is in the mailboxes of players and keeper, the oldest first."""
        boxes = (box for home in HOMES.split() for box in self.dovecot.folder.glob(f"mail/*@{home}/new/*"))
        files = sorted(boxes, key=lambda file: file.stat().st_mtime_ns)
        return [read(file.read_bytes().replace(b"\n", b"\r\n")) for file in files]


GONE = "gone unix - n n - - pipe flags=R user=nobody argv=/bin/sh -c {exit 67}\n"
"""A way that ends nowhere: sysexits' EX_NOUSER, which Postfix tells the sender of."""


@contextmanager
def by_lmtp(folder: Path, settings: str = "") -> Iterator[Stack]:
    """One box: deploy/one-box, with more `settings` at its end, and deploy/postfix. Mail to gone.example comes back."""
    lmtp = free_port()
    with Dovecot() as dovecot:
        homes = f"virtual_mailbox_domains = {HOMES}\nvirtual_transport = lmtp:inet:127.0.0.1:{dovecot.lmtp}\n"
        main = shipped("postfix/main.cf", {":8025 }": f":{lmtp} }} {{ gone.example = gone: }}"}) + homes
        with (
            Postfix(main, shipped("postfix/master.cf") + GONE) as postfix,
            Running(folder, "serve") as served,
        ):
            ports = {"port = 8025": f"port = {lmtp}", "port = 25": f"port = {postfix.port}"}
            strict = {"[identity]": '[identity]\nstrict_games = ["*"]'}
            text = shipped("one-box/pbem.toml", {"/var/lib/pbem": folder, **ports, **strict})
            (folder / "pbem.toml").write_text(text + settings)
            yield Stack(folder, postfix, dovecot, served)


@contextmanager
def by_imap(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stack]:
    """Somebody else's server, with TLS: the settings of that name."""
    certificate, key = make_certificate(folder)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    for secret in ("imap-password", "smtp-password"):
        (folder / secret).write_text(PASSWORD)
    with Dovecot(certificate, key) as dovecot:
        main = f"""
virtual_mailbox_domains = {HOMES} nomic.example
virtual_transport = lmtp:inet:127.0.0.1:{dovecot.lmtp}
recipient_delimiter = +
smtpd_tls_cert_file = {certificate}
smtpd_tls_key_file = {key}
smtpd_sasl_type = dovecot
smtpd_sasl_path = inet:127.0.0.1:{dovecot.sasl}
"""
        with Postfix(main) as postfix, Running(folder, "serve") as served:
            # A loopback port of a test is none that anybody knows to be encrypted.
            ports = {
                "port = 993": f'port = {dovecot.port}\ntls = "starttls"',
                "port = 587": f'port = {postfix.submission}\ntls = "starttls"',
            }
            names = {
                "imap.provider": "localhost",
                "smtp.provider": "localhost",
                "localhost.example": "localhost",
            }
            names |= {"mx.provider.example": RECEIVER, "provider.example": "nomic.example"}
            strict = {"[identity]": '[identity]\nstrict_games = ["*"]'}
            often = {'processed = "Processed"': 'processed = "Processed"\npoll = 2'}
            changes = {"/var/lib/pbem": folder, **ports, **names, **strict, **often}
            (folder / "pbem.toml").write_text(shipped(name, changes))
            yield Stack(folder, postfix, dovecot, served)


def played(stack: Stack) -> Facts:
    """The whole game; what is in its log at the end, when nothing was lost, doubled or taken from a forger."""
    begin(stack.folder)
    sent = play(stack)
    until(lambda: still_to_send(stack.folder) == still_to_publish(stack.folder) == 0, "all is done")

    with looking_into(stack.folder) as store:
        rows = queues.inbox_log(store)
        records = list(eventlog.load(store, "kaffe"))
    assert Counter(row.state for row in rows) == Counter(done=len(sent) - 1, held=1)
    assert sum(row.repeats for row in rows) == len(WAVES), "the first mail of each wave came twice"
    assert [len(answers(stack, mail)) for mail in sent] == [1] * len(sent)
    assert max(Counter(mail["Message-ID"] for mail in stack.delivered()).values()) == 1
    assert "every link of the chain holds" in pbem(stack.folder, "verify", "kaffe")
    assert {player["name"]: player["score"] for player in state(stack.folder)["players"]} == SCORES
    assert (stack.folder / "site/kaffe/index.html").is_file()
    return [(record.kind, re.sub(r"\b1[78]\d{14}\b", "then", record.body)) for record in records]


@pytest.fixture(scope="module", name="facts")
def _facts(tmp_path_factory: pytest.TempPathFactory) -> Facts:
    """What is in the log of the game that was played by LMTP."""
    with by_lmtp(tmp_path_factory.mktemp("lmtp")) as stack:
        return played(stack)


def test_a_game_is_played_through_postfix_and_lmtp(facts: Facts) -> None:
    assert Counter(kind for kind, _ in facts)["ballot cast"] == 13, "one of them twice"
    assert "players won" in dict(facts)


def test_the_same_game_is_played_through_a_mailbox_read_over_tls(
    tmp_path: Path, facts: Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    with by_imap(tmp_path, "mailbox/pbem.toml", monkeypatch) as stack:
        assert played(stack) == facts
        assert set(logins(stack.dovecot)) == {("PLAIN", "TLS")}
        assert "sasl_method=PLAIN" in stack.postfix.log()
        until(lambda: not list(stack.dovecot.maildir(OURS).glob("*/*,*")), "all are in the folder Processed")


def test_a_mail_that_comes_back_is_counted_by_its_return_path(tmp_path: Path) -> None:
    with by_lmtp(tmp_path, "[limits]\nbounces = 1\n") as stack:
        who = ("--keeper", "Kim <kim@kvist.example>", "--player", "Anna <anna@alm.example>")
        pbem(tmp_path, "new", "kaffe", *who, "--player", "Bo <bo@gone.example>", "--start")
        stack.served.start()
        told = until(
            lambda: [mail for mail in stack.delivered() if "come back" in body(mail)], "the keeper is told"
        )
        assert [str(mail["To"].addresses[0].addr_spec) for mail in told] == ["kim@kvist.example"]
        assert body(told[0]).startswith("Mails to Bo come back")
        with looking_into(tmp_path) as store:
            assert {row.kind for row in queues.inbox_log(store)} == {"bounce"}


def test_access_tokens_are_read_anew_when_another_program_has_renewed_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Path(f"{tmp_path}-token")  # beside the host's own folder, as in /var/lib
    kept.mkdir()
    (kept / "token").write_text(token(OURS, seconds=-5) + "\n")
    (kept / "token").chmod(0o600)
    with by_imap(tmp_path, "mailbox/oauth2.toml", monkeypatch) as stack:
        begin(stack.folder)
        assert "Sent 0, put off" in pbem(tmp_path, "send"), "the token is too old"
        assert run(tmp_path, "doctor").stdout.count("check user, and password_file or oauth2") == 1
        (kept / "token").write_text(token(OURS) + "\n")
        told = pbem(tmp_path, "doctor")
        assert "logged in" in told
        assert f"it lets us in as {OURS}" in told
        stack.hand_in(
            b"\r\nFrom: anna@alm.example\r\nTo: %s\r\nMessage-ID: <1@alm.example>\r\n\r\nscores\r\n"
            % OURS.encode()
        )
        stack.served.start()
        stack.await_all()
        until(stack.delivered, "an answer")
        assert set(logins(stack.dovecot)) == {("XOAUTH2", "TLS")}
        assert "sasl_method=XOAUTH2" in stack.postfix.log()


def logins(dovecot: Dovecot) -> list[tuple[str, str]]:
    """How pbem has logged in over IMAP, and by what the line was protected."""
    return re.findall(rf"Login: user=<{OURS}>, method=(\w+), .* (\w+), session=", dovecot.log())
