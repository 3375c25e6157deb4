"""What happened, in the past tense: the only truth. State is a fold over these facts.

What lives here: frozen facts that carry their working. What never may: an address, a token, a row's id,
or a change to a shape that has been released (codec.py reads old ones). Players are named by id,
moments are UTC µs; the moment a fact was recorded and the mail behind it stand in its `Record`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pbem.game.model import (
    Award,
    Clause,
    Finding,
    Kind,
    Opinion,
    Remedy,
    RuleText,
    Say,
    Settled,
    Stance,
    Step,
    Tally,
)


@dataclass(frozen=True, slots=True)
class GameCreated:
    """`rules` is the whole first rulebook and `house` the house rules (name, CEL), so no file is needed again."""

    game: str
    title: str
    language: str
    ruleset: str
    rules: tuple[RuleText, ...]
    house: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class PlayerJoined:
    """`counters` pairs each counter that the rules keep with what the player begins with."""

    player: int
    name: str
    team: str | None
    score: int
    counters: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class PlayerLeft:
    """The player gave up (113) or was removed by the keeper, who says why."""

    player: int
    how: Literal["forfeited", "removed"]
    why: str = ""


@dataclass(frozen=True, slots=True)
class VoterLeft:
    """The player is no voter in this vote any more, and has no ballot in it."""

    number: int
    player: int


@dataclass(frozen=True, slots=True)
class NextNamed:
    """Another player than was told plays next; `until` is when their first proposal is due."""

    player: int | None
    circuit: int
    until: int | None


@dataclass(frozen=True, slots=True)
class GameEnded:
    """Nobody plays any more."""

    why: Say


@dataclass(frozen=True, slots=True)
class GameStarted:
    pass


@dataclass(frozen=True, slots=True)
class TurnBegan:
    """`until` is when the first proposal is due."""

    turn: int
    circuit: int
    player: int
    until: int | None


@dataclass(frozen=True, slots=True)
class ProposalMade:
    """`target` is the rule's number in force; `remarks` are what the player was warned of."""

    number: int
    kind: Kind
    target: int | None
    title: str
    text: str
    clauses: tuple[Clause, ...]
    player: int
    until: int | None
    remarks: tuple[Say, ...] = ()


@dataclass(frozen=True, slots=True)
class ProposalRevised:
    number: int
    title: str
    text: str
    clauses: tuple[Clause, ...]
    remarks: tuple[Say, ...] = ()


@dataclass(frozen=True, slots=True)
class ProposalWithdrawn:
    number: int


@dataclass(frozen=True, slots=True)
class Posted:
    """Words in the debate of a proposal or a case, or (neither) at the table. `player` None: the keeper."""

    number: int | None
    player: int | None
    text: str
    case: int | None = None


@dataclass(frozen=True, slots=True)
class VoteOpened:
    """`electorate` pairs each eligible player with the ballots they have (105, 207)."""

    number: int
    electorate: tuple[tuple[int, int], ...]
    until: int | None


@dataclass(frozen=True, slots=True)
class BallotCast:
    number: int
    player: int
    choice: Stance
    said: str


@dataclass(frozen=True, slots=True)
class BallotRetracted:
    number: int
    player: int


@dataclass(frozen=True, slots=True)
class VoteCompleted:
    """Every eligible voter has a ballot; it closes when the cooling time is over."""

    number: int
    closes: int


@dataclass(frozen=True, slots=True)
class VoteClosed:
    """The outcome with its working; never computed again (203, 109).

    `ballots` pairs the voters whose ballots hung on something else with what these came to."""

    number: int
    tally: Tally
    ballots: tuple[tuple[int, Settled], ...] = ()


@dataclass(frozen=True, slots=True)
class VoteHeld:
    """The vote could not be judged by the rules in force; the keeper is asked."""

    number: int
    why: Say


@dataclass(frozen=True, slots=True)
class RuleChanged:
    """An adopted change took effect (205): rule `target` as it stood gave way to `rule` (None: repealed)."""

    number: int
    kind: Kind
    target: int | None
    rule: RuleText | None


