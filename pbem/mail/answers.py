"""Questions about the game and their answers: `status`, `rule 203`, `history 203`, `help vote` and the others.

What lives here: the choice of a template and its values. What never may: a sentence of an answer, or
anything that a player must not know yet (views.py hides it).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pbem.game import case_views, editions, preview, proclaimed, views
from pbem.game.commands import Ask, By, Check, Compare
from pbem.game.model import Clause, Moment, Rule, RuleText, Say, Stage, Version, say
from pbem.game.proposals import Proposal
from pbem.game.redline import Piece, redline
from pbem.game.rulebook import Rulebook
from pbem.game.state import State
from pbem.game.vocabulary import each_counts, shown_name
from pbem.mail import ahead, clause_help, results
from pbem.mail.words import LANGUAGES, VOCABULARY, help_table, words_of

_ALL_CLAUSES = Ask("help", "clauses")


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer: the template of its section, which reads `view` under the name `answer`."""

    template: str
    view: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ClauseShown:
    """A clause of a rule in force; `counts` is the rule whose clause of that name prevails (110, 211), or its own
    where the rules `beside` it count as well."""

    clause: Clause
    counts: int
    beside: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class VersionShown:
    """One text in a rule's life with what was new in it, its clauses included; `how` says how it came."""

    version: Version
    how: Say
    text: tuple[Piece, ...]
    clauses: tuple[tuple[str, tuple[Piece, ...]], ...]


@dataclass(frozen=True, slots=True)
class ProposalLine:
    """A proposal in a list: what it asks for, whose it is, and how it stands."""

    headline: Say
    proponent: str
    stands: Say


@dataclass(frozen=True, slots=True)
class PassageShown:
    """How a rule read in two editions of the rulebook (None: it was not in force), and what is not the same in them;
    `proposals` are those that made it so."""

    before: RuleText | None
    after: RuleText | None
    proposals: tuple[int, ...]
    title: tuple[Piece, ...]
    text: tuple[Piece, ...]
    clauses: tuple[tuple[str, tuple[Piece, ...]], ...]


def answer(state: State, ask: Ask | Compare, language: str) -> Answered:
    """The answer to a question. `language` is the reader's: it chooses the words that help offers. Raises Refused for a
    turn that has not been."""
    if isinstance(ask, Compare):
        return Answered("mail/answers/rules_between.j2", _between(state, ask))
    if ask == _ALL_CLAUSES:
        return Answered("mail/answers/help_clauses.j2", {"clauses": clause_help.ABOUT})
    view = _help(ask.about, language) if ask.topic == "help" else _VIEWS[ask.topic](state, ask.about)
    template = "rule_unknown" if view.get("unknown") else ask.topic
    return Answered(f"mail/answers/{template}.j2", view)


def checked(state: State, check: Check, by: By, at: int) -> Answered:
    """What a proposal would do if `by` made it at `at` (UTC µs). Raises Refused where none can be made of it."""
    tried = preview.preview(state, check.proposal, by, at)
    proposal = tried.proposal.proposal
    clauses = preview.TRANSMUTING if proposal.kind == "transmute" else preview.PLAIN
    view = {
        "proposal": tried.proposal,
        "change": results.amendment(tried.state, proposal.number),
        "outlook": tried.outlook,
        "decides": results.order(state, *clauses),
        "not_now": tried.not_now,
    }
    return Answered("mail/answers/check.j2", view)


def _help(about: str, reader: str) -> dict[str, Any]:
    """The whole of help, or the rows that hold the word `about` in any language. `reader` is the reader's."""
    language = words_of(reader)
    table = help_table(language)
    meant = [row for row, *all_forms in _rows() if about and any(about in form for form in all_forms)]
    return {
        "about": about,
        "found": bool(meant),
        "rows": tuple(table[row] for row in meant) or table,
        "end": VOCABULARY[language].end,
        "clause": f"{VOCABULARY[language].clause} {shown_name('points for the turn', language)}: 10",
        "clauses": _ALL_CLAUSES,
    }


def _rows() -> list[tuple[Any, ...]]:
    """Each row's index with its forms in every language."""
    tables = [help_table(language) for language in LANGUAGES]
    return [
        (at, *(form for _, forms in rows for form in forms))
        for at, rows in enumerate(zip(*tables, strict=True))
    ]


def _status(state: State, _: str) -> dict[str, Any]:
    on_turn = state.players[state.on_turn].name if state.on_turn is not None else None
    return {
        "status": state.status,
        "turn": state.turn,
        "circuit": state.circuit,
        "on_turn": on_turn,
        "provisional": case_views.provisional(state),
        "in_turn": state.in_turn,
        "players": tuple(player.name for player in state.seated),
        "earlier_wins": proclaimed.earlier_wins(state),
        "winners": tuple(state.players[player].name for player in state.winners),
        "open": tuple(_line(state, proposal) for proposal in state.open_proposals),
        "due": ahead.due(state),
        "calendar": ahead.calendar(state),
    }


def _rules(state: State, _: str) -> dict[str, Any]:
    return {"rules": tuple((rule.now, _clauses(state, rule)) for rule in state.rulebook.in_force)}


