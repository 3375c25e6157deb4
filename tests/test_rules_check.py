"""`pbem rules check`: what it says of a ruleset, each fault planted in a set that is otherwise sound.

What lives here: stories about a file in and sentences, JSON and an exit code out. What never may: a shipped text
looked at more closely than that it has no fault.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pbem.cli import main
from pbem.game.linting import WITHOUT_A_CARRIER, Findings, lint
from pbem.game.ruleset import SHIPPED, file_name
from pbem.game.vocabulary import CLAUSES

SOUND = """# Our game

# Immutable

## 101 The rules bind
Everyone keeps to the rules.

# Mutable

## 201 Most are enough
More than half of the voters adopt a change.

clause adopted when: votes_for * 2 > eligible

## 202 The winner
Ten points win.

clause wins when: score >= 10

## 203 Numbers
Proposals are numbered from 301.

clause first number: 301

## 204 Rank
The lowest number goes first.

clause precedence: "lowest"
"""
LAST = len(SOUND.splitlines())
LONGEST = 1000

Check = Callable[..., Result]


@pytest.fixture(name="check")
def _check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Check:
    """`check(text, "--json")` writes the text to ours.md, in a folder without a host, and looks through it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PBEM_CONFIG", raising=False)

    def run(text: str | bytes, *options: str, before: tuple[str, ...] = ()) -> Result:
        Path("ours.md").write_bytes(text if isinstance(text, bytes) else text.encode())
        arguments = [*before, "rules", "check", "ours.md", *options]
        return CliRunner().invoke(main, arguments, catch_exceptions=False)

    return run


def found(text: str) -> Findings:
    return lint(text, LONGEST)


def faults(text: str) -> list[tuple[int, str, tuple[str, ...]]]:
    return [(fault.line, str(fault.why), fault.cure) for fault in found(text).faults]


def notes(text: str) -> list[tuple[int | None, str]]:
    return [(note.line, str(note.why)) for note in found(text).notes]


def with_rule(text: str, number: int = 205) -> str:
    """The sound set with one more rule; its heading is two lines after the last."""
    return f"{SOUND}\n## {number} More\n{text}\n"


# ---- the command ----


def test_a_sound_set_exits_0_with_notes_and_a_summary_at_the_end(check: Check) -> None:
    result = check(SOUND)

    said = result.output.splitlines()
    assert result.exit_code == 0
    assert said[:2] == [
        "note, line 13: Rule 201 decides what is adopted: votes_for * 2 > eligible.",
        "note, line 18: Rule 202 decides who wins: score >= 10.",
    ]
    assert "note: No rule carries “judge”. The keeper is Judge." in said
    # 30 clauses there are, 4 are carried: 26 notes without a line, and two with.
    assert said[-1] == "ours.md: 1 immutable and 4 mutable rules, 4 clauses; no fault, 28 notes."
    assert len(said) == 29


def test_a_fault_exits_1_with_its_line_and_the_line_to_write(check: Check) -> None:
    result = check(SOUND.replace("score >= 10", "scor >= 10").replace("## 204 Rank", "## Rank"))

    assert result.exit_code == 1
    assert result.output.splitlines() == [
        "line 18: Column 1: there is no quantity called “scor” here. Did you mean “score”?",
        "line 25: A rule's heading is written `## NUMBER TITLE`. Write: ## 204 Rank",
        "ours.md: 1 immutable and 3 mutable rules, 3 clauses; 2 faults.",
    ]


def test_where_there_is_a_choice_of_lines_to_write_all_are_told(check: Check) -> None:
    result = check(SOUND.replace("# Mutable", "# Mutabel"))

    assert result.output.splitlines()[0].endswith("Write: # Immutable or # Mutable")


def test_json_holds_the_same(check: Check) -> None:
    sound, faulty = check(SOUND, "--json"), check(SOUND.replace("# Mutable", "# Mutabel"), "--json")

    assert (sound.exit_code, faulty.exit_code) == (0, 1)
    told = json.loads(sound.stdout)
    assert (told["file"], told["rules"], told["clauses"], told["faults"]) == ("ours.md", 5, 4, [])
    assert told["notes"][1] == {"line": 18, "why": "Rule 202 decides who wins: score >= 10."}
    assert {"line": None, "why": "No rule carries “judge”. The keeper is Judge."} in told["notes"]
    assert json.loads(faulty.stdout)["faults"] == [
        {
            "line": 8,
            "said": "# Mutabel",
            "why": "This is no section. Rules stand under `# Immutable` or `# Mutable`.",
            "try": "# Immutable\n# Mutable",
        }
    ]


def test_a_file_that_is_not_there_or_is_no_text_exits_2_in_one_sentence(check: Check) -> None:
    not_text = check("## 101 Kött".encode("latin-1"))
    not_there = CliRunner().invoke(main, ["rules", "check", "theirs.md"])

    assert (not_text.exit_code, not_there.exit_code) == (2, 2)
    assert "ours.md is not UTF-8 text (byte 8); save it as UTF-8" in not_text.output
    assert "theirs.md" in not_there.output


