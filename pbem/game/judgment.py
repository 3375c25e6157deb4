"""Judgment (212): cases, verdicts, what the others say of them, and who judges next.

What lives here: how a case goes on, by a player's word or because of what else happened. What never may: who is Judge
(bench.py), the consent to the next turn (consent.py), or carrying out what a verdict orders: the keeper does that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Literal

from pbem.game import bench, failing, regulation, scoring
from pbem.game.commands import By, GiveVerdict, GoToJudgment, NoteJudging, OfCase, Overrule, Reopen, Uphold
from pbem.game.docket import Case, Verdict
from pbem.game.events import (
    CaseClosed,
    CaseOpened,
    CaseReferred,
    JudgeAppointed,
    JudgeLate,
    OpinionGiven,
    VerdictGiven,
    VerdictOverruled,
)
from pbem.game.model import Opinion, Player, Refused, Say, say
from pbem.game.move import Move, must_be_keeper
from pbem.game.proposals import Term
from pbem.game.state import State

OVERRULING = "judgment overruled when"


def go_to_judgment(move: Move, asked: GoToJudgment, by: By) -> None:
    """A player insists that the players disagree: the Judge of the turn is asked. Between two turns that is the one
    of the turn that is over, so nobody judges their own result."""
    _must_be_under_way(move.state)
    player = move.seat(by)
    if not asked.question.strip():
        raise Refused("Write the question after the colon: what shall the Judge decide?")
    until = regulation.deadline(move.state, "judging time", move.at)
    move.record(
        CaseOpened(
            case=len(move.state.docket.cases) + 1,
            question=asked.question.strip(),
            player=player.id,
            turn=move.state.turn,
            judge=bench.in_office(move.state, move.at),
            rule=regulation.rule_for(move.state, "judge"),
            until=until,
        )
    )


def give_verdict(move: Move, asked: GiveVerdict, by: By) -> None:
    """The Judge answers. The keeper may in the place of a Judge whose time and grace are over."""
    _must_be_under_way(move.state)
    case = _meant(move.state, asked, lambda case: case.stage == "judging" and _may_judge(case, by))
    _must_be_judged(case)
    if not _may_judge(case, by):
        raise Refused(
            "%(name)s is the Judge of case J%(case)d, and only the Judge gives the verdict.",
            rule=regulation.rule_for(move.state, "judge"),
            name=_judge_name(move.state, case),
            case=case.number,
        )
    if asked.finding is None and not asked.text.strip():
        raise Refused("Write the verdict: legal, illegal, paradox, or your own words after a colon.")
    judge = by if isinstance(by, int) else None
    move.record(VerdictGiven(case.number, judge, asked.finding, asked.text.strip()))
    roles = {"judge": (judge,) if judge is not None else (), "player": (move.state.turns[case.turn].player,)}
    scoring.happened(move, ("judged",), roles)


def _may_judge(case: Case, by: By) -> bool:
    in_place = case.term is not None and case.term.reached == "grace over"
    return by == "keeper" if case.judge is None else by == case.judge or (by == "keeper" and in_place)


def _must_be_judged(case: Case) -> None:
    if case.stage == "judging":
        return
    if case.stage == "keeper":
        raise Refused("Case J%(case)d is with the keeper, who reopens or settles it.", case=case.number)
    if case.stage == "lapsed":
        raise Refused(
            "Case J%(case)d lapsed when the next turn began. Go to judgment anew.", case=case.number
        )
    raise Refused("Case J%(case)d has its verdict.", case=case.number)


def overrule(move: Move, asked: Overrule, by: By) -> None:
    """One of the others would set the verdict aside."""
    _say_of(move, asked, by, "overrule")


def uphold(move: Move, asked: Uphold, by: By) -> None:
    """One of the others lets the verdict stand."""
    _say_of(move, asked, by, "uphold")


def _say_of(move: Move, asked: Overrule | Uphold, by: By, opinion: Opinion) -> None:
    _must_be_under_way(move.state)
    player = move.seat(by)
    case = _meant(move.state, asked, lambda case: case.stage == "ruled")
    verdict = _open_to_opinions(move.state, case)
    if player.id == verdict.judge:
        raise Refused("The verdict in case J%(case)d is yours; the others decide on it.", case=case.number)
    move.record(OpinionGiven(case.number, player.id, opinion))


def _open_to_opinions(state: State, case: Case) -> Verdict:
    """The verdict that can still be overruled. Raises Refused."""
    if regulation.carrier(state, OVERRULING) is None:
        raise Refused("No rule in force lets the players overrule a verdict.")
    verdict = case.verdict
    if case.stage == "ruled" and verdict is not None:
        return verdict
    if case.stage == "judging":
        raise Refused(
            "Case J%(case)d has no verdict yet: %(name)s is its Judge.",
            case=case.number,
            name=_judge_name(state, case),
        )
    raise Refused(
        "Case J%(case)d can be overruled no more: the next turn has begun.",
        rule=regulation.rule_for(state, OVERRULING),
        case=case.number,
    )


def others(state: State, verdict: Verdict) -> tuple[Player, ...]:
    """Those who can overrule a verdict: the active players but its Judge (212)."""
    return tuple(p for p in state.seated if p.status == "active" and p.id != verdict.judge)


def reopen(move: Move, asked: Reopen, by: By) -> None:
    """The keeper lets the first Judge hear a case anew when nobody is left, or a final verdict is a paradox."""
    must_be_keeper(by, say("Only the keeper reopens a case."))
    _must_be_under_way(move.state)
    case = _meant(move.state, asked, lambda case: case.stage == "keeper")
    if case.stage != "keeper":
        raise Refused("Case J%(case)d does not wait for the keeper.", case=case.number)
    judge = bench.first_again(move.state, case, move.at)
    until = regulation.deadline(move.state, "judging time", move.at)
    move.record(JudgeAppointed((case.number,), judge, "reopened", until, asked.why))


# ---- what other moves bring about in a case ----


def see_to(move: Move) -> None:
    """After any move: verdicts become final or are overruled, cases lapse, and a Judge who left is followed by another."""
    for case in move.state.docket.open_cases:
        if case.stage == "ruled":
            _see_to_verdict(move, case)
        elif case.stage == "judging":
            _see_to_judge(move, case)


def _see_to_verdict(move: Move, case: Case) -> None:
    can_be_overruled = regulation.carrier(move.state, OVERRULING) is not None
    if can_be_overruled and move.state.turn == case.heard_in:
        _weigh(move, case.number)
        _end_if_all_have_spoken(move, case.number)
    else:
        _end_overruling(move, case)


def _end_if_all_have_spoken(move: Move, number: int) -> None:
    """No next turn ends the overruling in a game that is won: the last word of the others does."""
    case = move.state.docket.cases[number]
    verdict = case.verdict if case.stage == "ruled" and move.state.status == "won" else None
    if verdict is not None and all(p.id in verdict.opinions for p in others(move.state, verdict)):
        _end_overruling(move, case)


def _end_overruling(move: Move, case: Case) -> None:
    """The verdict is final; a paradox is for the keeper to go on with (213)."""
    verdict = case.verdict
    locked = regulation.holds(move.state, "winner on impasse")
    if verdict is not None and verdict.finding == "paradox" and locked:
        move.record(CaseReferred(case.number, "paradox"))
    else:
        move.record(CaseClosed(case.number))


def _see_to_judge(move: Move, case: Case) -> None:
    """A player is Judge until the next turn begins (212); the keeper until the question is answered."""
    current = move.state.docket.cases[case.number]
    if current.judge is None or current.stage != "judging":
        return
    if move.state.turn != case.heard_in:
        move.record(CaseClosed(case.number))
    elif not move.state.players[current.judge].in_game:
        _succeed(move, current, "left")


def _weigh(move: Move, number: int) -> None:
    """The verdict is set aside if the others' opinions make the clause true; then the next Judge is found."""
    verdict = move.state.docket.cases[number].verdicts[-1]
    asked = others(move.state, verdict)
    against = sum(verdict.opinions.get(player.id) == "overrule" for player in asked)
    facts = regulation.case_facts(move.state, against=against, others=len(asked))
    answer = failing.asked(move, OVERRULING, facts)
    if answer is not None and answer.value is True:
        move.record(VerdictOverruled(number, answer.rule, answer.expression, answer.working))
        _succeed(move, move.state.docket.cases[number], "overruled")


