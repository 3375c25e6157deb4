"""The one answer to a mail: each line as understood, what came of it, and what happens next.

What lives here: what is said of a line. What never may: reading or judging one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pbem.game import ballots, bounds, chronicle, errata, events, proclaimed, views
from pbem.game.commands import (
    Admit,
    Ask,
    CarryClauses,
    Check,
    Command,
    Observe,
    Press,
    SayFor,
    Set,
    Speak,
    Vote,
)
from pbem.game.events import Fact
from pbem.game.fold import evolve
from pbem.game.model import Moment, Problem, Refused, Say, say
from pbem.game.proposals import Conditional
from pbem.game.state import State
from pbem.mail import ahead, hearings, results
from pbem.mail.answers import Answered
from pbem.mail.notice import Notice, common

ASKED = "asked."
"""How the thread of a receipt begins that asks for a word of its reader's; the key of their mail follows."""
LONGEST_LINE = 200
"""Characters shown of a line the sender wrote."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a mail and what became of it: facts, a refusal, a problem, or an answer.

    `line` is its number in the text, from 1. `left_out` is the first row that was cut off the text it takes, ""
    when nothing was. `told` is what else is said of it.
    """

    line: int
    said: str
    command: Command | None
    facts: tuple[Fact, ...] = ()
    refused: Refused | None = None
    problem: Problem | None = None
    answer: Answered | None = None
    left_out: str = ""
    told: Say | None = None


@dataclass(frozen=True, slots=True)
class Beside:
    """What a mail held beside its commands: its subject, words that went to nobody, the proposals whose quoted rows have
    no answer below them, the names of what was attached, and whether words were struck out."""

    subject: str = ""
    aside: str = ""
    blank: tuple[int, ...] = ()
    attached: tuple[str, ...] = ()
    struck: bool = False


NOTHING_BESIDE = Beside()


@dataclass(frozen=True, slots=True)
class Entry:
    """A line as the receipt shows it: the sender's words, the command understood (None: none, or words for the players), what is said
    of it, lines to send instead, and a section that answers it."""

    said: str
    command: Command | None
    became: Literal["done", "question", "problem"]
    sayings: tuple[Say, ...]
    cure: tuple[Any, ...]
    answer: Answered | None


def receipt(
    lines: Sequence[Line],
    before: State,
    after: State,
    player: int | None,
    key: str,
    beside: Beside = NOTHING_BESIDE,
) -> Notice:
    """The answer to the mail `key`, whose lines led from `before` to `after`. `player` is the sender's seat, if any."""
    entries = _entries(lines, before, after.at)
    posted_only = bool(lines) and all(isinstance(line.command, Speak) and not line.refused for line in lines)
    answer = _verdict(entries)
    if posted_only and _ballots(after, player):
        answer = say("OK, but no ballot")
    due = ahead.due(after)
    yours = tuple(entry for entry in due if player in entry.players)
    view = {
        **common(after),
        "heading": answer,
        "entries": entries,
        "aside": beside.aside,
        "blank": beside.blank,
        "attached": beside.attached,
        "struck": beside.struck,
        "unsigned": False,
        "posted_only": posted_only,
        "ballots": _ballots(after, player),
        "is_voted_on": any(proposal.stage == "voting" for proposal in after.open_proposals),
        "vote_help": Ask("help", "vote"),
        "asked_status": any(line.command == Ask("status") for line in lines),
        "yours": yours,
        "others": tuple(entry for entry in due if entry not in yours),
        "calendar": ahead.calendar(after, frozenset(entry.until for entry in yours)),
    }
    subject = answer
    if beside.subject:
        subject = say("%(answer)s: %(subject)s", answer=answer, subject=beside.subject)
    thread = f"{ASKED}{key}" if any(_asks_about_clauses(line) for line in lines) else ""
    return Notice(f"receipt:{key}", "person", "mail/receipt.j2", view, subject, thread, "answer")


def _asks_about_clauses(line: Line) -> bool:
    """Whether one word in reply to the receipt lets the proposal of this line go on."""
    return line.refused is not None and CarryClauses("keep") in line.refused.cure


def _verdict(entries: Sequence[Entry]) -> Say:
    """How the mail as a whole fared: the first words of the subject."""
    failed = [entry.became for entry in entries if entry.became != "done"]
    if not failed:
        return say("OK")
    if "problem" in failed:
        return say("1 problem") if len(failed) == 1 else say("%(count)d problems", count=len(failed))
    return say("1 question") if len(failed) == 1 else say("%(count)d questions", count=len(failed))


