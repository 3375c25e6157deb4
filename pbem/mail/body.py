"""Which part of a mail holds what its sender wrote, and that part as text.

What lives here: the choice (never an attachment, never an attached mail) and the note of what was lost.
What never may: cutting quotes, classifying.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pbem.mail import html
from pbem.mail.chars import clean
from pbem.mail.limits import Limits
from pbem.mail.message import Note
from pbem.mail.mime import Part, characters

_SEALED = {
    "multipart/encrypted",
    "application/pkcs7-mime",
    "application/x-pkcs7-mime",
    "application/ms-tnef",
    "application/vnd.ms-tnef",
}
_TEXTS = {"text/plain", "text/html"}
_BEGINNING = 200
_SHORT = 300
_PAGE_BEGINS = ("<!doctype html", "<html")
_ENCRYPTED = b"-----BEGIN PGP MESSAGE-----"
_NO_PLAIN_TEXT = re.compile(
    r"(?:view|read|display|show|support|requires?|contains?|visa|läsa|stöd\w{0,9}|anzeigen|unterstütz\w{0,9})\b.{0,60}\bhtml\b|"
    r"\bhtml\b.{0,60}(?:view|reader|capable|support|visa|läsare|anzeigen)",
    re.IGNORECASE | re.DOTALL,
)
"""What a program writes into the plain part when it only made the other one."""


@dataclass(frozen=True, slots=True)
class Body:
    """The text as written, quotes and all ("" when there is none to read), what a reader should know, and the parts
    that it stands in."""

    text: str
    notes: tuple[Note, ...] = ()
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class _Page:
    """A text leaf as read."""

    leaf: Part
    text: str
    struck: bool
    cut: bool


def body(mail: Part, limits: Limits, *, cut: bool) -> Body:
    """What is written in `mail`: its first text that is not blank, with those that go on with it.

    `cut` says that the mail goes on beyond what was read.
    """
    pages = [_page(mail, limits)] if _is_left_out(mail) else _written(mail, limits)
    pages = [page for page in pages if page.text.strip() and not _is_sealed(page.text)]
    if pages:
        too_long = pages[-1].cut or (cut and pages[-1].leaf.open)
        text = "\n".join(page.text for page in pages)
        notes = _notes(("struck out", any(page.struck for page in pages)), ("too long", too_long))
        return Body(text, notes, tuple(page.leaf for page in pages))
    sealed = any(part.type in _SEALED or _is_left_out(part) or _is_sealed(part.body) for part in mail.walk())
    return Body("", _notes(("unreadable", sealed), ("too long", cut)))


def _page(leaf: Part, limits: Limits) -> _Page:
    said = characters(leaf)
    if leaf.type == "text/html" or said[:_BEGINNING].lstrip().lower().startswith(_PAGE_BEGINS):
        written = html.to_text(said, limits.html_depth)
        return _Page(leaf, clean(written.text), written.struck, written.cut)
    return _Page(leaf, clean(said), struck=False, cut=False)


def _is_left_out(part: Part) -> bool:
    return part.type.startswith("multipart/") and not part.children


def _is_sealed(text: str | bytes) -> bool:
    """Whether the text is an encrypted one (RFC 9580 6.2)."""
    begin = text[:_BEGINNING]
    return (begin if isinstance(begin, bytes) else begin.encode()).lstrip().startswith(_ENCRYPTED)


def _notes(*found: tuple[Note, bool]) -> tuple[Note, ...]:
    return tuple(note for note, holds in found if holds)


def _written(part: Part, limits: Limits) -> list[_Page]:
    """The pages that the words in `part` stand on, none of them blank."""
    if part.attached or part.type in _SEALED:
        return []
    if part.type in _TEXTS:
        page = _page(part, limits)
        return [page] if page.text.strip() else []
    if part.type == "multipart/alternative":
        return _best(part, limits)
    return _in_order(part.children[:1] if part.type == "multipart/signed" else part.children, limits)


def _best(part: Part, limits: Limits) -> list[_Page]:
    """Of alternatives the plain one, unless it is blank or only says that there is another."""
    spare: list[_Page] = []
    for child in sorted(part.children, key=lambda child: child.type != "text/plain"):
        pages = _written(child, limits)
        if pages and not _points_elsewhere(pages[0].text):
            return pages
        spare = spare or pages
    return spare


def _points_elsewhere(text: str) -> bool:
    return len(text) < _SHORT and bool(_NO_PLAIN_TEXT.search(text))


def _in_order(children: Sequence[Part], limits: Limits) -> list[_Page]:
    """The first text, and the later ones that go on with it around a picture: what lists and scanners add says how
    it is to be shown (`Content-Disposition`), what the writer's program split does not."""
    pages: list[_Page] = []
    for child in children:
        goes_on = pages and child.type == pages[0].leaf.type and not child.headers.has("content-disposition")
        if goes_on or not pages:
            pages += _written(child, limits)
    return pages
