"""The vote (105, 109, 203, 207): ballots, and the tally with its working."""

from __future__ import annotations

from pbem.game import adoption, ballots, regulation
from pbem.game.clauses import Unevaluated
from pbem.game.commands import AsPlayer, By, Claim, Outcome, RetractVote, Vote
from pbem.game.events import BallotCast, BallotRetracted, VoteClosed, VoteCompleted, VoteHeld
from pbem.game.model import Moment, Player, Refused, say
from pbem.game.move import Move
from pbem.game.proposals import Conditional, Endorsement, Proposal, Settled, Stance, Tally
from pbem.game.state import State


def vote(move: Move, asked: Vote, by: By) -> None:
    """A ballot; the last valid one before the close counts (105)."""
    move.must_go_on()
    player = move.seat(by)
    for number in _meant(move, asked, player):
        proposal = _open_vote(move, number, player)
        stance = _stance(move, asked, proposal, player)
        move.record(BallotCast(proposal.number, player.id, stance, asked.said))
        complete(move, proposal.number)


def _stance(move: Move, asked: Vote, proposal: Proposal, player: Player) -> Stance:
    """What the ballot says, if it can ever come to something. Raises Refused."""
    choice = asked.choice
    if isinstance(choice, AsPlayer):
        return Endorsement(_endorsed(move, choice.name, proposal, player))
    if isinstance(choice, Conditional) and move.proposal(choice.on).number == proposal.number:
        raise Refused("A ballot on proposal %(number)d cannot hang on its own outcome.", number=choice.on)
    return choice


def _endorsed(move: Move, name: str, proposal: Proposal, player: Player) -> int:
    """The id of another voter of that name. Raises Refused."""
    found = move.state.named(name)
    if found is not None and found.id == player.id:
        raise Refused("You cannot vote as yourself. Say what you vote.", cure=_both(proposal.number))
    if found is None or found.id not in proposal.electorate:
        others = (
            move.state.players[voter].name for voter in sorted(proposal.electorate) if voter != player.id
        )
        raise Refused(
            "Nobody called %(name)s has a vote on proposal %(number)d. The other voters are: %(names)s.",
            number=proposal.number,
            name=name,
            names=", ".join(others),
        )
    return found.id


def _both(number: int) -> tuple[Vote, ...]:
    return Vote("for", number), Vote("against", number)


def retract(move: Move, asked: RetractVote, by: By) -> None:
    """The voter has no ballot again."""
    move.must_go_on()
    player = move.seat(by)
    number = asked.number if asked.number is not None else _only_open(move.state, player)
    proposal = _open_vote(move, number, player)
    if player.id not in proposal.ballots:
        raise Refused("You have no ballot on proposal %(number)d to take back.", number=proposal.number)
    move.record(BallotRetracted(proposal.number, player.id))


def complete(move: Move, number: int) -> None:
    """Notes that every eligible voter has a ballot: the vote closes when the cooling time is over, which does not begin in a
    pause."""
    proposal = move.state.proposals[number]
    runs = move.state.status != "paused" and number not in move.state.held
    if runs and not proposal.missing and proposal.closes is None:
        closes = move.at + regulation.duration(move.state, "cooling time")
        move.record(VoteCompleted(number, closes))


def close(move: Move, number: int) -> None:
    """Counts the ballots by the rules in force before the change, and lets the outcome take effect (109, 203, 205)."""
    proposal = move.proposal(number)
    try:
        tally = tallied(move.state, proposal)
    except Unevaluated as error:
        move.record(VoteHeld(proposal.number, say("The reason: %(why)s.", why=error.said)))
        return
    _conclude(move, proposal, tally)


def _conclude(move: Move, proposal: Proposal, tally: Tally) -> None:
    move.record(VoteClosed(proposal.number, tally, _hanging(move.state, proposal)))
    adoption.conclude(move, proposal.number, adopted=tally.adopted)


def decided(move: Move, proposal: Proposal, outcome: Outcome, why: str) -> None:
    """The keeper's word on a vote that the rules in force leave open."""
    counted = regulation.count(move.state, proposal)
    adopted = outcome == "adopted"
    clause = deciding(move.state, proposal)[0]
    votes = (counted.votes_for, counted.votes_against, counted.eligible)
    _conclude(move, proposal, Tally(*votes, adopted, clause, None, "", "", by_keeper=True, why=why))


