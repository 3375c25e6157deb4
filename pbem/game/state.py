"""The state of a game: a fold over its facts, and nothing else.

What lives here: `State`, `evolve` and `replay`. What never may: a judgment. `evolve` takes what happened
as it is; whether it may happen was decided before it was written down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from immutables import Map

from pbem.game import codec, docket, events, rulebook
from pbem.game.codec import Record
from pbem.game.docket import NO_CASES, Docket
from pbem.game.events import Fact
from pbem.game.model import (
    OPEN_STAGES,
    Ballot,
    GameStatus,
    Player,
    Post,
    Proposal,
    Say,
    Stall,
    Term,
    TurnRecord,
)
from pbem.game.rulebook import Rulebook
from pbem.game.vocabulary import GOES_ON

_Value = TypeVar("_Value")


@dataclass(frozen=True)
class State:
    """A game at one moment.

    `turn` is the number of the last turn begun (0 before the first) and stays it until the next begins;
    `next_player` is who begins that one. `played` are those who have begun a turn in this circuit.
    `open` are the numbers of proposals neither closed nor withdrawn; `impasse` is that of the one after which
    no change can be adopted. `term` is the time there is to
    propose; `stalls` are where the game has stalled since the last turn ended; `absences` maps players to how much of the circuit (µs) they said they would be away. `seq` counts the records folded, `at` is the moment of the last.
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
    held: Map[int, Say] = Map()
    last_number: int = 0
    claims: int = 0
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
    return _renewed(changed, seq=state.seq + 1, at=at)


def _renewed(value: _Value, **changes: Any) -> _Value:
    """As `dataclasses.replace`, but ten times as fast: a long log is mostly this. Only for a value without slots."""
    made = object.__new__(type(value))
    object.__setattr__(made, "__dict__", value.__dict__ | changes)
    return made


@dataclass(frozen=True, slots=True)
class _Moment:
    at: int
    mail: str | None


