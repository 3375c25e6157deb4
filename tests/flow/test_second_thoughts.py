"""Stories of ballots that hang on something, of proposals tried first, and of proposals that are asked back."""

from __future__ import annotations

import pytest

from tests.flow.post import DAY, GAME, Letter, Post

FOUR = ("Alice", "Bo", "Cia", "Dan")
MAJORITY = """propose amend 203: Most decide
A rule change is adopted when more than half of the eligible votes are for it.

clause adopted when: votes_for * 2 > eligible"""
TWO_A_TURN = """propose amend 202: Two a turn
A turn holds two proposals.

clause proposals per turn: 2"""
FINES = "propose amend 206: Fines\nWhoever loses a vote loses ten points, and bows.\nend\n"


@pytest.fixture
def four(post: Post) -> Post:
    post.found(*FOUR)
    return post


def two_votes(post: Post) -> Post:
    """Cia's 303 and 304 are put to the vote: most decide (301), and a turn holds two (302)."""
    post.turn("Alice", MAJORITY, Alice="for", Bo="for", Cia="for", Dan="for")
    post.turn("Bo", TWO_A_TURN, Alice="for", Bo="for", Cia="for", Dan="for")
    post.mail("Bo", "end turn")
    assert post.propose("Cia", "propose enact: Tea\nTea is served at four.") == 303
    post.mail("Cia", "propose enact: Cake\nCake comes with it.\nend\n")
    post.mail("Cia", "call vote 304")
    return post


def reply(post: Post, name: str, answered: Letter, words: str, at: int | None = None) -> Letter:
    """A player's answer to a receipt of theirs."""
    content = post.compose(
        name,
        words,
        subject=f"Re: {answered.subject}",
        In_Reply_To=str(answered.message["Message-ID"]),
        References=f"{answered.message['References']} {answered.message['Message-ID']}",
    )
    return post.answer(name, content, at=at)


class TestBallotsThatHangOnSomething:
    def test_are_confirmed_kept_from_others_and_explained_when_the_vote_is_over(self, four: Post) -> None:
        two_votes(four)
        receipt = four.mail("Alice", "for 304 if 303 passes, otherwise against")
        assert "for if proposal 303 is adopted, otherwise against, taken" in receipt.words
        receipt = four.mail("Bo", "304 as Alice")
        assert "as Alice Ahlgren votes, taken" in receipt.words
        page = four.page("proposals", "304", "index.html")
        assert "as Alice" not in page
        assert "has voted" in page
        assert four.proposal(304)["ballots"] == {
            "Alice Ahlgren": "for 304 if 303 passes, otherwise against",
            "Bo Berg": "304 as Alice",
        }

        four.vote(303, Alice="against", Bo="against", Cia="for", Dan="against")
        assert four.proposal(303)["stage"] == "defeated"
        four.vote(304, Cia="for", Dan="for")

        assert four.proposal(304)["stage"] == "defeated", "2 for and 2 against of 4 is not most"
        assert four.proposal(304)["settled"] == {"Alice Ahlgren": "against", "Bo Berg": "against"}
        digest = four.newest("Dan", "Turn 3")
        assert (
            "Alice Ahlgren wrote: “for 304 if 303 passes, otherwise against”. Proposal 303 was not adopted."
            in digest.words
        )
        assert "Bo Berg wrote: “304 as Alice”. The player it names voted against." in digest.words
        assert "The player it names voted against." in four.page("proposals", "304", "index.html")
        assert four.is_whole()

    def test_that_lead_in_a_circle_count_as_no_ballot_and_say_so(self, four: Post) -> None:
        two_votes(four)
        four.vote(304, Alice="304 as Bo", Bo="vote as Alice", Cia="for", Dan="for if 303 passes")

        assert four.proposal(304)["votes_for"] == 1
        assert four.proposal(304)["settled"] == {"Alice Ahlgren": None, "Bo Berg": None, "Dan Dahl": None}
        result = four.newest("Cia", "304").words
        assert "2 ballots endorse one another in a circle, so none of them counts." in result
        assert (
            "Dan Dahl wrote: “for if 303 passes”. Proposal 303 was still open, so this is no ballot."
            in result
        )
        assert "no ballot" in four.page("proposals", "304", "index.html")

    def test_are_written_in_swedish_too(self, post: Post) -> None:
        post.found(*FOUR, language="sv", cooling_time="0")
        two_votes(post)
        post.mail("Alice", "för 304 om 303 antas, annars mot")
        post.mail("Bo", "304 som Alice")
        post.mail("Dan", "mot 304 om 303 faller")
        post.vote(303, Alice="ja", Bo="ja", Cia="ja", Dan="nej")
        post.mail("Cia", "för 304")

        assert post.proposal(304)["settled"] == {"Alice Ahlgren": "for", "Bo Berg": "for", "Dan Dahl": None}
        assert post.proposal(304)["stage"] == "adopted"
        assert "”304 som Alice”" in post.newest("Dan", "3").words

    def test_for_all_and_the_rest_and_ranges_leave_one_plain_ballot_on_each(self, four: Post) -> None:
        two_votes(four)
        four.mail("Alice", "304 as Bo")
        receipt = four.mail("Alice", "against the rest")
        assert "proposal 303: against" in receipt.words
        assert "proposal 304" not in receipt.words.partition("Understood")[0].partition("What happens")[0]
        four.mail("Bo", "303-304 for")
        four.mail("Cia", "for all")

        assert four.proposal(303)["ballots"] == {
            "Alice Ahlgren": "against", "Bo Berg": "for", "Cia Crane": "for",
        }  # fmt: skip
        assert four.proposal(304)["ballots"] == {
            "Alice Ahlgren": "304 as Bo", "Bo Berg": "for", "Cia Crane": "for",
        }  # fmt: skip


