"""Mails that wait are worked off some at a time: one that our own code fails on is undone by itself, in memory too."""

from __future__ import annotations

import itertools
import logging
from typing import Any

import pytest

from pbem.game import codec
from pbem.game.events import Posted
from pbem.mail.message import Envelope
from pbem.service import process
from pbem.service.receive import TRUSTED, receive
from pbem.store import eventlog
from tests.flow.post import ADDRESS, GAME, HOUR, PEOPLE, SECOND, Post


def wait(post: Post, name: str, words: str) -> None:
    """A mail is taken in, and nothing more."""
    post.now += SECOND
    head = (
        f"From: {PEOPLE[name][1]}\nTo: {ADDRESS}\nSubject: [{GAME}] hello\nMessage-ID: <{post.now}@x.example>"
    )
    body = f"I should like to say these {words} words to all of you, and no more.\n"
    receive(post.host, f"{head}\n\n{body}".encode(), Envelope(post.now), TRUSTED)


def said(post: Post) -> list[str]:
    """Which words were said in the game, in order."""
    with post.host.store.reading():
        facts = [codec.decode(record) for record in eventlog.load(post.host.store, GAME)]
    return [fact.text.split()[6] for fact in facts if isinstance(fact, Posted)]


def states(post: Post) -> list[str]:
    return [mail.state for mail in reversed(post.taken())]


def fails_on(monkeypatch: pytest.MonkeyPatch, words: bytes) -> None:
    """Our code fails when all that follows from such a mail is done."""
    close = process._close

    def failing(books: Any, mail: Any, outcome: Any) -> str:
        if words in mail.content:
            raise KeyError(305)
        return close(books, mail, outcome)

    monkeypatch.setattr(process, "_close", failing)


def test_of_three_mails_the_one_that_our_code_fails_on_is_undone_alone(
    four: Post, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "pbem")
    for name, words in (("Alice", "first"), ("Bo", "failing"), ("Cia", "last")):
        wait(four, name, words)
    with monkeypatch.context() as fault:
        fails_on(fault, b"failing")
        assert process.work_off(four.host, four.now) == 3

    assert states(four) == ["done", "failed", "done"]
    assert said(four) == ["first", "last"]
    assert four.is_whole()
    assert [record.message.count("state=done") for record in caplog.records if "mail=" in record.message] == [
        0,
        1,
        1,
    ]

    process.work_off(four.host, four.now + HOUR)
    assert said(four) == ["first", "last", "failing"]
    assert four.is_whole()


def test_a_database_that_fails_undoes_all_of_them_and_keeps_their_order(
    four: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, words in (("Alice", "first"), ("Bo", "failing"), ("Cia", "last")):
        wait(four, name, words)
    with monkeypatch.context() as fault:
        fails_on(fault, b"failing")
        fault.setattr(type(four.host.store), "could_not", lambda *_: True)
        with pytest.raises(KeyError):
            process.work_off(four.host, four.now)
    assert (states(four), said(four)) == (["new", "new", "new"], [])

    process.work_off(four.host, four.now)
    assert said(four) == ["first", "failing", "last"]


def test_whoever_is_told_to_stop_stops_between_one_mail_and_the_next(four: Post) -> None:
    for words in ("first", "second", "third"):
        wait(four, "Alice", words)
    asked = itertools.count()
    assert process.work_off(four.host, four.now, lambda: next(asked) >= 2) == 2
    assert said(four) == ["first", "second"]
