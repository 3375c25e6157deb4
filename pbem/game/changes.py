"""A rule change as asked for, judged against the rulebook (103, 108–112, 209): what it would change, or why not.

What lives here: checks. Each exists only while a rule in force carries it, and names that rule. What never
may: recording anything.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from pbem.game import bounds, clauses, regulation
from pbem.game.commands import CarryClauses, Propose, Revise
from pbem.game.events import RuleChanged
from pbem.game.model import Clause, ClauseName, Kind, Refused, Rule, RuleText, Say, say
from pbem.game.proposals import Proposal
from pbem.game.state import State

WITH_TEXT: tuple[Kind, ...] = ("enact", "amend", "amend amendment")
AMENDMENTS: tuple[str, ...] = ("amend", "amend amendment", "repeal amendment")


@dataclass(frozen=True, slots=True)
class Change:
    """A change that may be proposed: the rule it touches as it stands (None: a new one), its words, and remarks."""

    kind: Kind
    target: RuleText | None
    title: str
    text: str
    clauses: tuple[Clause, ...]
    remarks: tuple[Say, ...]


def must_agree(state: State, asked: Propose) -> None:
    """A number and a title that name two different rules are asked back: Refused."""
    if asked.target is None or not asked.title:
        return
    rule = state.rulebook.standing(asked.target)
    titled = {other.now.title.casefold(): other for other in state.rulebook.in_force}
    other = titled.get(asked.title.casefold())
    if rule is None or other is None or rule.now.title.casefold() == asked.title.casefold():
        return
    raise Refused(
        "Rule %(number)d is called “%(title)s”; “%(other_title)s” is the title of rule %(other)d. "
        "Which of the two do you mean to change?",
        cure=(replace(asked, target=other.number), replace(asked, title=rule.now.title)),
        asks=True,
        number=rule.number,
        title=rule.now.title,
        other=other.number,
        other_title=other.now.title,
    )


def judge(state: State, asked: Propose, said: Revise | None = None) -> Change:
    """The change asked for, or Refused with the rule that forbids it. No proposal number is used either way. `said` is
    the revision by which it was asked for, if it was."""
    rule, remarks = _target(state, asked)
    if rule is not None:
        _must_be_open_to_change(state, asked, rule)
    if asked.kind in WITH_TEXT and not (asked.text or "").strip():
        raise Refused(
            "The text of the rule is missing. Write it on the lines after, and “end” on a line of its own."
        )
    _must_compile(asked.clauses, state.rulebook.counters)
    change = _worded(asked, rule, remarks)
    if change.target is not None and _says_nothing(asked, change.target):
        raise _asked_back(state, change, change.target, said or asked)
    return _bounded(state, change)


def _target(state: State, asked: Propose) -> tuple[Rule | None, tuple[Say, ...]]:
    """The rule in force that is meant, by lineage (108)."""
    if asked.kind == "enact":
        return None, ()
    number = asked.target or 0
    rule = state.rulebook.find(number)
    if rule is None:
        raise _unknown(state, asked)
    if rule.repealed is not None:
        raise Refused("Rule %(number)d was repealed by proposal %(by)d.", number=number, by=rule.repealed)
    if rule.number == number:
        return rule, ()
    remark = say("Rule %(old)d is now rule %(new)d.", old=number, new=rule.number)
    return rule, (remark,)


def _unknown(state: State, asked: Propose) -> Refused:
    nearest = state.rulebook.nearest(asked.target or 0)
    if nearest is None:
        return Refused("There is no rule %(number)d.", number=asked.target)
    return Refused(
        "There is no rule %(number)d. Did you mean %(nearest)d?",
        cure=(replace(asked, target=nearest, text=None, clauses=()),),
        number=asked.target,
        nearest=nearest,
    )


def _must_be_open_to_change(state: State, asked: Propose, rule: Rule) -> None:
    """An immutable rule can only be transmuted (103); an amendment must exist to be changed."""
    protecting = regulation.holds(state, "immutable protected")
    if not rule.mutable and asked.kind != "transmute" and protecting is not None:
        raise Refused(
            "Rule %(number)d is immutable: it must be transmuted before it can be changed or repealed.",
            rule=protecting.rule,
            cure=(Propose("transmute", rule.number),),
            number=rule.number,
        )
    if asked.kind in ("repeal amendment", "amend amendment") and before_amendment(rule) is None:
        raise Refused("Rule %(number)d has no amendment.", number=rule.number)


def before_amendment(rule: Rule) -> RuleText | None:
    """The rule as it read before its last amendment (103 II), None if it was never amended."""
    for earlier, later in zip(reversed(rule.versions[:-1]), reversed(rule.versions[1:]), strict=True):
        if later.kind in AMENDMENTS:
            return earlier.rule
    return None


def _must_compile(written: tuple[Clause, ...], counters: tuple[str, ...]) -> None:
    wrong = clauses.faults(tuple(clause for clause in written if clause.expression != "none"), counters)
    if wrong:
        clause, why = wrong[0]
        name = ClauseName(clause.name)
        raise Refused("The clause “%(clause)s” cannot be carried out. %(why)s", clause=name, why=why)


def _worded(asked: Propose, rule: Rule | None, remarks: tuple[Say, ...]) -> Change:
    """The title, text and clauses the rule would have."""
    if rule is None:
        return Change(asked.kind, None, asked.title, asked.text or "", asked.clauses, remarks)
    now = rule.now
    if asked.kind == "repeal amendment":
        earlier = before_amendment(rule) or now
        return Change(asked.kind, now, earlier.title, earlier.text, earlier.clauses, remarks)
    if asked.kind not in WITH_TEXT:
        return Change(asked.kind, now, now.title, now.text, now.clauses, remarks)
    title, text = asked.title or now.title, asked.text or ""
    kept = _carried(asked, now)
    if (title, text, kept) == (now.title, now.text, now.clauses):
        remarks = (*remarks, say("This is how the rule reads already: adopting it changes only the number."))
    return Change(asked.kind, now, title, text, kept, remarks)


def _carried(asked: Propose, now: RuleText) -> tuple[Clause, ...]:
    """The clauses after an amendment: those written replace, the rest stay; `none` drops one."""
    written = {clause.name: clause for clause in asked.clauses}
    rest = () if asked.carry == "drop" else now.clauses
    merged = [written.pop(clause.name, clause) for clause in rest] + list(written.values())
    return tuple(clause for clause in merged if clause.expression != "none")


def _says_nothing(asked: Propose | Revise, now: RuleText) -> bool:
    if isinstance(asked, Propose) and asked.kind not in WITH_TEXT:
        return False
    return bool(now.clauses) and not asked.clauses and asked.carry is None


def _asked_back(state: State, change: Change, now: RuleText, said: Propose | Revise) -> Refused:
    """What becomes of the clauses which a new text says nothing of: each as it stands, and what either word brings."""
    return Refused(
        "Rule %(number)d has the server carry this out, and your new text has no clause: %(clauses)s. "
        "Reply to this with “%(keep)s” alone, and the server goes on by it, whatever your new text says; "
        "with “%(drop)s” alone, and the server does it no more. %(dropped)s",
        cure=(CarryClauses("keep"), CarryClauses("drop"), replace(said, clauses=now.clauses)),
        asks=True,
        number=now.number,
        clauses=_listed(now.clauses),
        keep=CarryClauses("keep"),
        drop=CarryClauses("drop"),
        dropped=_dropped(state, replace(change, clauses=())),
    )


def _listed(carried: tuple[Clause, ...]) -> Say:
    """Clauses in a row, each as its line reads."""
    first, *rest = carried
    told = say("“clause %(name)s: %(expression)s”", name=ClauseName(first.name), expression=first.expression)
    return say("%(first)s, %(rest)s", first=told, rest=_listed(tuple(rest))) if rest else told


def _dropped(state: State, change: Change) -> Say:
    """What would follow of a change without clauses, and that there is a third way."""
    again = say("Or send your proposal again with the clauses in it, as below, and change them as you like.")
    asked = effect(change, state.last_number + 1)
    bound = bounds.passed(state, asked)
    if bound is not None:
        why = bounds.named(bound.why, bound.rule)
        return say(
            "Without it your proposal would have no effect if adopted. %(why)s %(again)s",
            why=why,
            again=again,
        )
    if bounds.can_change(state) and not bounds.can_change(
        replace(state, rulebook=bounds.after(state, asked))
    ):
        return say("Without it no rule change could be adopted any more. %(again)s", again=again)
    return again


def leaves_clauses_open(state: State, asked: Propose | Revise) -> bool:
    """Whether its author must say what becomes of the clauses of the rule it amends."""
    meant = state.proposals.get(asked.number or 0) if isinstance(asked, Revise) else asked
    if meant is None or meant.target is None or meant.kind not in WITH_TEXT:
        return False
    rule = state.rulebook.standing(meant.target)
    return rule is not None and _says_nothing(asked, rule.now)


def _bounded(state: State, change: Change) -> Change:
    """The change with a warning of the bound it passes. Too many mutable rules (209) are refused at once."""
    asked = effect(change, state.last_number + 1)
    if over := bounds.too_many(state, asked):
        raise Refused(over.why.text, rule=over.rule, **over.why.facts)
    bound = bounds.passed(state, asked)
    if bound is None:
        return change
    return replace(change, remarks=(*change.remarks, warning(bound)))


def warning(bound: bounds.Bound) -> Say:
    """What is said of a change that passes a bound."""
    return say(
        "As the rules are now, it would have no effect if adopted. %(why)s",
        why=bounds.named(bound.why, bound.rule),
    )


def effect(change: Change, number: int) -> RuleChanged:
    """The change as a fact, were it adopted as proposal `number` (108: the rule takes its number)."""
    target = change.target.number if change.target else None
    if change.kind == "repeal":
        return RuleChanged(number, change.kind, target, None)
    mutable = change.target.mutable if change.target else True
    if change.kind == "transmute":
        mutable = not mutable
    title, text = change.title, change.text
    return RuleChanged(number, change.kind, target, RuleText(number, mutable, title, text, change.clauses))


def proposed(state: State, proposal: Proposal) -> Change | None:
    """The change a proposal makes to the rulebook as it stands now; None if its rule is no longer in force."""
    if proposal.target is None:
        return Change(proposal.kind, None, proposal.title, proposal.text, proposal.clauses, ())
    rule = state.rulebook.standing(proposal.target)
    if rule is None:
        return None
    if proposal.kind in WITH_TEXT:
        return Change(proposal.kind, rule.now, proposal.title, proposal.text, proposal.clauses, ())
    if proposal.kind == "repeal amendment":
        earlier = before_amendment(rule) or rule.now
        return Change(proposal.kind, rule.now, earlier.title, earlier.text, earlier.clauses, ())
    return Change(proposal.kind, rule.now, rule.now.title, rule.now.text, rule.now.clauses, ())


def gone(proposal: Proposal) -> Say:
    """The rule it would change has been repealed meanwhile."""
    return say("Rule %(number)d is no longer in force.", number=proposal.target)
