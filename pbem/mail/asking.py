"""Mails that ask somebody for their move: the first time, again when they are late, and then the keeper in their place.

What lives here: the notices of the ladder of silence and of who is away. What never may: a step of that ladder
(silence.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pbem.game import chronicle, cures, events, preview, proclaimed, regulation, silence, turns
from pbem.game.commands import (
    Abstain,
    Admit,
    Ask,
    CallVote,
    CloseVote,
    Command,
    Extend,
    PassTurn,
    Propose,
    Remove,
    Replace,
    Vote,
)
from pbem.game.model import Moment, Say, Step, say
from pbem.game.proposals import Stall
from pbem.game.state import State, stall
from pbem.mail import ahead, results
from pbem.mail.notice import (
    Asked,
    Audience,
    Happened,
    Notice,
    NoticeKind,
    about,
    common,
    name_of,
    proposal_shown,
)

_MORE = "2d"
"""The time offered to the keeper as an example."""


def your_turn(state: State, turn: int, player: int, key: str = "", late: Step | None = None) -> Notice:
    """To the player who is to propose; a reminder stands in the same thread."""
    view = {
        **common(state),
        "turn": turn,
        "name": name_of(state, player),
        "until": state.until,
        "opens": turns.opens(state),
        "late": late,
        "grace": state.term.grace if state.term else None,
        "examples": (Propose("enact", title="…"),),
        "how": Ask("help", "propose"),
    }
    subject = say("Turn %(turn)d: it is your turn", turn=turn)
    kind: NoticeKind = "deadline" if late else "turn"
    return Notice(key or f"turn:{turn}", (player,), "mail/turn.j2", view, subject, _move(turn), kind)


def _move(turn: int) -> str:
    """The thread about what is proposed in a turn."""
    return f"move.{turn}"


def ballot_paper(state: State, number: int, late: Step | None = None) -> dict[str, Any]:
    """What a ballot paper shows, or a reminder of it."""
    proposal = state.proposals[number]
    clauses = ("transmuted when", "adopted when") if proposal.kind == "transmute" else ("adopted when",)
    return {
        **proposal_shown(state, number),
        "outlook": preview.outlook(state, number, state.at),
        "late": late,
        "again": False,
        "grace": proposal.term.grace if proposal.term else None,
        "lines": (Vote("for", number), Vote("against", number)),
        "decides": results.order(state, *clauses),
        "cooling": regulation.duration(state, "cooling time"),
        "voters": tuple(name_of(state, voter) for voter in sorted(proposal.electorate)),
        "silence": _silence(state, proposal.until) if proposal.until is not None else None,
    }


def _silence(state: State, until: int) -> Say:
    """What becomes of those who have not voted when the time (UTC µs) and the grace after it are over (silence.py)."""
    over = Moment(regulation.deadline(state, "grace", until))
    ordered = regulation.ask(state, "silence")
    match ordered.value if ordered else None:
        case "abstain":
            return say("Whoever has not voted by %(over)s is left out of this vote.", over=over)
        case "against":
            return say("Whoever has not voted by %(over)s counts as against.", over=over)
        case "for":
            return say("Whoever has not voted by %(over)s counts as for.", over=over)
    return say(
        "If a ballot is still missing after %(over)s, it counts neither for nor against: the keeper decides how to go on.",
        over=over,
    )


def _reminded(step: Happened) -> Iterator[Notice]:
    yield from _late(step, step.fact.step, step.fact.to)


def _deadline_passed(step: Happened) -> Iterator[Notice]:
    """At the deadline too, who is away is left in peace."""
    late = step.fact.waiting_for
    present = tuple(player for player in late if step.after.players[player].status != "absent")
    yield from _late(step, "deadline", present)


def _late(step: Happened, rung: Step, late: tuple[int, ...]) -> Iterator[Notice]:
    """The late ones alone are reminded."""
    number, state, key = step.fact.number, step.after, f"late:{step.seq}"
    if not late:
        return
    if number is None:
        for player in late:
            yield your_turn(state, _turn(state), player, key, rung)
    elif state.proposals[number].stage == "voting":
        yield about(key, late, "mail/ballot.j2", ballot_paper(state, number, rung), "deadline")
    else:
        term = state.proposals[number].term
        grace = term.grace if term else None
        view = {**proposal_shown(state, number), "late": rung, "grace": grace, "lines": (CallVote(number),)}
        yield about(key, late, "mail/late.j2", view, "deadline")


def _turn(state: State) -> int:
    """The turn in which something should be proposed."""
    return state.turn if state.in_turn else state.turn + 1


def _grace_over(step: Happened) -> Iterator[Notice]:
    """The game stalls: everyone is told, with a cure to propose, and the keeper asked."""
    number, state = step.fact.number, step.after
    stalled = stall(state, number)
    names = tuple(name_of(state, player) for player in step.fact.waiting_for)
    view = {"names": names, "stalled": stalled, "cure": cures.cure(state, stalled)}
    yield _of(step, "stalled", "everyone", "mail/stalled.j2", view, "result")
    term = state.term if number is None else state.proposals[number].term
    asked = Asked(_answers(number, stalled, names), _UNTIL_THEN[stalled])
    yield _of(step, "keeper", "keeper", "mail/silent.j2", {**view, "asked": asked, "term": term}, "keeper")


_UNTIL_THEN: Mapping[Stall, Say] = {
    "vote": say(
        "Until you answer, the vote stays open: a ballot that comes still counts, and with the last one it closes."
    ),
    "debate": say(
        "Until you answer, the debate goes on, and can still be ended by whoever made the proposal."
    ),
    "turn": say("Until you answer, the game waits, and whoever is on turn can still propose."),
}


def _answers(number: int | None, stalled: Stall, names: tuple[str, ...]) -> tuple[Command, ...]:
    """What the keeper can reply."""
    remedies: Mapping[Stall, tuple[Command, ...]] = {
        "vote": (Abstain(number), CloseVote(number)),
        "debate": (CallVote(number),),
        "turn": (PassTurn(),),
    }
    return (Extend(_MORE, number), *remedies[stalled], *(Remove(name) for name in names))


def _extended(step: Happened) -> Iterator[Notice]:
    yield _of(step, "extended", "everyone", "mail/news.j2", _news(step), "result")


def _of(
    step: Happened, key: str, to: Audience, template: str, view: Mapping[str, Any], kind: NoticeKind
) -> Notice:
    """In the thread of the proposal the fact is about, or (None) of the turn."""
    number, state, everyone = step.fact.number, step.after, to == "everyone"
    if number is not None:
        shown = {**view, **proposal_shown(state, number)}
        return about(f"{key}:{step.seq}", to, template, shown, kind, list_mail=everyone)
    turn = _turn(state)
    subject = say("Turn %(turn)d: nothing is proposed", turn=turn)
    shown = {**view, **common(state), "proposal": None, "turn": turn}
    return Notice(f"{key}:{step.seq}", to, template, shown, subject, _move(turn), kind, everyone)


def _news(step: Happened, asked: Asked | None = None) -> dict[str, Any]:
    """What happened in a sentence, what the keeper is asked about it, and who is waited for now."""
    said = chronicle.told(step.after, step.fact)
    return {
        **common(step.after),
        "proposal": None,
        "turn": 0,
        "said": said,
        "asked": asked,
        "due": ahead.due(step.end),
    }


def _about_player(step: Happened) -> Iterator[Notice]:
    """Everyone hears who is away, who is back, and who sits in another's seat."""
    state = step.after
    subject = say("%(title)s: news of %(name)s", title=state.title, name=name_of(state, step.fact.player))
    yield Notice(
        f"player:{step.seq}",
        "everyone",
        "mail/news.j2",
        _news(step),
        subject,
        "table",
        "joined",
        list_mail=True,
    )


