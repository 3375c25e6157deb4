"""Read models: a game's state in the shape in which people and programs read it.

What lives here: frozen views, made from a `State` alone, for mails, pages and `pbem show`. What never
may: anything that changes the game, or words in one language only.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Any

from pbem.game import ballots, bounds, case_views, changes, chronicle, regulation, rulebook, silence
from pbem.game.commands import CallVote, Command, Propose, Vote
from pbem.game.model import Choice, Player, Rule, RuleText, Say, say
from pbem.game.proposals import Award, Ballot, Conditional, Endorsement, Proposal, Settled, Tally, TurnRecord
from pbem.game.state import State


@dataclass(frozen=True, slots=True)
class BallotLine:
    """One eligible voter in a vote: `voted` is shown while it runs, the choice and the words once it may be.

    `silent`: nothing was cast, and the silence is counted so. `why` is given once a ballot that hung on something
    else has come to its `choice` (None: to no ballot)."""

    name: str
    ballots: int
    voted: bool
    choice: Choice | None
    at: int | None
    said: str
    mail: str | None
    why: Say | None = None
    silent: bool = False


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
    None stands for no rule. `headline` says what it asks for, `remarks` what its proponent was warned of, `failures`
    what could not be awarded, `remedies` what was done about silence."""

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
    failures: tuple[Say, ...]
    remedies: tuple[Say, ...]


@dataclass(frozen=True, slots=True)
class Waiting:
    """What somebody is waited for to do, by when (UTC µs or None), and the lines that do it."""

    player: Player
    task: Say
    until: int | None
    lines: tuple[Command | str, ...]


@dataclass(frozen=True, slots=True)
class TurnView:
    """A turn with its proposals, what was done about silence in it, and the scores as they stand now."""

    record: TurnRecord
    player: str
    proposals: tuple[ProposalView, ...]
    remedies: tuple[Say, ...]


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
    before, after = texts(state, proposal)
    return ProposalView(
        proposal,
        headline(proposal),
        state.name(proposal.proponent, proposal.made),
        before,
        after,
        _ballots(state, proposal),
        proposal.tally,
        tuple(
            AwardLine(state.name(award.player, proposal.closed or state.at), award)
            for award in proposal.awards
        ),
        tuple(_post(state, post) for post in proposal.debate),
        proposal.remarks,
        tuple(chronicle.failed(state, failure) for failure in proposal.failures),
        chronicle.remedies(state, proposal.remedies, number),
    )


def _post(state: State, post: Any) -> PostLine:
    name = "" if post.player is None else state.name(post.player, post.at)
    return PostLine(name, post.at, post.text, post.mail)


def texts(state: State, proposal: Proposal) -> tuple[RuleText | None, RuleText | None]:
    """The rule before and after: as it went when the change took effect, else as it would go now."""
    rule = state.rulebook.find(proposal.number)
    if rule is None or not rulebook.stands(state.rulebook, proposal.number):
        change = changes.proposed(state, proposal)
        return (
            (None, None) if change is None else (change.target, changes.effect(change, proposal.number).rule)
        )
    if rule.repealed == proposal.number:
        return rule.now, None
    place = next(i for i, version in enumerate(rule.versions) if version.proposal == proposal.number)
    return rule.versions[place - 1].rule if place else None, rule.versions[place].rule


def _ballots(state: State, proposal: Proposal) -> tuple[BallotLine, ...]:
    shown = proposal.stage != "voting" or _shown_at_once(state)
    came_to = _running(proposal) if proposal.tally is None else ballots.settled(proposal, state)
    return tuple(
        _ballot(state, proposal, voter, came_to.get(voter) if shown else None)
        for voter in sorted(proposal.electorate)
    )


def _running(proposal: Proposal) -> dict[int, Settled]:
    """What may be said of ballots before the close: nothing of those that hang on something else but their words."""
    return {
        voter: Settled(None if isinstance(ballot.choice, (Conditional, Endorsement)) else ballot.choice)
        for voter, ballot in proposal.ballots.items()
    }


def _ballot(state: State, proposal: Proposal, voter: int, came_to: Settled | None) -> BallotLine:
    ballot, weight = proposal.ballots.get(voter), proposal.electorate[voter]
    name = state.name(voter, ballot.at if ballot is not None else proposal.closed or state.at)
    if ballot is None:
        return BallotLine(name, weight, voted=False, choice=None, at=None, said="", mail=None)
    if came_to is None:
        return BallotLine(name, weight, voted=True, choice=None, at=None, said="", mail=None)
    choice, why = came_to.choice, came_to.why
    return BallotLine(name, weight, True, choice, ballot.at, ballot.said, ballot.mail, why, ballot.silent)


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
        why = bounds.named(proposal.without_effect, proposal.kept_by)
        return say("Adopted, but without effect: %(why)s", why=why)
    if proposal.kind == "transmute" and view.after is not None and not view.after.mutable:
        return Say(_MADE_IMMUTABLE.text, facts)
    return Say(_ADOPTED[proposal.kind].text, facts)


