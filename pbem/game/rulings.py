"""The keeper's rulings: decisions in words, and clauses given to a rule, changed in it, or taken from it.

What lives here: what a ruling changes. What never may: a bound on what the keeper may decide, but one: a game in which
no rule could be changed any more.
"""

from __future__ import annotations

from dataclasses import replace

from pbem.game import bounds, clauses, scoring, turns, winning
from pbem.game.commands import Announce, By, OrderClause, Ruling
from pbem.game.events import Announced, ClauseRuled, ImpasseFound, Ruled
from pbem.game.model import Clause, ClauseName, Refused, Rule, RuleText, Say, say
from pbem.game.move import Move, must_be_keeper
from pbem.game.rulebook import ruled
from pbem.game.ruleset import read_clause


def rule(move: Move, asked: Ruling, by: By) -> None:
    """A decision of the keeper's, in words."""
    must_be_keeper(by, say("Only the keeper can do this."))
    move.record(Ruled(asked.text))


def announce(move: Move, asked: Announce, by: By) -> None:
    """Words of the keeper's to everyone."""
    must_be_keeper(
        by, say("Only the keeper announces something. Your words go to all players without “announce”.")
    )
    move.record(Announced(asked.text))


def order_clause(move: Move, asked: OrderClause, by: By) -> None:
    """A rule in force carries a clause from now on, in the place of one of that name; or (`none`) no longer does."""
    must_be_keeper(
        by, say("Only the keeper gives a rule a clause. Players propose an amendment of the rule.")
    )
    if move.state.status == "ended":
        raise Refused("The game has ended.")
    standing = _in_force(move, asked.rule)
    clause = _readable(move, asked, standing)
    now = standing.now
    text = replace(now, clauses=_with(now.clauses, clause))
    if text == now:
        raise Refused("Rule %(number)d carries just that already.", number=now.number)
    put_in_force(move, text, clause.name, asked.why)


def put_in_force(move: Move, text: RuleText, clause: str, why: str) -> None:
    """The rule of that number reads so by the keeper's ruling, and what hangs on its clauses is seen to."""
    before = move.state.rulebook.rules[move.state.rulebook.numbers[text.number]].now
    fact, locked = ClauseRuled(text, clause, before, why), move.state.impasse
    after = replace(move.state, rulebook=ruled(move.state.rulebook, fact, turn=move.state.turn, at=move.at))
    possible = bounds.can_change(after)
    if not possible and bounds.can_change(move.state):
        raise Refused("After that no rule change could be adopted any more.")
    counters = move.state.rulebook.counters
    move.record(fact)
    if locked is not None and not possible:
        move.record(ImpasseFound(locked))
    scoring.keep_counters(move, counters)
    goes_on = winning.look_again(move, why)
    turns.follow(move, goes_on=goes_on)


def _in_force(move: Move, number: int) -> Rule:
    book = move.state.rulebook
    found = book.standing(number)
    if found is not None:
        return found
    nearest = book.nearest(number)
    if nearest is None:
        raise Refused("There is no rule %(number)d.", number=number)
    raise Refused("No rule %(number)d is in force. Did you mean %(nearest)d?", number=number, nearest=nearest)


def _readable(move: Move, asked: OrderClause, standing: Rule) -> Clause:
    """The clause, if it can be carried out. Raises Refused with what is wrong with it."""
    clause = read_clause(f"clause {asked.clause}")
    if isinstance(clause, Say):
        raise Refused(clause.text, **clause.facts)
    if clause.expression == "none":
        if all(other.name != clause.name for other in standing.now.clauses):
            name = ClauseName(clause.name)
            raise Refused("Rule %(number)d has no clause “%(name)s”.", number=standing.number, name=name)
        return clause
    book = move.state.rulebook
    for claimed in (*clause.over, *clause.under):
        if claimed.isdecimal() and book.find(int(claimed)) is None:
            raise Refused("There is no rule %(number)d.", number=int(claimed))
    for _, why in clauses.faults((clause,), move.state.rulebook.counters):
        raise Refused(why.text, **why.facts)
    return clause


def _with(carried: tuple[Clause, ...], clause: Clause) -> tuple[Clause, ...]:
    names = [other.name for other in carried]
    if clause.expression == "none":
        return tuple(other for other in carried if other.name != clause.name)
    if clause.name not in names:
        return (*carried, clause)
    return tuple(clause if other.name == clause.name else other for other in carried)
