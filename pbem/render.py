"""Views to text and HTML: the one place that knows Jinja, the catalogues, dates and zones.

What lives here: two printers for each language (text, HTML) over one set of templates. What never may:
a template made from anything but a file of ours, or a decision about what is shown. HTML is escaped
whatever a template's name ends in; a name missing from a view is an error, never a blank.
"""

from __future__ import annotations

import gettext
import io
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import cache, lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import jinja2
from babel import Locale
from babel.dates import format_date, format_timedelta
from babel.lists import format_list
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import format_decimal
from jinja2.runtime import Context
from markupsafe import Markup

from pbem.game.model import ClauseName, Moment, Names, Say
from pbem.game.vocabulary import shown_name
from pbem.game.wording import in_words, joined
from pbem.markdown import markdown
from pbem.sentences import Translated

WIDTH = 72
"""Columns of a text mail."""

GLUE = "\N{NO-BREAK SPACE}"

_EPOCH = date(1970, 1, 1).toordinal()
_DAY = 86_400_000_000

_PARTS = {
    html: (("put", f"mail/{kind}.j2"), ("parts", "mail/parts.j2"), ("cases", "mail/case_parts.j2"))
    for html, kind in ((False, "text"), (True, "html"))
}

Phrase = Callable[[Any, str], str]
"""A command, and a language, to the line a player would write."""


def templates_folder() -> Path:
    """The templates: inside the package when installed, beside it in a checkout."""
    inside = Path(__file__).with_name("templates")
    return inside if inside.is_dir() else Path(__file__).parents[1] / "templates"


def languages(folder: Path | None = None) -> tuple[str, ...]:
    """The languages people can be answered in: English and every catalogue there is."""
    found = sorted(
        path.parts[-3] for path in (folder or templates_folder()).glob("locale/*/LC_MESSAGES/pbem.po")
    )
    return ("en", *found)


def language_name(code: str, language: str) -> str:
    """What a language is called in another: "sv" in "en" is Swedish."""
    return str(Locale.parse(code).get_language_name(language))


@cache
def _catalogue(folder: Path, language: str) -> gettext.NullTranslations:
    """A .po file compiled in memory; English is what the templates say."""
    path = folder / "locale" / language / "LC_MESSAGES" / "pbem.po"
    if not path.is_file():
        return gettext.NullTranslations()
    compiled = io.BytesIO()
    with path.open("rb") as source:
        write_mo(compiled, read_po(source, locale=language))
    compiled.seek(0)
    return gettext.GNUTranslations(compiled)


