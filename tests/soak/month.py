"""Whether a host grows that runs for long: thirty days of twenty games in an hour or less. `python -m tests.soak.month`

Every game plays a turn a day, by mails; the time is made up, and everything else is what `pbem serve` does each hour. After
the tenth day a host must have all that it needs: from then on its memory may grow by a twentieth, the files it holds open
by none, and no mail may wait longer than from one hour to the next.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from pbem.game.state import State
from pbem.mail.message import Envelope
from pbem.service import calendar, process, publishing, worker
from pbem.service.books import Books
from pbem.service.founding import Plan, found
from pbem.service.receive import TRUSTED, receive
from pbem.store import queues
from tests.flow.conftest import opened
from tests.flow.post import BEGINNING, HOUR, KEEPER, MINUTE, PEOPLE, Post

PLAYERS = ("Alice", "Bo", "Cia", "Dan", "Eve")
SETTLED = 10
"""Days after which nothing may grow."""
MOST_GROWTH = 1.05


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


class Month:
    """Games on one host, and how much of the machine it takes."""

    def __init__(self, post: Post, games: int) -> None:
        self.post, self.host, self.now = post, post.host, BEGINNING
        self.games = [f"game{number}" for number in range(games)]
        self.mails = 0
        self.longest_wait = 0
        for name in self.games:
            people = tuple(PEOPLE[player] for player in PLAYERS)
            plan = Plan(name, name, "en", "suber", KEEPER, people, {"cooling time": "0"}, True, self.now)
            found(self.host, plan)

    def state(self, game: str) -> State:
        with self.host.store.reading():
            return Books(self.host).state(game)

    def day(self) -> None:
        """A turn of every game: somebody proposes at ten, all vote within the hour after, and the rest of the day passes."""
        for game in self.games:
            state = self.state(game)
            player = state.players[state.on_turn or 1].name.partition(" ")[0]
            tea = f"Tea on day {state.turn} of game {game}"
            self.write(game, player, f"propose enact: {tea}\nThere is {tea}.\nend\n\ncall vote\n")
        self.hour()
        for game in self.games:
            number = max(self.state(game).proposals)
            for player in PLAYERS:
                self.write(game, player, f"{'against' if player == 'Eve' else 'for'} {number}\n")
        for _ in range(23):
            self.hour()
        self._clear_the_maildirs()

    def write(self, game: str, player: str, words: str) -> None:
        self.mails += 1
        self.post.now = self.now
        content = self.post.compose(player, words, Subject=f"[{game}]")
        receive(self.host, content, Envelope(self.now), TRUSTED)

    def hour(self) -> None:
        """What a server does in an hour."""
        self.now += HOUR
        calendar.tick(self.host, self.now)
        process.work_off(self.host, self.now)
        worker.send_all(self.host, lambda: self.now)
        publishing.publish_due(self.host)
        with self.host.store.reading():
            due = queues.next_due_outbox(self.host.store)
        self.longest_wait = max(self.longest_wait, 0 if due is None else self.now - due)

    def _clear_the_maildirs(self) -> None:
        """Players read their mails."""
        for file in (self.post.folder / "mail").glob("*/new/*"):
            file.unlink()


def megabytes() -> float:
    """What this process holds in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1_000_000


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--days", type=int, default=30)
    asked.add_argument("--games", type=int, default=20)
    given = asked.parse_args()
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder)) as post:
        month = Month(post, given.games)
        for day in range(1, given.days + 1):
            month.day()
            held, files = megabytes(), len(os.listdir("/proc/self/fd"))
            if day == SETTLED:
                settled = held, files
            say(
                f"day {day:3}: {month.mails:6,} mails, {held:6.1f} MB, {files} files open, longest wait {month.longest_wait // MINUTE} min"
            )
        turns = min(month.state(game).turn for game in month.games)
    wrong = []
    if given.days > SETTLED:
        if held > settled[0] * MOST_GROWTH:
            wrong.append(f"memory grew from {settled[0]:.1f} to {held:.1f} MB")
        if files != settled[1]:
            wrong.append(f"open files went from {settled[1]} to {files}")
    if month.longest_wait > HOUR:
        wrong.append("a mail waited longer than from one hour to the next")
    if turns < given.days:
        wrong.append(f"a game came to turn {turns} only")
    for each in wrong:
        say(f"WRONG: {each}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
