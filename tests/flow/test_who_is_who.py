"""Who plays, who speaks for whom, and where mails go, by the keeper's word; no address gets into what is published."""

from __future__ import annotations

from pathlib import Path

from pbem.service.founding import Plan, found
from pbem.store import people
from tests.flow.conftest import opened
from tests.flow.forging import WORLD, replaced, signed
from tests.flow.post import GAME, KEEPER, PEOPLE, TEA, Letter, Post

TAG = f"[{GAME}]"
HOME = "bo@home.example"


def begun(post: Post) -> None:
    post.found("Alice", "Bo", "Cia")


def voted_on(post: Post) -> None:
    """301 waits for Bo's ballot and Cia's."""
    begun(post)
    post.propose("Alice", TEA)
    post.vote(301, Alice="for")


def box(post: Post, address: str) -> list[Letter]:
    """The mails to an address, oldest first."""
    return [each for each in post.letters() if each.message["To"].addresses[0].addr_spec == address]


def published(post: Post) -> str:
    """All pages in one text."""
    return "\n".join(post.pages().values())


def logged(post: Post) -> str:
    """All pages, and the log as the host sees it, in one text."""
    return published(post) + post.pbem.done("show", GAME, "log", "--json")


class TestInviting:
    def test_whoever_is_invited_joins_by_saying_yes_and_votes_from_the_next_opening(self, post: Post) -> None:
        voted_on(post)

        receipt = post.mail("Kim", "invite Dan Dahl <Dan@Dahl.example>: we lack one", subject=TAG)

        assert "The invitation has gone to Dan@Dahl.example." in receipt.words
        letter = post.newest("Dan", "will you play?")
        assert "Dan Dahl, Kim Kvist invites you" in letter.words
        assert "dan@" not in logged(post).lower()
        assert "Dan Dahl" not in logged(post), "who has not said yes is not named"
        post.mail("Dan", "join", re="will you play?")
        assert "Dan" in post.scores()
        assert "you were not an eligible voter" in post.refuses("Dan", "for 301", subject=TAG).words
        post.vote(301, Bo="for", Cia="for")
        post.propose("Bo", TEA.replace("Tea", "Cake"))
        assert post.mail("Dan", "for 302", subject=TAG).subject == f"{TAG} OK"

    def test_it_can_be_sent_again(self, post: Post) -> None:
        begun(post)

        for _ in range(2):
            post.mail("Kim", "invite Dan Dahl <dan@dahl.example>", subject=TAG)

        assert sum("will you play?" in letter.subject for letter in post.inbox("Dan")) == 2

    def test_what_cannot_be_is_refused_with_the_reason(self, post: Post) -> None:
        begun(post)
        post.mail("Kim", "invite Dan Dahl <dan@dahl.example>", subject=TAG)
        for line, why in (
            ("invite Bo Berg <dan@dahl.example>", "There is a player called Bo Berg already."),
            ("invite Dan Dahl <eve@ek.example>", "Somebody else is invited to this game as Dan Dahl."),
            (
                "invite Eve Ek <bo@berg.example>",
                "Whoever writes from bo@berg.example plays in this game already.",
            ),
            (
                "invite Eve Ek",
                "Write the address after the name, for instance: invite Eve Ek <name@there.example>",
            ),
            ("invite Eve Ek <eve@>", "“eve@” is no mail address."),
            ("invite Eve Ek <nomic@nomic.example>", "“nomic@nomic.example” is no mail address."),
        ):
            assert why in post.refuses("Kim", line, subject=TAG).words

    def test_somebody_can_be_invited_while_the_game_is_set_up(self, post: Post) -> None:
        plan = Plan(GAME, "Kaffe", "en", "suber", KEEPER, (PEOPLE["Alice"],), {}, False, post.now)
        found(post.host, plan)
        post.mail("Kim", "invite Bo Berg <bo@berg.example>", subject=TAG)
        for name in ("Alice", "Bo"):
            post.mail(name, "yes", re="will you play?")

        assert "The game has begun" in post.mail("Kim", "start", subject=TAG).words


