"""What a person wrote anew in a mail, found in its text: without quotes, attributions, signatures, footers.

What lives here: the finder. What never may: commands, and cutting by guess. Where in doubt, text stays: an
original must show itself by `>`, by a header block, by a line of dashes or by an attribution. From a proposal's text
that its writer closed with `end` nothing is cut, unless an original without marks begins in it: then the `end` may
be another's.
One pass a step, every line looked at up to a bounded length: no mail is slow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, takewhile

from pbem.mail import phrases
from pbem.mail.enclosed import enclosed_texts
from pbem.mail.message import Cut

_LOOKED_AT = 400
"""Characters of a line (or of an attribution over several lines) that are compared with patterns."""
_PARAGRAPH = 4_000
_NAMED_ENDS = (">:", "> :", ">：", ">):")
"""How an attribution without a verb ends: with the address."""
_OPENING = 80
"""Characters that a line opening an original has at most, or a label."""
_WRAPPED_OVER = 4
_BANNER_LINES = 6
_PARAGRAPH_LINES = 60
_BLOCK_LINES = 12
_DIVIDER = 5
_STROKES = tuple("-_=*~–—")
_BARE_SIGNATURE_LINES = 8

_CLEARSIGNED = "-----BEGIN PGP SIGNED MESSAGE-----"
_SIGNATURE = "-----BEGIN PGP SIGNATURE-----"
_SIGNATURE_END = "-----END PGP SIGNATURE-----"

_FOLDED = "\0%d."
"""Stands for an enclosed text while the rest is trimmed: no mail holds a NUL, and no pattern knows such a line."""
_FOLD = re.compile("\0([0-9]+)[.]")


@dataclass(frozen=True, slots=True)
class NewText:
    """What was written anew, "" when nothing was, and what was left out below its pieces."""

    text: str
    cuts: tuple[Cut, ...]


def new_text(whole: str) -> NewText:
    r"""The new text in `whole`, which is clean (chars.py). Pieces between quotes are joined by an empty line.

    No white space at line ends, no two empty lines together, none at either end; `\n` line ends. But the text of a
    proposal that is closed with `end` stands in it as it came, to the byte.
    """
    lines, texts = _folded(_without_banner(_unsigned(whole.split("\n"))))
    said: list[str] = []
    cuts: list[Cut] = []
    for piece in (_trimmed(lines, piece) for piece in _pieces(lines)):
        if piece:
            words = _squeezed(lines[piece.start : piece.stop])
            said += ["", *_FOLD.sub(lambda fold: texts[int(fold[1])], words).split("\n")]
            cuts += _cut_below(lines, piece, len(said) - 1)
    return NewText("\n".join(said[1:]), tuple(cuts))


def _cut_below(lines: list[str], piece: range, above: int) -> Iterator[Cut]:
    left = (lines[at] for at in range(piece.stop, len(lines)) if lines[at].strip())
    yield from (Cut(above, row) for row in islice(left, 1))


def _squeezed(lines: list[str]) -> str:
    lines = [line.rstrip() for line in lines]
    kept = [line for above, line in zip(["", *lines], lines, strict=False) if line or above]
    return "\n".join(kept)


def _folded(lines: list[str]) -> tuple[list[str], list[str]]:
    """`lines` with one line in place of each enclosed text in them, and those texts."""
    folded: list[str] = []
    texts: list[str] = []
    at = 0
    for text in _own_texts(lines):
        folded += [*lines[at : text.start], _FOLDED % len(texts)]
        texts.append("\n".join(lines[text.start : text.stop]))
        at = text.stop
    return [*folded, *lines[at:]], texts


def _own_texts(lines: list[str]) -> list[range]:
    """The enclosed texts whose `end` is the writer's own, for it is neither marked nor in an original without marks."""
    found = list(enclosed_texts(lines))
    until = len(_quoted(lines)) if found else 0
    return [text for text in found if text.stop <= until]


