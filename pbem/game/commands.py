"""What may be asked, in the imperative. A mail, the keeper or the calendar asks; `decide` judges.

What lives here: values only. Numbers are proposal numbers unless the field says rule. `number` None
means "the one this mail answers": it is filled in from the thread before the game is asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pbem.game.keeping import (
    Abstain,
    Admit,
    Announce,
    ChangeAddress,
    CloseVote,
    Continue,
    Correct,
    EndAbsence,
    EndGame,
    EndGrace,
    Extend,
    Invite,
    NameWinner,
    NoteConsent,
    NoteDeadline,
    NoteJudging,
    OrderClause,
    Outcome,
    PassKeepership,
    PassTurn,
    Pause,
    Remind,
    Remove,
    Reopen,
    Replace,
    Rerun,
    Resume,
    Ruling,
    SayFor,
    Start,
    Undo,
    Void,
)
from pbem.game.model import Choice, Clause, Finding, Kind
from pbem.game.proposals import Conditional
from pbem.game.wanting import AddAddress, ForgetMe, Personal, RemoveAddress, Set


@dataclass(frozen=True, slots=True)
class Join:
    """`join as NAME`, or (with no name) yes to an invitation. `keeps`: the keeper joins."""

    name: str = ""
    team: str | None = None
    keeps: bool = False


@dataclass(frozen=True, slots=True)
class Observe:
    """`observe`: digests, no seat."""


@dataclass(frozen=True, slots=True)
class Propose:
    """One rule change (103). `target` is a rule's number (an amendment's for the two kinds that name one);
    `text` is the whole new text of the rule, None where the kind takes none. `carry` says what becomes of
    the old rule's clauses which the new text does not name; None: not said."""

    kind: Kind
    target: int | None = None
    title: str = ""
    text: str | None = None
    clauses: tuple[Clause, ...] = ()
    carry: Literal["keep", "drop"] | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """`check propose …`: what it would do. Nothing is recorded."""

    proposal: Propose


@dataclass(frozen=True, slots=True)
class Revise:
    """`revise 301` and a new text, by the proponent while the debate lasts (111)."""

    number: int | None
    text: str
    title: str = ""
    clauses: tuple[Clause, ...] = ()
    carry: Literal["keep", "drop"] | None = None


@dataclass(frozen=True, slots=True)
class CarryClauses:
    """`keep` or `drop`, to a proposal that was asked back: what becomes of the clauses of the rule it amends."""

    how: Literal["keep", "drop"]


@dataclass(frozen=True, slots=True)
class CallVote:
    """`call vote 301`: the proponent ends the debate (111); or the keeper does for one who is silent, and says why."""

    number: int | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Withdraw:
    """`withdraw 301`, by the proponent while the debate lasts."""

    number: int | None = None


@dataclass(frozen=True, slots=True)
class EndTurn:
    """`end turn`, by the player on turn."""


@dataclass(frozen=True, slots=True)
class AsPlayer:
    """A choice left to another: `305 as Milo`."""

    name: str


@dataclass(frozen=True, slots=True)
class Vote:
    """A ballot (105). `number`: one proposal, None (the thread's), or "all" / "rest" of the open votes.

    A range (`301-303 for`) is read as one `Vote` a number. `said` is the
    line as the voter wrote it.
    """

    choice: Choice | Conditional | AsPlayer
    number: int | Literal["all", "rest"] | None = None
    said: str = ""


@dataclass(frozen=True, slots=True)
class RetractVote:
    """`retract vote 301`: the voter has no ballot again."""

    number: int | None = None


@dataclass(frozen=True, slots=True)
class Speak:
    """Words with no command in them: into the debate of proposal `number` or of case `case`, or the table talk."""

    text: str
    number: int | None = None
    case: int | None = None


@dataclass(frozen=True, slots=True)
class Press:
    """`press team: …`: words to the sender's team-mates alone (210). They are told, and recorded nowhere."""

    text: str


@dataclass(frozen=True, slots=True)
class Ask:
    """A question about the game: `status rules rule history scores proposals log help`. Changes nothing."""

    topic: Literal["status", "rules", "rule", "history", "scores", "proposals", "cases", "log", "help"]
    about: str = ""


@dataclass(frozen=True, slots=True)
class Compare:
    """`rules from 3 to 9`: how the rulebook changed from the end of one turn (0: from the start) to the end of another
    (None: to now). Changes nothing."""

    first: int
    last: int | None = None


