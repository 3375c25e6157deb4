"""Who is told what: the facts of a game to the notices that go out because of them.

What lives here: the choice of readers, template and thread, and the values shown. What never may: an
address, a rendered sentence, or the choice of those a ballot is hidden from (views.py hides it).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pbem.game import events, regulation, turns, views
from pbem.game.commands import Ask, Propose, Start, Vote
from pbem.game.events import Fact, PlayersWon, TurnEnded, VoteOpened
from pbem.game.model import Say, say
from pbem.game.redline import redline
from pbem.game.state import State, evolve
from pbem.mail import ahead, results

Audience = tuple[int, ...] | Literal["everyone", "keeper", "person"]
"""Player ids; everyone (players and observers); the keeper; or one person whom the caller has at hand."""

NoticeKind = Literal[
    "started",
    "joined",
    "proposal",
    "ballot",
    "post",
    "result",
    "digest",
    "turn",
    "deadline",
    "keeper",
    "answer",
]


@dataclass(frozen=True, slots=True)
class Notice:
    """A mail to be written. `key` is unique in the game and stays the same however often it is made.

    `view` holds all that `template` shows but `site`, the address of the game's pages ("" if it has none):
    whoever prints it adds that. `thread` is the fixed root of its conversation. `list_mail` marks what goes
    to a whole circle of readers. Readers choose by `kind` what they want to get.
    """

    key: str
    to: Audience
    template: str
    view: Mapping[str, Any]
    subject: Say
    thread: str
    kind: NoticeKind
    list_mail: bool = False


def common(state: State) -> dict[str, Any]:
    """What the foot of every mail of a game shows."""
    return {"game": state.game, "title": state.title, "help": Ask("help")}


@dataclass(frozen=True, slots=True)
class _Step:
    """One fact with the states around it, and the facts and the last state of the whole batch."""

    fact: Any
    seq: int
    before: State
    after: State
    facts: Sequence[Fact]
    end: State

    def later(self, kind: type[Any]) -> Any:
        """The batch's fact of that kind, None if there is none."""
        return next((fact for fact in self.facts if isinstance(fact, kind)), None)


def notices(before: State, after: State, facts: Sequence[Fact], first_seq: int) -> tuple[Notice, ...]:
    """The notices that follow from `facts`, which led from `before` to `after` and begin at `first_seq` in the log."""
    state, told = before, list[Notice]()
    for seq, fact in enumerate(facts, first_seq):
        earlier, state = state, evolve(state, fact, after.at)
        tell = _TELLERS.get(type(fact))
        if tell is not None:
            told.extend(tell(_Step(fact, seq, earlier, state, facts, after)))
    return tuple(told)


def _created(step: _Step) -> Iterator[Notice]:
    if step.later(events.GameStarted):
        return
    view = {**common(step.after), "start": Start()}
    subject = say("%(title)s: you are the keeper", title=step.after.title)
    yield Notice("created", "keeper", "mail/created.j2", view, subject, "table", "keeper")


def _joined(step: _Step) -> Iterator[Notice]:
    """Those who are there when a game is made need no mail about each other."""
    state = step.after
    if step.later(events.GameCreated) or step.later(events.GameStarted):
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


def _started(step: _Step) -> Iterator[Notice]:
    state = step.end
    view = {
        **common(state),
        "players": tuple(player.name for player in turns.order(state)),
        "on_turn": _name(state, state.on_turn),
        "adopted": results.order(state, "adopted when"),
        "wins": results.order(state, "wins when"),
        "rules": Ask("rules"),
    }
    subject = say("%(title)s: the game has begun", title=state.title)
    yield Notice("started", "everyone", "mail/started.j2", view, subject, "table", "started", True)
    if not step.later(events.ProposalMade) and state.on_turn is not None:
        yield _your_turn(state, state.turn, state.on_turn)


