"""Acts and commands: what a matched line asks of the game.

What lives here: the tables from acts to commands, which phrasing.py reads the other way round. What never may: reading lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal, cast

from pbem.game.changes import WITH_TEXT
from pbem.game.commands import (
    Absent,
    Abstain,
    AddAddress,
    Admit,
    Announce,
    Ask,
    AsPlayer,
    Back,
    CallVote,
    CarryClauses,
    ChangeAddress,
    Check,
    Claim,
    CloseVote,
    Command,
    Compare,
    Continue,
    Correct,
    EndGame,
    EndTurn,
    Extend,
    Forfeit,
    ForgetMe,
    GiveConsent,
    GiveVerdict,
    GoToJudgment,
    Invite,
    Join,
    NameWinner,
    Observe,
    OrderClause,
    Overrule,
    PassKeepership,
    PassTurn,
    Pause,
    Press,
    Propose,
    Remove,
    RemoveAddress,
    Reopen,
    Replace,
    Rerun,
    Resume,
    RetractVote,
    Revise,
    Ruling,
    SayFor,
    Set,
    Start,
    Takeover,
    Undo,
    Uphold,
    Void,
    Vote,
    Withdraw,
)
from pbem.game.model import KINDS, Choice, Finding, Kind
from pbem.game.proposals import Conditional
from pbem.mail.forms import Match
from pbem.mail.proposal_text import NO_TEXT, Written
from pbem.mail.tree import CHECK, SAY_FOR, VALUES
from pbem.mail.words import VOCABULARY

_NUMBERED: Mapping[str, Callable[[int | None], Command]] = {
    "withdraw": Withdraw,
    "retract": RetractVote,
}
_BARE: Mapping[str, Callable[[], Command]] = {
    "observe": Observe,
    "start": Start,
    "end turn": EndTurn,
    "forfeit": Forfeit,
}
_CARRY: Mapping[str, Literal["keep", "drop"]] = {"keep": "keep", "drop": "drop"}
FIELDS: Mapping[str, tuple[Callable[..., Command], Mapping[str, str]]] = {
    "add address": (AddAddress, {"address": "address"}),
    "remove address": (RemoveAddress, {"address": "address"}),
    "forget me": (ForgetMe, {}),
    "press": (Press, {"words": "text"}),
    "judgment": (GoToJudgment, {"question": "question"}),
    "verdict": (GiveVerdict, {"finding": "finding", "case": "case", "words": "text"}),
    "overrule": (Overrule, {"case": "case"}),
    "uphold": (Uphold, {"case": "case"}),
    "consent": (GiveConsent, {}),
    "reopen": (Reopen, {"case": "case", "why": "why"}),
    "winner": (NameWinner, {"who": "name", "words": "why"}),
    "call vote": (CallVote, {"number": "number", "why": "why"}),
    "absent": (Absent, {"date": "until", "player": "name", "why": "why"}),
    "back": (Back, {}),
    "takeover": (Takeover, {"name": "name"}),
    "extend": (Extend, {"time": "time", "number": "number", "why": "why"}),
    "close": (CloseVote, {"number": "number", "ending": "outcome", "why": "why"}),
    "abstain": (Abstain, {"number": "number", "why": "why"}),
    "pass turn": (PassTurn, {"why": "why"}),
    "remove": (Remove, {"player": "name", "why": "why"}),
    "replace": (Replace, {"player": "name", "by": "by", "why": "why"}),
    "rules between": (Compare, {"turn": "first", "until": "last"}),
    "claim": (Claim, {"words": "text"}),
    "correct": (Correct, {"player": "name", "points": "points", "why": "why"}),
    "void": (Void, {"number": "number", "why": "why"}),
    "rerun": (Rerun, {"number": "number", "why": "why"}),
    "ruling": (Ruling, {"words": "text"}),
    "announce": (Announce, {"words": "text"}),
    "pass keepership": (PassKeepership, {"player": "name", "why": "why"}),
    "pause": (Pause, {"why": "why"}),
    "resume": (Resume, {"why": "why"}),
    "invite": (Invite, {"guest": "name", "mailbox": "address", "why": "why"}),
    "admit": (Admit, {"player": "name", "why": "why"}),
    "address": (ChangeAddress, {"player": "name", "mailbox": "address", "why": "why"}),
    "continue": (Continue, {"why": "why"}),
    "end game": (EndGame, {"why": "why"}),
    "undo": (Undo, {"event": "event", "why": "why"}),
}
"""Commands whose fields stand in the places of their forms: place → field."""
ACT_WITH_FIELDS: Mapping[object, str] = {make: act for act, (make, _) in FIELDS.items()}
_IN_PARAGRAPHS = ("question", "words")
"""Places whose words go on in the lines below, up to an empty one: mail programs break long lines."""
ACT_OF: Mapping[object, str] = {make: act for acts in (_NUMBERED, _BARE) for act, make in acts.items()}
_BECAUSE = re.compile(
    rf"(?<!\s)\s+(?:{'|'.join(table.because for table in VOCABULARY.values())})[:\s]\s*", re.IGNORECASE
)
"""What stands before a reason."""
_TOPICS_BY_WORD = {word: topic for table in VOCABULARY.values() for topic, word in table.topics.items()}
TOPICS = ("status", "rules", "rule", "history", "scores", "proposals", "cases", "log", "help")
SETTINGS = ("language", "zone", "mail", "html")


def spoken(found: Match) -> Match:
    """The line itself, or the command in it that is said for somebody else."""
    inner: Match = found.values.get("command", found)
    return inner


def takes_text(act: str) -> bool:
    """Whether the lines after belong to it."""
    return act == "revise" or act.removeprefix(CHECK) in WITH_TEXT


def open_place(found: Match) -> str | None:
    """The place of the line whose words go on in the lines below, None if there is none."""
    return next((place for place in _IN_PARAGRAPHS if place in spoken(found).values), None)


def with_words(found: Match, place: str, words: str) -> Match:
    """The match with other words in a place of it."""
    inner = spoken(found)
    other = replace(inner, values={**inner.values, place: words})
    return other if inner is found else replace(found, values={**found.values, "command": other})


def amends(act: str) -> bool:
    """Whether its text takes the place of one that may carry clauses."""
    return takes_text(act) and not act.endswith("enact")


def commands_of(found: Match, said: str = "", written: Written = NO_TEXT) -> tuple[Command, ...]:
    """What the line asks: one command, or a ballot for each number named. `written` is the text under it."""
    values, act = found.values, found.act
    if act == SAY_FOR:
        inner = commands_of(values["command"], said, written)
        return tuple(SayFor(values["player"], command, said) for command in inner)
    if act in _CHOICES:
        numbers = values.get("numbers") or (values.get("those"),)
        return tuple(Vote(_CHOICES[act](values), number, said) for number in numbers)
    if act.startswith(CHECK):
        return (Check(_proposal(cast("Kind", act.removeprefix(CHECK)), values, written)),)
    if act in KINDS:
        return (_proposal(act, values, written),)
    return (_plain(act, values, written),)


def _conditional(values: Mapping[str, Any]) -> Conditional:
    return Conditional(values["choice"], values["on"], values["outcome"] == "passes", values.get("otherwise"))


_CHOICES: Mapping[str, Callable[[Mapping[str, Any]], Choice | Conditional | AsPlayer]] = {
    "vote": lambda values: values["choice"],
    "vote if": _conditional,
    "vote as": lambda values: AsPlayer(values.get("name") or values["player"]),
}


def _proposal(kind: Kind, values: Mapping[str, Any], written: Written) -> Propose:
    target, title = values.get("rule"), values.get("title", "")
    if kind not in WITH_TEXT:
        return Propose(kind, target, title)
    return Propose(kind, target, title, written.text, written.clauses, written.carry)


def _plain(act: str, values: Mapping[str, Any], written: Written) -> Command:
    if act == "revise":
        return Revise(
            values.get("number"), written.text, values.get("title", ""), written.clauses, written.carry
        )
    if act == "join":
        return Join(values.get("name", ""), values.get("team"))
    if act in TOPICS:
        about = str(values.get("rule", values.get("word", ""))).lower()
        return Ask(cast("Any", act), _TOPICS_BY_WORD.get(about, about) if act == "help" else about)
    if act in SETTINGS:
        return Set(cast("Any", act), values.get("word") or values[act])
    if act == "verdict" and "finding" not in values:
        return _verdict(values)
    if act == "order clause":
        clause, *why = _with_reason(values["words"])
        return OrderClause(values["rule"], clause, *why)
    if act == "forfeit for good":
        return Forfeit(for_good=True)
    if act in _CARRY:
        return CarryClauses(_CARRY[act])
    if act in FIELDS:
        make, fields = FIELDS[act]
        return make(**{field: values[place] for place, field in fields.items() if place in values})
    if act in _NUMBERED:
        return _NUMBERED[act](values.get("number"))
    return _BARE[act]()


def _with_reason(words: str) -> list[str]:
    """A clause, and the reason behind it if there is one. A word inside of quotes is the clause's."""
    quotes, begin = words.count('"'), 0
    for found in _BECAUSE.finditer(words):
        quotes -= words.count('"', begin, found.end())
        begin = found.end()
        if quotes % 2 == 0:
            return [words[: found.start()], words[found.end() :]]
    return [words]


def _verdict(values: Mapping[str, Any]) -> GiveVerdict:
    """`verdict: paradox. It is and is not.`: the finding may be the first word after the colon."""
    first, _, rest = values["words"].partition(" ")
    finding = VALUES["finding"].get(first.strip(".,:;!–-").lower())
    text = rest.lstrip(" :;,–-") if finding else values["words"]
    return GiveVerdict(cast("Finding | None", finding), values.get("case"), text)
