"""Every command of the keeper's, by mail: it is done and published with its reason, and nobody else can give it.

What lives here: one table of stories, each told three times: by a stranger, by a player, and by the keeper, twice.
What never may: what a command does to the sums and the rulebook (test_rulings_by_mail.py, test_silence_by_mail.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import pytest

from pbem.game.commands import OfKeeper
from pbem.mail.grammar import read_commands
from pbem.mail.readings import Understood
from pbem.service.founding import Plan, found
from tests.flow.conftest import opened
from tests.flow.post import DAY, GAME, PEOPLE, TEA, Post

WHY = "we agreed at sea"
TAG = f"[{GAME}]"


def begun(post: Post) -> None:
    post.found("Alice", "Bo", "Cia")


def set_up(post: Post) -> None:
    people = tuple(PEOPLE[name] for name in ("Alice", "Bo", "Cia"))
    found(post.host, Plan(GAME, "Kaffe", "en", "suber", PEOPLE["Kim"], people, {}, False, post.now))
    for name in ("Alice", "Bo", "Cia"):
        post.mail(name, f"join as {PEOPLE[name][0]}", subject=TAG)


def debated(post: Post) -> None:
    begun(post)
    post.mail("Alice", f"{TEA}\nend\n", subject=TAG)


def voted_on(post: Post) -> None:
    """301 waits for Cia's ballot."""
    begun(post)
    post.propose("Alice", TEA)
    post.vote(301, Alice="for", Bo="for")


def adopted(post: Post) -> None:
    begun(post)
    post.turn("Alice", TEA, Alice="for", Bo="for", Cia="for")


def paused(post: Post) -> None:
    voted_on(post)
    post.mail("Kim", "pause", subject=TAG)


def won(post: Post) -> None:
    """Bo has won in turn 1, by the keeper's award at its end."""
    adopted(post)
    post.mail("Kim", "award Bo Berg +100: a prize", subject=TAG)


def volunteered(post: Post) -> None:
    begun(post)
    post.mail("Eve", "takeover as Eve Ek", subject=TAG)


def judged(post: Post) -> None:
    """Case J1, whose Judge is silent beyond the grace."""
    voted_on(post)
    post.mail("Bo", "judgment: is 301 one change?", subject=TAG)
    post.wait(4 * DAY)


def exhausted(post: Post) -> None:
    """Case J1, in which the others overruled each of the three in turn."""
    voted_on(post)
    post.mail("Bo", "judgment: is 301 one change?", subject=TAG)
    for judge, others in (("Cia", ("Alice", "Bo")), ("Bo", ("Alice", "Cia")), ("Alice", ("Bo", "Cia"))):
        post.mail(judge, "verdict legal J1: it is", subject=TAG)
        for other in others:
            post.mail(other, "overrule J1", subject=TAG)


def consented(post: Post) -> None:
    """Turn 1 is over, somebody went to judgment in it, and nobody has consented to the next."""
    voted_on(post)
    post.mail("Bo", "judgment: is 301 one change?", subject=TAG)
    post.mail("Cia", "verdict legal J1: it is", subject=TAG)
    post.vote(301, Cia="for")


@dataclass(frozen=True)
class Story:
    """What the keeper sends when things stand so. `done` stands in the receipt, `others` in what anybody else is
    answered, `again` in the answer to the same line sent once more ("": it is as good as before). The reason is on
    `page` ("": the command takes none), and in the newest mail to Alice about `mail`."""

    stands: Callable[[Post], None]
    line: str
    done: str
    others: str
    again: str = ""
    page: str = "log/1"
    mail: str = ""


