"""Acts and commands: what a matched line asks of the game, and the line that asks it.

What lives here: the two directions of one table, `commands_of` and `phrase`. What never may: reading lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, Literal, cast

from pbem.game.changes import WITH_TEXT
from pbem.game.codec import kind_of
from pbem.game.commands import (
    Absent,
    Abstain,
    AddAddress,
    Announce,
    Ask,
    AsPlayer,
    Back,
    CallVote,
    CarryClauses,
    Check,
    Claim,
    CloseVote,
    Command,
    Compare,
    Correct,
    EndTurn,
    Extend,
    Forfeit,
    ForgetMe,
    GiveConsent,
    GiveVerdict,
    GoToJudgment,
    Join,
    NameWinner,
    Observe,
    OrderClause,
    Overrule,
    PassKeepership,
    PassTurn,
    Press,
    Propose,
    Remove,
    RemoveAddress,
    Reopen,
    Replace,
    Rerun,
    RetractVote,
    Revise,
    Ruling,
    Scheduled,
    Set,
    Speak,
    Start,
    Takeover,
    Undo,
    Uphold,
    Void,
    Vote,
    Withdraw,
)
from pbem.game.model import KINDS, Choice, Clause, Finding, Kind, Say
from pbem.game.proposals import Conditional
from pbem.game.ruleset import read_clause
from pbem.game.vocabulary import shown_name
from pbem.mail.forms import CHECK, VALUES, Match
from pbem.mail.proposal_text import NO_TEXT, Written
from pbem.mail.vocabulary import Language
from pbem.mail.words import PLACE, VOCABULARY, words_of

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
_FIELDS: Mapping[str, tuple[Callable[..., Command], Mapping[str, str]]] = {
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
    "undo": (Undo, {"event": "event", "why": "why"}),
}
"""Commands whose fields stand in the places of their forms: place → field."""
_ACT_WITH_FIELDS: Mapping[object, str] = {make: act for act, (make, _) in _FIELDS.items()}
_IN_PARAGRAPHS = ("question", "words")
"""Places whose words go on in the lines below, up to an empty one: mail programs break long lines."""
_ACT_OF: Mapping[object, str] = {make: act for acts in (_NUMBERED, _BARE) for act, make in acts.items()}
_BECAUSE = re.compile(
    rf"\s+(?:{'|'.join(table.because for table in VOCABULARY.values())})[:\s]\s*(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)",
    re.IGNORECASE,
)
"""What stands before a reason, outside of a text in quotes."""
_TOPICS_BY_WORD = {word: topic for table in VOCABULARY.values() for topic, word in table.topics.items()}
TOPICS = ("status", "rules", "rule", "history", "scores", "proposals", "cases", "log", "help")
SETTINGS = ("language", "zone", "mail", "html")


def takes_text(act: str) -> bool:
    """Whether the lines after belong to it."""
    return act == "revise" or act.removeprefix(CHECK) in WITH_TEXT


def open_place(found: Match) -> str | None:
    """The place of the line whose words go on in the lines below, None if there is none."""
    return next((place for place in _IN_PARAGRAPHS if place in found.values), None)


def amends(act: str) -> bool:
    """Whether its text takes the place of one that may carry clauses."""
    return takes_text(act) and not act.endswith("enact")


def commands_of(found: Match, said: str = "", written: Written = NO_TEXT) -> tuple[Command, ...]:
    """What the line asks: one command, or a ballot for each number named. `written` is the text under it."""
    values, act = found.values, found.act
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
        clause, *why = _BECAUSE.split(values["words"], maxsplit=1)
        return OrderClause(values["rule"], clause, *why)
    if act == "forfeit for good":
        return Forfeit(for_good=True)
    if act in _CARRY:
        return CarryClauses(_CARRY[act])
    if act in _FIELDS:
        make, fields = _FIELDS[act]
        return make(**{field: values[place] for place, field in fields.items() if place in values})
    if act in _NUMBERED:
        return _NUMBERED[act](values.get("number"))
    return _BARE[act]()


def _verdict(values: Mapping[str, Any]) -> GiveVerdict:
    """`verdict: paradox. It is and is not.`: the finding may be the first word after the colon."""
    first, _, rest = values["words"].partition(" ")
    finding = VALUES["finding"].get(first.strip(".,:;!–-").lower())
    text = rest.lstrip(" :;,–-") if finding else values["words"]
    return GiveVerdict(cast("Finding | None", finding), values.get("case"), text)


def phrase(command: Command, language: str) -> str:
    """The line (for a text: the lines) to send for `command`, in the words of `language`. Reading it gives the command again.

    Words with no command in them stand for themselves; what only the calendar asks has its canonical form.
    """
    if isinstance(command, Speak):
        return command.text
    if isinstance(command, Scheduled) and not isinstance(command, CloseVote):
        return _scheduled(command)
    known = words_of(language)
    head = _head(command, known)
    asked = command.proposal if isinstance(command, Check) else command
    if isinstance(asked, Propose | Revise) and asked.text is not None:
        return "\n".join([head, *_text_lines(asked, known)])
    return head


def canonical(command: Command) -> str:
    """The one form of a command that does not depend on a language: `ballot 301 for`, `ask rule 203`. No text."""
    if isinstance(command, Vote):
        words = ("ballot", command.number, *_choice_words(command))
        return " ".join(str(word) for word in words if word is not None)
    if isinstance(command, Ask):
        return f"ask {command.topic} {command.about}".rstrip()
    if isinstance(command, Speak):
        return "post" if command.number is None else f"post {command.number}"
    if isinstance(command, Scheduled) and not isinstance(command, CloseVote):
        return _scheduled(command)
    return _head(command, "en")


def _scheduled(command: Scheduled) -> str:
    """What only the calendar asks, for logs: `remind 301 half time`."""
    values = (getattr(command, field.name) for field in fields(command))
    return " ".join([kind_of(type(command)), *(str(value) for value in values if value is not None)])


def _choice_words(ballot: Vote) -> tuple[str, ...]:
    match ballot.choice:
        case Conditional(choice, on, passes, otherwise):
            outcome = "passes" if passes else "fails"
            return (choice, "if", str(on), outcome, *(("otherwise", otherwise) if otherwise else ()))
        case AsPlayer(name):
            return "as", name
        case plain:
            return (plain,)


def _head(command: Command, language: Language) -> str:
    act, values = _parts(command, language)
    table = VOCABULARY[language]
    form = next(form for form in table.forms[act.removeprefix(CHECK)] if _fits(form, values))
    if act == "help" and "word" in values:
        values["word"] = table.topics.get(values["word"], values["word"])
    line = PLACE.sub(lambda place: _word(place[1], values[place[1]], language), form)
    return f"{table.check} {line}" if act.startswith(CHECK) else line


def _fits(form: str, values: Mapping[str, Any]) -> bool:
    return set(PLACE.findall(form)) == set(values)


def _word(place: str, value: Any, language: Language) -> str:
    """How `language` writes a value in a place."""
    table = VOCABULARY[language]
    words: dict[str, Mapping[Any, tuple[str, ...]]] = {
        "choice": table.choices,
        "otherwise": table.choices,
        "those": table.those,
        **table.values,
    }
    if place == "case":
        return f"J{value}"
    if place == "points":
        return f"{value:+d}"
    return words[place][value][0] if value in words.get(place, ()) else str(value)


def _parts(command: Command, language: Language) -> tuple[str, dict[str, Any]]:
    """The act a command is, and what stands in its places (empty ones left out)."""
    match command:
        case Join(name, team):
            return "join", _said(name=name, team=team)
        case Check(proposal):
            act, values = _parts(proposal, language)
            return CHECK + act, values
        case Propose():
            return command.kind, _said(rule=command.target, title=command.title)
        case Revise():
            return "revise", _said(number=command.number, title=command.title)
        case CarryClauses(how):
            return how, {}
        case Vote():
            return _ballot_parts(command)
        case OrderClause(rule, clause, why):
            return "order clause", {"rule": rule, "words": _ordered(clause, why, language)}
        case Forfeit(for_good=True):
            return "forfeit for good", {}
        case Ask("help", about):
            return "help", _said(word=about)
        case Ask(topic, about):
            return topic, _said(rule=about)
        case Set(name, value):
            return name, {"word" if name == "zone" else name: value}
    if type(command) in _ACT_WITH_FIELDS:
        return _fields_said(command)
    return _ACT_OF[type(command)], _said(number=getattr(command, "number", None))


def _fields_said(command: Command) -> tuple[str, dict[str, Any]]:
    act = _ACT_WITH_FIELDS[type(command)]
    _, fields = _FIELDS[act]
    return act, _said(**{place: getattr(command, field) for place, field in fields.items()})


def _ballot_parts(ballot: Vote) -> tuple[str, dict[str, Any]]:
    match ballot:
        case Vote(Conditional(choice, on, passes, otherwise), number):
            parts = _said(choice=choice, numbers=number, on=on, otherwise=otherwise)
            return "vote if", parts | {"outcome": "passes" if passes else "fails"}
        case Vote(AsPlayer(name), number):
            return "vote as", _said(numbers=number, name=name)
        case Vote(choice, "all" | "rest" as those):
            return "vote", {"choice": choice, "those": those}
    return "vote", _said(choice=ballot.choice, numbers=ballot.number)


def _said(**values: Any) -> dict[str, Any]:
    return {place: value for place, value in values.items() if value not in (None, "")}


def _text_lines(asked: Propose | Revise, language: Language) -> list[str]:
    table = VOCABULARY[language]
    carry = [table.carry[asked.carry]] if asked.carry else []
    text = [asked.text] if asked.text else []
    return [*carry, *text, *(_clause_line(clause, language) for clause in asked.clauses), table.end]


def _ordered(clause: str, why: str, language: Language) -> str:
    """A clause that the keeper orders, and the reason."""
    read = read_clause(f"clause {clause}")
    shown = clause if isinstance(read, Say) else _clause_line(read, language).partition(" ")[2]
    return f"{shown} {VOCABULARY[language].because} {why}" if why else shown


def _clause_line(clause: Clause, language: Language) -> str:
    written = _CLAIMING.get(language, {})
    words = [VOCABULARY[language].clause, shown_name(clause.name, language)]
    for claim, targets in (("over", clause.over), ("under", clause.under)):
        named = (written.get(target, target) for target in targets)
        words += [written.get(claim, claim), ", ".join(named)] if targets else []
    return f"{' '.join(words)}: {clause.expression}"


_CLAIMING: Mapping[Language, Mapping[str, str]] = {
    "sv": {"over": "över", "mutable": "föränderliga", "immutable": "oföränderliga"}
}
"""The words of a claim to precedence (211), where they are not the English ones."""
