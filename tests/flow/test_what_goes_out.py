"""What others learn, and by which headers: secrecy of a running vote, threads, addresses."""

from __future__ import annotations

import re
from pathlib import Path

from tests.flow.conftest import opened
from tests.flow.post import ADDRESS, DAY, GAME, MAJORITY, TEA, Post

FOUR = ("Alice", "Bo", "Cia", "Dan")


def adopt_majority(post: Post) -> None:
    """Alice's turn: 203 becomes 301, by four of four (+10)."""
    assert post.turn("Alice", MAJORITY, Alice="for", Bo="for", Cia="for", Dan="for") == 301


def _seen_while_voting(folder: Path, choice: str, **house: str) -> dict[str, str]:
    """Everything that Alice, Cia, Dan and the public can see while Bo's ballot is in and Dan's is not."""
    folder.mkdir()
    with opened(folder) as post:
        post.found(*FOUR, **house)
        post.propose("Alice", TEA)
        post.vote(301, Alice="for")
        post.mail("Bo", f"{choice} 301")
        post.vote(301, Cia="for")
        post.mail("Dan", "status\nproposals\nscores\nlog")
        post.wait(6 * DAY)
        assert post.proposal(301)["ballots"]["Bo Berg"] == choice
        mails = {
            f"{name}/{place}": letter.message.as_string()
            for name in ("Alice", "Cia", "Dan", "Kim")
            for place, letter in enumerate(post.inbox(name))
        }
        return mails | post.pages()


class TestSecrecyOfARunningVote:
    def test_how_somebody_votes_shows_nowhere_before_the_close(self, tmp_path: Path) -> None:
        """Two games that differ in Bo's ballot alone look the same to all but Bo, to the byte."""
        ours, theirs = (_seen_while_voting(tmp_path / word, word) for word in ("for", "against"))
        assert ours.keys() == theirs.keys()
        assert [path for path in ours if ours[path] != theirs[path]] == []

    def test_under_the_house_rule_at_once_it_shows_at_once(self, tmp_path: Path) -> None:
        seen = [
            _seen_while_voting(tmp_path / word, word, ballots_shown="at once") for word in ("for", "against")
        ]
        assert seen[0] != seen[1]

    def test_what_shows_is_who_has_voted(self, four: Post) -> None:
        four.propose("Alice", TEA)
        four.vote(301, Bo="against", Cia="for")
        assert four.state()["waiting_for"] == ["Alice Ahlgren", "Dan Dahl"]
        assert four.proposal(301)["ballots"] == {"Bo Berg": "against", "Cia Crane": "for"}, (
            "the host sees them"
        )
        status = four.mail("Dan", "status")
        assert "Alice Ahlgren" in status.text
        assert "against" not in status.text.replace("against 301", "")

    def test_after_the_close_every_ballot_is_published(self, four: Post) -> None:
        four.turn("Alice", TEA, Alice="for", Bo="against", Cia="for", Dan="for")
        page = four.page("proposals", "301", "index.html")
        assert re.search(r"Bo Berg.*?against", page, re.DOTALL)
        assert '"against"' in four.page("game.json")


