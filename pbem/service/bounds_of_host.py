"""What a host bounds of a player's words, whatever the rules say: the length of one rule.

What lives here: the check, before the game is asked. What never may: a rule's own limits (bounds.py of the game).
"""

from __future__ import annotations

from pbem.game.commands import Check, Command, Propose, Revise
from pbem.game.model import Refused


def within(command: Command, rule_text: int) -> None:
    """Raises Refused if the command brings a rule whose text has more than `rule_text` bytes of UTF-8."""
    asked = command.proposal if isinstance(command, Check) else command
    text = asked.text if isinstance(asked, Propose | Revise) else None
    length = len((text or "").encode())
    if length > rule_text:
        raise Refused(
            "The text has %(length)d bytes; a rule may have %(most)d on this server. Shorten it, or propose it as "
            "several rules.",
            length=length,
            most=rule_text,
        )
