"""What a host bounds of a player's words, whatever the rules say: how long a rule is.

What lives here: the check, before the game is asked. What never may: a rule's own limits (game/bounds.py).
"""

from __future__ import annotations

from pbem.config import Limits
from pbem.game.commands import Command, Propose, Revise
from pbem.game.model import Refused
from pbem.game.speaking import itself


def within(command: Command, limits: Limits) -> None:
    """Raises Refused if the command brings a rule, or a clause in it, that is longer than the host takes."""
    asked = itself(command)
    if not isinstance(asked, Propose | Revise):
        return
    length = len((asked.text or "").encode())
    if length > limits.rule_text:
        raise Refused(
            "The text has %(length)d bytes; a rule may have %(most)d on this server. Shorten it, or propose it as "
            "several rules.",
            length=length,
            most=limits.rule_text,
        )
    for clause in asked.clauses:
        if len(clause.expression) > limits.clause_text:
            raise Refused(
                "A clause has %(length)d characters; it may have %(most)d on this server.",
                length=len(clause.expression),
                most=limits.clause_text,
            )
