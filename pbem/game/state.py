"""The state of a game: what its facts amount to, and nothing else.

What lives here: `State`, and the few ways in which a fact renews it. What never may: a judgment, or the
meaning of one kind of fact; those are in `folds_of_play` and `folds_of_order`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeVar

from immutables import Map

from pbem.game.docket import NO_CASES, Docket, Recorded
from pbem.game.model import OPEN_STAGES, GameStatus, Player, Say
from pbem.game.proposals import Correction, EarlierWin, Pause, Proposal, Stall, Term, TurnRecord
from pbem.game.rulebook import Rulebook
from pbem.game.vocabulary import GOES_ON

_Value = TypeVar("_Value")


@dataclass(frozen=True)
class State:
    """A game at one moment.

    `turn` is the number of the last turn begun (0 before the first) and stays it until the next begins;
    `next_player` is who begins that one. `played` are those who have begun a turn in this circuit.
    `open` are the numbers of proposals neither closed nor withdrawn; `impasse` is that of the one after which
    no change can be adopted. `won_by_word`: the keeper named who won (213). `earlier_wins` are those after which the game
    was played on, and `passed_over` who won then and does not win anew before ceasing to meet what wins. `term` is the time there is to
    propose; `stalls` are where the game has stalled since the last turn ended; `absences` maps players to how
    much of the circuit (µs) they said they would be away. `seq` counts the records folded, `at` is the moment
    of the last. `failed` are the clauses without a value of which the keeper has been told, with rule and player;
    `corrections` are the keeper's, and `undone` the numbers of the events that were taken back. `pauses` are the times in
    which the clocks stood still, `called_off` is why the keeper ended the game (None: nobody has). `keeper` is the seat of
    the keeper who plays, None for one who does not or of whom the log does not tell.
    """

    game: str = ""
    title: str = ""
    language: str = "en"
    ruleset: str = ""
    status: GameStatus = "setup"
    rulebook: Rulebook = Rulebook()
    house: Map[str, str] = Map()
    players: Map[int, Player] = Map()
    proposals: Map[int, Proposal] = Map()
    open: tuple[int, ...] = ()
    turns: Map[int, TurnRecord] = Map()
    turn: int = 0
    circuit: int = 0
    played: frozenset[int] = frozenset()
    next_player: int | None = None
    term: Term | None = None
    stalls: tuple[Stall, ...] = ()
    absences: Map[int, int] = Map()
    impasse: int | None = None
    winners: tuple[int, ...] = ()
    won_by_word: bool = False
    earlier_wins: tuple[EarlierWin, ...] = ()
    passed_over: frozenset[int] = frozenset()
    held: Map[int, Say] = Map()
    last_number: int = 0
    claims: int = 0
    failed: frozenset[tuple[str, int | None, int | None]] = frozenset()
    corrections: tuple[Correction, ...] = ()
    undone: frozenset[int] = frozenset()
    pauses: tuple[Pause, ...] = ()
    called_off: str | None = None
    keeper: int | None = None
    docket: Docket = NO_CASES
    seq: int = 0
    at: int = 0

    @property
    def current(self) -> TurnRecord | None:
        """The turn that is being played, or the last one played."""
        return self.turns.get(self.turn)

    @property
    def in_turn(self) -> bool:
        """Whether a turn has begun and not ended."""
        return self.current is not None and self.current.ended is None

    @property
    def on_turn(self) -> int | None:
        """The player whose move it is: of the turn being played, else of the next."""
        current = self.current
        return current.player if current is not None and current.ended is None else self.next_player

    @property
    def pause(self) -> Pause | None:
        """The pause the game is in."""
        return self.pauses[-1] if self.status == "paused" else None

    def put_off(self, since: int, until: int, now: int) -> int:
        """The end (UTC µs) of a time that began at `since` and would be over at `until`, had the clocks never stood still."""
        for pause in self.pauses:
            if since < (end := now if pause.until is None else pause.until) and pause.since < until:
                until += end - max(pause.since, since)
        return until

    @property
    def until(self) -> int | None:
        """When the player on turn should have proposed (UTC µs)."""
        return self.term.until if self.term is not None else None

    @property
    def seated(self) -> tuple[Player, ...]:
        """The players in the game, in the order they joined."""
        return tuple(self.players[key] for key in sorted(self.players) if self.players[key].in_game)

    @property
    def open_proposals(self) -> tuple[Proposal, ...]:
        return tuple(self.proposals[number] for number in self.open)

    def name(self, player: int, at: int) -> str:
        """The name of whoever had that seat at a moment (UTC µs)."""
        return self.players[player].name_at(at)

    def as_of(self, at: int) -> State:
        """The state with the names that the players had at a moment (UTC µs)."""
        if not any(player.before for player in self.players.values()):
            return self
        then = {key: replace(player, name=player.name_at(at)) for key, player in self.players.items()}
        return renewed(self, players=Map(then))

    def named(self, name: str) -> Player | None:
        """The player of that name, or of that first name if it is one player's alone; the case of letters is ignored."""
        folded = " ".join(name.casefold().split())
        names = {player.name.casefold(): player for player in self.players.values()}
        first = [player for known, player in names.items() if known.partition(" ")[0] == folded]
        return names.get(folded) or (first[0] if len(first) == 1 else None)


