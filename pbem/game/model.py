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


@dataclass(frozen=True, slots=True)
class Say:
    """A sentence for a person: `text` is the English msgid, `facts` fill its `%(name)s` places.

    A fact may be a number, a text, a `Moment`, a `ClauseName`, a `Say`, or a command (then it is shown as the
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
    """One text in the life of a rule: how it came (`kind`), by which proposal (None: the initial set), when."""

    rule: RuleText
    kind: Kind | Literal["initial", "ruling"]
    proposal: int | None
    turn: int
    at: int


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
    """A seat in the game. `id` never changes and is never reused; `score` and `counters` are whole numbers."""

    id: int
    name: str
    team: str | None = None
    status: PlayerStatus = "active"
    score: int = 0
    counters: Map[str, int] = Map()
    proposals_adopted: int = 0
    absent_until: int | None = None

    @property
    def in_game(self) -> bool:
        return self.status in IN_GAME

    def is_mate_of(self, other: Player) -> bool:
        """Whether both are of one team; everyone in a team is a mate of themselves."""
        return self.team is not None and self.team == other.team


@dataclass(frozen=True, slots=True)
class Term:
    """The time there is for a move: from `since` to `until`; the last step of the ladder that was taken in it,
    and (from the deadline on) when the grace is over. Moments in UTC µs."""

    since: int
    until: int
    reached: Step | None = None
    grace: int | None = None


@dataclass(frozen=True, slots=True)
class Conditional:
    """A ballot that hangs on another proposal: `choice` if proposal `on` is adopted (`passes`) or is not, and
    `otherwise` in the other case (None: then it is no ballot)."""

    choice: Choice
    on: int
    passes: bool
    otherwise: Choice | None = None


@dataclass(frozen=True, slots=True)
class Endorsement:
    """A ballot like that of the player with this id, whatever it is when the vote closes."""

    player: int


Stance = Choice | Conditional | Endorsement
"""What a ballot says."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What a ballot came to (None: to no ballot), and why, where its words do not say it outright."""

    choice: Choice | None
    why: Say | None = None


@dataclass(frozen=True, slots=True)
class Ballot:
    """One voter's ballot: what it says, when the server took the mail (UTC µs), its words, the mail's SHA-256.

    `silent`: the voter cast none; their silence is counted so, and earns nothing."""

    choice: Stance
    at: int
    said: str
    mail: str | None = None
    silent: bool = False


Stall = Literal["vote", "debate", "turn"]
"""What the game can stall in: ballots are missing, a debate is not ended, nothing is proposed."""

RemedyKind = Literal["abstain", "for", "against", "close", "open vote", "pass turn"]


@dataclass(frozen=True, slots=True)
class Remedy:
    """How the game went on though `players` were silent, by the keeper's word or else by the clause `silence` of
    rule `rule` (None: the house rule).

    Of a vote: they leave it ("abstain"), their silence is a ballot ("for", "against"), or it is counted as it
    stands ("close"). Of a debate: the vote opens ("open vote"). Of a turn: it is over ("pass turn").
    `departs_from` is the rule in force that asks for what they did not do.
    """

    what: RemedyKind
    players: tuple[int, ...]
    by_keeper: bool
    rule: int | None = None
    departs_from: int | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Tally:
    """The count of one vote, with its working (203, 109).

    Numbers are ballots. `rule` carries the clause `clause` that decided; `working` is its expression
    with the numbers put in. `rule` None: no rule in force says how anything is adopted.
    """

    votes_for: int
    votes_against: int
    eligible: int
    adopted: bool
    clause: str
    rule: int | None
    expression: str
    working: str

    @property
    def votes_cast(self) -> int:
        return self.votes_for + self.votes_against

    @property
    def unanimous(self) -> bool:
        """All eligible ballots were cast for."""
        return 0 < self.eligible == self.votes_for


@dataclass(frozen=True, slots=True)
class Post:
    """Words in a debate: the author's player id (None: the keeper), when, and the mail's SHA-256."""

    player: int | None
    at: int
    text: str
    mail: str | None = None


@dataclass(frozen=True, slots=True)
class Award:
    """Points, or another counter's units (`counter`), given by a rule (None: by the house): the clause, its
    expression, and the sum with numbers put in. `proposal` None: for the turn, not for a proposal."""

    player: int
    points: int
    clause: str
    rule: int | None
    proposal: int | None
    expression: str
    working: str
    counter: str | None = None


@dataclass(frozen=True)
class Proposal:
    """One proposed rule change and all that became of it.

    `target` is the number as it stood when proposed. `term` is the time of the present stage and
    `closes` the end of the cooling time (UTC µs or None). `electorate` maps player ids to the ballots
    each has; `settled` says what ballots with a condition or an endorsement came to. `without_effect` says why
    an adopted change changed nothing, by the rule `kept_by`; `remarks` are what its proponent was warned of;
    `remedies` are what was done about silence.
    """

    number: int
    kind: Kind
    target: int | None
    title: str
    text: str
    clauses: tuple[Clause, ...]
    proponent: int
    turn: int
    stage: Stage
    made: int
    term: Term | None = None
    opened: int | None = None
    closes: int | None = None
    closed: int | None = None
    electorate: Map[int, int] = Map()
    ballots: Map[int, Ballot] = Map()
    settled: Map[int, Settled] = Map()
    tally: Tally | None = None
    awards: tuple[Award, ...] = ()
    without_effect: Say | None = None
    kept_by: int | None = None
    debate: tuple[Post, ...] = ()
    remarks: tuple[Say, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    mail: str | None = None

    @property
    def until(self) -> int | None:
        """The deadline of the present stage (UTC µs)."""
        return self.term.until if self.term is not None else None

    @property
    def missing(self) -> tuple[int, ...]:
        """Ids of eligible voters without a ballot."""
        return tuple(voter for voter in sorted(self.electorate) if voter not in self.ballots)


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """A turn on the books: whose, in which circuit, its proposals in order of number, when it began and ended.

    `awards` are those made for the turn itself and not for a proposal, `remedies` what was done about silence in it."""

    number: int
    circuit: int
    player: int
    began: int
    ended: int | None = None
    proposals: tuple[int, ...] = ()
    awards: tuple[Award, ...] = ()
    remedies: tuple[Remedy, ...] = ()