def _your_turn(state: State, turn: int, player: int, key: str = "turn", *, late: bool = False) -> Notice:
    """To the player who is to propose; the reminder stands in the same thread."""
    view = {
        **common(state),
        "turn": turn,
        "name": _name(state, player),
        "until": state.until,
        "late": late,
        "examples": (Propose("enact", title="…"),),
        "how": Ask("help", "propose"),
    }
    subject = say("Turn %(turn)d: it is your turn", turn=turn)
    kind: NoticeKind = "deadline" if late else "turn"
    return Notice(f"{key}:{turn}", (player,), "mail/turn.j2", view, subject, f"move.{turn}", kind)


def _proposed(step: _Step) -> Iterator[Notice]:
    yield from _debated(step, "proposal", str(step.fact.number), revision=())


def _revised(step: _Step) -> Iterator[Notice]:
    old, new = (state.proposals[step.fact.number].text for state in (step.before, step.after))
    yield from _debated(step, "revised", str(step.seq), revision=redline(old, new))


def _debated(step: _Step, key: str, name: str, *, revision: tuple[Any, ...]) -> Iterator[Notice]:
    """To the players; those who get the ballot paper at the same time read it there."""
    number, state = step.fact.number, step.after
    opened = next((f for f in step.facts if isinstance(f, VoteOpened) and f.number == number), None)
    voters = {voter for voter, _ in opened.electorate} if opened else set()
    readers = tuple(player.id for player in state.seated if player.id not in voters)
    if readers:
        view = {**_proposal(state, number), "revision": revision, "revised": key == "revised"}
        yield _about(f"{key}:{name}", readers, "mail/proposal.j2", view, "proposal", list_mail=True)


def _proposal(state: State, number: int) -> dict[str, Any]:
    """What the mails about an open proposal have in common."""
    return {
        **common(state),
        "proposal": views.proposal_view(state, number),
        "change": results.amendment(state, number),
    }


def _about(
    key: str,
    to: Audience,
    template: str,
    view: Mapping[str, Any],
    kind: NoticeKind,
    *,
    list_mail: bool = False,
) -> Notice:
    """A notice in the thread of the proposal that `view` holds."""
    proposal = view["proposal"]
    thread = f"proposal.{proposal.proposal.number}"
    return Notice(key, to, template, view, proposal.headline, thread, kind, list_mail)


def _opened(step: _Step) -> Iterator[Notice]:
    number = step.fact.number
    voters = tuple(voter for voter, _ in step.fact.electorate)
    if voters:
        view = _ballot_paper(step.after, number, late=False)
        yield _about(f"ballot:{number}", voters, "mail/ballot.j2", view, "ballot")


def _ballot_paper(state: State, number: int, *, late: bool) -> dict[str, Any]:
    proposal = state.proposals[number]
    clauses = ("transmuted when", "adopted when") if proposal.kind == "transmute" else ("adopted when",)
    return {
        **_proposal(state, number),
        "late": late,
        "lines": (Vote("for", number), Vote("against", number)),
        "decides": results.order(state, *clauses),
        "cooling": regulation.duration(state, "cooling time"),
    }


def _posted(step: _Step) -> Iterator[Notice]:
    """Words are relayed to the other players."""
    fact, state = step.fact, step.after
    readers = tuple(player.id for player in state.seated if player.id != fact.player)
    if not readers:
        return
    view = {**common(state), "name": _name(state, fact.player), "text": fact.text, "proposal": None}
    if fact.number is None:
        subject = say("%(title)s: table talk", title=state.title)
        yield Notice(f"post:{step.seq}", readers, "mail/post.j2", view, subject, "table", "post", True)
        return
    view["proposal"] = views.proposal_view(state, fact.number)
    yield _about(f"post:{step.seq}", readers, "mail/post.j2", view, "post", list_mail=True)


def _closed(step: _Step) -> Iterator[Notice]:
    """The outcome by itself, when the turn goes on and the digest is yet to come."""
    if step.later(TurnEnded) is None:
        number, state = step.fact.number, step.end
        view = {**_proposal(state, number), "result": results.result(state, number), "won": _won(step)}
        yield _about(f"result:{number}", "everyone", "mail/result.j2", view, "result", list_mail=True)


