"""The keeper's answers by mail where the rules cannot be carried out: a vote decided, a clause mended, points given."""

from __future__ import annotations

import pytest

from pbem.game.commands import CloseVote, OrderClause
from pbem.mail.grammar import read_commands
from pbem.mail.phrasing import phrase
from tests.flow.post import DAY, GAME, TEA, Post

RATIO = """\
propose amend 203: By the ratio
A rule change is adopted when there are more votes for it
than against it, by their ratio.
clause adopted when: round(votes_for, votes_against) > 1"""
MEND = "adopted when: votes_for > votes_against"


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("clause 305 adopted when: votes_for > 0", OrderClause(305, "adopted when: votes_for > 0")),
        (
            "clause 305 adopted when over 203: votes_for > 0 because so we meant it",
            OrderClause(305, "adopted when over 203: votes_for > 0", "so we meant it"),
        ),
        (
            "klausul 305 antas när: votes_for > 0 därför att vi menade så",
            OrderClause(305, "antas när: votes_for > 0", "vi menade så"),
        ),
        (
            "clause 305 adopted when: votes_for * 3 >\n eligible * 2 because two thirds\nis what the text says.",
            OrderClause(
                305, "adopted when: votes_for * 3 > eligible * 2", "two thirds is what the text says."
            ),
        ),
        ("clause 305 wins when: none", OrderClause(305, "wins when: none")),
        ("close 302 adopted: as meant", CloseVote(302, "as meant", "adopted")),
        ("stäng 302 avslaget: som det var menat", CloseVote(302, "som det var menat", "defeated")),
        ("close 302 defeated", CloseVote(302, "", "defeated")),
    ],
)
def test_what_is_written_is_what_is_asked(line, command):
    (read,) = read_commands(line).commands

    assert read.command == command
    for language in ("en", "sv"):
        (again,) = read_commands(phrase(command, language)).commands
        assert phrase(again.command, "en") == phrase(command, "en")


@pytest.fixture(name="held")
def _held(post: Post) -> Post:
    """Rule 203 became 301, which divides by the votes against; 302 has none of those."""
    post.found("Alice", "Bo")
    post.turn("Alice", RATIO, Alice="for", Bo="for")
    post.turn("Bo", TEA, Alice="for", Bo="for")
    return post


def test_a_vote_without_an_outcome_is_put_to_the_keeper_with_the_lines_to_answer(held: Post) -> None:
    asked = held.newest("Kim", "302").words
    assert "it divides by zero" in asked
    for line in ("close 302 adopted: …", "close 302 defeated: …", "void 302: …"):
        assert line in asked
    assert "clause 301 adopted when: round(votes_for, votes_against) > 1 because …" in asked
    late = held.refuses("Alice", "against 302", re="302")
    assert "the keeper is asked for its outcome" in late.words
    assert "The vote waits for the keeper" in held.page("proposals", "302", "index.html")

    receipt = held.mail("Kim", "close 302 adopted: everybody was for it", re="302")

    assert "The rules in force left it open, and the keeper decided." in receipt.words
    assert held.proposal(302)["stage"] == "adopted"
    # Rule 202: (302 − 291) × 2 ÷ 2 = 11.
    assert held.scores() == {"Alice": 10, "Bo": 11}
    digest = held.newest("Alice", "Turn 2").words
    assert "The rules in force left it open, and the keeper decided: “everybody was for it”" in digest
    assert "everybody was for it" in held.page("proposals", "302", "index.html")


def test_a_vote_is_counted_once_the_keeper_has_mended_the_clause(held: Post) -> None:
    receipt = held.mail("Kim", f"clause 301 {MEND} because the text says so", subject=f"[{GAME}]")

    assert (
        "By the keeper’s ruling rule 301 orders “adopted when” so: “votes_for > votes_against”"
        in receipt.words
    )
    assert held.proposal(302)["stage"] == "adopted"
    told = held.newest("Alice", "the keeper decides").words
    assert "The keeper’s reason: “the text says so”" in told
    page = held.page("rules", "301", "index.html")
    assert "Changed by the keeper’s ruling" in page
    assert "the text says so" in page


def test_a_wrong_clause_comes_back_with_the_column_and_the_nearest_name(held: Post) -> None:
    answer = held.refuses("Kim", "clause 301 adopted when: votes_fr > 0", subject=f"[{GAME}]")

    assert "Column 1: there is no quantity called “votes_fr” here. Did you mean “votes_for”?" in answer.words


def test_only_the_keeper_orders_a_clause_or_an_outcome(held: Post) -> None:
    assert (
        "Only the keeper gives a rule a clause." in held.refuses("Bo", f"clause 301 {MEND}", re="302").words
    )
    assert "Only the keeper closes a vote." in held.refuses("Bo", "close 302 adopted", re="302").words


def test_points_that_cannot_be_reckoned_are_told_to_the_keeper_and_in_the_digest(post: Post) -> None:
    post.found("Alice", "Bo")
    post.mail("Kim", "clause 202 points for the turn: round(number, votes_against)", subject=f"[{GAME}]")

    post.turn("Alice", TEA, Alice="for", Bo="for")

    nothing = "gets nothing by “points for the turn” in rule 202 for proposal 301: it divides by zero."
    asked = post.newest("Kim", "no value").words
    assert nothing in asked
    assert "clause 202 points for the turn: round(number, votes_against) because …" in asked
    assert nothing in post.newest("Bo", "Turn 1").words
    assert nothing in post.page("proposals", "301", "index.html")
    assert post.scores() == {"Alice": 0, "Bo": 0}


