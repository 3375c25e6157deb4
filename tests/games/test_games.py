"""Every golden game comes true line by line, and its whole log reads as it did when it was written down.

`python -m tests.games.test_games --rewrite` writes the logs anew; the difference is what a change of the engine does to
games that were played before it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.games.playing import GAMES, GoldenGame, Unexpected, log_of


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_a_golden_game_plays_as_it_is_written(path: Path):
    table = GoldenGame(path).play()

    assert log_of(table).splitlines() == path.with_suffix(".log").read_text("utf-8").splitlines()


def test_every_log_belongs_to_a_game():
    assert {path.stem for path in GAMES} == {path.stem for path in GAMES[0].parent.glob("*.log")}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("= Alva 11", "it is 10"),
        ("= 301 defeated", "it is 'adopted'"),
        ("> Proposal 301 is defeated", "The log says"),
        ("! is over", "It was not refused"),
        ("Bo: for 301", "was not taken"),
        ("Bo: hello", "no command"),
        ("= Alva is happy", "nothing that can be expected"),
    ],
)
def test_a_line_that_does_not_come_true_is_told(tmp_path, line, told):
    tea = "Alva: propose enact: Tea\n  Tea.\n  end\nAlva: call vote 301\neveryone: for 301\n"
    path = tmp_path / "false.txt"
    path.write_text(f"players: Alva Alm, Bo Berg\nset cooling time: 0\n{tea}{line}\n", "utf-8")

    with pytest.raises(Unexpected, match=told):
        GoldenGame(path).play()


def _rewrite() -> None:
    for path in GAMES:
        path.with_suffix(".log").write_text(log_of(GoldenGame(path).play()), "utf-8")


if __name__ == "__main__":
    if sys.argv[1:] != ["--rewrite"]:
        sys.exit(__doc__)
    _rewrite()
