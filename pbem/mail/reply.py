"""What a person wrote anew in a mail, found in its text: without quotes, attributions, signatures, footers.

What lives here: the finder, which says of each line left out why. What never may: commands, and cutting by guess.
Where in doubt, text stays: an original must show itself by `>`, by a header block, by a line of dashes or by an
attribution. From a proposal's text that its writer closed with `end` nothing is cut, unless an original without marks
begins in it: then the `end` may be another's.
One pass a step, every line looked at up to a bounded length: no mail is slow.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import dropwhile, groupby, islice, takewhile

from pbem.mail import boilerplate, originals
from pbem.mail.enclosed import enclosed_texts
from pbem.mail.message import Cut, LeftOut

_BANNER_LINES = 6
_NARROWEST = 45
"""Characters to which no program wraps lines."""
_STOPS = (".", "!", "]", ":")
_PARAGRAPH_LINES = 60
_DIVIDER = 5
_MOST_RULERS = 200
_MOST_PIECES = 500
"""Looked at in one mail; a person's mail has a few dozen."""
_STROKES = frozenset("-_=*~–—#")
_FEW = 8
"""Lines below a bare `--`, or below a disclaimer, that still are no text."""

_CLEARSIGNED = "-----BEGIN PGP SIGNED MESSAGE-----"
_SIGNATURE = "-----BEGIN PGP SIGNATURE-----"
_SIGNATURE_END = "-----END PGP SIGNATURE-----"

_OWN = "\0"
"""Stands for a line of an enclosed text while the rest is looked at: no mail holds a NUL, no pattern knows one."""


@dataclass(frozen=True, slots=True)
class NewText:
    """What was written anew, "" when nothing was, and what was left out around its pieces, in order."""

    text: str
    cuts: tuple[Cut, ...]


@dataclass(slots=True)
class _Page:
    """The lines of a mail, the same as the steps below see them (left out: "", enclosed: NUL), and why each is left out."""

    lines: list[str]
    seen: list[str] = field(init=False)
    why: list[LeftOut | None] = field(init=False)

    def __post_init__(self) -> None:
        self.seen = list(self.lines)
        self.why = [None] * len(self.lines)

    def leave_out(self, start: int, stop: int, why: LeftOut) -> None:
        self.seen[start:stop] = [""] * (stop - start)
        self.why[start:stop] = [why] * (stop - start)

    def leave_out_end(self, at: int, column: int, why: LeftOut) -> None:
        """Leave out what stands in line `at` from `column` on, as a line of its own."""
        line = self.lines[at]
        self.lines[at : at + 1] = [line[:column], line[column:].strip()]
        self.seen[at : at + 1] = [line[:column], ""]
        self.why[at : at + 1] = [None, why]

    def pieces(self) -> Iterator[range]:
        """The runs of lines that are still in."""
        start = 0
        for at, why in enumerate([*self.why, "quote"]):
            if why is not None:
                if start < at:
                    yield range(start, at)
                start = at + 1


def new_text(whole: str) -> NewText:
    r"""The new text in `whole`, which is clean (chars.py). Pieces between quotes are joined by an empty line.

    No white space at line ends, no two empty lines together, none at either end; `\n` line ends. But the text of a
    proposal that is closed with `end` stands in it as it came, to the byte.
    """
    page = _Page(originals.unglued(whole))
    _leave_out_armour(page)
    _leave_out_banner(page)
    _mask_own_texts(page)
    _leave_out_originals(page)
    for piece in reversed(list(page.pieces())[-_MOST_PIECES:]):  # from the end: lines may be split
        _leave_out_what_was_added(page, piece)
    return _put_together(page)


def _put_together(page: _Page) -> NewText:
    said: list[str] = []
    cuts: list[Cut] = []
    stop = 0
    for why, run in groupby(page.why):
        start, stop = stop, stop + len(list(run))
        if why is None:
            rows = [at for at in range(start, stop) if page.lines[at].strip()]
            said += ["", *_squeezed(page, range(rows[0], rows[-1] + 1))] if rows else []
        elif left := tuple(filter(str.strip, page.lines[start:stop])):
            cuts.append(Cut(max(0, len(said) - 1), why, left))
    return NewText("\n".join(said[1:]), tuple(cuts))