class TestHeaders:
    def test_all_mails_about_a_proposal_share_the_root_of_their_thread(self, four: Post) -> None:
        four.mail("Alice", f"{TEA}\nend\n")
        four.mail("Bo", "Which tea?", re="301")
        four.mail("Alice", "Green.\n\ncall vote", re="301")
        about = [letter for letter in four.inbox("Cia") if "301" in letter.subject]
        assert len(about) >= 3, "proposal, post, ballot paper"
        roots = {str(letter.message["References"]).split()[0] for letter in about}
        assert len(roots) == 1
        assert all(letter.message["In-Reply-To"] for letter in about)
        ids = [str(letter.message["Message-ID"]) for letter in about]
        assert len(set(ids)) == len(ids)

    def test_a_receipt_answers_the_mail_it_is_for(self, four: Post) -> None:
        content = four.compose("Cia", "status")
        receipt = four.answer("Cia", content)
        ours = re.search(rb"^Message-ID: (\S+)", content, re.MULTILINE)
        assert ours is not None
        assert str(receipt.message["In-Reply-To"]) == ours[1].decode()
        assert str(receipt.message["Auto-Submitted"]) == "auto-replied"

    def test_a_receipt_for_a_reply_stands_in_the_conversation_of_the_mail_replied_to(
        self, four: Post
    ) -> None:
        four.propose("Alice", TEA)
        paper = four.newest("Bo", "301")
        receipt = four.mail("Bo", "for", re="301")
        alone = four.mail("Bo", "status")
        root, answered = str(receipt.message["References"]).split()
        assert root == str(paper.message["References"]).split()[0]
        assert answered == str(receipt.message["In-Reply-To"]), "it answers Bo’s own mail"
        assert len(str(alone.message["References"]).split()) == 1, "that one began a conversation of its own"

    def test_every_mail_says_whose_it_is_and_that_a_machine_wrote_it(self, four: Post) -> None:
        adopt_majority(four)
        local, _, domain = ADDRESS.partition("@")
        for name in (*FOUR, "Kim"):
            for letter in four.inbox(name):
                assert letter.message["List-Id"] is not None
                assert GAME in str(letter.message["List-Id"])
                assert str(letter.message["Auto-Submitted"]).startswith("auto-")
                assert f"{local}+" in str(letter.message["Reply-To"]), "a reply needs no other mark"
                assert str(letter.message["Reply-To"]).endswith(f"@{domain}>")
                assert letter.message["Bcc"] is None

    def test_every_mail_of_a_game_has_the_headers_of_a_list_and_its_own_way_back(self, four: Post) -> None:
        adopt_majority(four)
        assert {letter.message["Precedence"] for letter in four.inbox("Bo")} == {None, "list"}
        for letter in four.inbox("Bo"):
            head = letter.message
            assert head["List-Post"] == "NO"
            assert head["List-Help"] == f"<mailto:nomic+{GAME}@nomic.example?subject=help>"
            assert head["List-Archive"] == f"<https://nomic.example/{GAME}/>"
            assert re.fullmatch(
                r"<mailto:nomic\+q[a-z2-7]{31}@nomic\.example\?subject=unsubscribe>", head["List-Unsubscribe"]
            )
            assert head["X-Auto-Response-Suppress"] == "All"
            assert (head["Precedence"] == "list") == letter.subject.endswith("is adopted"), "digests alone"
        with four.host.store.reading():
            senders = [row[0] for row in four.host.store.rows("SELECT sender FROM outbox")]
        assert all(re.fullmatch(r"nomic\+q[a-z2-7]{31}@nomic\.example", sender) for sender in senders)

    def test_a_mail_made_again_is_the_same_to_the_byte(self, tmp_path: Path) -> None:
        """On another host with the same secret, as after a restart."""
        made = []
        for number in ("1", "2"):
            (tmp_path / number).mkdir()
            with opened(tmp_path / number) as post:
                post.found(*FOUR)
                adopt_majority(post)
                made.append([letter.file.read_bytes() for letter in post.inbox("Cia")])
        assert made[0] == made[1]

    def test_whoever_unsubscribes_gets_no_more_digests_and_all_else(self, four: Post) -> None:
        adopt_majority(four)
        asked = str(four.newest("Cia", "Turn 1: ").message["List-Unsubscribe"])
        address = asked.removeprefix("<mailto:").partition("?")[0]
        before = len(four.inbox("Cia"))
        content = four.compose("Cia", "", To=address, subject="unsubscribe")
        four.take(content, source="lmtp 127.0.0.1", recipient=address)
        (told,) = four.inbox("Cia")[before:]
        assert "no more digests" in told.subject
        assert four.state()["events"] > 0
        four.turn("Bo", TEA, Alice="for", Bo="for", Cia="for", Dan="for")
        got = four.inbox("Cia")[before + 1 :]
        assert not [letter for letter in got if "Turn 2: " in letter.subject]
        assert [letter for letter in got if "302" in letter.subject], "the ballot paper came"
        assert four.newest("Dan", "Turn 2: ")
        four.mail("Cia", "set mail each")
        four.mail("Bo", "consent")
        four.turn("Cia", TEA.replace("Tea", "Milk"), Alice="for", Bo="for", Cia="for", Dan="for")
        assert four.newest("Cia", "Turn 3: ")

    def test_nobody_unsubscribes_another(self, four: Post) -> None:
        """A reply token is for replies; whoever has none to unsubscribe with is not heard."""
        adopt_majority(four)
        asked = str(four.newest("Cia", "Turn 1: ").message["Reply-To"]).partition("<")[2].rstrip(">")
        four.take(
            four.compose("Dan", "unsubscribe", To=asked, subject="unsubscribe"), source="lmtp 127.0.0.1"
        )
        four.turn("Bo", TEA, Alice="for", Bo="for", Cia="for", Dan="for")
        assert four.newest("Cia", "Turn 2: ")

    def test_nobody_sees_the_address_of_another(self, four: Post) -> None:
        adopt_majority(four)
        four.turn("Bo", TEA, Alice="for", Bo="for", Cia="for", Dan="against")
        addresses = {
            "Alice": "ahlgren.example",
            "Bo": "berg.example",
            "Cia": "crane.example",
            "Dan": "dahl.example",
        }
        for name in FOUR:
            others = [domain for other, domain in addresses.items() if other != name]
            for letter in four.inbox(name):
                raw = letter.message.as_string()
                assert [domain for domain in others if domain in raw] == [], letter.subject
        for path, page in four.pages().items():
            assert [domain for domain in addresses.values() if domain in page] == [], path

    def test_a_reply_to_the_tagged_address_reaches_its_game_though_the_player_is_in_two(
        self, four: Post
    ) -> None:
        four.found("Alice", "Bo", game="te")
        asked = four.mail("Alice", "status", subject="hello")
        assert "kaffe" in asked.text.lower()
        assert "te" in asked.text.lower().split()
        four.mail("Alice", f"{TEA}\nend\n", re="game has begun")
        assert len(four.state("te")["proposals"]) == 1
        assert four.state("kaffe")["proposals"] == []

    def test_a_mail_from_a_player_of_two_games_may_name_the_game_in_its_subject(self, four: Post) -> None:
        four.found("Alice", "Bo", game="te")
        four.mail("Alice", f"{TEA}\nend\n", subject="[kaffe] tea")
        assert len(four.state("kaffe")["proposals"]) == 1
        assert four.state("te")["proposals"] == []
