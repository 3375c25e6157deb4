"""What readers find on the site of a game: all of it, all of it reachable, and nothing that is still secret."""

from __future__ import annotations

import json

import pytest

from pbem.game.commands import CallVote, Forfeit, GoToJudgment, Join, Propose, RetractVote, Speak, Vote
from pbem.game.fold import replay
from pbem.game.model import Clause
from pbem.publish.log import log_of
from pbem.publish.page import SiteView, parted
from tests.game.conftest import Table, amend, enact, majority
from tests.publish.pages import pages_of
from tests.publish.played import PRINTER, SITE, Reading, ballot, played, printed, seated, target, texts


@pytest.fixture(scope="module", name="pages")
def _pages() -> dict[str, str]:
    return printed(played())


def words(pages: dict[str, str], path: str) -> str:
    return Reading(pages[f"kaffe/{path}index.html"]).words


def test_the_status_says_whose_turn_it_is_and_who_is_waited_for_to_do_what_by_when(pages):
    status = words(pages, "")

    assert "Turn 3, circuit 1. Cia Ceder is on turn." in status
    assert "Bo Berg, Dan Dahl: vote on proposal 304 by" in status
    assert "UTC" in status
    assert "Europe/Stockholm" in status
    assert "Proposal 303: a new rule, “Tea on Fridays”" in status


def test_a_link_opens_a_mail_with_the_ballot_written(pages):
    links = Reading(pages["kaffe/index.html"]).links

    assert "mailto:nomic@nomic.example?subject=%5Bkaffe%5D%20304&body=for%20304" in links


def test_links_write_what_the_reader_of_a_page_would_want():
    game = seated()
    game.turn("Alva", enact("Cake", "There is cake."), "ABCD")
    game.play("Bo", enact("Tea", "There is tea."))
    game.play("Cia", GoToJudgment("May Bo serve tea?"))
    pages = printed(game)

    def links(path: str) -> set[str]:
        found = Reading(pages[f"kaffe/{path}index.html"]).links
        return {link.partition("?subject=")[2] for link in found if link.startswith("mailto:")}

    assert links("proposals/302/") == {
        "%5Bkaffe%5D%20302&body=call%20vote%20302",
        "%5Bkaffe%5D%20302&body=withdraw%20302",
        "%5Bkaffe%5D%20302&body=",
        "%5Bkaffe%5D&body=judgment%3A%20%3Cyour%20question%3E",
    }
    assert links("proposals/301/") == {"%5Bkaffe%5D&body=judgment%3A%20%3Cyour%20question%3E"}
    assert "%5Bkaffe%5D&body=claim%3A%20%3Cwhat%20is%20wrong%3E" in links("")
    assert "%5Bkaffe%5D&body=verdict%20legal%20J1" in links("cases/J1/")


def test_the_link_to_amend_a_rule_brings_its_text_along(pages):
    (link,) = [link for link in Reading(pages["kaffe/rules/301/index.html"]).links if "amend" in link]

    assert "propose%20amend%20301%3A%20A%20majority%20decides%0D%0A" in link
    assert link.endswith("adopted%20when%3A%20votes_for%20%2A%202%20%3E%20eligible%0D%0Aend")


def test_without_an_address_no_link_opens_a_mail():
    game = played()
    for text in texts(pages_of(game.state, log_of(game.log), SiteView(), PRINTER)).values():
        assert "mailto:" not in text


def test_the_rulebook_has_each_rule_in_its_part_with_anchors_for_its_old_numbers(pages):
    book = Reading(pages["kaffe/rules/index.html"])

    assert {"r101", "r203", "r301", "immutable", "mutable"} <= set(book.ids)
    assert book.words.index("Immutable rules") < book.words.rindex("101 The rules bind everyone")
    assert book.words.index("Mutable rules") < book.words.rindex("301 A majority decides")
    assert "Before it was rule 203." in book.words