def _unsigned(lines: list[str]) -> list[str]:
    """A clear-signed text (RFC 9580 7) without its armour."""
    if _CLEARSIGNED not in lines:
        return lines
    start = lines.index(_CLEARSIGNED)
    begin = next((at + 1 for at in range(start, len(lines)) if not lines[at].strip()), len(lines))
    signature = lines.index(_SIGNATURE, begin) if _SIGNATURE in lines[begin:] else len(lines)
    end = lines.index(_SIGNATURE_END, signature) + 1 if _SIGNATURE_END in lines[signature:] else len(lines)
    return [*lines[:start], *(line.removeprefix("- ") for line in lines[begin:signature]), *lines[end:]]


def _without_banner(lines: list[str]) -> list[str]:
    """`lines` from below a gateway's banner, which may be wrapped over a few lines."""
    first = next((at for at, line in enumerate(lines) if line.strip()), len(lines))
    paragraph = " ".join(takewhile(str.strip, lines[first : first + _BANNER_LINES]))
    if not any(
        phrases.BANNER.match(said.strip()[:_LOOKED_AT]) for said in (paragraph, *lines[first : first + 1])
    ):
        return lines
    at = first + 1
    while at < len(lines) and _goes_on(lines[at - 1], lines[at]):
        at += 1
    return lines[at:]


def _goes_on(above: str, line: str) -> bool:
    wrapped = 55 <= len(above.rstrip()) <= 100
    said = line.strip()[:_LOOKED_AT]
    return bool(said and (wrapped or phrases.BANNER_GOES_ON.search(said) or phrases.BANNER.match(said)))


def _pieces(lines: list[str]) -> Iterator[range]:
    """The runs of lines that are neither quoted nor the attribution of a quote, up to an unmarked original."""
    start = 0
    for at, quoted in enumerate([*_quoted(lines), True]):
        if quoted:
            yield range(start, at)
            start = at + 1


def _quoted(lines: list[str]) -> list[bool]:
    """For each line whether it is quoted or attributes a quote; shorter than `lines` where an original begins."""
    quoted = [_is_quote(above, line) for above, line in zip(["", *lines], lines, strict=False)]
    for at, line in enumerate(lines):
        if quoted[at] or not line.strip():
            continue
        if _begins_original(lines, at):
            return quoted[:at]
        if line.rstrip().endswith((":", "：")):
            below = next((quoted[n] for n in range(at + 1, len(lines)) if lines[n].strip()), None)
            start = _attribution(lines, quoted, at, adjacent=below is not False)
            if start < at + 1 and below is False:
                return quoted[:start]
            quoted[start : at + 1] = [True] * (at + 1 - start)
    return quoted


def _is_quote(above: str, line: str) -> bool:
    """A line marked `>`, unless that only closes the address of an attribution broken after it."""
    if not line.lstrip().startswith(">"):
        return False
    return not (line.endswith(":") and above.count("<") > above.count(">"))


def _begins_original(lines: list[str], at: int) -> bool:
    """Whether an original without marks begins here: a line of dashes that says so, or a header block."""
    line = lines[at].strip()
    if len(line) <= _OPENING:
        inner = line.strip("-–—_*= \t").lower().rstrip(": ")
        if inner in phrases.OPENINGS or (
            inner in phrases.ORIGINALS and line.startswith(("--", "__", "==", "*-"))
        ):
            return True
    return _label(line) in {"from", "sent"} and _header_block(lines, at)


def _label(line: str) -> str:
    head, colon, _ = line[:_OPENING].replace("：", ":").partition(":")
    return phrases.LABELS.get(head.strip(" \t*").lower(), "") if colon else ""


def _header_block(lines: list[str], at: int) -> bool:
    """At least three different header labels, From among them, before the next empty line."""
    kinds: set[str] = set()
    for line in lines[at : at + _BLOCK_LINES]:
        if not line.strip():
            break
        kinds.add(_label(line.strip()))
    return len(kinds - {""}) >= 3 and "from" in kinds


