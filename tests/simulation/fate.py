"""Crashes, a database that refuses and faults of our own, at a step that is drawn.

What lives here: the steps, and what happens at them. What never may: the choice of a step (world.py), or a look at what
came of it.

A step is a moment around something that outlives the process: a commit, a write to the log or a queue, a mail handed to
the smart host, a file or link put in its place.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

import apsw
import peewee
import pytest

from pbem.store import eventlog, imap, queues
from pbem.store.db import Store

Stroke = Literal["killed", "refused", "faulty"]
"""The process is no more; or it lives on, and the database refuses this one transaction, or our own code fails in it."""


class Killed(BaseException):
    """The process has died: no `except Exception` of the code under test may catch that."""


class Faulty(Exception):
    """What our own code might raise."""


class Fate:
    """Counts the steps and strikes at the one it is told."""

    def __init__(self) -> None:
        self.struck = ""
        self._left = 0
        self._stroke: Stroke = "killed"

    def arm(self, steps: int, stroke: Stroke) -> None:
        """Strikes at that step from now (1: the next)."""
        self._left, self._stroke = steps, stroke

    def rest(self) -> None:
        """Strikes no more."""
        self._left = 0

    def step(self, name: str, *, refusable: bool = False) -> None:
        """This moment has come; `refusable`: within a transaction, which may be undone here."""
        if not self._left or (self._stroke != "killed" and not refusable):
            return
        self._left -= 1
        if not self._left:
            self.struck = f"{self._stroke} {name}"
            _strike(self._stroke, name)


def _strike(stroke: Stroke, name: str) -> None:
    if stroke == "killed":
        raise Killed(name)
    if stroke == "faulty":
        raise Faulty(name)
    raise peewee.OperationalError("database or disk is full") from apsw.FullError("database or disk is full")


@contextmanager
def watched(fate: Fate) -> Iterator[None]:
    """Makes the steps, to the end of the block."""
    with pytest.MonkeyPatch.context() as patch:
        for owner, names in (
            (eventlog, ("append", "published")),
            (queues, ("accept", "finish", "hold", "enqueue", "claim_outbox", "sent")),
            (imap, ("set_position",)),
            (os, ("rename", "replace", "symlink")),
        ):
            for name in names:
                _around(fate, patch, owner, name)
        _around_commits(fate, patch)
        yield


def _around(fate: Fate, patch: pytest.MonkeyPatch, owner: Any, name: str) -> None:
    real, of_files = getattr(owner, name), owner is os

    @functools.wraps(real)
    def stepped(*args: Any, **named: Any) -> Any:
        if of_files:
            fate.step(f"before {name}")
        result = real(*args, **named)
        fate.step(f"after {name}", refusable=not of_files)
        return result

    patch.setattr(owner, name, stepped)


def _around_commits(fate: Fate, patch: pytest.MonkeyPatch) -> None:
    real = Store.transaction

    @contextmanager
    def stepped(store: Store) -> Iterator[None]:
        with real(store):
            yield
            fate.step("before commit", refusable=True)
        fate.step("after commit")

    patch.setattr(Store, "transaction", stepped)