def _squeezed(page: _Page, piece: range) -> Iterator[str]:
    """The lines of a piece without white space at their ends and with one empty line for many; enclosed ones as they are."""
    above = ""
    for at in piece:
        own = page.seen[at] == _OWN
        line = page.lines[at] if own else page.lines[at].rstrip()
        if own or line or above:
            yield line
        above = _OWN if own else line


def _mask_own_texts(page: _Page) -> None:
    """Hide the texts whose `end` is the writer's own: neither marked, nor in an original without marks."""
    found = list(enclosed_texts(page.seen))
    until = len(originals.quoted(page.seen)) if found else 0
    for text in found:
        if text.stop <= until:
            page.seen[text.start : text.stop] = [_OWN] * len(text)


def _leave_out_armour(page: _Page) -> None:
    """Take a clear-signed text (RFC 9580 7) out of its armour."""
    lines = page.lines
    if _CLEARSIGNED not in lines:
        return
    start = lines.index(_CLEARSIGNED)
    begin = next((at + 1 for at in range(start, len(lines)) if not lines[at].strip()), len(lines))
    signature = lines.index(_SIGNATURE, begin) if _SIGNATURE in lines[begin:] else len(lines)
    end = lines.index(_SIGNATURE_END, signature) + 1 if _SIGNATURE_END in lines[signature:] else len(lines)
    lines[begin:signature] = page.seen[begin:signature] = [
        line.removeprefix("- ") for line in lines[begin:signature]
    ]
    page.leave_out(start, begin, "armour")
    page.leave_out(signature, end, "armour")


def _leave_out_banner(page: _Page) -> None:
    """A gateway's warning at the very top, which may be wrapped over a few lines."""
    lines = page.seen
    first = next((at for at, line in enumerate(lines) if line.strip()), len(lines))
    paragraph = " ".join(takewhile(str.strip, lines[first : first + _BANNER_LINES]))
    if not any(map(boilerplate.is_banner, (paragraph, *lines[first : first + 1]))):
        return
    at = first + 1
    while at < len(lines) and _goes_on(lines, first, at):
        at += 1
    page.leave_out(first, at, "banner")


def _goes_on(lines: list[str], first: int, at: int) -> bool:
    """Whether line `at` belongs to the banner from line `first` on: it warns too, or is the rest of a wrapped sentence."""
    above, line = lines[at - 1].rstrip(), lines[at]
    if not line.strip():
        return at + 1 < len(lines) and boilerplate.goes_on_as_banner(lines[at + 1], adjacent=False)
    if boilerplate.goes_on_as_banner(line, adjacent=bool(above)):
        return True
    if lines[first].lstrip().startswith("[") and "]" not in "".join(lines[first:at]):
        return at < first + _BANNER_LINES
    return bool(above) and not above.endswith(_STOPS) and _is_wrapped(lines[first:at], line)


def _is_wrapped(above: list[str], line: str) -> bool:
    """Whether the first word of `line` would not have fitted at the end of the last line above it."""
    width = max(_NARROWEST, *map(len, above))
    return len(above[-1].rstrip()) + 1 + len(line.split(maxsplit=1)[0]) > width


def _leave_out_originals(page: _Page) -> None:
    found = originals.quoted(page.seen)
    for quoted, run in groupby(range(len(found)), found.__getitem__):
        if quoted:
            rows = list(run)
            page.leave_out(rows[0], rows[-1] + 1, "quote")
    page.leave_out(len(found), len(page.lines), "original")


def _leave_out_what_was_added(page: _Page, piece: range) -> None:
    """The signature of a piece, and what programs add below it."""
    end = _end_above(page, piece, _signature(page.seen[piece.start : piece.stop]), "signature")
    end = _end_above(page, range(piece.start, end), _footer(page.seen[piece.start : end]), "footer")
    cut = end < piece.stop
    said = page.seen[piece.start : end]
    while said and (added := _added(said, below_is_cut=cut)):
        size, why = added
        end = piece.start + len(said)
        if why:
            cut = True
            page.leave_out(end - size, end, why)
        del said[-size:]
    _leave_out_phone_words(page, piece.start, piece.start + len(said))


