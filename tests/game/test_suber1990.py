"""The rules of 1990 for games by mail: two circuits by unanimity, then a majority and points for dissent.

What lives here: what sets these rules apart from the default ones. What never may: what both have in common.
"""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files

import pytest

from pbem.game.commands import Propose
from pbem.game.model import Clause
from pbem.game.ruleset import file_name, read_ruleset
from tests.game.conftest import amend, enact, rules

both_languages = pytest.mark.parametrize("language", ["en", "sv"])


def carried(language: str, ruleset: str = "suber1990") -> set[tuple[int, str, str]]:
    """Every clause of a set with the rule that carries it."""
    return {
        (rule.number, clause.name, clause.expression)
        for rule in rules(language, ruleset)
        for clause in rule.clauses
    }


def circuits(game, many: int, first: int = 301) -> int:
    """Whole circuits in which everyone proposes a rule and everyone votes for it; the next proposal's number."""
    seated = "".join(player.name[0] for player in game.state.seated)
    for number in range(first, first + many * len(seated)):
        game.turn(game.on_turn, enact(f"Cake {number}", f"Cake number {number} is for all."), seated)
    return game.state.last_number + 1


# ---- the texts ----


@both_languages
def test_the_set_reads_without_a_fault_and_has_the_numbers_of_the_initial_set(language):
    text = files("pbem.game.rulesets").joinpath(file_name("suber1990", language)).read_text("utf-8")

    found, problems = read_ruleset(text)

    assert problems == ()
    assert [(rule.number, rule.mutable) for rule in found] == [
        *((number, False) for number in range(101, 117)),
        *((number, True) for number in range(201, 214)),
    ]
    assert all(rule.title and rule.text for rule in found)


def test_both_languages_carry_the_same_clauses_in_words_of_their_own():
    english, swedish = rules("en", "suber1990"), rules("sv", "suber1990")

    assert carried("en") == carried("sv")
    assert all(one.text != other.text for one, other in zip(english, swedish, strict=True))


@both_languages
def test_only_these_clauses_differ_from_the_default_set(language):
    assert carried(language) - carried(language, "suber") == {
        (109, "transmutation outright", "true"),
        (
            203,
            "adopted when",
            "votes_for > 0 && (circuit <= 2 ? votes_for == eligible : votes_for * 2 > eligible)",
        ),
        (204, "points for dissent", "unanimous ? 0 : 10"),
        (208, "wins when", "score >= 200"),
    }
    assert len(carried(language)) == len(carried(language, "suber"))


@both_languages
def test_where_the_effect_differs_the_words_do(language):
    default = {rule.number: rule.text for rule in rules(language, "suber")}

    differing = {rule.number for rule in rules(language, "suber1990") if rule.text != default[rule.number]}

    assert {109, 110, 111, 112, 113, 203, 204, 208, 210, 212, 213} <= differing
    assert not differing & {101, 102, 104, 114, 201, 202, 206, 209, 211}


# ---- two circuits, and then ----


