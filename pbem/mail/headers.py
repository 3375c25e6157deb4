"""Header fields from bytes: splitting, unfolding, encoded words, parameters, message identifiers.

What lives here: RFC 5322 and RFC 2047/2231 as mail really comes. What never may: what a field means
for the game, and bodies. Line ends are `\\n` alone from here on (`unify` makes them so).
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote_to_bytes

from pbem.mail.chars import decode, one_line
from pbem.mail.limits import Limits
from pbem.mail.remembering import remembered

_FIELD = re.compile(r"^([!-9;-~]+)[ \t]*:(.*)$", re.MULTILINE)
_ENCODED_WORD = re.compile(r"=\?([^?\s]{1,60})\?([bBqQ])\?([^?]*)\?=")
_PARAMETER = re.compile(
    r'(?<=[;\s])([a-z0-9_.-]{1,40})(\*\d{1,2})?(\*)?\s*=\s*("(?:[^"\\]|\\.)*"|[^;\s]*)', re.IGNORECASE
)
_MESSAGE_ID = re.compile(r"<([^<>\s]{1,990})>")
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]+")
_OUTSIDE = re.compile(r'"(?:[^"\\]|\\.)*"?|\\.|\(|[^"\\(]+|\\', re.DOTALL)
_INSIDE = re.compile(r"\\.|[()]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Headers:
    """The fields of one header block, top first: lower-case names, unfolded values, nothing decoded yet.

    `fault` says which limit the block broke, "" for none. A longer field is cut, more of them are left out.
    """

    fields: tuple[tuple[str, str], ...] = ()
    fault: str = ""
    _values: dict[str, list[str]] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name, value in self.fields:
            self._values.setdefault(name, []).append(value)

    def all(self, name: str) -> list[str]:
        """Every value of the field, top first."""
        return self._values.get(name, [])

    def first(self, name: str) -> str:
        """The topmost value of the field, or ""."""
        return self._values.get(name, [""])[0]

    def has(self, name: str) -> bool:
        """Whether the field stands there at all."""
        return name in self._values


def unify(raw: bytes) -> bytes:
    r"""`raw` with `\n` for each line end: CRLF, bare CR, and the CR CR LF of a twice converted mail."""
    if b"\r" not in raw:
        return raw
    lines = raw.splitlines()
    if len(lines) != raw.count(b"\n") + (not raw.endswith(b"\n")):  # there are others than CRLF
        return raw.replace(b"\r\r\n", b"\n").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return b"\n".join([*lines, b""] if raw.endswith((b"\r", b"\n")) else lines)


def split(raw: bytes, limits: Limits) -> tuple[Headers, bytes]:
    """The header block of a mail or MIME part, and the bytes below it. Lines that are no field are skipped."""
    head, _, below = (b"", b"", raw[1:]) if raw.startswith(b"\n") else raw.partition(b"\n\n")
    fault = (
        f"the headers are longer than {limits.header_block} bytes" if len(head) > limits.header_block else ""
    )
    fields = _fields(head[: limits.header_block].replace(b"\n ", b" ").replace(b"\n\t", b"\t"))
    if len(fields) > limits.headers:
        fault, fields = f"there are more than {limits.headers} headers", fields[: limits.headers]
    if len(head) > limits.header:
        if any(name == "from" and len(value) > limits.header for name, value in fields):
            fault = f"From is longer than {limits.header} bytes"
        fields = tuple((name, value[: limits.header]) for name, value in fields)
    return Headers(fields, fault), below


def _fields(unfolded: bytes) -> tuple[tuple[str, str], ...]:
    try:
        text = unfolded.decode("utf-8")
    except UnicodeDecodeError:
        text = "\n".join(map(decode, unfolded.split(b"\n")))
    return tuple((name.lower(), value.strip()) for name, value in _FIELD.findall(text))


def decoded(value: str) -> str:
    """A field for people: encoded words decoded (RFC 2047), one line, cleaned.

    The bytes of neighbours in one charset are joined first, for mailers split a character in two.
    """
    if "=?" not in value:
        return one_line(value)
    shown: list[str] = []
    pending, charset, end = b"", "", 0
    for word in _ENCODED_WORD.finditer(value):
        label, between = word[1].partition("*")[0].lower(), value[end : word.start()]
        if pending and (label != charset or between.strip()):
            shown.append(decode(pending, charset))
            pending = b""
        if end == 0 or between.strip():
            shown.append(between)
        pending, charset, end = pending + _word_bytes(word[2], word[3]), label, word.end()
    return one_line("".join(shown) + decode(pending, charset) + value[end:])


def _word_bytes(encoding: str, coded: str) -> bytes:
    data = coded.encode("utf-8", "replace")
    return base64(data) if encoding in "bB" else binascii.a2b_qp(data, header=True)


def base64(data: bytes) -> bytes:
    """Base64 decoded up to its first padding, whatever else stands between; a cut end gives what is whole."""
    digits = _NOT_BASE64.sub(b"", data.partition(b"=")[0])
    if len(digits) % 4 == 1:
        digits = digits[:-1]
    return binascii.a2b_base64(digits + b"=" * (-len(digits) % 4))


@remembered(60)  # a longer one mostly names a boundary, which no other has
def parameters(value: str) -> tuple[str, Mapping[str, str]]:
    """`text/plain; charset="x"` → ("text/plain", {"charset": "x"}): lower case names, RFC 2231 pieces joined."""
    value = without_comments(value)
    main, found = value.partition(";")[0].strip().partition(" ")[0].lower(), dict[str, str]()
    for name, piece, percent, quoted in _PARAMETER.findall(value):
        plain = _unquoted(quoted)
        if percent:
            plain = decode(unquote_to_bytes(plain.rpartition("'")[2]))
        if piece:
            found[name.lower()] = found.get(name.lower(), "") + plain
        else:
            found.setdefault(name.lower(), plain)
    return main, found


def _unquoted(quoted: str) -> str:
    return re.sub(r"\\(.)", r"\1", quoted.strip('"')) if quoted.startswith('"') else quoted


def without_comments(value: str) -> str:
    """`value` less its (comments), nested as they may be; what stands in "quotes" is no comment."""
    if "(" not in value:
        return value
    kept: list[str] = []
    at = 0
    while token := _OUTSIDE.match(value, at):
        at = token.end()
        if token[0] == "(":
            at = _comment_end(value, at)
        else:
            kept.append(token[0])
    return "".join(kept)


def _comment_end(value: str, at: int) -> int:
    depth = 1
    for sign in _INSIDE.finditer(value, at):
        depth += {"(": 1, ")": -1}.get(sign[0], 0)
        if not depth:
            return sign.end()
    return len(value)


def message_ids(value: str) -> list[str]:
    """The identifiers of a Message-ID, In-Reply-To or References field, each with its angle brackets.

    Whatever stands between the brackets is kept as it is (RFC 5322 is often broken here).
    """
    return [f"<{inner}>" for inner in _MESSAGE_ID.findall(without_comments(value))]
