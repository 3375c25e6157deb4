"""Linting: what a ruleset would do to a game that is played by it, told before one is.

What lives here: looks at a set that reads without a fault, each a generator of faults or of notes. What never
may: reading the format (ruleset.py does), or a rule of any set.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from immutables import Map

from pbem.game import bounds, precedence, regulation, rulebook, scoring
from pbem.game.model import Clause, ClauseName, Player, Problem, RuleText, Say, say
from pbem.game.precedence import Carrier
from pbem.game.ruleset import lines, places, read_ruleset
from pbem.game.state import State
from pbem.game.vocabulary import CLAUSES, each_counts

PLAYERS = 3
"""How many are seated to find out whether anything can be adopted."""

WITHOUT_A_CARRIER: Mapping[str, Say] = {
    "first number": say("Proposals are numbered from 1."),
    "eligible": say("Every player may vote."),
    "ballot required": say("A voter who casts no ballot departs from no rule."),
    "ballots each": say("Every voter has one ballot."),
    "adopted when": say("Nothing can be adopted."),
    "transmuted when": say("“adopted when” decides on transmutations too."),
    "takes effect": say("A change takes effect when the vote on it closes."),
    "points when defeated": say("A defeat costs nothing."),
    "points for dissent": say("Dissent earns nothing."),
    "points for the turn": say("A turn earns nothing."),
    "wins when": say("Nobody can win by points."),
    "starting points": say("Everyone begins with 0 points."),
    "turn order": say("Players take turns in the order in which they joined."),
    "proposals per turn": say("A turn holds one proposal."),
    "who may propose": say("Only the player on turn proposes."),
    "most mutable rules": say("There may be any number of mutable rules."),
    "fewest mutable rules": say("Every rule may become immutable."),
    "judge": say("The keeper is Judge."),
    "judgment overruled when": say("No judgment can be overruled."),
    "next turn waits for": say("The next turn waits for nobody's consent."),
    "precedence": say("The keeper is asked which of two rules prevails."),
    "immutable protected": say("Immutable rules can be amended and repealed like the others."),
    "transmutation outright": say("A transmutation need not be said outright."),
    "immutable first": say("Immutable rules do not go before mutable ones."),
    "winning protected": say("The rule that decides who wins can be turned into anything."),
    "change stays possible": say("Players can leave themselves no way to change the rules."),
    "winner on impasse": say("Nobody wins when the game locks up."),
    "everyone votes": say("No rule holds everyone to vote."),
    "text kept": say("No rule keeps the text of a proposal as it was voted on."),
    "nothing backwards": say("No rule keeps a change from reaching back in time."),
}
"""What happens in each matter that no rule in force orders (116)."""


@dataclass(frozen=True, slots=True)
class Note:
    """Something worth knowing that is no fault, and the line it is about (1 is the first; None: no line of its own)."""

    line: int | None
    why: Say


@dataclass(frozen=True, slots=True)
class Findings:
    """A set's rules, what keeps it from being played as it is written, and what else to know, by line.

    Notes are taken only of a set that reads without a fault.
    """

    rules: tuple[RuleText, ...]
    faults: tuple[Problem, ...]
    notes: tuple[Note, ...]


def lint(text: str, longest_rule: int) -> Findings:
    """All there is to say of the ruleset `text`; `longest_rule` is how many bytes of text a rule may have."""
    rules, problems = read_ruleset(text)
    if problems:
        return Findings(rules, problems, ())
    read = _Set(lines(text), places(text), _seated(rules), longest_rule)
    faults = [fault for look in _FAULTS for fault in look(read)]
    notes = [note for look in _NOTES for note in look(read)]
    return Findings(
        rules,
        tuple(sorted(faults, key=lambda fault: fault.line)),
        tuple(sorted(notes, key=lambda note: (note.line is None, note.line or 0))),
    )


def _seated(rules: Sequence[RuleText]) -> State:
    """A game by these rules at its first turn, everyone as the rules have them begin."""
    empty = State(status="playing", rulebook=rulebook.initial(rules, 0), turn=1, circuit=1)
    points = regulation.ask(empty, "starting points")
    score, counters = int(points.value) if points else 0, Map(scoring.beginning(empty))
    seats = (Player(n, f"Player {n}", score=score, counters=counters) for n in range(1, PLAYERS + 1))
    return replace(empty, players=Map({seat.id: seat for seat in seats}))


@dataclass(frozen=True, slots=True)
class _Set:
    """A set being looked at: its lines, where each rule and clause stands, and a game played by it."""

    lines: Sequence[str]
    places: Mapping[tuple[int, str], int]
    state: State
    longest_rule: int

    def line(self, carrier: Carrier) -> int:
        return self.places[carrier.rule.number, carrier.clause.name]

    def fault(self, line: int, why: Say, *cure: str) -> Problem:
        return Problem(line, self.lines[line - 1].strip(), why, cure)

    def rules(self) -> Iterator[RuleText]:
        return (rule.now for rule in self.state.rulebook.in_force)

    def prevailing(self, name: str) -> int:
        """The line of the clause of that name that prevails; the first line if no rule carries one."""
        carrier = regulation.carrier(self.state, name)
        return self.line(carrier) if carrier is not None else 1


# ---- faults ----


def _too_long(read: _Set) -> Iterator[Problem]:
    for rule in read.rules():
        length = len(rule.text.encode())
        if length > read.longest_rule:
            why = say(
                "The text of rule %(number)d has %(length)d bytes; a rule may have %(most)d.",
                number=rule.number,
                length=length,
                most=read.longest_rule,
            )
            yield read.fault(read.places[rule.number, ""], why)


def _lost_claims(read: _Set) -> Iterator[Problem]:
    """Claims over or under a rule that is not there."""
    for rule in read.rules():
        for clause in rule.clauses:
            for word in _lost(read, clause):
                why = say("This names rule %(number)d, which is not there.", number=int(word))
                yield read.fault(
                    read.places[rule.number, clause.name], why, *_meant(read, rule, clause, word)
                )


def _lost(read: _Set, clause: Clause) -> Iterator[str]:
    known = read.state.rulebook.numbers
    return (word for word in (*clause.over, *clause.under) if word.isdigit() and int(word) not in known)


def _meant(read: _Set, rule: RuleText, clause: Clause, word: str) -> tuple[str, ...]:
    """The line of the clause with the nearest number of another rule that carries it in place of `word`."""
    carriers = read.state.rulebook.carriers(clause.name)
    others = [str(each.rule.number) for each in carriers if each.rule.number != rule.number]
    said = read.lines[read.places[rule.number, clause.name] - 1].strip()
    nearest = difflib.get_close_matches(word, others, n=1, cutoff=0.0)
    return tuple(re.sub(rf"\b{word}\b", number, said, count=1) for number in nearest)


def _circles(read: _Set) -> Iterator[Problem]:
    """Claims that lead round to themselves; of how a rule is adopted and how it is transmuted, in one (109, 203)."""
    book = read.state.rulebook
    one_matter = ("adopted when", "transmuted when")
    names = [(name,) for name, _ in book.carried() if name not in one_matter]
    for matter in (one_matter, *names):
        for circle in precedence.circles(book.carriers(*matter), book.ranks):
            why = say(
                "The claims of rules %(numbers)s to precedence lead round in a circle, so they count for nothing; take one back.",
                numbers=_numbers(circle),
            )
            yield read.fault(min(map(read.line, circle)), why)


def _taken_numbers(read: _Set) -> Iterator[Problem]:
    """Rules whose numbers proposals will come to (108)."""
    answer = regulation.ask(read.state, "first number")
    first = int(answer.value) if answer else 1
    taken = [rule.number for rule in read.rules() if rule.number >= first]
    if taken:
        why = say(
            "Proposals are numbered from %(first)d, so one of them would get the number of rule %(number)d.",
            first=first,
            number=taken[0],
        )
        yield read.fault(read.prevailing("first number"), why, f"clause first number: {taken[-1] + 1}")


def _stuck(read: _Set) -> Iterator[Problem]:
    if bounds.can_change(read.state):
        return
    why = say(
        "No rule change could be adopted, even if each of %(players)d players is for it.", players=PLAYERS
    )
    yield read.fault(read.prevailing("adopted when"), why, "clause adopted when: votes_for * 2 > eligible")


_FAULTS: tuple[Callable[[_Set], Iterator[Problem]], ...] = (
    _too_long,
    _lost_claims,
    _circles,
    _taken_numbers,
    _stuck,
)


# ---- notes ----


def _adopting(read: _Set) -> Iterator[Note]:
    carrier = regulation.carrier(read.state, "adopted when")
    undecided = read.state.rulebook.rivals("adopted when")
    if carrier is not None and not undecided and bounds.can_change(read.state):
        why = say(
            "Rule %(number)d decides what is adopted: %(expression)s.",
            number=carrier.rule.number,
            expression=carrier.clause.expression,
        )
        yield Note(read.line(carrier), why)


def _winning(read: _Set) -> Iterator[Note]:
    for carrier in read.state.rulebook.carriers("wins when"):
        why = say(
            "Rule %(number)d decides who wins: %(expression)s.",
            number=carrier.rule.number,
            expression=carrier.clause.expression,
        )
        yield Note(read.line(carrier), why)


def _several_carriers(read: _Set) -> Iterator[Note]:
    for name, carriers in read.state.rulebook.carried():
        if len(carriers) > 1:
            yield Note(read.line(carriers[0]), _who_prevails(read, name, carriers))


def _who_prevails(read: _Set, name: str, carriers: Sequence[Carrier]) -> Say:
    numbers = _numbers(sorted(carriers, key=lambda carrier: carrier.rule.number))
    if each_counts(name):
        return say(
            "Rules %(numbers)s carry “%(name)s”, and each of them counts.",
            numbers=numbers,
            name=ClauseName(name),
        )
    if read.state.rulebook.rivals(name):
        return say(
            "Rules %(numbers)s carry “%(name)s”, and no rule says which prevails: the keeper is asked.",
            numbers=numbers,
            name=ClauseName(name),
        )
    return say(
        "Rules %(numbers)s carry “%(name)s”; rule %(first)d prevails.",
        numbers=numbers,
        name=ClauseName(name),
        first=carriers[0].rule.number,
    )


def _no_carrier(read: _Set) -> Iterator[Note]:
    for quantity in CLAUSES:
        if not read.state.rulebook.carriers(quantity.name):
            then = WITHOUT_A_CARRIER[quantity.name]
            yield Note(
                None, say("No rule carries “%(name)s”. %(then)s", name=ClauseName(quantity.name), then=then)
            )


_NOTES: tuple[Callable[[_Set], Iterator[Note]], ...] = (_adopting, _winning, _several_carriers, _no_carrier)


def _numbers(carriers: Sequence[Carrier]) -> str:
    return ", ".join(str(carrier.rule.number) for carrier in carriers)
