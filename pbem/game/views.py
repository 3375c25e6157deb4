"""Read models: a game's state in the shape in which people and programs read it.

What lives here: frozen views, made from a `State` alone, for mails, pages and `pbem show`. What never
may: anything that changes the game, or words in one language only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pbem.game import bounds, changes, regulation, silence
from pbem.game.commands import CallVote, Command, Propose, Vote
from pbem.game.model import (
    OPEN_STAGES,
    Award,
    Choice,
    Player,
    Proposal,
    RuleText,
    Say,
    Tally,
    TurnRecord,
    say,
)
from pbem.game.rulebook import Rulebook
from pbem.game.state import State


@dataclass(frozen=True, slots=True)
class BallotLine:
    """One eligible voter in a vote: `voted` is shown while it runs, the choice and the words once it may be."""

    name: str
    ballots: int
    voted: bool
    choice: Choice | None
    at: int | None
    said: str
    mail: str | None


@dataclass(frozen=True, slots=True)
class PostLine:
    """Words in a debate, with the author's name ("" for the keeper)."""

    name: str
    at: int
    text: str
    mail: str | None


@dataclass(frozen=True, slots=True)
class AwardLine:
    """Points with the receiver's name and the sum that gave them."""

    name: str
    award: Award


@dataclass(frozen=True, slots=True)
class ProposalView:
    """A proposal as a reader sees it. `before` and `after` are the rule as it was and as it would be or became;
    None stands for no rule. `headline` says what it asks for, `remarks` what its proponent was warned of."""

    proposal: Proposal
    headline: Say
    proponent: str
    before: RuleText | None
    after: RuleText | None
    ballots: tuple[BallotLine, ...]
    tally: Tally | None
    awards: tuple[AwardLine, ...]
    debate: tuple[PostLine, ...]
    remarks: tuple[Say, ...]


@dataclass(frozen=True, slots=True)
class ClauseChange:
    """What a change does to one clause: its expression in the rule before and after (None: not in it), and
    the number of the rule whose clause of that name counts afterwards (None: no rule orders it then)."""

    name: str
    before: str | None
    after: str | None
    counts: int | None


@dataclass(frozen=True, slots=True)
class Waiting:
    """What somebody is waited for to do, by when (UTC µs or None), and the lines that do it."""

    player: Player
    task: Say
    until: int | None
    lines: tuple[Command | str, ...]


@dataclass(frozen=True, slots=True)
class TurnView:
    """A turn with its proposals, and the scores as they stand now."""

    record: TurnRecord
    player: str
    proposals: tuple[ProposalView, ...]


_HEADLINES = {
    "enact": say("Proposal %(number)d: a new rule, “%(title)s”"),
    "amend": say("Proposal %(number)d: amend rule %(target)d, “%(title)s”"),
    "repeal": say("Proposal %(number)d: repeal rule %(target)d, “%(title)s”"),
    "transmute": say("Proposal %(number)d: transmute rule %(target)d, “%(title)s”"),
    "repeal amendment": say("Proposal %(number)d: repeal the last amendment of rule %(target)d, “%(title)s”"),
    "amend amendment": say("Proposal %(number)d: amend the last amendment of rule %(target)d, “%(title)s”"),
}


def headline(proposal: Proposal) -> Say:
    """What a proposal asks for, in a line."""
    return Say(_HEADLINES[proposal.kind].text, {**_numbers(proposal), "title": proposal.title})


def _numbers(proposal: Proposal) -> dict[str, Any]:
    target = {} if proposal.target is None else {"target": proposal.target}
    return {"number": proposal.number, **target}


def proposal_view(state: State, number: int) -> ProposalView:
    """A proposal with all that became of it. Ballots of a running vote are hidden unless the rules show them."""
    proposal = state.proposals[number]
    before, after = _texts(state, proposal)
    return ProposalView(
        proposal,
        headline(proposal),
        state.players[proposal.proponent].name,
        before,
        after,
        _ballots(state, proposal),
        proposal.tally,
        tuple(AwardLine(state.players[award.player].name, award) for award in proposal.awards),
        tuple(_post(state, post) for post in proposal.debate),
        proposal.remarks,
    )


def _post(state: State, post: Any) -> PostLine:
    name = "" if post.player is None else state.players[post.player].name
    return PostLine(name, post.at, post.text, post.mail)


