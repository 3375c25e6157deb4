"""Asking the rules in force for a quantity.

What lives here: the one way from a matter to its value: carrier, expression, facts, answer. What never
may: a value to fall back on. When no rule in force carries a clause the matter is unregulated (116)
and the answer is None.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pbem.game import ballots, clauses, deadlines
from pbem.game.clauses import Unevaluated, Value
from pbem.game.model import Player, Say, say
from pbem.game.precedence import Carrier
from pbem.game.proposals import Proposal
from pbem.game.state import State

Facts = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """A quantity, the clause that gave it, the rule that carries it (None: a house rule), and what it was made from."""

    value: Value
    clause: str
    rule: int | None
    expression: str
    facts: Facts

    @property
    def working(self) -> str:
        """The sum."""
        return clauses.working(self.expression, self.facts)


def ask(state: State, *names: str, facts: Facts | None = None) -> Answer | None:
    """The value of the clause that prevails among `names`, or None: unregulated (no carrier, or no value).

    `facts` are those of its scope (see `game_facts` and the others); None: the game's.
    """
    try:
        return ask_strictly(state, *names, facts=facts)
    except Unevaluated:
        return None


def ask_strictly(state: State, *names: str, facts: Facts | None = None) -> Answer | None:
    """As `ask`, but an expression without a value raises `Unevaluated`, and so does a matter in which no rule
    says which of several prevails (211)."""
    if rivals := state.rulebook.rivals(*names):
        numbers = ", ".join(str(rival.rule.number) for rival in rivals)
        raise Unevaluated(say("no rule says which of the rules %(numbers)s prevails", numbers=numbers))
    for name, expression, rule in _orders(state, *names):
        return _answer(state, name, expression, facts, rule)
    return None


def ask_each(state: State, name: str, facts: Facts) -> Iterator[Answer]:
    """The answer of every rule that orders `name`, in rank; those without a value are left out."""
    for _, expression, rule in _orders(state, name):
        try:
            yield _answer(state, name, expression, facts, rule)
        except Unevaluated:
            continue


def ask_carrier(state: State, carrier: Carrier, facts: Facts) -> Answer:
    """What one rule's clause says, whoever else carries it. Raises Unevaluated."""
    return _answer(state, carrier.clause.name, carrier.clause.expression, facts, carrier.rule.number)


def _orders(state: State, *names: str) -> Iterator[tuple[str, str, int | None]]:
    """Clause, expression and rule of all that orders a matter, in rank; the house only where no rule does."""
    carriers = state.rulebook.carriers(*names)
    for carried in carriers:
        yield carried.clause.name, carried.clause.expression, carried.rule.number
    if not carriers:
        yield from ((name, state.house[name], None) for name in names if name in state.house)


def carrier(state: State, name: str) -> Carrier | None:
    """The rule in force whose clause of that name prevails."""
    return next(iter(state.rulebook.carriers(name)), None)


def rule_for(state: State, name: str) -> int | None:
    """The number of the rule in force that orders the matter `name`."""
    found = carrier(state, name)
    return found.rule.number if found else None


def holds(state: State, name: str) -> Answer | None:
    """What orders the check `name` with value true, None if nothing does."""
    answer = ask(state, name)
    return answer if answer is not None and answer.value is True else None


def duration(state: State, name: str) -> int:
    """A time of the rules or the house, in µs; 0 when nothing orders it."""
    return clauses.microseconds(_time(state, name))


def deadline(state: State, name: str, at: int) -> int:
    """When a time of the rules or the house that begins at `at` is over, by the clocks and quiet days of the game."""
    return later(state, at, _time(state, name))


def after(state: State, name: str, at: int, now: int) -> int:
    """When a time that began at `at` is over (UTC µs): later by what the game's clocks stood still in it until `now`."""
    return state.put_off(at, at + duration(state, name), now)


