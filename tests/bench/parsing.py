"""Reading a mail as far as its commands, beside parsers that do less: `python -m tests.bench --only read`

What lives here: the same mails through each. The standard library parses, and decodes what is needed; mail-parser-reply is
handed text that is decoded already, and finds the new words in it.
"""

from __future__ import annotations

import email
import email.policy
import json
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from email.header import decode_header, make_header
from pathlib import Path
from time import process_time
from typing import Any

from pbem.mail.grammar import read_commands
from pbem.mail.message import Envelope
from pbem.mail.parse import read_mail
from tests.bench import peers
from tests.bench.letters import letter
from tests.bench.mails import RULES

MAILS, ROUNDS = 400, 5
WORDS = "for 301\n"
_REPLIES = """
import sys, json, time
from mailparser_reply import EmailReplyParser
texts = json.load(open(sys.argv[1]))
parser = EmailReplyParser(languages=["en"])
best = 1e9
for _ in range(3):
    begun = time.process_time()
    for text in texts:
        parser.parse_reply(text=text)
    best = min(best, time.process_time() - begun)
print(best / len(texts) * 1000)
"""


def mails() -> list[bytes]:
    """Mails of 8 KB as they go the whole way (chain.py)."""
    author = ("Alva Alm", "alva@g0.example")
    return [letter(author, "Re: [g0] Vote on proposal 301: Tea", WORDS, number) for number in range(MAILS)]


def ours(raw: bytes) -> None:
    """All that is done with a mail before the game sees it."""
    mail = read_mail(raw, Envelope(received=0), RULES)
    read_commands(mail.text or "", mail.subject_core)


_HEADERS = ("from", "to", "subject", "date", "message-id", "in-reply-to", "references")


def compat32(raw: bytes) -> None:
    """The headers that matter and the text decoded, by the standard library as it was before its policies."""
    with suppress(Exception):  # some mails it cannot read
        mail = email.message_from_bytes(raw, policy=email.policy.compat32)
        for name in _HEADERS:
            str(make_header(decode_header(str(mail[name] or ""))))
        part = next(part for part in mail.walk() if part.get_content_maintype() == "text")
        content: Any = part.get_payload(decode=True)
        content.decode(part.get_content_charset("utf-8"), "replace")


def default(raw: bytes) -> None:
    """The same by its newest policy."""
    with suppress(Exception):  # some mails it cannot read
        mail: Any = email.message_from_bytes(raw, policy=email.policy.default)
        for name in _HEADERS:
            str(mail[name])
        mail.get_body(("plain", "html")).get_content()


def cost(work: Callable[[bytes], None], letters: Sequence[bytes]) -> float:
    """Milliseconds of processor time a mail, in the best of some rounds."""
    return min(_round(work, letters) for _ in range(ROUNDS)) / len(letters) * 1000


def _round(work: Callable[[bytes], None], letters: Sequence[bytes]) -> float:
    begun = process_time()
    for letter_ in letters:
        work(letter_)
    return process_time() - begun


def mail_parser_reply(letters: Sequence[bytes]) -> float | None:
    """Milliseconds a mail for finding the new words alone; None where it cannot be installed."""
    texts = [read_mail(raw, Envelope(received=0), RULES).whole for raw in letters]
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "texts.json"
        file.write_text(json.dumps(texts), "utf-8")
        python = peers.in_a_venv(Path(name), "mail-parser-reply")
        said = peers.run(python, _REPLIES, str(file)) if python else None
    return float(said) if said else None
