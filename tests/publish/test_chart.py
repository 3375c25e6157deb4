"""The score chart: lines that end where the scores are, told apart without colour, with the same numbers in a table."""

from __future__ import annotations

from itertools import pairwise

from pbem.game.commands import Correct, Void
from pbem.game.model import Player
from pbem.game.standings import after_turns
from pbem.publish import chart
from tests.game.conftest import enact, majority
from tests.publish.played import Reading, printed, seated


def table():
    """Turn 1: 301 passes 4 to 0, so Alva gets (301 − 291) × 4/4 = 10. Turn 2: 302 falls 1 to 3, so Bo loses 10 and gets
    (302 − 291) × 1/4 = 2.75, that is 3. Then the keeper gives Dan 4."""
    game = seated()
    game.turn("Alva", majority(), "ABCD")
    game.turn("Bo", enact("Cake"), "B", "ACD")
    game.ask("keeper", Correct("Dan Dahl", 4, "a slip"))
    return game


def test_the_scores_after_each_turn_are_what_was_given_up_to_then():
    game = table()

    standings = [tuple(points[key] for key in sorted(points)) for points in after_turns(game.state)]

    assert standings == [(0, 0, 0, 0), (10, 0, 0, 0), (10, -7, 0, 4)]


def test_an_award_that_was_taken_back_stands_in_its_turn_and_goes_in_the_turn_it_was_taken_back_in():
    game = table()

    game.ask("keeper", Void(301, "it came too late"))

    standings = [tuple(points[key] for key in sorted(points)) for points in after_turns(game.state)]
    assert standings == [(0, 0, 0, 0), (10, 0, 0, 0), (0, -7, 0, 4)]


def test_the_page_has_the_chart_with_its_name_and_the_same_numbers_in_a_table():
    page = Reading(printed(table())["kaffe/scores/index.html"])

    assert page.faults == []
    assert "Scores after each turn" in page.words
    assert {"chart-title", "chart-desc"} <= set(page.ids)
    assert "Turn Alva Alm Bo Berg Cia Ceder Dan Dahl" in page.words
    assert "start 0 0 0 0 1 10 +10 0 0 0 2 10 −7 −7 0 4 +4" in page.words


def drawn(points: list[dict[int, int]]) -> chart.Chart:
    return chart.drawn(points, [Player(key, f"Player {key}") for key in points[0]])


def test_seven_lines_in_the_same_place_have_marks_of_seven_shapes():
    lines = drawn([dict.fromkeys(range(1, 8), 0)]).lines

    assert len({line.marks for line in lines}) == 7


def test_names_of_equal_scores_stand_below_each_other_within_the_drawing():
    made = drawn([dict.fromkeys(range(1, 31), 0)] * 2)

    heights = sorted(line.label[1] for line in made.lines)

    assert min(b - a for a, b in pairwise(heights)) >= 16.9
    assert heights[0] > 0
    assert heights[-1] < made.height


def test_a_line_goes_up_with_the_points_and_ends_at_the_right():
    line = drawn([{1: 0}, {1: 50}, {1: 100}]).lines[0]

    points = [tuple(map(float, point.split())) for point in line.path[1:].split("L")]

    assert [x for x, _ in points] == [36, 169, 302]
    assert points[0][1] > points[1][1] > points[2][1]
    assert points[0][1] - points[1][1] == points[1][1] - points[2][1]


def test_a_game_of_a_thousand_turns_is_drawn_with_some_hundred_points_and_one_mark_a_line():
    line = drawn([{1: turn} for turn in range(1001)]).lines[0]

    assert 60 <= line.path.count("L") <= 121
    assert line.marks.count("M") == 1
