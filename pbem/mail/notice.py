"""What a notice is, and what those who make notices have in common.

What lives here: the shape of a mail that is to be written. What never may: the choice of who is told what
(notify.py, silences.py), an address, or a rendered sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pbem.game import views
from pbem.game.commands import Ask, Command
from pbem.game.events import Fact
from pbem.game.model import Say
from pbem.game.state import State
from pbem.mail import results

Audience = tuple[int, ...] | Literal["everyone", "keeper", "person"]
"""Player ids; everyone (players and observers); the keeper; or one person whom the caller has at hand."""

NoticeKind = Literal[
    "started",
    "joined",
    "proposal",
    "ballot",
    "post",
    "result",
    "digest",
    "case",
    "turn",
    "deadline",
    "keeper",
    "proclaimed",
    "answer",
]


@dataclass(frozen=True, slots=True)
class Asked:
    """What a keeper is asked: the lines that answer, and what is so until an answer comes."""

    lines: tuple[Command, ...]
    meanwhile: Say


@dataclass(frozen=True, slots=True)
class Notice:
    """A mail to be written. `key` is unique in the game and stays the same however often it is made.

    `view` holds all that `template` shows but `site`, the address of the game's pages ("" if it has none):
    whoever prints it adds that. `thread` is the fixed root of its conversation. `list_mail` marks what goes
    to a whole circle of readers. Readers choose by `kind` what they want to get.
    """

    key: str
    to: Audience
    template: str
    view: Mapping[str, Any]
    subject: Say
    thread: str
    kind: NoticeKind
    list_mail: bool = False


def common(state: State) -> dict[str, Any]:
    """What the foot of every mail of a game shows."""
    return {"game": state.game, "title": state.title, "help": Ask("help")}


@dataclass(frozen=True, slots=True)
class Happened:
    """One fact with the states around it, and the facts and the last state of the whole batch."""

    fact: Any
    seq: int
    before: State
    after: State
    facts: Sequence[Fact]
    end: State

    def later(self, kind: type[Any]) -> Any:
        """The batch's fact of that kind, None if there is none."""
        return next((fact for fact in self.facts if isinstance(fact, kind)), None)


def proposal_shown(state: State, number: int) -> dict[str, Any]:
    """What the mails about an open proposal have in common."""
    return {
        **common(state),
        "proposal": views.proposal_view(state, number),
        "change": results.amendment(state, number),
    }


def about(
    key: str,
    to: Audience,
    template: str,
    view: Mapping[str, Any],
    kind: NoticeKind,
    *,
    list_mail: bool = False,
) -> Notice:
    """A notice in the thread of the proposal that `view` holds."""
    proposal = view["proposal"]
    thread = f"proposal.{proposal.proposal.number}"
    return Notice(key, to, template, view, proposal.headline, thread, kind, list_mail)


def to_keeper(step: Happened, view: dict[str, Any]) -> Notice:
    """To the keeper, in the thread of the proposal that `view` holds."""
    return about(f"keeper:{step.seq}", "keeper", "mail/keeper.j2", view, "keeper")


def name_of(state: State, player: int | None) -> str:
    """A player's name; "" for the keeper."""
    return "" if player is None else state.players[player].name
