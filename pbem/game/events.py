"""What happened, in the past tense: the only truth. State is a fold over these facts.

What lives here: frozen facts that carry their working. What never may: an address, a token, a row's id,
or a change to a shape that has been released (codec.py reads old ones). Players are named by id,
moments are UTC µs; the moment a fact was recorded and the mail behind it stand in its `Record`.
"""

from __future__ import annotations

from pbem.game.facts_of_order import (
    AddressChanged,
    Announced,
    CaseClosed,
    CaseOpened,
    CaseReferred,
    ClaimMade,
    ClauseRuled,
    ConsentAsked,
    ConsentGiven,
    ConsentLate,
    ConsentReached,
    DeadlineExtended,
    DeadlinePassed,
    EventUndone,
    GameCalledOff,
    GameContinued,
    GamePaused,
    GameResumed,
    GraceOver,
    GuestInvited,
    JudgeAppointed,
    JudgeLate,
    KeeperSeated,
    KeepershipPassed,
    OpinionGiven,
    PlayerAbsent,
    PlayerAdmitted,
    PlayerBack,
    PlayerReturned,
    PointsCorrected,
    ProposalVoided,
    Remedied,
    Reminded,
    Ruled,
    RuleRestored,
    SeatAsked,
    SeatTaken,
    SpokenFor,
    VerdictGiven,
    VerdictOverruled,
    VoteReopened,
    WinnersFreed,
    WinUndone,
)
from pbem.game.facts_of_play import (
    BallotCast,
    BallotRetracted,
    ChangeVoided,
    ClauseFailed,
    CounterClosed,
    CounterOpened,
    GameCreated,
    GameEnded,
    GameStarted,
    ImpasseFound,
    NextNamed,
    PlayerJoined,
    PlayerLeft,
    PlayersWon,
    PointsAwarded,
    Posted,
    ProposalMade,
    ProposalRevised,
    ProposalWithdrawn,
    RuleChanged,
    TurnBegan,
    TurnContinued,
    TurnEnded,
    VoteClosed,
    VoteCompleted,
    VoteHeld,
    VoteOpened,
    VoterLeft,
)

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
    | Announced
    | KeepershipPassed
    | GamePaused
    | GameResumed
    | GameContinued
    | WinnersFreed
    | GameCalledOff
    | KeeperSeated
    | SpokenFor
    | GuestInvited
    | PlayerAdmitted
    | AddressChanged
    | ClauseRuled
    | EventUndone
    | ClauseFailed
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

__all__ = [
    "AddressChanged",
    "Announced",
    "BallotCast",
    "BallotRetracted",
    "CaseClosed",
    "CaseOpened",
    "CaseReferred",
    "ChangeVoided",
    "ClaimMade",
    "ClauseFailed",
    "ClauseRuled",
    "ConsentAsked",
    "ConsentGiven",
    "ConsentLate",
    "ConsentReached",
    "CounterClosed",
    "CounterOpened",
    "DeadlineExtended",
    "DeadlinePassed",
    "EventUndone",
    "Fact",
    "GameCalledOff",
    "GameContinued",
    "GameCreated",
    "GameEnded",
    "GamePaused",
    "GameResumed",
    "GameStarted",
    "GraceOver",
    "GuestInvited",
    "ImpasseFound",
    "JudgeAppointed",
    "JudgeLate",
    "KeeperSeated",
    "KeepershipPassed",
    "NextNamed",
    "OpinionGiven",
    "PlayerAbsent",
    "PlayerAdmitted",
    "PlayerBack",
    "PlayerJoined",
    "PlayerLeft",
    "PlayerReturned",
    "PlayersWon",
    "PointsAwarded",
    "PointsCorrected",
    "Posted",
    "ProposalMade",
    "ProposalRevised",
    "ProposalVoided",
    "ProposalWithdrawn",
    "Remedied",
    "Reminded",
    "RuleChanged",
    "RuleRestored",
    "Ruled",
    "SeatAsked",
    "SeatTaken",
    "SpokenFor",
    "TurnBegan",
    "TurnContinued",
    "TurnEnded",
    "VerdictGiven",
    "VerdictOverruled",
    "VoteClosed",
    "VoteCompleted",
    "VoteHeld",
    "VoteOpened",
    "VoteReopened",
    "VoterLeft",
    "WinUndone",
    "WinnersFreed",
]