class TestAProposalTriedFirst:
    def test_shows_what_it_would_do_and_leaves_no_trace(self, four: Post) -> None:
        """3 of 4 for: 10 × 3/4 = 7.5 → 8 and −10; 2 of 4: 5 and −10."""
        before = four.state()["events"]
        letters = four.everybody()
        receipt = four.mail("Bo", f"check {MAJORITY}\nend\n", subject="What if?")

        assert receipt.subject == f"[{GAME}] OK: What if?"
        assert "{+votes_for * 2 > eligible+}" in receipt.text
        assert "not your turn: Alice Ahlgren" in receipt.words
        assert "adopted and take effect" in receipt.words
        for row in ("4 0 adopted +10", "3 1 defeated −2", "2 2 defeated −5"):
            assert row in receipt.words
            assert all(word in receipt.shown for word in row.split())
        assert four.state()["events"] == before
        assert {box: count - (box == "Bo Berg") for box, count in four.everybody().items()} == {
            box: letters.get(box, 0) for box in four.everybody()
        }, "nobody else is told"

    def test_names_the_earlier_votes_it_would_have_turned(self, four: Post) -> None:
        four.turn(
            "Alice", "propose enact: Tea\nTea at four.", Alice="for", Bo="for", Cia="for", Dan="against"
        )
        receipt = four.mail("Bo", f"check {MAJORITY}\nend\n")

        assert "Proposal 301, with 3 for and 1 against of 4, would have been adopted." in receipt.words

    def test_in_swedish_and_from_the_host(self, four: Post) -> None:
        asked = four.mail("Cia", "pröva föreslå avskaffa 206")
        assert "[-" in asked.text
        done = four.pbem("do", GAME, "--as", "Cia Crane", "check propose repeal 206")
        assert done.exit_code == 0
        assert "Rule 206 no longer carries “points when defeated”, and no other rule does." in " ".join(
            done.output.split()
        )
        assert "3 1 defeated −2" in " ".join(done.output.split()), "a defeat is paid by the rules as they are"
        by_keeper = four.pbem("do", GAME, "check propose repeal 206").output
        assert "Only a player can do this." in by_keeper
        assert "The points of Alice Ahlgren, the proponent" in by_keeper, "she is on turn"
        refused = four.pbem("do", GAME, "check propose repeal 101")
        assert refused.exit_code == 1
        assert four.state()["proposals"] == []

    def test_every_ballot_paper_looks_ahead_too(self, four: Post) -> None:
        four.propose("Alice", MAJORITY)
        paper = four.newest("Dan", "301")

        assert "3 1 defeated −2" in paper.words
        assert "adopted and take effect" in paper.words


