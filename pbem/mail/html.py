"""HTML mail to the text a person wrote in it, with what is quoted marked `> ` as in plain mail.

What lives here: the walk over the tree (a stack, never recursion: trees can be as deep as a mail is
long) and the marks by which mailers tag quotes. What never may: cutting the quotes (`reply` does).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pbem.mail.remembering import remembered

_SILENT = {"script", "style", "head", "title", "template", "noscript", "object", "svg", "-comment"}
_STRUCK = {"s", "strike", "del"}
_BLOCKS = {
    *("address", "article", "aside", "blockquote", "body", "center", "dd", "details", "div"),
    *("dl", "dt", "fieldset", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6"),
    *("header", "hr", "html", "li", "main", "nav", "ol", "p", "pre", "section", "summary"),
    *("table", "tbody", "tfoot", "thead", "tr", "ul"),
}
_APART = {"p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "pre", "hr", "table", "blockquote"}
_QUOTE_CLASSES = {
    "gmail_quote",
    "gmail_quote_container",
    "gmail_attr",
    "moz-cite-prefix",
    "moz-forward-container",
    "protonmail_quote",
    "protonmail_signature_block",
    "tutanota_quote",
    "EmailQuote",
    "zmail_extra",
    "ms-outlook-mobile-reference-message",
    "AppleOriginalContents",
    # No quotes, but not written anew either.
    "gmail_signature",
    "gmail_signature_prefix",
    "moz-signature",
}
_QUOTE_NAMES = {"quote", "quoted-content"}
_QUOTE_IDS = {
    "OLK_SRC_BODY_SECTION",
    "mail-editor-reference-message-container",
    "isForwardContent",
    "zmail_extra",
    # Signatures again, of phones.
    "composer_signature",
    "ymail_android_signature",
    "ymail_ios_signature",
    "ms-outlook-mobile-signature",
}
_ALL_AFTER_IDS = {"divRplyFwdMsg", "appendonsend"}
_WORDS_TIGHT = {"MsoNormal", "MsoListParagraph"}
_LONGEST_EMOJI = 8
_SHORT_STYLE = 500
"""Characters of a style that is remembered: programs give the same few to thousands of elements."""


class _Style(NamedTuple):
    """What the style of an element means for its text."""

    hidden: bool
    struck: bool
    divides: bool
    """Outlook draws this above an original."""
    lists: bool
    """Word draws the mark of a list item in it."""
    preformatted: bool
    tight: bool
    unframed: bool


_NO_STYLE = _Style(*([False] * 7))
_STYLE_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all|"
        r"(?:font-size|max-height|opacity)\s*:\s*0(?![.\d])",
        r"text-decoration(?:-[a-z]{1,12}){0,2}\s*:[^;]{0,40}line-through",
        r"border-top:\s*solid\s+#(?:e1e1e1|b5c4df)",
        r"mso-list\s*:\s*ignore",
        r"white-space\s*:\s*(?:pre|break-spaces)",
        r"margin(?:-top)?\s*:\s*0",
        r"border(?:-left)?\s*:\s*(?:none|0)",
    )
)
_LEVEL = re.compile(r"mso-list\s*:[^;]{0,20}level([1-9])", re.IGNORECASE)
_NUMBERED = re.compile(r"\w{1,4}[.)]")
_BLANKS = re.compile(r"[ \t\n\r\f]+")
_SHORT = 32_768
_MOST_WORDS = 8_000
_WORD = re.compile(r"[^\s/>=]+")
# Elements that HTML closes by itself, or that hold nothing, open no further level.
_TAG = re.compile(
    r"<(/?)(?!(?:p|li|t[dhr]|tbody|thead|tfoot|d[dt]|option|br|hr|img|meta|link|input|col|area|base|wbr|html|head|body)"
    r"[^a-z0-9])[a-z]",
    re.IGNORECASE,
)


@dataclass(slots=True)
class _List:
    ordered: bool
    number: int
    depth: int
    begun: bool = False

    def mark(self) -> str:
        indent = "  " * (self.depth - 1)
        self.number += 1
        self.begun = True
        return f"{indent}{self.number}. " if self.ordered else f"{indent}- "


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in the tree a node stands: inside a quote, preformatted text, a list."""

    quoted: bool = False
    preformatted: bool = False
    list: _List | None = None


