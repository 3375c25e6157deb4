"""Which part of a mail holds what its sender wrote, and that part as text.

What lives here: the choice (never an attachment, never an attached mail) and the note of what was lost.
What never may: cutting quotes, classifying.
"""

from __future__ import annotations

from collections.abc import Iterator
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


@dataclass(frozen=True, slots=True)
class Body:
    """The text as written, quotes and all ("" when there is none to read), and what a reader should know."""

    text: str
    notes: tuple[Note, ...] = ()


def body(mail: Part, limits: Limits, *, cut: bool) -> Body:
    """The first text in `mail` that is not blank. `cut` says that the mail goes on beyond what was read."""
    for leaf in (mail,) if _is_left_out(mail) else _leaves(mail):
        page = _page(leaf, limits)
        text = clean(page.text)
        if text.strip():
            too_long = page.cut or (cut and leaf.open)
            return Body(text, _notes(("struck out", page.struck), ("too long", too_long)))
    sealed = any(part.type in _SEALED or _is_left_out(part) for part in mail.walk())
    return Body("", _notes(("unreadable", sealed), ("too long", cut)))


def _page(leaf: Part, limits: Limits) -> html.Written:
    said = characters(leaf)
    if leaf.type == "text/html":
        return html.to_text(said, limits.html_depth)
    return html.Written(said, struck=False, cut=False)


def _is_left_out(part: Part) -> bool:
    return part.type.startswith("multipart/") and not part.children


def _notes(*found: tuple[Note, bool]) -> tuple[Note, ...]:
    return tuple(note for note, holds in found if holds)


def _leaves(part: Part) -> Iterator[Part]:
    """The texts worth trying, best first: plain before HTML where they are alternatives, else in order."""
    if part.attached or part.type in _SEALED:
        return
    if part.type in {"text/plain", "text/html"}:
        yield part
    children = part.children[:1] if part.type == "multipart/signed" else part.children
    if part.type == "multipart/alternative":
        children = tuple(sorted(children, key=lambda child: child.type != "text/plain"))
    for child in children:
        yield from _leaves(child)
