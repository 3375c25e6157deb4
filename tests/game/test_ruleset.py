"""Sets of rules: the shipped ones say what the game's table says, and a faulty text is told its every fault.

What lives here: stories about text in and rules or problems out. What never may: a file other than the shipped sets.
"""

from importlib.resources import files

import pytest

from pbem.game.model import Clause, RuleText, Say
from pbem.game.ruleset import SHIPPED, cut_clauses, file_name, is_clause_line, read_clause, read_ruleset

INITIAL_CLAUSES = {
    (103, "immutable protected"): "true",
    (105, "eligible"): 'status in ["active", "absent"]',
    (105, "ballot required"): "true",
    (105, "everyone votes"): "true",
    (106, "text kept"): "true",
    (107, "nothing backwards"): "true",
    (108, "first number"): "301",
    (109, "transmuted when"): "votes_for > 0 && votes_for == eligible",
    (110, "transmutation outright"): "true",
    (110, "immutable first"): "true",
    (112, "winning protected"): "true",
    (114, "fewest mutable rules"): "1",
    (114, "change stays possible"): "true",
    (201, "starting points"): "0",
    (201, "turn order"): '"surname"',
    (202, "points for the turn"): "round((number - 291) * votes_for, votes_cast)",
    (202, "proposals per turn"): "1",
    (202, "who may propose"): '"turn"',
    (203, "adopted when"): "votes_for > 0 && votes_for == eligible",
    (204, "points for dissent"): "203 in numbers || unanimous ? 0 : 10",
    (205, "takes effect"): '"at close"',
    (206, "points when defeated"): "-10",
    (207, "ballots each"): "1",
    (208, "wins when"): "score >= 100",
    (209, "most mutable rules"): "25",
    (211, "precedence"): '"lowest"',
    (212, "judge"): '"preceding"',
    (212, "judgment overruled when"): "others > 0 && against == others",
    (212, "next turn waits for"): "consenting * 2 > others",
    (213, "winner on impasse"): "true",
}


def shipped(language):
    return files("pbem.game.rulesets").joinpath(file_name("suber", language)).read_text("utf-8")


@pytest.mark.parametrize("language", ["sv", "en"])
@pytest.mark.parametrize("ruleset", SHIPPED)
def test_a_shipped_set_has_no_problem(ruleset, language):
    text = files("pbem.game.rulesets").joinpath(file_name(ruleset, language)).read_text("utf-8")

    rules, problems = read_ruleset(text)

    assert problems == ()
    assert rules


@pytest.mark.parametrize("language", ["sv", "en"])
def test_the_initial_set_is_101_to_116_immutable_and_201_to_213_mutable(language):
    rules, _ = read_ruleset(shipped(language))

    kinds = [(rule.number, rule.mutable) for rule in rules]

    assert kinds == [(n, False) for n in range(101, 117)] + [(n, True) for n in range(201, 214)]
    assert all(rule.title and rule.text for rule in rules)


@pytest.mark.parametrize("language", ["sv", "en"])
def test_each_quantity_of_the_game_is_on_its_initial_carrier_and_there_is_no_other(language):
    rules, _ = read_ruleset(shipped(language))

    carried = {(rule.number, clause.name): clause.expression for rule in rules for clause in rule.clauses}

    assert carried == INITIAL_CLAUSES


def test_every_rule_is_worded_in_its_own_language():
    swedish, _ = read_ruleset(shipped("sv"))
    english, _ = read_ruleset(shipped("en"))

    assert all(one.title != other.title for one, other in zip(swedish, english, strict=True))
    assert all(one.text != other.text for one, other in zip(swedish, english, strict=True))
    assert "klausul antas när: " in shipped("sv")
    assert "clause " not in shipped("sv")


def test_a_group_can_write_its_own_set_in_either_language():
    text = (
        "# Kaffereglerna\n\nVi spelar om kaffet.\n\n"
        "# Oföränderliga regler\n\n## 1. Kaffe först\nIngen röstar före kaffet.\n\n"
        "# Mutable\n\n## 2: Two halves\nHalf the table\nis enough.\n\nReally.\n\n"
        "klausul antas när över 1, oföränderliga: votes_for * 2\n    >= eligible\n"
        "- clause wins when: score >= 7\n\n"
        "### Why\nBecause.\n\n## 3\nNo title here.\n"
    )

    assert read_ruleset(text) == (
        (
            RuleText(1, False, "Kaffe först", "Ingen röstar före kaffet."),
            RuleText(
                2,
                True,
                "Two halves",
                "Half the table\nis enough.\n\nReally.\n\n\n### Why\nBecause.",
                (
                    Clause("adopted when", "votes_for * 2 >= eligible", over=("1", "immutable")),
                    Clause("wins when", "score >= 7"),
                ),
            ),
            RuleText(3, True, "", "No title here."),
        ),
        (),
    )


