"""Where the processor's time goes: functions of the server are told apart, each with what it takes beside those it calls.

What lives here: the meter. What never may: a change of what the functions do.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import process_time_ns
from typing import Any

REST = "transaction, rows and log"


class Meter:
    """Nanoseconds of processor time by stage. A stage within a stage is counted for itself alone."""

    def __init__(self) -> None:
        self.spent: Counter[str] = Counter()
        self._stage = ""
        self._since = 0

    @contextmanager
    def at(self, stage: str) -> Iterator[None]:
        outer = self._stage
        self._turn_to(stage)
        try:
            yield
        finally:
            self._turn_to(outer)

    def _turn_to(self, stage: str) -> None:
        now = process_time_ns()
        if self._stage:
            self.spent[self._stage] += now - self._since
        self._stage, self._since = stage, now

    @contextmanager
    def watching(self, *places: tuple[str, Any, str]) -> Iterator[None]:
        """Within the block each (stage, owner, name) is counted."""
        with_old = [(owner, name, getattr(owner, name)) for _, owner, name in places]
        for stage, owner, name in places:
            setattr(owner, name, self._counted(stage, getattr(owner, name)))
        try:
            yield
        finally:
            for owner, name, function in with_old:
                setattr(owner, name, function)

    def _counted(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def counted(*given: Any, **named: Any) -> Any:
            outer = self._stage
            self._turn_to(stage)
            try:
                return function(*given, **named)
            finally:
                self._turn_to(outer)

        return counted
