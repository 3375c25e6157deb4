"""The lines around a ballot that may take it back: `if …` below it, `Draft:` above it, a sentence that goes on into it.

What lives here: the look at neighbours. What never may: a guess what they mean; where in doubt the sender is asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pbem.game.model import Say, say
from pbem.mail import doubts
from pbem.mail.forms import Match, Miss, match
from pbem.mail.lines import Line
from pbem.mail.tree import CHOICES

_SIGNED_OFF = re.compile(r"[/~–—-]\s*\S|[^\W\d_a-z]")
"""How a name or a greeting below a ballot begins: with a stroke, or a capital letter."""
_SHORT = 3
_BEGINNING = 4
"""Words at the beginning of a line among which one that takes back is looked for."""
_LOOKED_AT = 400
_FAR = 5
"""Lines looked at below a ballot."""
_ABOVE = 12
"""Lines looked at above one: other ballots may stand between."""


def doubt(lines: Sequence[str], at: int, *, bare: bool) -> Say | None:
    """Why the ballot in line `at` (an index) may be none. `bare`: it names no proposal, or all of them, so that less is
    needed to take it for something else."""
    if _frames(_above(lines, at)):
        return say(
            "The line above makes it doubtful that this is your ballot. If it is, send it by itself: no other words."
        )
    below = _near(lines, at, 1, _FAR)
    next_to_it = at + 1 < len(lines) and bool(lines[at + 1].strip())
    if below and _takes_back(below, bare=bare, next_to_it=next_to_it):
        return say(
            "What stands below seems to take it back, or to make a condition. If this is your ballot, send it by itself."
        )
    return None


def _near(lines: Sequence[str], at: int, step: int, far: int) -> str:
    """The nearest line above or below that is not empty."""
    looked_at = range(at + step, at + step * (far + 1), step)
    found = (lines[n] for n in looked_at if 0 <= n < len(lines) and lines[n].strip())
    return next(found, "").strip()[:_LOOKED_AT]


def _above(lines: Sequence[str], at: int) -> str:
    """The nearest line above that is no ballot, nor any other command."""
    for n in range(at - 1, max(-1, at - 1 - _ABOVE), -1):
        if lines[n].strip() and isinstance(match(Line.of(lines[n][:_LOOKED_AT])), Miss):
            return lines[n].strip()[:_LOOKED_AT]
    return ""


def _frames(above: str) -> bool:
    """`Draft, do not count:`, `Dan will send:`, `I would have voted`, `Don't count me`; but not `My votes:`."""
    if above.endswith(":"):
        return not doubts.speaks_of_votes(above)
    return doubts.is_left_hanging(above) or (not above.endswith((".", "!", "?")) and doubts.denies(above))


def _takes_back(below: str, *, bare: bool, next_to_it: bool) -> bool:
    line = Line.of(below)
    if isinstance(match(line), Match):
        return False
    words = [token.word for token in line.tokens if token.word[-1].isalnum()]
    if below == "?" or (
        bare and any(doubts.turns_round(word) or doubts.is_loud(word) for word in words[:_BEGINNING])
    ):
        return True
    if bare and (below[:1].islower() or (words and words[0] in CHOICES)):
        return True  # it goes on with the sentence, or votes otherwise
    if not next_to_it or not words:
        return False
    return words[0] in CHOICES or doubts.turns_round(words[0]) or (bare and not _is_signed_off(below))


def _is_signed_off(below: str) -> bool:
    """`/Anna`, `Best, Bo`: a name or a greeting, no sentence."""
    return len(below.split()) <= _SHORT and _SIGNED_OFF.match(below) is not None
