"""What the pages hand to programs, read by one: links that open a mail, the game as JSON, the rulebook as plain text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from selectolax.lexbor import LexborHTMLParser

from pbem.game.vocabulary import shown_name
from pbem.mail.grammar import read_commands
from pbem.mail.readings import Understood
from tests.publish.library import Site
from tests.publish.played import SITE

pytestmark = pytest.mark.live


def test_every_link_that_opens_a_mail_opens_one_that_is_understood(site: Site) -> None:
    """Once what a player is to fill in, marked by three dots or brackets, is filled in. Some leave all words to the player."""
    acts = set()
    for link in set(_mails(site)):
        parts = urlsplit(link)
        fields = parse_qs(parts.query, keep_blank_values=True, strict_parsing=True)
        (subject,), (body,) = fields.pop("subject"), fields.pop("body")
        lines = read_commands(re.sub("…|<[^>]*>", "Zoe", body.replace("\r\n", "\n")), subject).lines
        assert unquote(parts.path) == SITE.address, link
        assert fields == {}, link
        assert subject.startswith("[kaffe]"), link
        assert lines or not body, link
        assert all(isinstance(line, Understood) for line in lines), (link, lines)
        acts |= {type(line.command).__name__ for line in lines if isinstance(line, Understood)}

    assert acts >= {"Vote", "Propose", "Join"}


def _mails(site: Site) -> Iterator[str]:
    for path in site.pages:
        for node in LexborHTMLParser(site.read(path)).css("a[href^='mailto:']"):
            yield node.attributes["href"] or ""


def test_the_game_for_programs_has_the_rules_and_scores_of_the_game(site: Site) -> None:
    for name, game in site.games.items():
        read = json.loads(site.read(f"{name}/game.json"))
        rules = {
            rule["number"]: (rule["title"], rule["text"], rule["clauses"])
            for rule in read["rules"]
            if rule["number"] in {one.number for one in game.state.rulebook.in_force}
        }
        assert rules == {
            rule.number: (
                rule.now.title,
                rule.now.text,
                {one.name: one.expression for one in rule.now.clauses},
            )
            for rule in game.state.rulebook.in_force
        }, name
        assert {player["name"]: player["score"] for player in read["players"]} == {
            player.name: player.score for player in game.state.players.values()
        }, name


def test_the_plain_rulebook_has_the_words_of_every_rule_in_force_in_their_order(site: Site) -> None:
    for name, game in site.games.items():
        words = " ".join(site.read(f"{name}/rulebook.txt").split())
        for rule in game.state.rulebook.in_force:
            clauses = (f"{shown_name(one.name, site.language)}: {one.expression}" for one in rule.now.clauses)
            whole = " ".join((f"{rule.number} {rule.now.title} {rule.now.text}", *clauses)).split()
            assert " ".join(whole) in words, (name, rule.number)
