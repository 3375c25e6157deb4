"""The tree of all forms in all languages, with the tables of words that go with it.

What lives here: the tree and the tables, put together once. What never may: reading a line (forms.py).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from pbem.game.model import KINDS, Choice
from pbem.mail.vocabulary import Language, Vocabulary
from pbem.mail.words import ALL, VOCABULARY

INSIDE = "inside"
"""The act of every form that belongs in a proposal's text and stands outside one."""
SAY_FOR = "say for"
"""The act of a line that holds another, which may take a text."""
CHECK = "check "
"""Stands before a kind in the act of `check propose …`."""

_FORM_PART = re.compile(r"\{\w+\}|[^\W\d_]+|\S")


@dataclass(slots=True)
class Node:
    """A fork in the tree of forms: by word, by place, and the act (with its languages) of a line that ends here."""

    words: dict[str, Node] = field(default_factory=dict)
    places: dict[str, Node] = field(default_factory=dict)
    act: str = ""
    form: str = ""
    languages: frozenset[Language] = frozenset()
    acts: set[str] = field(default_factory=set)
    """All acts that can still be reached."""


def forms_of(table: Vocabulary) -> list[tuple[str, str]]:
    """All (act, form) of a language."""
    forms = [(act, form) for rows in (table.forms, table.also) for act in rows for form in rows[act]]
    checks = [(CHECK + act, f"{table.check} {form}") for act, form in forms if act in KINDS]
    ballots = [form for act, form in forms if act == "vote" and "{those}" not in form]
    hanging = [("vote if", f"{ballot} {condition}") for ballot in ballots for condition in table.conditions]
    others = [(INSIDE, form) for form in table.inside]
    return forms + checks + hanging + others


def _tree() -> Node:
    root = Node()
    for language, table in VOCABULARY.items():
        for act, form in forms_of(table):
            _plant(root, act, form, language)
    return root


def _plant(root: Node, act: str, form: str, language: Language) -> None:
    node = root
    for part in _FORM_PART.findall(form.lower()):
        node.acts.add(act)
        branches = node.places if part[0] == "{" else node.words
        node = branches.setdefault(part.strip("{}"), Node())
    node.acts.add(act)
    if node.act not in ("", act):
        raise ValueError(f"two acts have the form {form!r}: {node.act}, {act}")
    node.act, node.form, node.languages = act, form, node.languages | {language}


def _words_after(place: str, node: Node) -> set[str]:
    """The words that may follow a place, anywhere below `node`."""
    below = [*node.words.values(), *node.places.values()]
    here = set(node.places[place].words) if place in node.places else set()
    return here.union(*(_words_after(place, fork) for fork in below))


def _choice_words() -> dict[str, Choice]:
    return {word: choice for table in ALL for choice, words in table.choices.items() for word in words}


CHOICES: Mapping[str, Choice] = _choice_words()
CHOICE_LANGUAGES: Mapping[str, frozenset[Language]] = {
    word: frozenset(
        language
        for language, table in VOCABULARY.items()
        if any(word in words for words in table.choices.values())
    )
    for word in CHOICES
    if word.isalpha()
}
VALUES: Mapping[str, Mapping[str, str]] = {
    setting: {
        word: value
        for table in VOCABULARY.values()
        for value, words in table.values[setting].items()
        for word in words
    }
    for setting in VOCABULARY["en"].values
}
BEFORE_NUMBER = frozenset(word for table in ALL for word in table.before_number) | {"#"}
AND = frozenset(word for table in ALL for word in table.between)
"""Words that join two numbers, or two commands."""
BETWEEN = AND | {",", "&"}
UPTO = frozenset(word for table in ALL for word in table.upto) | {"-"}
ROOT = _tree()
OPENINGS: frozenset[str] = frozenset(ROOT.words) | frozenset(CHOICES)
"""Every word a command may begin with."""
AFTER_NAMES = frozenset(_words_after("player", ROOT))
"""Words that end a name by going on with the form."""
