"""Mails about judgment (212, 213): who is told what of a case, and who is asked to consent to the next turn.

What lives here: the notices, and what a receipt says. What never may: who judges, or when a verdict falls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pbem.game import case_views, chronicle, consent, events, impasse, judgment, views
from pbem.game.commands import Command, GiveConsent, GiveVerdict, NameWinner, Reopen
from pbem.game.docket import Case
from pbem.game.model import Names, Say, say
from pbem.game.state import State
from pbem.mail import asking, results
from pbem.mail.notice import Asked, Audience, Happened, Notice, NoticeKind, common, name_of


def thread(number: int) -> str:
    """The thread of a case."""
    return f"case.J{number}"


def _opened(step: Happened) -> Iterator[Notice]:
    yield from _heard(step, step.fact.case)


def _appointed(step: Happened) -> Iterator[Notice]:
    for number in step.fact.cases:
        yield from _heard(step, number)


def _heard(step: Happened, number: int) -> Iterator[Notice]:
    """The Judge is asked; the others are told who that is."""
    state = step.after
    case = state.docket.cases[number]
    yield _case_mail(step, case, _judge(case), "judge")
    others = tuple(player.id for player in state.seated if player.id != case.judge)
    if others:
        yield _case_mail(step, case, others, "others")


def _judge(case: Case) -> Audience:
    return "keeper" if case.judge is None else (case.judge,)


def _case_mail(step: Happened, case: Case, to: Audience, role: str) -> Notice:
    state = step.after
    rules = (state.rulebook.find(number) for number in case_views.rules_named(state, case))
    view = {
        **_shown(state, case),
        "said": None if isinstance(step.fact, events.CaseOpened | events.JudgeLate) else _said(step),
        "role": role,
        "late": isinstance(step.fact, events.JudgeLate),
        "until": case.term.until if case.term else None,
        "on_turn": name_of(state, state.turns[case.turn].player),
        "proposals": tuple(views.proposal_view(state, n) for n in state.turns[case.turn].proposals),
        "rules": tuple(rule.now for rule in rules if rule is not None),
        "order": results.order(state, "judge"),
        "ends": None,
        "overruling": results.order(state, "judgment overruled when"),
    }
    kind: NoticeKind = "deadline" if view["late"] else "case"
    return _notice(case, f"{role}:{step.seq}", to, "mail/case.j2", view, kind, list_mail=role == "others")


def _shown(state: State, case: Case) -> dict[str, Any]:
    """What all mails about a case have in common."""
    view = case_views.case_view(state, case.number)
    own_words = GiveVerdict(None, case.number, "…")
    return {**common(state), "case": view, "answers": case_views.answers(case), "own_words": own_words}


def _said(step: Happened) -> Say:
    return chronicle.told(step.after, step.fact)


def _notice(
    case: Case,
    key: str,
    to: Audience,
    template: str,
    view: dict[str, Any],
    kind: NoticeKind = "case",
    *,
    list_mail: bool = False,
) -> Notice:
    """A notice in the thread of a case."""
    subject = say("Case J%(case)d, turn %(turn)d", case=case.number, turn=case.turn)
    return Notice(
        f"case:{case.number}:{key}", to, template, view, subject, thread(case.number), kind, list_mail
    )


def _verdict(step: Happened) -> Iterator[Notice]:
    """To everyone, with the lines that overrule it."""
    state = step.end
    case = state.docket.cases[step.fact.case]
    view = {
        **_shown(state, case),
        "verdict": _said(step),
        "opinions": case_views.opinions(case) if case_views.can_be_overruled(state, case) else (),
        "ends": judgment.overruling_ends(state, case),
        "overruling": results.order(state, "judgment overruled when"),
        "consent": (GiveConsent(),) if state.docket.waits else (),
    }
    yield _notice(case, str(step.seq), "everyone", "mail/verdict.j2", view, list_mail=True)


def _referred(step: Happened) -> Iterator[Notice]:
    """Everyone is told; the keeper is asked."""
    case = step.after.docket.cases[step.fact.case]
    yield _news(step, case, "everyone")
    lines = (Reopen(case.number, "…"), *winners(step.after))
    meanwhile = say(
        "Until you answer, the case stays open and nobody wins by it; the game goes on meanwhile."
    )
    yield _news(step, case, "keeper", Asked(lines, meanwhile))


def winners(state: State) -> tuple[Command, ...]:
    """The lines by which the keeper names who wins a locked game, the player on turn first; none without a rule."""
    if not impasse.is_locked(state) or results.order(state, "winner on impasse") is None:
        return ()
    seated = sorted(state.seated, key=lambda player: player.id != state.on_turn)
    return tuple(NameWinner(player.name, "…") for player in seated)


def _closed(step: Happened) -> Iterator[Notice]:
    """A case that lapsed is told; that a verdict is final, everybody knows by the turn that begins, if one does;
    or by the mail that the game has ended."""
    case = step.after.docket.cases[step.fact.case]
    if step.later(events.GameCalledOff):
        return
    if case.stage == "lapsed" or step.after.status == "won":
        yield _news(step, case, "everyone")


def _news(
    step: Happened, case: Case, to: Audience, asked: Asked | None = None, said: Say | None = None
) -> Notice:
    """What happened in a sentence, and what the keeper is asked about it."""
    kind: NoticeKind = "keeper" if to == "keeper" else "case"
    until = case.term.until if asked and case.term else None
    view = {**_shown(step.after, case), "said": said or _said(step), "asked": asked, "until": until}
    return _notice(
        case, f"{kind}:{step.seq}", to, "mail/case_news.j2", view, kind, list_mail=to == "everyone"
    )


def _late(step: Happened) -> Iterator[Notice]:
    """The Judge is reminded; later the keeper told, who can answer in the Judge's place."""
    case = step.after.docket.cases[step.fact.case]
    if step.fact.until is not None or case.judge is None:
        yield _case_mail(step, case, _judge(case), "judge")
    else:
        meanwhile = say(
            "Until you answer, %(name)s can still give the verdict. If the next turn begins before there is one, the case "
            "is closed without a verdict.",
            name=name_of(step.after, case.judge),
        )
        said = say("%(name)s, the Judge, has given no verdict in time.", name=name_of(step.after, case.judge))
        yield _news(step, case, "keeper", Asked(case_views.answers(case), meanwhile), said)


