"""Nobody votes in another's name: each form of forgery with each token that a forger might have, and the good ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from pbem.config import load
from pbem.mail.tokens import Keyring, claim
from tests.flow.conftest import opened
from tests.flow.forging import WORLD, forged, headers, replaced, results, signed, token, with_token
from tests.flow.post import ADDRESS, DAY, GAME, RECEIVER, TEA, Post
from tests.promises.table import Promise

EVIL = "mallory@evil.example"
OF_EVIL = f"{RECEIVER}; dmarc=pass header.from=evil.example; spf=pass smtp.mailfrom=evil.example"
HOP = "Received: from evil.example by mx.nomic.example; Tue, 1 Dec 2026 10:00:00 +0000"
FORGED = f"Authentication-Results: {RECEIVER}; dmarc=pass header.from=berg.example"

Form = Callable[[bytes], bytes]


def from_(value: str, *more: str) -> Form:
    """From written like that, and more headers; our receiver has passed the forger's own domain."""
    top = (f"Authentication-Results: {OF_EVIL}", HOP, *more)
    return lambda content: headers(replaced(content, "From", value), *top)


def top(*lines: str) -> Form:
    """From as the victim's own, with these lines above it."""
    return lambda content: headers(content, *lines)


FORMS: dict[str, Form] = {
    "the victim's name": from_(f"Bo Berg <{EVIL}>"),
    "the victim's address as a name": from_(f'"bo@berg.example" <{EVIL}>'),
    "the victim's address in a comment": from_(f"{EVIL} (bo@berg.example)"),
    "a second From": from_(f"Mallory <{EVIL}>", "From: Bo Berg <bo@berg.example>"),
    "two mailboxes in From": from_(f"bo@berg.example, {EVIL}"),
    "a group in From": from_("Friends: bo@berg.example;"),
    "Sender and Resent-From": from_(
        f"Mallory <{EVIL}>", "Sender: bo@berg.example", "Resent-From: bo@berg.example"
    ),
    "Reply-To": from_(f"Mallory <{EVIL}>", "Reply-To: bo@berg.example"),
    "a look-alike domain": from_("Bo Berg <bo@berq.example>"),
    "a sub-domain of another": from_("Bo Berg <bo@berg.example.evil.example>"),
    "a homoglyph": from_("Bo Berg <b\N{CYRILLIC SMALL LETTER O}@berg.example>"),
    "an encoded address": from_("=?utf-8?q?bo=40berg=2Eexample?= <mallory@evil.example>"),
    "From itself": top(),
    "From itself, SPF of the forger": top(f"Authentication-Results: {OF_EVIL}", HOP),
    "From itself, DMARC fails": top(f"Authentication-Results: {results('Bo', 'fail')}", HOP),
    "forged results under ours": top(f"Authentication-Results: {results('Bo', 'fail')}", HOP, FORGED),
    "forged results under two hops": top(HOP, HOP, FORGED),
    "results of another receiver": top(FORGED.replace(RECEIVER, "mx.evil.example"), HOP),
    "results named in a comment": top(FORGED.replace(RECEIVER, f"evil.example ({RECEIVER})"), HOP),
    "a list that munges": from_(
        "Bo Berg via Talk <talk@lists.example>",
        "List-Id: <talk.lists.example>",
        "X-Original-From: bo@berg.example",
    ),
}

TOKENS: dict[str, Callable[[Post], str]] = {
    "no token": lambda _: "",
    "a made-up token": lambda post: forged(claim("reply", 3, post.now, 1)),
    "an expired token": lambda post: token(post, "Bo", GAME, at=post.now - 70 * DAY),
    "another player's token": lambda post: token(post, "Cia", GAME),
    "another game's token": lambda post: token(post, "Bo", "te"),
    "a token to unsubscribe with": lambda post: token(post, "Bo", "", purpose="leave"),
    "a token of a bounce": lambda post: token(post, "Bo", "", purpose="bounce"),
}


@pytest.fixture(scope="module", name="vote")
def _vote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Post]:
    """A vote that nobody has voted in yet, and a second game with the same players."""
    with opened(tmp_path_factory.mktemp("spoofed")) as post:
        post.found("Alice", "Bo", "Cia")
        post.propose("Alice", TEA)
        post.found("Alice", "Bo", "Cia", game="te")
        yield post


def changes_nothing(vote: Post, promise: Promise, content: bytes, to: str) -> None:
    """A forger's mail is taken, and no ballot, no event, and no mail to anybody else comes of it."""
    before, boxes = vote.state()["events"], vote.everybody()
    vote.take(content, source=WORLD, sender=EVIL, recipient=to)
    after = vote.state()
    promise.shows(faults=1, mails=1, accepted=len(vote.proposal(301)["ballots"]) + after["events"] - before)
    new = {box for box, count in vote.everybody().items() if count != boxes.get(box, 0)}
    assert new <= {"Bo Berg", "Cia Crane", EVIL, "bo@berq.example", "bo@berg.example.evil.example"}, (
        "nobody else is troubled"
    )


