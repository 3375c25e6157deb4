"""Letters outside the course of a game: the invitation, and answers to mail that reached no game.

What lives here: their templates and values. What never may: telling a stranger anything about a game.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pbem.game import regulation
from pbem.game.commands import (
    AddAddress,
    Ask,
    Command,
    Extend,
    ForgetMe,
    Join,
    Observe,
    Press,
    Remove,
    Rerun,
    Ruling,
    Set,
)
from pbem.game.model import Moment, Player, Say, say
from pbem.game.proposals import Proposal
from pbem.game.state import State
from pbem.game.turns import order
from pbem.mail.message import Inbound
from pbem.mail.notice import Asked, Notice, common
from pbem.mail.vocabulary import Language
from pbem.mail.words import help_table


def invitation(state: State, name: str, keeper: str, invited: tuple[str, ...]) -> Notice:
    """To somebody asked to play under `name`: what this is, who asks, who else is asked, and how to say yes."""
    players = tuple(player.name for player in order(state))
    others = tuple(other for other in invited if other != name)
    view = {
        **common(state),
        "name": name,
        "keeper": keeper,
        "others": others,
        "players": players,
        "join": Join(),
        "observe": Observe(),
    }
    subject = say("%(title)s: will you play?", title=state.title)
    return Notice(f"invited:{name}", "person", "mail/invitation.j2", view, subject, "table", "answer")


@dataclass(frozen=True, slots=True)
class Post:
    """Words of the debate, as they are gathered: whose, when (UTC µs), and what they are about."""

    name: str
    at: int
    about: Say
    text: str


def daily(state: State, key: str, posts: tuple[Post, ...]) -> Notice:
    """The posts of a day in one mail, to a reader who wants them so."""
    view = {**common(state), "posts": posts}
    subject = say("%(title)s: the debate of the day", title=state.title)
    return Notice(f"daily:{key}", "person", "mail/daily.j2", view, subject, "table", "post", True)


TEAM = "team"
"""The thread of what team-mates write to each other."""


def to_team(state: State, key: str, sender: Player, mates: tuple[int, ...], press: Press) -> Notice:
    """A player's words to the team-mates `mates`, and to nobody else (210)."""
    view = {**common(state), "name": sender.name, "team": sender.team, "press": press}
    subject = say("Team %(team)s: %(name)s writes", team=sender.team, name=sender.name)
    return Notice(f"team:{key}", mates, "mail/team.j2", view, subject, TEAM, "answer")


def late_ballot(
    state: State,
    proposal: Proposal,
    voter: int,
    words: str,
    times: tuple[int, int, tuple[int, ...]],
) -> Notice:
    """To the keeper: a ballot that came after the close, in its `words`. `times` are when it was taken, its Date, and when
    servers handed it on (UTC µs)."""
    taken, dated, hops = times
    number, name = proposal.number, state.players[voter].name
    until = regulation.after(state, "claim window", proposal.closed or 0, taken)
    meanwhile = say(
        "If you do nothing, the result stands. Until %(until)s the player can say that it is wrong.",
        until=Moment(until),
    )
    view = {
        **common(state),
        "name": name,
        "number": number,
        "words": words,
        "closed": proposal.closed,
        "taken": taken,
        "dated": dated,
        "hops": hops,
        "asked": Asked((Rerun(number, "…"), Ruling("…")), meanwhile),
    }
    subject = say("Proposal %(number)d: a ballot came after the close", number=number)
    return Notice(
        f"late:{number}:{voter}:{taken}",
        "keeper",
        "mail/late_ballot.j2",
        view,
        subject,
        f"proposal.{number}",
        "keeper",
    )


@dataclass(frozen=True, slots=True)
class End:
    """The end of a game's log, as far as it may be told: the number of a record, and its hash."""

    game: str
    title: str
    seq: int
    hash: str


def heads(key: str, ends: tuple[End, ...]) -> Notice:
    """To whoever keeps a second record of how the logs of all games end."""
    return _answer("heads", key, {"ends": ends}, say("Where the logs of the games end"))


def to_stranger(key: str, language: Language) -> Notice:
    """To somebody with no seat anywhere, in answer to the mail `key`: who we are and how to get in."""
    _, forms = help_table(language)[0]
    return _answer("stranger", key, {"forms": forms}, say("This address plays Nomic"))


def which_game(key: str, games: Sequence[tuple[str, str]]) -> Notice:
    """The question which of the sender's games (name, title) the mail `key` is meant for."""
    return _answer("which_game", key, {"games": tuple(games)}, say("1 question: which game?"))