def _succeed(move: Move, case: Case, because: Literal["overruled", "left"]) -> None:
    """The next Judge hears the case, and what else the one before has not answered; the keeper when none is left."""
    judge = bench.next_judge(move.state, case, move.at)
    if judge is None and len(case.verdicts) > case.since:
        move.record(CaseReferred(case.number, "exhausted"))
        return
    until = regulation.deadline(move.state, "judging time", move.at)
    passing = tuple(each.number for each in _unanswered(move.state, case) if not _has_judged(each, judge))
    move.record(JudgeAppointed((case.number, *passing), judge, because, until))


def _unanswered(state: State, case: Case) -> Iterator[Case]:
    """The other cases of the turn that wait for the same Judge."""
    for other in state.docket.open_cases:
        same = other.stage == "judging" and other.judge == case.judge and other.turn == case.turn
        if same and other.number != case.number:
            yield other


def _has_judged(case: Case, judge: int | None) -> bool:
    return any(verdict.judge == judge for verdict in case.verdicts[case.since :])


# ---- the time a Judge has, and the others ----


def overruling_ends(state: State, case: Case) -> int | None:
    """When a verdict in a game that is won becomes final (UTC µs); None: at the latest when the next turn begins.

    The others have as long as there is for claims, from the verdict or from the end of the turn that was won."""
    if state.status != "won" or case.stage != "ruled" or case.verdict is None:
        return None
    ended = state.current.ended if state.current else None
    return regulation.deadline(state, "claim window", max(case.verdict.at, ended or 0))


