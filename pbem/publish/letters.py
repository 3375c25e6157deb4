"""Letters: the mails that made the game, with the words of them that are public.

What lives here: letters made from records. What never may: the mail itself, an address, a token, or a ballot that is
still secret. A letter is what the log has of a mail, so it is there for as long as the log, whoever wishes to be
forgotten, and what else stood in the mail stays between its writer and the server.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pbem.game import chronicle, codec, events, views
from pbem.game.codec import Record
from pbem.game.model import Clause, Say
from pbem.game.state import State
from pbem.publish.page import mark


@dataclass(frozen=True, slots=True)
class Act:
    """What a mail did: the sentence that tells it (None: it only spoke), its words ("": the sentence has them) and clauses,
    and the proposal or case it is about. `spoken`: the words are prose, not a line to the server."""

    said: Say | None
    words: str = ""
    clauses: tuple[Clause, ...] = ()
    proposal: int | None = None
    case: int | None = None
    spoken: bool = True


@dataclass(slots=True)
class Letter:
    """A mail: the SHA-256 it is known by, when it was taken (UTC µs), who wrote it ("": the keeper), the mail that began the
    matter it is about first (None: no matter, or no mail did), and what it did."""

    mail: str
    at: int
    author: str
    answers: str | None = None
    acts: list[Act] = field(default_factory=list)

    @property
    def mark(self) -> str:
        """The anchor it has for ever."""
        return mark(self.mail)


def letters_of(state: State, records: Iterable[Record]) -> Iterator[Letter]:
    """The mails behind these records that may be read, in order; what only followed from a mail is left out."""
    hidden, found = views.hidden_votes(state), dict[str, Letter]()
    for record in records:
        if record.mail is None or (write := AUTHORS.get(record.kind)) is None:
            continue
        fact: Any = codec.decode(record)
        if isinstance(fact, events.BallotCast) and fact.number in hidden:
            continue
        if (author := write(state, fact)) != _NOBODY:
            name = "" if author is None else state.name(author, record.at)
            act = _act(state.as_of(record.at), fact)
            letter = found.setdefault(record.mail, Letter(record.mail, record.at, name, _began(state, act)))
            letter.acts.append(act)
    yield from found.values()


def _act(state: State, fact: Any) -> Act:
    act = Act(chronicle.told(state, fact), "", (), getattr(fact, "number", None), getattr(fact, "case", None))
    match fact:
        case events.Posted():
            return replace(act, said=None, words=fact.text)
        case events.ProposalMade() | events.ProposalRevised():
            return replace(act, words=fact.text, clauses=fact.clauses)
        case events.BallotCast():
            return replace(act, words=fact.said, spoken=False)
    return act


def _began(state: State, act: Act) -> str | None:
    """The mail that began the matter of an act."""
    if act.proposal is not None:
        return state.proposals[act.proposal].mail
    return state.docket.cases[act.case].mail if act.case is not None else None


_NOBODY = -1
"""A fact that only followed from the mail: its author wrote nothing of it."""
Author = Callable[[State, Any], int | None]


def _keeper(_: State, __: Any) -> None:
    return None


def _player(_: State, fact: Any) -> int | None:
    return fact.player  # type: ignore[no-any-return]  # one of the facts that have one


def _proponent(state: State, fact: Any) -> int:
    return state.proposals[fact.number].proponent


_AUTHORS: Mapping[type[Any], Author] = {
    events.PlayerJoined: _player,
    events.PlayerLeft: lambda _, fact: fact.player if fact.how == "forfeited" else None,
    events.PlayerAbsent: lambda _, fact: None if fact.by_keeper else fact.player,
    events.PlayerBack: _player,
    events.ProposalMade: _player,
    events.ProposalRevised: _proponent,
    events.ProposalWithdrawn: _proponent,
    events.VoteOpened: _proponent,
    events.Posted: _player,
    events.BallotCast: _player,
    events.BallotRetracted: _player,
    events.CaseOpened: _player,
    events.VerdictGiven: lambda _, fact: fact.judge,
    events.OpinionGiven: _player,
    events.ConsentGiven: _player,
    events.ClaimMade: _player,
    events.Ruled: _keeper,
    events.Announced: _keeper,
    events.KeepershipPassed: _keeper,
    events.GamePaused: _keeper,
    events.GameResumed: _keeper,
    events.GameContinued: _keeper,
    events.GameCalledOff: _keeper,
    events.SpokenFor: _keeper,
    events.GuestInvited: _keeper,
    events.PlayerAdmitted: _keeper,
    events.AddressChanged: _keeper,
    events.ClauseRuled: _keeper,
    events.EventUndone: _keeper,
    events.PointsCorrected: _keeper,
    events.ProposalVoided: _keeper,
    events.VoteReopened: _keeper,
    events.PlayerReturned: _keeper,
    events.DeadlineExtended: _keeper,
    events.Remedied: lambda _, fact: None if fact.remedy.by_keeper else _NOBODY,
    events.SeatTaken: _keeper,
}
"""Who wrote the mail behind a fact (an id; None: the keeper). A kind of fact that is not here follows from others."""
AUTHORS: Mapping[str, Author] = {codec.kind_of(kind): author for kind, author in _AUTHORS.items()}