class Printer:
    """Prints templates in any language, as text or as HTML. `phrase` puts commands into words."""

    def __init__(self, phrase: Phrase, folder: Path | None = None) -> None:
        self.folder = folder or templates_folder()
        self.phrase = phrase
        self._environments: dict[tuple[str, bool], jinja2.Environment] = {}
        self._templates: dict[tuple[str, str, bool], jinja2.Template] = {}
        self._parts = lru_cache(maxsize=64)(self._made_parts)

    def text(self, template: str, view: Mapping[str, Any], *, language: str, zone: str) -> str:
        """The template as plain text, e.g. `text("mail/digest.j2", {...}, language="sv", zone="UTC")`."""
        return self._print(template, view, language, zone, html=False)

    def html(self, template: str, view: Mapping[str, Any], *, language: str, zone: str) -> str:
        """The template as HTML, every value escaped."""
        return self._print(template, view, language, zone, html=True)

    def macros(
        self, template: str, view: Mapping[str, Any], *, language: str, zone: str
    ) -> dict[str, Callable[..., Markup]]:
        """The macros of an HTML template by name: for pages that share a view, so that it is run once for all."""
        page = self._template(template, language, html=True)
        module = page.make_module({**view, "language": language, "zone": zone})
        return {name: macro for name, macro in vars(module).items() if not name.startswith("_")}

    def sentence(self, said: Say, *, language: str, zone: str) -> str:
        """One sentence in the reader's language, with its facts in their form."""
        facts = {name: self._fact(fact, language, zone) for name, fact in said.facts.items()}
        return self._translations(language).gettext(said.text) % facts

    def _fact(self, fact: Any, language: str, zone: str) -> Any:
        if isinstance(fact, Say):
            return self.sentence(fact, language=language, zone=zone)
        if isinstance(fact, Moment):
            return moment(fact, language=language, zone=zone)
        if isinstance(fact, Names):
            return listed(fact, language)
        if isinstance(fact, ClauseName):
            return ", ".join(shown_name(name, language) for name in fact.split(", "))
        if isinstance(fact, (str, int)):
            return fact
        return self.phrase(fact, language)

    def _print(self, template: str, view: Mapping[str, Any], language: str, zone: str, *, html: bool) -> str:
        page = self._template(template, language, html=html)
        return page.render({**self._parts(language, zone, html), **view, "language": language, "zone": zone})

    def _made_parts(self, language: str, zone: str, html: bool) -> dict[str, Any]:
        """What every template of a mail is put together from, by the name it has there: to make these macros anew for each
        mail, as an import does, would take as long as to print it."""
        made: dict[str, Any] = {"language": language, "zone": zone}
        for name, file in _PARTS[html]:
            made[name] = self._template(file, language, html=html).make_module(dict(made))
        return made

    def _template(self, name: str, language: str, *, html: bool) -> jinja2.Template:
        # Jinja keeps templates too, but to find one there takes as long as to print a short one.
        found = self._templates.get((name, language, html))
        if found is None:
            found = self._environment(language, html).get_template(name)
            found.globals = dict(found.globals)  # copied each time it is printed, which a plain one is fast
            self._templates[name, language, html] = found
        return found

    def _translations(self, language: str) -> gettext.NullTranslations:
        return _catalogue(self.folder, language)

    def _environment(self, language: str, html: bool) -> jinja2.Environment:
        if (language, html) not in self._environments:
            self._environments[language, html] = self._built(language, html)
        return self._environments[language, html]

    def _built(self, language: str, html: bool) -> jinja2.Environment:
        environment = Translated(
            loader=jinja2.FileSystemLoader(self.folder),
            extensions=["jinja2.ext.i18n", "jinja2.ext.do"],
            undefined=jinja2.StrictUndefined,
            autoescape=html,  # plain text has nothing to escape; the HTML printer always does
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        translations = self._translations(language)
        environment.translate = translations.gettext
        environment.install_gettext_callables(  # type: ignore[attr-defined]  # added by the i18n extension
            translations.gettext, translations.ngettext, newstyle=True
        )
        environment.filters |= {
            "told": self._told,
            "line": self._line,
            "in_words": self._in_words,
            "moment": _in_zone(moment),
            "when": _in_zone(when),
            "day": _in_zone(day),
            "number": _in_language(number),
            "signed": _in_language(signed),
            "lasting": _in_language(lasting),
            "clause_name": _in_language(shown_name),
            "listed": _in_language(listed),
            "parts": parts,
            "wrapped": wrapped,
            "iso": iso,
            "mailto": mailto,
            "markdown": markdown,
            "veiled": veiled,
            "xml": xml,
            "tabular": tabular,
            "trimmed": trimmed,
        }
        return environment

    @jinja2.pass_context
    def _told(self, context: Context, said: Say) -> str:
        return self.sentence(said, language=str(context["language"]), zone=str(context["zone"]))

    @jinja2.pass_context
    def _in_words(self, context: Context, expression: str) -> str:
        """A clause's expression as a sentence; "" if it is plain as it is."""
        return joined(
            [
                self._told(context, piece) if isinstance(piece, Say) else piece
                for piece in in_words(expression)
            ]
        )

    @jinja2.pass_context
    def _line(self, context: Context, command: Any) -> str:
        return command if isinstance(command, str) else self.phrase(command, str(context["language"]))


def _in_zone(show: Callable[..., str]) -> Any:
    @jinja2.pass_context
    def shown(context: Context, at: int) -> str:
        return show(at, language=str(context["language"]), zone=str(context["zone"]))

    return shown


def _in_language(show: Callable[..., str]) -> Any:
    @jinja2.pass_context
    def shown(context: Context, value: Any) -> str:
        return show(value, str(context["language"]))

    return shown


def _local(at: int, zone: str) -> datetime:
    return datetime.fromtimestamp(at / 1_000_000, UTC).astimezone(_zone(zone))


@cache
def _zone(name: str) -> ZoneInfo:
    """The zone of that name; UTC for one that a rule made up."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo("UTC")


def moment(at: int, *, language: str, zone: str) -> str:
    """A moment (UTC µs) to the second: in the reader's zone, and in UTC if that is another. It is broken between lines
    only where a space is a plain one."""
    there, utc = _utc_day(at), f"{_utc_clock(at)}{GLUE}UTC"
    if zone == "UTC":
        return f"{_glued(there, 'EEE d MMM y', language)} {utc}"
    here = _local(at, zone)
    other_day = f"{_glued(there, 'EEE d MMM', language)}{GLUE}" if here.date() != there else ""
    shown = f"{_glued(here.date(), 'EEE d MMM y', language)} {here:%H:%M:%S}{GLUE}{zone}"
    return f"{shown} ({other_day}{utc})"


def when(at: int, *, language: str, zone: str) -> str:
    """A moment (UTC µs) that is past and binds nobody: in the reader's zone alone, to the minute."""
    here = _local(at, zone)
    return f"{_glued(here.date(), 'EEE d MMM y', language)} {here:%H:%M}{GLUE}{zone}"


def _utc_day(at: int) -> date:
    return date.fromordinal(_EPOCH + at // _DAY)


def _utc_clock(at: int) -> str:
    second = at % _DAY // 1_000_000
    return f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"


@lru_cache(maxsize=4096)  # a game has far fewer days than moments
def _dated(at: date, pattern: str, language: str) -> str:
    return format_date(at, pattern, locale=language)


@lru_cache(maxsize=4096)
def _glued(at: date, pattern: str, language: str) -> str:
    return _dated(at, pattern, language).replace(" ", GLUE)


def iso(at: int) -> str:
    """A moment (UTC µs) for programs, to the second: `2026-12-01T10:00:00Z` (RFC 3339)."""
    return f"{_utc_day(at)}T{_utc_clock(at)}Z"


def mailto(address: str, subject: str, body: str) -> str:
    """The address of a link that opens a mail with its subject and text filled in (RFC 6068)."""
    words = body.replace("\n", "\r\n")
    return f"mailto:{quote(address, safe='@')}?subject={quote(subject, safe='')}&body={quote(words, safe='')}"


def day(at: int, *, language: str, zone: str) -> str:
    """The day of a moment (UTC µs) in the reader's zone."""
    return _dated(_local(at, zone).date(), "d MMMM y", language)


@lru_cache(maxsize=4096)
def number(value: int, language: str) -> str:
    """A whole number as its readers write it, with a real minus sign."""
    return str(format_decimal(value, locale=language)).replace("-", "−")


def signed(value: int, language: str) -> str:
    """A whole number with its sign: `+10`, `−10`, `0`."""
    return f"+{number(value, language)}" if value > 0 else number(value, language)


def lasting(duration: int, language: str) -> str:
    """A time (µs) in words: `12 hours`."""
    return str(format_timedelta(timedelta(microseconds=duration), threshold=1.5, locale=language))


def listed(names: Sequence[str], language: str) -> str:
    """Names in a row: `Alice, Bo and Cia`."""
    return format_list(names, "standard", language).replace(", and ", " and ")


def parts(printed: Iterable[Markup], between: str = "") -> Markup:
    """Parts of a page that were printed before, one after the other. Raises TypeError for what is not printed."""
    return Markup(between.join([_printed(part) for part in printed]))  # noqa: S704  # each is markup itself


def _printed(part: Markup) -> Markup:
    if not isinstance(part, Markup):
        raise TypeError(f"{type(part).__name__} is no printed part of a page")
    return part


def wrapped(text: str, indent: int = 0, first: str | None = None, mark: str = "") -> str:
    """Each line wrapped at 72 columns, indented, with `mark` before it; `first` stands before the first line. Spaces
    that held words together on a line are plain ones afterwards."""
    return (_wrapped if len(text) > _SHORT else _wrapped_again)(str(text), indent, first, mark)


def _wrapped(text: str, indent: int, first: str | None, mark: str) -> str:
    margin = " " * indent + mark
    lines = []
    for place, paragraph in enumerate(text.split("\n")):
        start = first if first is not None and place == 0 else margin
        filled = textwrap.wrap(
            paragraph,
            WIDTH,
            initial_indent=start,
            subsequent_indent=margin,
            break_long_words=False,
            break_on_hyphens=False,
        )
        lines.extend(filled or [margin.rstrip()])
    return "\n".join(lines).replace(GLUE, " ")


_SHORT = 400
"""Characters of a text that is likely to be a sentence of ours, which stands in many mails."""
_wrapped_again = lru_cache(maxsize=4096)(_wrapped)

_ADDRESS = re.compile(r"(?<![\w.+-])([\w.+-]{1,64})@[\w-]+(?:\.[\w-]+)+")


def veiled(text: str) -> str:
    """Words for everyone: of a mail address in them, what stands before the @ is left."""
    return _ADDRESS.sub(r"\1@…", text) if "@" in text else text


_NOT_IN_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml(text: str) -> str:
    """The text without the signs that XML has no place for, even escaped (XML 1.0, section 2.2)."""
    return _NOT_IN_XML.sub("", text)


def tabular(rows: Sequence[Sequence[str]], numbers: int = 0, indent: int = 2) -> str:
    """Rows (the heading first) in columns, the last `numbers` of them to the right, 72 wide at most.

    The first column gives way when they are wider: its cells go on in the next line.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    room = WIDTH - indent - sum(width + 2 for width in widths[1:])
    widths[0] = min(widths[0], max(room, 12))
    lines = [line for row in rows for line in _table_lines(row, widths, numbers)]
    return "\n".join(" " * indent + line.rstrip() for line in lines).replace(GLUE, " ")


def _table_lines(row: Sequence[str], widths: Sequence[int], numbers: int) -> list[str]:
    head, *more = textwrap.wrap(row[0], widths[0]) or [""]
    split = len(row) - numbers
    cells = [
        cell.ljust(width) if place < split else cell.rjust(width)
        for place, (cell, width) in enumerate(zip((head, *row[1:]), widths, strict=True))
    ]
    return ["  ".join(cells), *more]


def trimmed(text: str) -> str:
    """The text with no white space at the end of a line, no empty line at either end, and one line end last."""
    return "\n".join(line.rstrip() for line in text.strip("\n").split("\n")) + "\n"
