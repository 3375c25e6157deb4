"""The names of the quantities a rule can carry, with the type of each value and what its expression may read.

What lives here: tables of words. What never may: a quantity's value; those are in the rules in force.
Only the house rules (matters that no rule of the set orders) have a value here, for a new game to start from.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import Literal

Type = Literal["int", "bool", "text", "time"]
Scope = Literal["book", "game", "vote", "player", "voter", "case"]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A clause's name, its value's type, the variables it may read (`scope`), its Swedish name, its words if few."""

    name: str
    type: Type
    scope: Scope
    swedish: str
    words: tuple[str, ...] = ()


CLAUSES: tuple[Quantity, ...] = (
    Quantity("first number", "int", "game", "första nummer"),
    Quantity("eligible", "bool", "player", "röstberättigad när"),
    Quantity("ballot required", "bool", "player", "röst krävs"),
    Quantity("ballots each", "int", "player", "röster per spelare"),
    Quantity("adopted when", "bool", "vote", "antas när"),
    Quantity("transmuted when", "bool", "vote", "transmuteras när"),
    Quantity("takes effect", "text", "vote", "börjar gälla", ("at close",)),
    Quantity("points when defeated", "int", "voter", "poäng vid avslag"),
    Quantity("points for dissent", "int", "voter", "poäng för motröst"),
    Quantity("points for the turn", "int", "voter", "poäng för turen"),
    Quantity("wins when", "bool", "player", "vinner när"),
    Quantity("starting points", "int", "game", "startpoäng"),
    Quantity("turn order", "text", "game", "turordning", ("surname", "joined", "name", "score")),
    Quantity("proposals per turn", "int", "player", "förslag per tur"),
    Quantity("who may propose", "text", "player", "vem får föreslå", ("turn", "anyone")),
    Quantity("most mutable rules", "int", "game", "högst antal föränderliga"),
    Quantity("fewest mutable rules", "int", "game", "minst antal föränderliga"),
    Quantity("judge", "text", "game", "domare", ("preceding", "random", "keeper")),
    Quantity("judgment overruled when", "bool", "case", "dom upphävs när"),
    Quantity("next turn waits for", "bool", "case", "nästa tur väntar på"),
    Quantity("precedence", "text", "book", "företräde", ("lowest", "highest", "newest")),
    Quantity("immutable protected", "bool", "game", "oföränderlig skyddas"),
    Quantity("transmutation outright", "bool", "game", "transmutering uttrycklig"),
    Quantity("immutable first", "bool", "book", "oföränderlig först"),
    Quantity("winning protected", "bool", "game", "vinst skyddas"),
    Quantity("change stays possible", "bool", "game", "ändring förblir möjlig"),
    Quantity("winner on impasse", "bool", "game", "vinnare vid låst spel"),
    Quantity("everyone votes", "bool", "game", "alla röstar"),
    Quantity("text kept", "bool", "game", "text bevaras"),
    Quantity("nothing backwards", "bool", "game", "inget retroaktivt"),
)

GOES_ON = ("first number", "takes effect", "turn order", "proposals per turn", "who may propose")
"""Matters that go on as they last were when no rule orders them any more."""

HOUSE_RULES: tuple[tuple[Quantity, str], ...] = (
    (Quantity("proposal time", "time", "game", "förslagstid"), "7d"),
    (Quantity("debate time", "time", "game", "debattid"), "7d"),
    (Quantity("voting time", "time", "game", "rösttid"), "7d"),
    (Quantity("cooling time", "time", "game", "ångertid"), "12h"),
    (Quantity("judging time", "time", "game", "domstid"), "3d"),
    (Quantity("consent time", "time", "game", "samtyckestid"), "3d"),
    (Quantity("grace", "time", "game", "respit"), "1d"),
    (Quantity("claim window", "time", "game", "invändningstid"), "3d"),
    (Quantity("hold time", "time", "game", "väntetid"), "48h"),
    (Quantity("dispute time", "time", "game", "tvistetid"), "0"),
    (Quantity("silence", "text", "game", "tystnad", ("wait", "abstain", "against", "for")), "wait"),
    (Quantity("ballots shown", "text", "game", "röster visas", ("close", "at once")), "close"),
    (Quantity("zone", "text", "game", "tidszon"), "UTC"),
    (Quantity("quiet days", "text", "game", "vilodagar"), ""),
    (Quantity("absence per circuit", "time", "game", "frånvaro per varv"), "14d"),
)
"""Each house rule with the value a new game gets unless the keeper sets another."""