def see_to(move: Move) -> None:
    """After any move: a vote that was held is counted once the rules in force say how."""
    for number in sorted(move.state.held):
        proposal = move.state.proposals[number]
        try:
            tally = tallied(move.state, proposal)
        except Unevaluated:
            continue
        _conclude(move, proposal, tally)


def _hanging(state: State, proposal: Proposal) -> tuple[tuple[int, Settled], ...]:
    """The ballots that hung on something else, with what they came to."""
    came_to = sorted(ballots.settled(proposal, state).items())
    return tuple((voter, settled) for voter, settled in came_to if settled.why is not None)


def tallied(state: State, proposal: Proposal) -> Tally:
    """The outcome of a vote with its working. Nothing is adopted when no rule says how. Raises Unevaluated."""
    counted = regulation.count(state, proposal)
    facts = regulation.vote_facts(state, proposal)
    answer = regulation.ask_strictly(state, *deciding(state, proposal), facts=facts)
    return Tally(
        counted.votes_for,
        counted.votes_against,
        counted.eligible,
        adopted=answer is not None and answer.value is True,
        clause=answer.clause if answer else "adopted when",
        rule=answer.rule if answer else None,
        expression=answer.expression if answer else "",
        working=answer.working if answer else "",
    )


def deciding(state: State, proposal: Proposal) -> tuple[str, ...]:
    """The clauses that decide: for a transmutation of an immutable rule 109 and 203 are one matter, by rank."""
    rule = state.rulebook.standing(proposal.target) if proposal.target is not None else None
    if proposal.kind == "transmute" and rule is not None and not rule.mutable:
        return ("transmuted when", "adopted when")
    return ("adopted when",)


def _meant(move: Move, asked: Vote, player: Player) -> tuple[int, ...]:
    """The proposals a ballot is for."""
    if isinstance(asked.number, int):
        return (asked.number,)
    if asked.number is None:
        return (_only_open(move.state, player),)
    votes = [p for p in move.state.open_proposals if p.stage == "voting" and player.id in p.electorate]
    if asked.number == "rest":
        votes = [p for p in votes if player.id not in p.ballots]
    if not votes:
        raise Refused("There is no open vote for you to cast a ballot in.")
    return tuple(proposal.number for proposal in votes)


def _only_open(state: State, player: Player) -> int:
    """A ballot without a number is never guessed at: the sender is asked which, with the lines to send."""
    numbers = [p.number for p in state.open_proposals if p.stage == "voting" and player.id in p.electorate]
    if not numbers:
        raise Refused("No vote is open now, so your ballot was not counted.")
    choices = tuple(vote for number in numbers for vote in _both(number))
    raise Refused("Which proposal is your ballot for? Write its number.", cure=choices)


def _open_vote(move: Move, number: int, player: Player) -> Proposal:
    """The proposal, if its vote is open and the player may vote in it. Raises Refused."""
    proposal = move.proposal(number)
    if proposal.stage == "debate":
        raise Refused("Proposal %(number)d is still being debated; its vote has not opened.", number=number)
    if proposal.stage != "voting":
        raise _closed(move, proposal)
    if number in move.state.held:
        raise Refused(
            "The time to vote on proposal %(number)d is over; the keeper is asked for its outcome. Your ballot was "
            "not counted.",
            number=number,
        )
    if player.id not in proposal.electorate:
        raise Refused(
            "You have no vote on proposal %(number)d: you were not an eligible voter when it opened.",
            rule=regulation.rule_for(move.state, "eligible"),
            number=number,
        )
    return proposal


def _closed(move: Move, proposal: Proposal) -> Refused:
    """The vote is over; as long as there is for it, the result can be called wrong."""
    closed = proposal.closed or move.at
    claims = regulation.after(move.state, "claim window", closed, move.at)
    return Refused(
        "The vote on proposal %(number)d closed %(when)s, so your ballot was not counted.",
        cure=(Claim("…"),) if proposal.tally is not None and move.at <= claims else (),
        number=proposal.number,
        when=Moment(closed),
    )
