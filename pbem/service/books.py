"""The books of all games: states kept in memory, caught up from the log, written on in one transaction.

What lives here: the one place where facts enter the log. What never may: judging a command, or wording a mail.
States are frozen, so a transaction that is rolled back leaves the ones in memory as they were.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Final

from pbem.config import Config
from pbem.game import codec, silence
from pbem.game.commands import By, Command
from pbem.game.decide import decide
from pbem.game.events import Fact
from pbem.game.fold import evolve, replay
from pbem.game.state import State
from pbem.mail.tokens import Keyring
from pbem.publish.page import game_line, line_text
from pbem.publish.press import Memory
from pbem.render import Printer
from pbem.service.recent import Recent
from pbem.store import eventlog
from pbem.store.db import Store


@dataclass(frozen=True, slots=True)
class Page:
    """A game as far as it is known: its state and the hash of the last record."""

    state: State
    head: str

    @property
    def size(self) -> int:
        """How much it takes in memory, in records and rules: half a kilobyte each, or little more."""
        return self.state.seq + len(self.state.rulebook.rules)


ROOM_FOR_PAGES: Final = 300_000
"""Records and rules of the games in memory together: thousands of new games, or dozens with long histories."""
ROOM_FOR_PARTS: Final = 300_000
"""Printed parts of pages in memory together, about a kilobyte each: of some hundreds of new games."""


@dataclass(frozen=True, slots=True)
class Host:
    """What every part of the service is handed: the settings, the database, the printer, the secrets that tokens are made
    from, the games used of late, what was printed of them in which folder, whether the index of games was written, and whether pages in the site's folder
    changed."""

    config: Config
    store: Store
    printer: Printer
    keys: Keyring
    pages: Recent[str, Page] = field(default_factory=lambda: Recent(ROOM_FOR_PAGES, attrgetter("size")))
    printed: Recent[tuple[Path, str], Memory] = field(
        default_factory=lambda: Recent(ROOM_FOR_PARTS, attrgetter("size"))
    )
    indexed: threading.Event = field(default_factory=threading.Event)
    published: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True, slots=True)
class Happening:
    """What one command brought about in a game: the facts, the states around them, the number of the first."""

    before: State
    after: State
    facts: tuple[Fact, ...]
    first_seq: int


class Elsewhere(Exception):
    """What is to be done needs more than this transaction holds: it is undone, and done by one that is alone."""


class Books:
    """The games as one transaction sees and changes them, and the persons it is to forget at its end.

    `held` are the games that it holds beside others who hold others (store/lanes.py), None if it is alone or needs not be:
    the log tells whoever was second.
    """

    def __init__(self, host: Host) -> None:
        self.host = host
        self.held: frozenset[str] | None = None
        self.happenings: list[Happening] = []
        self.forgotten: list[int] = []
        self._open: dict[str, Page] = {}

    def must_hold(self, game: str | None) -> None:
        """Before something is done that concerns the game, in whatever way, or (None) people in all their games. Raises
        Elsewhere."""
        if self.held is not None and game not in self.held:
            raise Elsewhere(game)

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """A part of the transaction that an exception undoes by itself, in memory too. What happens in it is told in it."""
        before = dict(self._open)
        try:
            with self.host.store.transaction():
                yield
        except BaseException:
            self._open = before
            raise
        finally:
            self.happenings.clear()
            self.forgotten.clear()

    def page(self, game: str) -> Page:
        """The game as it stands. Raises NoSuchGame."""
        if game not in self._open:
            self._open[game] = self._caught_up(game)
        return self._open[game]

    def state(self, game: str) -> State:
        """The state of the game as it stands. Raises NoSuchGame."""
        return self.page(game).state

    def ask(self, game: str, command: Command, by: By, at: int, mail: str | None = None) -> Happening:
        """Lets the game decide a command and writes down what follows. Raises Refused, writing nothing."""
        state = self.state(game)
        at = max(at, state.at)
        return self.write(game, decide(state, command, by, at), at, mail)

    def write(self, game: str, facts: Sequence[Fact], at: int, mail: str | None = None) -> Happening:
        """Appends facts to the log of the game, and sets when it is next due. Raises Elsewhere."""
        self.must_hold(game)
        page = self.page(game)
        state = page.state
        records = tuple(codec.write(facts, after=state.seq, head=page.head, at=at, mail=mail))
        head = eventlog.append(self.host.store, game, state.seq, records)
        for fact in facts:
            state = evolve(state, fact, at, mail)
        moved_on(self.host.store, game, state)
        happening = Happening(page.state, state, tuple(facts), page.state.seq + 1)
        self._open[game] = Page(state, head.hash)
        self.happenings.append(happening)
        return happening

    def join_happenings(self) -> None:
        """What happened so far, in one game, is told as one thing."""
        first, last = self.happenings[0], self.happenings[-1]
        facts = tuple(fact for happening in self.happenings for fact in happening.facts)
        self.happenings = [Happening(first.before, last.after, facts, first.first_seq)]

    def keep(self) -> None:
        """The transaction is over: what it wrote is what everybody sees."""
        for game, page in self._open.items():
            self.host.pages.put(game, page)

    def _caught_up(self, game: str) -> Page:
        known = self.host.pages.get(game) or Page(State(), codec.GENESIS)
        head = eventlog.head(self.host.store, game)
        if head.seq == known.state.seq:
            return known
        # Up to there, whatever somebody else has written since: the hash must be that of the last one read.
        news = eventlog.load(self.host.store, game, known.state.seq, head.seq)
        return Page(replay(news, known.state), head.hash)


def moved_on(store: Store, game: str, state: State) -> None:
    """What the store keeps of a game beside its log, now that it stands so."""
    eventlog.moved_on(store, game, silence.next_due(state), line_text(game_line(state)))


@contextmanager
def open_books(host: Host) -> Iterator[Books]:
    """The books within one write transaction: committed at the end, undone whole by an exception."""
    books = Books(host)
    with host.store.transaction():
        yield books
    books.keep()