def test_the_rulebook_says_when_it_was_last_changed(pages):
    assert "The rules in force in “Kaffe”, last changed in turn 1: 16 immutable" in words(pages, "rules/")
    assert "The rules in force, last changed in turn 1\n" in pages["kaffe/rulebook.txt"]
    game = seated()
    first = printed(game)
    assert "as they were at the start: 16 immutable" in " ".join(first["kaffe/rules/index.html"].split())
    assert "The rules in force, as they were at the start\n" in first["kaffe/rulebook.txt"]


def test_a_rule_shows_its_life_and_what_each_change_struck_out_and_put_in(pages):
    page = pages["kaffe/rules/301/index.html"]

    assert "<del>" in page
    assert "Its numbers: 203 → 301." in words(pages, "rules/301/")
    assert "by proposal 301 of Alva Alm, turn 1" in words(pages, "rules/301/")
    assert '</span>more than half of the<span class="unseen">' in page


def test_an_old_number_keeps_what_it_was_and_leads_to_the_rule_as_it_is_called_now(pages):
    old = words(pages, "rules/203/")

    assert "Rule 203 is now rule 301, “A majority decides”. This is how it read until proposal 301, " in old
    assert "A rule change is adopted when every eligible voter votes for it" in old
    assert "../../rules/301/index.html" in Reading(pages["kaffe/rules/203/index.html"]).links


def test_every_number_ever_used_leads_somewhere(pages):
    used = [*range(101, 117), *range(201, 214), *range(301, 305)]

    assert [number for number in used if f"kaffe/rules/{number}/index.html" not in pages] == []
    assert "It belongs to proposal 302: withdrawn." in words(pages, "rules/302/")


def test_a_clause_says_whom_it_beats_and_who_beats_it():
    game = seated()
    game.turn(
        "Alva", enact("Two votes", "Alva has two votes.", ballots_each='name == "Alva Alm" ? 2 : 1'), "ABCD"
    )

    pages = printed(game)

    assert "It counts, and goes before rule 301." in words(pages, "rules/207/")
    assert "Without effect here: rule 207 goes before it." in words(pages, "rules/301/")


def test_a_second_rule_that_names_a_winner_counts_beside_the_first_on_every_page():
    game = seated()
    game.turn("Alva", enact("Luck", "Nine hundred wins.", wins_when="score > 900"), "ABCD")

    game.play("Bo", enact("More luck", "Eight hundred wins.", wins_when="score > 800"))

    pages = printed(game)

    assert "It counts, and the same clause in rule 301 too." in words(pages, "rules/208/")
    assert "It counts, and the same clause in rule 208 too." in words(pages, "rules/301/")
    assert "It counts, and the same clause in rule 208, 301 too." in words(pages, "proposals/302/")


def test_a_repealed_rule_keeps_its_page_and_the_number_that_repealed_it_leads_there():
    game = seated()
    game.turn("Alva", Propose("repeal", 209), "ABCD")

    pages = printed(game)

    assert "No longer in force: repealed by proposal 301." in words(pages, "rules/209/")
    assert "Proposal 301 repealed this rule, number 209." in words(pages, "rules/301/")
    assert "209 How many rules Repealed by proposal 301." in words(pages, "rules/")


def test_a_proposal_shows_debate_ballots_tally_and_awards_with_their_sums(pages):
    page = words(pages, "proposals/301/")

    assert "Adopted. Rule 203 reads anew, and is now rule 301." in page
    assert "Bo Berg" in page
    assert "I want two circuits of everyone first." in page
    assert "The keeper" in page
    assert "Ballots: 4 for, 0 against, of 4. Rule 203 decides" in page
    assert "votes_for > 0 && votes_for == eligible = 4 > 0 && 4 == 4 = yes" in page
    assert "Cia Ceder for “for 301”" in page
    assert "+10 Alva Alm by rule 202, “points for the turn”" in page
    assert "= round((301 - 291) * 4 ÷ 4) = 10" in page


def test_the_debate_is_a_thread_in_which_each_post_has_a_place_and_the_vote_its_moments(pages):
    page = Reading(pages["kaffe/proposals/301/index.html"])
    debate = page.words[page.words.rindex("Debate") :]

    assert {"p1", "p2", "p3"} <= set(page.ids)
    assert "#p2" in page.links
    assert debate.index("1Bo Berg") < debate.index("2Alva Alm") < debate.index("3The keeper")
    assert debate.index("3The keeper") < debate.index("The vote opened") < debate.index("Closed")
    assert "In full: rule 301." in page.words


