"""Answers that look like ballots and may be none: asked back, or left to the debate, but never counted by guess."""

from __future__ import annotations

import pytest

from tests.flow.conftest import opened
from tests.flow.post import Post
from tests.flow.test_field_cases import MANY

CIA = "Cia wrote:\n"
NOMIC = "On Tue, 1 Dec 2026 at 11:31, Nomic <nomic@nomic.example> wrote:\n"


@pytest.fixture(name="six", scope="module")
def _six(tmp_path_factory: pytest.TempPathFactory):
    """302 to 307 are voted on; each story takes its ballots back."""
    with opened(tmp_path_factory.mktemp("six")) as post:
        post.found("Alice", "Bo", "Cia", "Dan")
        post.turn("Alice", MANY, Alice="for", Bo="for", Cia="for", Dan="for")
        for title in "ABCDEF":
            post.propose("Alice", f"propose enact: {title}\nText {title}.")
        yield post


def counted(post: Post, words: str, re: str = "") -> dict[int, str]:
    """Bo's ballots after a mail with these words, which are then taken back."""
    mail = post.compose("Bo", words, re=re) if re else post.compose("Bo", words, subject="votes")
    post.take(mail)
    cast = {
        each["number"]: each["ballots"]["Bo Berg"]
        for each in post.state()["proposals"]
        if "Bo Berg" in each["ballots"] and each["number"] > 301
    }
    if cast:
        post.take(post.compose("Bo", "\n".join(f"retract vote {number}" for number in cast), subject="back"))
    return cast


UNDER_ROWS = [
    CIA + "> Shall we all vote against 302?\nYes\n",
    CIA + "> Do you still think 303 should be rejected?\n\nYes, I do.\n",
    CIA + "> 302 is dreadful.\nYes!\n> 303 will never work.\nNo, it works fine.\n",
    CIA + "> Will you withdraw your vote against 305?\nNo.\n",
    CIA + "> I vote AGAINST 306\nNo!\n",
    CIA + "> are you against 306?\nNo\n> are you for 307?\nNo\n",
    CIA + "> Have you read 304?\nYes.\n",
    CIA + "> Ska vi rösta emot 302?\nJa\n",
    CIA + "> The score of Alice is 304.\nNo\n",
    NOMIC + "> for 302\n> against 302\n\nyes\n",
    NOMIC + "> The deadline of proposal 307 is Tue 8 Dec 2026.\n\nyes\n",
    NOMIC + "> 302  a new rule\nfor\nunless it is amended\n",
    NOMIC + "> 302  a new rule\nfor\nif 304 passes\n",
    NOMIC + "> 302  a new rule\nyes... nope\n> 303  a new rule\nyes, said nobody ever\n",
    NOMIC + "> 302  a new rule\nyes: kidding\n> 303  a new rule\nyes, in theory\n",
    NOMIC + "> 302  a new rule\nja, under förutsättning att Dan röstar\n",
    NOMIC + "> 302 a new rule\nfor\n\nOn second thought: against.\n> 303 a new rule\n",
    "for all of these\nbut not 304\n\n" + NOMIC + "> 302, 303, 304 and 305\n",
    "Nobody sane will vote\nfor these\n\n" + NOMIC + "> 302, 303, 304 and 305\n",
]


@pytest.mark.parametrize("words", UNDER_ROWS)
def test_under_quoted_rows(six: Post, words: str) -> None:
    assert counted(six, words) == {}


IN_A_REPLY = [
    "Yes\nNOT",
    "Yes\n\nJust kidding, no way.",
    "Yes\n\nif Alice drops the second clause",
    "Ja\n\nfast bara om Dan gör det",
    "Jag röstar ja.\n\nVillkor: 304 ska falla.",
    "For\nthe time being I abstain.",
    "For\n\nthe time being, I abstain",
    "For\n\n(unless Cia objects)",
    "No\nhurry, I will vote tomorrow.",
    "Against\nmy better judgment I support this.",
    "Mot\nförmodan gillar jag detta.",
    "För\ntillfället väntar jag.",
    "I vote for\nthe other one",
    "Against\n\nEdit: for",
    "For - but only if the typo is mended",
    "For, assuming the typo is mended",
    "+1, but I still hate it",
    "För min del nej",
    "For the love of god, no",
    "mot. vill inte ha kakor",
    "I'm for it",
    "yes and no to 305",
    CIA + "> Don't you think this kills the game?\nYes\n",
    CIA + "> Any objections?\n\nNo.\n",
    "Yes to these\n\n" + NOMIC + "> This repeals 303.\n",
]


@pytest.mark.parametrize("words", IN_A_REPLY)
def test_in_a_reply_to_a_ballot_paper(six: Post, words: str) -> None:
    before = len(six.inbox("Bo"))
    assert counted(six, words, re="305") == {}
    assert " question" in six.inbox("Bo")[before].subject, "it is asked back, and goes to nobody"


BY_NUMBER = [
    "for 302 <---\nagainst 302",
    "for 303\nno, sorry, against 303",
    "for 302.\nNo wait: against.",
    "Draft, do not count:\n\nfor 302",
    "I would have voted\n\nfor 302\n\nbut now I will not.",
    "Dan told me he will send:\n\nfor 302",
    "Is the right syntax\nfor 302\n?",
    "Against all.\n\nExcept 305, which I like.",
    "For all!\n\nNot really.",
    "for 302.\n\nNo wait: against.",
    "Draft, do not count:\n\nfor 302\nagainst 303",
    "Don't count me\nfor 302.",
]


@pytest.mark.parametrize("words", BY_NUMBER)
def test_by_number(six: Post, words: str) -> None:
    assert counted(six, words) == {}


@pytest.mark.parametrize(
    ("words", "ballots"),
    [
        ("My votes:\n\nfor 302\nagainst 303", {302: "for", 303: "against"}),
        ("Hello all,\n\nfor 302\n\nI like the idea, but the title is odd.\n\n/Bo", {302: "for"}),
        ("for 302 and against 303", {302: "for", 303: "against"}),
        ("för alla dessa\n\n" + NOMIC + "> 302, 303\n", {302: "for", 303: "for"}),
        (NOMIC + "> Proposal 302: a new rule\nfor, nice one\n> Proposal 303: a new rule\nno\n", {302: "for", 303: "against"}),
        ("for all\n\nThanks, Bo", dict.fromkeys(range(302, 308), "for")),
    ],
)  # fmt: skip
def test_what_is_plain_counts(six: Post, words: str, ballots: dict[int, str]) -> None:
    assert counted(six, words) == ballots


@pytest.mark.parametrize(
    "words", ["Yes", "Ja\n/Bo", "no!\n\nBest, Bo", "Against.\n\n-- \nBo Berg", "I vote for"]
)
def test_one_word_in_a_reply_counts(six: Post, words: str) -> None:
    assert list(counted(six, words, re="305")) == [305]
