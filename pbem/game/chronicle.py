"""The log in words: each fact as a sentence.

What lives here: one sentence for every kind of fact. What never may: a ballot's choice. The log tells
that somebody voted; what they chose is told by the proposal, once it may be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from pbem.game import errata, events, minutes, proclaimed
from pbem.game.events import Fact
from pbem.game.model import ClauseName, Moment, Say, say
from pbem.game.proposals import Failure, Remedy, RemedyKind
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
    if fact.case is not None:
        return say("%(name)s writes about case J%(case)d.", name=name, case=fact.case)
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
    if not fact.tally.by_keeper:
        return _counted(fact)
    decided = say("%(said)s The rules in force left it open, and the keeper decided.", said=_counted(fact))
    return errata.because(decided, fact.tally.why)


def _counted(fact: events.VoteClosed) -> Say:
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


def failed(state: State, failure: Failure) -> Say:
    """A clause without a value, in a sentence."""
    facts = {"name": ClauseName(failure.clause), "rule": failure.rule or 0, "why": failure.why}
    if failure.rule is None:
        return say("Nothing comes of “%(name)s”: %(why)s.", **facts)
    if failure.player is None:
        return say("Nothing comes of “%(name)s” in rule %(rule)d: %(why)s.", **facts)
    player = _name(state, failure.player)
    if failure.proposal is None:
        return say(
            "Nothing comes of “%(name)s” in rule %(rule)d for %(player)s: %(why)s.", **facts, player=player
        )
    return say(
        "%(player)s gets nothing by “%(name)s” in rule %(rule)d for proposal %(number)d: %(why)s.",
        **facts,
        player=player,
        number=failure.proposal,
    )


def _clause_failed(state: State, fact: events.ClauseFailed) -> Say:
    return failed(state, fact.failure)


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
        "counter": award.counter or "",
    }
    if award.counter is not None:
        return say("%(counter)s for %(name)s: %(points)s (rule %(rule)s).", **facts)
    return say("Points for %(name)s: %(points)s (rule %(rule)s).", **facts)


def _players_won(state: State, fact: events.PlayersWon) -> Say:
    names = ", ".join(_name(state, player) for player in fact.players)
    won = say("The game is won by rule %(rule)s: %(names)s.", rule=fact.rule or "–", names=names)
    return errata.because(won, fact.why)


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


def _turn_continued(_: State, fact: events.TurnContinued) -> Say:
    return say("The turn goes on. The next proposal is due %(until)s.", until=Moment(fact.until))


def _reminded(state: State, fact: events.Reminded) -> Say:
    names = ", ".join(_name(state, player) for player in fact.to) or "–"
    if fact.number is None:
        return say("A reminder to propose goes to: %(names)s.", names=names)
    return say("A reminder about proposal %(number)d goes to: %(names)s.", number=fact.number, names=names)


def _grace_over(state: State, fact: events.GraceOver) -> Say:
    names = ", ".join(_name(state, player) for player in fact.waiting_for)
    if fact.number is None:
        return say(
            "The grace is over and nothing is proposed. The keeper is asked. Waited for: %(names)s.",
            names=names,
        )
    return say(
        "The grace of proposal %(number)d is over. The keeper is asked. Waited for: %(names)s.",
        number=fact.number,
        names=names,
    )


def _deadline_extended(_: State, fact: events.DeadlineExtended) -> Say:
    until = Moment(fact.until)
    if fact.number is None:
        return errata.because(
            say("The keeper extends the time to propose to %(until)s.", until=until), fact.why
        )
    extended = say(
        "The keeper extends the deadline of proposal %(number)d to %(until)s.",
        number=fact.number,
        until=until,
    )
    return errata.because(extended, fact.why)


def _remedied(state: State, fact: events.Remedied) -> Say:
    return _remedy(state, fact.remedy, fact.number)


def remedies(state: State, done: Iterable[Remedy], number: int | None = None) -> tuple[Say, ...]:
    """What was done about silence in the vote or debate of proposal `number`, or (None) in a turn: by whose order,
    why, and from which rules it departs."""
    told = ((_remedy(state, remedy, number), _departure(remedy)) for remedy in done)
    return tuple(said for pair in told for said in pair if said is not None)


def _remedy(state: State, remedy: Remedy, number: int | None) -> Say:
    names = ", ".join(_name(state, player) for player in remedy.players) or "–"
    facts = {"names": names, **({} if number is None else {"number": number})}
    if remedy.by_keeper:
        return errata.because(Say(_KEEPERS[remedy.what].text, facts), remedy.why)
    order = say("the house rule") if remedy.rule is None else say("rule %(rule)d", rule=remedy.rule)
    return Say(_BY_RULES[remedy.what].text, {**facts, "order": order})


def _departure(remedy: Remedy) -> Say | None:
    if remedy.departs_from is None:
        return None
    return say("This departs from rule %(rule)d.", rule=remedy.departs_from)


_BY_RULES: dict[RemedyKind, Say] = {
    "abstain": say(
        "By “silence” in %(order)s those who cast no ballot on proposal %(number)d are out of the vote: %(names)s."
    ),
    "for": say(
        "By “silence” in %(order)s those who cast no ballot on proposal %(number)d count as voting for: %(names)s."
    ),
    "against": say(
        "By “silence” in %(order)s those who cast no ballot on proposal %(number)d count as voting against: %(names)s."
    ),
}
_KEEPERS: dict[RemedyKind, Say] = {
    "abstain": say(
        "By the keeper’s word those who cast no ballot on proposal %(number)d are out of the vote: %(names)s."
    ),
    "close": say("The keeper closes the vote on proposal %(number)d. Without a ballot: %(names)s."),
    "open vote": say("The keeper ends the debate on proposal %(number)d in the place of %(names)s."),
    "pass turn": say("The keeper passes the turn of %(names)s on to the next player."),
}


def _player_absent(state: State, fact: events.PlayerAbsent) -> Say:
    away = say("%(name)s is away until %(until)s.", name=_name(state, fact.player), until=Moment(fact.until))
    if fact.by_keeper or not fact.why:
        return errata.because(away, fact.why)
    return say("%(said)s The reason given: “%(why)s”", said=away, why=fact.why)


def _player_back(state: State, fact: events.PlayerBack) -> Say:
    return say("%(name)s is back.", name=_name(state, fact.player))


def _seat_asked(_: State, fact: events.SeatAsked) -> Say:
    return say("%(name)s would take over a seat that is abandoned.", name=fact.name)


def _seat_taken(_: State, fact: events.SeatTaken) -> Say:
    taken = say(
        "By the keeper’s word %(name)s plays on in the seat of %(before)s.",
        name=fact.name,
        before=fact.before,
    )
    return errata.because(taken, fact.why)


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
    events.ClauseFailed: _clause_failed,
    events.RuleChanged: _rule_changed,
    events.ChangeVoided: _change_voided,
    events.ImpasseFound: _impasse_found,
    events.CounterOpened: _counter_opened,
    events.CounterClosed: _counter_closed,
    events.PointsAwarded: _points_awarded,
    events.PlayersWon: _players_won,
    events.TurnEnded: _turn_ended,
    events.TurnContinued: _turn_continued,
    events.Reminded: _reminded,
    events.DeadlinePassed: _deadline_passed,
    events.GraceOver: _grace_over,
    events.Remedied: _remedied,
    events.DeadlineExtended: _deadline_extended,
    events.PlayerAbsent: _player_absent,
    events.PlayerBack: _player_back,
    events.SeatAsked: _seat_asked,
    events.SeatTaken: _seat_taken,
    **minutes.SENTENCES,
    **errata.SENTENCES,
    **proclaimed.SENTENCES,
}