def _between(state: State, ask: Compare) -> dict[str, Any]:
    last = state.turn if ask.last is None else ask.last
    changed = editions.between(state, ask.first, last)
    return {"first": ask.first, "last": last, "passages": tuple(map(_passage, changed))}


def _passage(passage: editions.Passage) -> PassageShown:
    before, after, rule = passage.before, passage.after, passage.rule
    made = [version.proposal for version in passage.versions if version.proposal is not None]
    if rule.repealed is not None and None in (before, after):
        made.append(rule.repealed)
    changed = preview.changed_clauses(before, after)
    return PassageShown(
        before,
        after,
        tuple(made),
        redline(before.title if before else "", after.title if after else ""),
        redline(before.text if before else "", after.text if after else ""),
        tuple((name, results.expressions(old, new)) for name, old, new in changed),
    )


def _clauses(state: State, rule: Rule) -> tuple[ClauseShown, ...]:
    """The clauses of a rule; those of one that is repealed count nowhere and are left out."""
    if rule.repealed is not None:
        return ()
    return tuple(_clause(state.rulebook, clause, rule.number) for clause in rule.now.clauses)


def _clause(book: Rulebook, clause: Clause, own: int) -> ClauseShown:
    first = book.carriers(clause.name)[0].rule.number
    return ClauseShown(clause, own if each_counts(clause.name) else first, book.beside(clause.name, own))


def _rule(state: State, about: str) -> dict[str, Any]:
    rule = _found(state, about)
    if rule is None:
        return _unknown(state, "rule", about)
    return {
        "asked": int(about),
        "rule": rule.now,
        "clauses": _clauses(state, rule),
        "lineage": rule.lineage,
        "repealed": rule.repealed,
        "history": Ask("history", str(rule.number)),
    }


def _history(state: State, about: str) -> dict[str, Any]:
    rule = _found(state, about)
    if rule is None:
        return _unknown(state, "history", about)
    earlier = (None, *rule.versions[:-1])
    return {
        "asked": int(about),
        "rule": rule.now,
        "repealed": rule.repealed,
        "versions": tuple(_version(*pair) for pair in zip(earlier, rule.versions, strict=True)),
    }


def _found(state: State, about: str) -> Rule | None:
    return state.rulebook.find(int(about)) if about.isdecimal() else None


def _unknown(state: State, topic: Any, about: str) -> dict[str, Any]:
    nearest = state.rulebook.nearest(int(about)) if about.isdecimal() else None
    return {"unknown": about or "–", "nearest": () if nearest is None else (Ask(topic, str(nearest)),)}


_HOW = {
    "initial": say("In the rules the game began with:"),
    "enact": say("Enacted by proposal %(number)d, %(at)s:"),
    "amend": say("Amended by proposal %(number)d, %(at)s:"),
    "transmute": say("Transmuted by proposal %(number)d, %(at)s:"),
    "repeal amendment": say("Put back to the text before its last amendment by proposal %(number)d, %(at)s:"),
    "amend amendment": say("Its last amendment replaced by proposal %(number)d, %(at)s:"),
    "ruling": say("By the keeper’s ruling, %(at)s:"),
}


def _version(earlier: Version | None, version: Version) -> VersionShown:
    how = Say(_HOW[version.kind].text, {"number": version.proposal or 0, "at": Moment(version.at)})
    before = earlier.rule if earlier else version.rule
    changed = preview.changed_clauses(before, version.rule)
    clauses = tuple((name, results.expressions(old, new)) for name, old, new in changed)
    return VersionShown(version, how, redline(before.text, version.rule.text), clauses)


def _scores(state: State, _: str) -> dict[str, Any]:
    return {
        "scores": views.scores(state),
        "counters": state.rulebook.counters,
        "keeper": state.keeper,
        "earlier_wins": proclaimed.earlier_wins(state),
    }


def _proposals(state: State, _: str) -> dict[str, Any]:
    newest = sorted(state.proposals, reverse=True)
    return {"proposals": tuple(_line(state, state.proposals[number]) for number in newest)}


def _cases(state: State, _: str) -> dict[str, Any]:
    return {"cases": case_views.all_cases(state)}


def _log(state: State, _: str) -> dict[str, Any]:
    turns = [state.turns[number] for number in sorted(state.turns)]
    return {
        "turns": tuple(
            (
                turn.number,
                state.players[turn.player].name,
                tuple(_line(state, state.proposals[number]) for number in turn.proposals),
            )
            for turn in turns
        )
    }


_STANDS: dict[Stage, Say] = {
    "draft": say("A draft."),
    "debate": say("It is being debated."),
    "voting": say("The vote is open."),
}


def _line(state: State, proposal: Proposal) -> ProposalLine:
    stands = _STANDS.get(proposal.stage) or views.outcome(views.proposal_view(state, proposal.number))
    return ProposalLine(views.headline(proposal), state.players[proposal.proponent].name, stands)


_VIEWS: dict[str, Callable[[State, str], dict[str, Any]]] = {
    "status": _status,
    "rules": _rules,
    "rule": _rule,
    "history": _history,
    "scores": _scores,
    "proposals": _proposals,
    "cases": _cases,
    "log": _log,
}
