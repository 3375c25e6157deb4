"""Every sentence a person sees is in every catalogue, and mails in another language hold no English.

What lives here: the checks of a catalogue, each tried on a planted fault, and a game told in each language.
What never may: a judgement of how well something is said.
"""

from __future__ import annotations

import ast
import html
import inspect
import io
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.frontend import parse_mapping_cfg
from babel.messages.pofile import read_po

from pbem.game.commands import (
    Absent,
    Abstain,
    CallVote,
    Claim,
    CloseVote,
    Correct,
    EndTurn,
    Extend,
    Join,
    OrderClause,
    Propose,
    Remove,
    Rerun,
    Revise,
    Ruling,
    Speak,
    Takeover,
    Vote,
    Withdraw,
)
from pbem.game.model import ClauseName, Say
from pbem.mail import asking, corrections, hearings, notify
from pbem.mail import notice as shared
from pbem.mail.notice import Notice
from pbem.render import languages
from tests.game.conftest import DAY, NAMES, amend, enact
from tests.mail.printing import PRINTER, Mailed, as_html, as_text, flat
from tests.mail.test_hearings import contested, exhausted, unruled

ROOT = Path(__file__).parents[1]
LOCALE = ROOT / "templates" / "locale"
TRANSLATED = [language for language in languages() if language != "en"]
MARKERS = ("say", "Refused")

Sentence = str | tuple[str, ...]
"""An English msgid, or its singular and plural."""


@cache
def sentences() -> frozenset[Sentence]:
    """All that the code and the templates say, found as `pybabel extract` finds it."""
    with (LOCALE / "babel.cfg").open() as mapping:
        methods, options = parse_mapping_cfg(mapping)
    keywords = {**DEFAULT_KEYWORDS, **dict.fromkeys(MARKERS)}
    return frozenset(message for _, _, message, _, _ in extract_from_dir(ROOT, methods, options, keywords))


@cache
def catalogue(language: str) -> Catalog:
    with (LOCALE / language / "LC_MESSAGES" / "pbem.po").open("rb") as file:
        return read_po(file, locale=language, abort_invalid=True)


# ---- the checks ----

_PLACE = re.compile(r"%\((\w+)\)([sd])")


def faults(held: Catalog, wanted: frozenset[Sentence]) -> list[str]:
    """Everything wrong with a catalogue, each fault as its kind and the sentence."""
    messages = {message.id: message for message in held if message.id}
    return [
        *(f"missing: {sentence}" for sentence in wanted - messages.keys()),
        *(f"obsolete: {sentence}" for sentence in [*(messages.keys() - wanted), *held.obsolete]),
        *(f"{kind}: {message.id}" for message in messages.values() for kind in _wrong(message)),
    ]


def _wrong(message: Message) -> Iterator[str]:
    forms, places = _forms(message.string), set(_PLACE.findall(_forms(message.id)[-1]))
    if message.fuzzy:
        yield "fuzzy"
    if not all(forms):
        yield "empty"
    if any(set(_PLACE.findall(form)) != places for form in forms if form):
        yield "places"
    if any("%" in _PLACE.sub("", form).replace("%%", "") for form in forms):
        yield "percent"


def _forms(text: str | Iterable[str] | None) -> tuple[str, ...]:
    """A msgid's singular and plural, a translation's forms; one where the number does not matter."""
    return (text or "",) if isinstance(text, str | None) else tuple(text)


def said(source: str) -> Iterator[ast.expr]:
    """What stands first in each call of a marker."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKERS:
            yield node.args[0]


def hidden(source: str) -> list[str]:
    """Sentences that extraction cannot see: put together or named elsewhere. The `.text` of one said before is seen there."""
    unseen = (node for node in said(source) if not isinstance(node, ast.Constant))
    return [ast.unparse(node) for node in unseen if not ast.unparse(node).endswith(".text")]


def english_left(printed: str, held: Catalog) -> list[str]:
    """The English that still stands in a text: pieces of msgids between their places, four words or longer."""
    text = flat(printed)
    return [
        piece
        for message in held
        for one in _forms(message.id)
        for piece in (part.strip() for part in _PLACE.sub("\0", one).split("\0"))
        if len(re.findall(r"\w+", piece)) > 3 and piece in text
    ]


# ---- the catalogues as they are ----


@pytest.mark.slow
@pytest.mark.parametrize("language", TRANSLATED)
def test_a_catalogue_holds_every_sentence_and_nothing_else_each_of_them_whole(language: str) -> None:
    assert faults(catalogue(language), sentences()) == []


@pytest.mark.slow
def test_every_sentence_in_the_code_is_written_out_where_it_is_said_and_found_there() -> None:
    for file in (ROOT / "pbem").rglob("*.py"):
        source = file.read_text("utf-8")
        assert hidden(source) == [], file
        assert {node.value for node in said(source) if isinstance(node, ast.Constant)} <= sentences(), file


# ---- each check sees the fault it is for ----

WANTED: frozenset[Sentence] = frozenset({"Rule %(number)d is in force.", ("%(num)d rule", "%(num)d rules")})
GOOD = r"""
msgid ""
msgstr "Content-Type: text/plain; charset=utf-8\nPlural-Forms: nplurals=2; plural=(n != 1);\n"

