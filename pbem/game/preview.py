"""What a rule change would bring, tried on a copy of the game: its clauses, the points, the earlier votes.

What lives here: looking ahead, with the engine's own judgment. What never may: anything that is recorded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from immutables import Map

from pbem.game import bounds, changes, proposing, regulation, turns, views, voting
from pbem.game.clauses import Unevaluated
from pbem.game.commands import By, Propose
from pbem.game.events import ChangeVoided, PlayersWon, PointsAwarded, VoteClosed
from pbem.game.model import OPEN_STAGES, Choice, ClauseName, Refused, RuleText, Say, say
from pbem.game.move import Move
from pbem.game.proposals import Ballot, Proposal
from pbem.game.rulebook import Rulebook
from pbem.game.state import State
from pbem.game.views import ProposalView
from pbem.game.vocabulary import GOES_ON, each_counts

FAVOURS = (100, 75, 50)
"""How many of a hundred ballots are for it, in the votes that are tried."""
PLAIN: tuple[str, ...] = ("adopted when",)
TRANSMUTING: tuple[str, ...] = ("transmuted when", "adopted when")


@dataclass(frozen=True, slots=True)
class ClauseChange:
    """What a change does to one clause: its expression in the rule before and after (None: not in it), the
    number of the rule whose clause of that name counts afterwards (None: no rule orders it then), and the rules
    which carry it too: those that come after that one (`beats`), those whose clause counts as well (`beside`)."""

    name: str
    before: str | None
    after: str | None
    counts: int | None
    beats: tuple[int, ...] = ()
    beside: tuple[int, ...] = ()

    @property
    def goes_on(self) -> bool:
        """Whether the matter goes on as it last was, though no rule orders it any more."""
        return self.counts is None and self.name in GOES_ON


@dataclass(frozen=True, slots=True)
class Stake:
    """One way a vote may go: ballots, whether it is adopted (None: the keeper would be asked) and takes effect,
    the points by the rules as they are then, its proponent's and those of each who is against (None: nobody is, or not
    all get the same), and whether its proponent wins by it, or who else does."""

    votes_for: int
    votes_against: int
    adopted: bool | None
    effect: bool
    points: int
    wins: bool
    against: int | None = None
    others_win: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Otherwise:
    """An earlier vote that would have ended otherwise by the clause `clause` of rule `rule` as it would be."""

    number: int
    votes_for: int
    votes_against: int
    eligible: int
    adopted: bool
    clause: str
    rule: int | None
    working: str


@dataclass(frozen=True, slots=True)
class Outlook:
    """What would follow if it came to the vote: whether it can pass, the stakes, what stands against it, and
    the earlier votes that would have ended otherwise under it."""

    could_pass: Say
    stakes: tuple[Stake, ...]
    conflicts: tuple[Say, ...]
    otherwise: tuple[Otherwise, ...]


@dataclass(frozen=True, slots=True)
class Preview:
    """A change as it would be proposed, with the copy of the game in which it is (`state`), what would follow,
    and why it could not be proposed at this moment (None: it could)."""

    state: State
    proposal: ProposalView
    outlook: Outlook
    not_now: Say | None


def preview(state: State, asked: Propose, by: By, at: int) -> Preview:
    """What `asked` would do if `by` proposed it at `at` (UTC µs). Raises Refused if a rule keeps it out at any time."""
    move = Move(state, at)
    move.must_play()
    changes.must_agree(state, asked)
    change = changes.judge(state, asked)
    if not state.in_turn:
        turns.begin(move)
    proponent = by if isinstance(by, int) else move.state.turns[move.state.turn].player
    proposing.make(move, proponent, change)
    tried = move.state
    number = tried.last_number
    return Preview(
        tried, views.proposal_view(tried, number), outlook(tried, number, at), _not_now(state, asked, by, at)
    )


def _not_now(state: State, asked: Propose, by: By, at: int) -> Say | None:
    try:
        proposing.propose(Move(state, at), asked, by)
    except Refused as refused:
        return refused.said
    return None


def outlook(state: State, number: int, at: int) -> Outlook:
    """What follows if an open proposal comes to the vote at `at` (UTC µs)."""
    proposal = state.proposals[number]
    stakes = tuple({trial.votes_for: trial for trial in _trials(state, proposal, at)}.values())
    change = changes.proposed(state, proposal)
    if change is None:
        return Outlook(_could_pass(stakes[0]), stakes, (changes.gone(proposal),), ())
    effect = changes.effect(change, number)
    bound = bounds.passed(state, effect)
    if bound is not None:
        news = tuple(warned for warned in (changes.warning(bound),) if warned not in proposal.remarks)
        return Outlook(_could_pass(stakes[0]), stakes, news, ())
    later = replace(state, rulebook=bounds.after(state, effect))
    conflicts = (*_undecided(later, effect.rule), *_impasse(later))
    return Outlook(_could_pass(stakes[0]), stakes, conflicts, tuple(_otherwise(state, later)))


# ---- the vote, tried ----


def _trials(state: State, proposal: Proposal, at: int) -> Iterator[Stake]:
    voters = proposal.electorate or Map(regulation.electorate(state))
    for favour in FAVOURS:
        ballots = _cast(proposal.proponent, voters, favour, at)
        voting_on = replace(proposal, stage="voting", opened=at, electorate=voters, ballots=ballots)
        tried = replace(state, proposals=state.proposals.set(proposal.number, voting_on))
        yield _tried(Move(tried, at), voting_on)


def _cast(proponent: int, voters: Map[int, int], favour: int, at: int) -> Map[int, Ballot]:
    """A ballot for each voter: as near to that favour as whole ballots come, the proponent's first."""
    left = (sum(voters.values()) * favour + 50) // 100
    ballots = {}
    for voter in sorted(voters, key=lambda voter: (voter != proponent, voter)):
        choice: Choice = "for" if voters[voter] <= left else "against"
        left -= voters[voter] if choice == "for" else 0
        ballots[voter] = Ballot(choice, at, "")
    return Map(ballots)