def test_corrections_stand_on_the_pages_with_their_reasons(post: Post) -> None:
    post.found("Alice", "Bo", "Cia")
    post.turn("Alice", TEA, Alice="for", Bo="for", Cia="against")
    post.mail("Kim", "award Bo +5: a mail of Bo's was lost", subject=f"[{GAME}]")
    post.mail("Kim", "rerun 301: a ballot was lost", subject=f"[{GAME}]")

    scores = post.page("scores", "index.html")
    assert "a mail of Bo&#39;s was lost" in scores
    proposal = post.page("proposals", "301", "index.html")
    assert "The reason: “a ballot was lost”" in proposal
    assert "Before that it was defeated, with 2 for and 1 against." in proposal
    post.vote(301, Alice="for", Bo="for", Cia="for")

    # The next player is asked anew, with the whole time: 7 days from the close.
    assert "Turn 2: it is your turn" in post.newest("Bo", "Turn 2").subject
    assert post.state()["on_turn"].startswith("Bo")
    post.wait(6 * DAY)
    assert "late" not in post.newest("Bo", "Turn 2").words


def test_who_had_a_seat_is_named_in_what_they_did(post: Post) -> None:
    post.found("Alice", "Bo", "Cia")
    post.turn("Alice", TEA, Alice="for", Bo="for", Cia="for")
    old = post.state()["players"][1]["name"]

    post.mail("Eve", "takeover as Eve Ek", subject=f"[{GAME}]")
    post.mail("Kim", f"replace {old} by Eve Ek: moved away", subject=f"[{GAME}]")

    assert post.state()["players"][1]["name"] == "Eve Ek"
    assert old in post.page("proposals", "301", "index.html")
    assert "Eve Ek" not in post.page("proposals", "301", "index.html")
    assert f"{old} had this seat until" in post.page("players", "2", "index.html")
    assert f"{old} votes on proposal 301" in post.page("log", "1", "index.html")


def test_a_win_by_a_ruling_is_told_to_everyone(post: Post) -> None:
    post.found("Alice", "Bo")
    post.turn("Alice", TEA, Alice="for", Bo="for")

    post.mail("Kim", "clause 208 wins when: score >= 10 because we agreed", subject=f"[{GAME}]")

    won = post.newest("Bo", "is won").words
    assert "Alice Ahlgren has won." in won
    post.mail("Kim", "clause 208 wins when: score >= 100 because that was a slip", subject=f"[{GAME}]")
    assert "The game is not won after all" in post.newest("Bo", "correction").words


def test_the_line_that_mends_names_the_rule_that_failed_with_its_claims(post: Post) -> None:
    post.found("Alice", "Bo")
    post.mail("Kim", "clause 202 on adopted give proponent points: 1", subject=f"[{GAME}]")
    post.mail(
        "Kim",
        "clause 206 on adopted give proponent points over 202: round(1, votes_against)",
        subject=f"[{GAME}]",
    )

    post.turn("Alice", TEA, Alice="for", Bo="for")

    asked = post.newest("Kim", "no value").words
    assert "clause 206 on adopted give proponent points over 202: round(1, votes_against) because …" in asked
    assert "clause 202 on adopted" not in asked


def test_a_ruling_that_an_open_amendment_would_take_back_is_taken_with_a_warning(post: Post) -> None:
    post.found("Alice", "Bo")
    post.propose("Alice", "propose amend 206: Less\nLess.\nclause points when defeated: -1")

    receipt = post.mail("Kim", "clause 206 points when defeated: -3 because we agreed", subject=f"[{GAME}]")

    assert "An open proposal changes this rule (301)." in receipt.words


def test_the_history_of_a_rule_tells_of_a_ruling_with_its_reason(post: Post) -> None:
    post.found("Alice", "Bo")
    post.mail("Kim", "clause 206 points when defeated: -3 because we agreed", subject=f"[{GAME}]")

    history = post.mail("Bo", "history 206", subject=f"[{GAME}]").words
    assert "By the keeper’s ruling" in history
    assert "> we agreed" in history
    assert "[-10-]" in history.replace(" ", "") or "-10" in history
    assert "What “points when defeated” orders:" in history


def test_the_page_of_a_held_vote_offers_no_ballot(held: Post) -> None:
    page = held.page("proposals", "302", "index.html")

    assert "for 302" not in page
    assert "Everyone has voted" not in page


def test_the_time_for_disputes_is_told_with_the_turn(post: Post) -> None:
    post.found("Alice", "Bo", dispute_time="1d")
    post.turn("Alice", TEA, Alice="for", Bo="for")

    turn = post.newest("Bo", "Turn 2: it is your turn").words
    assert "Your turn can begin Wed 2 Dec 2026" in turn
    # Seven days to propose, counted from there.
    assert "by Wed 9 Dec 2026" in turn


@pytest.mark.parametrize("words", ["paradox", "verdict: paradox. It is and is not.", "verdict paradox"])
def test_a_paradox_is_understood_however_the_judge_says_it(post: Post, words: str) -> None:
    post.found("Alice", "Bo", "Cia")
    post.propose("Alice", TEA)
    post.mail("Bo", "judgment: is 301 lawful?", subject=f"[{GAME}]")

    post.mail("Cia", words, re="Case J1")

    assert post.state()["cases"][0]["verdict"] == "paradox"


def test_what_goes_on_without_a_rule_is_told_before_the_vote(post: Post) -> None:
    post.found("Alice", "Bo")
    post.propose("Alice", "propose repeal 201")

    assert "It goes on as it last was, until a rule orders it again." in post.newest("Bo", "301").words
