"""The log of cases in words (212, 213): each fact about judgment and consent as a sentence.

What lives here: sentences, by kind of fact. What never may: other facts (chronicle.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pbem.game import case_views, errata, events
from pbem.game.model import Say, say
from pbem.game.state import State

Sentence = Callable[[State, Any], Say]


def _name(state: State, player: int | None) -> str | Say:
    return say("the keeper") if player is None else state.players[player].name


def _names(state: State, players: tuple[int, ...]) -> str:
    return ", ".join(state.players[player].name for player in players) or "–"


def _case_opened(state: State, fact: events.CaseOpened) -> Say:
    return say(
        "%(name)s goes to judgment, case J%(case)d: “%(question)s” The Judge is %(judge)s.",
        name=_name(state, fact.player),
        case=fact.case,
        question=fact.question,
        judge=_name(state, fact.judge),
    )


def _verdict_given(state: State, fact: events.VerdictGiven) -> Say:
    found = {"case": fact.case, "judge": _name(state, fact.judge), "words": fact.text}
    if fact.finding is None:
        return say("Verdict of %(judge)s in case J%(case)d: “%(words)s”", **found)
    said = say(
        "Verdict of %(judge)s in case J%(case)d: %(finding)s.",
        **found,
        finding=case_views.WORDS[fact.finding],
    )
    return say("%(verdict)s “%(words)s”", verdict=said, words=fact.text) if fact.text else said


def _opinion_given(state: State, fact: events.OpinionGiven) -> Say:
    facts = {"name": _name(state, fact.player), "case": fact.case}
    if fact.opinion == "overrule":
        return say("%(name)s would overrule the verdict in case J%(case)d.", **facts)
    return say("%(name)s upholds the verdict in case J%(case)d.", **facts)


def _verdict_overruled(_: State, fact: events.VerdictOverruled) -> Say:
    return say(
        "The verdict in case J%(case)d is overruled by rule %(rule)s: %(working)s.",
        case=fact.case,
        rule=fact.rule or "–",
        working=fact.working,
    )


_APPOINTED = {
    "overruled": say("The verdict is overruled, so %(judge)s is the new Judge of %(cases)s."),
    "left": say("The Judge has left the game, so %(judge)s is the new Judge of %(cases)s."),
    "reopened": say("The keeper reopens %(cases)s, and %(judge)s is the Judge."),
}


def _judge_appointed(state: State, fact: events.JudgeAppointed) -> Say:
    cases = ", ".join(f"J{case}" for case in fact.cases)
    appointed = Say(_APPOINTED[fact.because].text, {"judge": _name(state, fact.judge), "cases": cases})
    return errata.because(appointed, fact.why)


_REFERRED = {
    "paradox": say("The verdict in case J%(case)d is final, and a paradox. The keeper is asked."),
    "exhausted": say("Nobody is left to judge case J%(case)d. The keeper is asked."),
}


def _case_referred(_: State, fact: events.CaseReferred) -> Say:
    return Say(_REFERRED[fact.because].text, {"case": fact.case})


def _case_closed(state: State, fact: events.CaseClosed) -> Say:
    if state.docket.cases[fact.case].stage == "lapsed":
        return say("Case J%(case)d is closed without a verdict that stands.", case=fact.case)
    return say("The verdict in case J%(case)d is final.", case=fact.case)


def _judge_late(state: State, fact: events.JudgeLate) -> Say:
    facts = {"name": _name(state, fact.judge), "case": fact.case}
    if fact.until is None:
        return say("The keeper is told that case J%(case)d still waits for the verdict of %(name)s.", **facts)
    return say("%(name)s is reminded of case J%(case)d.", **facts)


def _consent_asked(_: State, __: events.ConsentAsked) -> Say:
    return say("The next turn waits until enough of the others consent.")


def _consent_given(state: State, fact: events.ConsentGiven) -> Say:
    if fact.player is None:
        return say("The keeper lets the next turn begin.")
    return say("%(name)s consents to the next turn.", name=_name(state, fact.player))


def _consent_reached(_: State, fact: events.ConsentReached) -> Say:
    if fact.rule is None:
        return say("The next turn may begin.")
    return say(
        "The next turn may begin, by rule %(rule)d: %(working)s.", rule=fact.rule, working=fact.working
    )


def _consent_late(state: State, fact: events.ConsentLate) -> Say:
    names = _names(state, fact.waiting_for)
    if fact.until is None:
        return say("The keeper is told whose consent to the next turn is missing: %(names)s.", names=names)
    return say("A reminder to consent to the next turn goes to: %(names)s.", names=names)


SENTENCES: dict[type[Any], Sentence] = {
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
