"""Who may read a game: everybody, whoever has its address, or its people alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.service import publishing
from tests.flow.conftest import opened
from tests.flow.forging import WORLD, signed
from tests.flow.post import GAME, MINUTE, PEOPLE, SETTINGS, TEA, Letter, Post, maildir
from tests.servers.running import run

ADDRESS_OF_PAGES = "nomic.example/kaffe"


def found(post: Post, privacy: str, game: str = GAME, *names: str) -> None:
    """A game that starts at once, made on the command line."""
    players = [part for name in names or ("Alice", "Bo") for part in ("--player", _person(name))]
    people = ("--keeper", _person("Kim"), *players)
    post.pbem.done("new", game, "--privacy", privacy, "--set", "cooling time=0", "--start", *people)
    post.wait(MINUTE)


def _person(name: str) -> str:
    return "{} <{}>".format(*PEOPLE[name])


def up(post: Post) -> set[str]:
    """What lies in the site's folder, but for the files of the index."""
    publishing.publish_due(post.host)
    site = post.folder / "site"
    versions = site / ".versions"
    return {each.name for each in (*site.iterdir(), *versions.iterdir()) if each.is_dir()} - {versions.name}


def index(post: Post) -> str:
    publishing.publish_due(post.host)
    return (post.folder / "site/index.html").read_text("utf-8")


def from_a_stranger(post: Post, words: str, tag: str) -> Letter:
    """The answer to somebody with no part in any game, who names one."""
    before = post.inbox("Zoe")
    post.take(post.compose("Zoe", words, subject=f"[{tag}] Hello"))
    (answer,) = [each for each in post.inbox("Zoe") if each.file not in {one.file for one in before}]
    return answer


class TestAPrivateGame:
    def test_nothing_of_it_is_published(self, post: Post) -> None:
        found(post, "private")
        post.turn("Alice", TEA, Alice="for", Bo="for")
        assert up(post) == set()
        assert "Kaffe" not in index(post)
        assert "No game is shown here yet" in index(post)

    def test_its_mails_have_no_link_to_pages_and_no_archive(self, post: Post) -> None:
        found(post, "private")
        post.turn("Alice", TEA, Alice="for", Bo="for")
        post.mail("Bo", "judgment: May Bo?")
        letters = post.letters()
        assert len(letters) > 10
        assert [each.subject for each in letters if ADDRESS_OF_PAGES in each.file.read_text()] == []
        assert {each.message["List-Archive"] for each in letters} == {None}

    def test_the_mails_of_a_public_game_have_both(self, game: Post) -> None:
        """So that the story above can fail."""
        assert all(ADDRESS_OF_PAGES in each.file.read_text() for each in game.letters())
        assert {each.message["List-Archive"] for each in game.letters()} == {"<https://nomic.example/kaffe/>"}

    def test_its_players_read_all_of_it_by_mail(self, post: Post) -> None:
        found(post, "private")
        answer = post.mail("Bo", "rules\nhistory 203\nlog\nproposals")
        assert answer.subject.startswith("[kaffe] OK")
        assert "203" in answer.text
        assert ADDRESS_OF_PAGES not in answer.text

    @pytest.mark.parametrize("words", ["status", "rules", "observe", "join as Zoe Zell", "Hello there"])
    def test_a_stranger_is_answered_as_if_there_were_no_such_game(self, post: Post, words: str) -> None:
        found(post, "private")
        events = post.state()["events"]
        answer = from_a_stranger(post, words, GAME)
        post.now += 24 * 60 * MINUTE
        elsewhere = from_a_stranger(post, words, "nothing")
        assert answer.text == elsewhere.text
        assert answer.subject == elsewhere.subject
        assert "Alice" not in answer.text
        assert post.state()["events"] == events
        assert len(post.state()["players"]) == 2

    def test_whoever_plays_elsewhere_is_a_stranger_to_it_too(self, post: Post) -> None:
        found(post, "private")
        found(post, "public", "te", "Cia", "Dan")
        answer = post.mail("Cia", "status", subject="[kaffe] How is it?")
        assert answer.subject.startswith("[te] OK")
        assert "Alice" not in answer.text

    def test_a_token_that_proves_nothing_any_more_opens_it_to_nobody(self, post: Post) -> None:
        found(post, "private")
        old = str(post.inbox("Bo")[-1].message["Reply-To"])
        post.mail("Kim", "address Bo Berg: bo@home.example", subject=f"[{GAME}]")
        for words in ("status", "join as Bo Boson"):
            post.take(signed(post, "Bo", words, To=old), source=WORLD)
            assert "Your address has no part in any game here" in post.inbox("Bo")[-1].words
            post.now += 24 * 60 * MINUTE

    def test_a_token_of_a_players_opens_it_to_nobody_who_plays_elsewhere(self, post: Post) -> None:
        found(post, "private")
        found(post, "public", "te", "Cia", "Dan")
        token = str(post.inbox("Bo")[-1].message["Reply-To"])
        post.take(signed(post, "Cia", "status", To=token), source=WORLD)
        asked = post.inbox("Cia")[-1]
        assert "did you write this" in asked.subject
        assert GAME not in asked.words.lower()

    def test_whoever_is_invited_may_look_at_it_and_join(self, post: Post) -> None:
        invited = ("--keeper", _person("Kim"), "--player", _person("Bo"))
        post.pbem.done("new", GAME, "--privacy", "private", *invited)
        post.wait(MINUTE)
        assert ADDRESS_OF_PAGES not in post.newest("Bo", "will you play").text
        post.mail("Bo", "rules\njoin", re="will you play")
        assert [player["name"] for player in post.state()["players"]] == ["Bo Berg"]

    def test_it_is_private_where_it_is_carried_to(self, post: Post, tmp_path: Path) -> None:
        found(post, "private")
        file = str(post.folder / "kaffe.jsonl")
        post.pbem.done("export", GAME, file)
        folder = tmp_path / "elsewhere"
        folder.mkdir()
        with opened(folder) as elsewhere:
            elsewhere.pbem.done("import", file)
            assert up(elsewhere) == set()
            assert "is private" in elsewhere.pbem.done("privacy", GAME)