class _Close(NamedTuple):
    """What the end of an element does: ends its line, leaves a gap, forgets an unused list mark."""

    line: bool
    gap: bool
    item: bool


@dataclass(slots=True)
class _Page:
    """The lines written so far, and the one being written."""

    lines: list[str] = field(default_factory=list)
    line: list[str] = field(default_factory=list)
    quoted: bool = False
    all_after: bool = False
    gap: bool = False
    mark: str = ""
    struck: bool = False

    def text(self, words: str, place: _Place) -> None:
        quoted = place.quoted or self.all_after
        if quoted != self.quoted:
            self.end_line()
        self.quoted = quoted
        first, *rest = words.split("\n") if place.preformatted else [words]
        self.line.append(first.replace(" ", "\xa0") if place.preformatted else first)
        for line in rest:
            self.end_line(always=True)
            self.line.append(line.replace(" ", "\xa0"))

    def quote(self, words: str) -> None:
        """Lines that are quoted, as they come."""
        self.end_line()
        self.lines += [f"> {line}" for line in map(str.strip, words.split("\n")) if line]
        self.quoted, self.gap, self.mark = True, False, ""

    def end_line(self, *, always: bool = False) -> None:
        if not self.line and not always:
            return
        drawn = "".join(self.line)
        if not drawn.isprintable() or "  " in drawn:
            drawn = _BLANKS.sub(" ", drawn)
        drawn = drawn.strip(" ")
        self.line.clear()
        if not drawn and not always:
            return
        said = drawn.replace("\xa0", " ").rstrip()
        if said and self.gap and self.lines and self.lines[-1].strip("> "):
            self.lines.append("")
        if said:
            said, self.mark, self.gap = self.mark + said, "", False
        self.lines.append(f"> {said}" if self.quoted else said)

    def close(self, end: _Close) -> None:
        if end.line:
            self.end_line()
        self.gap = self.gap or end.gap
        self.mark = "" if end.item else self.mark


class Written(NamedTuple):
    """The text of an HTML mail with quoted lines marked `> `, whether words struck out were left out of it,
    and whether it goes on, unquoted, beyond what was read."""

    text: str
    struck: bool
    cut: bool


def to_text(html: str, depth: int) -> Written:
    """What is written in an HTML mail. Hidden text is left out, lists become `- ` and `1. `.

    What lies deeper than `depth` elements is not read, nor what follows it.
    """
    affordable = html[: _affordable(html, depth)]
    root = LexborHTMLParser(affordable).root
    page = _Page()
    if root is not None:
        _walk(root, page)
    page.end_line()
    return Written("\n".join(page.lines), page.struck, affordable != html and not page.quoted)


def _affordable(html: str, depth: int) -> int:
    """Up to where `html` can be parsed in time.

    The parser's cost grows with the square of the elements open at once, and of the attributes of one
    tag. Those have different names, so there are no more of them than there are different words.
    """
    level = 0
    end = len(html) if len(html) < _SHORT else _end_of_words(html)
    if (
        html.count("<", 0, end) - html.count("</", 0, end) <= depth
        or _TAG.findall(html, 0, end).count("") <= depth
    ):
        return end
    for tag in _TAG.finditer(html, 0, end):
        level = max(0, level - 1) if tag[1] else level + 1
        if level > depth:
            return tag.start()
    return end


def _end_of_words(html: str) -> int:
    seen: set[str] = set()
    for word in _WORD.finditer(html):
        seen.add(word[0])
        if len(seen) > _MOST_WORDS:
            return word.start()
    return len(html)


def _walk(root: LexborNode, page: _Page) -> None:
    """Every node in document order. An element puts its own end on the stack, below its children.

    What is quoted is taken whole: how it is laid out does not matter, and mails are mostly quotes.
    """
    stack: list[tuple[LexborNode | _Close, _Place]] = [(root, _Place())]
    while stack:
        node, place = stack.pop()
        if isinstance(node, _Close):
            page.close(node)
        elif node.is_text_node:
            page.text(node.text_content or "", place)
        elif node.is_element_node and (opened := _open(node, page, place)):
            inner, end = opened
            if inner.quoted or page.all_after:
                page.quote(node.text(deep=True, separator="\n"))
                page.close(end)
            else:
                stack.append((end, place))
                stack.extend((child, inner) for child in reversed(_children(node)))