_CLOSED = {
    "defeated": say("Defeated."),
    "withdrawn": say("Withdrawn."),
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


def turn_view(state: State, number: int) -> TurnView:
    """A turn and the proposals made in it, in order of number."""
    record = state.turns[number]
    proposals = tuple(proposal_view(state, proposal) for proposal in record.proposals)
    remedies = chronicle.remedies(state, record.remedies)
    return TurnView(record, state.name(record.player, record.began), proposals, remedies)


def scores(state: State) -> tuple[Player, ...]:
    """Everyone who ever had a seat, highest score first; equal scores in the order they joined."""
    return tuple(sorted(state.players.values(), key=lambda player: (-player.score, player.id)))


def awards(state: State, turn: int) -> tuple[Award, ...]:
    """All awards of a turn, counters' units included: those for its proposals as they closed, then its own."""
    record = state.turns[turn]
    made = [state.proposals[number] for number in record.proposals]
    if len(made) > 1:
        made.sort(key=lambda proposal: (proposal.closed or 0, proposal.number))
    return tuple(chain(*[proposal.awards for proposal in made], record.awards))


def gained(awarded: Iterable[Award], player: int) -> dict[str | None, int]:
    """What a player got by these awards, by counter (None: points). Units are never added to those of another kind."""
    gains: dict[str | None, int] = {}
    for award in awarded:
        if award.player == player:
            gains[award.counter] = gains.get(award.counter, 0) + award.points
    return gains


def waiting(state: State) -> tuple[Waiting, ...]:
    """Everyone who is waited for, with what they can write."""
    due = [Waiting(*awaited) for awaited in case_views.waiting(state)]
    if state.status not in ("playing", "won"):
        return tuple(due)
    due += [entry for proposal in state.open_proposals for entry in _waiting_on(state, proposal)]
    if state.status == "playing" and not state.open and state.on_turn is not None and not state.docket.waits:
        player = state.players[state.on_turn]
        due.append(Waiting(player, say("propose a rule change"), state.until, (Propose("enact", title="…"),)))
    return tuple(due)


def _waiting_on(state: State, proposal: Proposal) -> tuple[Waiting, ...]:
    """Whose move it is in a proposal; nobody's while the keeper is asked for its outcome."""
    number = proposal.number
    if number in state.held:
        return ()
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
    return {
        **summary_json(state, head),
        "rules": [rule_json(rule) for rule in state.rulebook.in_force],
        "proposals": [proposal_json(state, proposal) for _, proposal in sorted(state.proposals.items())],
    }


def summary_json(state: State, head: str | None) -> dict[str, Any]:
    """`state_json` without the rules and the proposals, which may be thousands."""
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
        "cases": [case_views.case_json(state, case) for _, case in sorted(state.docket.cases.items())],
        "clauses": {name: _clause_json(carriers[0]) for name, carriers in state.rulebook.carried()},
        "keeper": names.get(state.keeper or 0),
        "winners": [names[player] for player in state.winners],
        "earlier_wins": [
            {"turn": won.turn, "winners": [state.name(player, won.at) for player in won.players]}
            for won in state.earlier_wins
        ],
        "events": state.seq,
        "hash": head,
    }


def hidden_votes(state: State) -> frozenset[int]:
    """The numbers of running votes of which only who has voted is shown (house rule `ballots shown`)."""
    if _shown_at_once(state):
        return frozenset()
    return frozenset(proposal.number for proposal in state.open_proposals if proposal.stage == "voting")


def public_proposal_json(state: State, proposal: Proposal) -> dict[str, Any]:
    """`proposal_json` for everyone: in a running vote null stands for each ballot cast, and nothing is counted."""
    public = proposal_json(state, proposal)
    if proposal.number in hidden_votes(state):
        public |= {"ballots": dict.fromkeys(public["ballots"]), "votes_for": None, "votes_against": None}
    return public


def _player_json(player: Player) -> dict[str, Any]:
    return {
        "name": player.name,
        "score": player.score,
        "status": player.status,
        "team": player.team,
        "counters": dict(sorted(player.counters.items())),
    }


def rule_json(rule: Rule) -> dict[str, Any]:
    """A rule in force."""
    return {
        "number": rule.number,
        "lineage": list(rule.lineage),
        "mutable": rule.mutable,
        "title": rule.now.title,
        "text": rule.now.text,
        "clauses": {clause.name: clause.expression for clause in rule.now.clauses},
    }


def proposal_json(state: State, proposal: Proposal) -> dict[str, Any]:
    """A proposal with its ballots, by the names that players have now."""
    counted, names = (
        regulation.count(state, proposal),
        {key: player.name for key, player in state.players.items()},
    )
    return {
        "number": proposal.number,
        "kind": proposal.kind,
        "target": proposal.target,
        "title": proposal.title,
        "text": proposal.text,
        "proponent": names[proposal.proponent],
        "stage": proposal.stage,
        "ballots": {names[voter]: _ballot_json(ballot) for voter, ballot in sorted(proposal.ballots.items())},
        "silent": [names[voter] for voter, ballot in sorted(proposal.ballots.items()) if ballot.silent],
        "settled": {names[voter]: settled.choice for voter, settled in sorted(proposal.settled.items())},
        "votes_for": counted.votes_for,
        "votes_against": counted.votes_against,
        "without_effect": _without_effect(proposal),
        "turn": proposal.turn,
    }


def _without_effect(proposal: Proposal) -> str | None:
    why = proposal.without_effect
    return None if why is None else str(bounds.named(why, proposal.kept_by))


def _ballot_json(ballot: Ballot) -> str:
    """A plain choice, or the words of a ballot that hangs on something else."""
    return ballot.said if isinstance(ballot.choice, (Conditional, Endorsement)) else ballot.choice


def _clause_json(carrier: Any) -> dict[str, Any]:
    return {
        "rule": carrier.rule.number,
        "expression": carrier.clause.expression,
        "over": list(carrier.clause.over),
    }