def _attribution(lines: list[str], quoted: list[bool], at: int, *, adjacent: bool) -> int:
    """Where the attribution that ends in line `at` begins, or `at + 1` when it is none.

    `adjacent` says that a quote follows: then little proof is enough. Without one it takes a verb or
    an opening, a clock time, and an address or a year, for all that follows is dropped with it.
    """
    complete: list[int] = []
    joined = ""
    for start in range(at, max(-1, at - _WRAPPED_OVER), -1):
        line = lines[start].strip()
        if not line or quoted[start] or (start < at and line.endswith((".", "!", "?", ":"))):
            break
        joined = f"{line} {joined}".rstrip()
        if len(joined) > _LOOKED_AT:
            break
        if _attributes(joined, adjacent=adjacent):
            if phrases.OPENS.match(line) and (
                start == at or phrases.YEAR.search(line) or phrases.CLOCK.search(line)
            ):
                return start
            complete.append(start)
    if complete:
        return complete[0]
    return at if adjacent and _short_attribution(lines[at].strip()) else at + 1


def _attributes(line: str, *, adjacent: bool) -> bool:
    verb, address = phrases.WROTE.search(line), phrases.ADDRESS.search(line)
    clock, opens = phrases.CLOCK.search(line), phrases.OPENS.match(line)
    if adjacent:
        return bool((verb or address) and (clock or phrases.DATE.search(line)))
    named = address and (verb or (opens and line.endswith(_NAMED_ENDS)))
    return bool(clock and (named or (verb and opens and phrases.YEAR.search(line))))


def _short_attribution(line: str) -> bool:
    """`Nomic wrote:` or `Quoting Nomic <v@x>:` right above a quote."""
    brief = len(line) <= 120 and len(line.split()) <= 8
    return brief and bool(phrases.CITING.match(line) or phrases.WROTE.search(line[-20:]))


def _trimmed(lines: list[str], piece: range) -> range:
    """A piece of `lines` without its signature, without what programs add below, and without blank lines around it."""
    said = _without_footer(_without_signature(lines[piece.start : piece.stop]))
    cut = len(said) < len(piece)
    while said and (size := _added(said, below_is_cut=cut)):
        cut = cut or bool(said[-1].strip())
        del said[-size:]
    first = next((at for at, line in enumerate(said) if line.strip()), 0)
    return range(piece.start + first, piece.start + len(said))


def _added(lines: list[str], *, below_is_cut: bool) -> int:
    """How many lines at the end are empty or a program's, 0 when the last one is the writer's."""
    line = lines[-1].strip()
    if not line or (phrases.RULER.fullmatch(line) and (below_is_cut or len(line) >= _DIVIDER)):
        return 1
    if len(line) <= _LOOKED_AT and phrases.PHONE.fullmatch(line):
        return 1
    paragraph = _last_paragraph(lines)
    return len(paragraph) if _is_appended(" ".join(paragraph)[:_PARAGRAPH]) else 0


def _without_signature(lines: list[str]) -> list[str]:
    """Up to `-- ` (RFC 3676 4.3); a bare `--` counts when little stands below it."""
    said = [at for at, line in enumerate(lines) if line.strip()]
    near_end = said[-_BARE_SIGNATURE_LINES - 1] if len(said) > _BARE_SIGNATURE_LINES else 0
    for at, line in enumerate(lines):
        if line == "-- " or (line == "--" and at >= near_end):
            return lines[:at]
    return lines


def _without_footer(lines: list[str]) -> list[str]:
    """Up to a ruler under which a mailing list speaks."""
    for at, line in enumerate(lines):
        ruler = line[:1] in _STROKES and len(line) >= _DIVIDER and phrases.RULER.fullmatch(line.strip())
        if ruler and any(phrases.LIST_FOOTER.search(below[:_LOOKED_AT]) for below in lines[at + 1 : at + 4]):
            return lines[:at]
    return lines


def _last_paragraph(lines: list[str]) -> list[str]:
    size = 0
    for line in reversed(lines[-_PARAGRAPH_LINES:]):
        if not line.strip() or phrases.RULER.fullmatch(line.strip()[:_LOOKED_AT]):
            break
        size += 1
    return lines[len(lines) - size :] if size else []


def _is_appended(paragraph: str) -> bool:
    disclaimer = phrases.DISCLAIMER.match(paragraph) and phrases.CONFIDENTIAL.search(paragraph)
    return bool(disclaimer or phrases.APPENDED.match(paragraph))
