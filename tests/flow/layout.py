"""The laws of how a mail is set, true of every mail that the server has ever sent in a story.

What lives here: the laws, each as a fault it finds. What never may: a test, or a word of a language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.message import EmailMessage
from itertools import zip_longest

from tests.flow.post import Letter
from tests.mail.printing import seen

WIDTH = 72
ONCE = (
    "From",
    "To",
    "Reply-To",
    "Subject",
    "Date",
    "Message-ID",
    "MIME-Version",
    "Content-Type",
    "Auto-Submitted",
)
OF_A_LIST = ("List-Id", "List-Post", "List-Help", "X-Auto-Response-Suppress")
_FETCHING = {"img", "script", "link", "iframe", "object", "form", "audio", "video", "base"}
_MANGLED = re.compile(r"[^\S\n ]|[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\ufeff]")
"""What a mail program may show as something else, or not at all: controls, tabs, spaces that are no plain ones."""


def faults(content: bytes, letter: Letter) -> list[str]:
    """Everything in which a mail breaks a law, each fault with the place."""
    return [*_raw(content), *_headers(letter.message), *_text(letter.text), *_html(letter)]


def _raw(content: bytes) -> Iterator[str]:
    """What is on the wire: RFC 5322 asks for 78 columns and allows 998; mbox files begin a mail with `From `."""
    head, _, body = content.partition(b"\n\n")
    values = (line.partition(b": ")[2] for line in head.split(b"\n") if len(line) > 78)
    long = [value for value in values if b" " in value] + [
        line for line in body.split(b"\n") if len(line) > 76
    ]
    yield from (f"a line that is too long: {line!r}" for line in long)
    if re.search(rb"^>*From ", body, re.MULTILINE):
        yield "a line that begins with From"
    if re.search(rb"[\x80-\xff]", content):
        yield "bytes that are not ASCII"


def _headers(message: EmailMessage) -> Iterator[str]:
    yield from (f"{name} not once" for name in ONCE if len(message.get_all(name, [])) != 1)
    yield from (f"no {name}" for name in OF_A_LIST if message[name] is None)
    if message["Auto-Submitted"] not in ("auto-generated", "auto-replied"):
        yield f"Auto-Submitted: {message['Auto-Submitted']}"
    if message["In-Reply-To"] and message["In-Reply-To"] not in str(message["References"]).split():
        yield "it answers a mail that is not among its References"


def _text(text: str) -> Iterator[str]:
    lines = text.split("\n")
    for line in lines:
        if len(line) > WIDTH and " " in line.lstrip("> ") and not line.startswith("    "):
            yield f"{len(line)} columns: {line}"
        if line != line.rstrip():
            yield f"space at the end: {line!r}"
        if _MANGLED.search(line):
            yield f"what may be mangled: {line!r}"
        if re.fullmatch(r"--|\.", line):
            yield f"a line that means something to a mail program: {line!r}"
    if "\n\n\n" in text:
        yield "two empty lines together"
    if not text.endswith("\n") or text.endswith("\n\n") or text.startswith("\n"):
        yield "it does not begin with its first line and end with its last"
    if not any(re.fullmatch("=+", line) for line in lines[1:4]):
        yield "no heading"


def _html(letter: Letter) -> Iterator[str]:
    """The same words in the same order, and nothing that is fetched."""
    if letter.message.get_body(("html",)) is None:
        return
    page = seen(letter.html)
    if found := _FETCHING & set(page.tags):
        yield f"it has {found}"
    told, shown = _words(letter.text), _words(" ".join(page.text))
    for place, (one, other) in enumerate(zip_longest(told, shown)):
        if one != other:
            yield f"text: … {' '.join(told[place - 4 : place + 4])}; HTML: … {' '.join(shown[place - 4 : place + 4])}"
            return


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)
