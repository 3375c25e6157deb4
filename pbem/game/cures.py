"""A proposal, ready to be sent, that would keep the game from stalling again, under the players' own rules.

What lives here: drafts, offered and never sent for anybody. What never may: a draft that the rules in force would
refuse or leave without effect. Its words are text of a rule, so they are in the game's language.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from pbem.game import bounds, changes, regulation
from pbem.game.commands import Propose
from pbem.game.model import Clause, Refused, RuleText
from pbem.game.proposals import Stall
from pbem.game.state import State

_WIDTH = 66
"""Columns of a line of the draft, so that mail programs need not break it."""


@dataclass(frozen=True, slots=True)
class Cure:
    """The proposal to send. `clashes` is an immutable rule that says otherwise, so that transmuting it first is safer."""

    propose: Propose
    clashes: int | None = None


@dataclass(frozen=True, slots=True)
class _Draft:
    """A sentence for a rule: the title of a new one, the clause whose carrier it belongs in ("": none), and the clauses
    by which the server does what it says."""

    title: str
    sentence: str
    carrier: str
    clauses: tuple[Clause, ...] = ()


_ABSTAIN = (Clause("silence", '"abstain"'),)
_DRAFTS: dict[str, dict[Stall, _Draft]] = {
    "en": {
        "vote": _Draft(
            "Silence in a vote",
            "Whoever has cast no ballot when the time to vote and the grace after it are over is not an eligible"
            " voter in that vote.",
            "ballot required",
            _ABSTAIN,
        ),
        "debate": _Draft(
            "Silence in a debate",
            "When the time to debate and the grace after it are over, and the proponent has not ended the debate,"
            " the keeper ends it and the vote is held.",
            "",
        ),
        "turn": _Draft(
            "Silence in a turn",
            "Whoever has proposed nothing when the time to propose and the grace after it are over has had their"
            " turn, and the keeper passes it on to the next player.",
            "turn order",
        ),
    },
    "sv": {
        "vote": _Draft(
            "Tystnad i en omröstning",
            "Den som inte har röstat när rösttiden och respiten efter den är slut är inte röstberättigad i den"
            " omröstningen.",
            "ballot required",
            _ABSTAIN,
        ),
        "debate": _Draft(
            "Tystnad i en debatt",
            "När debattiden och respiten efter den är slut, och förslagsställaren inte har avslutat debatten,"
            " avslutar spelledaren den och omröstningen hålls.",
            "",
        ),
        "turn": _Draft(
            "Tystnad i en tur",
            "Den som inte har föreslagit något när förslagstiden och respiten efter den är slut har haft sin tur,"
            " och spelledaren lämnar den vidare till nästa spelare.",
            "turn order",
        ),
    },
}


def cure(state: State, stalled: Stall) -> Cure | None:
    """The first draft that the rules in force would take and that would have its effect; None if the rules know how
    to go on already, or would take none."""
    if stalled == "vote" and not _waits(state):
        return None
    draft = _DRAFTS["sv" if state.language == "sv" else "en"][stalled]
    proposals = (proposal for proposal in _proposals(state, draft) if _would_cure(state, proposal, draft))
    proposal = next(proposals, None)
    return None if proposal is None else Cure(proposal, _clashing(state, proposal, draft))


def _waits(state: State) -> bool:
    answer = regulation.ask(state, "silence")
    return answer is None or answer.value == "wait"


def _proposals(state: State, draft: _Draft) -> Iterator[Propose]:
    """The sentence put into the rule it belongs to, or into one of its own."""
    for name in (*(clause.name for clause in draft.clauses), draft.carrier):
        carrier = regulation.carrier(state, name)
        if carrier is not None:
            yield _amending(carrier.rule, draft)
    yield Propose("enact", None, draft.title, _filled(draft.sentence), draft.clauses)


def _amending(rule: RuleText, draft: _Draft) -> Propose:
    text = "\n".join(_filled(line) for line in rule.text.split("\n"))
    carry: Literal["keep"] | None = None if draft.clauses else "keep"
    return Propose(
        "amend", rule.number, rule.title, f"{text}\n\n{_filled(draft.sentence)}", draft.clauses, carry
    )


def _filled(line: str) -> str:
    return textwrap.fill(line, _WIDTH, break_long_words=False, break_on_hyphens=False)


def _would_cure(state: State, proposal: Propose, draft: _Draft) -> bool:
    """Whether it would be taken as it is, take effect, and be the clause that counts."""
    try:
        change = changes.effect(changes.judge(state, proposal), state.last_number + 1)
    except Refused:
        return False
    if bounds.passed(state, change) is not None:
        return False
    return not draft.clauses or not _waits(replace(state, rulebook=bounds.after(state, change)))


def _clashing(state: State, proposal: Propose, draft: _Draft) -> int | None:
    """The immutable rule that a new mutable one might clash with (110)."""
    carrier = regulation.carrier(state, draft.carrier)
    if proposal.kind != "enact" or carrier is None or carrier.rule.mutable:
        return None
    return carrier.rule.number