class TestAnUnlistedGame:
    def test_its_pages_are_up_and_not_in_the_index(self, post: Post) -> None:
        found(post, "unlisted")
        found(post, "public", "te", "Cia", "Dan")
        assert {GAME, "te"} <= up(post)
        assert "te/index.html" in index(post)
        assert GAME not in index(post)
        assert ADDRESS_OF_PAGES in post.newest("Bo", "has begun").text

    def test_search_engines_are_asked_to_leave_its_pages_out(self, post: Post) -> None:
        found(post, "unlisted")
        found(post, "public", "te", "Cia", "Dan")
        pages = {path: text for path, text in post.pages().items() if path.endswith(".html")}
        silent = {
            path for path, text in pages.items() if '<meta name="robots" content="noindex">' not in text
        }
        assert {path for path in silent if "kaffe" in path.partition("index")[0]} == set()
        assert "te/rules/index.html" in silent
        assert "index.html" in silent


class TestAChange:
    def test_what_becomes_private_is_taken_away_whole(self, game: Post) -> None:
        game.pbem.done("publish")
        assert {GAME, "kaffe.search"} <= up(game)
        assert "is private" in game.pbem.done("privacy", GAME, "private")
        assert up(game) == set()
        assert GAME not in index(game)
        letter = game.mail("Bo", "status")
        assert ADDRESS_OF_PAGES not in letter.text

    def test_publishing_by_hand_leaves_it_out_and_says_so(self, game: Post) -> None:
        game.pbem.done("publish")
        game.pbem.done("privacy", GAME, "private")
        out = game.folder / "out"
        said = game.pbem.done("publish", GAME, "--out", str(out))
        assert "Published no game" in said
        assert "Private, and not published: kaffe." in said
        assert not (out / GAME).exists()
        game.pbem.done("publish")
        assert up(game) == set()

    def test_it_can_be_taken_back(self, game: Post) -> None:
        for privacy in ("private", "unlisted"):
            game.pbem.done("privacy", GAME, privacy)
            publishing.publish_due(game.host)
        assert "noindex" in game.page("index.html")
        game.pbem.done("privacy", GAME, "public")
        assert "noindex" not in game.page("index.html")
        assert "kaffe/index.html" in index(game)
        assert ADDRESS_OF_PAGES in game.mail("Bo", "status").text

    def test_the_copy_elsewhere_loses_it_too(self, tmp_path: Path) -> None:
        settings = SETTINGS.replace("[site]", "[site]\nafter = \"sh -c 'ls > ../seen'\"")
        (tmp_path / "pbem.toml").write_text(settings, "utf-8")
        people = ("--keeper", _person("Kim"), "--player", _person("Bo"))
        assert run(tmp_path, "new", GAME, *people).returncode == 0
        assert run(tmp_path, "publish").returncode == 0
        assert GAME in (tmp_path / "seen").read_text().split()
        assert run(tmp_path, "privacy", GAME, "private").returncode == 0
        assert run(tmp_path, "publish").returncode == 0
        assert GAME not in (tmp_path / "seen").read_text().split()

    def test_the_list_tells_what_is_not_public(self, game: Post) -> None:
        assert "(" not in game.pbem.done("list")
        game.pbem.done("privacy", GAME, "unlisted")
        assert "(unlisted)" in game.pbem.done("list")
        assert [each["privacy"] for each in game.pbem.json("list")] == ["unlisted"]

    def test_a_word_that_is_none_and_a_game_that_is_none_are_told(self, game: Post) -> None:
        assert "'secret' is not one of" in game.pbem.fails(2, "privacy", GAME, "secret")
        assert "no game called te" in game.pbem.fails(2, "privacy", "te", "private")


def test_a_stranger_still_learns_of_a_public_game(game: Post) -> None:
    """So that the stories about strangers can fail."""
    assert "Alice" in from_a_stranger(game, "status", GAME).text
    assert len(maildir(game.folder / "mail" / PEOPLE["Zoe"][1])) == 1
