"""`pbem demo`: the whole job on embedded parts, and where to look at it."""

from __future__ import annotations

import email
import email.policy
import glob
import json
import os
import re
import shutil
import smtplib
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from email.message import EmailMessage
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.servers.running import Running, pbem, run, until

pytestmark = pytest.mark.live

# 301  Alice, 4 of 4 for: all, as 203 asks.             202: (301 - 291) × 4/4 = 10       Alice  10
# 302  Björn, 3 of 4 for: now more than half is enough. 204: David, against: 10           David  10
#                                                       202: 11 × 3/4 = 8.25, so 8        Björn   8
# 303  Carol, 3 of 4 for: 109 asks for all.             206: -10
#                                                       202: 12 × 3/4 = 9                 Carol  -1
# 304  David, 4 of 4 for.                               202: 13 × 4/4 = 13                David  23
# 305  Alice, 3 of 4 for: from now on 30 points win.    204: Carol, against: 10           Carol   9
#                                                       202: 14 × 3/4 = 10.5, so 11       Alice  21
# 306  Björn, 4 of 4 for.                               202: 15 × 4/4 = 15                Björn  23
# 307  Carol, 3 of 4 for.                               204: David, against: 10           David  33, who wins:
#                                                       202 pays Carol nothing any more
SCORES = {"Alice Ahlgren": 21, "Björn Berg": 23, "Carol Crane": 9, "David Dahl": 33}
SWEDES, ENGLISH = ("Björn Berg", "David Dahl"), ("Alice Ahlgren", "Carol Crane")
LONGEST = 30
"""Seconds; alone on a machine it takes a few."""


@pytest.fixture(scope="module", name="folder")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a demo has been, that was run from another folder."""
    elsewhere = tmp_path_factory.mktemp("demo")
    pbem(elsewhere, "demo", "kaffe-demo")
    return elsewhere / "kaffe-demo"


@cache
def read(file: Path) -> EmailMessage:
    mail = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
    assert isinstance(mail, EmailMessage)
    return mail


def mails_to(folder: Path, name: str) -> list[EmailMessage]:
    """What a player got, the oldest first."""
    return [read(file) for file in sorted((folder / "mail" / name / "new").iterdir())]


def text(mail: EmailMessage, kind: str = "plain") -> str:
    part = mail.get_body((kind,))
    assert part is not None
    return str(part.get_content())


def test_a_demo_is_over_soon_and_says_where_to_look(tmp_path: Path) -> None:
    began = time.monotonic()
    said = pbem(tmp_path, "demo")

    assert time.monotonic() - began < LONGEST
    assert "David Dahl won" in said
    named = [Path(word) for word in re.findall(r"^  (pbem-demo/.*?)\s{2,}", said, re.MULTILINE)]
    assert len(named) == 4
    assert all((tmp_path / path).exists() for path in named), named
    for command in re.findall(r"pbem (--config .*)", said):
        assert pbem(tmp_path, *command.split())


def test_the_game_ends_as_the_sums_have_it(folder: Path) -> None:
    state = json.loads(pbem(folder, "state", "kaffe", "--json"))

    assert {player["name"]: player["score"] for player in state["players"]} == SCORES
    assert [proposal["stage"] for proposal in state["proposals"]] == [
        *("adopted", "adopted", "defeated", "adopted", "adopted", "adopted", "adopted")
    ]
    assert (state["status"], state["winners"]) == ("won", ["David Dahl"])
    assert "every link of the chain holds" in pbem(folder, "verify", "kaffe")


def test_every_mail_sent_has_one_answer_in_the_mailbox_of_its_writer(folder: Path) -> None:
    sent = [read(file) for file in sorted((folder / "sent").iterdir())]
    answers = [
        (mail["To"].addresses[0].addr_spec, mail["In-Reply-To"])
        for name in SCORES
        for mail in mails_to(folder, name)
        if mail["Auto-Submitted"] == "auto-replied"
    ]

    assert len(sent) > 30
    assert sorted(answers) == sorted(
        (mail["From"].addresses[0].addr_spec, mail["Message-ID"]) for mail in sent
    )


@pytest.mark.parametrize(("name", "language"), [*((n, "sv") for n in SWEDES), *((n, "en") for n in ENGLISH)])
def test_players_are_written_to_in_the_language_they_write(folder: Path, name: str, language: str) -> None:
    """The game is in English; up to the first ballots, which answer the fifth mail, nobody has written a command
    in Swedish. The last lines of a mail are looked at: they are ours alone, without a word of a player's."""
    mails = mails_to(folder, name)
    here, there = ("varje drag", "each move") if language == "sv" else ("each move", "varje drag")

    assert len(mails) > 20
    for mail in mails[5:]:
        *_, ending = text(mail).partition("\n* * *\n")
        assert here in ending, mail["Subject"]
        assert there not in ending, mail["Subject"]
        assert f'<html lang="{language}">' in text(mail, "html")


