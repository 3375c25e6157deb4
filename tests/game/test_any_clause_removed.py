"""The same short game with each clause of the initial set removed in turn: what is absent then, and that all else goes on.

It is played under the `suber` set with two of its numbers changed, so that a short game reaches its bounds: 13 mutable rules at
least (114; there are 13) and 16 at most (209).
"""

from __future__ import annotations

from dataclasses import replace

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


def test_print():
    import json

    base = Story("").play()
    print(json.dumps(base, indent=1))
    for name in CLAUSES:
        got = Story(name).play()
        print(name, {k: v for k, v in got.items() if base.get(k) != v})
