"""Letters outside the course of a game: the invitation, and answers to mail that reached no game.

What lives here: their templates and values. What never may: telling a stranger anything about a game.
"""

from __future__ import annotations

from collections.abc import Sequence

from pbem.game.commands import Ask, Join, Observe, Press
from pbem.game.model import Player, say
from pbem.game.state import State
from pbem.game.turns import order
from pbem.mail.notice import Notice, common
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


TEAM = "team"
"""The thread of what team-mates write to each other."""


def to_team(state: State, key: str, sender: Player, mates: tuple[int, ...], press: Press) -> Notice:
    """A player's words to the team-mates `mates`, and to nobody else (210)."""
    view = {**common(state), "name": sender.name, "team": sender.team, "press": press}
    subject = say("Team %(team)s: %(name)s writes", team=sender.team, name=sender.name)
    return Notice(f"team:{key}", mates, "mail/team.j2", view, subject, TEAM, "answer")


def to_stranger(key: str, language: Language) -> Notice:
    """To somebody with no seat anywhere, in answer to the mail `key`: who we are and how to get in."""
    _, forms = help_table(language)[0]
    subject = say("This address plays Nomic")
    return Notice(f"stranger:{key}", "person", "mail/stranger.j2", {"forms": forms}, subject, "", "answer")


def which_game(key: str, games: Sequence[tuple[str, str]]) -> Notice:
    """The question which of the sender's games (name, title) the mail `key` is meant for."""
    subject = say("1 question: which game?")
    view = {"games": tuple(games)}
    return Notice(f"which:{key}", "person", "mail/which_game.j2", view, subject, "", "answer")


def too_long(key: str, most: int) -> Notice:
    """The answer to a mail of which no more than `most` bytes would be read: kept, and nothing in it done."""
    view = {"most": most // 1024, "help": Ask("help")}
    subject = say("1 problem: your mail is too long")
    return Notice(f"long:{key}", "person", "mail/too_long.j2", view, subject, "", "answer")


def rewritten(key: str, subject: str) -> Notice:
    """To the registered address, when a mail came under the Message-ID of an earlier one of theirs with other words."""
    asked = say("1 problem: a second mail with the name of the first")
    return Notice(
        f"rewritten:{key}", "person", "mail/rewritten.j2", {"subject": subject}, asked, "", "answer"
    )


def unproven(key: str, subject: str) -> Notice:
    """To the registered address, when a mail came in its name and nothing proves that its owner wrote it."""
    view = {"subject": subject}
    return Notice(
        f"unproven:{key}",
        "person",
        "mail/unproven.j2",
        view,
        say("1 problem: did you write this?"),
        "",
        "answer",
    )
