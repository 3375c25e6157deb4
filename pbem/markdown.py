"""What players wrote, as HTML: Markdown without raw HTML, images, entities, or links that run or lead nowhere.

What lives here: the one way from a player's words to markup. What never may: a tag the player typed. What
is not taken as Markdown stays the text it is: its signs are out of Markdown's sight while it reads and are
put back escaped. The sanitiser behind it is the second fence.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

import cmarkgfm
import nh3
from cmarkgfm.cmark import Options
from markupsafe import Markup, escape

_UNREAD: Final = re.compile(
    r"<"  # tags and autolinks
    r"|(?<=!)\["  # images
    r"|(?<=\])\((?!(?i:https?|mailto):)"  # links to anywhere but the web and mail
    r"|(?<=\]):"  # definitions of links, which would vanish from the text
    r"|&(?=#?\w+;)"  # entities, which can hide any character
    r"|(?m:^(?:[ \t]*(?:>|[-*+][ \t])){10,})"  # quotes in lists in quotes: slow to clean, and nobody reads so deep
)
_SIGNS: Final = "<[(:&->*+"
_STAND_INS: Final = {ord(sign): chr(0xE000 + place) for place, sign in enumerate(_SIGNS)}
"""Private characters that stand for signs while Markdown reads; taken out of any text that brings its own."""
_NOBODYS: Final = dict.fromkeys(map(ord, _STAND_INS.values()))
_BACK: Final = {ord(stand_in): str(escape(chr(sign))) for sign, stand_in in _STAND_INS.items()}

_CLEANER: Final = nh3.Cleaner(
    tags={
        *("a", "blockquote", "br", "code", "em", "hr", "li", "ol", "p", "pre", "strong", "ul"),
        *("h1", "h2", "h3", "h4", "h5", "h6"),
    },
    attributes={"*": set(), "a": {"href"}, "ol": {"start"}},
    url_schemes={"http", "https", "mailto"},
    url_relative="deny",
    link_rel="nofollow noopener noreferrer",
)
_HEADING: Final = re.compile(r"<h[1-6]>(.*?)</h[1-6]>", re.DOTALL)


@lru_cache(maxsize=4096)
def markdown(text: str) -> Markup:
    """A player's text as safe HTML. Headings in it become lines of their own: a page's outline is ours."""
    unread = _UNREAD.sub(lambda found: found[0].translate(_STAND_INS), text.translate(_NOBODYS))
    # Raw HTML cannot occur, so nothing is lost to cmark's own filter of it.
    html = cmarkgfm.markdown_to_html(unread, Options.CMARK_OPT_UNSAFE)
    clean = _HEADING.sub(r'<p class="heading">\1</p>', _CLEANER.clean(html))
    return Markup(clean.translate(_BACK))  # noqa: S704  # the sanitiser has cleaned it
