"""What the log alone says of votes and points, worked out once more and by other means than the engine's.

What lives here: 202, 203, 204, 206 and 207 as a person with the log in hand would work them out. What never may: a call of
the engine's own scoring, voting or ballots.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import floor

from pbem.game import events
from pbem.game.events import Fact
from pbem.game.proposals import Conditional, Endorsement, Stance
from pbem.game.rulebook import Rulebook

PAID_BY = {"points when defeated": 206, "points for dissent": 204, "points for the turn": 202}
"""Each clause that pays for a vote, and the rule of the initial set that carries it."""

Payment = tuple[str, int, int]
"""Clause, player, points."""


@dataclass
class Vote:
    """A vote as the log has it: who has how many ballots, what they say, and whose are only silence."""

    proponent: int
    weights: dict[int, int] = field(default_factory=dict)
    ballots: dict[int, Stance] = field(default_factory=dict)
    silent: set[int] = field(default_factory=set)
    is_open: bool = True
    adopted: bool = False


@dataclass
class Ledger:
    """Votes by number and scores by player, kept fact by fact."""

    votes: dict[int, Vote] = field(default_factory=dict)
    scores: dict[int, int] = field(default_factory=dict)

    def enter(self, fact: Fact) -> None:
        match fact:
            case events.PlayerJoined():
                self.scores[fact.player] = fact.score
            case events.PointsAwarded() if fact.award.counter is None:
                self.scores[fact.award.player] += fact.award.points
            case events.PointsCorrected() if fact.counter is None:
                self.scores[fact.player] += fact.points
            case events.ProposalMade():
                self.votes[fact.number] = Vote(fact.player)
            case events.VoteOpened() | events.VoteReopened():
                self.votes[fact.number] = Vote(self.votes[fact.number].proponent, dict(fact.electorate))
            case events.BallotCast():
                self.votes[fact.number].ballots[fact.player] = fact.choice
                self.votes[fact.number].silent.discard(fact.player)
            case events.BallotRetracted():
                del self.votes[fact.number].ballots[fact.player]
            case events.VoterLeft():
                self.votes[fact.number].weights.pop(fact.player)
                self.votes[fact.number].ballots.pop(fact.player, None)
            case events.Remedied() if fact.number is not None:
                self._remedy(self.votes[fact.number], fact)
            case events.VoteClosed():
                self.votes[fact.number].is_open = False
                self.votes[fact.number].adopted = fact.tally.adopted
            case events.ProposalWithdrawn() | events.ProposalVoided():
                self.votes[fact.number].is_open = False
                self.votes[fact.number].adopted = False

    def _remedy(self, vote: Vote, fact: events.Remedied) -> None:
        for player in fact.remedy.players:
            if fact.remedy.what == "abstain":
                vote.weights.pop(player)
            elif fact.remedy.what in ("for", "against"):
                vote.ballots[player] = "for" if fact.remedy.what == "for" else "against"
                vote.silent.add(player)

    def choice(self, vote: Vote, voter: int) -> str | None:
        """What a voter's ballot comes to as things stand: "for", "against", or nothing."""
        seen: set[int] = set()
        while voter not in seen:
            seen.add(voter)
            match vote.ballots.get(voter):
                case Endorsement(other):
                    voter = other
                case Conditional(choice, on, passes, otherwise):
                    condition = self.votes[on]
                    if condition.is_open:
                        return None
                    return choice if condition.adopted == passes else otherwise
                case plain:
                    return plain
        return None

    def count(self, number: int) -> tuple[int, int, int]:
        """Ballots for, ballots against, and ballots there could be."""
        vote = self.votes[number]
        said = [(self.choice(vote, voter), weight) for voter, weight in vote.weights.items()]
        count_of = {
            side: sum(weight for choice, weight in said if choice == side) for side in ("for", "against")
        }
        return count_of["for"], count_of["against"], sum(vote.weights.values())

    def payments(self, number: int, counted: tuple[int, int, int], book: Rulebook) -> list[list[Payment]]:
        """What the vote pays by the initial 206, 204 and 202, moment by moment. `book` is only asked whether 203 stands."""
        votes_for, against, eligible = counted
        vote = self.votes[number]
        moments: list[list[Payment]] = []
        if not vote.adopted:
            moments.append([("points when defeated", vote.proponent, -10)])
        elif 203 not in book.in_force_numbers and votes_for != eligible:
            moments.append([("points for dissent", voter, 10) for voter in self._dissenters(vote)])
        share = (
            Fraction((number - 291) * votes_for, votes_for + against) if votes_for + against else Fraction(0)
        )
        points = floor(abs(share) + Fraction(1, 2)) * (1 if share > 0 else -1)
        moments.append([("points for the turn", vote.proponent, points)] if points else [])
        return [moment for moment in moments if moment]

    def _dissenters(self, vote: Vote) -> list[int]:
        return sorted(v for v in vote.ballots if v not in vote.silent and self.choice(vote, v) == "against")


def still_paid_as_at_first(book: Rulebook) -> bool:
    """Whether 202, 204 and 206 read as they did at first, and no other rule carries a clause of theirs."""
    for clause, number in PAID_BY.items():
        rule = book.standing(number)
        if rule is None or len(rule.versions) > 1 or len(book.carriers(clause)) > 1:
            return False
    return True
