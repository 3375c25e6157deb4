"""The game for programs: `game.json`, in the shape of `pbem state GAME --json`, with nothing that is still secret.

What lives here: how it is put together. A rule and a proposal are a line each, and are not put into words again while
they stay as they are.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from pbem.game import views
from pbem.game.model import Rule
from pbem.game.proposals import Proposal
from pbem.publish.lists import Long, together
from pbem.publish.page import Page
from pbem.publish.press import Press
from pbem.publish.proposals import all_settled


def page(press: Press, head: str) -> Page:
    """The state as everyone may see it. Its hash is kept back while a secret vote runs (see `log`)."""
    state = press.state
    shown = None if views.hidden_votes(state) else head
    return Page("game.json", (press.frame, state.seq), lambda: _made(press, shown))


def _made(press: Press, head: str | None) -> bytes:
    """One entry a line, and of rules and proposals one a line."""
    entries = {name: _text(value) for name, value in views.summary_json(press.state, head).items()}
    listed = {"rules": _rules(press), "proposals": _proposals(press)}
    entries |= {name: f"[\n{lines}\n]" for name, lines in listed.items()}
    lines = ",\n".join(f"{_text(name)}: {text}" for name, text in entries.items())
    return press.whole(f"{{\n{lines}\n}}\n")


def _rules(press: Press) -> Long:
    def line(rule: Rule) -> str:
        text: str = press.kept(("json", "rule", rule.key), rule, partial(_text_of, views.rule_json, rule))
        return text

    book = press.state.rulebook
    standing = together(book.in_force_numbers, book.in_force)
    return press.listed("json rules", standing, line, ",\n", _joined)


def _proposals(press: Press) -> Long:
    state = press.state
    known = all_settled(press)
    numbers = sorted(state.proposals)
    made = together(numbers, [(state.proposals[number], known[number]) for number in numbers])

    def line(each: tuple[Proposal, object]) -> str:
        making = partial(_text_of, views.public_proposal_json, state, each[0])
        text: str = press.kept(("json", "proposal", each[0].number), each[1], making)
        return text

    return press.listed("json proposals", made, line, ",\n", _joined)


def _joined(lines: Iterable[str], between: str) -> str:
    return between.join(lines)


def _text_of(view: Callable[..., Any], *about: Any) -> str:
    return _text(view(*about))


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
