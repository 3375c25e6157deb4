"""Sentences in templates: in the words of the language, with every value in its place and escaped as anywhere else."""

from __future__ import annotations

import jinja2
import pytest

from pbem.sentences import Translated

SWEDISH = {
    "Rule %(number)d": "Regel %(number)d",
    "%(for)d for, by %(name)s": "av %(name)s, %(for)d för",
    "All": "Alla & en",
    "100 %% of %(name)s": "100 %% av %(name)s",
}


def printed(template: str, *, html: bool = True, **view: object) -> str:
    environment = Translated(undefined=jinja2.StrictUndefined, autoescape=html)
    environment.translate = lambda sentence: SWEDISH.get(sentence, sentence)
    return environment.from_string(template).render(view)


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ('{{ _("Rule %(number)d", number=n) }}', "Regel 301"),
        ('{{ _("%(for)d for, by %(name)s", name=who, **{"for": n}) }}', "av &lt;Bo&gt;, 301 för"),
        ('{{ _("%(for)d for, by %(name)s", **facts) }}', "av Ada, 2 för"),
        ('{{ _("100 %% of %(name)s", name="x") }}', "100 % av x"),
        ('{{ _("All") }}', "Alla & en"),
        ('{{ _("Not translated, %(name)s", name=who) }}', "Not translated, &lt;Bo&gt;"),
        (
            '{% set said = _("Rule %(number)d", number=n) %}{{ said }}, {{ said | upper }}',
            "Regel 301, REGEL 301",
        ),
        ('{{ _("Rule %(number)d", number=n) if n else _("All") }}', "Regel 301"),
        ('{{ _("100 %% of %(name)s", name=_("Rule %(number)d", number=n)) }}', "100 % av Regel 301"),
        (
            '{% macro b(x) %}<b>{{ x }}</b>{% endmacro %}{{ _("Rule %(number)d", number=b(who)) }}',
            "Regel <b>&lt;Bo&gt;</b>",
        ),
    ],
)
def test_a_sentence_stands_in_the_page_as_its_reader_says_it(template, words):
    assert printed(template, n=301, who="<Bo>", facts={"for": 2, "name": "Ada"}) == words


def test_in_plain_text_nothing_is_escaped():
    assert printed('{{ _("%(for)d for, by %(name)s", name=who, **{"for": 1}) }}', html=False, who="<Bo>") == (
        "av <Bo>, 1 för"
    )


def test_a_fact_that_is_not_there_is_an_error_and_never_a_blank():
    with pytest.raises(jinja2.UndefinedError, match="'who' is undefined"):
        printed('{{ _("100 %% of %(name)s", name=who) }}')
    with pytest.raises(jinja2.TemplateError, match="names number"):
        printed('{{ _("Rule %(number)d") }}')
