"""Texts of proposals which their writer closed with `end`: the lines of a mail that nothing may be cut from.

What lives here: finding them, before quotes and signatures are looked for. What never may: reading a command;
grammar.py does, and finds the same texts by the same line above and the same `end` below.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import islice

from pbem.mail.acts import spoken, takes_text
from pbem.mail.forms import Match, match
from pbem.mail.lines import Line
from pbem.mail.proposal_text import end_of_text, last_end
from pbem.mail.tree import ROOT, SAY_FOR

_MOST_HEADS = 1_000
"""Lines matched in one mail that begin like one above a text; a person's mail has one or two."""
_BEGINNING = 40
_NEVER = {"", ">"}
"""What no line begins with above a text."""
_LONGEST_LINE = 2_000


def _may_take_text(act: str) -> bool:
    return act == SAY_FOR or takes_text(act)


_HEAD = re.compile(
    rf"\b(?:{'|'.join(word for word, node in ROOT.words.items() if any(map(_may_take_text, node.acts)))})\b",
    re.IGNORECASE,
)
"""The first word of every line that a text may stand under."""


def enclosed_texts(lines: Sequence[str]) -> Iterator[range]:
    """The runs of `lines` from one that takes a text to the first `end` below it, both included.

    They stand in order and none overlaps another. The line above may be wrong in its second half (`propose enact Tea`,
    without the colon): its writer is asked about it, and the text is offered whole.
    """
    free = 0
    for begin in islice(_candidates(lines[: last_end(lines)]), _MOST_HEADS):
        if begin < free or not _opens_text(lines[begin]):
            continue
        free = end_of_text(lines, begin + 1) + 1
        yield range(begin, free)


def _candidates(lines: Sequence[str]) -> Iterator[int]:
    for at, line in enumerate(lines):
        if line[:1] not in _NEVER and _HEAD.search(unicodedata.normalize("NFC", line[:_BEGINNING])):
            yield at


def _opens_text(line: str) -> bool:
    found = match(Line.of(line[:_LONGEST_LINE]))
    if isinstance(found, Match):
        return takes_text(spoken(found).act)
    return found.steps >= 2 and any(map(takes_text, found.node.acts))
