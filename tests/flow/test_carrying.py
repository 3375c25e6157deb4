"""A game in a file: anybody can check it with the file alone, and it goes on elsewhere as if it had not moved."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.flow.conftest import opened
from tests.flow.console import Console
from tests.flow.post import GAME, SETTINGS, Post

Lines = list[dict[str, Any]]


@pytest.fixture(scope="module")
def moved(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Post]:
    """A game with a turn behind it and Swedish words in it; its file lies beside it. No story changes it."""
    with opened(tmp_path_factory.mktemp("moved")) as post:
        post.found("Alice", "Bo", "Cia")
        text = "propose enact: Te\nTe serveras klockan fyra på ön."
        post.turn("Alice", text, Alice="for", Bo="for", Cia="for")
        post.mail("Bo", "scores")
        said = post.pbem.done("export", GAME, str(post.folder / "kaffe.jsonl"))
        assert post.state()["hash"] in said
        assert "confidential" in said
        yield post


@pytest.fixture
def file(moved: Post, tmp_path: Path) -> Path:
    """A copy of the file."""
    return Path(shutil.copy(moved.folder / "kaffe.jsonl", tmp_path / "kaffe.jsonl"))


@pytest.fixture
def elsewhere(tmp_path: Path) -> Console:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "pbem.toml").write_text(SETTINGS, "utf-8")
    return Console(folder)


@pytest.fixture
def stranger(tmp_path: Path) -> Console:
    """Somebody with pbem and neither settings nor a database."""
    (tmp_path / "nowhere").mkdir()
    return Console(tmp_path / "nowhere")


def lines_of(file: Path) -> Lines:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def forge(file: Path, change: Callable[[Lines], object]) -> None:
    """The file with something changed, and the ties of all lines made anew, as somebody would who knows how."""
    lines, tie, out = lines_of(file), "0" * 64, []
    change(lines)
    lines[-1]["lines"] = len(lines) - 1
    for line in lines:
        line.pop("line", None)
        said = canonical(line)
        tie = hashlib.sha256(f"{tie}\n{said}".encode()).hexdigest()
        out.append(canonical({**line, "line": tie}))
    file.write_text("".join(line + "\n" for line in out), "utf-8")


def canonical(line: dict[str, Any]) -> str:
    return json.dumps(line, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def test_the_file_alone_is_enough_to_check_it(moved: Post, file: Path, stranger: Console) -> None:
    state = moved.state()
    said = stranger.done("verify", str(file))
    assert f"{GAME}: {state['events']} events, every link of the chain holds, head {state['hash']}." in said
    assert f"{moved.stored} mail(s)" in said
    assert not list(stranger.folder.iterdir())


def test_it_holds_each_mail_to_the_byte(moved: Post, file: Path) -> None:
    mails = [line for line in lines_of(file) if line["kind"] == "mail"]
    assert len(mails) == moved.stored
    assert {mail["digest"] for mail in mails} == {mail.digest for mail in moved.taken()}
    for mail in mails:
        content = base64.b64decode(mail["content"])
        assert hashlib.sha256(content).hexdigest() == mail["digest"]
        assert b"@" in content


def test_taken_in_elsewhere_it_has_the_same_head_and_goes_on(
    moved: Post, file: Path, elsewhere: Console
) -> None:
    said = elsewhere.done("import", str(file))

    assert moved.state()["hash"] in said
    assert elsewhere.json("state", GAME) == moved.state()
    assert elsewhere.json("show", GAME, "log") == moved.pbem.json("show", GAME, "log")
    assert "every link of the chain holds" in elsewhere.done("verify", GAME)
    assert "OK" in elsewhere.done("do", GAME, "--as", "Bo Berg", "propose repeal 209")
    assert elsewhere.json("state", GAME)["events"] > moved.state()["events"]
    told = list((elsewhere.folder / "mail").glob("Alice Ahlgren/new/*"))
    assert told, "the players are told where they are"
    elsewhere.done("publish")
    assert (elsewhere.folder / "site" / GAME / "index.html").is_file()


def test_exported_again_from_there_it_is_the_same_to_the_byte(file: Path, elsewhere: Console) -> None:
    elsewhere.done("import", str(file))
    again = elsewhere.folder / "again.jsonl"
    elsewhere.done("export", GAME, str(again))
    assert again.read_bytes() == file.read_bytes()


def test_a_byte_changed_anywhere_is_found_in_its_line(file: Path, stranger: Console) -> None:
    content = file.read_bytes()
    draw = random.Random(7)  # noqa: S311  # the same places in each run
    places = [0, len(content) - 1, content.index(b"\n"), *draw.sample(range(len(content)), 60)]
    for place in places:
        changed = bytearray(content)
        changed[place] ^= draw.choice([1, 2, 32])
        (stranger.folder / "file").write_bytes(changed)
        said = stranger.fails(1, "verify", str(stranger.folder / "file"))
        line = content.count(b"\n", 0, place) + 1
        assert f"line {line} " in said, f"byte {place} of line {line}: {said}"


@pytest.mark.parametrize(
    "what", ["taken out", "put in twice", "swapped", "cut off", "gone on", "blank", "spaced"]
)
def test_whole_lines_are_missed_too(file: Path, stranger: Console, what: str) -> None:
    lines = file.read_bytes().splitlines(keepends=True)
    changed = {
        "taken out": lines[:5] + lines[6:],
        "put in twice": [*lines[:5], lines[4], *lines[5:]],
        "swapped": [*lines[:5], lines[6], lines[5], *lines[7:]],
        "cut off": lines[:-1],
        "gone on": [*lines, lines[-1]],
        "blank": [*lines[:5], b"\n", *lines[5:]],
        "spaced": [*lines[:5], lines[5].replace(b":", b": ", 1), *lines[6:]],
    }[what]
    file.write_bytes(b"".join(changed))
    expected = len(lines) + (what == "gone on") if what in ("cut off", "gone on") else 6
    assert f"line {expected} " in stranger.fails(1, "verify", str(file))


def first(lines: Lines, kind: str, **values: Any) -> dict[str, Any]:
    return next(
        line
        for line in lines
        if line["kind"] == kind and all(line[name] == value for name, value in values.items())
    )


FORGERIES: dict[str, tuple[Callable[[Lines], object], str]] = {
    "a ballot": (
        lambda lines: first(lines, "event", event="ballot cast")["body"].update(player=3),
        "the chain breaks there",
    ),
    "a mail": (
        lambda lines: first(lines, "mail").update(content=base64.b64encode(b"From: a@b.example\n").decode()),
        "digest",
    ),
    "the head": (lambda lines: lines[0].update(hash="f" * 64), "the log ends at"),
    "the last event left out": (
        lambda lines: lines.remove([line for line in lines if line["kind"] == "event"][-1]),
        "the log ends at",
    ),
    "another name": (lambda lines: lines[0].update(game="te"), "another game's"),
    "a number that is a word": (lambda lines: first(lines, "event").update(seq="1"), "seq"),
    "a mail that is not worked off": (lambda lines: first(lines, "mail").update(state="new"), "worked off"),
    "a role that there is not": (
        lambda lines: first(lines, "person")["parts"][0].update(role="king"),
        "role",
    ),
    "a person without an address": (lambda lines: first(lines, "person").update(addresses=[]), "address"),
    "a kind of line that there is not": (lambda lines: lines.insert(3, {"kind": "wish"}), "wish"),
    "a later shape": (lambda lines: lines[0].update(format=2), "later"),
    "no beginning": (lambda lines: lines.pop(0), "beginning"),
    "a list": (lambda lines: lines[0].update(game=[]), "game"),
}


@pytest.mark.parametrize("what", FORGERIES)
def test_who_ties_the_lines_anew_is_found_by_what_they_say(
    file: Path, stranger: Console, elsewhere: Console, what: str
) -> None:
    change, word = FORGERIES[what]
    forge(file, lambda _: None)
    stranger.done("verify", str(file))
    forge(file, change)

    said = stranger.fails(1, "verify", str(file))

    assert word in said
    assert said.count("\n") == 1
    assert "fault in pbem" not in said
    elsewhere.fails(1, "import", str(file))
    assert elsewhere.json("list") == []


def test_a_game_of_that_name_does_not_give_way(moved: Post, file: Path) -> None:
    before = moved.state()
    assert "already" in moved.pbem.fails(1, "import", str(file))
    assert moved.state() == before


def test_a_file_gives_nobody_here_an_address_more(file: Path, elsewhere: Console) -> None:
    """Whoever sends a host a file must not become one of its people by it."""
    players = ("--player", "Alice Ahlgren <alice@ahlgren.example>", "--player", "Bo <bo@berg.example>")
    elsewhere.done("new", "te", "--keeper", "kim@kvist.example", *players, "--start")

    def mine(lines: Lines) -> None:
        alice = next(line for line in lines if line.get("addresses") == ["alice@ahlgren.example"])
        alice["addresses"].append("mallory@evil.example")

    forge(file, mine)
    elsewhere.done("import", str(file))

    mail = b"From: mallory@evil.example\nTo: nomic+te@nomic.example\nMessage-ID: <1@evil.example>\n\npropose repeal 209\n"
    elsewhere.done("deliver", "--trust-from", stdin=mail)
    assert elsewhere.json("state", "te")["proposals"] == []
    mail = mail.replace(b"mallory@evil", b"alice@ahlgren")
    elsewhere.done("deliver", "--trust-from", stdin=mail)
    assert len(elsewhere.json("state", "te")["proposals"]) == 1


def test_only_its_owner_can_read_it_and_a_public_one_tells_no_address(
    moved: Post, stranger: Console, elsewhere: Console
) -> None:
    assert stat.S_IMODE((moved.folder / "kaffe.jsonl").stat().st_mode) == 0o600
    public = stranger.folder / "public.jsonl"

    said = moved.pbem.done("export", GAME, str(public), "--public")

    assert "public" in said
    assert "@" not in public.read_text("utf-8")
    assert moved.state()["hash"] in stranger.done("verify", str(public))
    assert "public" in elsewhere.fails(1, "import", str(public))


def test_a_public_export_waits_for_a_vote_to_close(voting: Post) -> None:
    """Who knows the ballots' hashes can find the ballots."""
    voting.vote(301, Bo="for")
    public = voting.folder / "public.jsonl"
    assert "301" in voting.pbem.fails(1, "export", GAME, str(public), "--public")
    assert not public.exists()
    voting.vote(301, Alice="for", Cia="for")
    voting.pbem.done("export", GAME, str(public), "--public")


def test_what_is_there_is_replaced_by_force_alone(moved: Post, file: Path) -> None:
    before = file.read_bytes()
    file.write_bytes(b"mine")
    assert "--force" in moved.pbem.fails(1, "export", GAME, str(file))
    assert file.read_bytes() == b"mine"
    moved.pbem.done("export", GAME, str(file), "--force")
    assert file.read_bytes() == before


def test_who_asked_to_be_forgotten_is_not_in_it(four: Post, stranger: Console) -> None:
    four.take(four.compose("Cia", "forget me"))
    asked = next(letter for letter in four.inbox("Cia") if "do you mean this" in letter.subject)
    reply = (
        f"From: cia@crane.example\nTo: {asked.message['Reply-To']}\nMessage-ID: <ok@crane.example>\n\nOK\n"
    )
    four.take(reply.encode())
    file = four.folder / "kaffe.jsonl"

    four.pbem.done("export", GAME, str(file))

    assert "cia@crane.example" not in file.read_text("utf-8")
    assert all(
        b"cia@crane" not in base64.b64decode(line["content"])
        for line in lines_of(file)
        if line.get("content")
    )
    assert "erased" in stranger.done("verify", str(file))
