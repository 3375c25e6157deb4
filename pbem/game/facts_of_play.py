"""What happens in play: players, turns, proposals, votes, rules, points, a win.

What lives here: facts; events.py says what a fact may be. What never may: the keeper's, the Judge's and the
calendar's (facts_of_order.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pbem.game.model import Clause, Kind, RuleText, Say
from pbem.game.proposals import Award, Failure, Settled, Stance, Tally


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
class ClauseFailed:
    """A clause has no value, so that nothing came of it; the keeper is told."""

    failure: Failure


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
