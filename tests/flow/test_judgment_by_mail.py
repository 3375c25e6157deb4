"""Going to judgment by mail (212, 213): what each person gets, and the words they reply with.

What lives here: stories from a question to its verdict and the turn after it, in both languages.
"""

from __future__ import annotations

import pytest

from tests.flow.post import DAY, TEA, Post

TE = """föreslå ny: Te
Te serveras klockan fyra."""
QUESTION = "judgment: Was 301 one change, as rule 103 wants,\nor two?"


@pytest.fixture
def three(post: Post) -> Post:
    """Alice, Bo and Cia, in English; Alice has proposed tea."""
    post.found("Alice", "Bo", "Cia")
    assert post.propose("Alice", TEA) == 301
    return post


def case(post: Post, number: int = 0):
    return post.state()["cases"][number]


class TestACase:
    def test_the_judge_gets_the_question_the_facts_and_the_words_to_answer_with(self, three: Post) -> None:
        receipt = three.mail("Bo", QUESTION)

        assert "Your question is case J1. Cia Crane is the Judge" in receipt.words
        asked = three.newest("Cia", "Case J1")
        assert "Was 301 one change, as rule 103 wants, or two?" in asked.words.replace(" > ", " ")
        assert "verdict legal J1" in asked.text
        assert "a new rule, “Tea”" in asked.text
        assert "103 What a rule change is" in asked.text
        assert "Please give your verdict by" in asked.words
        assert "verdict legal J1" not in three.newest("Alice", "Case J1").text
        assert case(three) | {"verdicts": []} == {
            "number": "J1",
            "question": "Was 301 one change, as rule 103 wants, or two?",
            "asked_by": "Bo Berg",
            "judge": "Cia Crane",
            "verdict": None,
            "overruled": False,
            "stage": "judging",
            "turn": 1,
            "verdicts": [],
        }

    def test_a_bare_verdict_in_reply_is_for_that_case_and_everyone_may_overrule_it_in_reply(
        self, three: Post
    ) -> None:
        three.mail("Bo", QUESTION)
        receipt = three.mail(
            "Cia", "verdict legal: Rule 103 speaks of one rule,\nand so does 301.", re="Case J1"
        )
        assert "Your verdict in case J1 is taken" in receipt.words

        told = three.newest("Alice", "Case J1")
        assert "Rule 103 speaks of one rule, and so does 301." in told.words.replace(" > ", " ")
        assert "overrule J1" in told.text
        three.mail("Alice", "overrule", re="Case J1")
        assert case(three)["judge"] == "Cia Crane"
        receipt = three.mail("Bo", "I overrule J1", re="Case J1")

        assert "is overruled" in receipt.words
        assert case(three)["judge"] == "Bo Berg"
        assert case(three)["overruled"]
        assert "verdict paradox J1" in three.newest("Bo", "Case J1").text
        assert "Bo Berg is the new Judge" in three.newest("Cia", "Case J1").words

    def test_words_in_reply_go_to_all_players(self, three: Post) -> None:
        three.mail("Bo", QUESTION)

        receipt = three.mail("Alice", "It is one change.", re="Case J1")

        assert "posted to case J1" in receipt.words
        assert "It is one change." in three.newest("Cia", "Case J1").text

    def test_who_is_not_the_judge_is_told_who_is(self, three: Post) -> None:
        three.mail("Bo", QUESTION)

        receipt = three.mail("Alice", "verdict legal J1: Of course it was.")

        assert "Cia Crane is the Judge of case J1" in receipt.words
        assert "(Rule 212)" in receipt.words

    def test_a_silent_judge_is_reminded_and_then_the_keeper_can_answer(self, three: Post) -> None:
        three.mail("Bo", QUESTION)

        three.wait(3 * DAY)
        assert "Your verdict was due" in three.newest("Cia", "Case J1").words
        three.wait(DAY)
        assert "verdict illegal J1" in three.newest("Kim", "Case J1").text
        three.mail("Kim", "verdict illegal: It was two.", re="Case J1")

        assert case(three)["verdict"] == "illegal"

    def test_a_keeper_who_plays_and_is_judge_answers_as_a_player(self, post: Post) -> None:
        post.found("Alice", "Bo", "Kim")
        post.propose("Alice", TEA)
        post.mail("Bo", QUESTION)

        post.mail("Kim", "verdict legal J1")

        assert case(post)["verdicts"][0]["judge"] == "Kim Kvist"


