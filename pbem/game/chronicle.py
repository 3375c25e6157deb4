"""The log in words: each fact as a sentence.

What lives here: one sentence for every kind of fact. What never may: a ballot's choice. The log tells
that somebody voted; what they chose is told by the proposal, once it may be.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pbem.game import events
from pbem.game.events import Fact
from pbem.game.model import Say, say
from pbem.game.state import State


def told(state: State, fact: Fact) -> Say:
    """What happened, in a sentence. `state` is any state after the fact; players go by the names they have there."""
    return _SENTENCES[type(fact)](state, fact)


def _name(state: State, player: int) -> str:
    return state.players[player].name


def _game_created(_: State, fact: events.GameCreated) -> Say:
    return say(
        "The game “%(title)s” is set up. Rules in force: %(rules)d.", title=fact.title, rules=len(fact.rules)
    )


def _player_joined(_: State, fact: events.PlayerJoined) -> Say:
    return say("%(name)s joins.", name=fact.name)


def _game_started(_: State, __: events.GameStarted) -> Say:
    return say("The game starts.")


def _turn_began(state: State, fact: events.TurnBegan) -> Say:
    return say("Turn %(turn)d begins: %(name)s is on turn.", turn=fact.turn, name=_name(state, fact.player))


def _proposal_made(state: State, fact: events.ProposalMade) -> Say:
    name = _name(state, fact.player)
    return say(
        "%(name)s makes proposal %(number)d, “%(title)s”.", name=name, number=fact.number, title=fact.title
    )


def _proposal_revised(_: State, fact: events.ProposalRevised) -> Say:
    return say("Proposal %(number)d gets a new text.", number=fact.number)


def _proposal_withdrawn(_: State, fact: events.ProposalWithdrawn) -> Say:
    return say("Proposal %(number)d is withdrawn.", number=fact.number)


def _posted(state: State, fact: events.Posted) -> Say:
    name = say("The keeper") if fact.player is None else _name(state, fact.player)
    if fact.number is None:
        return say("%(name)s says to everyone: “%(text)s”", name=name, text=fact.text)
    return say("%(name)s writes in the debate on proposal %(number)d.", name=name, number=fact.number)


def _vote_opened(_: State, fact: events.VoteOpened) -> Say:
    return say("The vote on proposal %(number)d opens.", number=fact.number)


def _ballot_cast(state: State, fact: events.BallotCast) -> Say:
    return say("%(name)s votes on proposal %(number)d.", name=_name(state, fact.player), number=fact.number)


def _ballot_retracted(state: State, fact: events.BallotRetracted) -> Say:
    name = _name(state, fact.player)
    return say("%(name)s takes back the ballot on proposal %(number)d.", name=name, number=fact.number)


def _vote_completed(_: State, fact: events.VoteCompleted) -> Say:
    return say("Everyone has voted on proposal %(number)d.", number=fact.number)


def _vote_closed(_: State, fact: events.VoteClosed) -> Say:
    votes = {"votes_for": fact.tally.votes_for, "votes_against": fact.tally.votes_against}
    if fact.tally.adopted:
        return say(
            "Proposal %(number)d is adopted: %(votes_for)d for, %(votes_against)d against.",
            number=fact.number,
            **votes,
        )
    return say(
        "Proposal %(number)d is defeated: %(votes_for)d for, %(votes_against)d against.",
        number=fact.number,
        **votes,
    )


def _vote_held(_: State, fact: events.VoteHeld) -> Say:
    return say(
        "The vote on proposal %(number)d waits for the keeper. %(why)s", number=fact.number, why=fact.why
    )


def _rule_changed(_: State, fact: events.RuleChanged) -> Say:
    if fact.target is None:
        return say("Rule %(number)d comes into force.", number=fact.number)
    if fact.rule is None:
        return say("Rule %(target)d is repealed.", target=fact.target)
    return say("Rule %(target)d becomes rule %(number)d.", target=fact.target, number=fact.number)


def _change_voided(_: State, fact: events.ChangeVoided) -> Say:
    return say("Proposal %(number)d has no effect. %(why)s", number=fact.number, why=fact.why)


def _impasse_found(_: State, fact: events.ImpasseFound) -> Say:
    return say("After proposal %(number)d no rule change can be adopted any more.", number=fact.number)


def _counter_opened(_: State, fact: events.CounterOpened) -> Say:
    return say("Everyone has %(value)d %(counter)s.", value=fact.value, counter=fact.counter)


def _counter_closed(_: State, fact: events.CounterClosed) -> Say:
    return say("Nobody counts %(counter)s any more.", counter=fact.counter)


def _player_left(state: State, fact: events.PlayerLeft) -> Say:
    name = _name(state, fact.player)
    if fact.how == "forfeited":
        return say("%(name)s gives up.", name=name)
    return say("The keeper takes %(name)s out of the game. %(why)s", name=name, why=fact.why)


def _voter_left(state: State, fact: events.VoterLeft) -> Say:
    name = _name(state, fact.player)
    return say("%(name)s is no voter on proposal %(number)d any more.", name=name, number=fact.number)


def _next_named(state: State, fact: events.NextNamed) -> Say:
    return say("Next is %(name)s.", name=_name(state, fact.player) if fact.player is not None else "–")


def _game_ended(_: State, fact: events.GameEnded) -> Say:
    return say("The game ends. %(why)s", why=fact.why)


def _points_awarded(state: State, fact: events.PointsAwarded) -> Say:
    award = fact.award
    facts = {
        "name": _name(state, award.player),
        "points": f"{award.points:+d}".replace("-", "−"),
        "rule": award.rule or "–",
        "counter": award.counter,
    }
    if award.counter is not None:
        return say("%(counter)s for %(name)s: %(points)s (rule %(rule)s).", **facts)
    return say("Points for %(name)s: %(points)s (rule %(rule)s).", **facts)


def _players_won(state: State, fact: events.PlayersWon) -> Say:
    names = ", ".join(_name(state, player) for player in fact.players)
    return say("The game is won by rule %(rule)s: %(names)s.", rule=fact.rule or "–", names=names)


def _turn_ended(state: State, fact: events.TurnEnded) -> Say:
    if fact.next is None:
        return say("Turn %(turn)d ends.", turn=fact.turn)
    return say("Turn %(turn)d ends. Next is %(name)s.", turn=fact.turn, name=_name(state, fact.next))


def _deadline_passed(state: State, fact: events.DeadlinePassed) -> Say:
    names = ", ".join(_name(state, player) for player in fact.waiting_for)
    if fact.number is None:
        return say("The time to propose has passed. Waited for: %(names)s.", names=names)
    return say(
        "A deadline of proposal %(number)d has passed. Waited for: %(names)s.",
        number=fact.number,
        names=names,
    )


_SENTENCES: dict[type[Any], Callable[[State, Any], Say]] = {
    events.GameCreated: _game_created,
    events.PlayerJoined: _player_joined,
    events.PlayerLeft: _player_left,
    events.VoterLeft: _voter_left,
    events.NextNamed: _next_named,
    events.GameEnded: _game_ended,
    events.GameStarted: _game_started,
    events.TurnBegan: _turn_began,
    events.ProposalMade: _proposal_made,
    events.ProposalRevised: _proposal_revised,
    events.ProposalWithdrawn: _proposal_withdrawn,
    events.Posted: _posted,
    events.VoteOpened: _vote_opened,
    events.BallotCast: _ballot_cast,
    events.BallotRetracted: _ballot_retracted,
    events.VoteCompleted: _vote_completed,
    events.VoteClosed: _vote_closed,
    events.VoteHeld: _vote_held,
    events.RuleChanged: _rule_changed,
    events.ChangeVoided: _change_voided,
    events.ImpasseFound: _impasse_found,
    events.CounterOpened: _counter_opened,
    events.CounterClosed: _counter_closed,
    events.PointsAwarded: _points_awarded,
    events.PlayersWon: _players_won,
    events.TurnEnded: _turn_ended,
    events.DeadlinePassed: _deadline_passed,
}
