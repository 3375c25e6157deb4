"""Somebody else keeps the end of each game's log, so that a host cannot rewrite what has happened unseen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pbem.config import Log
from pbem.service import calendar, worker
from pbem.store import people
from tests.flow.conftest import opened
from tests.flow.post import DAY, GAME, HOUR, TEA, Letter, Post, maildir

HOLDER = "sven@witness.example"
TOLD = re.compile(r"pbem verify (\S+) --event (\d+) ([0-9a-f]{64})")


@pytest.fixture
def held(tmp_path: Path) -> Iterator[Post]:
    """A game of which Sven, who plays in none, is told."""
    with opened(tmp_path) as bare:
        config = replace(bare.host.config, log=Log(HOLDER))
        post = Post(replace(bare.host, config=config), tmp_path)
        post.found("Alice", "Bo", "Cia")
        yield post


def told(post: Post, box: str = HOLDER) -> list[Letter]:
    """The mails that the second holder has."""
    return [Letter(file) for file in maildir(post.folder / "mail" / box)]


def ends(letter: Letter) -> list[tuple[str, int, str]]:
    return [(game, int(seq), hash_) for game, seq, hash_ in TOLD.findall(letter.text)]


def test_once_a_day_the_end_of_each_log_is_told(held: Post) -> None:
    (letter,) = told(held)
    assert ends(letter) == [(GAME, held.state()["events"], held.state()["hash"])]
    assert "Please keep this mail" in letter.text

    held.mail("Bo", "Coffee is better.")
    held.wait(HOUR)
    assert len(told(held)) == 1, "no more that day"
    held.wait(DAY)
    assert len(told(held)) == 2
    assert ends(told(held)[1]) == [(GAME, held.state()["events"], held.state()["hash"])]


def test_the_line_told_is_a_command_that_checks_it(held: Post, tmp_path: Path) -> None:
    ((game, seq, hash_),) = ends(told(held)[0])
    held.turn("Alice", TEA, Alice="for", Bo="for", Cia="for")

    assert "has the hash that was told" in held.pbem.done("verify", game, "--event", str(seq), hash_)
    export = str(tmp_path / "kaffe.jsonl")
    held.pbem.done("export", game, export)
    assert "has the hash that was told" in held.pbem.done("verify", export, "--event", str(seq), hash_)
    assert "no event 999" in held.pbem.fails(1, "verify", game, "--event", "999", hash_)


def test_a_history_written_anew_is_found_by_what_was_told(held: Post, tmp_path: Path) -> None:
    """A host who knows how writes the whole chain anew: it is whole, and not the one that was told."""
    ((game, seq, hash_),) = ends(told(held)[0])
    (tmp_path / "anew").mkdir()
    with opened(tmp_path / "anew") as anew:
        anew.found("Alice", "Bo", "Dan")
        assert anew.is_whole()
        assert anew.state()["events"] >= seq
        assert "was changed" in anew.pbem.fails(1, "verify", game, "--event", str(seq), hash_)


def test_while_a_hidden_vote_runs_nothing_is_told_from_which_ballots_could_be_found(held: Post) -> None:
    before = held.state()["events"]
    held.propose("Alice", TEA)
    held.vote(301, Bo="for")
    held.wait(DAY)
    ballot = next(each for each in held.pbem.json("show", GAME, "log") if each["kind"] == "ballot cast")

    ((_, seq, hash_),) = ends(told(held)[-1])

    assert before <= seq < ballot["seq"]
    assert hash_ == held.pbem.json("show", GAME, "log")[seq - 1]["hash"]
    held.vote(301, Alice="for", Cia="for")
    held.wait(DAY)
    assert ends(told(held)[-1])[0][1] == held.state()["events"]


def test_a_player_may_be_the_second_holder_and_reads_it_in_their_language(held: Post) -> None:
    config = replace(held.host.config, log=Log("cia@crane.example"))
    host = replace(held.host, config=config)
    with host.store.transaction():
        cia = people.person_by_address(host.store, "cia@crane.example")
        assert cia is not None
        people.set_preference(host.store, cia.id, "language", "sv")
    calendar.tick(host, held.now + DAY)
    worker.send_all(host, lambda: held.now + DAY)
    letter = held.newest("Cia", "Så slutar spelens loggar")
    assert "Spara det här mejlet" in letter.text
    assert ends(letter) == [(GAME, held.state()["events"], held.state()["hash"])]


def test_nobody_is_told_unless_the_host_says_who(game: Post) -> None:
    game.wait(2 * DAY)
    boxes = {box.name for box in (game.folder / "mail").iterdir()}
    assert boxes == {"Alice Ahlgren", "Bo Berg", "Cia Crane", "Kim Kvist"}
    assert not any("logs of the games" in letter.subject for letter in game.inbox("Alice"))
