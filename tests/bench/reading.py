"""How many mails a second one core reads, from bytes to commands. `python -m tests.bench.reading`

Beside it, on the same mails in the same run, what the standard library needs to parse them alone (no new text, no
commands), so that the ratio tells more than the machine does.
"""

from __future__ import annotations

import email
import email.policy
import statistics
import sys
from collections.abc import Callable, Sequence
from time import process_time

from pbem.mail.grammar import read_commands
from pbem.mail.message import Envelope
from pbem.mail.parse import read_mail
from tests.bench.mails import RULES, mails

MAILS = 1_000
ROUNDS = 5
TARGET = 1_500
"""Mails a second."""


def read(raw: bytes) -> None:
    """All that is done with a mail before the game sees it."""
    mail = read_mail(raw, Envelope(received=0), RULES)
    if mail.text is not None:
        read_commands(mail.text, mail.subject_core)


def parse(raw: bytes) -> None:
    """The peer."""
    email.message_from_bytes(raw, policy=email.policy.compat32)


def measured(work: Callable[[bytes], None], letters: Sequence[bytes]) -> float:
    """Seconds of processor time for all of them, once."""
    begun = process_time()
    for letter in letters:
        work(letter)
    return process_time() - begun


def main() -> None:
    letters = mails(MAILS)
    turns = [(measured(read, letters), measured(parse, letters)) for _ in range(ROUNDS)]
    ours, theirs = (sorted(MAILS / seconds for seconds in column) for column in zip(*turns, strict=True))
    size = sum(map(len, letters)) / MAILS / 1_000
    sys.stdout.write(
        f"{MAILS:,} mails of {min(map(len, letters)) / 1_000:.1f} to {max(map(len, letters)) / 1_000:.1f} KB, "
        f"{size:.1f} KB on average, {ROUNDS} rounds on one core\n"
        f"read whole (parse, classify, new text, commands): {ours[-1]:,.0f} mails/s at best, "
        f"{statistics.median(ours):,.0f} in the middle (target {TARGET:,})\n"
        f"email.message_from_bytes, compat32, parse alone:  {theirs[-1]:,.0f} mails/s at best, "
        f"{statistics.median(theirs):,.0f} in the middle\n"
        f"ratio: {ours[-1] / theirs[-1]:.2f}\n"
    )


if __name__ == "__main__":
    main()
