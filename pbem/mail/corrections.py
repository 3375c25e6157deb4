"""Mails about claims and corrections: the keeper is asked, and everyone reads the whole of what was put right.

What lives here: the notices. What never may: what may be corrected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pbem.game import chronicle, events, regulation, views
from pbem.game.commands import Correct, Rerun, Ruling, Void
from pbem.game.errata import CORRECTIONS
from pbem.game.model import Moment, Say, say
from pbem.mail import asking, results
from pbem.mail.notice import Asked, Happened, Notice, about, common


def _claimed(step: Happened) -> Iterator[Notice]:
    """To the keeper with what can be answered, and to everyone that there is a claim."""
    state, fact = step.after, step.fact
    closed = [p for p in state.proposals.values() if p.tally is not None and p.closed is not None]
    last = max(closed, key=lambda proposal: (proposal.closed, proposal.number))
    number, until = last.number, regulation.after(state, "claim window", last.closed or 0, state.at)
    name = state.players[fact.player].name
    answers = (Ruling("…"), Correct(name, 1, "…"), Rerun(number, "…"), Void(number, "…"))
    subject = say("Claim C%(claim)d by %(name)s", claim=fact.claim, name=name)
    meanwhile = say(
        "If you do nothing, the result stands as it is. Until %(until)s others can say, too, that it is wrong.",
        until=Moment(until),
    )
    result = results.result(state, number)
    view = {
        **common(state),
        "name": name,
        "text": fact.text,
        "asked": Asked(answers, meanwhile),
        "result": result,
    }
    thread = f"claim.C{fact.claim}"
    yield Notice(f"claim:{fact.claim}:keeper", "keeper", "mail/claim.j2", view, subject, thread, "keeper")
    others = tuple(player.id for player in state.seated)
    view = {**view, "asked": None}
    yield Notice(
        f"claim:{fact.claim}", others, "mail/claim.j2", view, subject, thread, "result", list_mail=True
    )


def _to_everyone(key: str, view: dict[str, Any], subject: Say) -> Notice:
    return Notice(key, "everyone", "mail/correction.j2", view, subject, "table", "result", list_mail=True)


def _corrected(step: Happened) -> Iterator[Notice]:
    """One mail for all that a correction brought about, told at its first fact: the whole result anew."""
    facts = [fact for fact in step.facts if isinstance(fact, CORRECTIONS)]
    if step.fact is not facts[0] or step.later(events.GameCalledOff):
        return
    state = step.end
    view = {
        **common(state),
        "ended": False,
        "sayings": tuple(chronicle.told(state, fact) for fact in facts),
        "scores": tuple((player.name, player.score) for player in views.scores(state)),
    }
    subject = say("%(title)s: a correction", title=state.title)
    yield _to_everyone(f"correction:{step.seq}", view, subject)


def _reopened(step: Happened) -> Iterator[Notice]:
    """What was put right, and a new ballot paper to everyone who votes again."""
    yield from _corrected(step)
    number = step.fact.number
    voters = tuple(voter for voter, _ in step.fact.electorate)
    if voters:
        view = asking.ballot_paper(step.after, number) | {"again": True}
        yield about(f"ballot:{number}:{step.seq}", voters, "mail/ballot.j2", view, "ballot")


def _called_off(step: Happened) -> Iterator[Notice]:
    """That the keeper has ended the game, what came to nothing with it, and how it stands."""
    state = step.end
    view = {
        **common(state),
        "ended": True,
        "sayings": tuple(chronicle.told(state, fact) for fact in reversed(step.facts)),
        "scores": tuple((player.name, player.score) for player in views.scores(state)),
    }
    subject = say("%(title)s: the game has ended", title=state.title)
    key = f"ended:{step.seq}"
    yield Notice(key, "everyone", "mail/correction.j2", view, subject, "table", "proclaimed", list_mail=True)


def _ruled(step: Happened) -> Iterator[Notice]:
    state = step.after
    view = {**common(state), "ended": False, "sayings": (chronicle.told(state, step.fact),), "scores": ()}
    subject = say("%(title)s: the keeper decides", title=state.title)
    yield _to_everyone(f"ruling:{step.seq}", view, subject)


def _clause_ruled(step: Happened) -> Iterator[Notice]:
    """A decision, or a correction if something is put right with it."""
    with_it = any(isinstance(f, CORRECTIONS) and not isinstance(f, events.ClauseRuled) for f in step.facts)
    yield from _corrected(step) if with_it else _ruled(step)


TELLERS: dict[type[Any], Callable[[Happened], Iterator[Notice]]] = {
    events.ClaimMade: _claimed,
    events.Ruled: _ruled,
    **dict.fromkeys(CORRECTIONS, _corrected),
    events.ClauseRuled: _clause_ruled,
    events.GameCalledOff: _called_off,
    events.VoteReopened: _reopened,
}