STORIES = {
    "extend": Story(
        voted_on,
        f"extend 301 2d: {WHY}",
        "The keeper extends the deadline of proposal 301 to Thu 10 Dec 2026 10:01:00 UTC.",
        "Only the keeper gives more time.",
        mail="301",
    ),
    "close": Story(
        voted_on,
        f"close 301: {WHY}",
        "The keeper closes the vote on proposal 301. Without a ballot: Cia Crane.",
        "Only the keeper closes a vote.",
        "Proposal 301 was closed Tue 1 Dec 2026 10:04:00 UTC.",
        "proposals/301",
        "Turn 1",
    ),
    "abstain": Story(
        voted_on,
        f"abstain 301: {WHY}",
        "out of the vote: Cia Crane.",
        "Only the keeper counts those as abstaining who are silent.",
        "Proposal 301 was closed Tue 1 Dec 2026 10:04:00 UTC.",
        "proposals/301",
        "Turn 1",
    ),
    "call vote": Story(
        debated,
        f"call vote 301: {WHY}",
        "The keeper ends the debate on proposal 301 in the place of Alice Ahlgren.",
        "",
        "The vote on proposal 301 is open already.",
        "proposals/301",
    ),
    "pass turn": Story(
        begun,
        f"pass turn: {WHY}",
        "The keeper passes the turn of Alice Ahlgren on to the next player.",
        "Only the keeper passes a turn on.",
        page="turns/1",
        mail="Turn 1",
    ),
    "remove": Story(
        begun,
        f"remove Bo Berg: {WHY}",
        "Bo Berg has left the game.",
        "Only the keeper removes a player.",
        "Nobody called Bo Berg plays now. Players are: Alice Ahlgren, Cia Crane.",
        mail="has left",
    ),
    "replace": Story(
        volunteered,
        f"replace Bo Berg by Eve Ek: {WHY}",
        "Eve Ek plays on in the seat of Bo Berg.",
        "Only the keeper",
        "Nobody called Eve Ek watches this game.",
        mail="news of Eve Ek",
    ),
    "absent": Story(
        begun,
        f"absent Bo Berg until 2027-01-10: {WHY}",
        "Bo Berg is away until Sun 10 Jan 2027 00:00:00 UTC.",
        "Only the keeper says this for somebody else.",
        mail="news of Bo Berg",
    ),
    "award": Story(
        begun,
        f"award Bo Berg +5: {WHY}",
        "Corrected: +5 points for Bo Berg.",
        "Only the keeper can do this.",
        page="scores",
        mail="a correction",
    ),
    "void": Story(
        voted_on,
        f"void 301: {WHY}",
        "Proposal 301 counts as never made; its number is spent.",
        "Only the keeper can do this.",
        "Proposal 301 is void already.",
        "proposals/301",
        "a correction",
    ),
    "rerun": Story(
        adopted,
        f"rerun 301: {WHY}",
        "The vote on proposal 301 is held again",
        "Only the keeper can do this.",
        page="proposals/301",
        mail="a correction",
    ),
    "undo": Story(
        adopted,
        "undo #{award}: " + WHY,
        "points for Alice Ahlgren",
        "Only the keeper can do this.",
        "is taken back already.",
        "scores",
        "a correction",
    ),
    "ruling": Story(
        begun,
        f"ruling: {WHY}",
        f"The keeper decides: “{WHY}”",
        "Only the keeper can do this.",
        mail="the keeper decides",
    ),
    "announce": Story(
        begun,
        f"announce: {WHY}",
        f"The keeper announces: “{WHY}”",
        "Only the keeper announces something.",
        mail="the keeper announces",
    ),
    "pass keepership": Story(
        volunteered,
        f"pass keepership to Eve Ek: {WHY}",
        "Eve Ek is the keeper from now on.",
        "Only the keeper passes the keepership on.",
        "Only the keeper passes the keepership on.",
        mail="Eve Ek is the keeper",
    ),
    "clause": Story(
        begun,
        f"clause 206 points when defeated: -3 because {WHY}",
        "By the keeper’s ruling rule 206 orders “points when defeated” so: “-3”",
        "Only the keeper gives a rule a clause.",
        "Rule 206 carries just that already.",
        "rules/206",
        "the keeper decides",
    ),
    "winner": Story(
        exhausted,
        f"winner Bo Berg: {WHY}",
        "The game is won: Bo Berg.",
        "Only the keeper names who wins a locked game.",
        "The game is not locked",
        mail="the game is won",
    ),
    "verdict": Story(
        judged,
        f"verdict illegal J1: {WHY}",
        "J1",
        "",
        page="cases/J1",
        mail="Case J1",
    ),
    "reopen": Story(
        exhausted,
        f"reopen J1: {WHY}",
        "Cia Crane is the Judge now.",
        "Only the keeper reopens a case.",
        "Case J1 does not wait for the keeper.",
        mail="Case J1",
    ),
    "consent": Story(
        consented,
        "consent",
        "next turn",
        "",
        "The next turn does not wait for consent.",
        page="",
        mail="Turn 1",
    ),
    "invite": Story(
        begun,
        f"invite Dan Dahl <dan@dahl.example>: {WHY}",
        "The keeper invites somebody to play.",
        "Only the keeper invites somebody.",
    ),
    "admit": Story(
        volunteered,
        f"admit Eve Ek: {WHY}",
        "By the keeper’s word Eve Ek has a seat in the game.",
        "Only the keeper gives somebody a seat.",
        "Nobody called Eve Ek watches this game.",
        mail="news of Eve Ek",
    ),
    "address": Story(
        begun,
        f"address Bo Berg: bo@home.example: {WHY}",
        "The keeper changes where mails to Bo Berg go.",
        "Only the keeper changes where a player’s mails go.",
        "The address bo@home.example belongs to somebody here already.",
        mail="news of Bo Berg",
    ),
    "as": Story(
        voted_on,
        "as Cia Crane: judgment: is tea a drink?",
        "The keeper says for Cia Crane, who is told: “judgment: is tea a drink?”",
        "Only the keeper speaks for somebody else.",
        page="",
        mail="Case J1",
    ),
    "pause": Story(
        voted_on,
        f"pause: {WHY}",
        "The keeper pauses the game: no deadline passes until it goes on.",
        "Only the keeper pauses the game.",
        "The game is paused already.",
        "",
        mail="the game is paused",
    ),
    "resume": Story(
        paused,
        f"resume: {WHY}",
        "It stood still from Tue 1 Dec 2026 10:04:00 UTC to Tue 1 Dec 2026 10:05:00 UTC, and each open deadline is later",
        "Only the keeper lets the game go on.",
        "The game is not paused.",
        mail="the game goes on",
    ),
    "continue": Story(
        won,
        f"continue: {WHY}",
        "The game is played on after the win of Bo Berg. The scores stay as they are.",
        "Only the keeper lets the game go on.",
        "Nobody has won, so the game goes on as it is.",
        mail="the game is played on",
    ),
    "end": Story(
        voted_on,
        f"end: {WHY}",
        "The keeper ends the game. Nobody has won it.",
        "Only the keeper ends the game.",
        "The keeper has ended this game.",
        "",
        mail="the game has ended",
    ),
    "start": Story(
        set_up,
        "start",
        "The game has begun",
        "Only the keeper starts the game.",
        "The game has already started.",
        page="",
        mail="the game has begun",
    ),
}


