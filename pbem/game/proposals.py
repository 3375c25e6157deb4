"""Proposals and turns, and all that becomes of them: ballots, tallies, awards, remedies, corrections.

What lives here: frozen values. What never may: anything that changes a value, knows the time, or reads a rule.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from immutables import Map

from pbem.game.model import Choice, Clause, Kind, Say, Stage, Step


@dataclass(frozen=True, slots=True)
class Term:
    """The time there is for a move: from `since` to `until`; the last step of the ladder that was taken in it,
    and (from the deadline on) when the grace is over. Moments in UTC µs."""

    since: int
    until: int
    reached: Step | None = None
    grace: int | None = None

    def later(self, by: int) -> Term:
        """The same time, later by so much (µs)."""
        grace = None if self.grace is None else self.grace + by
        return replace(self, since=self.since + by, until=self.until + by, grace=grace)


@dataclass(frozen=True, slots=True)
class Pause:
    """A time in which the game's clocks stood still: since when and until when (UTC µs; None: they still do), and why."""

    since: int
    why: str
    until: int | None = None


@dataclass(frozen=True, slots=True)
class EarlierWin:
    """A win after which the game was played on: who won in which turn, and when that turn ended (UTC µs)."""

    players: tuple[int, ...]
    turn: int
    at: int


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
    with the numbers put in. `rule` None: no rule in force says how anything is adopted. `by_keeper`: the rules in
    force left it open, and the keeper decided, with the reason `why`.
    """

    votes_for: int
    votes_against: int
    eligible: int
    adopted: bool
    clause: str
    rule: int | None
    expression: str
    working: str
    by_keeper: bool = False
    why: str = ""

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
    """Points, or another counter's units (`counter`), given in turn `turn` by a rule (None: by the house): the clause,
    its expression, and the sum with numbers put in. `proposal` None: for the turn, not for a proposal."""

    player: int
    points: int
    clause: str
    rule: int | None
    proposal: int | None
    expression: str
    working: str
    counter: str | None = None
    turn: int = 0


@dataclass(frozen=True, slots=True)
class Failure:
    """A clause that was asked and has no value, so that its matter was unregulated (116): the rule that carries it
    (None: none prevails), why, and for whom and which proposal it was asked, if for one."""

    clause: str
    rule: int | None
    why: Say
    player: int | None = None
    proposal: int | None = None


@dataclass(frozen=True, slots=True)
class Reversal:
    """The keeper voided a proposal, or had its vote held again: when, why, and what it was before that."""

    what: Literal["void", "rerun"]
    at: int
    why: str
    stage: Stage
    tally: Tally | None


@dataclass(frozen=True, slots=True)
class Correction:
    """Points, or another counter's units, that the keeper gave or took, and why. `award` is what was taken back by it, and
    is none of its turn's any more (None: nothing was)."""

    player: int
    points: int
    counter: str | None
    why: str
    at: int
    award: Award | None = None


@dataclass(frozen=True)
class Proposal:
    """One proposed rule change and all that became of it.

    `target` is the number as it stood when proposed. `term` is the time of the present stage and
    `closes` the end of the cooling time (UTC µs or None). `electorate` maps player ids to the ballots
    each has; `settled` says what ballots with a condition or an endorsement came to. `without_effect` says why
    an adopted change changed nothing, by the rule `kept_by`; `remarks` are what its proponent was warned of;
    `remedies` are what was done about silence, `failures` what could not be awarded, `reversals` what the keeper
    took back.
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
    failures: tuple[Failure, ...] = ()
    reversals: tuple[Reversal, ...] = ()
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