def _game_created(state: State, fact: events.GameCreated, moment: _Moment) -> State:
    return _renewed(
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
    return _renewed(state, players=state.players.set(fact.player, player))


def _player_left(state: State, fact: events.PlayerLeft, _: _Moment) -> State:
    left = replace(state.players[fact.player], status=fact.how)
    return _renewed(state, players=state.players.set(left.id, left))


def _voter_left(state: State, fact: events.VoterLeft, _: _Moment) -> State:
    proposal = state.proposals[fact.number]
    electorate = proposal.electorate.delete(fact.player)
    cast = fact.player in proposal.ballots
    ballots = proposal.ballots.delete(fact.player) if cast else proposal.ballots
    return _with(state, fact.number, electorate=electorate, ballots=ballots)


def _next_named(state: State, fact: events.NextNamed, moment: _Moment) -> State:
    term = None if state.docket.waits else _term(moment, fact.until)
    return _renewed(state, next_player=fact.player, term=term)


def _game_ended(state: State, _: events.GameEnded, __: _Moment) -> State:
    return _renewed(state, status="ended", term=None)


def _game_started(state: State, _: events.GameStarted, __: _Moment) -> State:
    return _renewed(state, status="playing")


def _turn_began(state: State, fact: events.TurnBegan, moment: _Moment) -> State:
    record = TurnRecord(fact.turn, fact.circuit, fact.player, moment.at)
    same_circuit = fact.circuit == state.circuit
    return _renewed(
        state,
        turns=state.turns.set(fact.turn, record),
        turn=fact.turn,
        circuit=fact.circuit,
        played=(state.played if same_circuit else frozenset()) | {fact.player},
        absences=state.absences if same_circuit else Map(),
        next_player=None,
        term=_term(moment, fact.until),
        docket=docket.next_turn(state.docket, fact.turn),
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
        term=_term(moment, fact.until),
        mail=moment.mail,
        remarks=fact.remarks,
    )
    turn = state.turns[state.turn]
    return _renewed(
        state,
        proposals=state.proposals.set(fact.number, proposal),
        open=(*state.open, fact.number),
        turns=state.turns.set(state.turn, replace(turn, proposals=(*turn.proposals, fact.number))),
        last_number=max(state.last_number, fact.number),
        term=None,
    )


def _proposal_revised(state: State, fact: events.ProposalRevised, _: _Moment) -> State:
    return _with(
        state, fact.number, title=fact.title, text=fact.text, clauses=fact.clauses, remarks=fact.remarks
    )


def _proposal_withdrawn(state: State, fact: events.ProposalWithdrawn, moment: _Moment) -> State:
    return _with(state, fact.number, stage="withdrawn", closed=moment.at, term=None)


def _posted(state: State, fact: events.Posted, moment: _Moment) -> State:
    post = Post(fact.player, moment.at, fact.text, moment.mail)
    if fact.case is not None:
        return _renewed(state, docket=docket.posted(state.docket, fact.case, post))
    if fact.number is None:
        return state
    debate = state.proposals[fact.number].debate
    return _with(state, fact.number, debate=(*debate, post))


def _vote_opened(state: State, fact: events.VoteOpened, moment: _Moment) -> State:
    return _with(
        state,
        fact.number,
        stage="voting",
        opened=moment.at,
        term=_term(moment, fact.until),
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
        state = _renewed(state, players=state.players.set(proponent.id, credited))
    return _with(
        state,
        fact.number,
        stage="adopted" if fact.tally.adopted else "defeated",
        tally=fact.tally,
        settled=Map(fact.ballots),
        closed=moment.at,
        term=None,
    )


def _vote_held(state: State, fact: events.VoteHeld, _: _Moment) -> State:
    held = _renewed(state, held=state.held.set(fact.number, fact.why))
    return _with(held, fact.number, closes=None, term=None)


def _rule_changed(state: State, fact: events.RuleChanged, moment: _Moment) -> State:
    book = rulebook.changed(state.rulebook, fact, turn=state.turn, at=moment.at)
    return _renewed(state, rulebook=book, house=_going_on(state, book, fact.target))


def _going_on(state: State, book: Rulebook, target: int | None) -> Map[str, str]:
    """The house rules, with what goes on as it was since `target`, the last rule that ordered it, does so no more."""
    house = state.house
    rule = state.rulebook.standing(target) if target is not None else None
    for name in GOES_ON:
        ordered = rule is not None and any(clause.name == name for clause in rule.now.clauses)
        if ordered and not book.carriers(name):
            house = house.set(name, state.rulebook.carriers(name)[0].clause.expression)
    return house


def _change_voided(state: State, fact: events.ChangeVoided, _: _Moment) -> State:
    return _with(state, fact.number, without_effect=fact.why, kept_by=fact.rule)


def _impasse_found(state: State, fact: events.ImpasseFound, _: _Moment) -> State:
    return _renewed(state, impasse=fact.number)


def _counter_opened(state: State, fact: events.CounterOpened, _: _Moment) -> State:
    return _with_counters(state, lambda counters: counters.set(fact.counter, fact.value))


def _counter_closed(state: State, fact: events.CounterClosed, _: _Moment) -> State:
    return _with_counters(state, lambda counters: counters.delete(fact.counter))


def _with_counters(state: State, change: Callable[[Map[str, int]], Map[str, int]]) -> State:
    players = {
        key: replace(player, counters=change(player.counters)) for key, player in state.players.items()
    }
    return _renewed(state, players=Map(players))


def _points_awarded(state: State, fact: events.PointsAwarded, _: _Moment) -> State:
    award = fact.award
    paid = _paid(state, award.player, award.counter, award.points)
    if award.proposal is not None:
        return _with(paid, award.proposal, awards=(*state.proposals[award.proposal].awards, award))
    turn = state.turns.get(state.turn)
    if turn is None:
        return paid
    return _renewed(paid, turns=paid.turns.set(turn.number, replace(turn, awards=(*turn.awards, award))))


def _paid(state: State, number: int, counter: str | None, units: int) -> State:
    """The state with points, or units of a counter, added to a player."""
    player = state.players[number]
    if counter is None:
        player = replace(player, score=player.score + units)
    else:
        player = replace(
            player, counters=player.counters.set(counter, player.counters.get(counter, 0) + units)
        )
    return _renewed(state, players=state.players.set(number, player))


def _claim_made(state: State, fact: events.ClaimMade, _: _Moment) -> State:
    return _renewed(state, claims=fact.claim)


def _ruled(state: State, _: events.Ruled, __: _Moment) -> State:
    return state


def _points_corrected(state: State, fact: events.PointsCorrected, _: _Moment) -> State:
    return _paid(state, fact.player, fact.counter, fact.points)


def _rule_restored(state: State, fact: events.RuleRestored, _: _Moment) -> State:
    return _renewed(state, rulebook=rulebook.restored(state.rulebook, fact.number), impasse=None)


def _proposal_voided(state: State, fact: events.ProposalVoided, moment: _Moment) -> State:
    return _with(state, fact.number, stage="void", closed=moment.at, term=None, closes=None, awards=())


def _vote_reopened(state: State, fact: events.VoteReopened, moment: _Moment) -> State:
    reopened = _with(
        state,
        fact.number,
        stage="voting",
        opened=moment.at,
        term=_term(moment, fact.until),
        closes=None,
        closed=None,
        electorate=Map(fact.electorate),
        ballots=Map(),
        remedies=(),
        settled=Map(),
        tally=None,
        awards=(),
        without_effect=None,
        kept_by=None,
    )
    still_open = tuple(sorted({*state.open, fact.number}))
    return _renewed(
        reopened,
        open=still_open,
        held=state.held.delete(fact.number) if fact.number in state.held else state.held,
    )


def _player_returned(state: State, fact: events.PlayerReturned, _: _Moment) -> State:
    back = replace(state.players[fact.player], status="active")
    return _renewed(state, players=state.players.set(back.id, back))


def _win_undone(state: State, _: events.WinUndone, __: _Moment) -> State:
    return _renewed(state, status="playing", winners=())


def _players_won(state: State, fact: events.PlayersWon, _: _Moment) -> State:
    return _renewed(state, status="won", winners=fact.players)


def _turn_ended(state: State, fact: events.TurnEnded, moment: _Moment) -> State:
    ended = replace(state.turns[fact.turn], ended=moment.at)
    return _renewed(
        state,
        turns=state.turns.set(fact.turn, ended),
        next_player=fact.next,
        term=_term(moment, fact.until),
        stalls=(),
    )


def _turn_continued(state: State, fact: events.TurnContinued, moment: _Moment) -> State:
    return _with_term(state, None, _term(moment, fact.until))


def _reminded(state: State, fact: events.Reminded, _: _Moment) -> State:
    return _with_step(state, fact.number, reached=fact.step)


def _deadline_passed(state: State, fact: events.DeadlinePassed, _: _Moment) -> State:
    return _with_step(state, fact.number, reached="deadline", grace=fact.grace)


def _grace_over(state: State, fact: events.GraceOver, _: _Moment) -> State:
    stalled = _renewed(state, stalls=(*state.stalls, stall(state, fact.number)))
    return _with_step(stalled, fact.number, reached="grace over")


def stall(state: State, number: int | None) -> Stall:
    """What the game waits in when it waits for proposal `number`, or (None) for one to be made."""
    if number is None:
        return "turn"
    return "vote" if state.proposals[number].stage == "voting" else "debate"


def _deadline_extended(state: State, fact: events.DeadlineExtended, moment: _Moment) -> State:
    return _with_term(state, fact.number, _term(moment, fact.until))


def _heard(state: State, fact: Any, moment: _Moment) -> State:
    """A fact about cases, or about the consent to the next turn (212)."""
    heard = docket.FOLDS[type(fact)](state.docket, fact, docket.Recorded(moment.at, moment.mail))
    return _renewed(state, docket=heard)


def _consent_asked(state: State, fact: events.ConsentAsked, moment: _Moment) -> State:
    """The next player's time does not run while the others are asked."""
    return _renewed(_heard(state, fact, moment), term=None)


def _consent_reached(state: State, fact: events.ConsentReached, moment: _Moment) -> State:
    return _renewed(_heard(state, fact, moment), term=_term(moment, fact.until))


def _term(moment: _Moment, until: int | None) -> Term | None:
    """The time that begins now."""
    return None if until is None else Term(moment.at, until)


def _with_step(state: State, number: int | None, **taken: Any) -> State:
    """The state with a step of the ladder taken: about a proposal, or (None) about the turn."""
    term = state.term if number is None else state.proposals[number].term
    return state if term is None else _with_term(state, number, replace(term, **taken))


def _with_term(state: State, number: int | None, term: Term | None) -> State:
    return _renewed(state, term=term) if number is None else _with(state, number, term=term)


def _remedied(state: State, fact: events.Remedied, moment: _Moment) -> State:
    """The remedy is remembered where it is shown; out of a vote, or with a ballot, are those it is about."""
    if fact.number is None:
        turn = state.turns[state.turn]
        remedied = replace(turn, remedies=(*turn.remedies, fact.remedy))
        return _renewed(state, turns=state.turns.set(turn.number, remedied))
    proposal = state.proposals[fact.number]
    electorate, ballots = proposal.electorate, proposal.ballots
    for player in fact.remedy.players:
        if fact.remedy.what == "abstain":
            electorate = electorate.delete(player)
        elif fact.remedy.what in ("for", "against"):
            ballots = ballots.set(player, Ballot(fact.remedy.what, moment.at, "", silent=True))
    remedies = (*proposal.remedies, fact.remedy)
    return _with(state, fact.number, electorate=electorate, ballots=ballots, remedies=remedies)


def _player_absent(state: State, fact: events.PlayerAbsent, _: _Moment) -> State:
    away = replace(state.players[fact.player], status="absent", absent_until=fact.until)
    used = state.absences.set(fact.player, fact.used)
    return _renewed(state, players=state.players.set(away.id, away), absences=used)


def _player_back(state: State, fact: events.PlayerBack, _: _Moment) -> State:
    back = replace(state.players[fact.player], status="active", absent_until=None)
    used = state.absences.set(fact.player, fact.used)
    return _renewed(state, players=state.players.set(back.id, back), absences=used)


def _seat_taken(state: State, fact: events.SeatTaken, _: _Moment) -> State:
    taken = replace(state.players[fact.player], name=fact.name, status="active", absent_until=None)
    return _renewed(state, players=state.players.set(taken.id, taken))


def _with(state: State, number: int, **changes: Any) -> State:
    """The state with proposal `number` changed; a closed one leaves the open ones."""
    proposal = _renewed(state.proposals[number], **changes)
    still_open = state.open
    if proposal.stage not in OPEN_STAGES:
        still_open = tuple(other for other in state.open if other != number)
    return _renewed(state, proposals=state.proposals.set(number, proposal), open=still_open)


_FOLDS: dict[type[Any], Callable[[State, Any, _Moment], State]] = {
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
    events.ClaimMade: _claim_made,
    events.Ruled: _ruled,
    events.PointsCorrected: _points_corrected,
    events.RuleRestored: _rule_restored,
    events.ProposalVoided: _proposal_voided,
    events.VoteReopened: _vote_reopened,
    events.PlayerReturned: _player_returned,
    events.WinUndone: _win_undone,
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
    events.SeatAsked: lambda state, *_: state,
    events.SeatTaken: _seat_taken,
    **dict.fromkeys(docket.FOLDS, _heard),
    events.ConsentAsked: _consent_asked,
    events.ConsentReached: _consent_reached,
}
