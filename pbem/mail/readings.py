"""What a text was read as: the lines that are commands, those to be asked back, and which of them contradict one another.

What lives here: the values, and the look for ballots that cannot both count. What never may: reading a line.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from pbem.game.commands import Command, Vote
from pbem.game.model import Problem, say
from pbem.game.proposals import Conditional
from pbem.mail.vocabulary import Language


@dataclass(frozen=True, slots=True)
class Understood:
    """A line that is a command: its number (1 is the first; 0 the subject), its words, and their language if sure.

    A line with several numbers is understood once for each. `closed`: no text belongs to it, or an `end` closes that.
    """

    line: int
    said: str
    command: Command
    language: Language | None
    closed: bool = True


@dataclass(frozen=True, slots=True)
class Reading:
    """A text as read: commands and problems in the order of their lines, and the words that are neither."""

    lines: tuple[Understood | Problem, ...]
    prose: str

    @property
    def commands(self) -> tuple[Understood, ...]:
        return tuple(line for line in self.lines if isinstance(line, Understood))

    @property
    def problems(self) -> tuple[Problem, ...]:
        return tuple(line for line in self.lines if isinstance(line, Problem))

    @property
    def languages(self) -> frozenset[Language]:
        """The languages of the commands that are in one language only."""
        return frozenset(line.language for line in self.commands if line.language)

    @property
    def language(self) -> Language | None:
        """The language the sender wrote in, if all commands agree."""
        return next(iter(self.languages)) if len(self.languages) == 1 else None


def without_disputes(read: list[Understood | Problem]) -> tuple[Understood | Problem, ...]:
    """The lines, with those that vote in different ways on one proposal asked back."""
    disputed = _disputed(read)
    lines: list[Understood | Problem] = []
    for one in read:
        if one.line not in disputed or isinstance(one, Problem):
            lines.append(one)
        elif disputed[one.line]:
            why = _DISPUTED[all(isinstance(vote.choice, str) for vote in disputed[one.line])]
            lines.append(Problem(one.line, one.said, why, disputed[one.line]))
            disputed[one.line] = ()
    return tuple(lines)


_DISPUTED = {
    True: say("This mail votes both for and against the same proposal. Which shall count?"),
    False: say("This mail has several ballots on the same proposal. Which shall count?"),
}
"""By whether the ballots are plain."""


def _disputed(read: list[Understood | Problem]) -> dict[int, tuple[Vote, ...]]:
    """The lines whose votes contradict one another, each with the votes to choose from."""
    votes: list[tuple[int, Vote]] = []
    for one in read:
        above = votes[-1][1].number if votes else None
        votes += [(one.line, vote) for vote in _votes(one, above)]
    everywhere = [(line, vote) for line, vote in votes if vote.number == "all"]
    by_number: dict[object, list[tuple[int, Vote]]] = {}
    for line, vote in votes:
        by_number.setdefault(vote.number, list(everywhere) if vote.number != "all" else []).append(
            (line, vote)
        )
    disputed: dict[int, tuple[Vote, ...]] = {}
    for cast in by_number.values():
        if len({vote.choice for _, vote in cast}) > 1:
            choice = tuple(
                {(vote.choice, vote.number): Vote(vote.choice, vote.number) for _, vote in cast}.values()
            )
            for line, _ in cast:
                disputed.setdefault(line, (*_joined(choice), *choice))
    return disputed


def _votes(one: Understood | Problem, above: int | Literal["all", "rest"] | None) -> tuple[Vote, ...]:
    """The ballots that a line casts, or may have been meant to: then none of them counts beside another. One that may
    have been meant, and names no proposal, may be about that of the ballot `above`."""
    if isinstance(one, Understood):
        return (one.command,) if isinstance(one.command, Vote) else ()
    meant = (vote for vote in one.cure if isinstance(vote, Vote))
    return tuple(replace(vote, number=above) if vote.number is None else vote for vote in meant)


def _joined(votes: tuple[Vote, ...]) -> tuple[Vote, ...]:
    """The one ballot that two come to whose conditions exclude one another."""
    match [vote.choice for vote in votes]:
        case [Conditional(choice, on, passes, None), Conditional(other, same, fails, None)]:
            if on == same and passes != fails:
                return (Vote(Conditional(choice, on, passes, other), votes[0].number),)
    return ()
