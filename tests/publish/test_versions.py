"""Publishing: readers never meet a missing or half-written page, and nothing is written outside the site."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pbem.publish.page import Page, plain
from pbem.publish.versions import Standing, publish, write_index

PATHS = ("index.html", "rules/index.html", "rules/301/index.html")


def edition(number: int, size: int = 20_000) -> list[Page]:
    """Pages that each say which edition they are of, from the first byte to the last."""
    return [plain(path, f"{number:06d}".encode() * (size // 6)) for path in PATHS]


def in_force(folder: Path, game: str = "kaffe") -> set[bytes]:
    return {(folder / game).joinpath(path).read_bytes()[:6] for path in PATHS}


def versions(folder: Path) -> set[str]:
    return {path.name for path in (folder / ".versions").iterdir()}


def test_a_version_takes_the_place_of_the_one_before_and_that_one_stays_for_its_readers(tmp_path):
    for number in range(1, 5):
        publish(tmp_path, "kaffe", number, edition(number))

    assert in_force(tmp_path) == {b"000004"}
    assert versions(tmp_path) == {"kaffe-3", "kaffe-4"}


def test_a_page_that_did_not_change_is_the_same_file(tmp_path):
    common, first, second = (
        plain("rules/101.html", b"101"),
        plain("a.html", b"1"),
        plain("a.html", b"2"),
    )

    publish(tmp_path, "kaffe", 1, [common, first])
    before = (tmp_path / "kaffe/rules/101.html").stat(), (tmp_path / "kaffe/a.html").stat()
    publish(tmp_path, "kaffe", 2, [common, second])
    after = (tmp_path / "kaffe/rules/101.html").stat(), (tmp_path / "kaffe/a.html").stat()

    assert before[0].st_ino == after[0].st_ino
    assert before[1].st_ino != after[1].st_ino
    assert (tmp_path / ".versions/kaffe-1/a.html").read_bytes() == b"1"


def test_a_page_that_is_no_more_is_gone(tmp_path):
    publish(tmp_path, "kaffe", 1, [*edition(1), plain("old.html", b"old")])
    publish(tmp_path, "kaffe", 2, edition(2))

    assert not (tmp_path / "kaffe/old.html").exists()


def test_publishing_a_version_again_is_no_trouble(tmp_path):
    for _ in range(3):
        publish(tmp_path, "kaffe", 7, edition(7))
    publish(tmp_path, "kaffe", 7, edition(8))

    assert in_force(tmp_path) == {b"000008"}
    assert len(versions(tmp_path)) == 2


def test_games_with_names_alike_leave_each_other_alone(tmp_path):
    publish(tmp_path, "kaffe-2", 5, edition(25))
    for number in (1, 2, 3):
        publish(tmp_path, "kaffe", number, edition(number))

    assert in_force(tmp_path, "kaffe-2") == {b"000025"}


def test_when_printing_breaks_off_the_old_version_stays_up_and_the_rest_is_cleared_next_time(tmp_path):
    def broken() -> Iterator[Page]:
        yield edition(2)[0]
        raise RuntimeError("the power is gone")

    publish(tmp_path, "kaffe", 1, edition(1))
    with pytest.raises(RuntimeError):
        publish(tmp_path, "kaffe", 2, broken())

    assert in_force(tmp_path) == {b"000001"}
    publish(tmp_path, "kaffe", 3, edition(3))
    assert in_force(tmp_path) == {b"000003"}
    assert versions(tmp_path) == {"kaffe-1", "kaffe-3"}


def test_what_other_games_have_up_is_not_looked_through(tmp_path, monkeypatch):
    standing = Standing()
    for number in range(1, 3):
        publish(tmp_path, "kaffe", number, edition(number), standing)
    with monkeypatch.context() as system:
        system.setattr(os, "listdir", lambda _: pytest.fail("every game's versions lie there"))
        publish(tmp_path, "kaffe", 3, edition(3), standing)

    assert in_force(tmp_path) == {b"000003"}
    assert versions(tmp_path) == {"kaffe-2", "kaffe-3"}


def test_a_version_of_another_process_is_cleared_away_too(tmp_path):
    ours, theirs = Standing(), Standing()
    for number, standing in ((1, ours), (2, theirs), (3, theirs), (4, ours)):
        publish(tmp_path, "kaffe", number, edition(number), standing)

    assert versions(tmp_path) == {"kaffe-3", "kaffe-4"}


class Died(BaseException):
    """The process is gone; nothing in publishing catches it."""


@pytest.mark.parametrize(
    ("dies", "follows"),
    [("ours", "new"), ("ours", "ours"), ("new", "ours")],
    ids=["a new process follows", "the same one goes on", "another one died"],
)
def test_after_a_crash_at_any_step_the_old_or_the_new_version_is_up_and_the_next_one_follows(
    tmp_path, dies, follows
):
    """Dies, or fails, before its n-th call to the system, for every n there is."""
    for step in range(300):
        folder, known = tmp_path / str(step), {"ours": Standing(), "new": Standing()}
        publish(folder, "kaffe", 1, edition(1), known["ours"])
        publish(folder, "kaffe", 2, edition(2), known["ours"])
        finished = _published_before(step, folder, known[dies])
        assert in_force(folder) in ({b"000002"}, {b"000003"})
        publish(folder, "kaffe", 4, edition(4), known[follows])
        assert in_force(folder) == {b"000004"}
        assert "kaffe-4" in versions(folder)
        assert len(versions(folder)) == 2
        assert all(name.startswith("kaffe-") for name in versions(folder))
        assert not list(folder.glob(".new-*"))
        if finished:
            break

    assert finished
    assert step > 20


def _published_before(step: int, folder: Path, standing: Standing) -> bool:
    """Publishes version 3 with a system that lets `step` calls through; True if that was enough."""
    left = iter(range(step))

    def watched(call: Any) -> Any:
        def called(*args: Any, **options: Any) -> Any:
            if next(left, None) is None:
                raise Died
            return call(*args, **options)

        return called

    with pytest.MonkeyPatch.context() as system:
        for name in ("mkdir", "link", "unlink", "rename", "replace", "symlink", "rmdir", "fsync", "open"):
            system.setattr(os, name, watched(getattr(os, name)))
        try:
            publish(folder, "kaffe", 3, edition(3), standing)
        except Died:
            return False
    return True


def test_two_publishers_take_turns(tmp_path):
    def run(first: int) -> None:
        for number in range(first, 40, 2):
            publish(tmp_path, "kaffe", number, edition(number))

    threads = [threading.Thread(target=run, args=(first,)) for first in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(in_force(tmp_path)) == 1
    assert len(versions(tmp_path)) == 2


@pytest.mark.parametrize(
    "game", ["..", "../out", "/etc/out", ".versions", "", "Kaffe", "a b", "kaffe\n", "x" * 99]
)
def test_a_game_whose_name_leads_elsewhere_is_not_published(tmp_path, game):
    with pytest.raises(ValueError, match="no game on the site"):
        publish(tmp_path / "site", game, 1, edition(1))

    assert not (tmp_path / "site").exists()


def test_a_link_planted_where_we_write_is_not_followed(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept.html").write_text("mine")
    site = tmp_path / "site"
    (site / ".versions").mkdir(parents=True)
    (site / ".versions/.build-kaffe").symlink_to(outside)
    (site / ".new-index.html").symlink_to(outside / "kept.html")
    (site / "kaffe").symlink_to(outside)

    publish(site, "kaffe", 1, edition(1))
    write_index(site, edition(1)[:1])

    assert [path.name for path in outside.iterdir()] == ["kept.html"]
    assert (outside / "kept.html").read_text() == "mine"
    assert in_force(site) == {b"000001"}


def test_the_same_page_twice_is_a_fault_of_ours_and_not_written_over(tmp_path):
    with pytest.raises(FileExistsError):
        publish(tmp_path, "kaffe", 1, [*edition(1), *edition(2)])