def _texts(state: State, proposal: Proposal) -> tuple[RuleText | None, RuleText | None]:
    """The rule before and after: as it went when the change took effect, else as it would go now."""
    rule = state.rulebook.find(proposal.number)
    if rule is not None:
        if rule.repealed == proposal.number:
            return rule.now, None
        place = next(i for i, version in enumerate(rule.versions) if version.proposal == proposal.number)
        earlier = rule.versions[place - 1].rule if place else None
        return earlier, rule.versions[place].rule
    change = changes.proposed(state, proposal)
    return (None, None) if change is None else (change.target, changes.effect(change, proposal.number).rule)


def _ballots(state: State, proposal: Proposal) -> tuple[BallotLine, ...]:
    shown = proposal.stage != "voting" or _shown_at_once(state)
    return tuple(_ballot(state, proposal, voter, shown) for voter in sorted(proposal.electorate))


def _ballot(state: State, proposal: Proposal, voter: int, shown: bool) -> BallotLine:
    name, weight = state.players[voter].name, proposal.electorate[voter]
    ballot = proposal.ballots.get(voter)
    if ballot is None:
        return BallotLine(name, weight, voted=False, choice=None, at=None, said="", mail=None)
    if not shown:
        return BallotLine(name, weight, voted=True, choice=None, at=None, said="", mail=None)
    return BallotLine(name, weight, True, ballot.choice, ballot.at, ballot.said, ballot.mail)


def _shown_at_once(state: State) -> bool:
    answer = regulation.ask(state, "ballots shown")
    return answer is not None and answer.value == "at once"


def outcome(view: ProposalView) -> Say:
    """What became of a closed proposal, in a sentence."""
    proposal = view.proposal
    facts = _numbers(proposal)
    if proposal.stage != "adopted":
        return Say(_CLOSED[proposal.stage].text, facts)
    if proposal.without_effect is not None:
        return say("Adopted, but without effect: %(why)s", why=proposal.without_effect)
    if proposal.kind == "transmute" and view.after is not None and not view.after.mutable:
        return Say(_MADE_IMMUTABLE.text, facts)
    return Say(_ADOPTED[proposal.kind].text, facts)


_CLOSED = {
    "defeated": say("Defeated."),
    "withdrawn": say("Withdrawn by its proponent."),
    "void": say("Void."),
}
_MADE_IMMUTABLE = say("Adopted. Rule %(target)d is now rule %(number)d, and immutable.")
_ADOPTED = {
    "enact": say("Adopted. Rule %(number)d is in force."),
    "amend": say("Adopted. Rule %(target)d reads anew, and is now rule %(number)d."),
    "repeal": say("Adopted. Rule %(target)d is repealed."),
    "transmute": say("Adopted. Rule %(target)d is now rule %(number)d, and mutable."),
    "repeal amendment": say(
        "Adopted. Rule %(target)d reads as before its last amendment, and is now rule %(number)d."
    ),
    "amend amendment": say(
        "Adopted. The last amendment of rule %(target)d is replaced; it is now rule %(number)d."
    ),
}


def clause_changes(state: State, number: int) -> tuple[ClauseChange, ...]:
    """What a proposal would do (or, adopted, did) to the clauses of the rule it changes, by name."""
    proposal = state.proposals[number]
    before, after = _texts(state, proposal)
    change = changes.proposed(state, proposal) if proposal.stage in OPEN_STAGES else None
    book = state.rulebook if change is None else bounds.after(state, changes.effect(change, number))
    old, new = _expressions(before), _expressions(after)
    return tuple(
        ClauseChange(name, old.get(name), new.get(name), _counting(book, name))
        for name in sorted(old.keys() | new.keys())
    )


def _expressions(rule: RuleText | None) -> dict[str, str]:
    return {} if rule is None else {clause.name: clause.expression for clause in rule.clauses}


def _counting(book: Rulebook, name: str) -> int | None:
    carriers = book.carriers(name)
    return carriers[0].rule.number if carriers else None


def turn_view(state: State, number: int) -> TurnView:
    """A turn and the proposals made in it, in order of number."""
    record = state.turns[number]
    proposals = tuple(proposal_view(state, proposal) for proposal in record.proposals)
    return TurnView(record, state.players[record.player].name, proposals)


def scores(state: State) -> tuple[Player, ...]:
    """Everyone who ever had a seat, highest score first; equal scores in the order they joined."""
    return tuple(sorted(state.players.values(), key=lambda player: (-player.score, player.id)))


