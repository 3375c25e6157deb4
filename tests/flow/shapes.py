"""The shapes of JSON that programs are written against, and a way to hold something against one.

What lives here: what each key must hold. More keys are allowed. What never may: a test.
"""

from __future__ import annotations

from types import NoneType
from typing import Any

Shape = dict[str, Any]
TEXT_OR_NULL = (str, NoneType)
PLAYER: Shape = {"name": str, "score": int, "status": str, "team": TEXT_OR_NULL, "counters": dict}
RULE: Shape = {"number": int, "lineage": list, "mutable": bool, "title": str, "text": str, "clauses": dict}
PROPOSAL: Shape = {
    "number": int,
    "kind": str,
    "target": (int, NoneType),
    "proponent": str,
    "stage": str,
    "ballots": dict,
    "votes_for": int,
    "votes_against": int,
    "without_effect": TEXT_OR_NULL,
    "turn": int,
}
LISTED: Shape = {
    "game": str,
    "title": str,
    "status": str,
    "language": str,
    "turn": int,
    "on_turn": TEXT_OR_NULL,
    "events": int,
}
STATE: Shape = {
    "game": str,
    "title": str,
    "status": str,
    "language": str,
    "turn": int,
    "circuit": int,
    "on_turn": TEXT_OR_NULL,
    "waiting_for": list,
    "players": [PLAYER],
    "rules": [RULE],
    "proposals": [PROPOSAL],
    "cases": list,
    "clauses": dict,
    "winners": list,
    "events": int,
    "hash": str,
}
EXPLANATION: Shape = {
    "kind": str,
    "sender": TEXT_OR_NULL,
    "claimed": TEXT_OR_NULL,
    "held": TEXT_OR_NULL,
    "subject": str,
    "subject_core": str,
    "text": TEXT_OR_NULL,
    "game": TEXT_OR_NULL,
    "commands": [{"line": int, "said": str, "understood": str}],
    "problems": [{"line": int, "said": str, "why": str, "try": str}],
}


def faults(found: Any, shape: Any, where: str = "") -> list[str]:
    """Where something is not of the shape: `{key: shape}`, `[shape of each]`, a type or several."""
    if isinstance(shape, dict):
        missing = [f"{where}.{key} is missing" for key in shape if key not in found]
        return missing + [
            each for key in shape if key in found for each in faults(found[key], shape[key], f"{where}.{key}")
        ]
    if isinstance(shape, list):
        return [
            each for place, item in enumerate(found) for each in faults(item, shape[0], f"{where}[{place}]")
        ]
    wrong = not isinstance(found, shape) or (isinstance(found, bool) and shape is int)
    return [f"{where} is {found!r}"] if wrong else []
