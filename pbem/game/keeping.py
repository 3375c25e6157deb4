"""What only the keeper or the calendar may ask, in the imperative.

What lives here: values only; commands.py says what a command may be. What never may: what players ask.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pbem.game.model import Step

Outcome = Literal["adopted", "defeated"]


@dataclass(frozen=True, slots=True)
class Start:
    """`start` (keeper): the first turn begins."""


@dataclass(frozen=True, slots=True)
class Pause:
    """`pause: why` (keeper): no deadline passes until the game goes on."""

    why: str = ""


@dataclass(frozen=True, slots=True)
class Resume:
    """`resume: why` (keeper): the game goes on, each deadline later by as long as it stood still."""

    why: str = ""


@dataclass(frozen=True, slots=True)
class Continue:
    """`continue: why` (keeper): a game that is won is played on from where it stands."""

    why: str = ""


@dataclass(frozen=True, slots=True)
class EndGame:
    """`end: why` (keeper): the game is over, and nobody has won it."""

    why: str = ""


@dataclass(frozen=True, slots=True)
class SayFor:
    """`as NAME: COMMAND` (keeper): what a player says who cannot write; `said` is the whole line."""

    name: str
    command: Any
    said: str = ""


@dataclass(frozen=True, slots=True)
class Invite:
    """`invite NAME <address>: why` (keeper): somebody is asked to play."""

    name: str
    address: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Admit:
    """`admit NAME: why` (keeper): somebody who watches has a new seat. `keeps`: the keeper does."""

    name: str
    why: str = ""
    keeps: bool = False


@dataclass(frozen=True, slots=True)
class ChangeAddress:
    """`address NAME: NEW: why` (keeper): mails to the player go there from now on."""

    name: str
    address: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Remove:
    """`remove NAME: why` (keeper): the player is out of the game."""

    name: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Correct:
    """`award NAME ±N: why` (keeper): points given or taken back."""

    name: str
    points: int
    why: str = ""


@dataclass(frozen=True, slots=True)
class Void:
    """`void 301: why` (keeper): as if it had never been proposed, but for its number (108)."""

    number: int | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Rerun:
    """`rerun 301: why` (keeper): the vote is held again, under the same number."""

    number: int | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Ruling:
    """`ruling: …` (keeper): a decision in words, published."""

    text: str


@dataclass(frozen=True, slots=True)
class Announce:
    """`announce: …` (keeper): words to everyone, whatever mail they have chosen."""

    text: str


@dataclass(frozen=True, slots=True)
class PassKeepership:
    """`pass keepership to NAME: why` (keeper): somebody who plays or watches keeps the game from now on;
    `player` is their seat, if they have one."""

    name: str
    why: str = ""
    player: int | None = None


@dataclass(frozen=True, slots=True)
class OrderClause:
    """`clause 305 adopted when: … because …` (keeper): rule 305 carries this clause from now on. `clause` is the line as it
    would stand in the rule; its expression `none` takes the clause away."""

    rule: int
    clause: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Undo:
    """`undo #EVENT: why` (keeper). `fact` is what that event was: the log is not the game's to read."""

    event: int
    why: str = ""
    fact: object = None


@dataclass(frozen=True, slots=True)
class Replace:
    """`replace A by B: why` (keeper): B plays on in A's seat. `keeps`: B is the keeper."""

    name: str
    by: str
    why: str = ""
    keeps: bool = False


@dataclass(frozen=True, slots=True)
class Extend:
    """`extend 301 2d: why` (keeper): more time, from the deadline or, if that has passed, from now. `number` None:
    for what the game waits for."""

    time: str
    number: int | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Reopen:
    """`reopen J1: why` (keeper): its first Judge hears the case anew."""

    case: int | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class NameWinner:
    """`winner NAME: why` (keeper): the next player unable to complete a turn in a locked game wins (213)."""

    name: str
    why: str


@dataclass(frozen=True, slots=True)
class NoteJudging:
    """The calendar: the time of the Judge of a case, or the grace after it, is over; or the time to overrule the verdict."""

    case: int


@dataclass(frozen=True, slots=True)
class NoteConsent:
    """The calendar: the time to consent to the next turn, or the grace after it, is over."""


@dataclass(frozen=True, slots=True)
class CloseVote:
    """`close 301: why` (keeper): the ballots there are counted. Or the calendar: the cooling time is over.

    `close 301 adopted: why`: the keeper decides a vote that the rules in force cannot."""

    number: int | None = None
    why: str = ""
    outcome: Outcome | None = None


@dataclass(frozen=True, slots=True)
class Abstain:
    """`abstain 301: why` (keeper): whoever has cast no ballot leaves that vote, and it is counted."""

    number: int | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class PassTurn:
    """`pass turn: why` (keeper): the turn goes on to the next player."""

    why: str = ""


@dataclass(frozen=True, slots=True)
class Remind:
    """The calendar: a reminder to who is late. `number` None: to propose."""

    number: int | None
    step: Step


@dataclass(frozen=True, slots=True)
class NoteDeadline:
    """The calendar: a deadline has passed with somebody still silent. `number` None: the turn's own."""

    number: int | None = None


@dataclass(frozen=True, slots=True)
class EndGrace:
    """The calendar: the grace after a deadline is over. `number` None: the turn's own."""

    number: int | None = None


@dataclass(frozen=True, slots=True)
class EndAbsence:
    """The calendar: the day on which a player said they would be back."""

    player: int