class TestAProposalAskedBack:
    @pytest.mark.parametrize(("word", "clauses"), [("keep", {"points when defeated": "-10"}), ("Drop.", {})])
    def test_is_taken_when_one_word_answers_what_becomes_of_the_clauses(
        self, four: Post, word: str, clauses: dict[str, str]
    ) -> None:
        asked = four.mail("Alice", FINES, subject="Fines")
        assert asked.subject == f"[{GAME}] 1 question: Fines"
        assert four.state()["proposals"] == [], "no number is used"
        answered = reply(four, "Alice", asked, word)

        assert "number 301" in answered.words
        proposal = four.proposal(301)
        assert proposal["text"] == "Whoever loses a vote loses ten points, and bows."
        four.mail("Alice", "call vote 301")
        four.vote(301, Alice="for", Bo="for", Cia="for", Dan="for")
        assert four.rule(206)["clauses"] == clauses

    def test_is_taken_once_however_often_it_is_answered(self, four: Post) -> None:
        asked = four.mail("Alice", FINES)
        reply(four, "Alice", asked, "keep")
        again = reply(four, "Alice", asked, "drop")

        assert "This is proposal 301 already." in again.words
        assert len(four.state()["proposals"]) == 1

    def test_waits_for_as_long_as_its_author_is_on_turn_and_no_other_can_answer(self, four: Post) -> None:
        asked = four.mail("Alice", FINES)
        others = reply(four, "Bo", asked, "keep")
        assert "answers no question of ours" in others.words
        assert four.state()["proposals"] == []
        reply(four, "Alice", asked, "keep", at=four.now + 2 * DAY)
        assert four.proposal(301)["proponent"] == "Alice Ahlgren"

    def test_in_swedish(self, post: Post) -> None:
        post.found(*FOUR, language="sv")
        asked = post.mail("Alice", "föreslå ändra 206: Böter\nDen som förlorar bugar.\nslut\n")
        assert "behåll" in asked.text
        assert "stryk" in asked.text
        reply(post, "Alice", asked, "stryk")
        assert post.proposal(301)["title"] == "Böter"

    def test_a_revision_is_asked_back_and_goes_on_in_the_same_way(self, four: Post) -> None:
        four.mail("Alice", FINES.replace("\nend", "\nkeep\nend"))
        asked = four.mail("Alice", "revise\nWhoever loses bows.\nend\n", re="301")
        assert "1 question" in asked.subject
        reply(four, "Alice", asked, "keep")
        assert four.proposal(301)["text"] == "Whoever loses bows."

    def test_so_is_a_check(self, four: Post) -> None:
        asked = four.mail("Bo", f"check {FINES}")
        tried = reply(four, "Bo", asked, "drop")
        assert "Rule 301 carries" not in tried.words
        assert "Nothing is recorded" in tried.words

    def test_a_word_that_answers_nothing_says_so(self, four: Post) -> None:
        assert "answers no question of ours" in four.mail("Alice", "keep").words

    def test_a_number_and_a_title_of_two_rules_are_both_shown(self, four: Post) -> None:
        asked = four.mail("Alice", FINES.replace("Fines", "The winner").replace("\nend", "\nkeep\nend"))
        assert "1 question" in asked.subject
        assert (
            "Rule 206 is called “The price of defeat”; “The winner” is the title of rule 208." in asked.words
        )
        assert "propose amend 208: The winner" in asked.text
        assert "propose amend 206: The price of defeat" in asked.text
        assert four.state()["proposals"] == []

    def test_a_subject_and_a_line_about_two_rules_are_both_shown(self, four: Post) -> None:
        asked = four.mail("Alice", FINES, subject="Rule 208 again")
        assert "names rule 208, “The winner”, this line rule 206, “The price of defeat”" in asked.words
        assert four.state()["proposals"] == []
        assert "1 question" in four.mail("Alice", FINES, subject="Rule 206 again").subject, (
            "but of its clauses"
        )
