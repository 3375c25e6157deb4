"""What changed between two texts, word by word."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pbem.game.redline import redline


def marked(old: str, new: str) -> str:
    frames = {"same": "{}", "gone": "[-{}-]", "new": "{{+{}+}}"}
    return "".join(frames[piece.what].format(piece.text) for piece in redline(old, new))


def test_a_changed_number_is_marked_alone():
    assert marked("A player who has 100 points wins.", "A player who has 200 points wins.") == (
        "A player who has [-100-]{+200+} points wins."
    )


def test_neighbouring_changes_are_marked_as_one():
    assert marked("when every voter votes", "if more than half vote") == (
        "[-when every voter votes-]{+if more than half vote+}"
    )


def test_where_a_mail_program_broke_the_lines_is_no_change():
    assert marked("All who play are\neligible voters.", "All who play are eligible\nvoters.") == (
        "All who play are eligible voters."
    )


def test_paragraphs_and_lists_keep_their_lines():
    text = "First:\n\n1. one\n2. two\n- three"

    assert marked(text, text) == text


def test_beyond_a_size_whole_lines_are_compared():
    old = "".join(f"line {n}\n" for n in range(1000))

    new = old.replace("line 7\n", "line seven\n").replace("line 993\n", "line zwölf\n")

    assert "[-line 7\n-]{+line seven\n+}" in marked(old, new)


def test_between_what_stayed_at_both_ends_words_are_compared_in_the_longest_text():
    old = "".join(f"line {n}\n" for n in range(9000))

    assert "line 6 line [-7-]{+seven+} line 8" in marked(old, old.replace("line 7\n", "line seven\n"))


def test_a_text_made_to_be_costly_is_shown_as_gone_and_new():
    assert [piece.what for piece in redline("b\n" + "a\n" * 4000, "a\n" * 3999 + "b\n")] == ["gone", "new"]


@given(st.text(alphabet="ab \n.", max_size=60), st.text(alphabet="ab \n.", max_size=60))
def test_the_pieces_hold_both_texts(old, new):
    pieces = redline(old, new)

    def words(*kinds: str) -> list[str]:
        return "".join(piece.text for piece in pieces if piece.what in kinds).split()

    assert words("same", "gone") == old.split()
    assert words("same", "new") == new.split()
