"""The game for programs: `game.json`, in the shape of `pbem state GAME --json`, with nothing that is still secret.

What lives here: how it is put together. A rule and a proposal are a line each, and are not put into words again while
they stay as they are.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

from pbem.game import views
from pbem.game.model import Rule
from pbem.game.proposals import Proposal
from pbem.publish.page import Page
from pbem.publish.press import Press
from pbem.publish.proposals import settled


def page(press: Press, head: str) -> Page:
    """The state as everyone may see it. Its hash is kept back while a secret vote runs (see `log`)."""
    state = press.state
    shown = None if views.hidden_votes(state) else head
    return Page("game.json", (press.frame, state.seq), lambda: _made(press, shown).encode())


def _made(press: Press, head: str | None) -> str:
    """One entry a line, and of rules and proposals one a line."""
    entries = {name: _text(value) for name, value in views.summary_json(press.state, head).items()}
    entries["rules"], entries["proposals"] = f"[\n{_rules(press)}\n]", f"[\n{_proposals(press)}\n]"
    lines = ",\n".join(f"{_text(name)}: {text}" for name, text in entries.items())
    return f"{{\n{lines}\n}}\n"


def _rules(press: Press) -> str:
    def line(rule: Rule) -> Any:
        return press.kept(("json", "rule", rule.key), rule, partial(_text_of, views.rule_json, rule))

    book = press.state.rulebook
    standing = zip(book.in_force_numbers, book.in_force, strict=True)
    return str(press.listed("json rules", standing, line, ",\n".join))


def _proposals(press: Press) -> str:
    state = press.state
    made = ((number, (each, settled(state, each))) for number, each in sorted(state.proposals.items()))

    def line(each: tuple[Proposal, object]) -> Any:
        text = partial(_text_of, views.public_proposal_json, state, each[0])
        return press.kept(("json", "proposal", each[0].number), each[1], text)

    return str(press.listed("json proposals", made, line, ",\n".join))


def _text_of(view: Callable[..., Any], *about: Any) -> str:
    return _text(view(*about))


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