def stall(state: State, number: int | None) -> Stall:
    """What the game waits in when it waits for proposal `number`, or (None) for one to be made."""
    if number is None:
        return "turn"
    return "vote" if state.proposals[number].stage == "voting" else "debate"


def renewed(value: _Value, **changes: Any) -> _Value:
    """`value` with `changes`: as `dataclasses.replace`, but ten times as fast, and a long log is mostly this. Only for a value
    without slots."""
    made = object.__new__(type(value))
    object.__setattr__(made, "__dict__", value.__dict__ | changes)
    return made


def term(moment: Recorded, until: int | None) -> Term | None:
    """The time that begins now."""
    return None if until is None else Term(moment.at, until)


def with_step(state: State, number: int | None, **taken: Any) -> State:
    """The state with a step of the ladder taken: about a proposal, or (None) about the turn."""
    term = state.term if number is None else state.proposals[number].term
    return state if term is None else with_term(state, number, replace(term, **taken))


def with_term(state: State, number: int | None, term: Term | None) -> State:
    """The state with the time of a proposal, or (None) of the turn, set."""
    return renewed(state, term=term) if number is None else with_proposal(state, number, term=term)


def with_proposal(state: State, number: int, **changes: Any) -> State:
    """The state with proposal `number` changed; a closed one leaves the open ones, and those that are held."""
    proposal = renewed(state.proposals[number], **changes)
    still_open, held = state.open, state.held
    if proposal.stage not in OPEN_STAGES:
        still_open = tuple(other for other in state.open if other != number)
        held = held.delete(number) if number in held else held
    return renewed(state, proposals=state.proposals.set(number, proposal), open=still_open, held=held)


def with_rulebook(state: State, book: Rulebook, target: int | None) -> State:
    """The state with another rulebook: what goes on as it was since `target`, the last rule that ordered it, does so
    no more, is a house rule from now on."""
    house = state.house
    rule = state.rulebook.standing(target) if target is not None else None
    for name in GOES_ON:
        ordered = rule is not None and any(clause.name == name for clause in rule.now.clauses)
        if ordered and not book.carriers(name):
            house = house.set(name, state.rulebook.carriers(name)[0].clause.expression)
    return renewed(state, rulebook=book, house=house)


def paid(state: State, number: int, counter: str | None, units: int) -> State:
    """The state with points, or units of a counter, added to a player."""
    player = state.players[number]
    if counter is None:
        player = replace(player, score=player.score + units)
    else:
        player = replace(
            player, counters=player.counters.set(counter, player.counters.get(counter, 0) + units)
        )
    return renewed(state, players=state.players.set(number, player))