def test_a_file_from_another_system_reads_the_same():
    plain = "# Mutable\n\n## 201 Tea\n\nTea at four.\n\nclause wins when: score >= 4\n"
    foreign = "\ufeff" + plain.replace("## 201 Tea", "##\u00a0201\u00a0Tea").replace("\n", "\r\n")

    assert read_ruleset(foreign) == read_ruleset(plain)
    assert read_ruleset(plain)[0][0].title == "Tea"


FAULTS = {
    "the same number twice": (
        "# Mutable\n## 201 Tea\nTea.\n## 201 Cake\nCake.\n",
        (4, "## 201 Cake", "Number 201 is taken on line 2.", ("## 202 Cake",)),
    ),
    "no number": (
        "# Mutable\n## 201 Tea\nTea.\n## Cake\nCake.\n",
        (4, "## Cake", "A rule's heading is written `## NUMBER TITLE`.", ("## 202 Cake",)),
    ),
    "a number inside the heading": (
        "# Mutable\n## Rule 201: Tea\nTea.\n",
        (2, "## Rule 201: Tea", "A rule's heading is written `## NUMBER TITLE`.", ("## 201 Tea",)),
    ),
    "a rule one level too deep": (
        "# Mutable\n## 201 Tea\nTea.\n### 202 Cake\nCake.\n",
        (4, "### 202 Cake", "A rule's heading is written `## NUMBER TITLE`.", ("## 202 Cake",)),
    ),
    "an unknown section": (
        "# Mutable\n## 201 Tea\nTea.\n# Imutable\n",
        (
            4,
            "# Imutable",
            "This is no section. Rules stand under `# Immutable` or `# Mutable`.",
            ("# Immutable", "# Mutable"),
        ),
    ),
    "rules in no section, said once": (
        "# Our rules\n\n## 201 Tea\nTea.\n## 202 Cake\nCake.\n",
        (
            3,
            "## 201 Tea",
            "Rule 201 stands in no section. Write `# Immutable` or `# Mutable` above it.",
            ("# Immutable", "# Mutable"),
        ),
    ),
    "text between a section and its first rule": (
        "# Mutable\n\nMind the gap.\n\n## 201 Tea\nTea.\n",
        (
            3,
            "Mind the gap.",
            "This text is in no rule. Put it under a rule's heading, or above the first section.",
            (),
        ),
    ),
    "a rule without words": (
        "# Mutable\n## 201 Tea\nclause wins when: score >= 4\n## 202 Cake\nCake.\n",
        (2, "## 201 Tea", "Rule 201 has no text. Write it under this line.", ()),
    ),
    "a clause without a colon": (
        "# Mutable\n## 201 Tea\nTea.\n\nclause wins when score >= 4\n",
        (5, "clause wins when score >= 4", "A clause is written `clause NAME: EXPRESSION`.", ()),
    ),
    "a clause nobody knows": (
        "# Mutable\n## 201 Tea\nTea.\n\nclause wins wen: score >= 4\n",
        (5, "clause wins wen: score >= 4", "No clause is called “wins wen”. Did you mean “wins when”?", ()),
    ),
    "a Swedish clause nobody knows": (
        "# Mutable\n## 201 Tea\nTea.\n\nklausul vinner nar: score >= 4\n",
        (
            5,
            "klausul vinner nar: score >= 4",
            "No clause is called “vinner nar”. Did you mean “vinner när”?",
            (),
        ),
    ),
    "a clause twice in a rule": (
        "# Mutable\n## 201 Tea\nTea.\n\nclause wins when: score >= 4\nklausul vinner när: score >= 5\n",
        (
            6,
            "klausul vinner när: score >= 5",
            "This rule carries “wins when” already. Keep one of the two.",
            (),
        ),
    ),
    "a clause that does not compile": (
        "# Mutable\n## 201 Tea\nTea.\n\nclause wins when: scor >= 4\n",
        (
            5,
            "clause wins when: scor >= 4",
            "Column 1: there is no quantity called “scor” here. Did you mean “score”?",
            (),
        ),
    ),
    "nothing": ("", (1, "", "There is no rule in this text.", ("# Immutable", "## 101 TITLE"))),
}