class TestAdmitting:
    def test_who_asked_for_a_seat_is_offered_to_the_keeper_and_gets_one_of_their_own(
        self, post: Post
    ) -> None:
        begun(post)
        post.mail("Eve", "takeover as Eve Ek", subject=TAG)
        assert "admit Eve Ek" in post.newest("Kim", "asks for a seat").text

        post.mail("Kim", "admit Eve: she has waited long", subject=TAG)

        assert post.scores() == {"Alice": 0, "Bo": 0, "Cia": 0, "Eve": 0}
        assert "she has waited long" in post.newest("Eve", "news of Eve Ek").words
        post.propose("Alice", TEA)
        assert post.mail("Eve", "for 301", subject=TAG).subject == f"{TAG} OK"

    def test_who_was_invited_and_only_watched_has_the_name_of_the_invitation_and_is_invited_no_more(
        self, post: Post
    ) -> None:
        begun(post)
        post.mail("Kim", "invite Eve Ek <eve@ek.example>", subject=TAG)
        post.mail("Eve", "observe", re="will you play?")

        post.mail("Kim", "admit Eve Ek", subject=TAG)

        assert "Eve" in post.scores()
        with post.host.store.reading():
            assert people.invitations(post.host.store, GAME) == ()


class TestSpeakingForSomebody:
    def test_a_ballot_counts_as_theirs_is_told_to_them_and_kept_from_others_until_the_close(
        self, post: Post
    ) -> None:
        voted_on(post)

        receipt = post.mail("Kim", "as Bo Berg: against 301", subject=TAG)

        assert "The keeper votes in the place of Bo Berg, who is told." in receipt.words
        assert "Your ballot" not in receipt.words
        assert post.proposal(301)["ballots"]["Bo Berg"] == "against"
        told = post.newest("Bo", "the keeper speaks for you")
        assert "The keeper has said this for you: “against 301”" in told.words
        assert "votes in the place of Bo Berg" in post.page("log", "1", "index.html")
        assert "Berg: against 301" not in published(post)
        post.vote(301, Cia="for")
        assert "as Bo Berg: against 301" in post.page("proposals", "301", "index.html"), (
            "whose words they were"
        )

    def test_the_player_has_the_last_word(self, post: Post) -> None:
        voted_on(post)
        post.mail("Kim", "as Bo: against 301", subject=TAG)

        post.mail("Bo", "for 301", subject=TAG)

        assert post.proposal(301)["ballots"]["Bo Berg"] == "for"

    def test_a_proposal_with_its_text(self, post: Post) -> None:
        begun(post)

        post.mail("Kim", f"as Alice Ahlgren: {TEA}\nend\nas Alice Ahlgren: call vote 301\n", subject=TAG)

        assert (post.proposal(301)["proponent"], post.proposal(301)["stage"]) == ("Alice Ahlgren", "voting")
        assert post.proposal(301)["text"] == "Tea is served at four."
        assert "The keeper says for Alice Ahlgren, who is told: “propose enact: Tea”" in post.page(
            "log", "1", "index.html"
        )

    def test_what_is_not_a_players_or_theirs_alone_is_refused(self, post: Post) -> None:
        voted_on(post)
        post.mail("Bo", "judgment: is it one change?", subject=TAG)
        for line, why in (
            ("as Cia Crane: verdict legal J1", "A verdict is the Judge’s own."),
            ("as Bo Berg: forfeit for good", "Giving up is a player’s own word."),
            ("as Bo Berg: set mail none", "This is nothing that a player says in the game"),
            ("as Bo Berg: extend 301 2d", "This is nothing that a player says in the game"),
            ("as Bo Berg: forget me", "This is nothing that a player says in the game"),
            ("as Milo: for 301", "Nobody called Milo plays now."),
            ("as Cia Crane: call vote 301", "Proposal 301 is Alice Ahlgren’s"),
        ):
            assert why in post.refuses("Kim", line, subject=TAG).words

    def test_what_is_asked_about_a_proposal_is_answered_by_the_keeper_and_stays_the_players(
        self, post: Post
    ) -> None:
        begun(post)
        words = "as Alice: propose amend 203\nA rule change is adopted by a simple majority.\nend\n"
        asked = post.mail("Kim", words, subject=TAG)
        assert "as Alice Ahlgren: propose amend 203" in asked.text
        assert "\n    propose amend" not in asked.text, "it would be the keeper's own"

        answer = replaced(
            post.compose("Kim", "keep", subject=asked.subject), "In-Reply-To", asked.message["Message-ID"]
        )
        post.take(answer)

        assert post.proposal(301)["proponent"] == "Alice Ahlgren"

    def test_in_the_answer_to_a_ballot_paper_the_number_is_known(self, post: Post) -> None:
        voted_on(post)
        post.mail("Kim", "as Cia Crane: for", subject=f"{TAG} 301")

        assert post.proposal(301)["ballots"]["Cia Crane"] == "for"


