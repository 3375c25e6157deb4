"""The words players use, one table a language (a third language is a third table), and the help drawn from them.

What lives here: the tables together, and their forms as a person reads them. What never may: reading a line,
or building a command.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from pbem.game.model import KINDS, Say, say
from pbem.mail.english import ENGLISH
from pbem.mail.swedish import SWEDISH
from pbem.mail.vocabulary import Language, Vocabulary

LANGUAGES: tuple[Language, ...] = ("en", "sv")

PLACE = re.compile(r"\{(\w+)\}")

GERMAN = Vocabulary(
    choices={"for": ("dafür", "ja", "für"), "against": ("dagegen", "nein", "gegen")},
    doubt={"loud": ("ja", "nein", "dafür", "dagegen")},
)
"""Recognised on ballots only; no mail goes out in it."""

SIGNS = Vocabulary(choices={"for": ("+1",), "against": ()}, doubt={"loud": ("+1", "-1")})
"""No language at all."""

VOCABULARY: Mapping[Language, Vocabulary] = {"en": ENGLISH, "sv": SWEDISH}


def words_of(language: str) -> Language:
    """The language whose words a reader of `language` is offered: English, while theirs has no table of its own."""
    return next((known for known in LANGUAGES if known == language), "en")


ALL: tuple[Vocabulary, ...] = (ENGLISH, SWEDISH, GERMAN, SIGNS)

_SAID_OF_SEVERAL = [
    (tuple(words.split()), meaning)
    for table in ALL
    for meaning, forms in table.those.items()
    for words in forms
]
THOSE: Mapping[tuple[str, ...], str] = dict(sorted(_SAID_OF_SEVERAL, key=lambda said: -len(said[0])))
"""What stands for several proposals → which are meant; the longest first: `all of these` before `all`."""

HELP: tuple[tuple[Say, tuple[str, ...]], ...] = (
    (say("join the game, or watch it"), ("join", "observe")),
    (say("propose a rule change"), KINDS),
    (say("see what a change would do, before you propose it"), tuple(f"check {kind}" for kind in KINDS)),
    (say("say what becomes of a rule’s clauses, when you are asked"), ("keep", "drop")),
    (say("change your proposal, end its debate, take it back"), ("revise", "call vote", "withdraw")),
    (say("vote, take your vote back"), ("vote", "vote if", "vote as", "retract")),
    (say("end your turn"), ("end turn",)),
    (
        say("go to judgment; as the Judge, answer; let a verdict stand or not, and the next turn begin"),
        ("judgment", "verdict", "overrule", "uphold", "consent"),
    ),
    (say("say that a result is wrong"), ("claim",)),
    (say("write to your team alone"), ("press",)),
    (say("be away for a while, and come back"), ("absent", "back")),
    (say("leave the game"), ("forfeit", "forfeit for good")),
    (say("take over a seat that is abandoned"), ("takeover",)),
    (
        say("ask"),
        (
            "status",
            "rules",
            "rule",
            "history",
            "rules between",
            "scores",
            "proposals",
            "cases",
            "log",
            "help",
        ),
    ),
    (say("change your settings"), ("language", "zone", "mail", "html")),
    (
        say("write from another address, or from one less; leave every game and be forgotten"),
        ("add address", "remove address", "forget me"),
    ),
    (say("start the game (keeper)"), ("start",)),
    (
        say("go on when somebody is silent (keeper)"),
        ("extend", "close", "abstain", "pass turn", "remove", "replace"),
    ),
    (
        say("put a result right, or decide in words (keeper)"),
        ("correct", "void", "rerun", "undo", "ruling", "order clause"),
    ),
    (
        say("tell everyone something, or let somebody else keep the game (keeper)"),
        ("announce", "pass keepership"),
    ),
    (
        say("say who plays, speak for somebody, send their mails elsewhere (keeper)"),
        ("invite", "admit", "say for", "address"),
    ),
    (
        say("let the game stand still, go on, be played on after a win, or end (keeper)"),
        ("pause", "resume", "continue", "end game"),
    ),
    (say("judge a case anew, or name who has won (keeper)"), ("reopen", "winner")),
)


def shown(form: str, language: Language, **known: object) -> str:
    """A form as a person reads it: `for/against <NUMBER>`. A place named in `known` gets that value.

    The angle brackets see to it that an example sent back unchanged does nothing.
    """
    table = VOCABULARY[language]

    def fill(place: re.Match[str]) -> str:
        name = place[1]
        if name in known:
            return str(known[name])
        if name in ("choice", "otherwise"):
            return "/".join(words[0] for words in table.choices.values())
        if name == "those":
            return "/".join(words[0] for words in table.those.values())
        if name in table.values:
            return "/".join(words[0] for words in table.values[name].values())
        return f"<{table.places[name]}>"

    return PLACE.sub(fill, form)


def help_table(language: Language) -> tuple[tuple[Say, tuple[str, ...]], ...]:
    """What may be written, by want: (the want, its forms in `language`), in the order of help."""
    return tuple(
        (want, tuple(shown(form, language) for act in acts for form in _forms(act, language)))
        for want, acts in HELP
    )


def _forms(act: str, language: Language) -> tuple[str, ...]:
    """The forms of an act; those of a check are shown for the first way to say each."""
    table = VOCABULARY[language]
    if act in table.forms:
        return table.forms[act]
    return (f"{table.check} {table.forms[act.removeprefix('check ')][0]}",)
