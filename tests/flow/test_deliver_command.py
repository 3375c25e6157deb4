"""`pbem deliver`: mails from files, standard input, an mbox or a Maildir, at the times they are said to have come."""

from __future__ import annotations

import mailbox
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.flow.post import GAME, TEA, Post

pytestmark = pytest.mark.slow

PROPOSAL = f"{TEA}\nend\n\ncall vote\n"
ELEVEN = 1_796_122_800_000_000
"""11:00 UTC on 1 December 2026, an hour after the game began."""
AT_ELEVEN = ("deliver", "--trust-from", "--at", "2026-12-01T11:00Z")
MINUTE = 60_000_000


@pytest.fixture
def host(post: Post) -> Post:
    post.found("Alice", "Bo", "Cia")
    return post


def files(host: Post, *mails: tuple[str, str]) -> list[str]:
    """A file for each mail; their names do not say their order."""
    paths = [host.folder / f"{9 - place}.eml" for place in range(len(mails))]
    for path, (name, body) in zip(paths, mails, strict=True):
        path.write_bytes(host.compose(name, body))
    return list(map(str, paths))


def test_mails_are_taken_in_the_order_given_a_step_apart(host: Post) -> None:
    mails = files(host, ("Alice", PROPOSAL), ("Bo", "for 301"), ("Cia", "against 301"))
    host.pbem.done(*AT_ELEVEN, "--step", "1m", *mails)
    assert host.proposal(301)["ballots"] == {"Bo Berg": "for", "Cia Crane": "against"}
    assert "11:02:00 UTC" in host.inbox("Cia")[-1].text
    assert (host.folder / "site" / GAME / "proposals" / "301" / "index.html").is_file()


def test_the_last_ballot_closes_the_vote_at_its_own_time(host: Post) -> None:
    mails = files(host, ("Alice", PROPOSAL), ("Alice", "for 301"), ("Bo", "for 301"), ("Cia", "for 301"))
    host.pbem.done(*AT_ELEVEN, "--step", "+1m", *mails)
    assert host.proposal(301)["stage"] == "adopted"
    assert host.pbem.json("show", GAME, "log")[-1]["at"] == ELEVEN + 3 * MINUTE


@pytest.mark.parametrize("arguments", [(), ("-",)])
def test_a_mail_may_come_on_standard_input(host: Post, arguments: tuple[str, ...]) -> None:
    host.pbem.done(*AT_ELEVEN, *arguments, stdin=host.compose("Alice", PROPOSAL))
    assert host.proposal(301)["stage"] == "voting"


def test_a_mail_server_may_pipe_a_mail(host: Post) -> None:
    words, letter = [sys.executable, "-m", "pbem", *AT_ELEVEN], host.compose("Alice", PROPOSAL)
    ran = subprocess.run(words, input=letter, cwd=host.folder, capture_output=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert host.proposal(301)["stage"] == "voting"


def test_an_mbox_is_taken_whole(host: Post) -> None:
    box = mailbox.mbox(host.folder / "box")
    for name, body in (("Alice", PROPOSAL), ("Bo", "for 301\n")):
        box.add(host.compose(name, body))
    box.close()
    host.pbem.done(*AT_ELEVEN, "--mbox", str(host.folder / "box"))
    assert host.proposal(301)["ballots"] == {"Bo Berg": "for"}


def test_a_maildir_is_taken_oldest_first(host: Post) -> None:
    box = mailbox.Maildir(host.folder / "box")
    for age, (name, body) in enumerate((("Bo", "for 301\n"), ("Alice", PROPOSAL))):
        file = Path(host.folder, "box", "new", box.add(host.compose(name, body)))
        os.utime(file, (1_000 - age, 1_000 - age))
    host.pbem.done(*AT_ELEVEN, "--maildir", str(host.folder / "box"))
    assert host.proposal(301)["ballots"] == {"Bo Berg": "for"}


def test_a_time_before_the_last_event_is_refused_and_nothing_is_stored(host: Post) -> None:
    host.pbem.done(*AT_ELEVEN, *files(host, ("Alice", PROPOSAL)))
    (late,) = files(host, ("Bo", "for 301"))
    said = host.pbem.fails(2, "deliver", "--trust-from", "--at", "2026-12-01T10:59:59Z", late)
    assert GAME in said
    assert host.proposal(301)["ballots"] == {}
    host.pbem.done(*AT_ELEVEN, late)
    assert host.proposal(301)["ballots"] == {"Bo Berg": "for"}


def test_without_trust_nothing_counts(host: Post) -> None:
    host.pbem.done("deliver", "--at", "2026-12-01T11:00Z", *files(host, ("Alice", PROPOSAL)))
    assert host.state()["proposals"] == []


def test_what_the_game_refuses_is_stored_all_the_same(host: Post) -> None:
    host.pbem.done(*AT_ELEVEN, *files(host, ("Bo", PROPOSAL)))
    assert host.state()["proposals"] == []
    assert host.taken()[0].state == "done"


def test_what_cannot_be_stored_is_for_the_mail_server_to_try_again(host: Post) -> None:
    letter = host.compose("Alice", PROPOSAL)
    for file in host.folder.glob("pbem.db*"):
        file.unlink()
    (host.folder / "pbem.db").write_bytes(b"This is no database. " * 500)
    assert "not stored" in host.pbem.fails(75, "deliver", "--trust-from", stdin=letter)


@pytest.mark.parametrize("option", [("--at", "soon"), ("--step", "a while"), ("--mbox", "nowhere")])
def test_a_wrong_option_is_a_wrong_use(host: Post, option: tuple[str, str]) -> None:
    assert option[1] in host.pbem.fails(2, "deliver", *option, stdin=b"")