# ---- consent to the next turn ----


def _consent_asked(step: Happened) -> Iterator[Notice]:
    yield from _ask_consent(step, "consent", "case")


def _consent_late(step: Happened) -> Iterator[Notice]:
    if step.fact.until is not None:
        yield from _ask_consent(step, f"late:{step.seq}", "deadline")
        return
    meanwhile = say(
        "Until you answer, the next turn waits; it begins by itself when enough of the others consent."
    )
    missing = Names(name_of(step.after, player) for player in step.fact.waiting_for)
    said = say("The time to consent and the grace are over. Awaited: %(names)s.", names=missing)
    view = {**_next_turn(step.after), "said": said, "asked": Asked((GiveConsent(),), meanwhile)}
    yield _between(step.after, f"keeper:{step.seq}", "keeper", view, "keeper")


def _ask_consent(step: Happened, key: str, kind: NoticeKind) -> Iterator[Notice]:
    """To those whose consent is missing."""
    late = tuple(player.id for player in consent.awaited(step.after))
    if late:
        yield _between(step.after, key, late, {**_next_turn(step.after), "said": None, "asked": None}, kind)


def _next_turn(state: State) -> dict[str, Any]:
    term = state.docket.consent.term
    return {
        **common(state),
        "turn": state.turn,
        "name": name_of(state, state.next_player),
        "heard": of_turn(state, state.turn),
        "order": results.order(state, "next turn waits for"),
        "until": term.until if term else None,
        "answers": (GiveConsent(),),
    }


def _between(state: State, key: str, to: Audience, view: dict[str, Any], kind: NoticeKind) -> Notice:
    subject = say("Turn %(turn)d: may the next turn begin?", turn=state.turn)
    return Notice(
        f"between:{state.turn}:{key}", to, "mail/consent.j2", view, subject, f"consent.{state.turn}", kind
    )