def _tried(move: Move, proposal: Proposal) -> Stake:
    counted = regulation.count(move.state, proposal)
    voting.close(move, proposal.number)
    closed = next((fact for fact in move.facts if isinstance(fact, VoteClosed)), None)
    awards = [fact.award for fact in move.facts if isinstance(fact, PointsAwarded)]

    def points(player: int) -> int:
        whose = (player, proposal.number, None)
        return sum(each.points for each in awards if (each.player, each.proposal, each.counter) == whose)

    against = {points(voter) for voter, cast in proposal.ballots.items() if cast.choice == "against"}
    winners = [player for fact in move.facts if isinstance(fact, PlayersWon) for player in fact.players]
    others = (move.state.players[player].name for player in winners if player != proposal.proponent)
    return Stake(
        counted.votes_for,
        counted.votes_against,
        closed.tally.adopted if closed else None,
        not any(isinstance(fact, ChangeVoided) for fact in move.facts),
        points(proposal.proponent),
        proposal.proponent in winners,
        against.pop() if len(against) == 1 else None,
        tuple(others),
    )


def _could_pass(best: Stake) -> Say:
    """Whether it can be adopted at all: by everyone's vote."""
    if best.adopted is None:
        return say("Even with every vote for it the rules would give no outcome; the keeper would be asked.")
    if not best.adopted:
        return say("Even with every vote for it, it would not be adopted.")
    if not best.effect:
        return say("With every vote for it, it would be adopted, but without effect.")
    return say("With every vote for it, it would be adopted and take effect.")


# ---- what stands against it ----


def _undecided(later: State, rule: RuleText | None) -> Iterator[Say]:
    for clause in rule.clauses if rule else ():
        rivals = later.rulebook.rivals(clause.name)
        if rivals and not each_counts(clause.name):
            yield say(
                "No rule would say which of rules %(numbers)s prevails in “%(clause)s”, so nothing would follow "
                "from any.",
                numbers=", ".join(str(rival.rule.number) for rival in rivals),
                clause=ClauseName(clause.name),
            )


