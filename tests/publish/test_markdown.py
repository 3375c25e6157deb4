"""What players wrote, as HTML: Markdown they can use, and nothing else."""

from __future__ import annotations

import pytest

from pbem.markdown import markdown


def test_plain_markdown_is_set_as_such():
    html = markdown(
        "One *two* **three**.\n\n1. a\n2. b\n\n> said\n\n`x < y`\n\n---\n\n[site](https://a.example/?b=1&c=2)"
    )

    assert "<p>One <em>two</em> <strong>three</strong>.</p>" in html
    assert "<ol>\n<li>a</li>\n<li>b</li>\n</ol>" in html
    assert "<blockquote>\n<p>said</p>\n</blockquote>" in html
    assert "<code>x &lt; y</code>" in html
    assert "<hr>" in html
    assert '<a href="https://a.example/?b=1&amp;c=2" rel="nofollow noopener noreferrer">site</a>' in html


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("a <b>c</b>", "a &lt;b&gt;c&lt;/b&gt;"),
        ("<svg/onload=alert(1)>", "&lt;svg/onload=alert(1)&gt;"),
        ("[x](javascript:alert(1))", "[x](javascript:alert(1))"),
        ("[x]( JaVaScRiPt:alert(1))", "[x]( JaVaScRiPt:alert(1))"),
        ("[x](data:text/html,hello)", "[x](data:text/html,hello)"),
        ("[x](../../rules/)", "[x](../../rules/)"),
        ("![x](https://spy.example/p.png)", "![x](https://spy.example/p.png)"),
        ("[a]: https://a.example", "[a]: https://a.example"),
        ("&#x202e;&lt;b&gt;", "&amp;#x202e;&amp;lt;b&amp;gt;"),
        ("<http://a.example>", "&lt;http://a.example&gt;"),
        ("{{ 7*7 }} {% import os %}", "{{ 7*7 }} {% import os %}"),
        ("`<i>` \ue000b", "<code>&lt;i&gt;</code> b"),
    ],
)
def test_what_is_not_for_players_stays_the_text_it_is(text, shown):
    assert markdown(text).strip() == f"<p>{shown}</p>"


def test_a_heading_in_a_rule_is_a_line_of_its_own():
    assert markdown("# Big\n\nText\n\nAlso big\n========") == (
        '<p class="heading">Big</p>\n<p>Text</p>\n<p class="heading">Also big</p>\n'
    )


def test_a_title_hidden_in_a_link_does_not_get_through():
    assert "title" not in markdown('[x](https://a.example "onmouseover=alert(1)")')