@pytest.mark.parametrize(("text", "expected"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_told_with_its_line_and_its_cure(text, expected):
    _, problems = read_ruleset(text)

    assert [(found.line, found.said, str(found.why), found.cure) for found in problems] == [expected]


def test_all_faults_are_told_at_once_in_the_order_of_their_lines():
    text = (
        "## 201 Tea\nTea.\n\nclause wins when: scor >= 4\n\n"
        "# Mutable\n## Cake\nCake.\n\nclause wins wen: true\n\n## 201 Jam\nJam.\n"
    )

    _, problems = read_ruleset(text)

    assert [found.line for found in problems] == [1, 4, 7, 10, 12]
    assert [found.cure for found in problems if found.line in (7, 12)] == [("## 202 Cake",), ("## 203 Jam",)]


@pytest.mark.parametrize(("declared", "is_told"), [("", True), ("clause counter coins: 0\n", False)])
def test_a_counter_may_be_read_by_any_rule_once_some_rule_declares_it(declared, is_told):
    text = (
        f"# Mutable\n## 201 Tea\nTea.\n\nclause wins when: coins >= 4\n\n## 202 Coins\nCoins.\n\n{declared}"
    )

    _, problems = read_ruleset(text)

    assert (5 in [found.line for found in problems]) is is_told


@pytest.mark.parametrize(
    ("line", "clause"),
    [
        ("clause wins when: score >= 200", Clause("wins when", "score >= 200")),
        ("  * KLAUSUL  Vinner  När :score >= 200 ", Clause("wins when", "score >= 200")),
        ("clause\u00a0eligible:\u00a0status == “active”", Clause("eligible", 'status == "active"')),
        ("clause turn order: »name»", Clause("turn order", '"name"')),
        ("clause eligible: name != ‘Bo’", Clause("eligible", "name != 'Bo'")),
        ("clause points for dissent: unanimous ? 0 : 5", Clause("points for dissent", "unanimous ? 0 : 5")),
        ("clause adopted when over 203: true", Clause("adopted when", "true", over=("203",))),
        (
            "clause adopted when over rules 203, 305 and mutable under 211: true",
            Clause("adopted when", "true", over=("203", "305", "mutable"), under=("211",)),
        ),
        (
            "klausul antas när över 203, över regel 204 under oföränderliga: true",
            Clause("adopted when", "true", over=("203", "204"), under=("immutable",)),
        ),
        ("clause counter coins: 0", Clause("counter coins", "0")),
        ("clause on turn end give player coins: 2", Clause("on turn end give player coins", "2")),
    ],
)
def test_a_clause_is_read_as_a_person_writes_it(line, clause):
    assert is_clause_line(line)
    assert read_clause(line) == clause


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("clause wins when", "A clause is written `clause NAME: EXPRESSION`."),
        ("clause wins when:", "A clause is written `clause NAME: EXPRESSION`."),
        ("clause : true", "A clause is written `clause NAME: EXPRESSION`."),
        ("klausul jugde: true", "No clause is called “jugde”. Did you mean “judge”?"),
        (
            "clause adopted when over: true",
            "“over” does not say which rules. Write a rule's number, `mutable` or `immutable`.",
        ),
        (
            "clause adopted when under 203, tea: true",
            "“under 203, tea” does not say which rules. Write a rule's number, `mutable` or `immutable`.",
        ),
        (
            f"clause adopted when over {'9' * 5000}: true",
            f"“over {'9' * 5000}” does not say which rules. Write a rule's number, `mutable` or `immutable`.",
        ),
    ],
)
def test_a_clause_that_cannot_be_read_is_told_how_it_is_written(line, why):
    found = read_clause(line)

    assert isinstance(found, Say)
    assert str(found) == why


@pytest.mark.parametrize("line", ["Clauses bind.", "A clause binds: always", "claused wins when: true", ""])
def test_prose_is_no_clause(line):
    assert not is_clause_line(line)


def test_a_clause_goes_on_until_an_empty_line_or_the_next_clause():
    lines = [
        "Tea at four.",
        "",
        "clause wins when: score",
        "  >= 4",
        "clause judge: keeper",
        "\u00a0",
        "And cake.",
    ]

    prose, clauses = cut_clauses(lines)

    assert prose.split() == ["Tea", "at", "four.", "And", "cake."]
    assert clauses == ((2, "clause wins when: score >= 4"), (4, "clause judge: keeper"))