def _end_above(page: _Page, piece: range, size: int, why: LeftOut) -> int:
    """Leave out a piece from its line number `size` on; where what is kept ends."""
    if size < len(piece):
        page.leave_out(piece.start + size, piece.stop, why)
    return piece.start + size


def _added(lines: list[str], *, below_is_cut: bool) -> tuple[int, LeftOut | None] | None:
    """How many lines at the end are empty or a program's, and why; None when the last one is the writer's."""
    line = lines[-1].strip()
    if not line:
        return 1, None
    if boilerplate.RULER.fullmatch(line):
        return (1, "footer") if below_is_cut or _divides(line) else None
    if _is_phones(lines[-2:]):
        return 2, "phone"
    if boilerplate.is_phone_line(line):
        return 1, "phone"
    paragraph = _last_paragraph(lines)
    said = " ".join(paragraph)
    if paragraph and boilerplate.is_disclaimer(said):
        return len(paragraph), "disclaimer"
    return (len(paragraph), "footer") if paragraph and boilerplate.is_advertisement(said) else None


def _is_phones(two: list[str]) -> bool:
    """Whether a phone's words stand on two lines, wrapped or with a link below."""
    above, line = two[0].strip() if len(two) > 1 else "", two[-1].strip()
    if boilerplate.is_link(line):
        return boilerplate.is_phone_line(above.rstrip(":"))
    return bool(above) and boilerplate.is_phone_line(f"{above} {line}")


def _leave_out_phone_words(page: _Page, start: int, end: int) -> None:
    """What a phone glued to the last line, if more of its making was left out below."""
    if end <= start or end == len(page.lines):
        return
    last = page.seen[end - 1]
    if (column := boilerplate.phone_words_at_end(last)) < len(last):
        page.leave_out_end(end - 1, column, "phone")


def _signature(lines: list[str]) -> int:
    """Where `-- ` stands (RFC 3676 4.3), else the end; a bare `--` counts when little stands below it."""
    if "-- " not in lines and "--" not in lines:  # told fast
        return len(lines)
    said = [at for at, line in enumerate(lines) if line.strip()]
    near_end = said[-_FEW - 1] if len(said) > _FEW else 0
    return next(
        (at for at, line in enumerate(lines) if line == "-- " or (line == "--" and at >= near_end)),
        len(lines),
    )


def _footer(lines: list[str]) -> int:
    """Where a ruler stands under which a mailing list speaks, or a lawyer; else the end."""
    rulers = (at for at, line in enumerate(lines) if line[:1] in _STROKES and _divides(line))
    for at in islice(rulers, _MOST_RULERS):
        if boilerplate.speaks_for_a_list(lines[at + 1 : at + 7]) or _are_lawyers(lines, at + 1):
            return at
    return len(lines)


def _divides(line: str) -> bool:
    return len(line) >= _DIVIDER and bool(boilerplate.RULER.fullmatch(line.strip()))


def _are_lawyers(lines: list[str], at: int) -> bool:
    """Whether the paragraph from line `at` on is a disclaimer, and little follows it."""
    if len(lines) - at > 2 * _PARAGRAPH_LINES:
        return False
    rest = list(dropwhile(lambda line: not line.strip(), lines[at:]))
    paragraph = list(takewhile(str.strip, rest))
    below = sum(1 for line in rest[len(paragraph) :] if line.strip())
    return below <= _FEW and bool(paragraph) and boilerplate.is_disclaimer(" ".join(paragraph))


def _last_paragraph(lines: list[str]) -> list[str]:
    size = 0
    for line in reversed(lines[-_PARAGRAPH_LINES:]):
        if not line.strip() or boilerplate.RULER.fullmatch(line.strip()[: _DIVIDER * 40]):
            break
        size += 1
    return lines[len(lines) - size :] if size else []
