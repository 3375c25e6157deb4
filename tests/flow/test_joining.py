"""Getting a part in a game, several times over in one mail."""

from __future__ import annotations

import pytest

from tests.flow.forging import WORLD
from tests.flow.post import GAME, MINUTE, PEOPLE, Letter, Post, maildir


def write(post: Post, words: str) -> str:
    """A stranger writes to the game; returns what the log tells of the mail."""
    post.take(post.compose("Zoe", words, subject=f"[{GAME}]"))
    return str(post.taken()[0].result)


def names(post: Post) -> list[str]:
    return [player["name"] for player in post.state()["players"]]


def test_whoever_watches_may_join_in_the_same_mail(post: Post) -> None:
    post.found("Alice", "Bo")

    assert write(post, "observe\njoin as Zoe Zell\nset html off\n") == "3 done, 0 refused, 0 asked back"
    assert names(post) == ["Alice Ahlgren", "Bo Berg", "Zoe Zell"]


def test_one_mail_gives_one_seat_however_often_it_asks(post: Post) -> None:
    post.found("Alice", "Bo")

    assert write(post, "join as Zoe Zell\njoin as Zoe Again\n") == "1 done, 1 refused, 0 asked back"
    assert names(post) == ["Alice Ahlgren", "Bo Berg", "Zoe Zell"]


def test_whoever_has_no_part_is_answered_three_times_a_day(post: Post) -> None:
    post.found("Alice", "Bo")

    for question in ("status", "rules", "scores", "proposals", "log"):
        write(post, question)

    assert len(maildir(post.folder / "mail" / PEOPLE["Zoe"][1])) == 3


def test_watching_twice_is_as_once(post: Post) -> None:
    post.found("Alice", "Bo")

    assert write(post, "observe\n\nobserve\n") == "2 done, 0 refused, 0 asked back"


INVITED = ("Alice", "Bo", "Zoe")


def invite(post: Post, language: str = "en") -> None:
    """A game whose players are asked, and have not answered."""
    players = (option for name in INVITED for option in ("--player", "{} <{}>".format(*PEOPLE[name])))
    keeper = "{} <{}>".format(*PEOPLE["Kim"])
    post.pbem.done("new", GAME, "--language", language, "--keeper", keeper, *players)
    post.wait(MINUTE)


def offered(letter: Letter) -> set[str]:
    """The lines of an answer that name a way in."""
    lines = (line.strip() for line in letter.text.splitlines())
    return {line for line in lines if line.startswith(("join", "gå med", "observe", "följ"))}