def coming(state: State) -> Iterator[tuple[int, NoteJudging]]:
    """When a Judge's time, the grace after it, or the time to overrule is over (UTC µs), with what the calendar then asks."""
    if state.status not in ("playing", "won"):
        return
    for case in state.docket.open_cases:
        term = case.term
        if (until := overruling_ends(state, case)) is not None:
            yield until, NoteJudging(case.number)
        elif term is not None and term.reached is None:
            yield term.until, NoteJudging(case.number)
        elif term is not None and term.grace is not None:
            yield term.grace, NoteJudging(case.number)


def note(move: Move, asked: NoteJudging, _: By) -> None:
    """The Judge is silent: reminded once, then the keeper is told; at once if the Judge is away, or is the keeper. Or the
    time to overrule the verdict is over."""
    case = move.state.docket.cases[asked.case]
    if case.stage == "ruled":
        _end_overruling(move, case)
        return
    here = case.judge is not None and move.state.players[case.judge].status == "active"
    until = grace(move.state, case.term) if here else None
    move.record(JudgeLate(case.number, case.judge, until))


def grace(state: State, term: Term | None) -> int | None:
    """When the grace after a deadline is over (UTC µs), None if the deadline was noted before."""
    if term is None or term.reached is not None:
        return None
    return regulation.deadline(state, "grace", term.until)


# ---- which case ----


def _meant(state: State, asked: OfCase, fits: Callable[[Case], bool]) -> Case:
    """The case that a command names, or the only one it can be about. Raises Refused."""
    if asked.case is not None:
        return numbered(state, asked.case)
    possible = [case for case in state.docket.open_cases if fits(case)]
    if len(possible) == 1:
        return possible[0]
    if not possible:
        raise Refused("There is no case that you could say this of now.")
    raise Refused("Several cases are open. Say which.", cure=_each(asked, possible))


def _each(asked: OfCase, cases: Sequence[Case]) -> tuple[OfCase, ...]:
    return tuple(replace(asked, case=case.number) for case in cases)


def numbered(state: State, number: int) -> Case:
    case = state.docket.cases.get(number)
    if case is None:
        known = len(state.docket.cases)
        if not known:
            raise Refused("Nobody has gone to judgment in this game.")
        raise Refused("There is no case J%(case)d. The last one is J%(last)d.", case=number, last=known)
    return case


def _judge_name(state: State, case: Case) -> str | Say:
    return say("The keeper") if case.judge is None else state.players[case.judge].name


def _must_be_under_way(state: State) -> None:
    """A question can be asked and answered as long as there is something to disagree over, a win included."""
    if state.status == "setup":
        raise Refused("The game has not started yet.")
    if state.status == "ended":
        raise Refused("The game has ended.")