def _consent_reached(step: Happened) -> Iterator[Notice]:
    """The player whose turn may begin is told; if nobody had to be asked, the digest does it."""
    state = step.end
    if step.before.docket.consent.asked and state.on_turn is not None:
        yield asking.your_turn(state, state.turn + 1, state.on_turn, f"turn-{step.seq}")


def _won(step: Happened) -> Iterator[Notice]:
    """A win goes out by itself when no outcome and no digest tells of it: one that the keeper names, or by a correction."""
    if step.fact.why or not (step.later(events.VoteClosed) or step.later(events.TurnEnded)):
        view = {**common(step.after), "won": results.win(step.after, step.fact), "why": step.fact.why}
        subject = say("%(title)s: the game is won", title=step.after.title)
        yield Notice(f"won:{step.seq}", "everyone", "mail/won.j2", view, subject, "table", "result", True)


def posted(step: Happened, readers: tuple[int, ...], shown: dict[str, Any]) -> Notice:
    """Words in the debate of a case, relayed to the other players."""
    case = step.after.docket.cases[step.fact.case]
    view = {**shown, **_shown(step.after, case)}
    return _notice(case, f"post:{step.seq}", readers, "mail/post.j2", view, "post", list_mail=True)


def of_turn(state: State, turn: int) -> tuple[case_views.CaseView, ...]:
    """The cases of a turn, for its digest."""
    return tuple(case_views.case_view(state, case.number) for case in state.docket.of_turn(turn))


TELLERS: dict[type[Any], Callable[[Happened], Iterator[Notice]]] = {
    events.CaseOpened: _opened,
    events.VerdictGiven: _verdict,
    events.JudgeAppointed: _appointed,
    events.CaseReferred: _referred,
    events.CaseClosed: _closed,
    events.JudgeLate: _late,
    events.ConsentAsked: _consent_asked,
    events.ConsentReached: _consent_reached,
    events.ConsentLate: _consent_late,
    events.PlayersWon: _won,
}


# ---- what a receipt says ----


def _case_taken(fact: events.CaseOpened, state: State, _: int) -> tuple[Say, ...]:
    judge = name_of(state, fact.judge) or say("the keeper")
    return (
        say(
            "Your question is case J%(case)d. %(judge)s is the Judge, and is asked now.",
            case=fact.case,
            judge=judge,
        ),
    )


def _verdict_taken(fact: events.VerdictGiven, *_: Any) -> tuple[Say, ...]:
    return (say("Your verdict in case J%(case)d is taken, and everyone gets it now.", case=fact.case),)


def _opinion_taken(fact: events.OpinionGiven, *_: Any) -> tuple[Say, ...]:
    if fact.opinion == "overrule":
        return (
            say(
                "You would overrule the verdict in case J%(case)d. You can change this until the verdict is final.",
                case=fact.case,
            ),
        )
    return (
        say(
            "You uphold the verdict in case J%(case)d. You can change this until the verdict is final.",
            case=fact.case,
        ),
    )


def _overruled(fact: events.VerdictOverruled, *_: Any) -> tuple[Say, ...]:
    return (say("With this the verdict in case J%(case)d is overruled.", case=fact.case),)


def _consent_taken(*_: Any) -> tuple[Say, ...]:
    return (say("You let the next turn begin."),)


def _may_begin(*_: Any) -> tuple[Say, ...]:
    return (say("The next turn may begin now."),)


def _reopened(fact: events.JudgeAppointed, state: State, _: int) -> tuple[Say, ...]:
    judge = name_of(state, fact.judge) or say("the keeper")
    return (say("%(judge)s is the Judge now.", judge=judge),)


def _winner_named(fact: events.PlayersWon, state: State, _: int) -> tuple[Say, ...]:
    names = ", ".join(name_of(state, player) for player in fact.players)
    return (say("The game is won: %(names)s.", names=names),)


SAYINGS: dict[type[Any], Callable[[Any, State, int], tuple[Say, ...]]] = {
    events.CaseOpened: _case_taken,
    events.VerdictGiven: _verdict_taken,
    events.OpinionGiven: _opinion_taken,
    events.VerdictOverruled: _overruled,
    events.JudgeAppointed: _reopened,
    events.ConsentGiven: _consent_taken,
    events.ConsentReached: _may_begin,
    events.PlayersWon: _winner_named,
}
