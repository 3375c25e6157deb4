"""Which lines of a mail are of an older mail: marked `>`, attributed, or under a header block or a line of dashes.

What lives here: the tests of lines and their neighbours. What never may: signatures and footers, and cutting by guess:
an original without marks must show itself by three header labels, by words that say so, or by a full attribution.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from pbem.mail import phrases
from pbem.mail.enclosed import enclosed_texts

_LOOKED_AT = 400
"""Characters of a line (or of an attribution over several lines) that are compared with patterns."""
_NAMED_ENDS = (">:", "> :", ">：", ">):")
"""How an attribution without a verb ends: with the address."""
_OPENING = 80
"""Characters that a line opening an original has at most, or a label."""
_WRAPPED_OVER = 4
_BLOCK_LINES = 12
_DASHES = ("--", "__", "==", "*-")
_FIRST_LABELS = {"from", "sent", "to", "subject"}
_FRAMED_AT_LEAST = 10
_FRAMES = ("--", "––", "——", ">>>")
_MOST_SUSPECTS = 1_000
"""Lines looked at closely in one mail; a person's mail has a few dozen."""
_MAY_QUOTE = {">", " ", "\t"}
_COLONS = (":", "：")
_VERB_AT_END = 24
_MOST_GLUED = 20
"""Lines taken apart in one mail; a person's mail has one."""

_FRAMED = re.compile(r"(?:[-–—]{3,40}\s*(\S.{4,300}?)\s*:?\s*[-–—]{2,40}|>{3}\s*(\S.{4,300}?)\s*>{3})")
_GLUED_ORIGINAL = re.compile(r"[-_=]{4,40}\s?[^-_=]{6,60}[-_=]{4,40}")
_GLUED_ATTRIBUTION = re.compile(r"^\s{0,8}\S.{10,300}?[>\w](?::|：)(?=\s{2,8}\S)")


def unglued(whole: str) -> list[str]:
    """The lines of `whole`, those taken apart in which a program ran an original together with what stands around it."""
    lines = whole.split("\n")
    if "----" not in whole and ":  " not in whole:
        return lines
    suspects = [at for at, line in enumerate(lines) if _may_be_glued(line)][:_MOST_GLUED]
    if not suspects:
        return lines
    kept = {at for text in enclosed_texts(lines) for at in text}
    apart = {at: list(_apart(lines[at])) for at in suspects if at not in kept}
    return [piece for at, line in enumerate(lines) for piece in apart.get(at, [line])]


def _may_be_glued(line: str) -> bool:
    return ("----" in line or ":  " in line) and not line.lstrip().startswith(">")


def _apart(line: str) -> Iterator[str]:
    if (found := _GLUED_ORIGINAL.search(line[: 2 * _LOOKED_AT])) and _says_older(found[0]):
        yield from filter(str.strip, (line[: found.start()], found[0], line[found.end() :]))
    elif (found := _GLUED_ATTRIBUTION.match(line)) and _attributes(found[0].strip(), adjacent=False):
        yield from (found[0], line[found.end() :])
    else:
        yield line


def quoted(lines: list[str]) -> list[bool]:
    """For each line whether it is quoted or attributes a quote; shorter than `lines` where an original begins."""
    found = [line[:1] in _MAY_QUOTE and _is_quote(lines, at) for at, line in enumerate(lines)]
    suspects = (at for at, line in enumerate(lines) if not found[at] and _is_suspect(line))
    for at in islice(suspects, _MOST_SUSPECTS):
        if _begins_original(lines, at):
            return found[:at]
        if _may_attribute(lines[at]):
            below = next((found[n] for n in range(at + 1, len(lines)) if lines[n].strip()), None)
            start = _attribution(lines, found, at, below)
            if start < at + 1 and below is False:
                return found[:start]
            found[start : at + 1] = [True] * (at + 1 - start)
    return found


def _is_suspect(line: str) -> bool:
    return bool(line) and (
        _may_attribute(line) or _says_opening(line) or _label(line.strip()) in _FIRST_LABELS
    )


def _is_quote(lines: list[str], at: int) -> bool:
    """A line marked `>`, unless that only closes the address of an attribution broken after it, or frames one."""
    line = lines[at]
    if line[0] != ">" and not line.lstrip().startswith(">"):
        return False
    if not line.endswith((":", ">>>")):
        return True
    above = lines[at - 1] if at and line.endswith(":") else ""
    return above.count("<") <= above.count(">") and not _framed(line)


def _may_attribute(line: str) -> bool:
    said = line[-_VERB_AT_END:].rstrip()
    return said.endswith(_COLONS) or bool(phrases.ENDS_IN_VERB.search(said)) or bool(_framed(line))


def _framed(line: str) -> str:
    """What stands between dashes or `>>>` on both sides, if that attributes an original; else ""."""
    if (
        not line.startswith(_FRAMES)
        or not len(line) > _FRAMED_AT_LEAST
        or not line.rstrip().endswith(_FRAMES)
    ):
        return ""
    found = _FRAMED.fullmatch(line[:_LOOKED_AT].strip())
    inner = (found[1] or found[2]).strip(" *:") if found else ""
    return inner if _names_and_dates(inner) or _attributes(inner, adjacent=False) else ""


def _names_and_dates(said: str) -> bool:
    verb, clock = phrases.WROTE.search(said), phrases.CLOCK.search(said)
    return bool(phrases.ADDRESS.search(said) and (verb or clock))


def _begins_original(lines: list[str], at: int) -> bool:
    """Whether an original without marks begins here: a line of dashes that says so, or a header block."""
    return _says_opening(lines[at]) or (
        _label(lines[at].strip()) in _FIRST_LABELS and _header_block(lines, at)
    )


def _says_opening(line: str) -> bool:
    line = line.strip()
    if len(line) > _OPENING:
        return False
    inner = line.strip("-–—_*=># \t").lower().rstrip(": ")
    return inner in phrases.OPENINGS or (line.startswith(_DASHES) and _says_older(line))


def _says_older(line: str) -> bool:
    return bool(phrases.OLDER.search(line) and phrases.LETTER.search(line))


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


def _attribution(lines: list[str], found: list[bool], at: int, below: bool | None) -> int:
    """Where the attribution that ends in line `at` begins, or `at + 1` when it is none.

    `below` says whether a quote follows (None: nothing does): then little proof is enough. Without one it takes a
    verb or an opening, a clock time, and an address or a year, for all that follows is dropped with it.
    """
    if _framed(lines[at]):
        return at
    adjacent = below is not False
    if not below and not lines[at].rstrip().endswith(_COLONS):
        return at + 1
    complete: list[int] = []
    joined = ""
    for start in range(at, max(-1, at - _WRAPPED_OVER), -1):
        line = lines[start].strip()
        if not line or found[start] or (start < at and line.endswith((".", "!", "?", ":"))):
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
