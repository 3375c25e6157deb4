"""The state of a game: a fold over its facts, and nothing else.

What lives here: `State`, `evolve` and `replay`. What never may: a judgment. `evolve` takes what happened
as it is; whether it may happen was decided before it was written down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from immutables import Map

from pbem.game import codec, events, rulebook
from pbem.game.codec import Record
from pbem.game.events import Fact
from pbem.game.model import (
    OPEN_STAGES,
    Ballot,
    GameStatus,
    Player,
    Post,
    Proposal,
    Say,
    TurnRecord,
)
from pbem.game.rulebook import Rulebook


@dataclass(frozen=True, slots=True)
class State:
    """A game at one moment.

    `turn` is the number of the last turn begun (0 before the first) and stays it until the next begins;
    `next_player` is who begins that one. `played` are those who have begun a turn in this circuit.
    `open` are the numbers of proposals neither closed nor withdrawn; `impasse` is that of the one after which
    no change can be adopted. `until` is when the player on turn
    should have proposed. `seq` counts the records folded, `at` is the moment of the last.
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
    until: int | None = None
    overdue: bool = False
    impasse: int | None = None
    winners: tuple[int, ...] = ()
    held: Map[int, Say] = Map()
    last_number: int = 0
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
    def seated(self) -> tuple[Player, ...]:
        """The players in the game, in the order they joined."""
        return tuple(self.players[key] for key in sorted(self.players) if self.players[key].in_game)

    @property
    def open_proposals(self) -> tuple[Proposal, ...]:
        return tuple(self.proposals[number] for number in self.open)

    def named(self, name: str) -> Player | None:
        """The player of that name, or of that first name if it is one player's alone; the case of letters is ignored."""
        folded = " ".join(name.casefold().split())
        names = {player.name.casefold(): player for player in self.players.values()}
        first = [player for known, player in names.items() if known.partition(" ")[0] == folded]
        return names.get(folded) or (first[0] if len(first) == 1 else None)


def replay(records: Iterable[Record], state: State | None = None) -> State:
    """The state after `records`, which follow on `state` (None: the beginning)."""
    state = state or State()
    for record in records:
        state = evolve(state, codec.decode(record), record.at, record.mail)
    return state


def evolve(state: State, fact: Fact, at: int, mail: str | None = None) -> State:
    """The state after `fact`, recorded at `at` (UTC µs) because of the mail with that SHA-256."""
    changed = _FOLDS[type(fact)](state, fact, _Moment(at, mail))
    return replace(changed, seq=state.seq + 1, at=at)


@dataclass(frozen=True, slots=True)
class _Moment:
    at: int
    mail: str | None


def _game_created(state: State, fact: events.GameCreated, moment: _Moment) -> State:
    return replace(
        state,
        game=fact.game,
        title=fact.title,
        language=fact.language,
        ruleset=fact.ruleset,
        rulebook=rulebook.initial(fact.rules, moment.at),
        house=Map(dict(fact.house)),
    )


def _player_joined(state: State, fact: events.PlayerJoined, _: _Moment) -> State:
    player = Player(fact.player, fact.name, fact.team, score=fact.score, counters=Map(dict(fact.counters)))
    return replace(state, players=state.players.set(fact.player, player))


def _game_started(state: State, _: events.GameStarted, __: _Moment) -> State:
    return replace(state, status="playing")


def _turn_began(state: State, fact: events.TurnBegan, moment: _Moment) -> State:
    record = TurnRecord(fact.turn, fact.circuit, fact.player, moment.at)
    same_circuit = fact.circuit == state.circuit
    return replace(
        state,
        turns=state.turns.set(fact.turn, record),
        turn=fact.turn,
        circuit=fact.circuit,
        played=(state.played if same_circuit else frozenset()) | {fact.player},
        next_player=None,
        until=fact.until,
        overdue=False,
    )


def _proposal_made(state: State, fact: events.ProposalMade, moment: _Moment) -> State:
    proposal = Proposal(
        number=fact.number,
        kind=fact.kind,
        target=fact.target,
        title=fact.title,
        text=fact.text,
        clauses=fact.clauses,
        proponent=fact.player,
        turn=state.turn,
        stage="debate",
        made=moment.at,
        until=fact.until,
        mail=moment.mail,
        remarks=fact.remarks,
    )
    turn = state.turns[state.turn]
    return replace(
        state,
        proposals=state.proposals.set(fact.number, proposal),
        open=(*state.open, fact.number),
        turns=state.turns.set(state.turn, replace(turn, proposals=(*turn.proposals, fact.number))),
        last_number=max(state.last_number, fact.number),
        until=None,
        overdue=False,
    )


def _proposal_revised(state: State, fact: events.ProposalRevised, _: _Moment) -> State:
    return _with(
        state, fact.number, title=fact.title, text=fact.text, clauses=fact.clauses, remarks=fact.remarks
    )


def _proposal_withdrawn(state: State, fact: events.ProposalWithdrawn, moment: _Moment) -> State:
    return _with(state, fact.number, stage="withdrawn", closed=moment.at, until=None)


