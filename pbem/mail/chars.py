"""Bytes to characters: charset labels as they are really used, and characters nobody meant to send.

What lives here: decoding and cleaning that cannot fail. What never may: headers, MIME, meaning.
"""

from __future__ import annotations

import re

_ALIASES = {
    "utf8": "utf-8",
    "utf16": "utf-16",
    "utf16le": "utf-16-le",
    "utf16be": "utf-16-be",
    "iso88591": "cp1252",
    "latin1": "cp1252",
    "l1": "cp1252",
    "ibm819": "cp1252",
    "iso88599": "cp1254",
    "latin5": "cp1254",
    "iso885911": "cp874",
    "tis620": "cp874",
    "iso88598i": "iso8859-8",
    "latin2": "iso8859-2",
    "latin9": "iso8859-15",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "gb18030": "gb18030",
    "cp936": "gb18030",
    "euccn": "gb18030",
    "hzgb2312": "hz",
    "ksc5601": "cp949",
    "ksc56011987": "cp949",
    "euckr": "cp949",
    "uhc": "cp949",
    "iso2022kr": "iso2022_kr",
    "shiftjis": "cp932",
    "sjis": "cp932",
    "xsjis": "cp932",
    "mskanji": "cp932",
    "eucjp": "euc_jp",
    "iso2022jp": "iso2022_jp_2",
    "big5": "cp950",
    "big5hkscs": "big5hkscs",
    "koi8r": "koi8-r",
    "koi8u": "koi8-u",
    "macintosh": "mac-roman",
    "macroman": "mac-roman",
}
# Code pages that are named alike by everybody, also as "windows-1250", "cp-850", "ibm437", "x-cp1250".
_PAGES = {
    *(str(page) for page in range(1250, 1259)),
    *("437", "850", "852", "855", "857", "858", "862", "865", "866", "874", "932", "949", "950"),
}
_ISO = {str(part) for part in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)}
_PAGE = re.compile(r"x?(?:windows|cp|ibm|win)(\d{3,4})")

_LINE_ENDS = "\x85\u2028\u2029"
_SPACES = "\xa0\u2000-\u200a\u202f\u205f"
_NOISE = (
    "\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f"  # controls
    "\xad\u034f\u061c\u180e\u200b\u200e\u200f\u2060-\u2064\ufeff"  # zero width
    "\u202a-\u202e\u2066-\u206f"  # bidi
    "\ud800-\udfff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f"
)
_ODD = re.compile(f"[{_LINE_ENDS}{_SPACES}{_NOISE}]")
_SPACE_OR_END = {
    **dict.fromkeys(_LINE_ENDS, "\n"),
    **dict.fromkeys(("\xa0", "\u202f", "\u205f", *map(chr, range(0x2000, 0x200B))), " "),
}
# A joiner belongs between two emoji or letters of scripts that join; beside a Latin letter it only hides.
_JOINED = "[^\x00-\u024f\u200c\u200d]"
_STRAY_JOINER = re.compile(f"[\u200c\u200d](?!{_JOINED})|(?<!{_JOINED})[\u200c\u200d]")


def codec(label: str) -> str | None:
    """The Python codec for a charset label, repaired (latin-1 is cp1252, gb2312 is gb18030 …), or None.

    None is for us-ascii, for labels nobody knows, and for codecs that are no charset of mail (utf-7,
    idna, hex): such bytes are UTF-8 if they can be, else cp1252. The list is closed on purpose.
    """
    words = label.strip(" \t\"'").split(maxsplit=1)
    plain = "".join(filter(str.isalnum, words[0][:40].lower())) if words else ""
    if plain in _ALIASES:
        return _ALIASES[plain]
    if plain.startswith("iso8859") and plain[7:] in _ISO:
        return f"iso8859-{plain[7:]}"
    page = _PAGE.fullmatch(plain)
    return f"cp{page[1]}" if page and page[1] in _PAGES else None


def decode(data: bytes, label: str = "") -> str:
    """`data` as text by its charset label, by UTF-8 or by cp1252, whichever fits first. Never fails.

    What is UTF-8 to the last byte and calls itself latin-1 is UTF-8: nobody writes such rows of accents.
    """
    named = codec(label) if label else None
    for name in (named, "utf-8") if named != "cp1252" else ("utf-8", named):
        if name:
            try:
                return data.decode(name)
            except UnicodeDecodeError:
                continue
    if named not in {None, "utf-8"}:
        return data.decode(str(named), "replace")
    return _damaged_utf8(data) if named else data.decode("cp1252", "replace")


def _damaged_utf8(data: bytes) -> str:
    """Labelled UTF-8 and not it: characters in two halves, a broken mail if most of it reads well, else cp1252."""
    try:
        halves = data.decode("utf-8", "surrogatepass")
        return halves.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
    except UnicodeDecodeError:
        pass
    text = data.decode("utf-8", "replace")
    good = sum(1 for sign in text if sign > "\x7f" and sign != "\ufffd")
    return text if good > text.count("\ufffd") else data.decode("cp1252", "replace")


def clean(text: str) -> str:
    r"""`text` with `\n` line ends only, odd spaces plain, and no control, bidi or zero-width characters.

    A bare carriage return is a line end. Tabs stay. A zero-width joiner stays where scripts join.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    plain = "".join(text.split("\n")).replace("\t", "")  # which is faster than to replace them
    if plain.isprintable() and "\u034f" not in plain:  # nothing else that is odd can be printed: told fast
        return text
    text = _ODD.sub(lambda odd: _SPACE_OR_END.get(odd[0], ""), text)
    if "\u200c" in text or "\u200d" in text:
        text = _STRAY_JOINER.sub("", text)
    return text


def one_line(text: str) -> str:
    """`text` cleaned, every run of white space one space, none at the ends: fit for a header or a title."""
    return " ".join(clean(text).split())
