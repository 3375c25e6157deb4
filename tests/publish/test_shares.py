"""A long game's first pages are made by several processes: the same files, and the same error if one cannot be made."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from pbem.publish.page import Page, plain
from pbem.publish.shares import MANY
from pbem.publish.versions import publish

pytestmark = pytest.mark.slow

PAGES = 3 * MANY


def pages(broken: int | None = None) -> list[Page]:
    """Many, of which one cannot be made."""

    def fails() -> bytes:
        raise ValueError("no such words")

    made = [plain(f"rules/{number}/index.html", f"rule {number}".encode()) for number in range(PAGES)]
    return [Page(page.path, page.key, fails) if n == broken else page for n, page in enumerate(made)]


def in_a_process(folder: Path, broken: int | None) -> subprocess.CompletedProcess[str]:
    """Publishes in a process without other threads: those of the tests' own would keep it from forking."""
    words = f"from tests.publish.test_shares import main; from pathlib import Path; main(Path({str(folder)!r}), {broken})"
    return subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=False)


def main(folder: Path, broken: int | None) -> None:
    """What the process does: it tells how many threads it has."""
    print(threading.active_count())  # noqa: T201
    publish(folder, "kaffe", 1, pages(broken))


def test_every_page_is_there(tmp_path):
    done = in_a_process(tmp_path, None)
    assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr
    for number in range(PAGES):
        assert (tmp_path / "kaffe/rules" / str(number) / "index.html").read_text() == f"rule {number}"


@pytest.mark.parametrize("broken", [0, 1, 2, 3, PAGES - 1])
def test_a_page_that_cannot_be_made_is_told_whoever_made_it(tmp_path, broken):
    done = in_a_process(tmp_path, broken)
    assert done.returncode == 1
    assert done.stderr.endswith("ValueError: no such words\n")
    assert not (tmp_path / "kaffe").exists()
