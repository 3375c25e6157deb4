"""A game that goes on for thousands of turns, for measuring: five players, a debate, five ballots, and a change each turn."""

from __future__ import annotations

from pbem.game import codec, silence
from pbem.game.clauses import normal
from pbem.game.commands import By, CallVote, Command, Join, Propose, Speak, Start, Vote
from pbem.game.decide import decide
from pbem.game.events import Fact, GameCreated
from pbem.game.fold import evolve
from pbem.game.model import Clause, RuleText
from pbem.game.state import State
from pbem.game.vocabulary import HOUSE_RULES
from tests.game.conftest import BEGINNING, SECOND, rules

PLAYERS = ("Alva Alm", "Bo Berg", "Cia Ceder", "Dan Dahl", "Eva Ek")
FAR = Propose(
    "amend", 208, "Far away", "A billion points win.", (Clause("wins when", "score >= 1000000000"),)
)
TEA = Propose("enact", None, "Tea", "Tea is served at four, with milk and without.")


class LongGame:
    """`state` and the `log` that leads to it. Each turn ends as it began: with nothing open."""

    def __init__(self, first_set: tuple[RuleText, ...] | None = None) -> None:
        self.now = BEGINNING
        self.state = State()
        self.log: list[codec.Record] = []
        settings = {quantity.name: value for quantity, value in HOUSE_RULES} | {"cooling time": "0"}
        house = tuple((name, normal(name, value)) for name, value in settings.items())
        self._take((GameCreated("long", "Long", "en", "suber", first_set or rules(), house),), None)
        for name in PLAYERS:
            self.mail("guest", Join(name))
        self.mail("keeper", Start())
        self.turn(FAR)

    def grow(self, events: int) -> None:
        """Plays whole turns until the log holds so many events: a rule is enacted, and repealed in the next turn."""
        while self.state.seq < events:
            self.turn(TEA)
            self.turn(Propose("repeal", self.state.last_number))

    def turn(self, change: Propose) -> None:
        """Twelve mails."""
        self.mail(self.state.on_turn, change)
        number = self.state.last_number
        for player in self.state.players:
            self.mail(player, Speak("On the whole I should like a cup of it.", number))
        self.mail(self.state.on_turn, CallVote(number))
        for player in self.state.players:
            self.mail(player, Vote("for", number, "for"))

    def mail(self, by: By | None, command: Command) -> None:
        """One mail is judged and recorded, and what is due then."""
        self.now += 60 * SECOND
        self._take(decide(self.state, command, by or "keeper", self.now), f"{self.now:064x}")
        while (due := silence.next_due(self.state)) is not None and due <= self.now:
            self._take(decide(self.state, silence.agenda(self.state)[0][1], "clock", self.now), None)

    def _take(self, facts: tuple[Fact, ...], mail: str | None) -> None:
        head = self.log[-1].hash if self.log else codec.GENESIS
        self.log += codec.write(facts, after=self.state.seq, head=head, at=self.now, mail=mail)
        for fact in facts:
            self.state = evolve(self.state, fact, self.now, mail)
