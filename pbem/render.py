"""Views to text and HTML: the one place that knows Jinja, the catalogues, dates and zones.

What lives here: two printers for each language (text, HTML) over one set of templates. What never may:
a template made from anything but a file of ours, or a decision about what is shown. HTML is escaped
whatever a template's name ends in; a name missing from a view is an error, never a blank.
"""

from __future__ import annotations

import gettext
import io
import textwrap
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import jinja2
from babel.dates import format_datetime
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import format_decimal
from jinja2.runtime import Context

from pbem.game.model import Moment, Say
from pbem.game.vocabulary import shown_name

WIDTH = 72
"""Columns of a text mail."""

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

    def text(self, template: str, view: Mapping[str, Any], *, language: str, zone: str) -> str:
        """The template as plain text, e.g. `text("mail/digest.j2", {...}, language="sv", zone="UTC")`."""
        return self._print(template, view, language, zone, html=False)

    def html(self, template: str, view: Mapping[str, Any], *, language: str, zone: str) -> str:
        """The template as HTML, every value escaped."""
        return self._print(template, view, language, zone, html=True)

    def sentence(self, said: Say, *, language: str, zone: str) -> str:
        """One sentence in the reader's language, with its facts in their form."""
        facts = {name: self._fact(fact, language, zone) for name, fact in said.facts.items()}
        return self._translations(language).gettext(said.text) % facts

    def _fact(self, fact: Any, language: str, zone: str) -> Any:
        if isinstance(fact, Say):
            return self.sentence(fact, language=language, zone=zone)
        if isinstance(fact, Moment):
            return moment(fact, language=language, zone=zone)
        if isinstance(fact, (str, int)):
            return fact
        return self.phrase(fact, language)

    def _print(self, template: str, view: Mapping[str, Any], language: str, zone: str, *, html: bool) -> str:
        page = self._environment(language, html).get_template(template)
        return page.render({**view, "language": language, "zone": zone})

    def _translations(self, language: str) -> gettext.NullTranslations:
        return _catalogue(self.folder, language)

    def _environment(self, language: str, html: bool) -> jinja2.Environment:
        if (language, html) not in self._environments:
            self._environments[language, html] = self._built(language, html)
        return self._environments[language, html]

    def _built(self, language: str, html: bool) -> jinja2.Environment:
        environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(self.folder),
            extensions=["jinja2.ext.i18n", "jinja2.ext.do"],
            undefined=jinja2.StrictUndefined,
            autoescape=html,  # noqa: S701  # plain text has nothing to escape; the HTML printer always does
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        translations = self._translations(language)
        environment.install_gettext_callables(  # type: ignore[attr-defined]  # added by the i18n extension
            translations.gettext, translations.ngettext, newstyle=True
        )
        environment.globals["printer"] = "html" if html else "text"
        environment.filters |= {
            "told": self._told,
            "line": self._line,
            "moment": _in_zone(moment),
            "day": _in_zone(day),
            "number": _in_language(number),
            "clause_name": _in_language(shown_name),
            "wrapped": wrapped,
        }
        return environment

    @jinja2.pass_context
    def _told(self, context: Context, said: Say) -> str:
        return self.sentence(said, language=str(context["language"]), zone=str(context["zone"]))

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
    return datetime.fromtimestamp(at / 1_000_000, UTC).astimezone(ZoneInfo(zone))


def moment(at: int, *, language: str, zone: str) -> str:
    """A moment (UTC µs) to the second: in UTC, and in the reader's zone if that is another."""
    utc = format_datetime(_local(at, "UTC"), "EEE d MMM y HH:mm:ss 'UTC'", locale=language)
    if zone == "UTC":
        return utc
    here = _local(at, zone)
    pattern = "HH:mm:ss" if here.date() == _local(at, "UTC").date() else "EEE d MMM HH:mm:ss"
    return f"{utc} ({format_datetime(here, pattern, locale=language)} {zone})"


def day(at: int, *, language: str, zone: str) -> str:
    """The day of a moment (UTC µs) in the reader's zone."""
    return format_datetime(_local(at, zone), "d MMMM y", locale=language)


def number(value: int, language: str) -> str:
    """A whole number as its readers write it, with a real minus sign."""
    return str(format_decimal(value, locale=language)).replace("-", "−")


def wrapped(text: str, indent: int = 0, first: str | None = None) -> str:
    """Paragraphs wrapped at 72 columns, each line indented; `first` stands before the first line."""
    margin = " " * indent
    lines = []
    for place, paragraph in enumerate(str(text).split("\n")):
        start = first if first is not None and place == 0 else margin
        filled = textwrap.wrap(
            paragraph,
            WIDTH,
            initial_indent=start,
            subsequent_indent=margin,
            break_long_words=False,
            break_on_hyphens=False,
        )
        lines.extend(filled or [""])
    return "\n".join(lines)