@dataclass(frozen=True, slots=True)
class ChangeVoided:
    """An adopted change that changed nothing: why, and the rule that kept it from doing so (209, 112, 114)."""

    number: int
    why: Say
    rule: int | None = None


@dataclass(frozen=True, slots=True)
class ImpasseFound:
    """As proposal `number` left the rules, no change can be adopted any more (213)."""

    number: int


@dataclass(frozen=True, slots=True)
class CounterOpened:
    """A rule in force counts something new; everybody begins with `value`."""

    counter: str
    rule: int | None
    value: int


@dataclass(frozen=True, slots=True)
class CounterClosed:
    """No rule in force keeps the counter any more: what was counted is gone."""

    counter: str


@dataclass(frozen=True, slots=True)
class PointsAwarded:
    """Points or another counter's units, with the sum that gave them."""

    award: Award


@dataclass(frozen=True, slots=True)
class ClaimMade:
    """A player says that a result is wrong; claim C`claim` is the keeper's to answer."""

    claim: int
    player: int
    turn: int
    text: str


@dataclass(frozen=True, slots=True)
class Ruled:
    """The keeper decided something in words."""

    text: str


@dataclass(frozen=True, slots=True)
class PointsCorrected:
    """The keeper gave or took points (or another counter's units), and why."""

    player: int
    points: int
    counter: str | None
    why: str


@dataclass(frozen=True, slots=True)
class RuleRestored:
    """What proposal `number` did to the rulebook is undone: its rule reads, and is numbered, as before."""

    number: int


@dataclass(frozen=True, slots=True)
class ProposalVoided:
    """As if it had never been proposed, but for its number (108)."""

    number: int
    why: str


@dataclass(frozen=True, slots=True)
class VoteReopened:
    """The vote is held again, under the same number and with nobody's ballot; `electorate` as in VoteOpened."""

    number: int
    electorate: tuple[tuple[int, int], ...]
    until: int | None
    why: str


@dataclass(frozen=True, slots=True)
class PlayerReturned:
    """Who had left is in the game again, by the keeper's word."""

    player: int
    why: str


@dataclass(frozen=True, slots=True)
class WinUndone:
    """What the win rested on is corrected: the game goes on."""

    why: str


@dataclass(frozen=True, slots=True)
class PlayersWon:
    """Whoever a winning rule named at one moment (208); `rule` None: the house said so. `why`: the keeper's words,
    when it was for the keeper to name who wins (213)."""

    players: tuple[int, ...]
    rule: int | None
    expression: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """`next` is who plays next, `circuit` in which circuit; `until` when their first proposal is due."""

    turn: int
    next: int | None
    circuit: int
    until: int | None


@dataclass(frozen=True, slots=True)
class TurnContinued:
    """Nothing of the turn is open and it is not over: the next proposal is due at `until`."""

    until: int


@dataclass(frozen=True, slots=True)
class Reminded:
    """Who is late was reminded at a step of the ladder. `number` None: to propose. Who is absent is left in peace."""

    number: int | None
    step: Step
    to: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DeadlinePassed:
    """A deadline came and somebody was silent; they have until `grace`. `number` None: the player on turn
    proposed nothing."""

    number: int | None
    waiting_for: tuple[int, ...]
    grace: int | None = None


@dataclass(frozen=True, slots=True)
class GraceOver:
    """The grace is over too, and no rule says how to go on without those who are silent: the keeper is asked."""

    number: int | None
    waiting_for: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Remedied:
    """The game goes on though somebody was silent. `number` None: about the turn."""

    number: int | None
    remedy: Remedy


@dataclass(frozen=True, slots=True)
class DeadlineExtended:
    """The keeper gave more time. `number` None: to propose."""

    number: int | None
    until: int
    why: str


@dataclass(frozen=True, slots=True)
class PlayerAbsent:
    """The player is away until a moment. `used` is how much of this circuit (µs) they have said so far to be away."""

    player: int
    until: int
    used: int
    why: str = ""


@dataclass(frozen=True, slots=True)
class PlayerBack:
    """The player is back; what was left of the absence is theirs again, so that `used` stands."""

    player: int
    used: int