def too_long(key: str, most: int) -> Notice:
    """The answer to a mail of which no more than `most` bytes would be read: kept, and nothing in it done."""
    view = {"most": most // 1024, "help": Ask("help")}
    return _answer("too_long", key, view, say("1 problem: your mail is too long"))


def rewritten(key: str, subject: str) -> Notice:
    """To the registered address, when a mail came under the Message-ID of an earlier one of theirs with other words."""
    asked = say("1 problem: please write this again")
    return _answer("rewritten", key, {"subject": subject}, asked)


LONGEST_SHOWN = 2_000
"""Characters shown of a mail that is held."""


@dataclass(frozen=True, slots=True)
class Held:
    """What is known of a held mail besides itself: when it came and until when it waits (UTC µs), the title of its game
    ("": of none), the address it came from if that could become its owner's (else ""), and every command in it."""

    at: int
    until: int
    title: str
    other: str
    commands: tuple[Command, ...]


def confirm(key: str, mail: Inbound, held: Held) -> Notice:
    """To the registered address: is the mail its owner's? One OK does all its commands, so all of them are shown."""
    words = mail.text or ""
    view = {
        "subject": mail.subject,
        "text": words[:LONGEST_SHOWN],
        "cut": len(words) > LONGEST_SHOWN,
        "held": held,
        "add": AddAddress(held.other) if held.other else None,
    }
    return _answer("confirm", key, view, say("1 question: did you write this?"))


def meant(key: str, at: int, until: int, wishes: tuple[Command, ...]) -> Notice:
    """To the registered address, about a mail of its owner's that came at `at` (UTC µs): are these wishes meant? It can
    be answered until `until`."""
    view = {"at": at, "until": until, "wishes": wishes, "forget": ForgetMe() in wishes}
    return _answer("meant", key, view, say("1 question: do you mean this?"))


def offered(key: str, name: str, until: int) -> Notice:
    """To an address that the person of that name wants to write from: may they? It can be answered until `until`."""
    return _answer("offered", key, {"name": name, "until": until}, say("1 question: is this address yours?"))


def adopted(key: str, address: str) -> Notice:
    """That an address has agreed to be its reader's."""
    return _answer("adopted", key, {"address": address}, say("OK: an address more"))


def not_confirmed(key: str, kind: str, subject: str, at: int) -> Notice:
    """That a held mail, or the wishes in it (`kind`), which came at `at` (UTC µs), was not confirmed in time."""
    view = {"kind": kind, "subject": subject, "at": at}
    return _answer("dropped", key, view, say("Not confirmed, so not done"))


def denied(key: str, kind: str) -> Notice:
    """That a held mail is done away with, for its owner has not written it; or wishes in one (`kind`), for they are not
    meant."""
    return _answer("denied", key, {"kind": kind}, say("OK: nothing was done"))


def unclear(key: str) -> Notice:
    """That a reply to the question about a held mail says neither yes nor no."""
    return _answer("unclear", key, {}, say("1 question: yes or no?"))


def settled(key: str, state: str, kind: str) -> Notice:
    """That the question which a mail answers, on a hold of that state and kind, is settled or was asked too long ago."""
    return _answer("settled", key, {"state": state, "kind": kind}, say("1 problem: this is settled already"))


def misused(key: str) -> Notice:
    """To the owner of a token, when somebody else's mail bore it."""
    return _answer("misused", key, {}, say("Somebody else has a secret address of yours"))


def no_more(key: str) -> Notice:
    """That an address gets no more answers of a kind that day."""
    return _answer("no_more", key, {}, say("No more answers today"))


def unsubscribed(key: str) -> Notice:
    """That a person gets no more digests."""
    return _answer("unsubscribed", key, {"each": Set("mail", "each")}, say("OK: no more digests"))


def _answer(name: str, key: str, view: dict[str, Any], subject: Say) -> Notice:
    return Notice(f"{name}:{key}", "person", f"mail/{name}.j2", view, subject, "", "answer")


def moved(state: State, name: str, key: str) -> Notice:
    """To where somebody's mails went so far: the keeper has had them go elsewhere."""
    view = {**common(state), "name": name}
    subject = say("%(title)s: your mails go elsewhere now", title=state.title)
    return Notice(f"moved:{key}", "person", "mail/moved.j2", view, subject, "table", "answer")


def set_aside(state: State, name: str, mark: str, mail: Inbound, at: int) -> Notice:
    """To the keeper: our code failed on a player's mail, which came at `at` (UTC µs) and which the host calls `mark`."""
    words = mail.text or ""
    numbers = state.open or (None,)
    meanwhile = say(
        "If you do nothing, deadlines pass as ever. Once the host has tried it again, it counts as having come when it did; "
        "but a vote that is closed by then stays closed, unless it is held again."
    )
    view = {
        **common(state),
        "name": name,
        "mark": mark,
        "id": mail.message_id,
        "at": at,
        "text": words[:LONGEST_SHOWN],
        "cut": len(words) > LONGEST_SHOWN,
        "asked": Asked(tuple(Extend("2d", number, "…") for number in numbers), meanwhile),
    }
    subject = say("%(title)s: a mail of %(name)s is set aside", title=state.title, name=name)
    return Notice(f"aside:{mark}", "keeper", "mail/aside.j2", view, subject, "table", "keeper")


def bouncing(state: State, name: str, key: str, words: str) -> Notice:
    """To the keeper: mails to somebody in the game come back, with these words, and none is sent there until one comes
    from there."""
    meanwhile = say(
        "If you do nothing, the game goes on, and whoever is silent in it is treated as silent. What waits is sent when a "
        "mail comes from there."
    )
    player = state.named(name)
    lines = (Remove(name, "…"),) if player is not None and player.in_game else ()
    view = {**common(state), "name": name, "words": words, "asked": Asked(lines, meanwhile)}
    subject = say("%(title)s: mails to %(name)s come back", title=state.title, name=name)
    return Notice(f"bouncing:{key}", "keeper", "mail/bouncing.j2", view, subject, "table", "keeper")