def test_a_turn_tells_its_outcome_and_points(pages):
    """303 fell 2 to 2: −10 by 206, and (303 − 291) × 2/4 = 6 by 202."""
    turn = words(pages, "turns/2/")

    assert "Bo Berg’s turn, in circuit 1." in turn
    assert "303 Tea on Fridays" in turn
    assert "−10 Bo Berg by rule 206" in turn
    assert "+6 Bo Berg by rule 202" in turn
    assert "Points of the turn Bo Berg −4" in turn


def test_the_scores_tell_where_the_points_came_from(pages):
    scores = words(pages, "scores/")

    assert "Player Score points for the turn points when defeated" in scores
    assert "Bo Berg −4 6 −10" in scores


def test_points_from_the_start_stand_apart_from_those_that_were_won():
    game = seated()
    game.turn("Alva", amend(201, "Two points to begin with.", carry="keep", starting_points="2"), "ABCD")
    game.ask("keeper", Join("Eva Ek"))

    scores = words(printed(game), "scores/")

    assert "other" in scores
    assert "Eva Ek 2 2" in scores


def test_a_player_has_a_page_with_proposals_and_points(pages):
    player = words(pages, "players/1/")

    assert "10 points, in the game." in player
    assert "Proposal 301: amend rule 203, “A majority decides”" in player
    assert "for proposal 301" in player


def test_the_log_tells_each_event_in_words_with_its_hash():
    game = seated()
    game.turn("Alva", majority(), "ABCD")

    log = words(printed(game), "log/1/")

    assert "Rule 203 becomes rule 301." in log
    assert "Proposal 301 is adopted: 4 for, 0 against." in log
    assert all(record.hash in log for record in game.log)


def test_a_counter_s_units_stand_beside_the_points_and_are_never_added_to_them():
    """301 by four of four: 10 × 4/4 = 10 points; 2 cakes from the start, 3 for the proponent, and 1 more when the turn ends."""
    game = seated()
    clauses = (
        ("counter cakes", "2"),
        ("on adopted give proponent cakes", "3"),
        ("on turn end give player cakes", "1"),
    )
    game.turn(
        "A", Propose("enact", None, "Cakes", "Cakes.", tuple(Clause(*each) for each in clauses)), "ABCD"
    )
    pages = printed(game)
    scores, front, turn = words(pages, "scores/"), words(pages, ""), words(pages, "turns/1/")

    assert "Player Score cakes points for the turn" in scores
    assert "Alva Alm 10 6 10" in scores
    assert "Bo Berg 0 2" in scores
    assert "other" not in scores
    assert "+1 Alva Alm cakes, by rule 301, “on turn end give player cakes”, in turn 1" in scores
    assert "Alva Alm: +3 cakes. Alva Alm: +10 points." in front
    assert "Alva Alm 10, 6 cakes" in front
    assert "Points of the turn Alva Alm +4 cakes, +10 points" in turn
    assert "For the turn itself +1 Alva Alm cakes, by rule 301" in turn


def test_a_player_who_has_left_is_marked_in_the_scores_of_the_front_page():
    game = seated()
    game.play("Dan", Forfeit(for_good=True))

    assert "Dan Dahl has forfeited 0" in words(printed(game), "")


def test_a_long_log_is_cut_into_pages_of_a_hundred_that_lead_to_each_other():
    game = seated()
    for count in range(110):
        game.play("Bo", Speak(f"Good morning number {count}."))

    pages = printed(game)

    assert "events 1 to 100," in words(pages, "log/1/")
    assert f"events 101 to {game.state.seq}," in words(pages, "log/2/")
    assert "Bo Berg says to everyone: “Good morning number 109.”" in words(pages, "log/2/")
    for part in ("log", "archive"):
        there = f"../{part}/2/index.html"
        assert f'<meta http-equiv="refresh" content="0; url={there}">' in pages[f"kaffe/{part}/index.html"]
        assert f'<a href="{there}">To the latest page</a>' in pages[f"kaffe/{part}/index.html"]