@both_languages
def test_three_of_four_are_too_few_for_two_circuits_and_enough_from_the_third_on(table, language):
    """All with four voters, n the proposal's number, (n − 291) × for/cast by 202, −10 by 206, +10 by 204:

    301 to 304, 4 of 4: A 10, B 11, C 12, D 13.   305 to 307, 4 of 4: A 10+14 = 24, B 11+15 = 26, C 12+16 = 28.
    308, 3 of 4, defeated: 17 × 3/4 = 12.75 → 13, so D 13 − 10 + 13 = 16; A, against, gets nothing.
    309, 3 of 4, adopted: 18 × 3/4 = 13.5 → 14, so A 24 + 14 = 38; D, against, 16 + 10 = 26.
    310, 2 of 4, defeated, for half is no majority: 19 × 2/4 = 9.5 → 10, so B 26 − 10 + 10 = 26.
    311, 4 of 4: C 28 + 20 = 48, and there is nobody to pay for dissent.
    """
    game = table(4, language, ruleset="suber1990")
    circuits(game, 1)
    for name in "ABC":
        game.turn(name, enact(f"Tea {name}", "Tea is served at four."), "ABCD")

    game.turn("D", enact("Jam", "There is jam."), "BCD", "A")
    assert (game.state.circuit, game.stage(308)) == (2, "defeated")
    assert {name: game.score(name) for name in "ABCD"} == {"A": 24, "B": 26, "C": 28, "D": 16}

    game.turn("A", enact("Jam again", "There is jam."), "ABC", "D")
    assert (game.state.circuit, game.stage(309)) == (3, "adopted")
    assert {name: game.score(name) for name in "ABCD"} == {"A": 38, "B": 26, "C": 28, "D": 26}

    game.turn("B", enact("Bread", "There is bread."), "AB", "CD")
    game.turn("C", enact("Butter", "There is butter."), "ABCD")
    assert [game.stage(number) for number in (310, 311)] == ["defeated", "adopted"]
    assert {name: game.score(name) for name in "ABCD"} == {"A": 38, "B": 26, "C": 48, "D": 26}


def test_a_203_amended_in_time_does_not_turn_into_a_majority(table):
    """301: A 10. 302 and 303 with three voters: B 11, C 12. Second circuit 13, 14, 15: A 23, B 25, C 27.
    307, 2 of 3, in the third: 16 × 2/3 = 10.67 → 11, −10: A 23 − 10 + 11 = 24."""
    game = table(3, ruleset="suber1990")
    all_of_them = amend(203, "It takes everyone, always.", adopted_when="votes_for == eligible")
    game.turn("A", all_of_them, "ABC")
    for name in "BC":
        game.turn(name, enact(f"Tea {name}", "Tea is served at four."), "ABC")
    circuits(game, 1, 304)

    game.turn("A", enact("Jam", "There is jam."), "AB", "C")

    assert (game.state.circuit, game.stage(307)) == (3, "defeated")
    assert {name: game.score(name) for name in "ABC"} == {"A": 24, "B": 25, "C": 27}


def test_dissent_pays_from_the_moment_any_rule_lets_a_change_through_without_unanimity(table):
    """301, 4 of 4, goes before 203 in the first circuit: A 10. 302, 3 of 4: 11 × 3/4 = 8.25 → B 8, D 10 for dissent."""
    game = table(4, ruleset="suber1990")
    most = Clause("adopted when", "votes_for * 2 > eligible", over=("203",))
    game.turn("A", replace(enact("Most", "Most are enough."), clauses=(most,)), "ABCD")

    game.turn("B", enact("Jam", "There is jam."), "ABC", "D")

    assert 203 in game.state.rulebook.in_force_numbers
    assert {name: game.score(name) for name in "ABCD"} == {"A": 10, "B": 8, "C": 0, "D": 10}


def test_a_transmutation_takes_everyone_in_the_third_circuit_too(table):
    """309 turns 116, 3 of 4, and fails by 109: 18 × 3/4 = 13.5 → 14, −10: A 24 − 10 + 14 = 28. D gets nothing."""
    game = table(4, ruleset="suber1990")
    circuits(game, 2)

    game.turn("A", Propose("transmute", 116), "ABC", "D")

    assert game.stage(309) == "defeated"
    assert (game.score("A"), game.score("D")) == (28, 13 + 17)


def test_two_hundred_points_win_and_199_do_not(table):
    """301 gives 189 for what is adopted: A 189 + 10 = 199 and plays on. 302: B 189 + 11 = 200 and wins."""
    game = table(3, ruleset="suber1990")
    gift = Clause("on adopted give proponent points", "189")

    game.turn("A", replace(enact("Luck", "Luck pays."), clauses=(gift,)), "ABC")
    assert (game.score("A"), game.state.status) == (199, "playing")

    game.turn("B", enact("Jam", "There is jam."), "ABC")
    assert (game.score("B"), game.state.status) == (200, "won")
    assert game.state.winners == (game.player("B").id,)
