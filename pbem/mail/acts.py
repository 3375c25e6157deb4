"""Acts and commands: what a matched line asks of the game, and the line that asks it.

What lives here: the two directions of one table, `commands_of` and `phrase`. What never may: reading lines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from pbem.game.changes import WITH_TEXT
from pbem.game.commands import (
    Ask,
    CallVote,
    Check,
    CloseVote,
    Command,
    EndTurn,
    Join,
    NoteDeadline,
    Observe,
    Propose,
    RetractVote,
    Revise,
    Set,
    Speak,
    Start,
    Vote,
    Withdraw,
)
from pbem.game.model import KINDS, Clause, Kind
from pbem.game.vocabulary import shown_name
from pbem.mail.forms import CHECK, Match
from pbem.mail.proposal_text import NO_TEXT, Written
from pbem.mail.vocabulary import Language
from pbem.mail.words import PLACE, VOCABULARY

_NUMBERED: Mapping[str, Callable[[int | None], Command]] = {
    "call vote": CallVote,
    "withdraw": Withdraw,
    "retract": RetractVote,
}
_BARE: Mapping[str, Callable[[], Command]] = {"observe": Observe, "start": Start, "end turn": EndTurn}
_ACT_OF: Mapping[object, str] = {make: act for acts in (_NUMBERED, _BARE) for act, make in acts.items()}
_TOPICS_BY_WORD = {word: topic for table in VOCABULARY.values() for topic, word in table.topics.items()}
TOPICS = ("status", "rules", "rule", "history", "scores", "proposals", "log", "help")
SETTINGS = ("language", "zone", "mail", "html")


def takes_text(act: str) -> bool:
    """Whether the lines after belong to it."""
    return act == "revise" or act.removeprefix(CHECK) in WITH_TEXT


def amends(act: str) -> bool:
    """Whether its text takes the place of one that may carry clauses."""
    return takes_text(act) and not act.endswith("enact")


def commands_of(found: Match, said: str = "", written: Written = NO_TEXT) -> tuple[Command, ...]:
    """What the line asks: one command, or a ballot for each number named. `written` is the text under it."""
    values, act = found.values, found.act
    if act == "vote":
        numbers = values.get("numbers") or (values.get("those"),)
        return tuple(Vote(values["choice"], number, said) for number in numbers)
    if act.startswith(CHECK):
        return (Check(_proposal(cast("Kind", act.removeprefix(CHECK)), values, written)),)
    if act in KINDS:
        return (_proposal(act, values, written),)
    return (_plain(act, values, written),)


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
    if act in _NUMBERED:
        return _NUMBERED[act](values.get("number"))
    return _BARE[act]()


def phrase(command: Command, language: str) -> str:
    """The line (for a text: the lines) to send for `command`, in "en" or "sv". Reading it gives the command again.

    Words with no command in them stand for themselves; what only the calendar asks has its canonical form.
    """
    if isinstance(command, Speak):
        return command.text
    if isinstance(command, CloseVote | NoteDeadline):
        return canonical(command)
    known = cast("Language", language)
    head = _head(command, known)
    asked = command.proposal if isinstance(command, Check) else command
    if isinstance(asked, Propose | Revise) and asked.text is not None:
        return "\n".join([head, *_text_lines(asked, known)])
    return head


def canonical(command: Command) -> str:
    """The one form of a command that does not depend on a language: `ballot 301 for`, `ask rule 203`. No text."""
    if isinstance(command, Vote):
        return " ".join(str(word) for word in ("ballot", command.number, command.choice) if word is not None)
    if isinstance(command, Ask):
        return f"ask {command.topic} {command.about}".rstrip()
    if isinstance(command, Speak | CloseVote | NoteDeadline):
        verb = {Speak: "post", CloseVote: "close vote", NoteDeadline: "note deadline"}[type(command)]
        return verb if command.number is None else f"{verb} {command.number}"
    return _head(command, "en")


def _head(command: Command, language: Language) -> str:
    act, values = _parts(command)
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
        "those": table.those,
        **table.values,
    }
    return words[place][value][0] if place in words else str(value)


def _parts(command: Command) -> tuple[str, dict[str, Any]]:
    """The act a command is, and what stands in its places (empty ones left out)."""
    match command:
        case Join(name, team):
            return "join", _said(name=name, team=team)
        case Check(proposal):
            act, values = _parts(proposal)
            return CHECK + act, values
        case Propose():
            return command.kind, _said(rule=command.target, title=command.title)
        case Revise():
            return "revise", _said(number=command.number, title=command.title)
        case Vote(choice, "all" | "rest" as those):
            return "vote", {"choice": choice, "those": those}
        case Vote(choice, number):
            return "vote", _said(choice=choice, numbers=number)
        case Ask("help", about):
            return "help", _said(word=about)
        case Ask(topic, about):
            return topic, _said(rule=about)
        case Set("zone", value):
            return "zone", {"word": value}
        case Set(name, value):
            return name, {name: value}
    return _ACT_OF[type(command)], _said(number=getattr(command, "number", None))


def _said(**values: Any) -> dict[str, Any]:
    return {place: value for place, value in values.items() if value not in (None, "")}


def _text_lines(asked: Propose | Revise, language: Language) -> list[str]:
    table = VOCABULARY[language]
    carry = [table.carry[asked.carry]] if asked.carry else []
    text = [asked.text] if asked.text else []
    return [*carry, *text, *(_clause_line(clause, language) for clause in asked.clauses), table.end]


def _clause_line(clause: Clause, language: Language) -> str:
    words = [VOCABULARY[language].clause, shown_name(clause.name, language)]
    for claim, targets in (("over", clause.over), ("under", clause.under)):
        words += [claim, ", ".join(targets)] if targets else []
    return f"{' '.join(words)}: {clause.expression}"
