"""Who is told what: the facts of a game to the notices that go out because of them.

What lives here: the choice of readers, template and thread, and the values shown. What never may: an
address, a rendered sentence, or the choice of those a ballot is hidden from (views.py hides it).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pbem.game import case_views, chronicle, cures, errata, events, proclaimed, turns, views, voting
from pbem.game.commands import Ask, CloseVote, Correct, OrderClause, Ruling, Start, Void
from pbem.game.events import Fact, PlayersWon, TurnEnded
from pbem.game.fold import evolve
from pbem.game.model import Names, Say, say
from pbem.game.redline import redline
from pbem.game.ruleset import write_clause
from pbem.game.state import State
from pbem.mail import ahead, asking, corrections, hearings, results
from pbem.mail.notice import (
    Asked,
    Audience,
    Happened,
    Notice,
    about,
    common,
    name_of,
    proposal_shown,
    to_keeper,
)


def notices(before: State, after: State, facts: Sequence[Fact], first_seq: int) -> tuple[Notice, ...]:
    """The notices that follow from `facts`, which led from `before` to `after` and begin at `first_seq` in the log."""
    state, told = before, list[Notice]()
    for seq, fact in enumerate(facts, first_seq):
        earlier, state = state, evolve(state, fact, after.at)
        tell = _TELLERS.get(type(fact))
        if tell is not None:
            told.extend(tell(Happened(fact, seq, earlier, state, facts, after)))
    return tuple(told)


def _created(step: Happened) -> Iterator[Notice]:
    if step.later(events.GameStarted):
        return
    view = {**common(step.after), "start": Start()}
    subject = say("%(title)s: you are the keeper", title=step.after.title)
    yield Notice("created", "keeper", "mail/created.j2", view, subject, "table", "keeper")


def _joined(step: Happened) -> Iterator[Notice]:
    """Those who are there when a game is made need no mail about each other."""
    state = step.after
    if any(map(step.later, (events.GameCreated, events.GameStarted, events.PlayerAdmitted))):
        return
    view = {
        **common(state),
        "name": step.fact.name,
        "players": tuple(player.name for player in turns.order(state)),
        "setup": state.status == "setup",
        "start": Start(),
    }
    subject = say("%(title)s: %(name)s has joined", title=state.title, name=step.fact.name)
    setup = state.status == "setup"
    to: Audience = "keeper" if setup else "everyone"
    yield Notice(
        f"joined:{step.fact.player}",
        to,
        "mail/joined.j2",
        view,
        subject,
        "table",
        "joined",
        list_mail=not setup,
    )


def _left(step: Happened) -> Iterator[Notice]:
    """To everyone; those who stay see who plays next."""
    state, fact = step.end, step.fact
    order = turns.order(state)
    begins = next((player for player in order if player.id == state.on_turn and not state.docket.waits), None)
    view = {
        **common(state),
        "name": name_of(state, fact.player),
        "how": fact.how,
        "why": fact.why,
        "players": tuple(player.name for player in order),
        "on_turn": begins.name if begins is not None else "",
    }
    subject = say("%(title)s: %(name)s has left", title=state.title, name=view["name"])
    yield Notice(f"left:{fact.player}", "everyone", "mail/left.j2", view, subject, "table", "joined", True)


def _started(step: Happened) -> Iterator[Notice]:
    state = step.end
    view = {
        **common(state),
        "players": tuple(player.name for player in turns.order(state)),
        "on_turn": name_of(state, state.on_turn),
        "adopted": results.order(state, "adopted when"),
        "wins": results.orders(state, "wins when"),
        "rules": Ask("rules"),
    }
    subject = say("%(title)s: the game has begun", title=state.title)
    yield Notice("started", "everyone", "mail/started.j2", view, subject, "table", "started", True)
    if not step.later(events.ProposalMade) and state.on_turn is not None:
        yield asking.your_turn(state, state.turn, state.on_turn)


def _proposed(step: Happened) -> Iterator[Notice]:
    yield from _debated(step, "proposal", str(step.fact.number), revision=())


def _revised(step: Happened) -> Iterator[Notice]:
    old, new = (state.proposals[step.fact.number].text for state in (step.before, step.after))
    yield from _debated(step, "revised", str(step.seq), revision=redline(old, new))


def _debated(step: Happened, key: str, name: str, *, revision: tuple[Any, ...]) -> Iterator[Notice]:
    number, state = step.fact.number, step.after
    readers = tuple(player.id for player in state.seated)
    if readers:
        view = {**proposal_shown(state, number), "revision": revision, "revised": key == "revised"}
        yield about(f"{key}:{name}", readers, "mail/proposal.j2", view, "proposal", list_mail=True)


def _opened(step: Happened) -> Iterator[Notice]:
    number = step.fact.number
    voters = tuple(voter for voter, _ in step.fact.electorate)
    if voters:
        view = asking.ballot_paper(step.after, number)
        yield about(f"ballot:{number}", voters, "mail/ballot.j2", view, "ballot")


def _posted(step: Happened) -> Iterator[Notice]:
    """Words are relayed to the other players."""
    fact, state = step.fact, step.after
    readers = tuple(player.id for player in state.seated if player.id != fact.player)
    if not readers:
        return
    view = {
        **common(state),
        "name": name_of(state, fact.player),
        "text": fact.text,
        "proposal": None,
        "case": None,
    }
    if fact.case is not None:
        yield hearings.posted(step, readers, view)
        return
    if fact.number is None:
        subject = say("%(title)s: table talk", title=state.title)
        yield Notice(f"post:{step.seq}", readers, "mail/post.j2", view, subject, "table", "post", True)
        return
    view["proposal"] = views.proposal_view(state, fact.number)
    yield about(f"post:{step.seq}", readers, "mail/post.j2", view, "post", list_mail=True)


def _closed(step: Happened) -> Iterator[Notice]:
    """The outcome by itself, when the turn goes on and the digest is yet to come."""
    if step.later(TurnEnded) is None:
        number, state = step.fact.number, step.end
        view = {**proposal_shown(state, number), "result": results.result(state, number), "won": _won(step)}
        yield about(f"result:{number}", "everyone", "mail/result.j2", view, "result", list_mail=True)


def _won(step: Happened) -> results.Win | None:
    fact = step.later(PlayersWon)
    return results.win(step.end, fact) if fact else None


def _held(step: Happened) -> Iterator[Notice]:
    view = {**proposal_shown(step.after, step.fact.number), "why": step.fact.why}
    yield about(f"held:{step.seq}", "everyone", "mail/held.j2", view, "result", list_mail=True)
    number = step.fact.number
    lines = (CloseVote(number, "…", "adopted"), CloseVote(number, "…", "defeated"), Void(number, "…"))
    names = voting.deciding(step.after, step.after.proposals[number])
    mend = tuple(
        line
        for carrier in step.after.rulebook.carriers(*names)
        for line in _mending(step.after, carrier.clause.name, carrier.rule.number)
    )
    asked = Asked(lines, say("Until you answer, nothing is counted, and the ballots stay as they are."))
    yield to_keeper(step, {**view, "event": "held", "asked": asked, "mend": mend})


def _mending(state: State, clause: str, rule: int | None) -> tuple[OrderClause, ...]:
    """The line that gives the rule another clause in the place of the one it carries; none where no rule does."""
    standing = state.rulebook.standing(rule) if rule is not None else None
    carried = standing.now.clauses if standing is not None else ()
    return tuple(
        OrderClause(standing.number, write_clause(each), "…")
        for each in carried
        if standing is not None and each.name == clause
    )


def _failed(step: Happened) -> Iterator[Notice]:
    """One mail to the keeper for all clauses without a value in what was done, told at the first."""
    failed = [fact.failure for fact in step.facts if isinstance(fact, events.ClauseFailed)]
    if step.fact.failure is not failed[0]:
        return
    state = step.end
    points = tuple(
        Correct(name_of(state, failure.player), 1, "…")
        for failure in failed
        if failure.player is not None and failure.proposal is not None
    )
    view = {
        **common(state),
        "sayings": tuple(chronicle.failed(state, failure) for failure in failed),
        "lines": tuple(dict.fromkeys(points)),
        "mend": tuple(
            dict.fromkeys(line for each in failed for line in _mending(state, each.clause, each.rule))
        ),
    }
    subject = say("%(title)s: a clause has no value", title=state.title)
    yield Notice(f"failed:{step.seq}", "keeper", "mail/failed.j2", view, subject, "table", "keeper")


def _next_named(step: Happened) -> Iterator[Notice]:
    """Whoever is next now, and from when on."""
    state = step.end
    if state.on_turn is not None and not state.in_turn and not state.docket.waits:
        yield asking.your_turn(state, state.turn + 1, state.on_turn, f"turn-{step.seq}")


def _voided(step: Happened) -> Iterator[Notice]:
    view = {**proposal_shown(step.after, step.fact.number), "why": step.fact.why}
    yield to_keeper(step, {**view, "event": "voided"})


def _impasse(step: Happened) -> Iterator[Notice]:
    number, winners = step.fact.number, hearings.winners(step.after)
    meanwhile = say("Until you answer, the game goes on, but nothing that is proposed in it can be adopted.")
    asked = Asked((*winners, Void(number, "…"), Ruling("…")), meanwhile)
    shown = proposal_shown(step.after, number)
    yield to_keeper(step, {**shown, "event": "impasse", "asked": asked, "winners": winners})


def _turn_ended(step: Happened) -> Iterator[Notice]:
    turn, state, won = step.fact.turn, step.after, _won(step)
    decided = results.turn_results(state, turn)
    subject = _decided(turn, decided, won)
    view = {
        **common(state),
        "headline": subject,
        "turn": turn,
        "player": name_of(state, state.turns[turn].player),
        "remedies": chronicle.remedies(state, state.turns[turn].remedies),
        "results": decided,
        "awards": results.turn_awards(state, turn),
        "heard": hearings.of_turn(state, turn),
        "corrected": errata.of_turn(state, turn),
        "stood_still": proclaimed.of_turn(state, turn),
        "provisional": case_views.provisional(step.end),
        "scores": results.turn_scores(state, turn),
        "due": ahead.due(step.end),
        "won": won,
        "earlier_wins": proclaimed.earlier_wins(state),
        "circuit": step.fact.circuit if step.fact.circuit != state.circuit else None,
        "cures": tuple(
            filter(None, (cures.cure(state, stall) for stall in dict.fromkeys(step.before.stalls)))
        ),
    }
    yield Notice(
        f"digest:{turn}", "everyone", "mail/digest.j2", view, subject, f"turn.{turn}", "digest", True
    )
    if step.fact.next is not None and not step.end.docket.waits:
        yield asking.your_turn(state, turn + 1, step.fact.next)


def _decided(turn: int, closed: tuple[results.Result, ...], won: results.Win | None) -> Say:
    """What a turn came to, in the few words of a subject."""
    if won is not None:
        return say("Turn %(turn)d: %(names)s won", turn=turn, names=Names(won.names))
    proposals = [result.view.proposal for result in closed if result.view.proposal.tally]
    if len(proposals) != 1:
        return say("Turn %(turn)d: results", turn=turn)
    facts = {"turn": turn, "number": proposals[0].number}
    if proposals[0].without_effect is not None:
        return say("Turn %(turn)d: proposal %(number)d is adopted without effect", **facts)
    if proposals[0].stage == "adopted":
        return say("Turn %(turn)d: proposal %(number)d is adopted", **facts)
    return say("Turn %(turn)d: proposal %(number)d is defeated", **facts)


_TELLERS: dict[type[Any], Callable[[Happened], Iterator[Notice]]] = {
    events.GameCreated: _created,
    events.PlayerJoined: _joined,
    events.PlayerLeft: _left,
    events.GameStarted: _started,
    events.ProposalMade: _proposed,
    events.ProposalRevised: _revised,
    events.VoteOpened: _opened,
    events.Posted: _posted,
    events.ProposalWithdrawn: _closed,
    events.VoteClosed: _closed,
    events.VoteHeld: _held,
    events.ClauseFailed: _failed,
    events.NextNamed: _next_named,
    events.ChangeVoided: _voided,
    events.ImpasseFound: _impasse,
    events.TurnEnded: _turn_ended,
    **asking.TELLERS,
    **hearings.TELLERS,
    **corrections.TELLERS,
}
