"""The shape of a language's vocabulary; english.py and swedish.py fill it in.

What lives here: the one class. What never may: a word of any language.

A *form* is a line as it may be written, with places in braces: `propose amend {rule}: {title}`. The forms of
an act stand under its name; `phrase` offers the first that fits for pasting, so the plainest stands first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pbem.game.model import Choice

Language = Literal["en", "sv"]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """All words of one language, lower case. `forms` and `also` (understood, not shown in help) are by act.

    `those` are the words for all open votes, for the rest of them, and for those that the quoted rows name; `values` the words of settings;
    `inside` the forms that stand only in the text of a proposal; `places` what help writes for a place.
    """

    choices: Mapping[Choice, tuple[str, ...]]
    forms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    also: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    inside: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    """What may follow a ballot and make it hang on another proposal."""
    those: Mapping[Literal["all", "rest", "these"], tuple[str, ...]] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)
    topics: Mapping[str, str] = field(default_factory=dict)
    """What `help` is asked about, by its English word, where this language has another."""
    check: str = ""
    end: str = ""
    clause: str = ""
    because: str = ""
    """What stands before the reason of a clause that the keeper orders."""
    carry: Mapping[Literal["keep", "drop"], str] = field(default_factory=dict)
    before_number: tuple[str, ...] = ()
    """Words that may stand before a number and add nothing: `on proposal 301`."""
    upto: tuple[str, ...] = ()
    between: tuple[str, ...] = ()
    doubt: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Words that tell a failed command from ordinary prose; the keys are explained in doubts.py."""
    invited: Mapping[Literal["yes", "no", "against", "beside"], tuple[str, ...]] = field(default_factory=dict)
    """How an invitation is answered; the keys are explained in accepting.py."""
