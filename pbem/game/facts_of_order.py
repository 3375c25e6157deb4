"""What keeps a game in order: deadlines, absence, judgment, consent, claims and corrections.

What lives here: facts; events.py says what a fact may be. What never may: those of play (facts_of_play.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pbem.game.model import Finding, Opinion, RuleText, Step
from pbem.game.proposals import Award, Remedy


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
class Announced:
    """The keeper said something to everyone."""

    text: str


@dataclass(frozen=True, slots=True)
class KeepershipPassed:
    """Somebody else keeps the game from now on, by the word of whoever kept it; `player` is their seat, if they play."""

    name: str
    why: str
    player: int | None = None


@dataclass(frozen=True, slots=True)
class KeeperSeated:
    """Whoever keeps the game plays in it, too."""

    player: int


@dataclass(frozen=True, slots=True)
class SpokenFor:
    """The keeper spoke in a player's name: the facts that follow are what came of it. `said` are the words, "" for those of a
    ballot, which it has itself."""

    player: int
    said: str


@dataclass(frozen=True, slots=True)
class GuestInvited:
    """The keeper asked somebody to play, who is named once they have said yes."""

    why: str


@dataclass(frozen=True, slots=True)
class PlayerAdmitted:
    """The player who has just joined was given the seat by the keeper."""

    player: int
    why: str


@dataclass(frozen=True, slots=True)
class AddressChanged:
    """The keeper changed where mails to the player go."""

    player: int
    why: str


@dataclass(frozen=True, slots=True)
class GamePaused:
    """The keeper stopped the game's clocks: no deadline passes until it goes on."""

    why: str


@dataclass(frozen=True, slots=True)
class GameResumed:
    """The game goes on. It stood still from `since` to `until`, and each deadline that was open is later by that."""

    since: int
    until: int
    why: str


@dataclass(frozen=True, slots=True)
class GameContinued:
    """The keeper has the game played on that `winners` won in `turn`. `passed_over` are those of them who meet what wins
    still: they win anew only once they have ceased to."""

    winners: tuple[int, ...]
    turn: int
    passed_over: tuple[int, ...]
    why: str


@dataclass(frozen=True, slots=True)
class WinnersFreed:
    """Players who won before, and no longer meet what wins: they can win anew."""

    players: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GameCalledOff:
    """The keeper ended the game; nobody has won it."""

    why: str


@dataclass(frozen=True, slots=True)
class ClauseRuled:
    """The keeper gave a rule the clause, changed it or took it away: the rule, which was `before`, is `rule` now."""

    rule: RuleText
    clause: str
    before: RuleText
    why: str


@dataclass(frozen=True, slots=True)
class EventUndone:
    """The keeper took event number `event` of the log back; the facts after this one do it."""

    event: int


@dataclass(frozen=True, slots=True)
class PointsCorrected:
    """The keeper gave or took points (or another counter's units), and why; `award` is what was taken back, if it
    was one."""

    player: int
    points: int
    counter: str | None
    why: str
    award: Award | None = None


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
    """The player is away until a moment. `used` is how much of this circuit (µs) they have said so far to be away.
    `by_keeper`: the keeper said so for them, and `why` is the keeper's."""

    player: int
    until: int
    used: int
    why: str = ""
    by_keeper: bool = False


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
    """Another person plays on in the player's seat, under their own name; `before` had it until now."""

    player: int
    name: str
    before: str
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
    """Another Judge hears these cases, because the one before was overruled or left the game, or the keeper reopened them
    and said `why`."""

    cases: tuple[int, ...]
    judge: int | None
    because: Literal["overruled", "left", "reopened"]
    until: int
    why: str = ""


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
