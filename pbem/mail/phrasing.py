"""The line that asks a command: acts.py read the other way round.

What lives here: `phrase`, in the words of a language, and `canonical`, in no language's. What never may: reading lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from pbem.game.codec import kind_of
from pbem.game.commands import (
    Ask,
    AsPlayer,
    CarryClauses,
    Check,
    CloseVote,
    Command,
    Forfeit,
    Join,
    OrderClause,
    Propose,
    Revise,
    SayFor,
    Scheduled,
    Set,
    Speak,
    Vote,
)
from pbem.game.model import Clause, Say
from pbem.game.proposals import Conditional
from pbem.game.ruleset import read_clause
from pbem.game.speaking import itself
from pbem.game.vocabulary import shown_name
from pbem.mail.acts import ACT_OF, ACT_WITH_FIELDS, FIELDS
from pbem.mail.tree import CHECK, SAY_FOR
from pbem.mail.vocabulary import Language
from pbem.mail.words import PLACE, VOCABULARY, words_of


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
    asked = itself(command)
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
    if isinstance(command, SayFor):
        return f"as {command.name}: {canonical(command.command)}"
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
    act, values = _said_for(command, language) if isinstance(command, SayFor) else _parts(command, language)
    table = VOCABULARY[language]
    form = next(form for form in table.forms[act.removeprefix(CHECK)] if _fits(form, values))
    if act == "help" and "word" in values:
        values["word"] = table.topics.get(values["word"], values["word"])
    line = PLACE.sub(lambda place: _word(place[1], values[place[1]], language), form)
    return f"{table.check} {line}" if act.startswith(CHECK) else line


def _said_for(asked: SayFor, language: Language) -> tuple[str, dict[str, Any]]:
    return SAY_FOR, {"player": asked.name, "command": _head(asked.command, language)}


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
    if place == "mailbox":
        return f"<{value}>"
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
    if type(command) in ACT_WITH_FIELDS:
        return _fields_said(command)
    return ACT_OF[type(command)], _said(number=getattr(command, "number", None))


def _fields_said(command: Command) -> tuple[str, dict[str, Any]]:
    act = ACT_WITH_FIELDS[type(command)]
    _, fields = FIELDS[act]
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