@dataclass(frozen=True, slots=True)
class SeatAsked:
    """Somebody without a seat would take over one that is abandoned."""

    name: str


@dataclass(frozen=True, slots=True)
class SeatTaken:
    """Another person plays on in the player's seat, under their own name."""

    player: int
    name: str
    why: str


@dataclass(frozen=True, slots=True)
class CaseOpened:
    """A player went to judgment (212). `judge` None: the keeper; `rule` carries how the Judge is found (None: none does)."""

    case: int
    question: str
    player: int
    turn: int
    judge: int | None
    rule: int | None
    until: int


@dataclass(frozen=True, slots=True)
class VerdictGiven:
    """The Judge (`judge` None: the keeper) has answered."""

    case: int
    judge: int | None
    finding: Finding | None
    text: str


@dataclass(frozen=True, slots=True)
class OpinionGiven:
    """One of the others would overrule the verdict, or uphold it."""

    case: int
    player: int
    opinion: Opinion


@dataclass(frozen=True, slots=True)
class VerdictOverruled:
    """The others set the verdict aside: the rule that let them, with its sum."""

    case: int
    rule: int | None
    expression: str
    working: str


@dataclass(frozen=True, slots=True)
class JudgeAppointed:
    """Another Judge hears these cases, because the one before was overruled or left the game, or the keeper reopened them."""

    cases: tuple[int, ...]
    judge: int | None
    because: Literal["overruled", "left", "reopened"]
    until: int


@dataclass(frozen=True, slots=True)
class CaseReferred:
    """Only the keeper can go on with the case: its final verdict is a paradox, or nobody is left to judge (213)."""

    case: int
    because: Literal["paradox", "exhausted"]


@dataclass(frozen=True, slots=True)
class CaseClosed:
    """The verdict of the case is final or, where there is none, the case has lapsed."""

    case: int


@dataclass(frozen=True, slots=True)
class JudgeLate:
    """The Judge has not answered in time. `until` is the end of the grace they have; None: that is over, or there is none."""

    case: int
    judge: int | None
    until: int | None


@dataclass(frozen=True, slots=True)
class ConsentAsked:
    """The turn is over and somebody went to judgment in it: the next begins once enough of the others consent (212)."""

    turn: int
    until: int


@dataclass(frozen=True, slots=True)
class ConsentGiven:
    """`player` None: the keeper lets the next turn begin."""

    player: int | None


@dataclass(frozen=True, slots=True)
class ConsentReached:
    """The next turn may begin: the rule that says so (None: the keeper does), with its sum. `until` is when its first proposal is due."""

    turn: int
    rule: int | None
    expression: str
    working: str
    until: int


@dataclass(frozen=True, slots=True)
class ConsentLate:
    """These have not consented in time. `until` is the end of the grace; None: that is over."""

    waiting_for: tuple[int, ...]
    until: int | None


Fact = (
    GameCreated
    | PlayerJoined
    | PlayerLeft
    | VoterLeft
    | NextNamed
    | GameEnded
    | GameStarted
    | TurnBegan
    | ProposalMade
    | ProposalRevised
    | ProposalWithdrawn
    | Posted
    | VoteOpened
    | BallotCast
    | BallotRetracted
    | VoteCompleted
    | VoteClosed
    | VoteHeld
    | RuleChanged
    | ChangeVoided
    | ImpasseFound
    | CounterOpened
    | CounterClosed
    | PointsAwarded
    | ClaimMade
    | Ruled
    | PointsCorrected
    | RuleRestored
    | ProposalVoided
    | VoteReopened
    | PlayerReturned
    | WinUndone
    | PlayersWon
    | TurnEnded
    | TurnContinued
    | Reminded
    | DeadlinePassed
    | CaseOpened
    | VerdictGiven
    | OpinionGiven
    | VerdictOverruled
    | JudgeAppointed
    | CaseReferred
    | CaseClosed
    | JudgeLate
    | ConsentAsked
    | ConsentGiven
    | ConsentReached
    | ConsentLate
    | GraceOver
    | Remedied
    | DeadlineExtended
    | PlayerAbsent
    | PlayerBack
    | SeatAsked
    | SeatTaken
)