class TestTheNextTurn:
    def test_begins_when_more_than_half_of_the_others_consent(self, three: Post) -> None:
        three.vote(301, Alice="for", Bo="for", Cia="for")
        three.mail("Cia", "judgment: Did 301 pass?")
        assert case(three)["judge"] == "Cia Crane", "the Judge of the turn that is over"
        three.mail("Cia", "verdict legal", re="Case J1")

        refused = three.mail("Bo", f"{TEA}\nend\n")
        assert "Awaited: Alice Ahlgren, Cia Crane" in refused.words
        assert three.state()["waiting_for"] == ["Alice Ahlgren", "Cia Crane"]
        assert "consent" in three.newest("Alice", "may the next turn begin").text
        three.mail("Alice", "consent", re="may the next turn begin")
        three.mail("Cia", "I consent.")

        assert "it is your turn" in three.newest("Bo", "Turn 2").subject
        receipt = three.mail("Bo", f"{TEA}\nend\n")
        assert "302" in receipt.text

    def test_the_digest_tells_of_the_case_and_asks_nobody_to_propose_yet(self, three: Post) -> None:
        three.mail("Bo", QUESTION)
        three.vote(301, Alice="for", Bo="for", Cia="for")

        digest = three.newest("Alice", "Turn 1: proposal 301 is")

        assert "J1, asked by Bo Berg" in digest.words
        assert "consent to the next turn" in digest.words
        assert "propose a rule change" not in digest.words


class TestAParadox:
    def test_is_put_to_the_keeper_who_names_the_winner(self, three: Post) -> None:
        three.mail("Bo", QUESTION)
        three.mail("Cia", "verdict paradox: It is both.", re="Case J1")
        three.vote(301, Alice="for", Bo="for", Cia="for")
        for name in ("Alice", "Cia"):
            three.mail(name, "consent")
        three.mail("Bo", f"{TEA}\nend\n")

        assert "winner Bo Berg: …" in three.newest("Kim", "Case J1").text
        three.mail("Kim", "winner Bo: Bo cannot complete the turn.", re="Case J1")

        assert (three.state()["status"], three.state()["winners"]) == ("won", ["Bo Berg"])
        won = three.newest("Alice", "the game is won")
        assert "By rule 213, Bo Berg wins it" in won.words
        assert "Bo cannot complete the turn." in won.text
        assert three.is_whole()


class TestPages:
    def test_a_case_has_a_page_and_stands_on_the_rules_it_speaks_of(self, three: Post) -> None:
        assert "cases/index.html" not in three.page("index.html")
        three.mail("Bo", QUESTION)
        three.mail("Cia", "verdict illegal J1: Rule 202 allows one.")
        three.mail("Alice", "It was one.", re="Case J1")

        page = three.page("cases", "J1", "index.html")

        for words in ("Was 301 one change", "Cia Crane", "illegal", "Rule 202 allows one.", "It was one."):
            assert words in page
        assert "cases/J1/index.html" in three.page("rules", "103", "index.html")
        assert "cases/J1/index.html" in three.page("rules", "202", "index.html")
        assert "cases/J1/index.html" not in three.page("rules", "203", "index.html")
        assert "cases/J1/index.html" in three.page("cases", "index.html")
        assert "cases/J1/index.html" in three.page("turns", "1", "index.html")
        assert "goes to judgment, case J1" in three.page("log", "1", "index.html")

    def test_cases_are_shown_by_mail_and_on_the_command_line(self, three: Post) -> None:
        assert "Nobody has gone to judgment" in three.pbem("show", "kaffe", "cases").output
        three.mail("Bo", QUESTION)

        assert "Cia Crane, is waited for" in three.mail("Alice", "cases").words
        assert "J1, asked by Bo Berg" in three.pbem("show", "kaffe", "cases").output
        assert '"judge": "Cia Crane"' in three.pbem("show", "kaffe", "cases", "--json").output


def test_all_of_it_in_swedish(post: Post) -> None:
    post.found("Alice", "Bo", "Cia", language="sv")
    post.propose("Alice", TE)
    post.mail("Bo", "till doms: Var 301 en enda ändring, som regel 103 kräver?")

    asked = post.newest("Cia", "J1").text
    assert "dom giltigt J1" in asked
    post.mail("Cia", "dom ogiltigt: Det var två.", re="J1")
    assert "upphäv J1" in post.newest("Alice", "J1").text
    post.mail("Alice", "stöd J1")
    post.mail("Bo", "upphäv J1")
    assert case(post)["verdicts"][0]["opinions"] == {"Alice Ahlgren": "uphold", "Bo Berg": "overrule"}
    post.mail("Alice", "upphäv", re="J1")
    assert case(post)["judge"] == "Bo Berg"
    post.mail("Bo", "dom giltigt J1")
    post.vote(301, Alice="ja", Bo="ja", Cia="ja")
    post.mail("Alice", "samtyck")
    post.mail("Cia", "Jag samtycker.")
    post.mail("Bo", f"{TE}\nslut\n")

    assert post.proposal(302)["stage"] == "debate"
    assert case(post)["stage"] == "final"