msgid "Rule %(number)d is in force."
msgstr "Regel %(number)d är i kraft."

msgid "%(num)d rule"
msgid_plural "%(num)d rules"
msgstr[0] "%(num)d regel"
msgstr[1] "%(num)d regler"
"""


def small(text: str) -> Catalog:
    return read_po(io.BytesIO(text.encode()), locale="sv", abort_invalid=True)


def test_a_good_catalogue_has_no_fault() -> None:
    assert faults(small(GOOD), WANTED) == []


@pytest.mark.parametrize(("old", "new", "kinds"), [
    ("Rule %(number)d is", "Rule %(number)d was", {"missing", "obsolete"}),
    ('regler"\n', 'regler"\n\nmsgid "Gone."\nmsgstr "Borta."\n', {"obsolete"}),
    ('regler"\n', 'regler"\n\n#~ msgid "Gone."\n#~ msgstr "Borta."\n', {"obsolete"}),
    ('msgid "Rule', '#, fuzzy\nmsgid "Rule', {"fuzzy"}),
    ('"Regel %(number)d är i kraft."', '""', {"empty"}),
    ('msgstr[1] "%(num)d regler"\n', "", {"empty"}),
    ("Regel %(number)d är", "Regeln är", {"places"}),
    ("är i kraft", "är i kraft sedan %(day)s", {"places"}),
    ("%(number)d är", "%(number)s är", {"places"}),
    ("%(num)d regler", "regler", {"places"}),
    ("är i kraft", "är 100 % i kraft", {"percent"}),
    ("är i kraft", "är 100 %% i kraft", set()),
])  # fmt: skip
def test_a_planted_fault_is_found_and_named(old: str, new: str, kinds: set[str]) -> None:
    assert old in GOOD
    found = faults(small(GOOD.replace(old, new)), WANTED)

    assert {fault.partition(":")[0] for fault in found} == kinds


def test_a_sentence_put_together_is_found() -> None:
    assert hidden('say(f"Turn {turn}"); say("Turn " + turn); Refused(why)') == [
        "f'Turn {turn}'",
        "'Turn ' + turn",
        "why",
    ]
    assert hidden('say("One " "sentence."); Refused(_SAID[stage].text)') == []


# ---- a game told in each language ----


def played() -> list[Notice]:
    """Every notice of games with talk, silence, a revision, a withdrawal, a change without effect, a win, cases, a
    claim and corrections."""
    game = Mailed(NAMES[:3], "sv", cooling_time="2h", absence_per_circuit="99d")
    game.wait(8 * DAY)
    game.play("A", amend(203, "Mer än hälften räcker.", "Majoritet", adopted_when="votes_for * 2 > eligible"))
    game.play("B", Speak("Klokt!", 301))
    game.play("C", Speak("Hej allihop."))
    game.play("A", Revise(301, "Mer än hälften avgör.", carry="keep"))
    game.wait(8 * DAY)
    game.turn_of_votes("A", 301, "A")
    game.wait(8 * DAY)
    game.ask("keeper", Extend("2d", 301, "Snö."))
    game.play("B", Absent("2026-12-31"))
    game.ask("guest", Takeover("Zoe Zahl"))
    for name in "BC":
        game.play(name, Vote("for", 301))
    game.wait(DAY)
    game.play("B", enact("Te", "Te serveras klockan fyra."))
    game.play("B", Withdraw())
    voted(game, amend(202, "Två förslag.", "En tur", proposals_per_turn="2", carry="keep"))
    game.play("B", EndTurn())
    game.ask("guest", Join("Eva Ek"))
    game.play("C", enact("Kaffe", "Kaffe serveras klockan tre."))
    voted(game, amend(209, "Högst fem.", "Få regler", most_mutable_rules="5"))
    game.turn_of_votes("C", game.state.last_number - 1, "ABCE")
    game.wait(DAY)
    voted(game, Propose("transmute", 213))
    voted(game, amend(208, "Den som har nio poäng vinner.", "Vinnaren", wins_when="score >= 9"))
    games = (game, undecided(), silent(), corrected(), contested(), exhausted(), unruled(), mended())
    return [notice for each in games for notice in each.notices]


def voted(game: Mailed, change: Propose) -> None:
    """Whoever is on turn proposes the change, and everyone votes for it."""
    game.turn(game.on_turn, change, "".join(player.name[0] for player in game.state.seated))
    game.wait(DAY)


def undecided() -> Mailed:
    """A game whose second vote has no outcome: a number would be divided by nothing."""
    game = Mailed(NAMES[:2], "sv")
    voted(game, amend(203, "Efter andel.", "Andel", adopted_when="round(1, votes_against) > 0"))
    voted(game, enact("Te", "Te serveras klockan fyra."))
    game.ask("keeper", Remove("Bo Berg", "Bo svarar inte."))
    return game


def silent() -> Mailed:
    """A game that stalls in a turn, in a debate and in a vote, each until the keeper is asked."""
    game = Mailed(NAMES[:2], "sv")
    game.wait(9 * DAY)
    game.play("A", enact("Te", "Te serveras klockan fyra."))
    game.wait(9 * DAY)
    game.play("A", CallVote(301))
    game.play("A", Vote("for", 301))
    game.wait(9 * DAY)
    game.ask("keeper", Abstain(301, "Bo är sjuk."))
    return game


def corrected() -> Mailed:
    """A game with a claim that is answered with points, a ruling and another vote."""
    game = Mailed(NAMES[:3], "sv")
    voted(game, enact("Te", "Te serveras klockan fyra."))
    game.play("B", Claim("Alva borde ha fått mer."))
    game.ask("keeper", Correct("Alva Alm", 5, "Summan var fel."))
    game.ask("keeper", Ruling("Te är te."))
    game.ask("keeper", Rerun(301, "Cia kom inte åt sin post."))
    return game


def mended() -> Mailed:
    """A game whose clauses have no value at first: points are not given, and a vote is decided by the keeper."""
    game = Mailed(NAMES[:2], "sv")
    game.ask("keeper", OrderClause(202, "points for the turn: round(number, votes_against)", "Ett försök."))
    voted(game, amend(203, "Efter andel.", "Andel", adopted_when="round(1, votes_against) > 0"))
    voted(game, enact("Te", "Te serveras klockan fyra."))
    game.ask("keeper", CloseVote(302, "Så var det menat.", "adopted"))
    return game


@pytest.fixture(name="told", scope="module")
def _told() -> list[Notice]:
    return played()


def printed(notice: Notice, language: str) -> str:
    """Subject, text and HTML of a notice, as one text."""
    zone = "Europe/Stockholm"
    subject = PRINTER.sentence(notice.subject, language=language, zone=zone)
    page = html.unescape(as_html(notice, language, zone))
    return "\n".join([subject, as_text(notice, language, zone), page])


@pytest.mark.slow
def test_the_game_told_here_gives_rise_to_every_mail_of_a_game(told: list[Notice]) -> None:
    assert {notice.template for notice in told} == set(
        re.findall(
            r'"(mail/\w+\.j2)"',
            "".join(map(inspect.getsource, (shared, notify, asking, hearings, corrections))),
        )
    )


@pytest.mark.slow
@pytest.mark.parametrize("language", TRANSLATED)
def test_no_mail_in_another_language_holds_an_english_sentence(language: str, told: list[Notice]) -> None:
    for notice in told:
        assert english_left(printed(notice, language), catalogue(language)) == [], notice.key


def test_the_clauses_in_a_sentence_have_the_names_that_the_reader_knows() -> None:
    said = Say("%(names)s", {"names": ClauseName("adopted when, judge")})

    assert PRINTER.sentence(said, language="sv", zone="UTC") == "antas när, domare"
    assert PRINTER.sentence(said, language="en", zone="UTC") == str(said) == "adopted when, judge"


@pytest.mark.slow
def test_english_in_a_mail_is_found(told: list[Notice]) -> None:
    for notice in told:
        assert english_left(printed(notice, "en"), catalogue("sv")), notice.key
