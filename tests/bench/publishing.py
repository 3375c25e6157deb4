"""How long the pages of a very large game take: all of them, and those of one changed rule.

`python -m tests.bench.publishing`; beside it Pelican makes as many pages of as much text, where it is installed. All that
in the folder for what is temporary, and once more in memory (/dev/shm), where there is such a folder.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from pbem.mail.phrasing import phrase
from pbem.publish import site
from pbem.publish.log import log_of
from pbem.publish.page import SiteView
from pbem.publish.press import Memory
from pbem.publish.versions import publish
from pbem.render import Printer
from pbem.service.publishing import settle
from tests.bench.big_book import BigBook
from tests.publish.pages import pages_of

IN_MEMORY = Path("/dev/shm")  # noqa: S108  # the bench's folders in it have names of their own
RULES, PROPOSALS, ROUNDS = 2500, 1000, 3
SITE = SiteView("https://nomic.example/", "nomic@nomic.example")


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def published(game: BigBook, folder: Path, memory: Memory, printer: Printer) -> float:
    """Publishes the game; returns the seconds it took."""
    log = log_of(game.log)
    began = time.perf_counter()
    pages = site.shelves(game.state, log, SITE, printer, memory)
    publish(folder, "long", game.state.seq, pages, memory.standing)
    return time.perf_counter() - began


def one_by_one(game: BigBook, folder: Path) -> list[float]:
    """After each of ten turns that change a rule each, what changed."""
    memory, printer = Memory(), Printer(phrase)
    times = []
    for _ in range(12):
        times.append(published(game, folder, memory, printer))
        if len(times) == 1:
            settle()
        game.turn(game.amendment())
    return sorted(times[2:])


def pelican(folder: Path, texts: list[tuple[str, str]]) -> float | None:
    """The seconds Pelican takes for pages of these titles and texts; None where it is not installed."""
    program = shutil.which("pelican", path=str(Path(sys.executable).parent))
    if program is None:
        return None
    source = folder / "content" / "pages"
    source.mkdir(parents=True)
    for number, (title, text) in enumerate(texts):
        (source / f"{number}.md").write_text(f"Title: {number} {title}\n\n{text}\n", "utf-8")
    # Its menu would name every page on every page, which nobody with thousands of them would leave so.
    settings = ["DISPLAY_PAGES_ON_MENU=false", "DISPLAY_CATEGORIES_ON_MENU=false"]
    command = [
        program,
        str(folder / "content"),
        "-o",
        str(folder / "output"),
        "-q",
        "--ignore-cache",
        "-e",
        *settings,
    ]
    began = time.perf_counter()
    subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL)
    took = time.perf_counter() - began
    # Without its Markdown it makes nothing, and says so in no way that a program hears.
    made = sum(1 for _ in (folder / "output" / "pages").glob("*.html"))
    return took if made == len(texts) else None


def texts_of(game: BigBook, pages: int) -> list[tuple[str, str]]:
    """As many titles and texts of rules as there are pages."""
    versions = [version.rule for rule in game.state.rulebook.rules.values() for version in rule.versions]
    return [(rule.title, rule.text) for rule in (versions * (pages // len(versions) + 1))[:pages]]


@dataclass(frozen=True, slots=True)
class Figures:
    """Of a game of so many `pages`: the seconds for all of them in each round, for as many files `alone`, and for Pelican's as
    many (None: it is not here); those for each turn that changed a rule. Each list from the best."""

    pages: int
    whole: list[float]
    alone: float
    peer: float | None
    changes: list[float]


def measured(game: BigBook, folder: Path) -> Figures:
    """What is measured in one place. Nothing is thrown away in between: ext4 passes by the numbers of files that were deleted
    within the last minutes, one after the other, so that files made after that take several times as long."""
    texts = texts_of(game, sum(1 for _ in pages_of(game.state, log_of(game.log), SITE, Printer(phrase))))
    whole = sorted(published(game, folder / f"{turn}", Memory(), Printer(phrase)) for turn in range(ROUNDS))
    alone = bare(folder / "alone", len(texts))
    peer = pelican(folder / "pelican", texts)
    return Figures(len(texts), whole, alone, peer, one_by_one(game, folder / "turns"))


def bare(folder: Path, pages: int) -> float:
    """The seconds that as many folders with a file of five kilobytes take by themselves: what the disk asks for."""
    folder.mkdir()
    began = time.perf_counter()
    for number in range(pages):
        place = folder / str(number)
        place.mkdir()
        (place / "index.html").write_bytes(bytes(5_000))
    return time.perf_counter() - began


def main() -> None:
    game = BigBook(RULES, PROPOSALS)
    say(
        f"{len(game.state.rulebook.in_force)} rules, {len(game.state.proposals)} proposals, {game.state.seq} events"
    )
    for place in (Path(tempfile.gettempdir()), *([IN_MEMORY] if IN_MEMORY.is_dir() else [])):
        with tempfile.TemporaryDirectory(dir=place) as folder:
            tell(place, measured(game, Path(folder)))


def tell(place: Path, found: Figures) -> None:
    best, middle = (1000 * each for each in (found.changes[0], found.changes[len(found.changes) // 2]))
    say(f"in {place}:")
    say(f"  {found.pages} pages:      {found.whole[0]:6.2f} s best, {found.whole[ROUNDS // 2]:.2f} s middle")
    say(f"  so many files alone, one after the other: {found.alone:.2f} s")
    say(f"  one changed rule: {best:6.1f} ms best, {middle:.1f} ms middle")
    if found.peer is None:
        say("  Pelican is not installed here, or not with its Markdown")
    else:
        say(f"  as many by Pelican: {found.peer:.2f} s, {found.peer / found.whole[0]:.1f} times ours")


if __name__ == "__main__":
    main()