def _time(state: State, name: str) -> str:
    """A time as written. A clause without a value leaves it to the house: nobody's time is over at once for it."""
    answer = ask(state, name)
    if answer is None and name in state.house:
        answer = _answer(state, name, state.house[name], None, None)
    return "0" if answer is None else str(answer.value)


def later(state: State, at: int, written: str) -> int:
    """The moment that lies a time as written (`12h`, `7d`) after `at`, by the clocks and quiet days of the game."""
    quiet = ask(state, "quiet days")
    return deadlines.after(at, written, zone(state), deadlines.quiet_days(str(quiet.value) if quiet else ""))


def zone(state: State) -> str:
    """The name of the game's time zone."""
    answer = ask(state, "zone")
    return str(answer.value) if answer else "UTC"


def _answer(state: State, name: str, expression: str, facts: Facts | None, rule: int | None) -> Answer:
    counters = state.rulebook.counters
    program = clauses.compiled(name, expression, counters)
    if isinstance(program, Say):  # its counter is gone, or a later version of the server knows less
        raise Unevaluated(say("it reads what is counted no more"))
    given = game_facts(state) if facts is None else facts
    read = {variable: given[variable] for variable in program.variables}
    return Answer(program.value(read), program.quantity.name, rule, program.expression, read)


def game_facts(state: State) -> Facts:
    """What any clause may read."""
    return {
        "turn": state.turn,
        "circuit": state.circuit,
        "players": len(state.seated),
        "numbers": state.rulebook.in_force_numbers,
        "mutable_rules": state.rulebook.mutable_count,
    }


def player_facts(state: State, player: Player) -> Facts:
    """What a clause asked about a player may read."""
    return {
        **game_facts(state),
        "score": player.score,
        "name": player.name,
        "team": player.team or "",
        "status": player.status,
        "proposals_adopted": player.proposals_adopted,
        **{counter: player.counters.get(counter, 0) for counter in state.rulebook.counters},
    }


def case_facts(state: State, *, against: int = 0, others: int = 0, consenting: int = 0) -> Facts:
    """What a clause asked about a judgment may read (212): `others` are how many have a say, the rest is what they said."""
    return {**game_facts(state), "against": against, "others": others, "consenting": consenting}


def allowance(state: State, player: Player) -> int:
    """How many proposals the player's turn holds; one when no rule says."""
    answer = ask(state, "proposals per turn", facts=player_facts(state, player))
    return int(answer.value) if answer else 1


def electorate(state: State) -> tuple[tuple[int, int], ...]:
    """Who may vote, and with how many ballots (105, 207). Unregulated: every player, one ballot."""
    voters = []
    for player in state.seated:
        facts = player_facts(state, player)
        eligible = ask(state, "eligible", facts=facts)
        each = ask(state, "ballots each", facts=facts)
        weight = max(0, int(each.value)) if each else 1
        if weight and (eligible is None or eligible.value):
            voters.append((player.id, weight))
    return tuple(voters)


@dataclass(frozen=True, slots=True)
class Count:
    """The ballots of a vote, counted: for, against, and how many there could have been."""

    votes_for: int
    votes_against: int
    eligible: int


def count(state: State, proposal: Proposal) -> Count:
    """The ballots on a proposal, as they stand or as they were settled, each as many times as its voter has (207)."""
    weights = {"for": 0, "against": 0}
    for voter, ballot in ballots.settled(proposal, state).items():
        if ballot.choice is not None:
            weights[ballot.choice] += proposal.electorate[voter]
    return Count(weights["for"], weights["against"], sum(proposal.electorate.values()))


def vote_facts(state: State, proposal: Proposal) -> Facts:
    """What a clause asked about a vote may read."""
    counted = count(state, proposal)
    return {
        **game_facts(state),
        "number": proposal.number,
        "kind": proposal.kind,
        "votes_for": counted.votes_for,
        "votes_against": counted.votes_against,
        "votes_cast": counted.votes_for + counted.votes_against,
        "eligible": counted.eligible,
        "unanimous": 0 < counted.eligible == counted.votes_for,
    }