def _announced(step: Happened) -> Iterator[Notice]:
    subject = say("%(title)s: the keeper announces", title=step.after.title)
    yield _news_of_keeper(step, subject)


def _keepership_passed(step: Happened) -> Iterator[Notice]:
    subject = say("%(title)s: %(name)s is the keeper", title=step.after.title, name=step.fact.name)
    yield _news_of_keeper(step, subject)


def _paused(step: Happened) -> Iterator[Notice]:
    subject = say("%(title)s: the game is paused", title=step.after.title)
    yield _news_of_keeper(step, subject, proclaimed.standing(step.after))


def _resumed(step: Happened) -> Iterator[Notice]:
    yield _news_of_keeper(step, say("%(title)s: the game goes on", title=step.after.title))


def _continued(step: Happened) -> Iterator[Notice]:
    yield _news_of_keeper(step, say("%(title)s: the game is played on", title=step.after.title))


def _spoken_for(step: Happened) -> Iterator[Notice]:
    """To the player in whose name the keeper spoke: the exact words."""
    state, fact = step.after, step.fact
    ballot: Any = step.later(events.BallotCast)
    words = fact.said or (ballot.said.partition(":")[2].strip() if ballot is not None else "")
    said = say(
        "The keeper has said this for you: “%(words)s”. It counts as yours until you say otherwise.",
        words=words,
    )
    subject = say("%(title)s: the keeper speaks for you", title=state.title)
    view = {**_news(step), "said": said}
    yield Notice(f"spoken:{step.seq}", (fact.player,), "mail/news.j2", view, subject, "table", "proclaimed")


def _news_of_keeper(step: Happened, subject: Say, said: Say | None = None) -> Notice:
    key, view = f"keeping:{step.seq}", _news(step)
    if said is not None:
        view["said"] = said
    return Notice(key, "everyone", "mail/news.j2", view, subject, "table", "proclaimed", list_mail=True)


def _seat_asked(step: Happened) -> Iterator[Notice]:
    """The keeper can give the volunteer the seat of anybody who is waited for."""
    state = step.after
    awaited = dict.fromkeys(
        player for number in (*state.open, None) for player in silence.waiting_for(state, number)
    )
    names = [state.players[player].name for player in awaited] or [player.name for player in state.seated]
    given = tuple(Replace(name, step.fact.name) for name in names)
    meanwhile = say(
        "Until you answer, %(name)s watches the game, and every seat stays as it is.", name=step.fact.name
    )
    subject: Say = say("%(title)s: %(name)s asks for a seat", title=state.title, name=step.fact.name)
    view = _news(step, Asked((*given, Admit(step.fact.name)), meanwhile))
    yield Notice(f"keeper:{step.seq}", "keeper", "mail/news.j2", view, subject, "table", "keeper")


TELLERS: dict[type[Any], Callable[[Happened], Iterator[Notice]]] = {
    events.Reminded: _reminded,
    events.DeadlinePassed: _deadline_passed,
    events.GraceOver: _grace_over,
    events.DeadlineExtended: _extended,
    events.PlayerAbsent: _about_player,
    events.PlayerBack: _about_player,
    events.SeatAsked: _seat_asked,
    events.Announced: _announced,
    events.KeepershipPassed: _keepership_passed,
    events.GamePaused: _paused,
    events.GameResumed: _resumed,
    events.GameContinued: _continued,
    events.SpokenFor: _spoken_for,
    events.PlayerAdmitted: _about_player,
    events.AddressChanged: _about_player,
    events.SeatTaken: _about_player,
}