def forgery(post: Post, form: str, to: str) -> bytes:
    return FORMS[form](replaced(post.compose("Bo", "against 301", subject=f"[{GAME}] vote"), "To", to))


@pytest.mark.promise(16)
@pytest.mark.parametrize("bears", TOKENS)
@pytest.mark.parametrize("form", FORMS)
def test_no_forgery_counts(vote: Post, promise: Promise, form: str, bears: str) -> None:
    to = with_token(TOKENS[bears](vote))
    changes_nothing(vote, promise, forgery(vote, form, to), to)


UNDENIED = {
    *("From itself", "forged results under two hops"),
    *("results of another receiver", "results named in a comment"),
}
"""From is the victim's, and nothing is said against it: with a good token the table of who is believed lets it count."""


@pytest.mark.promise(16)
@pytest.mark.parametrize("form", [form for form in FORMS if form not in UNDENIED])
def test_even_with_the_victims_own_token_it_counts_only_from_their_address_unless_their_domain_says_no(
    vote: Post, promise: Promise, form: str
) -> None:
    """A token that has leaked is the second proof, never the only one."""
    to = with_token(token(vote, "Bo", GAME))
    changes_nothing(vote, promise, forgery(vote, form, to), to)


@pytest.mark.promise(16)
@pytest.mark.parametrize("form", ["From itself", "From itself, DMARC fails", "results of another receiver"])
def test_a_host_that_believes_from_is_seen(voting: Post, promise: Promise, form: str) -> None:
    identity = replace(voting.host.config.identity, believe_from=True)
    voting.host = replace(voting.host, config=replace(voting.host.config, identity=identity))
    with promise.breaks("From is believed"):
        changes_nothing(voting, promise, forgery(voting, form, ADDRESS), ADDRESS)


@pytest.mark.promise(16)
@pytest.mark.parametrize("bears", ["an expired token", "another game's token"])
def test_a_token_that_is_not_checked_is_seen(
    voting: Post, promise: Promise, monkeypatch: pytest.MonkeyPatch, bears: str
) -> None:
    monkeypatch.setattr(Keyring, "check", lambda *_: "good")
    to = with_token(TOKENS[bears](voting))
    with promise.breaks("tokens are not checked"):
        changes_nothing(voting, promise, forgery(voting, "From itself", to), to)


@pytest.mark.parametrize("name", ["envelope", "nothing but the envelope"])
def test_the_envelope_sender_is_no_proof(vote: Post, name: str) -> None:
    content = replaced(vote.compose("Bo", "against 301"), "From", "" if "nothing" in name else f"M <{EVIL}>")
    vote.take(content, source=WORLD, sender="bo@berg.example", recipient=ADDRESS)
    assert vote.proposal(301)["ballots"] == {}