def _ballots(state: State, player: int | None) -> tuple[Vote, ...]:
    """The ballots the player could cast now and has not."""
    return tuple(
        Vote(choice, proposal.number)
        for proposal in state.open_proposals
        if proposal.stage == "voting" and player in proposal.missing
        for choice in ("for", "against")
    )


def _entries(lines: Sequence[Line], state: State, at: int) -> tuple[Entry, ...]:
    """Each line told from the state it found."""
    telling = _Telling(state, at)
    told = (
        (line, telling.sayings(line.facts, others=isinstance(line.command, _ABOUT_OTHERS))) for line in lines
    )
    return tuple(_entry(line, tuple(sayings), telling.state) for line, sayings in told)


def _entry(line: Line, sayings: tuple[Say, ...], state: State) -> Entry:
    if line.problem is not None:
        return _shown(line, "question", (line.problem.why,), line.problem.cure)
    if line.refused is not None:
        became: Literal["question", "problem"] = "question" if line.refused.asks else "problem"
        told = bounds.named(line.refused.said, line.refused.rule)
        return _shown(line, became, (told,), line.refused.cure)
    made = next((f for f in line.facts if isinstance(f, (events.ProposalMade, events.ProposalRevised))), None)
    if made is not None:
        return _shown(line, "done", (*sayings, *_left_out(line)), (), _as_taken(state, made.number))
    if type(line.command) in _OUTSIDE:
        sayings = (*sayings, _OUTSIDE[type(line.command)])
    if line.told is not None:
        sayings = (*sayings, line.told)
    return _shown(line, "done", (*sayings, *_left_out(line)), (), line.answer)


def _left_out(line: Line) -> tuple[Say, ...]:
    """That rows were cut off a text which no `end` closes, and how to send them."""
    if not line.left_out:
        return ()
    left = say(
        "From “%(row)s” on, lines were left out: they look like a quote or a signature. "
        "If they belong to the text, send it again with “end” on a line of its own below it.",
        row=line.left_out[:LONGEST_LINE],
    )
    return (left,)


def _shown(
    line: Line,
    became: Literal["done", "question", "problem"],
    sayings: tuple[Say, ...],
    cure: tuple[Any, ...],
    answer: Answered | None = None,
) -> Entry:
    first, *more = [words.strip() for words in line.said.splitlines() if words.strip()] or [""]
    said = first[:LONGEST_LINE]
    if more or len(first) > LONGEST_LINE:
        said += " …"
    understood = None if isinstance(line.command, Speak) else line.command
    return Entry(said, understood, became, sayings, cure, answer)


_OUTSIDE: dict[type[Any], Say] = {
    Check: say("This is what it would do. Nothing is recorded, and no number is used."),
    Set: say("Your setting is changed."),
    Press: say("Your words go to your team-mates, and to nobody else."),
    Observe: say("You watch the game from now on, and get its results by mail."),
}
"""What is said of commands that leave no fact in the game."""


def _as_taken(state: State, number: int) -> Answered:
    """A proposal as it was read, so that its proponent sees what others will vote on."""
    view = {"proposal": views.proposal_view(state, number), "change": results.amendment(state, number)}
    return Answered("mail/answers/taken.j2", view)


class _Telling:
    """Facts told one by one; `state` is the state after those told."""

    def __init__(self, state: State, at: int) -> None:
        self.state = state
        self.at = at

    def sayings(self, facts: Sequence[Fact], *, others: bool = False) -> list[Say]:
        said: list[Say] = []
        for fact in facts:
            tell = (_SAYINGS_OF_OTHERS if others else _SAYINGS).get(type(fact))
            said.extend(tell(fact, self.state, self.at) if tell else ())
            self.state = evolve(self.state, fact, self.at)
        return said


def _joined(fact: events.PlayerJoined, state: State, _: int) -> tuple[Say, ...]:
    seated = say("You are in the game as %(name)s.", name=fact.name)
    if state.status != "setup":
        return (seated,)
    return seated, say("It begins when the keeper starts it, and then you get a mail.")


def _started(*_: Any) -> tuple[Say, ...]:
    return (say("The game has begun."),)


def _made(fact: events.ProposalMade, *_: Any) -> tuple[Say, ...]:
    taken = say("Your proposal has number %(number)d, and all players get it now.", number=fact.number)
    return (taken, *fact.remarks)


def _revised(fact: events.ProposalRevised, *_: Any) -> tuple[Say, ...]:
    taken = say("Proposal %(number)d has its new text, and all players get it now.", number=fact.number)
    return (taken, *fact.remarks)


