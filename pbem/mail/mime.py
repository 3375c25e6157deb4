"""The tree of MIME parts, split from bytes within bounds, and what a leaf of it says.

What lives here: RFC 2045/2046 structure, transfer encodings, charsets, format=flowed (RFC 3676).
What never may: choosing the body, HTML, meaning. Part and depth limits hold before anything is decoded.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from pbem.mail.chars import decode
from pbem.mail.headers import Headers, base64, parameters, split, without_comments
from pbem.mail.limits import Limits

_TOKEN = re.compile(r"[a-z0-9-]+")
_META_CHARSET = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Part:
    """One part: `type` such as "text/plain", its parameters, raw `body`, and the parts inside a multipart.

    `attached` tells it from what was written: an attachment, or anything inside a multipart that has a
    file name. `type` is text/plain where none can be read (RFC 2045 5.2; in a digest message/rfc822, RFC 2046 5.1.5).
    `open` is true when nothing closes the part, so that a cut mail ends inside it.
    """

    headers: Headers
    type: str
    parameters: Mapping[str, str]
    body: bytes
    attached: bool
    open: bool
    children: tuple[Part, ...] = ()

    @property
    def name(self) -> str:
        """The name of the file it is, "" if it has none."""
        _, its = parameters(self.headers.first("content-disposition"))
        return its.get("filename") or self.parameters.get("name", "")

    def walk(self) -> Iterator[Part]:
        """This part and all below it, in order."""
        yield self
        for child in self.children:
            yield from child.walk()


def tree(headers: Headers, body: bytes, limits: Limits) -> Part:
    """The mail as a tree of at most `limits.parts` parts, `limits.depth` multiparts deep; the rest is left out."""
    return _part(headers, body, limits, iter(range(limits.parts)), _Place(0, "text/plain", True))


class _Place(NamedTuple):
    """Where a part stands: how deep, what it is if it does not say, and whether nothing after it closes it."""

    depth: int
    default: str
    open: bool


def _part(headers: Headers, body: bytes, limits: Limits, places: Iterator[int], place: _Place) -> Part:
    kind, settings = parameters(headers.first("content-type"))
    boundary = settings.get("boundary", "").rstrip().encode("utf-8", "replace")
    children: list[Part] = []
    if kind.startswith("multipart/") and boundary and place.depth < limits.depth:
        default = "message/rfc822" if kind == "multipart/digest" else "text/plain"
        for section, unclosed in _sections(body, boundary):
            if next(places, None) is None:
                break
            inside = _Place(place.depth + 1, default, place.open and unclosed)
            children.append(_part(*split(section, limits), limits, places, inside))
    return Part(
        headers,
        kind if kind.count("/") == 1 else place.default,
        settings,
        body,
        place.depth > 0 and _attached(headers, settings),
        place.open,
        tuple(children),
    )


def _attached(headers: Headers, settings: Mapping[str, str]) -> bool:
    disposition, its = parameters(headers.first("content-disposition"))
    return disposition == "attachment" or "filename" in its or "name" in settings


def _sections(body: bytes, boundary: bytes) -> Iterator[tuple[bytes, bool]]:
    """What stands between the delimiter lines, and whether no line closes it."""
    mark = b"\n--" + boundary
    body = b"\n" + body
    start = -1
    at = body.find(mark)
    while at >= 0:
        line_end = body.find(b"\n", at + len(mark))
        line_end = len(body) if line_end < 0 else line_end
        tail = body[at + len(mark) : line_end].strip()
        if tail in {b"", b"--"}:
            if start >= 0:
                yield body[start:at], False
            start = line_end + 1
            if tail:
                return
        at = body.find(mark, line_end)
    if start >= 0:
        yield body[start:], True


def characters(part: Part) -> str:
    r"""A text leaf decoded: transfer encoding, charset, `\n` line ends; not cleaned, flowed lines joined."""
    data = _transferred(part)
    label = part.parameters.get("charset", "")
    if part.type == "text/html" and not label:
        meta = _META_CHARSET.search(data[:2048])
        label = meta[1].decode("ascii", "replace") if meta else ""
    text = decode(data, label)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if part.type == "text/plain" and part.parameters.get("format", "").lower() == "flowed":
        return _unflowed(text, part.parameters.get("delsp", "").lower() == "yes")
    return text


def _transferred(part: Part) -> bytes:
    named = _TOKEN.search(without_comments(part.headers.first("content-transfer-encoding")).lower())
    match named[0] if named else "":
        case "base64":
            return base64(part.body)
        case "quoted-printable":
            return binascii.a2b_qp(part.body)
        case _:
            return part.body


def _unflowed(text: str, delete_space: bool) -> str:
    """RFC 3676: a line ending in a space goes on in the next of the same quote depth; stuffing is undone."""
    lines: list[str] = []
    paragraph: list[str] = []
    depth = 0
    for line in text.split("\n"):
        said = line.lstrip(">")
        here = len(line) - len(said)
        said = said.removeprefix(" ")
        stands_alone = said in {"", "-- "}
        if paragraph and (stands_alone or here != depth):
            lines.append(_quoted(depth, paragraph))
            paragraph = []
        depth = here
        flows = said.endswith(" ") and not stands_alone
        paragraph.append(said[:-1] if flows and delete_space else said)
        if not flows:
            lines.append(_quoted(depth, paragraph))
            paragraph = []
    return "\n".join([*lines, _quoted(depth, paragraph)] if paragraph else lines)


def _quoted(depth: int, paragraph: list[str]) -> str:
    return ">" * depth + " " * (depth > 0) + "".join(paragraph)