class TestALostMailbox:
    def test_the_player_goes_on_from_the_new_one_and_the_old_one_is_worth_nothing(self, post: Post) -> None:
        voted_on(post)
        post.mail("Bo", "set language sv", subject=TAG)
        old = post.compose("Bo", "for 301", re="301")

        post.mail("Kim", f"address Bo Berg: {HOME}: he lost it", subject=TAG)

        assert "en annan adress" in post.newest("Bo", "någon annanstans").words
        (news,) = box(post, HOME)
        assert "he lost it" in news.words
        boxes = len(post.inbox("Bo"))
        post.take(old, source=WORLD)
        post.take(signed(post, "Bo", "against 301", subject=TAG), source=WORLD)
        assert "Bo Berg" not in post.proposal(301)["ballots"], (
            "neither its token nor its provider proves a player"
        )
        assert len(post.inbox("Bo")) <= boxes + 2
        post.take(replaced(post.compose("Bo", "for 301", subject=TAG), "From", f"Bo <{HOME}>"))
        assert post.proposal(301)["ballots"]["Bo Berg"] == "for"
        assert "Din röst" in box(post, HOME)[-1].words, "the settings are kept"
        text = logged(post)
        assert HOME not in text
        assert "bo@berg.example" not in text
        assert post.is_whole()

    def test_what_the_old_mailbox_was_asked_it_can_answer_no_more(self, post: Post) -> None:
        voted_on(post)
        post.take(post.compose("Bo", "for 301", subject=TAG), source=WORLD)
        asked = post.inbox("Bo")[-1]
        assert "did you write this" in asked.subject
        post.mail("Kim", f"address Bo Berg: {HOME}", subject=TAG)
        assert all(mail.state != "held" for mail in post.taken()), "it keeps no vote open any more"

        post.take(
            post.compose("Bo", "OK", To=str(asked.message["Reply-To"]), subject="Re: yes"), source=WORLD
        )

        assert "Bo Berg" not in post.proposal(301)["ballots"]

    def test_what_still_waits_to_go_to_the_old_mailbox_never_does(self, post: Post) -> None:
        begun(post)
        with post.host.store.transaction():
            for _ in range(post.host.config.limits.bounces):
                people.add_bounce(post.host.store, PEOPLE["Bo"][1])
        post.propose("Alice", TEA)
        assert post.unsent() == 1
        boxes = len(post.inbox("Bo"))

        post.mail("Kim", f"address Bo Berg: {HOME}: he lost it", subject=TAG)
        post.take(signed(post, "Bo", "Is anybody there?", subject="Hello"), source=WORLD)

        told = [letter.words for letter in post.inbox("Bo")[boxes:]]
        assert not any("Tea is served" in words for words in told)
        assert post.unsent() == 0

    def test_an_address_of_somebody_else_or_none_is_refused(self, post: Post) -> None:
        begun(post)
        for address, why in (
            ("cia@crane.example", "The address cia@crane.example belongs to somebody here already."),
            ("bo@", "“bo@” is no mail address."),
        ):
            assert why in post.refuses("Kim", f"address Bo Berg: {address}", subject=TAG).words

    def test_another_game_on_the_same_host_goes_on_at_the_old_address(self, post: Post) -> None:
        begun(post)
        post.found("Alice", "Bo", game="saft")

        post.mail("Kim", f"address Bo Berg: {HOME}", subject=TAG)

        with post.host.store.reading():
            saft = {reader.address for reader in people.readers(post.host.store, "saft")}
            kaffe = {reader.address for reader in people.readers(post.host.store, GAME)}
        assert "bo@berg.example" in saft
        assert HOME in kaffe
        assert "bo@berg.example" not in kaffe

    def test_to_be_forgotten_takes_the_mails_of_the_lost_mailbox_too(self, post: Post) -> None:
        begun(post)
        post.mail("Bo", "A word from the old mailbox, which is a long sentence.", subject=TAG)
        post.mail("Kim", f"address Bo Berg: {HOME}", subject=TAG)

        post.take(replaced(post.compose("Bo", "forget me", subject=TAG), "From", f"Bo <{HOME}>"))
        asked = box(post, HOME)[-1]
        post.take(
            replaced(post.compose("Bo", "OK", To=str(asked.message["Reply-To"])), "From", f"Bo <{HOME}>")
        )

        assert not any(b"bo@berg.example" in entry for entry in stored(post))


