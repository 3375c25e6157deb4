"""The same short game with each clause of the initial set removed in turn: what is absent then, and that all else goes on.

It is played under the `suber` set with two of its numbers changed, so that a short game reaches its bounds: 13 mutable rules at
least (114; there are 13) and 16 at most (209).
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from pbem.game.commands import (
    CallVote,
    Correct,
    GiveConsent,
    GiveVerdict,
    GoToJudgment,
    NameWinner,
    Overrule,
    Propose,
    Vote,
)
from pbem.game.decide import decide
from pbem.game.model import Clause, Refused, RuleText
from tests.game.conftest import Table, amend, enact, majority, rules

SEATED = ("Cia Ceder", "Alva Alm", "Bo Berg")
"""As they joined; in the order of surnames Alva begins."""
BOUNDS = {"fewest mutable rules": "13", "most mutable rules": "16"}
CLAUSES = tuple(clause.name for rule in rules() for clause in rule.clauses)


def book(without: str) -> tuple[RuleText, ...]:
    """The initial rules with the bounds above, and without the clause of that name."""
    return tuple(replace(rule, clauses=_bounded(rule, without)) for rule in rules())


def _bounded(rule: RuleText, without: str) -> tuple[Clause, ...]:
    kept = (clause for clause in rule.clauses if clause.name != without)
    return tuple(replace(clause, expression=BOUNDS.get(clause.name, clause.expression)) for clause in kept)


class Story:
    """A short game that touches every clause; `told` is what came of it."""

    def __init__(self, without: str) -> None:
        self.table = Table(SEATED, book=book(without))
        self.told: dict[str, object] = {}
        self.numbers: list[int] = []

    @property
    def state(self):
        return self.table.state

    def play(self) -> dict[str, object]:
        order = [
            self.turn("too few", Propose("repeal", 210), 3),
            self.judgment(),
            self.turn("defeated", enact(), 2),
            self.turn("transmuted", Propose("transmute", 103), 3),
            self.turn("winning turned", amend(208, "Nine.", wins_when="proposals_adopted >= 9"), 3),
            self.turn("majority", majority(), 3),
            self.turn("dissent", self.rule_above(), 2),
            self.turn("claimed", Propose("transmute", 104), 1),
            self.turn("16th mutable rule", enact("More", "More tea."), 3),
        ]
        self.told["order"] = "".join(name[0] for name in order if name)
        self.told["numbers"] = (self.numbers[0], self.numbers[-1])
        self.told["amend 101"] = self.would(amend(101, "Rules bind nobody."))
        self.told["17th mutable rule"] = self.would(enact("Still more", "Still more tea."))
        self.told["repeal 203"] = self.turn_and_effect(Propose("repeal", 203))
        self.told["winner named"] = self.named()
        self.told["scores"] = tuple(self.table.score(name) for name in "ABC")
        if self.state.status == "playing":
            self.table.ask("keeper", Correct("Alva", 200, "a present"))
        self.told["won by 200 points"] = self.state.status == "won"
        return self.told

    def rule_above(self) -> Propose:
        """A rule that claims to go before 109 and all mutable rules, and names another price of defeat than 206."""
        clauses = (
            Clause("transmuted when", "votes_for > 0", over=("109", "mutable")),
            Clause("points when defeated", "-1"),
        )
        return Propose("enact", None, "Above", "One vote transmutes. A defeat costs one.", clauses)

    def turn(self, what: str, change: Propose, votes_for: int) -> str:
        """A turn in which so many vote for it, its proponent first. Who proposed; what came of it is told."""
        on_turn = self.state.on_turn
        try:
            number = self._voted(change, votes_for)
        except Refused as refused:
            self.told[what] = f"refused by {refused.rule}"
            return ""
        self.numbers.append(number)
        self.told[what] = self.outcome(number)
        return self.state.players[on_turn].name

    def _voted(self, change: Propose, votes_for: int) -> int:
        on_turn = self.state.on_turn
        self.table.ask(on_turn, change)
        number = self.state.last_number
        self.table.ask(on_turn, CallVote(number))
        voters = sorted(self.state.players, key=lambda player: player != on_turn)
        for place, player in enumerate(voters):
            self.table.ask(player, Vote("for" if place < votes_for else "against", number))
        return number

    def outcome(self, number: int) -> str:
        proposal = self.state.proposals[number]
        if proposal.without_effect is not None:
            return f"void by {proposal.kept_by}"
        if proposal.stage == "voting":
            return "held"
        paid = "".join(f" {award.points:+d}" for award in proposal.awards)
        return f"{proposal.stage} by {proposal.tally.rule}{paid}"

    def judgment(self) -> str:
        """Between two turns: who judges, whether the two others can overrule, whether the next turn waits."""
        self.table.play("A", GoToJudgment("Was that a turn?"))
        judge = self.state.docket.cases[1].judge
        self.told["judge"] = "keeper" if judge is None else self.state.players[judge].name[0]
        self.told["waits"] = self.state.docket.waits
        self.table.ask(judge or "keeper", GiveVerdict("legal", 1))
        self.told["overruled"] = self._overruled(judge)
        for player in self.state.players:
            if self.state.docket.waits and player != self.state.on_turn:
                self.table.ask(player, GiveConsent())
        return ""

    def _overruled(self, judge: int | None) -> bool | str:
        try:
            for player in self.state.players:
                if player != judge:
                    self.table.ask(player, Overrule(1))
        except Refused as refused:
            return str(refused)
        return self.state.docket.cases[1].verdicts[0].overruled

    def would(self, change: Propose) -> str | int | None:
        """Whether it would be taken: "taken", or the rule that refuses it."""
        try:
            decide(self.state, change, self.state.on_turn, self.table.now + 1)
        except Refused as refused:
            return refused.rule
        return "taken"

    def turn_and_effect(self, change: Propose) -> str:
        outcome = self.outcome(self._voted(change, 3))
        return f"{outcome}, locked" if self.state.impasse else outcome

    def named(self) -> str:
        try:
            self.table.ask("keeper", NameWinner("Bo", "Bo cannot complete a turn."))
        except Refused as refused:
            return str(refused).split(":")[0]
        return "won"


# 301 void, paid 10: A 10. 302 by 2 of 3: −10, 11 × 2/3 = 7.33 → 7: B −3. 303: C 12. 304 void, paid 13: A 23. 305: 14: B 11.
# 306 by 2 of 3: B, against, 10: 21; 15 × 2/3 = 10: C 22. 307 by 1 of 3: −10, 16 × 1/3 = 5.33 → 5: A 18. 308: 17: B 38.
# 309 void, paid 18: C 40.
INITIAL = {
    "too few": "void by 114",
    "judge": "C",
    "waits": True,
    "overruled": True,
    "defeated": "defeated by 203 -10 +7",
    "transmuted": "adopted by 109 +12",
    "winning turned": "void by 112",
    "majority": "adopted by 203 +14",
    "dissent": "adopted by 305 +10 +10",
    "claimed": "defeated by 109 -10 +5",
    "16th mutable rule": "adopted by 305 +17",
    "order": "ABCABCAB",
    "numbers": (301, 308),
    "amend 101": 303,
    "17th mutable rule": 209,
    "repeal 203": "void by 114",
    "winner named": "The game is not locked",
    "scores": (18, 38, 40),
    "won by 200 points": True,
}
CLAIM_HOLDS = {
    # 307 transmutes by 1 of 3: A 23 + 5 = 28; B and C, against, 10 each. With 104 there are 16 mutable rules, so the next is
    # refused and uses no number; A proposes the repeal as 308 (after it: 17, void): B 21 + 10 + 17 = 48, C 32.
    "claimed": "adopted by 306 +10 +10 +5",
    "16th mutable rule": "refused by 209",
    "order": "ABCABCA",
    "numbers": (301, 307),
    "scores": (28, 48, 32),
}
OTHERWISE = {
    # Numbers go on from the highest in use, 213; so number − 291 is below nothing. 214 by A: −77. 215 by B: −10,
    # −76 × 2/3 = −50.67 → −51. 216 by C: −75. 217 by A: −74. 218 by B: −73. 219 by C: −72 × 2/3 = −48; B 10. 220 by A: −10,
    # −71 × 1/3 = −23.67 → −24. 221 by B: −70. 222 by C: −69. A −185, B −194, C −192.
    "first number": {
        "defeated": "defeated by 203 -10 -51",
        "transmuted": "adopted by 109 -75",
        "majority": "adopted by 203 -73",
        "dissent": "adopted by 218 +10 -48",
        "claimed": "defeated by 109 -10 -24",
        "16th mutable rule": "adopted by 218 -70",
        "numbers": (214, 221),
        "amend 101": 216,
        "scores": (-185, -194, -192),
        "won by 200 points": False,
    },
    "immutable protected": {"amend 101": "taken"},
    # Judged by 203; and no clause of an immutable rule is in the way of the claim.
    "transmuted when": CLAIM_HOLDS | {"transmuted": "adopted by 203 +12"},
    # The claim of a mutable rule counts for more than the number of an immutable one.
    "immutable first": CLAIM_HOLDS,
    # 208 asks for nine proposals now, so points win nothing.
    "winning protected": {"winning turned": "adopted by 203 +13", "won by 200 points": False},
    # One mutable rule less, so there is room for a 17th: it is the 16th.
    "fewest mutable rules": {"too few": "adopted by 203 +10", "17th mutable rule": "taken"},
    "change stays possible": {"repeal 203": "adopted by 305 +18, locked", "winner named": "won"},
    # By surname A begins; as they joined, C: who comes before C is B. Each plays the turns that another played above.
    "turn order": {"judge": "B", "order": "CABCABCA", "scores": (38, 40, 18)},
    # A −10 for 307, B −10 for 302 and 10 for dissent.
    "points for the turn": {
        "defeated": "defeated by 203 -10",
        "transmuted": "adopted by 109",
        "majority": "adopted by 203",
        "dissent": "adopted by 305 +10",
        "claimed": "defeated by 109 -10",
        "16th mutable rule": "adopted by 305",
        "scores": (-10, 0, 0),
    },
    # Only the transmutation is adopted, by 109; then it is seen that the game is locked. A: 301 −10 + 10, 304 −10 + 13,
    # 307 −10 + 5: −2. B: −10 + 7, −10 + 14, −10 + 17: 8. C: 12, −10 + 10, −10 + 18: 20.
    "adopted when": {
        "too few": "defeated by None -10 +10",
        "defeated": "defeated by None -10 +7",
        "winning turned": "defeated by None -10 +13",
        "majority": "defeated by None -10 +14",
        "dissent": "defeated by None -10 +10",
        "16th mutable rule": "defeated by None -10 +17",
        "17th mutable rule": "taken",
        "repeal 203": "defeated by None -10 +18, locked",
        "winner named": "won",
        "scores": (-2, 8, 20),
    },
    "points for dissent": {"dissent": "adopted by 305 +10", "scores": (18, 28, 40)},
    # B 10 more for 302; A 9 more for 307, of which rule 306 takes one.
    "points when defeated": {
        "defeated": "defeated by 203 +7",
        "claimed": "defeated by 109 -1 +5",
        "scores": (27, 48, 40),
    },
    "wins when": {"winning turned": "adopted by 203 +13", "won by 200 points": False},
    "most mutable rules": {"17th mutable rule": "taken"},
    # No rule says whether 206 or 306 prices the defeat of 307, so nobody does: A 28.
    "precedence": {"claimed": "defeated by 109 +5", "scores": (28, 38, 40)},
    # The keeper, overruled, is followed by nobody: the case locks the game.
    "judge": {"judge": "keeper", "winner named": "won"},
    "judgment overruled when": {"overruled": "No rule in force lets the players overrule a verdict."},
    "next turn waits for": {"waits": False},
    "winner on impasse": {"winner named": "No rule in force lets anybody win a locked game."},
}
"""What is otherwise without a clause. Of any other clause nothing is: what it says goes on, or is for people to see to."""


def test_the_short_game_under_all_the_clauses():
    assert Story("").play() == INITIAL


@pytest.mark.parametrize("clause", CLAUSES)
def test_without_a_clause_its_matter_is_unregulated_and_the_game_goes_on(clause):
    assert Story(clause).play() == INITIAL | OTHERWISE.get(clause, {})


def test_every_difference_is_one_of_the_initial_set():
    assert set(OTHERWISE) <= set(CLAUSES)
