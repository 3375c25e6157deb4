"""A token is its reader's alone: none in anybody else's mail, on a page, in a text, or in the log."""

from __future__ import annotations

import logging

import pytest

from pbem.mail import tokens
from pbem.store import people
from tests.flow.forging import TOKEN, WORLD, headers, signed, tokens_in
from tests.flow.post import GAME, PEOPLE, RECEIVER, Post


def quoting(post: Post, name: str) -> str:
    """What a mail program writes into a reply, and a careless player copies: a secret address in every shape."""
    letter = post.inbox(name)[-1].message
    address, name_of_mail = str(letter["Reply-To"]), str(letter["Message-ID"])
    local = address.partition("<")[2].partition("@")[0]
    return (
        f"Somebody wrote to {address} as {local.upper()}, see {name_of_mail} or mailto:{local.replace('+', '%2B')}"
        f"@nomic.example, or {local.replace('+', '-')}@nomic.example."
    )


def everything_said(post: Post) -> None:
    """A game in which every kind of words that is passed on has a token in it."""
    say = lambda name, words, **mail: post.answer(name, signed(post, name, words, **mail), source=WORLD)  # noqa: E731
    leak = lambda name: quoting(post, name)  # noqa: E731
    say("Alice", f"propose enact: {leak('Alice')}\nTea is for {leak('Alice')}\nend", subject=leak("Alice"))
    say("Bo", f"{leak('Bo')}\n\nWhat tea?", re="301")
    say("Bo", f"{leak('Bo')}\n\nTalk of it.", subject=f"Talk {leak('Bo')}")
    say("Alice", f"revise 301\nTea for all, says {leak('Alice')}\nend")
    say("Cia", f"judgment: Is {leak('Cia')} an address?")
    say("Cia", f"for 3o1 {leak('Cia')}", subject="mistyped")
    say("Alice", f"call vote 301: {leak('Alice')}")
    for name in ("Alice", "Bo", "Cia"):
        say(name, f"for\n\nOn Tuesday {leak(name)} wrote:\n> for 301", re="301")
    post.take(post.compose("Bo", f"against 301\n\n{leak('Bo')}", subject=leak("Bo")), source=WORLD)
    content = signed(post, "Dan", f"observe\n\nI am {leak('Cia')}", subject=f"[{GAME}] {leak('Cia')}")
    post.take(content, source=WORLD)


def owners(post: Post) -> dict[str, int]:
    """Each person's number, by the name of their Maildir."""
    with post.host.store.reading():
        known = {
            name: people.person_by_address(post.host.store, address) for name, address in PEOPLE.values()
        }
    return {name: person.id for name, person in known.items() if person}


def test_every_mail_bears_its_readers_tokens_and_no_others(game: Post) -> None:
    everything_said(game)
    looked_at = 0
    for name, owner in owners(game).items():
        box = next(key for key, (display, _) in PEOPLE.items() if display == name)
        for letter in game.inbox(box):
            found = tokens_in(letter.file.read_bytes())
            claims = [tokens.read(each) for each in found]
            assert {claim.person for claim in claims if claim} <= {owner}, letter.subject
            body = f"{letter.subject}\n{letter.text}\n{letter.html}".lower()
            assert TOKEN.findall(body) == [], letter.subject
            looked_at += 1
    assert looked_at > 30


def test_two_mails_have_two_tokens(game: Post) -> None:
    replies = [str(letter.message["Reply-To"]) for letter in game.inbox("Alice")]
    assert len(set(replies)) == len(replies) > 1


def test_none_is_published(game: Post) -> None:
    everything_said(game)
    pages = game.pages()
    assert any("Tea is for" in page or "Tea for all" in page for page in pages.values())
    assert [path for path, page in pages.items() if TOKEN.search(page.lower())] == []
    for listing in (("show", GAME, "log"), ("state", GAME)):
        assert not TOKEN.search(game.pbem.done(*listing, "--json").lower())
        assert not TOKEN.search(game.pbem.done(*listing).lower())


def test_none_is_written_into_the_game(game: Post) -> None:
    everything_said(game)
    with game.host.store.reading():
        kept = [str(row) for row in game.host.store.rows("SELECT body FROM event")]
        outcomes = [str(row) for row in game.host.store.rows("SELECT kind, game, author, result FROM inbox")]
    assert not TOKEN.search("".join(kept + outcomes).lower())