def links(page: Path) -> Iterator[tuple[str, str]]:
    """The path and the fragment of each link, picture and style sheet of a page, if it is one of ours."""
    for node in LexborHTMLParser(page.read_bytes()).css("[href], [src]"):
        address = urlsplit(node.attributes.get("href") or node.attributes.get("src") or "")
        if not address.scheme and not address.netloc:
            yield unquote(address.path), unquote(address.fragment)


def places(page: Path) -> set[str]:
    """What a link may name in a page."""
    return {str(node.attributes["id"]) for node in LexborHTMLParser(page.read_bytes()).css("[id]")}


def test_all_links_of_the_site_lead_somewhere(folder: Path) -> None:
    site = folder / "site"
    pages = [site / "index.html", *map(Path, glob.glob(f"{site}/kaffe/**/*.html", recursive=True))]
    followed = 0
    for page in pages:
        for path, fragment in links(page):
            # "../" goes by the address, as in a browser, not by where a link in the file system leads.
            target = Path(os.path.normpath(page.parent / path)) if path else page
            target = target / "index.html" if target.is_dir() else target
            assert target.is_file(), f"{page}: {path}"
            assert not fragment or fragment in places(target), f"{page}: {path}#{fragment}"
            followed += 1

    assert len(pages) > 50
    assert followed > 500


def test_a_demo_can_be_run_again_in_its_folder(tmp_path: Path, folder: Path) -> None:
    shutil.copytree(folder, tmp_path / "again", symlinks=True)
    (tmp_path / "again" / "sent" / "of-the-first.eml").touch()
    said = pbem(tmp_path, "demo", "again")

    assert "The earlier demo in again is replaced: nobody had written to it." in said
    assert "David Dahl won" in said
    assert sorted(path.name for path in (tmp_path / "again" / "sent").iterdir()) == sorted(
        path.name for path in (folder / "sent").iterdir()
    )


def test_a_folder_with_other_things_is_left_alone(tmp_path: Path) -> None:
    thesis = tmp_path / "thesis" / "chapter-1.txt"
    thesis.parent.mkdir()
    thesis.write_text("It was a dark and stormy night.")
    refused = run(tmp_path, "demo", "thesis")

    assert refused.returncode == 2
    assert "thesis holds other things" in refused.stderr
    assert list(thesis.parent.iterdir()) == [thesis]


def test_a_demo_that_is_kept_up_shows_its_pages_and_answers_mail(tmp_path: Path) -> None:
    """Even where other programs have the ports it would like best."""
    with ExitStack() as others:
        for port in (8025, 8080):
            with suppress(OSError):
                others.enter_context(socket.create_server(("127.0.0.1", port)))
        demo = others.enter_context(Running(tmp_path, "demo", "kept", "--serve").start())
        assert demo.port != 8025
        with urllib.request.urlopen(f"{demo.url}kaffe/", timeout=10) as page:  # noqa: S310  # it is http
            assert "David Dahl" in page.read().decode()
        question = (
            "From: Carol Crane <carol@crane.example>\r\nMessage-ID: <q@crane.example>\r\n\r\nscores\r\n"
        )
        with smtplib.SMTP("127.0.0.1", demo.port) as server:
            server.sendmail("carol@crane.example", "nomic+kaffe@nomic.example", question)
        kept = tmp_path / "kept"
        answer = until(lambda: answer_to("<q@crane.example>", mails_to(kept, "Carol Crane")), "an answer")

    assert "33" in text(answer)


def test_the_command_that_a_demo_shows_sends_a_mail_and_what_was_played_is_not_replaced(
    tmp_path: Path,
) -> None:
    kept = tmp_path / "kept"
    with Running(tmp_path, "demo", "kept", "--serve").start() as demo:
        shown = until(
            lambda: re.search(r"^  (python3 -c .*)\n\nThe answer", demo.said(), re.MULTILINE), "how"
        )
        before = len(mails_to(kept, "Alice Ahlgren"))
        subprocess.run(shown[1], shell=True, check=True, timeout=LONGEST)  # noqa: S602  # as a reader would
        until(lambda: len(mails_to(kept, "Alice Ahlgren")) > before, "an answer")
    assert "You can write this" in text(mails_to(kept, "Alice Ahlgren")[-1])

    refused = run(tmp_path, "demo", "kept")

    assert refused.returncode == 2
    assert "somebody has written to" in refused.stderr
    assert len(mails_to(kept, "Alice Ahlgren")) > before


def answer_to(message_id: str, mails: list[EmailMessage]) -> EmailMessage | None:
    return next((mail for mail in mails if mail["In-Reply-To"] == message_id), None)
