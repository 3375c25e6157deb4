"""Getting a part in a game, several times over in one mail."""

from __future__ import annotations

from tests.flow.post import GAME, PEOPLE, Post, maildir


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