QUANTITIES: dict[str, Quantity] = {q.name: q for q in (*CLAUSES, *(house for house, _ in HOUSE_RULES))}

_BY_WORDS = {words.casefold(): q.name for q in QUANTITIES.values() for words in (q.name, q.swedish)}

POINTS = "points"
"""What an award gives when it gives no counter of the players' own."""

EVENTS: dict[str, tuple[str, ...]] = {
    "proposed": ("proponent", "everyone"),
    "adopted": ("proponent", "voters", "dissenters", "player", "everyone"),
    "defeated": ("proponent", "voters", "dissenters", "player", "everyone"),
    "voted": ("voters", "dissenters", "proponent", "player", "everyone"),
    "turn end": ("player", "everyone"),
    "circuit end": ("everyone",),
    "judged": ("judge", "player", "everyone"),
    "joined": ("player", "everyone"),
}
"""What can happen, and who can be given something then. `player` is the one whose turn it is (of `joined`:
who joined), `voters` all who cast a ballot, `dissenters` those who cast it against."""

ABOUT_A_VOTE = ("proposed", "adopted", "defeated", "voted")

_COUNTER = re.compile(r"(?:counter|räknare) ([a-zåäö_][\wåäö]{0,29})\Z")
_ON_EVENT = re.compile(rf"on ({'|'.join(EVENTS)}) give (\w+) ([a-zåäö_][\wåäö]{{0,29}})\Z")


@dataclass(frozen=True, slots=True)
class Gift:
    """`on EVENT give WHO WHAT`: `what` is "points" or the name of a counter."""

    event: str
    who: str
    what: str


def counter_of(name: str) -> str | None:
    """The counter that a clause of this name declares."""
    found = _COUNTER.match(name)
    return found[1] if found else None


def gift_of(name: str) -> Gift | None:
    """The award on an event that a clause of this name makes, None for another or for a receiver the event has not."""
    found = _ON_EVENT.match(name)
    return Gift(found[1], found[2], found[3]) if found and found[2] in EVENTS[found[1]] else None


def each_counts(name: str) -> bool:
    """Whether the clauses of this name count side by side, whatever their rank: any true `wins when` wins, and every
    award on an event is made."""
    return name == "wins when" or gift_of(name) is not None


def quantity(name: str) -> Quantity | None:
    """What a clause of this English name is about, counters and awards on events included."""
    if name in QUANTITIES:
        return QUANTITIES[name]
    if counter_of(name):
        return Quantity(name, "int", "game", name)
    gift = gift_of(name)
    if gift is None:
        return None
    return Quantity(name, "int", "voter" if gift.event in ABOUT_A_VOTE else "player", name)


def clause_name(words: str) -> str | None:
    """The English name of the clause that `words` names in either language, in any case; None if there is none.

    `counter NAME` and `on EVENT give WHO WHAT` are names too.
    """
    folded = " ".join(words.casefold().split())
    if folded in _BY_WORDS:
        return _BY_WORDS[folded]
    if counter := _COUNTER.match(folded):
        return f"counter {counter[1]}"
    return folded if gift_of(folded) else None


def nearest_clause(words: str) -> str:
    """The clause name (in either language) that looks most like `words`."""
    folded = " ".join(words.casefold().split())
    return difflib.get_close_matches(folded, _BY_WORDS, n=1, cutoff=0.0)[0]


def shown_name(name: str, language: str) -> str:
    """A clause's name as a reader of `language` ("sv", "en") knows it."""
    if language == "sv" and name in QUANTITIES:
        return QUANTITIES[name].swedish
    return name
