"""What ballots come to when the vote closes: conditions on other proposals, and endorsements (105).

What lives here: pure functions of a proposal and the state. What never may: a fact written down, or a count.
Only a closed proposal can meet a condition, so nothing here ever waits for itself; endorsements that lead in a
circle come to no ballot.
"""

from __future__ import annotations

from collections.abc import Mapping

from pbem.game.model import OPEN_STAGES, Choice, Say, say
from pbem.game.proposals import Ballot, Conditional, Endorsement, Proposal, Settled, Stance
from pbem.game.state import State


def settled(proposal: Proposal, state: State) -> Mapping[int, Settled]:
    """What the ballot of each voter who has one comes to as things stand, or (after the close) came to then."""
    found: dict[int, Settled] = dict(proposal.settled)
    for voter in proposal.ballots:
        _settle(voter, proposal.ballots, state, found)
    return found


def _settle(voter: int, ballots: Mapping[int, Ballot], state: State, found: dict[int, Settled]) -> None:
    """Follows endorsements from `voter` on, and finds what every ballot on the way comes to."""
    way: dict[int, int] = {}
    while voter in ballots and voter not in found and voter not in way:
        choice = ballots[voter].choice
        if isinstance(choice, Endorsement):
            way[voter] = choice.player
            voter = choice.player
        else:
            found[voter] = _conditional(choice, state) if isinstance(choice, Conditional) else Settled(choice)
    if voter in way:
        circle = list(way)[list(way).index(voter) :]
        found |= dict.fromkeys(circle, Settled(None, Say(_CIRCLE.text, {"count": len(circle)})))
    for endorser, endorsed in reversed(way.items()):
        if endorser not in found:
            found[endorser] = _endorsing(found.get(endorsed))


def _endorsing(endorsed: Settled | None) -> Settled:
    if endorsed is None:
        return Settled(None, say("The player it names had no ballot, so this is none either."))
    if endorsed.choice is None:
        return Settled(None, say("The ballot of the player it names did not count, so this does not either."))
    return Settled(endorsed.choice, _AS[endorsed.choice])


_AS: Mapping[Choice, Say] = {
    "for": say("The player it names voted for."),
    "against": say("The player it names voted against."),
}
_CIRCLE = say("%(count)d ballots endorse one another in a circle, so none of them counts.")


def _conditional(choice: Conditional, state: State) -> Settled:
    """A condition is met by a proposal that is closed: adopted, or not."""
    on = state.proposals[choice.on]
    if on.stage in OPEN_STAGES:
        return Settled(None, say("Proposal %(on)d was still open, so this is no ballot.", on=on.number))
    adopted = on.stage == "adopted"
    came_to = choice.choice if adopted == choice.passes else choice.otherwise
    return Settled(came_to, Say(_MET[adopted, came_to is not None].text, {"on": on.number}))


_MET = {
    (True, True): say("Proposal %(on)d was adopted."),
    (True, False): say("Proposal %(on)d was adopted, so this is no ballot."),
    (False, True): say("Proposal %(on)d was not adopted."),
    (False, False): say("Proposal %(on)d was not adopted, so this is no ballot."),
}
"""By whether it was adopted, and whether the ballot says what it is then."""


def worded(state: State, choice: Stance) -> Say:
    """What a ballot says, in words."""
    if isinstance(choice, Endorsement):
        return say("as %(name)s votes", name=state.players[choice.player].name)
    if not isinstance(choice, Conditional):
        return _CHOICES[choice]
    facts = {"choice": _CHOICES[choice.choice], "on": choice.on}
    if choice.otherwise is None:
        return Say(_IF[choice.passes].text, facts)
    return Say(_ELSE[choice.passes].text, {**facts, "otherwise": _CHOICES[choice.otherwise]})


_CHOICES: Mapping[Choice, Say] = {"for": say("for"), "against": say("against")}
_IF = {
    True: say("%(choice)s if proposal %(on)d is adopted"),
    False: say("%(choice)s if proposal %(on)d is not adopted"),
}
_ELSE = {
    True: say("%(choice)s if proposal %(on)d is adopted, otherwise %(otherwise)s"),
    False: say("%(choice)s if proposal %(on)d is not adopted, otherwise %(otherwise)s"),
}