def test_none_is_logged(game: Post, caplog: pytest.LogCaptureFixture) -> None:
    for library in ("peewee", "mail.log"):  # as the command line has it: these write down every mail
        logging.getLogger(library).setLevel(logging.INFO)
    with caplog.at_level(logging.DEBUG):
        everything_said(game)
        own = game.inbox("Bo")[-1].message["Reply-To"].addresses[0].addr_spec
        game.take(game.compose("Bo", "for 301", From=own), source=WORLD)
    assert len(caplog.text) > 2000, "there is much in it"
    assert not TOKEN.search(caplog.text.lower())


def test_a_mail_from_a_secret_address_of_ours_is_a_loop_and_its_result_hides_it(game: Post) -> None:
    own = game.inbox("Bo")[-1].message["Reply-To"].addresses[0].addr_spec
    game.ignores(game.compose("Bo", "for 301", From=own), source=WORLD)
    assert game.taken()[0].kind == "loop"
    assert not TOKEN.search(str(game.taken()[0].result))


def test_the_secret_is_in_a_file_that_none_but_the_host_can_read(post: Post) -> None:
    (post.folder / "pbem.key").unlink()
    post.pbem.done("list")
    made = post.folder / "pbem.key"
    assert made.stat().st_mode & 0o777 == 0o600
    first = made.read_text()
    post.pbem.done("list")
    assert made.read_text() == first
    assert [file.name for file in post.folder.iterdir() if file.name.startswith(".pbem.key")] == []


@pytest.mark.parametrize("content", ["", "short\n"])
def test_a_secret_that_is_none_is_said_so(post: Post, content: str) -> None:
    (post.folder / "pbem.key").write_text(content)
    assert "secret of at least 32 characters" in post.pbem.fails(2, "list")


def test_a_secret_that_others_can_read_is_refused_with_the_cure(post: Post) -> None:
    for rights in (0o644, 0o620, 0o602):
        (post.folder / "pbem.key").chmod(rights)
        told = post.pbem.fails(2, "list")
        assert f"chmod 600 {post.folder / 'pbem.key'}" in told
    (post.folder / "pbem.key").chmod(0o400)
    post.pbem.done("list")


def test_a_key_that_is_no_file_of_text_is_refused_in_a_sentence(post: Post) -> None:
    key = post.folder / "pbem.key"
    key.write_bytes(b"\xff\xfe" + b"a" * 80)
    assert "holds no key" in post.pbem.fails(2, "list")
    key.unlink()
    key.mkdir()
    assert "is no file" in post.pbem.fails(2, "list")
    key.rmdir()
    key.symlink_to(post.folder / "gone")
    assert "points to a file that is not there" in post.pbem.fails(2, "list")


def test_explain_shows_no_token_and_the_game_that_a_reply_is_for(game: Post) -> None:
    paper = game.inbox("Bo")[-1].message
    live = str(paper["Reply-To"])
    content = game.compose(
        "Bo", f"hello {live}", To=live, subject=f"Re: {live}", In_Reply_To=str(paper["Message-ID"])
    )
    file = game.folder / "reply.eml"
    file.write_bytes(headers(content, f"Authentication-Results: {RECEIVER}; dmarc=fail header.from={live}"))
    for shown in (game.pbem.done("explain", str(file)), game.pbem.done("explain", str(file), "--json")):
        assert not TOKEN.search(shown)
        assert GAME in shown


def test_the_owner_of_a_token_is_warned_though_forgers_have_used_up_the_days_answers(voting: Post) -> None:
    live = str(voting.newest("Bo", "301").message["Reply-To"])
    for _ in range(5):
        voting.take(voting.compose("Bo", "hello"), source=WORLD)
    voting.take(voting.compose("Cia", "for 301", To=live), source=WORLD)
    voting.take(voting.compose("Cia", "for 301 ", To=live), source=WORLD)
    warned = [letter for letter in voting.inbox("Bo") if "secret address of yours" in letter.subject]
    assert len(warned) == 1, "once a day"