def test_the_plain_rulebook_has_every_rule_and_fits_eighty_columns(pages):
    text = pages["kaffe/rulebook.txt"]

    assert "IMMUTABLE RULES\n\n101  The rules bind everyone\n\n     The rules in force" in text
    assert "301  A majority decides\n" in text
    assert "     adopted when: votes_for * 2 > eligible\n" in text
    assert max(map(len, text.splitlines())) <= 80


def test_programs_read_the_same_game():
    game = seated()
    game.turn("Alva", majority(), "ABCD")

    state = json.loads(printed(game)["kaffe/game.json"])

    assert state["rules"][-1]["lineage"] == [203, 301]
    assert state["proposals"][0]["ballots"]["Bo Berg"] == "for"
    assert state["events"] == len(game.log)
    assert state["hash"] == game.log[-1].hash


def test_the_index_lists_the_games_and_what_goes_on_in_them(pages):
    index = Reading(pages["index.html"])

    assert "Kaffe Turn 3; Cia Ceder moves. 4 players" in index.words
    assert "kaffe/index.html" in index.links


def test_before_the_start_a_reader_learns_how_to_join():
    game = seated()
    setup = replay(game.log[:5])

    pages = texts(pages_of(setup, log_of(game.log[:5]), SITE, PRINTER), "kaffe/")

    assert "The game has not started yet." in words(pages, "")
    assert any("body=join%20as" in link for link in Reading(pages["kaffe/index.html"]).links)
    assert "No proposal has been made yet." in words(pages, "proposals/")


def test_a_won_game_says_who_won():
    game = seated()
    game.turn("Alva", enact("Alva wins", "Alva wins.", wins_when='name == "Alva Alm"'), "ABCD")

    assert "The game is won. Winner: Alva Alm." in words(printed(game), "")


def test_while_the_cooling_time_runs_the_status_says_when_the_vote_closes():
    game = seated(cooling_time="12h")
    game.turn("Alva", majority(), "ABCD")

    status = words(printed(game), "")

    assert "Everyone has voted on proposal 301. The vote closes" in status


def test_a_running_vote_shows_who_has_voted_and_not_how(pages):
    page = words(pages, "proposals/304/")

    assert "Alva Alm has voted" in page
    assert "Bo Berg –" in page
    assert json.loads(pages["kaffe/game.json"])["proposals"][-1]["ballots"] == {
        "Alva Alm": None,
        "Cia Ceder": None,
    }


def test_no_byte_of_the_site_depends_on_a_hidden_ballot(pages):
    assert printed(played(last="for")) == pages


def test_no_byte_depends_on_a_ballot_that_was_taken_back():
    def pages(choice):
        game = played()
        ballot(game, "Dan", 304, choice)
        game.play("Dan", RetractVote(304))
        game.play("Dan", Speak("Never mind.", 304))
        return printed(game)

    assert pages("for") == pages("against")


def test_when_the_vote_has_closed_its_ballots_and_hashes_are_shown():
    game = played()
    ballot(game, "Bo", 304, "for")
    ballot(game, "Dan", 304, "for")

    pages = printed(game)

    assert "Alva Alm against “against 304”" in words(pages, "proposals/304/")
    assert all(record.hash in words(pages, "log/1/") for record in game.log)


def test_ballots_shown_at_once_are_shown_at_once():
    game = seated(ballots_shown="at once")
    game.play("Alva", majority())
    game.play("Alva", CallVote(301))
    game.play("Bo", Vote("against", 301, "no on 301"))

    pages = printed(game)

    assert "Bo Berg against “no on 301”" in words(pages, "proposals/301/")
    assert json.loads(pages["kaffe/game.json"])["hash"] == game.log[-1].hash


