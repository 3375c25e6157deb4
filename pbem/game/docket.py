"""The cases of a game, who judges, and whether the next turn may begin (212): a fold over the facts about them.

What lives here: the values a `Docket` is made of, and what each fact makes of it. What never may: a judgment; judgment.py makes those.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from immutables import Map

from pbem.game import events
from pbem.game.model import Finding, Opinion
from pbem.game.proposals import Post, Term

CaseStage = Literal["judging", "ruled", "keeper", "final", "lapsed"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """A Judge's answer to the question of a case (212): `judge` None is the keeper, `finding` None means that it is in
    `text` alone. `opinions` are what the others say of it while they may overrule it."""

    judge: int | None
    finding: Finding | None
    text: str
    at: int
    mail: str | None = None
    opinions: Map[int, Opinion] = Map()
    overruled: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """A question brought to judgment (212), J1, J2 … through the game.

    `turn` is the turn it belongs to, `term` the time its Judge has (`judge` None: the keeper). Its verdict can be overruled until a turn
    later than `heard_in` begins. `since` is how many verdicts were given before it was last opened: whoever gave a later
    one does not judge in it again. Stages: its Judge is awaited (`judging`), the verdict stands but can be overruled
    (`ruled`), only the keeper can go on (`keeper`, because of `referred`), the verdict is `final`, or a turn began before
    there was one (`lapsed`).
    """

    number: int
    question: str
    asker: int
    turn: int
    heard_in: int
    opened: int
    judge: int | None
    term: Term | None = None
    stage: CaseStage = "judging"
    verdicts: tuple[Verdict, ...] = ()
    since: int = 0
    referred: Literal["paradox", "exhausted"] | None = None
    debate: tuple[Post, ...] = ()
    mail: str | None = None

    @property
    def name(self) -> str:
        """As players call it: J1."""
        return f"J{self.number}"

    @property
    def verdict(self) -> Verdict | None:
        """The last verdict, overruled or not."""
        return self.verdicts[-1] if self.verdicts else None

    @property
    def stands(self) -> bool:
        """Whether a verdict stands in it."""
        return self.stage in ("ruled", "final")


@dataclass(frozen=True, slots=True)
class Consent:
    """Whether the others consent to the next turn, once somebody went to judgment in this one (212).

    `given` are the players who do; `asked` since the turn is over; `reached`: the next turn may begin.
    """

    given: frozenset[int] = frozenset()
    asked: bool = False
    reached: bool = False
    term: Term | None = None


@dataclass(frozen=True, slots=True)
class Docket:
    """`open` are the numbers of cases in which something can still happen, `bench` the Judges of turn `turn` (ids; None:
    the keeper), the last of them in office. `consent` is about the turn after it."""

    cases: Map[int, Case] = Map()
    open: tuple[int, ...] = ()
    turn: int = 0
    bench: tuple[int | None, ...] = ()
    consent: Consent = Consent()

    @property
    def open_cases(self) -> tuple[Case, ...]:
        return tuple(self.cases[number] for number in self.open)

    @property
    def waits(self) -> bool:
        """Whether the next turn waits for the others' consent."""
        return self.consent.asked and not self.consent.reached

    def of_turn(self, turn: int) -> tuple[Case, ...]:
        """The cases that belong to a turn, in order of number."""
        return tuple(case for _, case in sorted(self.cases.items()) if case.turn == turn)


