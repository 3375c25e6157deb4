"""Letters of the archive for mail programs: one mbox (RFC 4155) for each page of it.

What lives here: the bytes of a mail made from a letter. What never may: a real address, or a line of a player's that a
mail program could take for a header or for the start of a mail. Addresses end in .invalid and lead nowhere (RFC 2606).
Bodies are quoted-printable, and the F of a line that begins with "From " is written as its number, which any program
undoes.
"""

from __future__ import annotations

import binascii
import re
import time
from collections.abc import Iterable, Iterator
from email.header import Header
from email.utils import formataddr, formatdate
from functools import lru_cache

from pbem.game.model import Clause, ClauseName, Say, say
from pbem.publish.letters import Act, Letter
from pbem.publish.page import mark
from pbem.publish.press import Press
from pbem.render import veiled

KEEPER = say("The keeper")
TABLE_TALK = say("Table talk")

_FROM_LINE = re.compile(rb"^From ", re.MULTILINE)


def box(press: Press, letters: Iterable[Letter]) -> bytes:
    """The letters as an mbox."""
    return b"".join(_mail(press, letter) for letter in letters)


def _mail(press: Press, letter: Letter) -> bytes:
    """From line, headers, body, and the empty line that ends it."""
    host = f"{press.frame.game}.invalid"
    sent = time.asctime(time.gmtime(letter.at // 1_000_000))
    head = "\n".join([f"From nobody@{host} {sent}", *_headers(press, letter, host)])
    body = "\n\n".join(text for act in letter.acts for text in _body(press, act)).encode()
    coded = _FROM_LINE.sub(b"=46=\nrom ", binascii.b2a_qp(body, istext=True))
    return head.encode("ascii") + b"\n\n" + coded + b"\n\n"


def _body(press: Press, act: Act) -> Iterator[str]:
    """The paragraphs of an act: the sentence that tells it, its words, its clauses."""
    if act.said is not None:
        yield veiled(press.told(act.said))
    if act.words:
        yield veiled(act.words)
    if act.clauses:
        yield "\n".join(press.told(_clause(clause)) for clause in act.clauses)


def _clause(clause: Clause) -> Say:
    return say("clause %(name)s: %(expression)s", name=ClauseName(clause.name), expression=clause.expression)


def _headers(press: Press, letter: Letter, host: str) -> Iterator[str]:
    answers = letter.answers is not None and letter.answers != letter.mail
    yield f"From: {_from(letter.author or press.told(KEEPER), f'nobody@{host}')}"
    yield f"Date: {formatdate(letter.at // 1_000_000)}"
    yield f"Subject: {'Re: ' if answers else ''}{_header(_subject(press, letter.acts[0]))}"
    yield f"Message-ID: <{letter.mark}@{host}>"
    if letter.answers is not None and answers:
        yield f"In-Reply-To: <{mark(letter.answers)}@{host}>"
    if press.frame.site.url:
        yield f"Archived-At: <{press.absolute(press.letter(letter.at, letter.mail))}>"
    yield "MIME-Version: 1.0"
    yield "Content-Type: text/plain; charset=utf-8"
    yield "Content-Transfer-Encoding: quoted-printable"


def _subject(press: Press, act: Act) -> str:
    """The same for all that belongs together, whatever the title of a proposal was at the time."""
    about = act.proposal or (f"J{act.case}" if act.case else press.told(TABLE_TALK))
    return f"[{press.frame.game}] {about}"


@lru_cache(maxsize=256)
def _header(words: str) -> str:
    """Words on one line of a header (RFC 2047)."""
    return Header(" ".join(words.split()), None if words.isascii() else "utf-8", maxlinelen=0).encode()


@lru_cache(maxsize=256)
def _from(name: str, address: str) -> str:
    return formataddr((" ".join(name.split()), address))