class TestTheGoodOnes:
    @pytest.mark.parametrize(
        "results_of",
        [
            results("Bo"),
            f"{RECEIVER}; spf=pass smtp.mailfrom=berg.example; dmarc=pass (p=reject) header.from=BERG.example",
            f"{RECEIVER} 1; dkim=pass header.d=berg.example",
            f"{RECEIVER}; dmarc=none header.from=berg.example; dkim=pass header.i=@berg.example",
        ],
    )
    def test_what_the_domain_vouches_for_counts(self, voting: Post, results_of: str) -> None:
        content = voting.compose("Bo", "against 301", Authentication_Results=results_of)
        receipt = voting.answer("Bo", content, source=WORLD)
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "against"}
        assert "does not sign" not in receipt.words

    def test_a_signed_reply_to_the_ballot_paper_counts(self, voting: Post) -> None:
        voting.answer("Bo", signed(voting, "Bo", "against", re="301"), source=WORLD)
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "against"}

    def test_an_unsigned_reply_counts_by_its_token_and_the_receipt_says_so(self, voting: Post) -> None:
        receipt = voting.answer("Bo", voting.compose("Bo", "against", re="301"), source=WORLD)
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "against"}
        assert "but for the secret address of ours" in receipt.words

    @pytest.mark.parametrize("verdict", ["none", "temperror", "permerror"])
    def test_a_receiver_that_could_not_tell_is_as_none(self, voting: Post, verdict: str) -> None:
        content = voting.compose("Bo", "against", re="301", Authentication_Results=results("Bo", verdict))
        voting.answer("Bo", content, source=WORLD)
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "against"}

    @pytest.mark.parametrize(
        "place",
        [
            "nomic+TOKEN@nomic.example",
            "nomic-TOKEN@nomic.example",
            "NOMIC+TOKEN@NOMIC.EXAMPLE",
            '"nomic+TOKEN" <nomic+TOKEN@nomic.example>',
        ],
    )
    def test_the_token_is_found_however_a_client_writes_the_address(self, voting: Post, place: str) -> None:
        to = place.replace("TOKEN", token(voting, "Bo", GAME))
        voting.answer("Bo", voting.compose("Bo", "against 301", To=to), source=WORLD)
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "against"}

    @pytest.mark.parametrize("header", ["Delivered-To", "Cc", "X-Original-To"])
    def test_and_in_whichever_header_it_stands(self, voting: Post, header: str) -> None:
        content = voting.compose("Bo", "against 301")
        content = headers(content, f"{header}: {with_token(token(voting, 'Bo', GAME))}")
        voting.answer("Bo", content, source=WORLD)
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "against"}

    def test_and_where_only_the_envelope_names_it(self, voting: Post) -> None:
        content = voting.compose("Bo", "against 301")
        voting.take(content, source=WORLD, recipient=with_token(token(voting, "Bo", GAME)))
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "against"}

    def test_and_where_the_client_has_dropped_it_from_the_address(self, voting: Post) -> None:
        """Our Message-ID, which the reply refers to, bears it too."""
        content = replaced(voting.compose("Bo", "against", re="301"), "To", ADDRESS)
        voting.answer("Bo", content, source=WORLD)
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "against"}

    def test_an_expired_token_still_tells_the_game(self, four: Post) -> None:
        four.found("Alice", "Bo", game="te")
        old = with_token(token(four, "Alice", "te", at=four.now - 70 * DAY))
        four.answer("Alice", signed(four, "Alice", f"{TEA}\nend\n", To=old), source=WORLD)
        assert len(four.state("te")["proposals"]) == 1


def test_a_good_token_of_one_game_does_not_help_an_expired_one_of_another(vote: Post) -> None:
    old, other = token(vote, "Bo", GAME, at=vote.now - 70 * DAY), token(vote, "Bo", "te")
    content = replaced(vote.compose("Bo", "against 301"), "To", with_token(old))
    vote.take(headers(content, f"Cc: {with_token(other)}"), source=WORLD)
    assert vote.proposal(301)["ballots"] == {}


class TestAStrictGame:
    @pytest.fixture(name="strict", params=[f'["{GAME}"]', '["*"]'])
    def _strict(self, voting: Post, request: pytest.FixtureRequest) -> Post:
        settings = voting.folder / "pbem.toml"
        settings.write_text(
            settings.read_text().replace("[identity]", f"[identity]\nstrict_games = {request.param}")
        )
        voting.host = replace(voting.host, config=load(settings, {}))
        return voting

    def test_a_token_does_not_stand_in_for_the_provider(self, strict: Post) -> None:
        strict.take(strict.compose("Bo", "against", re="301"), source=WORLD)
        assert strict.proposal(301)["ballots"] == {}
        assert strict.taken()[0].state == "held"

    def test_a_signed_ballot_counts_as_ever(self, strict: Post) -> None:
        strict.answer("Bo", signed(strict, "Bo", "against 301"), source=WORLD)
        assert strict.proposal(301)["ballots"] == {"Bo Berg": "against"}


class TestAnothersToken:
    def test_it_is_held_and_both_are_told(self, voting: Post) -> None:
        cias = with_token(token(voting, "Cia", GAME))
        boxes = voting.everybody()
        voting.take(signed(voting, "Bo", "against 301", To=cias), source=WORLD)
        assert voting.proposal(301)["ballots"] == {}
        told = {box: count - boxes[box] for box, count in voting.everybody().items() if count > boxes[box]}
        assert told == {"Bo Berg": 1, "Cia Crane": 1}
        assert "did you write this" in voting.inbox("Bo")[-1].subject
        assert "secret address" in voting.inbox("Cia")[-1].subject
        assert "berg.example" not in voting.inbox("Cia")[-1].message.as_string(), (
            "no address is told to another"
        )
        assert "against 301" not in voting.inbox("Cia")[-1].text

    def test_a_conversation_that_has_both_their_tokens_in_it_is_no_matter(self, voting: Post) -> None:
        content = signed(voting, "Bo", "against", re="301")
        content = headers(content, f"Cc: {with_token(token(voting, 'Cia', GAME))}")
        voting.answer("Bo", content, source=WORLD)
        assert voting.proposal(301)["ballots"] == {"Bo Berg": "against"}
