"""`set mail daily`: the debate of a day in one mail, and nothing of it lost or doubled."""

from __future__ import annotations

import pytest

from tests.flow.post import DAY, HOUR, MINUTE, TEA, Letter, Post

GREEN, BLACK = "Green tea, I should say.", "No: black tea, and milk in it."


def letters(post: Post, name: str, words: str) -> list[Letter]:
    return [letter for letter in post.inbox(name) if words in letter.text and not letter.is_receipt]


@pytest.fixture(name="debate")
def _debate(four: Post) -> Post:
    """Proposal 301 is being debated, and Cia gets the debate by the day."""
    four.mail("Alice", f"{TEA}\nend\n")
    four.mail("Cia", "set mail daily")
    return four


def test_posts_come_in_one_mail_the_next_morning(debate: Post) -> None:
    debate.mail("Bo", GREEN, re="301")
    debate.mail("Dan", BLACK, re="301")
    debate.mail("Dan", "Who brings the cups to all this?", subject="cups")
    assert letters(debate, "Cia", GREEN) == letters(debate, "Cia", "cups") == []
    assert letters(debate, "Alice", GREEN), "others have it at once"
    debate.wait(DAY)
    (gathered,) = letters(debate, "Cia", GREEN)
    assert "the debate of the day" in gathered.subject
    assert gathered.text.index(GREEN) < gathered.text.index(BLACK) < gathered.text.index("cups")
    assert "Proposal 301" in gathered.text
    assert "Bo Berg" in gathered.text
    assert "Table talk" in gathered.text
    debate.wait(3 * DAY)
    assert len(letters(debate, "Cia", GREEN)) == 1


def test_what_they_wrote_themselves_is_not_in_it_and_a_day_without_debate_brings_none(debate: Post) -> None:
    debate.mail("Cia", "I should like some coffee in place of it.", re="301")
    debate.wait(2 * DAY)
    assert not [letter for letter in debate.inbox("Cia") if "debate of the day" in letter.subject]


def test_what_waits_for_them_comes_at_once(debate: Post) -> None:
    debate.mail("Alice", "call vote", re="301")
    assert "301" in debate.newest("Cia", "301").subject
    assert letters(debate, "Cia", "for 301")


def test_whoever_chooses_otherwise_gets_first_what_has_gathered(debate: Post) -> None:
    debate.mail("Bo", GREEN, re="301")
    debate.mail("Cia", "set mail each")
    assert len(letters(debate, "Cia", GREEN)) == 1
    debate.mail("Dan", BLACK, re="301")
    assert len(letters(debate, "Cia", BLACK)) == 1
    debate.wait(2 * DAY)
    assert len(letters(debate, "Cia", GREEN)) == 1


def test_what_came_before_the_choice_is_not_sent_again(four: Post) -> None:
    four.mail("Alice", f"{TEA}\nend\n")
    four.mail("Bo", GREEN, re="301")
    four.mail("Cia", "sätt post dagligen")
    four.wait(2 * DAY)
    assert len(letters(four, "Cia", GREEN)) == 1


def test_the_morning_is_the_readers(debate: Post) -> None:
    """It is 10 in the morning UTC; in Honolulu the next 6 o'clock is six hours away, in London twenty."""
    debate.mail("Cia", "set zone Pacific/Honolulu")
    debate.mail("Dan", "set mail daily\nset zone Europe/London")
    debate.mail("Bo", GREEN, re="301")
    debate.wait(6 * HOUR)
    assert (len(letters(debate, "Cia", GREEN)), len(letters(debate, "Dan", GREEN))) == (1, 0)
    debate.wait(14 * HOUR + MINUTE)
    assert (len(letters(debate, "Cia", GREEN)), len(letters(debate, "Dan", GREEN))) == (1, 1)
