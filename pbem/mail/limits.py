"""How much of a mail is looked at. What lives here: one table of numbers. What never may: what to do beyond them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds that hold before anything is parsed, so that no mail costs more than a second.

    `mail`, `read`, `header_block`, `header` are bytes (the size taken in, the part of it that is read,
    all headers together, one header); `text` is the characters of new text; `headers`, `parts`, `depth`
    count header fields, MIME parts and levels of multipart; `html_depth` counts open HTML elements,
    whose cost in the parser grows with their square.
    """

    mail: int = 1_048_576
    read: int = 262_144
    text: int = 65_536
    header_block: int = 65_536
    header: int = 8_192
    headers: int = 200
    parts: int = 50
    depth: int = 8
    html_depth: int = 400