@pytest.mark.parametrize("language", ["en", "sv"])
def test_every_link_leads_to_a_page_and_a_place_on_it(language):
    pages = printed(played(language))
    read = {path: Reading(text) for path, text in pages.items() if path.endswith(".html")}
    dead = []
    for path, page in read.items():
        for link in page.links:
            if link.startswith("mailto:"):
                continue
            goal, anchor = target(path, link)
            if goal not in pages or (anchor and anchor not in read[goal].ids):
                dead.append((path, link))

    assert dead == []
    assert sum(len(page.links) for page in read.values()) > 500


@pytest.mark.parametrize("language", ["en", "sv"])
def test_every_page_is_well_formed_in_its_language_and_needs_no_script_or_style_of_its_own(language):
    for path, text in printed(played(language)).items():
        if not path.endswith(".html"):
            continue
        page = Reading(text)
        assert page.faults == [], path
        assert page.tags.count("h1") == 1, path
        assert not {"script", "style", "img", "iframe", "form"} & set(page.tags), path
        assert "style" not in page.attributes, path
        assert not any(name.startswith("on") for name in page.attributes), path
        assert "default-src 'none'" in text, path
        assert f'<html lang="{language if path.startswith("kaffe") else "en"}">' in text, path


def test_a_swedish_game_calls_its_clauses_by_their_swedish_names():
    assert "antas när: votes_for * 2 > eligible" in printed(played("sv"))["kaffe/rulebook.txt"]


HOSTILE = (
    "<script>alert(1)</script> {{7*7}} {% raw %} </div></main> <img src=x onerror=alert(1)>\n\n"
    "[here](javascript:alert(1)) ![pixel](https://spy.example/p.png) [up](../../../etc/passwd)\n\n"
    "# A heading\n\n`<b>` &#x202e; %(name)s"
)


def test_what_players_write_stays_text_everywhere():
    game = Table(("<b>Alva</b> {{7*7}} Alm", "Bo Berg", "Cia Ceder"), zone="UTC")
    game.play("<b>", Propose("enact", None, "<script>alert(2)</script>", HOSTILE))
    game.play("Bo", Speak(HOSTILE, 301))
    game.play("Bo", Speak("<script>alert(3)</script>"))
    game.play("<b>", CallVote(301))
    for name in ("<b>", "Bo", "Cia"):
        game.play(name, Vote("for", 301, "<i>for</i> 301"))

    pages = printed(game)

    for path, text in pages.items():
        if not path.endswith(".html"):
            continue
        page = Reading(text)
        assert page.faults == [], path
        assert not {"script", "img", "i"} & set(page.tags), path
        assert "<b>Alva" not in text, path
        assert not any(link.startswith(("javascript", "https://spy")) for link in page.links), path
        assert page.tags.count("h1") == 1, path
    shown = words(pages, "proposals/301/")
    assert "<script>alert(1)</script> {{7*7}} {% raw %} </div></main> <img src=x onerror=alert(1)>" in shown
    assert "[here](javascript:alert(1)) ![pixel](https://spy.example/p.png)" in shown
    assert "<b>Alva</b> {{7*7}}" in shown
    assert "“<i>for</i> 301”" in shown
    assert "“<script>alert(3)</script>”" in words(pages, "log/1/")


def test_the_same_log_gives_the_same_bytes():
    game = played()

    again = texts(pages_of(replay(game.log), log_of(list(game.log)), SITE, PRINTER), "kaffe/")

    assert again == {path: text for path, text in printed(game).items() if path.startswith("kaffe/")}


HOSTILE_PATHS = (
    *(
        "../x.html",
        "..",
        "/etc/passwd",
        "a/../../x.html",
        "%2e%2e/x.html",
        "..\\x.html",
        "rules/./x.html",
        "a//b.html",
    ),
    *("a\x00.html", "index.html\n", "con fig.html", "ÅÄÖ.html", "Rules/x.html", "x" * 300 + ".html"),
    *(".htaccess", "-rf.html", "x.php", "rules.html/x.html", "rules/", ""),
)


@pytest.mark.parametrize("path", HOSTILE_PATHS)
def test_no_page_can_have_a_name_that_leads_elsewhere(path):
    with pytest.raises(ValueError, match="no page may be called"):
        parted(path)