class TestAnInvitation:
    @pytest.mark.parametrize(
        "words",
        [
            "Yes please",
            "yes!! join",
            "Yes",
            "Ok!",
            "Sure, count me in!",
            "I would like to join the game",
            "I'm in. Thanks, Kim!",
            "Hi Kim,\n\nYes, I'd love to play.\n\nBo",
            "Yes, I would like to join\nKim, thanks for asking me about this game of yours.",
            "Yes please\n\njoin",
            "join as Bo Berg",
            "Ja gärna!! gå med",
            "Jag vill gå med",
            "Jag är med!",
            "Förlåt. Gå med.",
            "gå med, tack",
        ],
    )
    def test_any_yes_seats_under_the_name_that_was_invited(self, post: Post, words: str) -> None:
        invite(post)
        receipt = post.mail("Bo", words, re="will you play")
        assert names(post) == ["Bo Berg"]
        assert "[kaffe] OK" in receipt.subject, receipt.text
        assert "Alm" not in receipt.text

    @pytest.mark.parametrize(
        "words",
        [
            "No thanks",
            "Nej tack",
            "Hello Kim, what is this?",
            "Yes, but only if Alice plays",
            "Yes, I would like to\nif Alice plays",
            "Is it ok?",
            "Sure? I do not think so.",
            "Yes.\nNo, on second thought I can't.",
            "I'd like to watch",
            "for 301",
            "yse plese",
        ],
    )
    def test_all_else_is_asked_back_with_the_two_ways(self, post: Post, words: str) -> None:
        invite(post)
        for again in (words, words, f"{words} "):
            asked = post.mail("Bo", again, re="will you play")
            assert offered(asked) in ({"join", "observe"}, {"gå med", "följ"}), asked.text
            assert "help vote" not in asked.text
            assert "hjälp rösta" not in asked.text
        assert names(post) == []

    def test_who_says_no_in_swedish_is_asked_in_swedish(self, post: Post) -> None:
        invite(post)
        asked = post.mail("Bo", "Nej tack, Kim", re="will you play")
        assert "Du är inbjuden att spela." in asked.words
        assert offered(asked) == {"gå med", "följ"}

    def test_a_robot_is_answered_three_times_a_day(self, post: Post) -> None:
        invite(post)
        for _ in range(6):
            post.take(post.compose("Bo", "Thank you for your mail.", re="will you play"))
        assert sum(letter.is_receipt for letter in post.inbox("Bo")) == 3
        post.take(post.compose("Bo", "join", re="will you play"))
        assert names(post) == ["Bo Berg"]
        assert "You are in the game as Bo Berg." in post.inbox("Bo")[-1].text

    def test_a_name_is_kept_for_whom_it_was_invited(self, post: Post) -> None:
        invite(post)
        for name in ("Dan", "Bo"):
            refused = post.answer(name, post.compose(name, "join as alice  ahlgren", subject=f"[{GAME}]"))
            assert "Somebody else is invited to this game as Alice Ahlgren." in refused.words
            assert offered(refused) == ({"join"} if name == "Bo" else {"join as Dan"})
        post.mail("Alice", "join", re="will you play")
        assert names(post) == ["Alice Ahlgren"]

    def test_its_secret_address_stands_for_whose_provider_does_not_sign(self, post: Post) -> None:
        invite(post)
        post.take(post.compose("Bo", "join", re="will you play"), source=WORLD)
        assert names(post) == ["Bo Berg"]

    def test_all_mail_of_a_person_lies_in_one_folder(self, post: Post) -> None:
        invite(post)
        post.mail("Bo", "Yes please", re="will you play")
        post.take(post.compose("Dan", "status", subject=f"[{GAME}]"))
        post.take(post.compose("Dan", "join as Dan Dahl", subject=f"[{GAME}]"))
        assert names(post) == ["Bo Berg", "Dan Dahl"]
        assert set(post.everybody()) == {
            "Kim Kvist",
            "Alice Ahlgren",
            "Bo Berg",
            "Zoe Zell",
            PEOPLE["Dan"][1],
        }

    def test_the_keeper_is_told_who_has_not_answered(self, post: Post) -> None:
        invite(post)
        joined = post.mail("Bo", "join", re="will you play")
        assert "It begins when the keeper starts it, and then you get a mail." in joined.words
        refused = post.pbem("do", GAME, "start")
        assert refused.exit_code == 1
        told = " ".join(refused.stdout.split())
        assert "without an answer so far: Alice Ahlgren, Zoe Zell." in told
        assert "`pbem new … --start`" in told
        post.mail("Alice", "join", re="will you play")
        told = " ".join(post.pbem.done("do", GAME, "start").split())
        assert "without an answer so far: Zoe Zell. They can still join." in told
        assert post.state()["status"] == "playing"


@pytest.mark.parametrize(
    ("words", "way"),
    [
        ("Hello, may I be in this?", "join as Dan"),
        ("for 301", "join as Dan"),
        ("join", "join as Dan"),
        ("Hej, kan jag få vara med?", "gå med som Dan"),
    ],
)
def test_a_stranger_is_told_how_to_join(post: Post, words: str, way: str) -> None:
    post.found("Alice", "Bo")
    answer = post.mail("Dan", words, subject=f"[{GAME}]")
    assert offered(answer) == {way}, answer.text
    assert "help vote" not in answer.text
    assert names(post) == ["Alice Ahlgren", "Bo Berg"]


def test_what_a_stranger_is_offered_is_taken(post: Post) -> None:
    post.found("Alice", "Bo")
    (way,) = offered(post.mail("Dan", "Hello, may I be in this?", subject=f"[{GAME}]"))
    post.mail("Dan", way, subject=f"[{GAME}]")
    assert names(post) == ["Alice Ahlgren", "Bo Berg", "Dan"]