def _children(node: LexborNode) -> list[LexborNode]:
    found: list[LexborNode] = []
    child = node.first_child
    while child is not None:
        found.append(child)
        child = child.next
    return found


def _open(node: LexborNode, page: _Page, place: _Place) -> tuple[_Place, _Close] | None:
    """Begin an element; None when nothing inside it counts."""
    tag, given = node.tag or "", node.attributes
    style = _style(given.get("style") or "")
    if tag in _SILENT or style.hidden or "hidden" in given:
        return None
    if tag in _STRUCK or style.struck:
        page.struck = page.struck or not (place.quoted or page.all_after)
        return None
    if style.divides or given.get("id") in _ALL_AFTER_IDS:
        page.all_after = True
    if style.lists:
        page.mark = _list_mark(node)
        return None
    if not place.quoted and _is_quote(tag, given, style) and not _holds_answers(node, tag):
        place = replace(place, quoted=True)
    if tag == "pre" or style.preformatted:
        place = replace(place, preformatted=True)
    return _begin(tag, given, page, place, _is_apart(tag, given, style, place))


def _style(said: str) -> _Style:
    return _read_style(said) if said else _NO_STYLE


@remembered(_SHORT_STYLE)
def _read_style(said: str) -> _Style:
    return _Style(*(bool(pattern.search(said)) for pattern in _STYLE_PATTERNS))


def _is_quote(tag: str, given: dict[str, str | None], style: _Style) -> bool:
    classes = (given.get("class") or "").split()
    return (
        (tag == "blockquote" and (not style.unframed or given.get("type") == "cite"))
        or not _QUOTE_CLASSES.isdisjoint(classes)
        or any(name.endswith("yahoo_quoted") for name in classes)
        or given.get("name") in _QUOTE_NAMES
        or given.get("id") in _QUOTE_IDS
    )


def _holds_answers(node: LexborNode, tag: str) -> bool:
    """Whether the element only frames an attribution and quotes of its own, between which answers may stand."""
    before: list[str] = []
    for child in _children(node) if tag == "div" else ():
        if child.tag == "blockquote":
            return "".join(before).rstrip().endswith(":")
        before.append(child.text(deep=True) if child.is_element_node else child.text_content or "")
    return False


def _list_mark(node: LexborNode) -> str:
    """The mark that Word drew for a list item, as lists have it here."""
    drawn = _NUMBERED.match(node.text(deep=True).strip())
    level = _LEVEL.search((node.parent.attributes.get("style") if node.parent else None) or "")
    return "  " * (int(level[1]) - 1 if level else 0) + (f"{drawn[0]} " if drawn else "- ")


def _is_apart(tag: str, given: dict[str, str | None], style: _Style, place: _Place) -> bool:
    """Whether an empty line stands around the element: not in a list, nor where its margin is taken away."""
    if tag not in _APART or place.list or style.tight:
        return False
    return _WORDS_TIGHT.isdisjoint((given.get("class") or "").split())


def _begin(
    tag: str, given: dict[str, str | None], page: _Page, place: _Place, apart: bool
) -> tuple[_Place, _Close]:
    if tag == "img":
        page.text(_emoji(given.get("alt") or ""), place)
    if tag in _BLOCKS or tag == "br":
        page.end_line(always=tag == "br")
    elif tag in {"td", "th"} and page.line:
        page.line.append(" ")
    page.gap = page.gap or apart
    if tag in {"ul", "ol"}:
        depth = place.list.depth + 1 if place.list else 1
        place = replace(place, list=_List(tag == "ol", _number(given.get("start")) - 1, depth))
    elif tag == "li" and place.list:
        page.gap = page.gap and not place.list.begun
        place.list.number = _number(given["value"]) - 1 if given.get("value") else place.list.number
        page.mark = place.list.mark()
    return place, _Close(tag in _BLOCKS, apart, tag == "li")


def _emoji(alt: str) -> str:
    """What a picture that stands for an emoji says, "" for any other picture."""
    return alt if len(alt) <= _LONGEST_EMOJI and not any(sign < "\u2000" for sign in alt) else ""


def _number(said: str | None) -> int:
    return int(said) if said and re.fullmatch(r"[0-9]{1,6}", said) else 1
