"""A mail whose subject names one thing and a line of it another: asked back, both shown.

What lives here: the comparison. What never may: a guess which of the two was meant.
"""

from __future__ import annotations

from dataclasses import replace

from pbem.game.commands import Propose, Vote
from pbem.game.model import OPEN_STAGES, Problem, Rule, say
from pbem.game.state import State
from pbem.mail.compose import Thread
from pbem.mail.readings import Reading
from pbem.mail.receipt import Line


def proposals_named(subject: str, state: State) -> list[int]:
    """The proposals of the game whose numbers stand in a subject."""
    return [number for number in _numbers(subject) if number in state.proposals]


def _numbers(subject: str) -> list[int]:
    """The numbers in a subject, each once."""
    words = (word.strip(".,:;!?()“”\"'") for word in subject.split())
    numbers = (int(word) for word in words if word.isascii() and word.isdigit() and len(word) < 9)
    return list(dict.fromkeys(numbers))


def disagreement(subject: str, thread: Thread | None, reading: Reading, state: State) -> list[Line]:
    """What names another proposal, or another rule, than the subject does is asked back, both shown."""
    return _other_proposal(subject, reading, state) or _other_rule(subject, thread, reading, state)


def _other_rule(subject: str, thread: Thread | None, reading: Reading, state: State) -> list[Line]:
    """A change of another rule than the one that the sender's own subject names."""
    changing = [(line, line.command) for line in reading.commands if isinstance(line.command, Propose)]
    named = _rules_named(subject, state) if thread is None else []
    if len(named) != 1 or len(changing) != 1:
        return []
    line, asked = changing[0]
    rule = state.rulebook.find(asked.target or 0)
    if rule is None or rule.key == named[0].key:
        return []
    why = say(
        "The subject of your mail names rule %(subject)d, “%(subject_title)s”, this line rule %(line)d, "
        "“%(title)s”. Which do you mean?",
        subject=named[0].number,
        subject_title=named[0].now.title,
        line=rule.number,
        title=rule.now.title,
    )
    cure = (replace(asked, target=named[0].number), asked)
    return [Line(line.line, line.said, None, problem=Problem(line.line, line.said, why, cure))]


def _rules_named(subject: str, state: State) -> list[Rule]:
    """The rules of the game whose numbers, of now or once, stand in a subject."""
    found = (state.rulebook.find(number) for number in _numbers(subject))
    return list({rule.key: rule for rule in found if rule is not None}.values())


def _other_proposal(subject: str, reading: Reading, state: State) -> list[Line]:
    """A ballot for another proposal than the one the subject names."""
    named = proposals_named(subject, state)
    ballots = [(line, line.command) for line in reading.commands if isinstance(line.command, Vote)]
    if len(named) != 1 or len(ballots) != 1 or ballots[0][1].number in (None, "all", "rest", named[0]):
        return []
    line, ballot = ballots[0]
    why = say(
        "The subject of your mail names proposal %(subject)d, this line %(line)d. Which do you mean?",
        subject=named[0],
        line=ballot.number,
    )
    cure = tuple(
        replace(ballot, number=number) for number in (named[0], ballot.number) if _is_open(state, number)
    )
    return [Line(line.line, line.said, None, problem=Problem(line.line, line.said, why, cure))]


def _is_open(state: State, number: object) -> bool:
    proposal = state.proposals.get(number) if isinstance(number, int) else None
    return proposal is not None and proposal.stage in OPEN_STAGES