def stored(post: Post) -> list[bytes]:
    """Every mail that the host keeps."""
    found = post.host.store.rows("SELECT content FROM inbox")
    return [bytes(content) for (content,) in found if content is not None]


class TestAKeeperWhoPlays:
    def test_is_marked_on_the_pages_and_in_the_digest(self, post: Post) -> None:
        names = tuple(PEOPLE[name] for name in ("Alice", "Bo", "Kim"))
        found(
            post.host,
            Plan(GAME, "Kaffe", "en", "suber", KEEPER, names, {"cooling time": "0"}, True, post.now),
        )
        post.turn("Alice", TEA, Alice="for", Bo="for", Kim="for")

        assert "Kim Kvist (keeper)" in post.newest("Bo", "Turn 1").words
        assert "Kim Kvist (keeper)" in post.mail("Bo", "scores", subject=TAG).words
        page = post.page("index.html")
        assert page.count("(keeper)") == 1
        assert "Keeps the game, too." in post.page("players", "3", "index.html")
        assert "Keeps the game, too." not in post.page("players", "1", "index.html")
        assert post.state()["keeper"] == "Kim Kvist"

    def test_the_mark_goes_with_the_keepership_and_with_the_seat(self, post: Post) -> None:
        begun(post)
        assert post.state()["keeper"] is None
        post.mail("Kim", "pass keepership to Bo Berg: away", subject=TAG)
        assert post.state()["keeper"] == "Bo Berg"
        post.mail("Eve", "takeover as Eve Ek", subject=TAG)
        post.mail("Bo", "replace Bo Berg by Eve Ek: I only keep it", subject=TAG)
        assert post.state()["keeper"] is None
        post.mail("Bo", "replace Cia Crane by Bo Berg: back", subject=TAG)
        assert post.state()["keeper"] == "Bo Berg"

    def test_who_joins_while_keeping_the_game_is_marked(self, post: Post) -> None:
        begun(post)

        post.mail("Kim", "join as Kim Kvist", subject=TAG)

        assert post.state()["keeper"] == "Kim Kvist"


def test_in_swedish(tmp_path: Path) -> None:
    with opened(tmp_path) as post:
        post.found("Alice", "Bo", "Cia", language="sv")
        post.mail("Alice", "föreslå ny: Te\nTe serveras.\nslut\n\ntill omröstning\n", subject=TAG)

        assert (
            "bjuder in någon"
            in post.mail("Kim", "bjud in Dan Dahl <dan@dahl.example>: ja", subject=TAG).words
        )
        assert "vill du vara med" in post.inbox("Dan")[-1].subject.lower()
        assert "i stället för Bo Berg" in post.mail("Kim", "som Bo Berg: för 301", subject=TAG).words
        assert "”för 301”" in post.newest("Bo", "talar för dig").words
        assert "vart mejlen" in post.mail("Kim", f"adress Bo Berg: {HOME}", subject=TAG).words
        post.mail("Eve", "ta över som Eve Ek", subject=TAG)
        assert "har Eve Ek en plats" in post.mail("Kim", "släpp in eve: hon bad", subject=TAG).words
