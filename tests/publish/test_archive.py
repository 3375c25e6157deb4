"""The archive: every public mail has a place for good, nothing else is in it, and mail programs can read it."""

from __future__ import annotations

import email.policy
import mailbox
import re
from dataclasses import replace
from email.message import Message
from pathlib import Path

import pytest

from pbem.game.commands import CallVote, Claim, GoToJudgment, Join, Propose, Ruling, Speak, Vote
from pbem.publish.log import log_of
from pbem.publish.page import SiteView
from pbem.publish.press import Memory
from pbem.publish.versions import publish
from tests.game.conftest import Table
from tests.publish.pages import pages_of
from tests.publish.played import PRINTER, SITE, Reading, ballot, played, printed, seated, target, texts


def letters(pages: dict[str, str]) -> str:
    """All words of the archive, part by part."""
    parts = sorted(path for path in pages if re.fullmatch(r"kaffe/archive/\d+/index\.html", path))
    return " ".join(Reading(pages[path]).words for path in parts)


def mails(pages: dict[str, str], folder: Path, part: int = 1) -> list[Message]:
    """The mails of a part of the archive as a mail program finds them."""
    file = folder / "mails.mbox"
    file.write_text(pages[f"kaffe/archive/{part}/mails.mbox"], "ascii")
    box = mailbox.mbox(
        file, lambda opened: email.message_from_binary_file(opened, policy=email.policy.default)
    )
    found = list(box)
    box.close()
    return found


@pytest.fixture(scope="module", name="pages")
def _pages() -> dict[str, str]:
    return printed(played())


def test_every_ballot_post_and_proposal_leads_to_the_words_of_its_mail(pages):
    page = "kaffe/proposals/301/index.html"
    leading = [
        target(page, link) for link in Reading(pages[page]).links if "/archive/" in link and "#" in link
    ]

    assert len(leading) == 8  # the proposal, three posts, four ballots
    assert all(anchor in Reading(pages[path]).ids for path, anchor in leading)


def test_a_mail_is_shown_with_its_writer_its_words_and_what_it_is_about(pages):
    words = letters(pages)

    assert "Alva Alm makes proposal 301, “A majority decides”." in words
    assert "Bo Berg votes on proposal 301. “for 301”" in words
    assert "I want two circuits of everyone first." in words
    assert "The keeper Mon 30 Nov" in words
    assert "A rule change is adopted when more than half" in words


def test_what_only_followed_from_a_mail_is_not_in_the_archive(pages):
    assert "Proposal 301 is adopted" not in letters(pages)
    assert "Points for" not in letters(pages)


def test_a_secret_ballot_comes_into_the_archive_when_its_vote_has_closed():
    game = played()
    running = letters(printed(game))
    for name in ("Bo", "Dan"):
        ballot(game, name, 304, "against")

    assert "votes on proposal 304" not in running
    assert "Alva Alm votes on proposal 304. “against 304”" in letters(printed(game))


def test_ballots_shown_at_once_are_in_the_archive_at_once():
    game = seated(ballots_shown="at once")
    game.play("Alva", Propose("repeal", 209))
    game.play("Alva", CallVote(301))
    ballot(game, "Bo", 301, "against")

    assert "Bo Berg votes on proposal 301. “against 301”" in letters(printed(game))


def test_table_talk_claims_rulings_and_questions_are_in_it():
    game = seated()
    game.play("Alva", Speak("Hello everyone.\n\nI bake on *Friday*."))
    game.turn("Alva", Propose("repeal", 209), "ABCD")
    game.play("Bo", GoToJudgment("May 209 go?"))
    game.ask("keeper", Ruling("Cake is allowed."))
    game.play("Cia", Claim("I had more points."))

    words = letters(printed(game))

    assert "Hello everyone. I bake on Friday." in words
    assert "May 209 go?" in words
    assert "The keeper decides: “Cake is allowed.”" in words
    assert "Cia Ceder says that a result is wrong: “I had more points.”" in words


def test_an_address_in_what_a_player_wrote_is_not_published():
    game = seated()
    game.play("Alva", Propose("repeal", 209))
    game.play("Bo", Speak("Ask me: bo.berg+nomic@mail.example, or at home.", 301))
    game.play("Bo", Speak("Or here: bo@mail.example"))

    pages = printed(game)

    assert [path for path, text in pages.items() if "@mail.example" in text] == []
    assert "Ask me: bo.berg+nomic@…, or at home." in letters(pages)


def test_what_a_player_wrote_is_never_markup():
    game = seated()
    game.play("Alva", Speak("<script>alert(1)</script> <img src=x onerror=alert(2)>"))
    game.play("Alva", Propose("enact", None, "<b>bold</b>", "]]><script>x</script>"))
    game.play("Alva", CallVote(301))
    game.play("Bo", Vote("for", 301, "<i>for</i> 301"))
    for name in ("Alva", "Cia", "Dan"):
        ballot(game, name, 301, "for")

    page = printed(game)["kaffe/archive/1/index.html"]

    assert {"script", "img", "b", "i"} & set(Reading(page).tags) == {"b"}
    assert "<b>bold" not in page
    assert "“<i>for</i> 301”" in Reading(page).words


