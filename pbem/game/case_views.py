"""Cases as people and programs read them (212): who asked what, who judges, what was found, who is waited for.

What lives here: frozen views, made from a `State` alone. What never may: anything that changes the game.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pbem.game import consent, judgment, regulation
from pbem.game.citations import numbers_named
from pbem.game.commands import Command, GiveConsent, GiveVerdict, Overrule, Uphold
from pbem.game.docket import Case, Verdict
from pbem.game.model import Finding, Moment, Player, Say, say
from pbem.game.proposals import Post
from pbem.game.state import State


@dataclass(frozen=True, slots=True)
class VerdictLine:
    """A verdict, with its Judge's name ("" for the keeper), the word for what was found (None: it is in the text), and
    who of the others would overrule or uphold it."""

    verdict: Verdict
    judge: str
    found: Say | None
    overruling: tuple[str, ...]
    upholding: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CaseView:
    """A case as a reader sees it: `judge` is its present Judge's name ("" for the keeper), `stands` how it stands in a
    sentence, `rules` are the numbers of the rules it speaks of, `words` its debate with the authors' names."""

    case: Case
    asker: str
    judge: str
    stands: Say
    verdicts: tuple[VerdictLine, ...]
    rules: tuple[int, ...]
    words: tuple[tuple[str, Post], ...]


def case_view(state: State, number: int) -> CaseView:
    """A case with all that became of it."""
    case = state.docket.cases[number]
    return CaseView(
        case,
        state.name(case.asker, case.opened),
        name_of(state, case.judge),
        stands(state, case),
        tuple(_verdict(state, verdict) for verdict in case.verdicts),
        rules_named(state, case),
        tuple((name_of(state.as_of(post.at), post.player), post) for post in case.debate),
    )


def all_cases(state: State) -> tuple[CaseView, ...]:
    """Every case of the game, newest first."""
    return tuple(case_view(state, number) for number in sorted(state.docket.cases, reverse=True))


def name_of(state: State, player: int | None) -> str:
    """A player's name; "" for the keeper."""
    return "" if player is None else state.players[player].name


def _verdict(state: State, verdict: Verdict) -> VerdictLine:
    said = sorted(verdict.opinions.items())
    overruling = tuple(name_of(state, player) for player, opinion in said if opinion == "overrule")
    upholding = tuple(name_of(state, player) for player, opinion in said if opinion == "uphold")
    found = WORDS[verdict.finding] if verdict.finding else None
    return VerdictLine(verdict, name_of(state.as_of(verdict.at), verdict.judge), found, overruling, upholding)


def rules_named(state: State, case: Case) -> tuple[int, ...]:
    """The rules, by the numbers they have now, that the question or a verdict mentions by any number they ever had."""
    words = " ".join((case.question, *(verdict.text for verdict in case.verdicts)))
    found = (state.rulebook.find(number) for number in numbers_named(words))
    return tuple(dict.fromkeys(rule.number for rule in found if rule is not None))


WORDS: dict[Finding, Say] = {"legal": say("legal"), "illegal": say("illegal"), "paradox": say("paradox")}
"""What a Judge can find, as a reader knows the words."""


def stands(state: State, case: Case) -> Say:
    """How a case stands, in a sentence."""
    facts = {"judge": name_of(state, case.judge) or say("the keeper")}
    if case.stage == "keeper":
        return _WITH_KEEPER[case.referred]
    if (until := judgment.overruling_ends(state, case)) is not None:
        return say("The verdict stands unless the others overrule it by %(until)s.", until=Moment(until))
    return Say(_STANDS[case.stage].text, facts if case.stage == "judging" else {})


_STANDS = {
    "judging": say("Its Judge, %(judge)s, is waited for."),
    "ruled": say("The verdict stands unless the others overrule it before the next turn begins."),
    "final": say("The verdict is final."),
    "lapsed": say("It lapsed: the next turn began before there was a verdict."),
}
_WITH_KEEPER = {
    "paradox": say("The final verdict is a paradox; the keeper settles what follows."),
    "exhausted": say("Nobody is left to judge; the keeper settles what follows."),
    None: say("The keeper settles what follows."),
}


def provisional(state: State) -> bool:
    """Whether the game is won, but a question is open that may undo the win."""
    return state.status == "won" and any(not case.stands for case in state.docket.open_cases)


# ---- who is waited for ----


def answers(case: Case) -> tuple[Command, ...]:
    """What a Judge can reply."""
    return tuple(GiveVerdict(finding, case.number) for finding in WORDS)


def opinions(case: Case) -> tuple[Command, ...]:
    """What the others can reply to a verdict."""
    return Overrule(case.number), Uphold(case.number)


Awaited = tuple[Player, Say, int | None, tuple[Command, ...]]
"""A player, what they are waited for to do, by when (UTC µs), and the lines that do it."""


def waiting(state: State) -> Iterator[Awaited]:
    """The Judges whose verdict, and the players whose consent is waited for."""
    if state.status not in ("playing", "won"):
        return
    for case in state.docket.open_cases:
        if case.stage == "judging" and case.judge is not None:
            until = case.term.until if case.term else None
            task = say("give the verdict in case J%(case)d", case=case.number)
            yield state.players[case.judge], task, until, answers(case)
    if state.status == "playing" and state.docket.waits:
        term = state.docket.consent.term
        for player in consent.awaited(state):
            yield player, say("consent to the next turn"), term.until if term else None, (GiveConsent(),)


def can_be_overruled(state: State, case: Case) -> bool:
    """Whether the others can still set its verdict aside."""
    return case.stage == "ruled" and regulation.carrier(state, judgment.OVERRULING) is not None


# ---- for programs ----


def case_json(state: State, case: Case) -> dict[str, Any]:
    """A case as `pbem state` gives it: the present Judge (null: the keeper), and the last verdict."""
    verdict = case.verdict
    return {
        "number": case.name,
        "question": case.question,
        "asked_by": state.players[case.asker].name,
        "judge": name_of(state, case.judge) or None,
        "verdict": verdict and _said(verdict),
        "overruled": verdict is not None and verdict.overruled,
        "stage": case.stage,
        "turn": case.turn,
        "verdicts": [_verdict_json(state, each) for each in case.verdicts],
    }


def _said(verdict: Verdict) -> str:
    return verdict.finding or verdict.text


def _verdict_json(state: State, verdict: Verdict) -> dict[str, Any]:
    said = sorted(verdict.opinions.items())
    return {
        "judge": name_of(state, verdict.judge) or None,
        "verdict": _said(verdict),
        "text": verdict.text,
        "overruled": verdict.overruled,
        "opinions": {name_of(state, player): opinion for player, opinion in said},
    }