def _withdrawn(fact: events.ProposalWithdrawn, *_: Any) -> tuple[Say, ...]:
    return (say("Proposal %(number)d is withdrawn. Its number is spent.", number=fact.number),)


def _posted(fact: events.Posted, *_: Any) -> tuple[Say, ...]:
    if fact.case is not None:
        return (say("Your words are posted to case J%(case)d, for all players.", case=fact.case),)
    if fact.number is None:
        return (say("Your words are posted to the table talk."),)
    return (say("Your words are posted to the debate of proposal %(number)d.", number=fact.number),)


def _opened(fact: events.VoteOpened, *_: Any) -> tuple[Say, ...]:
    return (
        say("The vote on proposal %(number)d is open, and everyone gets a ballot paper.", number=fact.number),
    )


def _cast(fact: events.BallotCast, state: State, at: int) -> tuple[Say, ...]:
    taken = say(
        "Your ballot on proposal %(number)d: %(choice)s, taken %(at)s.",
        number=fact.number,
        choice=ballots.worded(state, fact.choice),
        at=Moment(at),
    )
    earlier = state.proposals[fact.number].ballots.get(fact.player)
    if isinstance(fact.choice, Conditional):
        hangs = say(
            "Proposal %(on)d must be decided before the vote on %(number)d closes, or this is no ballot.",
            on=fact.choice.on,
            number=fact.number,
        )
        return (taken, hangs)
    if earlier is None:
        return (taken,)
    replaced = say(
        "It replaces your ballot of %(at)s: %(choice)s.",
        at=Moment(earlier.at),
        choice=ballots.worded(state, earlier.choice),
    )
    return taken, replaced


def _retracted(fact: events.BallotRetracted, *_: Any) -> tuple[Say, ...]:
    return (
        say("Your ballot on proposal %(number)d is taken back. You have none there now.", number=fact.number),
    )


def _left(fact: events.PlayerLeft, state: State, _: int) -> tuple[Say, ...]:
    return (say("%(name)s has left the game.", name=state.players[fact.player].name),)


def _turn_over(fact: events.TurnEnded, *_: Any) -> tuple[Say, ...]:
    return (say("Turn %(turn)d is over.", turn=fact.turn),)


def _told(fact: Fact, state: State, _: int) -> tuple[Say, ...]:
    """As the log tells it."""
    return (chronicle.told(state, fact),)


def _claimed(fact: events.ClaimMade, *_: Any) -> tuple[Say, ...]:
    return (
        say("Your claim is C%(claim)d. The keeper is asked, and all players are told.", claim=fact.claim),
    )


def _clause_ruled(fact: events.ClauseRuled, state: State, at: int) -> tuple[Say, ...]:
    """As the log tells it, with a warning of what may take it back."""
    rule = state.rulebook.find(fact.rule.number)
    amending = [
        proposal.number
        for proposal in state.open_proposals
        if proposal.target is not None and state.rulebook.find(proposal.target) is rule
    ]
    if not amending:
        return _told(fact, state, at)
    numbers = ", ".join(map(str, amending))
    warning = say(
        "An open proposal changes this rule (%(numbers)s). If it is adopted, the clauses are those that were voted on.",
        numbers=numbers,
    )
    return (*_told(fact, state, at), warning)


_SAYINGS: dict[type[Any], Callable[[Any, State, int], tuple[Say, ...]]] = {
    events.Remedied: _told,
    events.DeadlineExtended: _told,
    events.PlayerAbsent: _told,
    events.PlayerBack: _told,
    events.SeatAsked: _told,
    events.SeatTaken: _told,
    events.PlayerJoined: _joined,
    events.GameStarted: _started,
    events.ProposalMade: _made,
    events.ProposalRevised: _revised,
    events.ProposalWithdrawn: _withdrawn,
    events.Posted: _posted,
    events.VoteOpened: _opened,
    events.BallotCast: _cast,
    events.BallotRetracted: _retracted,
    events.TurnEnded: _turn_over,
    **hearings.SAYINGS,
    **dict.fromkeys(errata.SENTENCES, _told),
    **dict.fromkeys(proclaimed.SENTENCES, _told),
    events.ClaimMade: _claimed,
    events.PlayerLeft: _left,
    events.VoteClosed: _told,
    events.ClauseRuled: _clause_ruled,
}
_ABOUT_OTHERS = (Admit, SayFor)
"""Commands whose facts are another's, so that “your” would be wrong."""
_SAYINGS_OF_OTHERS = dict.fromkeys(_SAYINGS, _told)