def zone(state: State) -> str:
    """The name of the game's time zone."""
    answer = regulation.ask(state, "zone")
    return str(answer.value) if answer else "UTC"


def waiting(state: State) -> tuple[Waiting, ...]:
    """Everyone who is waited for, with what they can write."""
    if state.status != "playing":
        return ()
    due = [entry for proposal in state.open_proposals for entry in _waiting_on(state, proposal)]
    if not state.open and state.on_turn is not None:
        player = state.players[state.on_turn]
        due.append(Waiting(player, say("propose a rule change"), state.until, (Propose("enact", title="…"),)))
    return tuple(due)


def _waiting_on(state: State, proposal: Proposal) -> tuple[Waiting, ...]:
    number = proposal.number
    voting = proposal.stage == "voting"
    lines = (Vote("for", number), Vote("against", number)) if voting else (CallVote(number),)
    task = (
        say("vote on proposal %(number)d", number=number)
        if voting
        else say("end the debate on proposal %(number)d", number=number)
    )
    who = silence.waiting_for(state, number)
    return tuple(Waiting(state.players[player], task, proposal.until, lines) for player in who)


def state_json(state: State, head: str) -> dict[str, Any]:
    """The state as `pbem state GAME --json` gives it; `head` is the hash of the last record."""
    names = {player.id: player.name for player in state.players.values()}
    return {
        "game": state.game,
        "title": state.title,
        "status": state.status,
        "language": state.language,
        "turn": state.turn,
        "circuit": state.circuit,
        "on_turn": names.get(state.on_turn or 0),
        "waiting_for": list(dict.fromkeys(due.player.name for due in waiting(state))),
        "players": [_player_json(player) for _, player in sorted(state.players.items())],
        "rules": [_rule_json(rule) for rule in state.rulebook.in_force],
        "proposals": [_proposal_json(p, names) for _, p in sorted(state.proposals.items())],
        "cases": [],
        "clauses": {name: _clause_json(carriers[0]) for name, carriers in state.rulebook.carried()},
        "winners": [names[player] for player in state.winners],
        "events": state.seq,
        "hash": head,
    }


def hidden_votes(state: State) -> frozenset[int]:
    """The numbers of running votes of which only who has voted is shown (house rule `ballots shown`)."""
    if _shown_at_once(state):
        return frozenset()
    return frozenset(proposal.number for proposal in state.open_proposals if proposal.stage == "voting")


def public_json(state: State, head: str | None) -> dict[str, Any]:
    """`state_json` for everyone: in a running vote null stands for each ballot cast, and nothing is counted."""
    public = state_json(state, head or "") | {"hash": head}
    hidden = hidden_votes(state)
    for proposal in public["proposals"]:
        if proposal["number"] in hidden:
            proposal["ballots"] = dict.fromkeys(proposal["ballots"])
            proposal["votes_for"] = proposal["votes_against"] = None
    return public


def _player_json(player: Player) -> dict[str, Any]:
    return {
        "name": player.name,
        "score": player.score,
        "status": player.status,
        "team": player.team,
        "counters": dict(sorted(player.counters.items())),
    }


def _rule_json(rule: Any) -> dict[str, Any]:
    return {
        "number": rule.number,
        "lineage": list(rule.lineage),
        "mutable": rule.mutable,
        "title": rule.now.title,
        "text": rule.now.text,
        "clauses": {clause.name: clause.expression for clause in rule.now.clauses},
    }


def _proposal_json(proposal: Proposal, names: dict[int, str]) -> dict[str, Any]:
    ballots = regulation.count(proposal)
    return {
        "number": proposal.number,
        "kind": proposal.kind,
        "target": proposal.target,
        "title": proposal.title,
        "text": proposal.text,
        "proponent": names[proposal.proponent],
        "stage": proposal.stage,
        "ballots": {names[voter]: ballot.choice for voter, ballot in sorted(proposal.ballots.items())},
        "votes_for": ballots.votes_for,
        "votes_against": ballots.votes_against,
        "without_effect": str(proposal.without_effect) if proposal.without_effect else None,
        "turn": proposal.turn,
    }


def _clause_json(carrier: Any) -> dict[str, Any]:
    return {
        "rule": carrier.rule.number,
        "expression": carrier.clause.expression,
        "over": list(carrier.clause.over),
    }