@pytest.fixture(name="told", params=STORIES)
def _told(post: Post, request: pytest.FixtureRequest) -> Iterator[tuple[Post, Story, str]]:
    """A host where things stand as the story has it, the story, and the line with its event filled in."""
    story = STORIES[request.param]
    story.stands(post)
    award = next((e["seq"] for e in post.pbem.json("show", GAME, "log") if e["kind"] == "points awarded"), 0)
    yield post, story, story.line.format(award=award)
    assert post.is_whole()


def test_the_keepers_line_is_done_and_everyone_can_read_why(told: tuple[Post, Story, str]) -> None:
    post, story, line = told

    receipt = post.mail("Kim", line, subject=TAG)

    assert receipt.subject == f"{TAG} OK"
    assert story.done in receipt.words
    if story.mail:
        letter = post.newest("Alice", story.mail)
        assert not story.page or WHY in letter.words
    if story.page:
        assert WHY in post.page(*story.page.split("/"), "index.html")
        assert WHY in post.page("log", "1", "index.html")


def test_the_line_does_nothing_from_a_stranger_or_from_a_player(told: tuple[Post, Story, str]) -> None:
    post, story, line = told

    for name in ("Zoe", "Bo"):
        assert story.others in post.refuses(name, line, subject=TAG).words


def test_the_line_sent_again_is_refused_where_what_it_names_is_over(told: tuple[Post, Story, str]) -> None:
    post, story, line = told
    post.mail("Kim", line, subject=TAG)

    if story.again:
        again = post.refuses("Kim", line, subject=TAG)
        assert story.again in again.words
        assert "What happens next" in again.words, "and what is current is said"
    else:
        assert post.mail("Kim", line, subject=TAG).subject.startswith(TAG)