def _posted(state: State, fact: events.Posted, moment: _Moment) -> State:
    if fact.number is None:
        return state
    debate = state.proposals[fact.number].debate
    return _with(state, fact.number, debate=(*debate, Post(fact.player, moment.at, fact.text, moment.mail)))


def _vote_opened(state: State, fact: events.VoteOpened, moment: _Moment) -> State:
    return _with(
        state,
        fact.number,
        stage="voting",
        opened=moment.at,
        until=fact.until,
        overdue=False,
        electorate=Map(fact.electorate),
    )


def _ballot_cast(state: State, fact: events.BallotCast, moment: _Moment) -> State:
    ballot = Ballot(fact.choice, moment.at, fact.said, moment.mail)
    return _with(state, fact.number, ballots=state.proposals[fact.number].ballots.set(fact.player, ballot))


def _ballot_retracted(state: State, fact: events.BallotRetracted, _: _Moment) -> State:
    ballots = state.proposals[fact.number].ballots.delete(fact.player)
    return _with(state, fact.number, ballots=ballots, closes=None)


def _vote_completed(state: State, fact: events.VoteCompleted, _: _Moment) -> State:
    return _with(state, fact.number, closes=fact.closes)


def _vote_closed(state: State, fact: events.VoteClosed, moment: _Moment) -> State:
    if fact.tally.adopted:
        proponent = state.players[state.proposals[fact.number].proponent]
        credited = replace(proponent, proposals_adopted=proponent.proposals_adopted + 1)
        state = replace(state, players=state.players.set(proponent.id, credited))
    return _with(
        state,
        fact.number,
        stage="adopted" if fact.tally.adopted else "defeated",
        tally=fact.tally,
        closed=moment.at,
        until=None,
    )


def _vote_held(state: State, fact: events.VoteHeld, _: _Moment) -> State:
    held = replace(state, held=state.held.set(fact.number, fact.why))
    return _with(held, fact.number, closes=None, until=None)


def _rule_changed(state: State, fact: events.RuleChanged, moment: _Moment) -> State:
    book = rulebook.changed(state.rulebook, fact, turn=state.turn, at=moment.at)
    return replace(state, rulebook=book)


def _change_voided(state: State, fact: events.ChangeVoided, _: _Moment) -> State:
    return _with(state, fact.number, without_effect=fact.why, kept_by=fact.rule)


def _impasse_found(state: State, fact: events.ImpasseFound, _: _Moment) -> State:
    return replace(state, impasse=fact.number)


def _counter_opened(state: State, fact: events.CounterOpened, _: _Moment) -> State:
    return _with_counters(state, lambda counters: counters.set(fact.counter, fact.value))


def _counter_closed(state: State, fact: events.CounterClosed, _: _Moment) -> State:
    return _with_counters(state, lambda counters: counters.delete(fact.counter))


def _with_counters(state: State, change: Callable[[Map[str, int]], Map[str, int]]) -> State:
    players = {
        key: replace(player, counters=change(player.counters)) for key, player in state.players.items()
    }
    return replace(state, players=Map(players))


def _points_awarded(state: State, fact: events.PointsAwarded, _: _Moment) -> State:
    award = fact.award
    player = state.players[award.player]
    if award.counter is None:
        player = replace(player, score=player.score + award.points)
    else:
        counted = player.counters.get(award.counter, 0) + award.points
        player = replace(player, counters=player.counters.set(award.counter, counted))
    paid = replace(state, players=state.players.set(player.id, player))
    if award.proposal is not None:
        return _with(paid, award.proposal, awards=(*state.proposals[award.proposal].awards, award))
    turn = state.turns.get(state.turn)
    if turn is None:
        return paid
    return replace(paid, turns=paid.turns.set(turn.number, replace(turn, awards=(*turn.awards, award))))


def _players_won(state: State, fact: events.PlayersWon, _: _Moment) -> State:
    return replace(state, status="won", winners=fact.players)


def _turn_ended(state: State, fact: events.TurnEnded, moment: _Moment) -> State:
    ended = replace(state.turns[fact.turn], ended=moment.at)
    return replace(
        state,
        turns=state.turns.set(fact.turn, ended),
        next_player=fact.next,
        until=fact.until,
        overdue=False,
    )


def _deadline_passed(state: State, fact: events.DeadlinePassed, _: _Moment) -> State:
    if fact.number is None:
        return replace(state, overdue=True)
    return _with(state, fact.number, overdue=True)


def _with(state: State, number: int, **changes: Any) -> State:
    """The state with proposal `number` changed; a closed one leaves the open ones."""
    proposal = replace(state.proposals[number], **changes)
    still_open = state.open
    if proposal.stage not in OPEN_STAGES:
        still_open = tuple(other for other in state.open if other != number)
    return replace(state, proposals=state.proposals.set(number, proposal), open=still_open)


_FOLDS: dict[type[Any], Callable[[State, Any, _Moment], State]] = {
    events.GameCreated: _game_created,
    events.PlayerJoined: _player_joined,
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
