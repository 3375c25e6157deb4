"""Moves drawn by lot, sensible and senseless: what anybody at a table might ask at a moment.

What lives here: draws. What never may: what should follow from them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from random import Random
from typing import Any, TypeVar

from pbem.game.changes import WITH_TEXT
from pbem.game.commands import (
    Absent,
    Abstain,
    Admit,
    Announce,
    AsPlayer,
    Back,
    By,
    CallVote,
    ChangeAddress,
    Claim,
    CloseVote,
    Command,
    Continue,
    Correct,
    EndGame,
    EndTurn,
    Extend,
    Forfeit,
    GiveConsent,
    GiveVerdict,
    GoToJudgment,
    Invite,
    Join,
    NameWinner,
    OrderClause,
    Overrule,
    PassKeepership,
    PassTurn,
    Pause,
    Propose,
    Remove,
    Reopen,
    Replace,
    Rerun,
    Resume,
    RetractVote,
    Revise,
    Ruling,
    SayFor,
    Speak,
    Takeover,
    Undo,
    Uphold,
    Void,
    Vote,
    Withdraw,
)
from pbem.game.model import KINDS, Clause
from pbem.game.proposals import Conditional
from tests.game.conftest import DAY, HOUR, SECOND, Table

Asked = tuple[By, Command]
T = TypeVar("T")

HUGE = "9223372036854775807"
CLAUSES: dict[str, tuple[str, ...]] = {
    "adopted when": (
        "votes_for * 2 > eligible",
        "votes_for > votes_against",
        "true",
        "false",
        "round(votes_for, votes_against) > 0",
    ),
    "transmuted when": ("votes_for * 2 > eligible", "votes_for > 0"),
    "points for the turn": (
        "7",
        "round(votes_for * 100, votes_cast)",
        "round(1, votes_against)",
        "-score",
        HUGE,
    ),
    "points when defeated": ("-1", "0", "round(score, 0)", "score * " + HUGE),
    "points for dissent": ("3", "unanimous ? 0 : 5", "votes_for - votes_against"),
    "wins when": ("score >= 30", "score >= 1000", "proposals_adopted >= 4"),
    "eligible": ('status == "active"', "true", "false", "score >= 0"),
    "ballots each": ("2", "score > 10 ? 2 : 1", "0", 'name == "Bo Berg" ? 3 : 1'),
    "starting points": ("5", "turn"),
    "turn order": ('"joined"', '"score"', '"name"', '"surname"'),
    "proposals per turn": ("2", "3", "0", "-1", "circuit"),
    "who may propose": ('"anyone"', '"turn"', 'score > 5 ? "anyone" : "turn"'),
    "most mutable rules": ("14", "100", "mutable_rules"),
    "fewest mutable rules": ("0", "13", "100"),
    "first number": ("400", "1"),
    "takes effect": ('"at close"',),
    "judge": ('"random"', '"keeper"', '"preceding"'),
    "judgment overruled when": ("against > 0", "false", "true"),
    "next turn waits for": ("true", "false", "consenting > 0"),
    "precedence": ('"highest"', '"newest"', '"lowest"'),
    **dict.fromkeys(
        (
            "immutable protected",
            "transmutation outright",
            "immutable first",
            "winning protected",
            "change stays possible",
            "winner on impasse",
            "everyone votes",
            "text kept",
            "nothing backwards",
        ),
        ("false", "true", "turn > 3"),
    ),
    "ballot required": ("false", "score > 0"),
    "silence": ('"abstain"', '"for"', '"against"', '"wait"'),
    "cooling time": ('"0"', '"12h"'),
    "voting time": ('"1d"', '"0"'),
    "debate time": ('"1d"',),
    "grace": ('"0"', '"3d"'),
    "dispute time": ('"1d"',),
    "quiet days": ('"sunday"',),
    "zone": ('"Europe/Stockholm"',),
    "absence per circuit": ('"2d"',),
    "counter coins": ("0", "3", "players"),
    "on adopted give proponent coins": ("5", "coins"),
    "on turn end give player coins": ("1", "round(1, coins)"),
    "on turn end give everyone points": ("1", "turn - 4"),
    "on circuit end give everyone points": ("circuit",),
    "on voted give voters points": ("score > 5 ? -1 : 1",),
    "on defeated give dissenters points": ("2",),
    "on proposed give proponent points": ("1",),
    "on judged give judge points": ("2",),
    "on joined give player points": ("1",),
    "on sunday give player points": ("1",),
}
"""Names of clauses with expressions for them: good ones, ones without a value at times, and a name that is none."""


class Lot:
    """Draws for one moment of a game at a table."""

    def __init__(self, draw: Random, table: Table) -> None:
        self._draw = draw
        self.table = table
        self.state = table.state

    def one(self, among: Sequence[T]) -> T:
        return self._draw.choice(among)

    def whole(self, least: int, most: int) -> int:
        return self._draw.randint(least, most)

    def player(self) -> int:
        """Anybody, and whoever is on turn more often."""
        players = sorted(self.state.players)
        return self.one([*players, self.state.on_turn or players[0]])

    def name(self) -> str:
        return self.one([*(player.name for player in self.state.players.values()), "Nobody Known"])

    def proposal(self) -> int:
        """An open one mostly, or one of long ago, or none."""
        known = [*sorted(self.state.proposals), 999]
        return self.one(self.state.open if self.state.open and self.whole(0, 2) else known)

    def case(self) -> int | None:
        return self.one([None, *sorted(self.state.docket.cases), 99])

    # ---- what is next ----

    def next(self) -> list[Asked]:
        """What the game waits for; before it, as often as not, anything at all."""
        anything = [self.one(_ANYTHING)(self)] if self.whole(0, 1) else []
        return anything + self._goes_on() + self._awaited()

    def _goes_on(self) -> list[Asked]:
        """What ends a pause, or a win, that has lasted long enough."""
        if self.whole(0, 3):
            return []
        going: dict[str, Command] = {"paused": Resume("back"), "won": Continue("we like it")}
        return [("keeper", going[self.state.status])] if self.state.status in going else []

    def _awaited(self) -> list[Asked]:
        state = self.state
        for case in state.docket.open_cases:
            if case.stage == "judging" and self.whole(0, 1):
                return [(case.judge or "keeper", self.verdict(case.number))]
        if state.docket.waits:
            return [(player, GiveConsent()) for player in sorted(state.players)]
        for proposal in state.open_proposals:
            if proposal.stage == "debate":
                return [(proposal.proponent, CallVote(proposal.number))]
            if proposal.missing:
                return [(voter, self.ballot(proposal.number)) for voter in proposal.missing]
            if proposal.number in state.held:
                return [("keeper", CloseVote(proposal.number, "as meant", self.one(["adopted", "defeated"])))]
        return [(state.on_turn or self.player(), self.change())]

    def verdict(self, case: int | None) -> GiveVerdict:
        return GiveVerdict(self.one(["legal", "illegal", "paradox", None]), case, self.one(["", "So it is."]))

    def time(self) -> int:
        """Now and then some time passes (µs)."""
        return self.one([0, 0, 0, 0, 0, 0, HOUR, 13 * HOUR, DAY, 4 * DAY, 20 * DAY])

    # ---- proposals and ballots ----

    def change(self) -> Propose:
        if self.whole(0, 1):
            return self._another_quantity()
        kind = self.one((*KINDS, "enact", "amend"))
        target = None if kind == "enact" else self.rule()
        if kind not in WITH_TEXT:
            return Propose(kind, target)
        title, text = self.one(["", "A title"]), self.one(["A text.", "Another.", "A third."])
        return Propose(kind, target, title, text, self.clauses(), self.one([None, "keep", "keep", "drop"]))

    def _another_quantity(self) -> Propose:
        """What a rule in force orders, it is to order otherwise."""
        rules = [rule.now for rule in self.state.rulebook.in_force if rule.mutable]
        carried = [(rule.number, c.name) for rule in rules for c in rule.clauses if c.name in CLAUSES]
        if not carried:
            return Propose("enact", None, "A title", "A text.", self.clauses())
        number, name = self.one(carried)
        return Propose("amend", number, "", "A text.", (self.clause(name),))

    def rule(self) -> int:
        """A number in force, in use once, or never."""
        return self.one([*self.state.rulebook.in_force_numbers, *sorted(self.state.rulebook.numbers), 7])

    def clauses(self) -> tuple[Clause, ...]:
        names = self._draw.sample(sorted(CLAUSES), self.whole(0, 3))
        return tuple(self.clause(name) for name in names)

    def clause(self, name: str) -> Clause:
        """Now and then a clause is dropped, does not compile, or claims precedence."""
        expression = self.one(CLAUSES[name] if self.whole(0, 11) else ("none", "no such thing"))
        if self.whole(0, 3):
            return Clause(name, expression)
        claims = ((), ("203",), ("mutable",), ("immutable", "301"))
        return Clause(name, expression, self.one(claims), self.one(claims))

    def ordered(self) -> str:
        """A clause as the keeper writes it."""
        name = self.one(sorted(CLAUSES))
        return f"{name}: {self.one((*CLAUSES[name], 'none'))}"

    def ballot(self, number: int) -> Vote:
        by_lot = (
            lambda: "against",
            lambda: Conditional(
                self.one(["for", "against"]), self.proposal(), self.one([True, False]), self.otherwise()
            ),
            lambda: AsPlayer(self.name()),
        )
        return Vote("for" if self.whole(0, 3) else self.one(by_lot)(), number, "said so")

    def otherwise(self) -> Any:
        return self.one([None, "for", "against"])


def _of_keeper(make: Callable[[Lot], Command]) -> Callable[[Lot], Asked]:
    return lambda lot: ("keeper", make(lot))


def _of_player(make: Callable[[Lot], Command]) -> Callable[[Lot], Asked]:
    return lambda lot: (lot.player(), make(lot))


def _undo(lot: Lot) -> Asked:
    event = lot.whole(1, len(lot.table.facts))
    return "keeper", Undo(event, "a slip", lot.table.facts[event - 1])


def _leave(lot: Lot) -> Asked:
    """Not often, or nobody would be left."""
    if lot.whole(0, 3):
        return lot.player(), Forfeit()
    return lot.one([(lot.player(), Forfeit(for_good=True)), ("keeper", Remove(lot.name(), "no answer"))])


def _suspend(lot: Lot) -> Asked:
    """A game that stands still goes on soon, and one is seldom ended."""
    if lot.state.status == "paused" and lot.whole(0, 2):
        return "keeper", Resume("back")
    return "keeper", lot.one(
        [
            Pause("away"),
            Pause("away"),
            Resume("back"),
            Continue("we like it"),
            EndGame("enough") if not lot.whole(0, 5) else Pause(""),
        ]
    )


def _for_other(lot: Lot) -> Asked:
    """The keeper says what anybody might, possible or not."""
    _, command = lot.one(_ANYTHING)(lot)
    return "keeper", SayFor(lot.name(), command, "as Bo: something")


def _day(lot: Lot) -> str:
    later = lot.state.at // SECOND + lot.whole(-1, 12) * 86_400
    return lot.one([datetime.fromtimestamp(later, UTC).strftime("%Y-%m-%d"), "2027-02-30"])


_ANYTHING: tuple[Callable[[Lot], Asked], ...] = (
    _of_player(lambda lot: lot.change()),
    _of_player(lambda lot: lot.change()),
    _of_player(
        lambda lot: Revise(lot.proposal(), "Another text.", "", lot.clauses(), lot.one([None, "keep"]))
    ),
    _of_player(lambda lot: CallVote(lot.one([None, lot.proposal()]))),
    _of_player(lambda lot: Withdraw(lot.one([None, lot.proposal()]))),
    _of_player(lambda lot: lot.ballot(lot.proposal())),
    _of_player(lambda lot: Vote(lot.one(["for", "against"]), lot.one(["all", "rest", None]))),
    _of_player(lambda lot: RetractVote(lot.one([None, lot.proposal()]))),
    _of_player(lambda _: EndTurn()),
    _of_player(lambda lot: Speak("Words.", lot.one([None, lot.proposal()]), None)),
    _of_player(lambda lot: Speak("Words.", None, lot.case())),
    _of_player(lambda _: GoToJudgment("Is it lawful?")),
    _of_player(lambda lot: lot.verdict(lot.case())),
    _of_player(lambda lot: Overrule(lot.case())),
    _of_player(lambda lot: Overrule(lot.case())),
    _of_player(lambda lot: Uphold(lot.case())),
    lambda lot: (lot.one([lot.player(), "keeper"]), GiveConsent()),
    _of_keeper(lambda lot: Reopen(lot.case())),
    _of_keeper(lambda lot: NameWinner(lot.name(), "cannot complete a turn")),
    _leave,
    _of_player(lambda _: Claim("The sum is wrong.")),
    _of_player(lambda lot: Absent(_day(lot))),
    _of_keeper(lambda lot: Absent(_day(lot), lot.name(), "a letter")),
    _of_player(lambda _: Back()),
    lambda lot: ("guest", Join(f"Guest {lot.whole(1, 9)}", lot.one([None, "Red"]))),
    lambda _: ("guest", Takeover("Gun Grå")),
    _of_keeper(lambda lot: Replace(lot.name(), "Gun Grå", "no answer")),
    _of_keeper(lambda lot: Correct(lot.name(), lot.one([lot.whole(-40, 40), 100, -60]), "a slip")),
    _of_keeper(lambda lot: Void(lot.proposal(), "a slip")),
    _of_keeper(lambda lot: Rerun(lot.proposal(), "a slip")),
    _of_keeper(lambda _: Ruling("So be it.")),
    _of_keeper(lambda _: Announce("Tea at five.")),
    _of_keeper(lambda _: PassKeepership("Gun Grå", "tired")),
    _undo,
    _undo,
    _of_keeper(
        lambda lot: CloseVote(lot.one([None, lot.proposal()]), "time", lot.one([None, "adopted", "defeated"]))
    ),
    _of_keeper(lambda lot: OrderClause(lot.rule(), lot.ordered(), "as meant")),
    _of_keeper(lambda lot: Abstain(lot.one([None, lot.proposal()]), "time")),
    _of_keeper(lambda lot: CallVote(lot.one([None, lot.proposal()]), "time")),
    _of_keeper(lambda lot: Extend(lot.one(["2d", "0", "12h"]), lot.one([None, lot.proposal()]), "time")),
    _of_keeper(lambda _: PassTurn("time")),
    _suspend,
    _suspend,
    _for_other,
    _for_other,
    _of_keeper(lambda _: Invite("Hanna Hav", "hanna@hav.example", "one more")),
    _of_keeper(lambda lot: Admit(f"Guest {lot.whole(1, 9)}", "one more", keeps=lot.whole(0, 1) == 0)),
    _of_keeper(lambda lot: ChangeAddress(lot.name(), "new@hav.example", "lost")),
    _of_keeper(lambda lot: PassKeepership("Bo Berg", "tired", lot.player())),
)