def _impasse(later: State) -> Iterator[Say]:
    if not bounds.can_change(later):
        yield say("After it no rule change could be adopted any more.")


# ---- what it does to clauses and to earlier votes ----


def clause_changes(state: State, number: int) -> tuple[ClauseChange, ...]:
    """What a proposal would do (or, adopted, did) to the clauses of the rule it changes, by name."""
    proposal = state.proposals[number]
    before, after = views.texts(state, proposal)
    change = changes.proposed(state, proposal) if proposal.stage in OPEN_STAGES else None
    book = state.rulebook if change is None else bounds.after(state, changes.effect(change, number))
    old, new = _expressions(before), _expressions(after)
    return tuple(
        ClauseChange(name, old.get(name), new.get(name), *_carrying(book, name, after))
        for name in sorted(old.keys() | new.keys())
    )


def changed_clauses(
    before: RuleText | None, after: RuleText | None
) -> tuple[tuple[str, str | None, str | None], ...]:
    """Each clause that is not the same in two wordings of a rule, with its expression before and after (None: not carried)."""
    old, new = _expressions(before), _expressions(after)
    names = dict.fromkeys((*old, *new))
    return tuple((name, old.get(name), new.get(name)) for name in names if old.get(name) != new.get(name))


def _expressions(rule: RuleText | None) -> dict[str, str]:
    return {} if rule is None else {clause.name: clause.expression for clause in rule.clauses}


def _carrying(
    book: Rulebook, name: str, after: RuleText | None
) -> tuple[int | None, tuple[int, ...], tuple[int, ...]]:
    """The rule whose clause of that name counts, those after it, and those that count beside the rule `after`."""
    numbers = tuple(carrier.rule.number for carrier in book.carriers(name))
    own = after.number if after else None
    if not numbers or not each_counts(name):
        return (numbers[0] if numbers else None), numbers[1:], ()
    return (own if own in numbers else numbers[0]), (), book.beside(name, own)


def _otherwise(state: State, later: State) -> Iterator[Otherwise]:
    """The closed votes, judged by the clause that would decide if that is a new one. Of each the counts, the
    turn and the circuit are those of then, the rules in force and the number of players those of now."""
    renewed = [names for names in (PLAIN, TRANSMUTING) if _deciding(state, names) != _deciding(later, names)]
    for number, proposal in sorted(state.proposals.items()):
        names = _names(state, proposal)
        if proposal.stage in ("adopted", "defeated") and names in renewed:
            yield from _judged_again(later, number, names)


def _deciding(state: State, names: tuple[str, ...]) -> tuple[str, str] | None:
    for carrier in state.rulebook.carriers(*names):
        return carrier.clause.name, carrier.clause.expression
    return None


def _names(state: State, proposal: Proposal) -> tuple[str, ...]:
    """The clauses that decided a vote: on a transmutation of a rule that was immutable both were asked (109, 203)."""
    rule = state.rulebook.find(proposal.target or 0) if proposal.kind == "transmute" else None
    for version in reversed(rule.versions) if rule else ():
        if version.rule.number == proposal.target:
            return PLAIN if version.rule.mutable else TRANSMUTING
    return PLAIN


def _judged_again(later: State, number: int, names: tuple[str, ...]) -> Iterator[Otherwise]:
    proposal = later.proposals[number]
    tally, turn = proposal.tally, later.turns[proposal.turn]
    if tally is None:
        return
    facts = {**regulation.vote_facts(later, proposal), "turn": turn.number, "circuit": turn.circuit}
    try:
        answer = regulation.ask_strictly(later, *names, facts=facts)
    except Unevaluated:
        return
    adopted = answer is not None and answer.value is True
    if adopted != tally.adopted:
        working = answer.working if answer else ""
        clause, rule = (answer.clause, answer.rule) if answer else (names[-1], None)
        counts = tally.votes_for, tally.votes_against, tally.eligible
        yield Otherwise(number, *counts, adopted, clause, rule, working)