def test_mail_programs_read_an_mbox_with_threads_dates_and_names(pages, tmp_path):
    proposed, *answers = [mail for mail in mails(pages, tmp_path) if mail["Subject"].endswith("[kaffe] 301")]

    assert proposed["From"] == "Alva Alm <nobody@kaffe.invalid>"
    assert proposed["Subject"] == "[kaffe] 301"
    assert proposed["Date"].datetime.isoformat().startswith("2026-11-30T")
    assert {mail["In-Reply-To"] for mail in answers} == {proposed["Message-ID"]}
    assert proposed.get_content().splitlines()[:3] == [
        "Alva Alm makes proposal 301, “A majority decides”.",
        "",
        "A rule change is adopted when more than half of the eligible votes are for it.",
    ]
    anchors = Reading(pages["kaffe/archive/1/index.html"]).ids
    assert proposed["Archived-At"].strip("<>").split("#")[1] in anchors


def test_no_words_of_a_player_end_a_mail_or_begin_a_header(tmp_path):
    said = (
        "From the start I was for it.\n\nFrom now on I am not.\nFrom: eve@mail.example\nSubject: x\n\n>From here on.\n.\nÅäö "
        + "lång " * 40
        + "."
    )
    game = Table(("Åsa Öberg", "Bo Berg"))
    game.play("Bo", Speak("From first to last."))
    game.play("Åsa", Speak(said))

    boxed = printed(game)["kaffe/archive/1/mails.mbox"]
    joined, *_, last = mails({"kaffe/archive/1/mails.mbox": boxed}, tmp_path)

    assert joined["Subject"] == "[kaffe] Table talk"
    assert last["From"].addresses[0].display_name == "Åsa Öberg"
    assert last.get_content().rstrip("\n") == said.replace("eve@mail.example", "eve@…")
    assert boxed.count("\nFrom nobody@kaffe.invalid ") + 1 == len(
        mails({"kaffe/archive/1/mails.mbox": boxed}, tmp_path)
    )
    assert max(map(len, boxed.splitlines())) < 998


def test_the_mbox_holds_no_address_but_those_that_lead_nowhere(pages):
    for path, text in pages.items():
        if path.endswith(".mbox"):
            assert set(re.findall(r"@([\w.-]+)", text)) == {"kaffe.invalid"}


def test_without_an_address_of_the_site_no_mail_tells_where_it_is_archived():
    game = played()
    made = texts(pages_of(game.state, log_of(game.log), SiteView(), PRINTER))

    assert "Archived-At" not in made["archive/1/mails.mbox"]


def talk(game: Table, mails_: int) -> None:
    for number in range(mails_):
        game.play("Alva", Speak(f"Number {number}."))


def test_one_more_mail_leaves_full_parts_as_they_are(tmp_path):
    game, memory = seated(), Memory()
    talk(game, 210)
    made: list[str] = []

    def put_up() -> None:
        pages = pages_of(game.state, log_of(game.log), SITE, PRINTER, memory)
        watched = (
            page._replace(make=lambda page=page: made.append(page.path) or page.make()) for page in pages
        )
        publish(tmp_path, "kaffe", game.state.seq, watched, memory.standing)

    put_up()
    made.clear()
    talk(game, 1)
    put_up()

    assert {path for path in made if path.startswith("archive/")} == {
        "archive/3/index.html",
        "archive/3/mails.mbox",
    }


def test_mails_of_one_moment_are_on_one_page_wherever_a_hundred_ends():
    """Of 230 mails some 150 were taken at the same moment, across the end of the first hundred events."""
    game = seated()
    talk(game, 230)
    moment = game.log[60].at
    log = [replace(record, at=moment) if 60 <= at < 210 else record for at, record in enumerate(game.log)]

    pages = texts(pages_of(game.state, log_of(log), SITE, PRINTER), "kaffe/")

    first, second, third = (Reading(pages[f"kaffe/archive/{part}/index.html"]).words for part in (1, 2, 3))
    assert all(f"Number {number}." in first for number in (0, 60, 150, 190))
    assert "No mail is in this part." in second
    assert "Number 229." in third
    assert sum(text.count("Number ") for text in (first, second, third)) == 230


def test_an_empty_game_has_an_empty_archive():
    game = seated()
    pages = printed(game)
    quiet = texts(pages_of(game.state, log_of([replace(r, mail=None) for r in game.log]), SITE, PRINTER))

    assert "Alva Alm joins." in letters(pages)
    assert "No mail is in this part." in Reading(quiet["archive/1/index.html"]).words
    assert quiet["archive/1/mails.mbox"] == ""


def test_who_joins_later_is_in_it_too():
    game = seated()
    game.ask("keeper", Join("Eva Ek"))

    assert "Eva Ek joins." in letters(printed(game))


def test_secret_ballots_on_a_full_part_come_when_the_vote_closes_long_after(tmp_path):
    game, memory = played(), Memory()

    def part() -> str:
        pages = pages_of(game.state, log_of(game.log), SITE, PRINTER, memory)
        publish(tmp_path, "kaffe", game.state.seq, pages, memory.standing)
        return Reading((tmp_path / "kaffe/archive/1/index.html").read_text()).words

    part()
    talk(game, 120)
    assert "votes on proposal 304" not in part()

    for name in ("Bo", "Dan"):
        ballot(game, name, 304, "against")

    assert "Alva Alm votes on proposal 304. “against 304”" in part()
