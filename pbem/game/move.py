"""What one command brings about, while it is being brought about.

What lives here: the facts so far, and the state they lead to, so that each step is judged by the rules
the step before it left behind. Refusals come before the first fact: a refused command leaves none.
"""

from __future__ import annotations

from pbem.game.commands import Join
from pbem.game.events import Fact
from pbem.game.fold import evolve
from pbem.game.model import Player, Refused, Say, say
from pbem.game.proposals import Proposal
from pbem.game.state import State


class Move:
    """`state` is the state after `facts`; `at` is now (UTC µs)."""

    def __init__(self, state: State, at: int) -> None:
        self.state = state
        self.at = at
        self.facts: list[Fact] = []

    def record(self, fact: Fact) -> None:
        """Writes down what happened and moves on to the state after it."""
        self.facts.append(fact)
        self.state = evolve(self.state, fact, self.at)

    def seat(self, by: object) -> Player:
        """The player in the game who asks. Raises Refused."""
        player = self.state.players.get(by) if isinstance(by, int) else None
        if player is None:
            cure = () if self.state.status in ("won", "ended") else (Join(),)
            raise Refused("Only a player can do this. You have no seat in this game.", cure=cure)
        if not player.in_game:
            raise Refused("You have left this game, so you can no longer do this.")
        return player

    def named(self, name: str) -> Player:
        """The player in the game of that name. Raises Refused, naming those who play."""
        player = self.state.named(name)
        if player is not None and player.in_game:
            return player
        names = ", ".join(seated.name for seated in self.state.seated)
        raise Refused("Nobody called %(name)s plays now. Players are: %(names)s.", name=name, names=names)

    def proposal(self, number: int) -> Proposal:
        """The proposal of that number. Raises Refused, naming the nearest that is open."""
        proposal = self.state.proposals.get(number)
        if proposal is not None:
            return proposal
        if not self.state.open:
            raise Refused("There is no proposal %(number)d, and no proposal is open.", number=number)
        nearest = min(self.state.open, key=lambda there: abs(there - number))
        raise Refused(
            "There is no proposal %(number)d. The nearest open one is %(nearest)d.",
            number=number,
            nearest=nearest,
        )

    def must_go_on(self) -> None:
        """Raises Refused unless the game is under way, or won with something still open: that is brought to its end."""
        if self.state.status != "won" or not self.state.open:
            self.must_play()

    def must_play(self) -> None:
        """Raises Refused unless the game is under way."""
        if self.state.status in _NOT_UNDER_WAY:
            raise Refused(_NOT_UNDER_WAY[self.state.status].text)


def must_be_keeper(by: object, otherwise: Say) -> None:
    """Raises Refused, saying `otherwise`, unless it is the keeper who asks."""
    if by != "keeper":
        raise Refused(otherwise.text)


_NOT_UNDER_WAY = {
    "setup": say("The game has not started yet."),
    "won": say("The game has been won."),
    "ended": say("The game has ended."),
}