def test_the_length_a_rule_may_have_is_the_hosts(check: Check, tmp_path: Path) -> None:
    """200 bytes are too much for this host, and little for a host as `pbem init` makes it."""
    host = tmp_path / "host.toml"
    host.write_text('[mail]\naddress = "nomic@nomic.example"\n[limits]\nrule_text = 150\n')
    text = with_rule("a" * 200)

    assert check(text).exit_code == 0
    result = check(text, before=("--config", str(host)))
    assert result.exit_code == 1
    assert "The text of rule 205 has 200 bytes; a rule may have 150." in result.output


@pytest.mark.parametrize("language", ["sv", "en"])
@pytest.mark.parametrize("ruleset", SHIPPED)
def test_a_shipped_set_has_no_fault_and_every_matter_is_ordered(
    ruleset: str, language: str, check: Check
) -> None:
    result = check(files("pbem.game.rulesets").joinpath(file_name(ruleset, language)).read_bytes())

    assert result.exit_code == 0
    assert "No rule carries" not in result.output
    assert result.output.splitlines()[-1].endswith(
        "16 immutable and 13 mutable rules, 30 clauses; no fault, 2 notes."
    )


# ---- faults ----


def test_the_set_the_faults_are_planted_in_has_none() -> None:
    assert faults(SOUND) == []


def test_a_claim_that_names_no_rule_is_told_with_the_nearest_number() -> None:
    text = with_rule("Cake decides.\n\nclause adopted when over 210, mutable under 101: votes_for > 2")

    assert faults(text) == [
        (
            LAST + 5,
            "This names rule 210, which is not there.",
            ("clause adopted when over 201, mutable under 101: votes_for > 2",),
        )
    ]


CIRCLE = (
    "The claims of rules %s to precedence lead round in a circle, so they count for nothing; take one back."
)


def test_a_claim_on_a_matter_no_other_rule_orders_has_no_nearest_number() -> None:
    text = with_rule("Cake decides.\n\nclause judge under 999: keeper")

    assert faults(text) == [(LAST + 5, "This names rule 999, which is not there.", ())]


def test_two_rules_that_both_claim_are_a_circle() -> None:
    text = with_rule("Cake.\n\nclause wins when over 202: score >= 5")

    assert faults(text) == []
    both = text.replace("clause wins when: ", "clause wins when over mutable: ")
    assert faults(both) == [(18, CIRCLE % "202, 205", ())]


def test_claims_that_lead_round_three_rules_are_a_circle_until_one_is_taken_back() -> None:
    """205 is under 204, 206 under 205 and over 204: each of the three is before the next."""
    text = (
        with_rule('Cake.\n\nclause precedence under 204: "lowest"')
        + '\n## 206 Jam\nJam.\n\nclause precedence over 204 under 205: "lowest"\n'
    )

    assert faults(text) == [(28, CIRCLE % "204, 205, 206", ())]
    assert faults(text.replace("over 204 under 205", "over 204")) == []


def test_a_claim_against_an_immutable_rule_makes_no_circle_where_immutable_goes_first() -> None:
    first = "clause immutable first: true\n"
    text = with_rule("Cake.\n\nclause adopted when over immutable: votes_for > 2").replace(
        "Everyone keeps to the rules.",
        "Everyone keeps to the rules.\n\n{}clause adopted when over mutable: votes_for > 1",
    )

    assert faults(text.replace("{}", first)) == []
    assert [line for line, _, _ in faults(text.replace("{}", ""))] == [8]


def test_how_a_change_is_adopted_and_how_a_rule_is_transmuted_are_one_matter() -> None:
    text = with_rule("Cake.\n\nclause transmuted when over 201: votes_for > 2")

    both = text.replace("clause adopted when: ", "clause adopted when over 205: ")

    assert (faults(text), faults(both)) == ([], [(13, CIRCLE % "201, 205", ())])


def test_a_rule_that_carries_both_makes_no_circle_with_itself() -> None:
    both = (
        "clause adopted when over mutable: votes_for > 1\nclause transmuted when over mutable: votes_for > 2"
    )

    assert faults(with_rule(f"Cake.\n\n{both}")) == []


def test_a_text_longer_than_a_rule_may_be_is_told_in_bytes() -> None:
    """500 letters of two bytes each are 1000 bytes, as many as a rule may have here; one more byte is too much."""
    assert faults(with_rule("å" * 500)) == []
    assert faults(with_rule("å" * 500 + "a")) == [
        (LAST + 2, "The text of rule 205 has 1001 bytes; a rule may have 1000.", ())
    ]


