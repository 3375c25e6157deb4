"""Nothing is written, linked or removed outside of its folder: not by a name that leads out, nor by a link that somebody has planted.

What lives here: names that players or a stranger's export might bring, and every function that makes a path of a name. What never
may: a name that is as it should be; those are written in every other test.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from pbem.publish import finding, folders, versions
from pbem.publish.page import Page, plain
from pbem.service import deliver, maildir_out
from pbem.store.queues import OutboxMail
from tests.promises.table import Promise

NAMES = (
    *(
        "..",
        "../out",
        "../../out",
        "/OUT",
        "/OUT/kept.html",
        "a/../../out",
        "..\\out",
        "../../../out/new.html",
        "%2e%2e%2fout",
    ),
    *(".", "./../out", "out\0", "../out\n", "~", "~root", "-rf", ".versions/../../out"),
)
"""`/OUT` stands for a folder that is really there."""
SCRAPS = (
    *"./\\~-_ \0\na1",
    "..",
    "../",
    "/OUT",
    "out",
    "kept.html",
    ".html",
    "%2e",
    "．．",
    "／",
    "\u202e",
    ".versions",
    "kaffe",
)
LINKS = (
    "kaffe",
    ".new-kaffe",
    ".new-index.html",
    ".versions/.build-kaffe",
    ".versions/kaffe-7",
    ".new-kaffe.search",
)
"""Where we write: somebody else may have put a link there."""


def deliver_to(folder: Path, name: str) -> None:
    mail = OutboxMail(1, "key", None, "a@b.example", name, b"Subject: x\r\n\r\nx\r\n", 0, 1)
    maildir_out.MaildirPost(folder / "mail").send(mail)
    maildir_out.MaildirPost(folder / "mail", lambda _: name).send(mail)


def publish_game(folder: Path, name: str) -> None:
    versions.publish(folder, name, 7, [plain("index.html", b"x")])


def publish_page(folder: Path, name: str) -> None:
    versions.publish(
        folder, "kaffe", 7, [plain(name, b"x"), Page(f"rules/{name}/index.html", 1, lambda: b"x")]
    )


def publish_file(folder: Path, name: str) -> None:
    versions.write_index(folder, [plain(name, b"x"), plain(f"{name}.html", b"x")])


def take_away(folder: Path, name: str) -> None:
    versions.withdraw(folder, name)


def take_search_away(folder: Path, name: str) -> None:
    finding.take_away(folder, name)


WAYS = (deliver_to, publish_game, publish_page, publish_file, take_away, take_search_away)


def tree_of(folder: Path) -> dict[str, tuple[int, bytes]]:
    """All that is outside, with when it was changed."""
    return {
        str(path): (path.lstat().st_mtime_ns, path.read_bytes() if path.is_file() else b"")
        for path in [folder, *folder.rglob("*")]
        if "inside" not in path.parts
    }


class Place:
    """A folder to write in, with one beside it and one above that are not ours."""

    def __init__(self, top: Path) -> None:
        self.out, self.inside = top / "out", top / "above" / "inside"
        for folder in (self.out, self.inside, top / "above" / "out"):
            folder.mkdir(parents=True)
            (folder / "kept.html").write_text("mine")
        self.top = top

    def plant(self, name: str) -> None:
        link = self.inside / name
        link.parent.mkdir(exist_ok=True)
        with suppress(FileExistsError):
            link.symlink_to(self.out / ("kept.html" if name.endswith(".html") else "."))

    @contextmanager
    def untouched(self, promise: Promise, names: int) -> Iterator[None]:
        before = tree_of(self.top)
        yield
        after = tree_of(self.top)
        different = before.keys() ^ after.keys() | {
            path for path in before if before[path] != after.get(path)
        }
        promise.shows(faults=names, accepted=len(different))


def stays_inside(
    promise: Promise,
    top: Path,
    way: Callable[[Path, str], None],
    names: list[str],
    links: tuple[str, ...] = LINKS,
) -> None:
    place = Place(top)
    refused = 0
    with place.untouched(promise, len(names)):
        for name in names:
            for link in links:
                place.plant(link)
            try:
                way(place.inside, name.replace("/OUT", str(place.out)))
            except (ValueError, OSError, deliver.Later):
                refused += 1
    assert refused < len(names) or way is not deliver_to, "a mail is delivered, whatever its reader is called"


def others(seed: str, count: int) -> list[str]:
    draw = random.Random(seed)  # noqa: S311  # to be made again, no secret
    return ["".join(draw.choices(SCRAPS, k=draw.randrange(1, 9))) for _ in range(count)]


@pytest.mark.promise(20)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_no_name_leads_out_of_the_folder(
    promise: Promise, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: Callable[[Path, str], None]
) -> None:
    # Whether it is on the disk is not asked here: two thousand waits for a disk are minutes.
    for module in ("os.fsync", "os.sync"):
        monkeypatch.setattr(module, lambda *_: None)
    stays_inside(promise, tmp_path, way, [*NAMES, *others(way.__name__, 320), "kaffe", "index.html"])


@pytest.mark.promise(20)
@pytest.mark.parametrize("way", [publish_game, publish_file, take_away, take_search_away])
def test_a_link_in_place_of_the_folder_of_versions_is_not_followed(
    promise: Promise, tmp_path: Path, way: Callable[[Path, str], None]
) -> None:
    stays_inside(promise, tmp_path, way, ["kaffe", "index.html"], (".versions",))


def as_it_comes(path: str) -> tuple[tuple[str, ...], str]:
    *above, name = path.split("/")
    return tuple(above), name


FAULTS = {
    "a Maildir is called as its reader is": ((maildir_out, "safe_name", str), deliver_to, LINKS),
    "a page is called as it comes": ((versions, "parted", as_it_comes), publish_page, ()),
    "a game is called as it comes": ((versions, "safe", str), take_away, ()),
    "a link is followed": ((folders, "_FOLDER", os.O_RDONLY | os.O_DIRECTORY), publish_game, (".versions",)),
}


@pytest.mark.promise(20)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_way_out_is_seen(
    promise: Promise, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    change, way, links = FAULTS[fault]
    monkeypatch.setattr(*change)
    with promise.breaks(fault):
        stays_inside(promise, tmp_path, way, [*NAMES, "kaffe"], links)
