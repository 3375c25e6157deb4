"""One turn of the demo, read as a player would, in English and in Swedish: from the ballot paper alone a newcomer can
vote, and from the digest alone one knows what changed, why the scores are what they are, and what is due.

What lives here: the facts that must stand in those two mails, each looked for in the text and in the HTML. What never
may: a fact from another mail, or from the log.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.flow.console import Console
from tests.flow.layout import faults
from tests.flow.post import MAJORITY, Letter, Post, maildir
from tests.mail.printing import flat, seen

ENGLISH, SWEDISH = ("en", "Carol Crane"), ("sv", "Björn Berg")
"""Two who play the demo, each in the language they write."""
FOUR = ("Alice Ahlgren", "Björn Berg", "Carol Crane", "David Dahl")
MOMENT = r"\w{3,4} \d{1,2} \w{3}\.? 20\d\d \d\d:\d\d:\d\d UTC"

Facts = dict[str, dict[str, str]]
"""For each fact a pattern in each language."""

PAPER: Facts = {
    "what this is": {
        "en": "“Kaffe” is a game of Nomic: each move is a change of its rules.",
        "sv": "”Kaffe” är ett parti Nomic: varje drag är en ändring av reglerna.",
    },
    "who wants what": {
        "en": "Alice Ahlgren proposes this change of the rules of “Kaffe”.",
        "sv": "Alice Ahlgren föreslår den här ändringen av reglerna i ”Kaffe”.",
    },
    "what is asked of me": {
        "en": "now the vote decides if it is adopted.",
        "sv": "nu avgör omröstningen om den antas.",
    },
    "by when": {"en": f"Please vote by {MOMENT}.", "sv": f"Rösta senast {MOMENT}."},
    "how": {
        "en": "Reply to this mail with one of these lines; the word alone is enough: for 305 against 305",
        "sv": "Svara på det här mejlet med en av de här raderna; det räcker med själva ordet: för 305 mot 305",
    },
    "the rule it is about": {"en": "What changes in rule 208", "sv": "Det här ändras i regel 208"},
    "the rule as it would be": {
        "en": r"How it will read as rule 305 -* ?Thirty points win The winner is the first player to reach thirty",
        "sv": r"Så kommer den att lyda som regel 305 -* ?Thirty points win The winner is the first player to reach thirty",
    },
    "what it makes the server do": {
        "en": "Until now, in words: the player’s points ≥ 100. From then on, in words: the player’s points ≥ 30.",
        "sv": "Hittills, i ord: spelarens poäng ≥ 100. Därefter, i ord: spelarens poäng ≥ 30.",
    },
    "who votes": {
        "en": "These have a vote: Alice Ahlgren, Björn Berg, Carol Crane and David Dahl.",
        "sv": "Dessa har rösträtt: Alice Ahlgren, Björn Berg, Carol Crane och David Dahl.",
    },
    "what it takes": {
        "en": "It is adopted if “adopted when” in rule 301 comes true: .*? In words: votes for × 2 > possible votes.",
        "sv": "Förslaget antas om klausulen ”antas när” i regel 301 blir sann: .*? I ord: röster för × 2 > möjliga röster.",
    },
    # 202 pays (305 - 291) × 4/4 = 14. By 204 whoever is against has ten, and David, who has 23, would win with them: so
    # nothing is paid to Alice after that. 206: -10 if it is defeated, and 202 pays 14 × 2/4 = 7.
    "what all for it would bring": {"en": r"4 0 adopted \+14 –", "sv": r"4 0 antaget \+14 –"},
    "what one against it would bring": {"en": r"3 1 adopted 0 \+10", "sv": r"3 1 antaget 0 \+10"},
    "what two against it would bring": {"en": "2 2 defeated −3 0", "sv": "2 2 avslaget −3 0"},
    "who might win by it": {
        "en": "With 3 for and 1 against, David Dahl may win the game by it",
        "sv": "Med 3 för och 1 mot kan David Dahl vinna spelet på det",
    },
    "whether I may think again": {
        "en": "You can change your ballot while the vote is open",
        "sv": "Du kan ändra din röst så länge omröstningen pågår",
    },
    "when it closes": {
        "en": "The vote closes when everyone has voted.",
        "sv": "Omröstningen stängs när alla har röstat.",
    },
    "what if I do nothing": {
        "en": f"If a ballot is still missing after {MOMENT}, it counts neither for nor against",
        "sv": f"Om en röst fortfarande saknas efter {MOMENT} räknas den varken för eller mot",
    },
    "where the debate is": {"en": "What was said about it is in", "sv": "Vad som har sagts om det står i"},
    "where to ask": {
        "en": "To learn what you can write, send: help",
        "sv": "Om du vill veta vad du kan skriva, skicka: hjälp",
    },
}

DIGEST: Facts = {
    "what changed, in a word": {
        "en": "^Turn 2: proposal 302 is adopted",
        "sv": "^Tur 2: förslag 302 är antaget",
    },
    "whose turn it was": {"en": "It was Björn Berg’s turn.", "sv": "Björn Berg var på tur."},
    "what changed": {"en": "Adopted. Rule 302 is in force.", "sv": "Antaget. Regel 302 är i kraft."},
    "its words": {
        "en": "The change of proposal 302 -* ?Den som har turen bjuder på kaffe. Bullar är frivilliga men uppskattas.",
        "sv": "Ändringen i förslag 302 -* ?Den som har turen bjuder på kaffe. Bullar är frivilliga men uppskattas.",
    },
    "who voted how": {
        "en": "Alice Ahlgren for Björn Berg for Carol Crane for David Dahl against",
        "sv": "Alice Ahlgren för Björn Berg för Carol Crane för David Dahl mot",
    },
    "why it is adopted": {
        "en": r"Rule 301 decides, by “adopted when”: votes_for \* 2 > eligible = 3 \* 2 > 4 = yes In words: votes for "
        "× 2 > possible votes.",
        "sv": r"Regel 301 avgör, med klausulen ”antas när”: votes_for \* 2 > eligible = 3 \* 2 > 4 = ja I ord: röster för "
        "× 2 > möjliga röster.",
    },
    "why David has ten": {
        "en": r"David Dahl: \+10 points by rule 204, “points for dissent”: .*? In words: if 203 is one of the rules in "
        "force or all vote for it: 0; otherwise 10.",
        "sv": r"David Dahl: \+10 poäng enligt regel 204, ”poäng för motröst”: .*? I ord: om 203 är en av reglerna i "
        "kraft eller alla röstar för: 0; annars 10.",
    },
    "why Björn has eight": {
        "en": r"Björn Berg: \+8 points by rule 202, “points for the turn”: .*? = round\(\(302 - 291\) \* 3 ÷ 4\) = 8",
        "sv": r"Björn Berg: \+8 poäng enligt regel 202, ”poäng för turen”: .*? = round\(\(302 - 291\) \* 3 ÷ 4\) = 8",
    },
    "what is due, from whom, by when": {
        "en": f"What happens next -* ?Carol Crane: propose a rule change, by {MOMENT}.",
        "sv": f"Det här händer härnäst -* ?Carol Crane: föreslå en regeländring, senast {MOMENT}.",
    },
    "what is due from me": {
        "en": f"Your move -* ?(- )?propose a rule change, by {MOMENT} propose enact: …",
        "sv": "Ingenting väntar på dig just nu.",
    },
}


@pytest.fixture(scope="module", name="demo")
def _demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo") / "kaffe"
    Console(folder.parent).done("demo", str(folder))
    return folder


def mail(demo: Path, name: str, words: str) -> Letter:
    """The newest mail to a player that begins so and is no receipt."""
    letters = (Letter(file) for file in reversed(maildir(demo / "mail" / name)))
    return next(each for each in letters if re.search(words, each.text) and not each.is_receipt)


def missing(facts: Facts, letter: Letter, language: str) -> list[str]:
    """The facts that do not stand in the mail: in its text, or in its HTML."""
    both = (letter.words, flat(" ".join(seen(letter.html).text)))
    return [fact for fact, told in facts.items() if not all(re.search(told[language], form) for form in both)]


def rule_before_and_after(paper: Letter) -> tuple[str, str]:
    """The rule as it reads and as it would, out of the redline: `[-what goes-]` and `{+what comes+}`."""
    found = re.search(r"^  (\[-Whoever-\].*\n(?:  .*\n)+)", paper.text, re.MULTILINE)
    assert found is not None
    marked = " ".join(found[1].split())
    before, after = re.sub(r"\{\+.*?\+\}", "", marked), re.sub(r"\[-.*?-\]", "", marked)
    return re.sub(r"\[-|-\]", "", before), re.sub(r"\{\+|\+\}", "", after)


@pytest.mark.parametrize(("language", "name"), [ENGLISH, SWEDISH])
def test_from_the_ballot_paper_alone_a_newcomer_knows_all_it_takes_to_vote(
    demo: Path, language: str, name: str
) -> None:
    paper = mail(demo, name, r"\n    (for|för) 305\n")

    assert missing(PAPER, paper, language) == []
    assert rule_before_and_after(paper) == (
        "Whoever is first to reach 100 points above zero is the winner.",
        "The winner is the first player to reach thirty (positive) points.",
    )


@pytest.mark.parametrize(("language", "name"), [ENGLISH, SWEDISH])
def test_from_the_digest_alone_one_knows_what_changed_and_why_and_what_is_due(
    demo: Path, language: str, name: str
) -> None:
    digest = mail(demo, name, DIGEST["what changed, in a word"][language])

    assert missing(DIGEST, digest, language) == []
    # The sums that are told make up the column of this turn, for each player, and that one makes up the score.
    awarded: Counter[str] = Counter()
    for player, points in re.findall(r"^(.+?): ([+−]\d+) \w+ (?:by|enligt) ", digest.text, re.MULTILINE):
        awarded[player] += int(points.replace("−", "-"))
    rows = re.findall(
        r"^  (\w+ \w+) +(−?\d+) +([+−]?\d+) +(−?\d+)$", digest.text.replace("+", ""), re.MULTILINE
    )
    scores = {player: [int(value.replace("−", "-")) for value in values] for player, *values in rows}
    assert sorted(scores) == sorted(FOUR)
    assert {player: gained for player, (_, gained, _) in scores.items()} == {p: awarded[p] for p in FOUR}
    assert all(before + gained == now for before, gained, now in scores.values())


@pytest.mark.parametrize("language", ["en", "sv"])
def test_the_lines_in_the_two_mails_do_what_they_say(post: Post, language: str) -> None:
    """The newcomer copies a line out of the mail, and it counts; a reply with the other's word alone counts too."""
    post.found("Alice", "Bo", language=language)
    post.propose("Alice", MAJORITY)
    offered = re.findall(r"^    (\S+ 301)$", post.newest("Alice", "301").text, re.MULTILINE)
    assert len(offered) == 2
    post.mail("Alice", offered[0], re="301")
    post.mail("Bo", offered[0].split()[0], re="301")
    assert post.proposal(301)["stage"] == "adopted"
    digest = post.newest("Bo", "1: ")
    line = re.search(r"^    (\w+ \w+: )…$", digest.text, re.MULTILINE)
    assert line is not None, "the line that does what is due"
    post.mail("Bo", f"{line[1]}Te\nTe serveras klockan fyra.")
    assert post.proposal(302)["proponent"] == "Bo Berg"


def test_a_fact_that_is_missing_is_named(demo: Path) -> None:
    """Each mail lacks what the other one tells."""
    digest, name = mail(demo, "Carol Crane", "^Turn 2: "), "en"

    assert missing(DIGEST, digest, name) == []
    assert len(missing(PAPER, digest, name)) > 12
    assert missing({"a": {"en": "no such words"}}, digest, name) == ["a"]


def test_every_mail_of_the_demo_keeps_the_laws_of_layout(demo: Path) -> None:
    letters = [Letter(file) for box in (demo / "mail").iterdir() for file in maildir(box)]
    found = [(each.subject, faults(each.file.read_bytes(), each)) for each in letters]

    assert len(found) > 100
    assert [each for each in found if each[1]] == []
