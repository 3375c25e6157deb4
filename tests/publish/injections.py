"""Words that players might write to make a page do what they want: 200, each short enough to be a player's name.

What lives here: the words, and finding them again, by the marks around them, wherever they are shown. What never may: words
that are lawful markup in a rule (a link to the web), since they are not shown as typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from typing import Final

from selectolax.lexbor import LexborHTMLParser

from tests.publish.library import shape

_OUT_OF: Final = ("", '">', "'>", "-->", "</title>", "</h1></main>")
"""What might end the place a word is put in."""
_ELEMENTS: Final = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<body onpageshow=alert(1)>",
    "<iframe src=javascript:alert(1)>",
    "<details open ontoggle=alert(1)>",
    "<input autofocus onfocus=alert(1)>",
    "<video><source onerror=alert(1)>",
    "<style>@import'//x.example'</style>",
    "<link rel=icon href=//x.example>",
    "<base href=//x.example>",
    "<form action=//x.example><button>",
    "<embed src=//x.example>",
    "<object data=//x.example>",
)
_ATTRIBUTES: Final = (
    '" onmouseover=alert(1) x="',
    "' onfocus=alert(1) autofocus x='",
    '" style=background:url(//x.example) "',
    "` onclick=alert(1) `",
    "onload=alert(1)",
    '"><a autofocus onfocus=alert(1) href>',
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:msgbox(1)",
    "//x.example/x.js",
    "';alert(1);//",
    '";alert(1);//',
    "\\';alert(1);//",
    "</script><script>alert(1)</script>",
    "alert`1`",
)
_SPELLINGS: Final = (
    "<ScRiPt>alert(1)</sCrIpT>",
    "<script >alert(1)</script >",
    "<script/x>alert(1)</script>",
    "<img/src=x/onerror=alert(1)>",
    "<img src=x onerror=alert(1)//",
    "<<script>alert(1)//<</script>",
    "<scr<script>ipt>alert(1)</script>",
    "<svg/onload=alert(1)",
    "<svg><script>alert&lpar;1&rpar;</script>",
    "<svg><a xlink:href=javascript:alert(1)>x",
    "<math><mi href=javascript:alert(1)>x",
    "<x onclick=alert(1)>x</x>",
    "<noscript><p title='</noscript><svg>'>",
    "<textarea><script>alert(1)</script>",
    "<template><script>alert(1)</script>",
    "<select><svg onload=alert(1)>",
    "<table><td background=//x.example>",
    "<marquee onstart=alert(1)>x",
    "<meta http-equiv=refresh content=0;//x>",
    "<p style=position:fixed;inset:0>x",
    "<!--><script>alert(1)</script>",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<?xml version='1.0'?><script/>",
    "<!DOCTYPE x [<!ENTITY y 'z'>]>&y;",
    "</div></section></main></body>",
    "<plaintext>",
    "<b>",
    "</p>",
    "<hr>",
    "<",
    ">",
    "&",
    "<>",
    "</>",
)
_ENTITIES: Final = (
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;script&#62;alert(1)",
    "&#x3c;img src=x onerror=alert(1)&#x3e;",
    "&amp;lt;b&amp;gt;",
    "&amp;amp;",
    "&nbsp;&shy;&zwj;",
    "java&#115;cript:alert(1)",
    "javascript&colon;alert(1)",
    "&quot; onclick=alert(1) x=&quot;",
    "%3Cscript%3Ealert(1)%3C/script%3E",
    "\\u003cscript\\u003ealert(1)",
    "\\x3cscript\\x3ealert(1)",
    "+ADw-script+AD4-alert(1)",
    "＜script＞alert(1)＜/script＞",
    "‹script›alert(1)",
)
_MARKDOWN: Final = (
    "[x](javascript:alert(1))",
    "[x](JAVASCRIPT:alert(1))",
    "[x](data:text/html,<svg onload=alert(1)>)",
    "[x](//x.example)",
    "[x](../../../etc/passwd)",
    "![x](https://x.example/x.png)",
    "![x](x onerror=alert(1))",
    "![x][y]",
    "<javascript:alert(1)>",
    "<https://x.example onclick=alert(1)>",
    "[x]: javascript:alert(1)",
    "[x](java&#115;cript:alert(1))",
    '[x](x "onclick=alert(1)")',
)
_TEMPLATES: Final = (
    "{{7*7}}",
    "{{ 7 * 7 }}",
    "{%if 1%}x{%endif%}",
    "{% include 'site/layout.html.j2' %}",
    "{% raw %}",
    "{# x #}",
    "{{frame.site.address}}",
    "{{ ''.__class__.__mro__ }}",
    "{{ lipsum.__globals__ }}",
    "{{ x | safe }}",
    "{{{x}}}",
    "{{",
    "}}",
    "%}",
    "${7*7}",
    "#{7*7}",
    "<%= 7*7 %>",
    "<? 7*7 ?>",
    "@(7*7)",
    "$(id)",
    "%(name)s",
    "%s%s%n",
    "%d %%",
    "{0.__class__}",
    "{name}",
    "{}",
    "$name",
    "*{7*7}",
    "[[${7*7}]]",
    "{{constructor.constructor('alert(1)')()}}",
    "{{ cycler.__init__.__globals__.os }}",
    "{{ self.__init__ }}",
    "{%- set x = 1 -%}{{ x }}",
    "{% for x in frame.seats %}x{% endfor %}",
    "#set($x=7*7)$x",
    "%{7*7}",
    "~{7*7}",
    "%(number)d %(name)",
)


@cache
def injections() -> tuple[str, ...]:
    """All 200."""
    return (
        *map("".join, product(_OUT_OF, _ELEMENTS)),
        *(*_ATTRIBUTES, *_SPELLINGS, *_ENTITIES, *_MARKDOWN, *_TEMPLATES),
    )


def typed(place: str, number: int) -> str:
    """The words of that number as they are written in that place: a clause has them in quotes, a name ends at a comma."""
    words = injections()[number]
    if place == "n":
        return words.replace(",", ";")
    return words.replace("\\", "\\\\").replace('"', '\\"') if place == "c" else words


def marked(place: str, number: int) -> str:
    """Those words between marks that say where they were written, and which they are: `Qt17q<b>q17Q`."""
    return f"Q{place}{number}q{typed(place, number)}q{number}Q"


_MARKED: Final = re.compile(r"Q([a-z])(\d+)q(.*?)(?:q\2Q|(…))", re.DOTALL)
"""Up to the mark at the end, or to the dots where they were cut off for want of room."""
_BEGUN: Final = re.compile(r"Q[a-z]\d+q")


def begun(shown: str) -> int:
    """How many of the words begin in a text."""
    return len(_BEGUN.findall(shown))


Lawful = Mapping[str, frozenset[str]]
"""The kinds of elements, and of attributes they have, that pages without such words have: by type of page, ANY for the others."""
ANY: Final = ""


@dataclass
class Found:
    """What was found of the words in what a reader is shown: which were seen in which place, and what is wrong."""

    lawful: Lawful
    seen: set[tuple[str, int]] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)

    def look(self, where: str, shown: str, kinds: Iterable[str] = ()) -> None:
        """Takes down what `where` shows, and the kinds of elements and attributes it has."""
        whole = list(_MARKED.finditer(shown))
        if begun(shown) != len(whole):
            self.wrong.append(f"{where} shows the beginning of words without their end")
        for place, number, words, cut in (found.groups() for found in whole):
            meant, read = _flat(place, typed(place, int(number))), _flat(place, words)
            if not cut:
                self.seen.add((place, int(number)))
            if read != meant and not (cut and f"{meant}q{number}Q".startswith(read)):
                self.wrong.append(f"{where} shows {place}{number} as {words[:200]!r}")
        lawful = self.lawful.get(shape(where), self.lawful[ANY])
        self.wrong += [f"{where} has {kind}" for kind in kinds if kind not in lawful]


def _flat(place: str, words: str) -> str:
    """Without what Markdown takes as its own where it is read; elsewhere with single spaces."""
    return re.sub(r"[*_`\\#\s]", "", words) if place in "rdp" else " ".join(words.split())


def kinds_of(html: str) -> frozenset[str]:
    """Each kind of element, and each attribute it has: `a`, `a href`."""
    nodes = LexborHTMLParser(html).css("*")
    return frozenset(
        kind for node in nodes for kind in (node.tag, *(f"{node.tag} {name}" for name in node.attributes))
    )


def words_of(html: str) -> str:
    """All text of a page, its title too."""
    return LexborHTMLParser(html).root.text()