def test_every_command_of_the_keepers_has_a_story() -> None:
    told = {type(read.command) for story in STORIES.values() for read in _read(story.line)}

    assert set(get_args(OfKeeper)) - told == set()


def _read(line: str) -> tuple[Understood, ...]:
    read = read_commands(line.format(award=1)).commands
    assert len(read) == 1, line
    return read


@pytest.mark.parametrize(
    ("line", "done"),
    [
        ("förläng 301 2d: snö", "till tors 10 dec."),
        ("stäng 301: snö", "Spelledaren"),
        ("avstå 301: snö", "Cia Crane"),
        ("ogiltigförklara 301: snö", "301"),
        ("ge Bo Berg +5: snö", "+5"),
        ("beslut: snö", "Spelledaren"),
        ("meddela: snö", "Spelledaren meddelar: ”snö”"),
        ("lämna över spelledningen till Bo Berg: snö", "Bo Berg"),
        ("borta Bo Berg till 2027-01-10: snö", "Bo Berg"),
        ("ta bort Bo Berg: snö", "Bo Berg"),
    ],
)
def test_the_same_in_swedish(tmp_path: Path, line: str, done: str) -> None:
    with opened(tmp_path) as post:
        post.found("Alice", "Bo", "Cia", language="sv")
        post.mail(
            "Alice", "föreslå ny: Te\nTe serveras klockan fyra.\nslut\n\ntill omröstning\n", subject=TAG
        )
        post.vote(301, Alice="för", Bo="för")

        for name in ("Zoe", "Bo"):
            assert "spelledaren" in post.refuses(name, line, subject=TAG).words
        receipt = post.mail("Kim", line, subject=TAG)

        assert receipt.subject == f"{TAG} OK"
        assert done in receipt.words
        assert "snö" in post.page("log", "1", "index.html")


def test_a_win_is_shown_wherever_the_game_stands_after_it_is_played_on(post: Post) -> None:
    won(post)
    post.mail("Kim", f"continue: {WHY}", subject=TAG)
    said = "Bo Berg won in turn 1, and the game was played on."

    for path in (("index.html",), ("scores", "index.html"), ("players", "2", "index.html")):
        assert said in post.page(*path)
    assert said not in post.page("players", "1", "index.html")
    for line in ("status", "scores"):
        assert said in post.mail("Cia", line, subject=TAG).words
    assert post.state()["earlier_wins"] == [{"turn": 1, "winners": ["Bo Berg"]}]
    assert sum("your turn" in letter.subject for letter in post.inbox("Bo")) == 2, (
        "before the win, and after it"
    )
    post.turn("Bo", "propose enact: Cake\nCake is served at five.", Alice="for", Bo="for", Cia="for")
    # (302 - 291) × 3/3 = 11 on top of the prize, and no second win.
    assert post.scores()["Bo"] == 111
    assert post.state()["status"] == "playing"
    assert said in post.newest("Cia", "Turn 2").words
    assert "is played on" in post.page("feed.xml")


def test_the_new_keeper_keeps_the_game_and_the_old_one_watches_it(post: Post) -> None:
    volunteered(post)
    assert (
        "Those who do: Alice Ahlgren, Bo Berg, Cia Crane, Eve Ek."
        in post.refuses("Kim", "pass keepership to Milo", subject=TAG).words
    )

    post.mail("Kim", "pass keepership to Eve: I move away", subject=TAG)

    assert "Only the keeper can do this." in post.refuses("Kim", "ruling: tea", subject=TAG).words
    post.mail("Eve", "ruling: tea is free", subject=TAG)
    for name in ("Alice", "Kim"):
        assert "tea is free" in post.newest(name, "the keeper decides").words
    assert sum("the keeper decides" in letter.subject for letter in post.inbox("Eve")) == 1


def test_a_player_can_be_made_keeper_and_plays_on(post: Post) -> None:
    begun(post)

    post.mail("Kim", "pass keepership to Alice Ahlgren", subject=TAG)
    post.mail("Alice", "award Bo Berg +5: a lost mail", subject=TAG)
    post.propose("Alice", TEA)

    assert post.scores()["Bo"] == 5
    assert "“Tea”" in post.newest("Bo", "301").subject
