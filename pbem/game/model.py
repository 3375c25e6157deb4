"""The frozen values the game is made of.

What lives here: things players have a word for, and the two ways of saying no (`Refused`, `Problem`).
What never may: anything that changes a value, knows the time, or reads a rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from immutables import Map

Kind = Literal["enact", "amend", "repeal", "transmute", "repeal amendment", "amend amendment"]
Stage = Literal["draft", "debate", "voting", "adopted", "defeated", "withdrawn", "void"]
Choice = Literal["for", "against"]
GameStatus = Literal["setup", "playing", "paused", "won", "ended"]
PlayerStatus = Literal["active", "absent", "forfeited", "removed"]

KINDS: tuple[Kind, ...] = ("enact", "amend", "repeal", "transmute", "repeal amendment", "amend amendment")
OPEN_STAGES: tuple[Stage, ...] = ("draft", "debate", "voting")
IN_GAME: tuple[PlayerStatus, ...] = ("active", "absent")

Finding = Literal["legal", "illegal", "paradox"]
Opinion = Literal["overrule", "uphold"]

Step = Literal["half time", "day before", "deadline", "grace over"]
"""The ladder of silence, step by step: two reminders, the deadline, and the end of the grace after it."""


class Moment(int):
    """A moment in UTC µs, to be shown in the reader's zone."""


class ClauseName(str):
    """The English name of a clause, or of several with ", " between, to be shown as the reader knows them."""


class Names(tuple[str, ...]):
    """People's names, to be told in a row as the reader's language does."""

    __slots__ = ()

    def __str__(self) -> str:
        return ", ".join(self)


@dataclass(frozen=True, slots=True)
class Say:
    """A sentence for a person: `text` is the English msgid, `facts` fill its `%(name)s` places.

    A fact may be a number, a text, `Names`, a `Moment`, a `ClauseName`, a `Say`, or a command (then it is shown as the
    line to write, in the reader's language). The catalogues in templates/locale hold the other languages.
    """

    text: str
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text % self.facts


def say(text: str, /, **facts: Any) -> Say:
    """`say("Proposal %(number)d is open.", number=301)`: the marker the catalogues are drawn from."""
    return Say(text, facts)


class Refused(ValueError):
    """The rules in force, or the state of the game, forbid what was asked. Nothing has changed.

    `said` tells why in a player's words; `rule` is the number of the rule that forbids it, if one
    does (shown after the sentence); `cure` holds commands which the player may send instead. `asks`:
    nothing forbids it, but it can be meant in more than one way, and the player is asked which.
    """

    def __init__(
        self,
        text: str,
        /,
        *,
        rule: int | None = None,
        cure: tuple[Any, ...] = (),
        asks: bool = False,
        **facts: Any,
    ) -> None:
        self.said = Say(text, facts)
        self.rule = rule
        self.cure = cure
        self.asks = asks
        super().__init__(str(self.said))


@dataclass(frozen=True, slots=True)
class Problem:
    """A line that was not understood: its number in the text (1 is the first), the words, why, and what to write.

    `cure` holds commands, or words as they stand, which the sender can paste.
    """

    line: int
    said: str
    why: Say
    cure: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Clause:
    """One executable line of a rule: `clause NAME over 203: EXPRESSION` (`name` is always the English one).

    `over` and `under` are what the clause claims precedence over, or yields to: rule numbers as
    text, or "mutable" / "immutable" (211).
    """

    name: str
    expression: str
    over: tuple[str, ...] = ()
    under: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleText:
    """A rule as it reads at one moment."""

    number: int
    mutable: bool
    title: str
    text: str
    clauses: tuple[Clause, ...] = ()


@dataclass(frozen=True, slots=True)
class Version:
    """One text in the life of a rule: how it came (`kind`), by which proposal (None: the initial set, or a ruling of the
    keeper's, with the reason `why`), when."""

    rule: RuleText
    kind: Kind | Literal["initial", "ruling"]
    proposal: int | None
    turn: int
    at: int
    why: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule through all its renumberings (108): its versions, oldest first; the last one counts.

    `repealed` is the number of the proposal that repealed it, None while it is in force.
    """

    versions: tuple[Version, ...]
    repealed: int | None = None

    @property
    def now(self) -> RuleText:
        return self.versions[-1].rule

    @property
    def number(self) -> int:
        return self.now.number

    @property
    def mutable(self) -> bool:
        return self.now.mutable

    @property
    def key(self) -> int:
        """The first number it had: the name of the lineage."""
        return self.versions[0].rule.number

    @property
    def lineage(self) -> tuple[int, ...]:
        """Every number it has had, oldest first."""
        return tuple(dict.fromkeys(version.rule.number for version in self.versions))


@dataclass(frozen=True, slots=True)
class Player:
    """A seat in the game. `id` never changes and is never reused; `score` and `counters` are whole numbers.

    `before` are those who had the seat earlier: until when (UTC µs), and the name, oldest first."""

    id: int
    name: str
    team: str | None = None
    status: PlayerStatus = "active"
    score: int = 0
    counters: Map[str, int] = Map()
    proposals_adopted: int = 0
    absent_until: int | None = None
    before: tuple[tuple[int, str], ...] = ()

    def name_at(self, at: int) -> str:
        """The name of whoever had the seat at a moment (UTC µs)."""
        return next((name for until, name in self.before if at < until), self.name)

    @property
    def in_game(self) -> bool:
        return self.status in IN_GAME

    def is_mate_of(self, other: Player) -> bool:
        """Whether both are of one team; everyone in a team is a mate of themselves."""
        return self.team is not None and self.team == other.team
