"""A long list takes the place of its mark, and of nothing else."""

from __future__ import annotations

from pbem.publish.lists import Long, with_lists

FIRST, SECOND = Long(0, (b"one", b"two"), b", "), Long(1, ("tr\u00e4d".encode(),))
LISTS = {str(each): each for each in (FIRST, SECOND)}


def test_each_list_stands_where_its_mark_was() -> None:
    assert with_lists(f"<p>{SECOND}</p> {FIRST}.", LISTS) == "<p>tr\u00e4d</p> one, two.".encode()


def test_what_only_looks_like_a_mark_stays_as_it_is() -> None:
    """A game that was imported may have any text."""
    for inside in ("2", "00", "9" * 5000, "x", ""):
        text = f"\0{inside}\0"
        assert with_lists(f"{text} {FIRST}", LISTS) == text.encode() + b" one, two"


def test_an_empty_list_is_none() -> None:
    assert not Long(0, ())
    assert with_lists(str(Long(0, ())), {str(Long(0, ())): Long(0, ())}) == b""