def _won(step: _Step) -> results.Win | None:
    fact = step.later(PlayersWon)
    return results.win(step.end, fact) if fact else None


def _held(step: _Step) -> Iterator[Notice]:
    view = {**_proposal(step.after, step.fact.number), "why": step.fact.why}
    yield _about(f"held:{step.seq}", "everyone", "mail/held.j2", view, "result", list_mail=True)
    yield _to_keeper(step, {**view, "event": "held"})


def _voided(step: _Step) -> Iterator[Notice]:
    view = {**_proposal(step.after, step.fact.number), "why": step.fact.why}
    yield _to_keeper(step, {**view, "event": "voided"})


def _to_keeper(step: _Step, view: dict[str, Any]) -> Notice:
    return _about(f"keeper:{step.seq}", "keeper", "mail/keeper.j2", view, "keeper")


def _turn_ended(step: _Step) -> Iterator[Notice]:
    turn, state = step.fact.turn, step.after
    view = {
        **common(state),
        "turn": turn,
        "player": _name(state, state.turns[turn].player),
        "results": results.turn_results(state, turn),
        "scores": results.turn_scores(state, turn),
        "due": ahead.due(state),
        "won": _won(step),
        "circuit": step.fact.circuit if step.fact.circuit != state.circuit else None,
    }
    subject = say("Turn %(turn)d: results", turn=turn)
    yield Notice(
        f"digest:{turn}", "everyone", "mail/digest.j2", view, subject, f"turn.{turn}", "digest", True
    )
    if step.fact.next is not None:
        yield _your_turn(state, turn + 1, step.fact.next)


def _late(step: _Step) -> Iterator[Notice]:
    """The late ones are reminded, and the keeper told who they are."""
    number, state = step.fact.number, step.after
    names = tuple(_name(state, player) for player in step.fact.waiting_for)
    if number is None:
        yield from _late_turn(step, names)
        return
    yield _late_voters(step) if state.proposals[number].stage == "voting" else _late_proponent(step)
    yield _to_keeper(step, {**_proposal(state, number), "event": "late", "names": names})


def _late_turn(step: _Step, names: tuple[str, ...]) -> Iterator[Notice]:
    state = step.after
    turn = state.turn if state.in_turn else state.turn + 1
    for player in step.fact.waiting_for:
        yield _your_turn(state, turn, player, "late-turn", late=True)
    view = {**common(state), "event": "no proposal", "names": names, "turn": turn}
    subject = say("Turn %(turn)d: %(names)s is late", turn=turn, names=", ".join(names))
    yield Notice(f"keeper:{step.seq}", "keeper", "mail/keeper.j2", view, subject, f"move.{turn}", "keeper")


def _late_voters(step: _Step) -> Notice:
    view = _ballot_paper(step.after, step.fact.number, late=True)
    return _about(f"late:{step.seq}", step.fact.waiting_for, "mail/ballot.j2", view, "deadline")


def _late_proponent(step: _Step) -> Notice:
    number = step.fact.number
    due = next(due for due in views.waiting(step.after) if due.player.id in step.fact.waiting_for)
    view = {**_proposal(step.after, number), "lines": due.lines}
    return _about(f"late:{step.seq}", step.fact.waiting_for, "mail/late.j2", view, "deadline")


def _name(state: State, player: int | None) -> str:
    """A player's name; "" for the keeper."""
    return "" if player is None else state.players[player].name


_TELLERS: dict[type[Any], Callable[[_Step], Iterator[Notice]]] = {
    events.GameCreated: _created,
    events.PlayerJoined: _joined,
    events.GameStarted: _started,
    events.ProposalMade: _proposed,
    events.ProposalRevised: _revised,
    events.VoteOpened: _opened,
    events.Posted: _posted,
    events.ProposalWithdrawn: _closed,
    events.VoteClosed: _closed,
    events.VoteHeld: _held,
    events.ChangeVoided: _voided,
    events.TurnEnded: _turn_ended,
    events.DeadlinePassed: _late,
}