NO_CASES = Docket()
"""Nobody has gone to judgment."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """When a fact was recorded (UTC µs), and the SHA-256 of the mail behind it."""

    at: int
    mail: str | None


def next_turn(docket: Docket, turn: int) -> Docket:
    """A turn begins: nobody has gone to judgment in it."""
    return replace(docket, turn=turn, bench=(), consent=Consent())


def later(docket: Docket, by: int) -> Docket:
    """What there is time for in the open cases, and to consent, is due later by so much (µs)."""
    for case in docket.open_cases:
        docket = _with(docket, case.number, term=case.term and case.term.later(by))
    consent = docket.consent
    return replace(docket, consent=replace(consent, term=consent.term and consent.term.later(by)))


def posted(docket: Docket, number: int, post: Post) -> Docket:
    """Words are added to the debate of a case."""
    return _with(docket, number, debate=(*docket.cases[number].debate, post))


def _case_opened(docket: Docket, fact: events.CaseOpened, moment: Recorded) -> Docket:
    case = Case(
        number=fact.case,
        question=fact.question,
        asker=fact.player,
        turn=fact.turn,
        heard_in=fact.turn,
        opened=moment.at,
        judge=fact.judge,
        term=Term(moment.at, fact.until),
        mail=moment.mail,
    )
    opened = replace(docket, cases=docket.cases.set(case.number, case), open=(*docket.open, case.number))
    return _seated(opened, fact.judge)


def _seated(docket: Docket, judge: int | None) -> Docket:
    """The docket with that Judge in office."""
    return docket if docket.bench[-1:] == (judge,) else replace(docket, bench=(*docket.bench, judge))


def _verdict_given(docket: Docket, fact: events.VerdictGiven, moment: Recorded) -> Docket:
    verdict = Verdict(fact.judge, fact.finding, fact.text, moment.at, moment.mail)
    verdicts = (*docket.cases[fact.case].verdicts, verdict)
    return _with(docket, fact.case, verdicts=verdicts, stage="ruled", term=None)


def _opinion_given(docket: Docket, fact: events.OpinionGiven, _: Recorded) -> Docket:
    *earlier, verdict = docket.cases[fact.case].verdicts
    heard = replace(verdict, opinions=verdict.opinions.set(fact.player, fact.opinion))
    return _with(docket, fact.case, verdicts=(*earlier, heard))


def _verdict_overruled(docket: Docket, fact: events.VerdictOverruled, _: Recorded) -> Docket:
    *earlier, verdict = docket.cases[fact.case].verdicts
    return _with(docket, fact.case, verdicts=(*earlier, replace(verdict, overruled=True)), stage="judging")


def _judge_appointed(docket: Docket, fact: events.JudgeAppointed, moment: Recorded) -> Docket:
    for number in fact.cases:
        docket = _with(docket, number, judge=fact.judge, stage="judging", term=Term(moment.at, fact.until))
        if fact.because == "reopened":
            docket = _heard_anew(docket, number)
    own = any(docket.cases[number].turn == docket.turn for number in fact.cases)
    return _seated(docket, fact.judge) if own else docket


def _heard_anew(docket: Docket, number: int) -> Docket:
    case = docket.cases[number]
    still_open = docket.open if number in docket.open else (*docket.open, number)
    anew = _with(docket, number, since=len(case.verdicts), heard_in=docket.turn, referred=None)
    return replace(anew, open=still_open)


def _case_referred(docket: Docket, fact: events.CaseReferred, _: Recorded) -> Docket:
    return _with(docket, fact.case, stage="keeper", referred=fact.because, term=None)


def _case_closed(docket: Docket, fact: events.CaseClosed, _: Recorded) -> Docket:
    verdict = docket.cases[fact.case].verdict
    stage = "lapsed" if verdict is None or verdict.overruled else "final"
    closed = _with(docket, fact.case, stage=stage, term=None)
    return replace(closed, open=tuple(number for number in docket.open if number != fact.case))


def _judge_late(docket: Docket, fact: events.JudgeLate, _: Recorded) -> Docket:
    return _with(docket, fact.case, term=_late(docket.cases[fact.case].term, fact.until))


def _late(term: Term | None, until: int | None) -> Term | None:
    """The time that ran out: now the grace runs, or that is over too."""
    if term is None:
        return None
    return replace(term, reached="grace over" if until is None else "deadline", grace=until)


def _consent_asked(docket: Docket, fact: events.ConsentAsked, moment: Recorded) -> Docket:
    asked = replace(docket.consent, asked=True, term=Term(moment.at, fact.until))
    return replace(docket, consent=asked)


def _consent_given(docket: Docket, fact: events.ConsentGiven, _: Recorded) -> Docket:
    if fact.player is None:
        return docket
    return replace(docket, consent=replace(docket.consent, given=docket.consent.given | {fact.player}))


def _consent_reached(docket: Docket, _: events.ConsentReached, __: Recorded) -> Docket:
    return replace(docket, consent=replace(docket.consent, reached=True, term=None))


def _consent_late(docket: Docket, fact: events.ConsentLate, _: Recorded) -> Docket:
    return replace(docket, consent=replace(docket.consent, term=_late(docket.consent.term, fact.until)))


def _with(docket: Docket, number: int, **changes: Any) -> Docket:
    """The docket with case `number` changed."""
    return replace(docket, cases=docket.cases.set(number, replace(docket.cases[number], **changes)))


FOLDS: dict[type[Any], Callable[[Docket, Any, Recorded], Docket]] = {
    events.CaseOpened: _case_opened,
    events.VerdictGiven: _verdict_given,
    events.OpinionGiven: _opinion_given,
    events.VerdictOverruled: _verdict_overruled,
    events.JudgeAppointed: _judge_appointed,
    events.CaseReferred: _case_referred,
    events.CaseClosed: _case_closed,
    events.JudgeLate: _judge_late,
    events.ConsentAsked: _consent_asked,
    events.ConsentGiven: _consent_given,
    events.ConsentReached: _consent_reached,
    events.ConsentLate: _consent_late,
}