def test_a_rule_whose_number_a_proposal_would_get_is_told_with_a_number_that_is_free() -> None:
    why = "Proposals are numbered from %d, so one of them would get the number of rule %d."

    assert faults(SOUND.replace("number: 301", "number: 204")) == [
        (23, why % (204, 204), ("clause first number: 205",))
    ]
    assert faults(SOUND.replace("number: 301", "number: 205")) == []
    assert faults(SOUND.replace("clause first number: 301\n", "")) == [
        (1, why % (1, 101), ("clause first number: 205",))
    ]


STUCK = "No rule change could be adopted, even if each of 3 players is for it."
CURE = ("clause adopted when: votes_for * 2 > eligible",)


@pytest.mark.parametrize(
    ("rule", "line"),
    [
        ("clause adopted when: votes_for > 3", 13),
        ('clause adopted when: votes_for > 0\nclause eligible: status == "absent"', 13),
        ("Prose alone.", 1),
    ],
    ids=["more voters than there are", "nobody may vote", "no rule says how"],
)
def test_a_set_by_which_nothing_can_be_adopted_is_told(rule: str, line: int) -> None:
    text = SOUND.replace("clause adopted when: votes_for * 2 > eligible", rule)

    assert faults(text) == [(line, STUCK, CURE)]


def test_a_player_begins_with_the_points_and_the_counters_the_rules_give() -> None:
    text = SOUND.replace(
        "clause adopted when: votes_for * 2 > eligible",
        "clause adopted when: votes_for > 0\nclause eligible: score >= 5 && coins >= 2",
    )
    purse = "Everyone has a purse.\n\nclause starting points: 5\nclause counter coins: %d"

    assert [why for _, why, _ in faults(text + "\n## 205 Purse\n" + purse % 1)] == [STUCK]
    assert faults(text + "\n## 205 Purse\n" + purse % 2) == []


def test_all_faults_are_told_at_once_in_the_order_of_their_lines() -> None:
    text = with_rule("a" * 1001 + "\n\nclause judge over 300: keeper").replace("votes_for * 2 >", "0 >")

    assert [line for line, _, _ in faults(text)] == [13, LAST + 2, LAST + 5]


def test_a_set_that_does_not_read_is_told_that_alone() -> None:
    text = SOUND.replace("score >= 10", "scor >= 10").replace("votes_for * 2 >", "0 >")

    assert [line for line, _, _ in faults(text)] == [18]
    assert notes(text) == []


# ---- notes ----


def test_every_matter_that_no_rule_orders_is_told_with_what_then_happens() -> None:
    ordered = {"adopted when", "wins when", "first number", "precedence"}

    told = [why for line, why in notes(SOUND) if line is None]

    assert set(WITHOUT_A_CARRIER) == {quantity.name for quantity in CLAUSES}
    assert told == [
        f"No rule carries “{quantity.name}”. {WITHOUT_A_CARRIER[quantity.name]}"
        for quantity in CLAUSES
        if quantity.name not in ordered
    ]


@pytest.mark.parametrize(
    ("rule", "line", "why"),
    [
        ("clause adopted when: true", 13, "Rules 201, 205 carry “adopted when”; rule 201 prevails."),
        ("clause adopted when over 201: true", LAST + 5, "Rules 201, 205 carry “adopted when”; rule 205 prevails."),
        ("clause precedence: \"newest\"", 28, "Rules 204, 205 carry “precedence”; rule 204 prevails."),
        ("clause wins when: score >= 5", 18, "Rules 202, 205 carry “wins when”, and each of them counts."),
    ],
)  # fmt: skip
def test_of_several_rules_with_one_clause_it_is_told_who_prevails(rule: str, line: int, why: str) -> None:
    assert (line, why) in notes(with_rule(f"Cake.\n\n{rule}"))


def test_awards_of_several_rules_on_one_event_are_all_made() -> None:
    text = with_rule("Cake.\n\nclause on turn end give player points: 1").replace(
        "Ten points win.\n", "Ten points win.\n\nclause on turn end give player points: 2\n"
    )

    why = "Rules 202, 205 carry “on turn end give player points”, and each of them counts."
    assert (18, why) in notes(text)


def test_where_no_rule_says_which_of_two_prevails_the_keeper_is_asked() -> None:
    text = with_rule("Cake.\n\nclause adopted when: true").replace('clause precedence: "lowest"\n', "")

    told = notes(text)

    why = "Rules 201, 205 carry “adopted when”, and no rule says which prevails: the keeper is asked."
    assert (13, why) in told
    assert not any("decides what is adopted" in said for _, said in told)


def test_every_rule_that_decides_who_wins_is_named() -> None:
    told = notes(with_rule("Cake.\n\nclause wins when: score >= 5"))

    assert (18, "Rule 202 decides who wins: score >= 10.") in told
    assert (LAST + 5, "Rule 205 decides who wins: score >= 5.") in told


def test_lines_are_counted_as_in_a_file_from_another_system() -> None:
    foreign = "\ufeff" + with_rule("Cake\x0c and\u2028 jam.\n\nclause judge over 300: keeper").replace(
        "\n", "\r\n"
    )

    assert [line for line, _, _ in faults(foreign)] == [LAST + 5]
