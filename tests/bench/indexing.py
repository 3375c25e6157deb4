"""How long Pagefind takes for the pages of a very large game: `python -m tests.bench.indexing`."""

from __future__ import annotations

import tempfile
import time
from dataclasses import replace
from pathlib import Path

from pbem.mail.phrasing import phrase
from pbem.publish import finding
from pbem.publish.log import log_of
from pbem.publish.versions import publish
from pbem.render import Printer
from tests.bench.big_book import BigBook
from tests.bench.publishing import PROPOSALS, RULES, SITE, say
from tests.publish.pages import pages_of


def main() -> None:
    game = BigBook(RULES, PROPOSALS)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pages = pages_of(game.state, log_of(game.log), replace(SITE, search=True), Printer(phrase))
        began = time.perf_counter()
        publish(folder, "long", game.state.seq, pages)
        published = time.perf_counter()
        finding.make(folder, "long")
        made = time.perf_counter()
        size = sum(file.stat().st_size for file in (folder / "long.search").rglob("*") if file.is_file())
    say(
        f"pages {published - began:.2f} s, index {made - published:.2f} s ({(made - published) / (published - began):.1f} times as long), {size / 1e6:.1f} MB"
    )


if __name__ == "__main__":
    main()