@dataclass(frozen=True, slots=True)
class Forfeit:
    """`forfeit`: the player gives up (113). It is asked back until it is said outright (`for_good`)."""

    for_good: bool = False


@dataclass(frozen=True, slots=True)
class Claim:
    """`claim: …`: a player says that a published result is wrong; the keeper answers."""

    text: str


@dataclass(frozen=True, slots=True)
class Absent:
    """`absent until 2027-01-10`: away until that day begins. `name`: the keeper says so for a player (""), whatever
    the days left."""

    until: str
    name: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Back:
    """`back`: the absence is over early."""


@dataclass(frozen=True, slots=True)
class Takeover:
    """`takeover as NAME`: somebody without a seat would play on in one that is abandoned."""

    name: str = ""


@dataclass(frozen=True, slots=True)
class GoToJudgment:
    """`judgment: QUESTION`: a player insists that the players disagree (212)."""

    question: str


@dataclass(frozen=True, slots=True)
class GiveVerdict:
    """`verdict legal J1: why`: the Judge's answer. `finding` None: it is in the words alone."""

    finding: Finding | None = None
    case: int | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Overrule:
    """`overrule J1`: the player wants the verdict set aside (212)."""

    case: int | None = None


@dataclass(frozen=True, slots=True)
class Uphold:
    """`uphold J1`: the player lets the verdict stand."""

    case: int | None = None


@dataclass(frozen=True, slots=True)
class GiveConsent:
    """`consent`: the player lets the next turn begin (212). The keeper's word lets it begin at once."""


Scheduled = CloseVote | Remind | NoteDeadline | EndGrace | EndAbsence | NoteJudging | NoteConsent
"""What the calendar asks."""


OfProposal = Revise | CallVote | Withdraw | Vote | RetractVote | Void | Rerun | Extend | CloseVote | Abstain
"""Commands whose `number` the conversation can fill in."""

OfKeeper = (
    Start
    | Remove
    | Correct
    | Void
    | Rerun
    | Ruling
    | OrderClause
    | Undo
    | Replace
    | Extend
    | CloseVote
    | Abstain
    | PassTurn
    | Reopen
    | NameWinner
    | Announce
    | PassKeepership
    | Pause
    | Resume
    | Continue
    | EndGame
    | SayFor
    | Invite
    | Admit
    | ChangeAddress
)
"""What only the keeper asks."""

OfCase = GiveVerdict | Overrule | Uphold | Reopen
"""Commands whose `case` the conversation can fill in."""

By = int | Literal["keeper", "clock", "guest"]
"""Who asks: a player by id, the keeper, the calendar, or somebody with no seat yet."""

Command = (
    Join
    | Observe
    | Propose
    | Check
    | CarryClauses
    | Revise
    | CallVote
    | Withdraw
    | EndTurn
    | Vote
    | RetractVote
    | Speak
    | Press
    | Ask
    | Compare
    | Set
    | Personal
    | Forfeit
    | Claim
    | Absent
    | Back
    | Takeover
    | GoToJudgment
    | GiveVerdict
    | Overrule
    | Uphold
    | GiveConsent
    | OfKeeper
    | Scheduled
)

__all__ = [
    "Absent",
    "Abstain",
    "AddAddress",
    "Admit",
    "Announce",
    "AsPlayer",
    "Ask",
    "Back",
    "By",
    "CallVote",
    "CarryClauses",
    "ChangeAddress",
    "Check",
    "Claim",
    "CloseVote",
    "Command",
    "Compare",
    "Continue",
    "Correct",
    "EndAbsence",
    "EndGame",
    "EndGrace",
    "EndTurn",
    "Extend",
    "Forfeit",
    "ForgetMe",
    "GiveConsent",
    "GiveVerdict",
    "GoToJudgment",
    "Invite",
    "Join",
    "NameWinner",
    "NoteConsent",
    "NoteDeadline",
    "NoteJudging",
    "Observe",
    "OfCase",
    "OfKeeper",
    "OfProposal",
    "OrderClause",
    "Outcome",
    "Overrule",
    "PassKeepership",
    "PassTurn",
    "Pause",
    "Personal",
    "Press",
    "Propose",
    "Remind",
    "Remove",
    "RemoveAddress",
    "Reopen",
    "Replace",
    "Rerun",
    "Resume",
    "RetractVote",
    "Revise",
    "Ruling",
    "SayFor",
    "Scheduled",
    "Set",
    "Speak",
    "Start",
    "Takeover",
    "Undo",
    "Uphold",
    "Void",
    "Vote",
    "Withdraw",
]
