"""Whatever needs a human is one mail: its number, the facts, the exact words, the lines that answer, and what is so until then.

What lives here: a story for each kind, read as a keeper reads it, in both languages. What never may: whether an answer does
what it says; the stories of the keeper's commands show that.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import get_args

import pytest

from pbem.game.commands import GiveConsent, GiveVerdict, OfKeeper
from pbem.mail.grammar import read_commands
from pbem.render import Printer
from pbem.service import calendar, process, worker
from tests.flow.post import DAY, GAME, HOUR, MINUTE, TEA, Letter, Post
from tests.flow.test_loops import TestBounces as Returning

FOR_KEEPERS = (*get_args(OfKeeper), GiveVerdict, GiveConsent)
QUESTION = "judgment: Was 301 one change, or two?"
RATIO = """propose amend 203: Twice as many
It takes more than one for each against.

clause adopted when: round(votes_for, votes_against) > 1"""
PARTS = {
    "en": (
        "To the keeper",
        ("Until you answer", "If you do nothing"),
        "There is no deadline for your answer.",
    ),
    "sv": (
        "Till spelledaren",
        ("Tills du svarar", "Om du inte gör något"),
        "Det finns ingen tidsgräns för ditt svar.",
    ),
}
"""How a mail addresses the keeper, begins to say what is so without an answer, and by when one is wanted."""


def silent_voter(post: Post) -> None:
    post.propose("Alice", TEA)
    post.vote(301, Alice="for", Bo="for")
    post.wait(9 * DAY)


def silent_debater(post: Post) -> None:
    post.mail("Alice", f"{TEA}\nend\n")
    post.wait(9 * DAY)


def silent_mover(post: Post) -> None:
    post.wait(9 * DAY)


def vote_without_outcome(post: Post) -> None:
    post.turn("Alice", RATIO, Alice="for", Bo="for", Cia="for")
    post.turn("Bo", TEA, Alice="for", Bo="for", Cia="for")


def clause_without_value(post: Post) -> None:
    post.pbem.done("do", GAME, "clause 202 points for the turn: round(number, votes_against)")
    post.turn("Alice", TEA, Alice="for", Bo="for", Cia="for")


def impasse(post: Post) -> None:
    post.pbem.done("do", GAME, "clause 114 change stays possible: none")
    everybody = {"Alice": "for", "Bo": "for", "Cia": "for"}
    post.turn("Alice", "propose transmute 213", **everybody)
    post.turn("Bo", "propose repeal 203", **everybody)


def claim(post: Post) -> None:
    post.propose("Alice", TEA)
    post.vote(301, Alice="for", Bo="Jag röstar ja på 301", Cia="301: no")
    post.mail("Cia", "claim: I wrote no to the tea, and it was to be no to the other one.")


def late_ballot(post: Post) -> None:
    post.propose("Alice", TEA)
    post.vote(301, Alice="for", Bo="for", Cia="for")
    before = format_datetime(datetime.fromtimestamp((post.now - MINUTE) / 1e6 - 90, UTC))
    post.answer("Bo", post.compose("Bo", "301: no!", Date=before), at=post.now + MINUTE)


def silent_judge(post: Post) -> None:
    post.propose("Alice", TEA)
    post.mail("Bo", QUESTION)
    post.wait(5 * DAY)


def paradox(post: Post) -> None:
    post.propose("Alice", TEA)
    post.mail("Bo", QUESTION)
    post.mail("Cia", "verdict paradox: It is and is not.", re="J1")
    post.vote(301, Alice="for", Bo="for", Cia="for")
    for name in ("Alice", "Cia"):
        post.mail(name, "consent")
    post.propose("Bo", TEA)


def nobody_left_to_judge(post: Post) -> None:
    post.propose("Alice", TEA)
    post.mail("Bo", QUESTION)
    post.mail("Cia", "verdict legal: One rule.", re="J1")
    for name in ("Alice", "Bo"):
        post.mail(name, "overrule J1")
    post.mail("Bo", "verdict legal J1: It is one rule all the same.")
    for name in ("Alice", "Cia"):
        post.mail(name, "overrule J1")


def missing_consent(post: Post) -> None:
    post.propose("Alice", TEA)
    post.mail("Bo", QUESTION)
    post.mail("Cia", "verdict legal: One rule.", re="J1")
    post.vote(301, Alice="for", Bo="for", Cia="for")
    post.wait(5 * DAY)


def seat_asked(post: Post) -> None:
    post.mail("Zoe", "takeover as Zoe Zell", subject=f"[{GAME}]")


def mail_returned(post: Post) -> None:
    for _ in range(5):
        Returning().bounce(post, Returning().return_path(post, "Bo"))


def mail_set_aside(post: Post) -> None:
    """Our code fails on whatever answers Bo; that it is a receipt which cannot be printed is as good as any fault."""
    post.propose("Alice", TEA)
    real = Printer.text

    def failing(self: Printer, template: str, *rest: object, **reading: object) -> str:
        if template == "mail/receipt.j2":
            raise RuntimeError("a fault of ours")
        return real(self, template, *rest, **reading)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Printer, "text", failing)
        post.take(post.compose("Bo", "against 301\nI like coffee better."))
        process.work_off(post.host, post.now + HOUR)
        process.work_off(post.host, post.now + 2 * HOUR)
    calendar.tick(post.host, post.now)
    worker.send_all(post.host, lambda: post.now)


@dataclass(frozen=True)
class Kind:
    """What needs the keeper: the number in its subject, and what the mail shows in any language: facts, and exact words."""

    story: Callable[[Post], None]
    number: str
    facts: tuple[str, ...]
    words: tuple[str, ...] = ()


KINDS = [
    Kind(silent_voter, "301", ("Cia Crane", "8 ", "2026")),
    Kind(silent_debater, "301", ("Alice Ahlgren", "8 ", "2026")),
    Kind(silent_mover, "1", ("Alice Ahlgren", "8 ", "2026")),
    Kind(vote_without_outcome, "302", ("301",), ("round(votes_for, votes_against) > 1",)),
    Kind(clause_without_value, "", ("202", "301"), ("round(number, votes_against)",)),
    Kind(impasse, "302", ("203",)),
    Kind(
        claim,
        "C1",
        ("Cia Crane", "301", "Bo Berg"),
        ("I wrote no to the tea, and it was to be no to the other one.", "Jag röstar ja på 301", "301: no"),
    ),
    Kind(late_ballot, "301", ("Bo Berg", "10:0"), ("301: no!",)),
    Kind(silent_judge, "J1", ("Cia Crane", "2026"), ("Was 301 one change, or two?",)),
    Kind(paradox, "J1", (), ("Was 301 one change, or two?", "It is and is not.")),
    Kind(
        nobody_left_to_judge,
        "J1",
        ("Alice Ahlgren", "Bo Berg"),
        ("Was 301 one change, or two?", "It is one rule all the same."),
    ),
    Kind(missing_consent, "1", ("Alice Ahlgren", "Cia Crane", "Bo Berg"), ("Was 301 one change, or two?",)),
    Kind(seat_asked, "", ("Zoe Zell",)),
    Kind(mail_returned, "", ("Bo Berg",), ("Undelivered",)),
    Kind(mail_set_aside, "", ("Bo Berg", "in"), ("against 301", "I like coffee better.")),
]


@pytest.fixture(params=PARTS)
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def asked(post: Post, language: str) -> Letter:
    """The newest mail in which the keeper is asked something."""
    found = [letter for letter in post.inbox("Kim") if PARTS[language][2] in letter.words]
    assert found, [letter.subject for letter in post.inbox("Kim")]
    return found[-1]


def offered(letter: Letter) -> list[str]:
    """The lines of a mail that can be sent as they stand."""
    return [line.strip() for line in letter.text.splitlines() if line.startswith("    ")]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.story.__name__)
def test_the_keeper_has_all_it_takes_to_answer(post: Post, kind: Kind, language: str) -> None:
    post.found("Alice", "Bo", "Cia", language=language)
    kind.story(post)
    letter = asked(post, language)
    to_keeper, meanwhile, _ = PARTS[language]

    assert kind.number in letter.subject
    assert to_keeper in letter.words
    unquoted = " ".join(re.sub(r"(?m)^ *> ", "", letter.text).split())
    assert [fact for fact in kind.facts if fact not in unquoted] == []
    assert [words for words in kind.words if words not in unquoted] == []
    assert any(begins in letter.words for begins in meanwhile), "what is so until an answer comes"
    lines = [line for text in offered(letter) for line in read_commands(text).commands]
    answers = [line.command for line in lines if isinstance(line.command, FOR_KEEPERS)]
    assert answers, "words to reply with"


def test_whose_mail_is_held_is_asked_in_the_same_way(post: Post, language: str) -> None:
    """The facts, the exact words, the lines that answer, what is so without an answer, and by when."""
    post.found("Alice", "Bo", "Cia", language=language)
    post.propose("Alice", TEA)
    post.take(post.compose("Bo", "against 301\nI like coffee better."), source="lmtp 127.0.0.1")
    letter = post.inbox("Bo")[-1]
    no, dropped = {"en": ("NO", "it is dropped then"), "sv": ("NEJ", "då kastas det")}[language]

    assert "> I like coffee better." in letter.text
    assert {"OK", no} <= set(offered(letter))
    assert dropped in letter.words
    assert "10:02:00 UTC" in letter.words, "held for two days"


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.story.__name__)
def test_what_a_keeper_reads_as_html_says_the_same(post: Post, kind: Kind) -> None:
    post.found("Alice", "Bo", "Cia")
    kind.story(post)
    letter = asked(post, "en")
    shown = " ".join(letter.shown.split())
    assert [words for words in (*kind.facts, *kind.words, *offered(letter)) if words not in shown] == []
