"""New text found in the texts of replies, in a dozen languages. What lives here: the running; the texts are in replies.txt."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pbem.mail.reply import new_text

_BLOCK = re.compile(
    r"^@@ (?P<title>.+)\n(?P<reply>(?s:.*?))^@@ new\n(?P<new>(?s:.*?))(?=^@@ |\Z)", re.MULTILINE
)
REPLIES = {
    found["title"]: (found["reply"].replace("·\n", " \n").strip("\n"), found["new"].strip("\n"))
    for found in _BLOCK.finditer((Path(__file__).parent / "replies.txt").read_text("utf-8"))
}


@pytest.mark.parametrize("title", REPLIES)
def test_what_is_new_in_a_reply(title: str) -> None:
    reply, new = REPLIES[title]
    assert new_text(reply).text == new


def test_there_are_replies_in_many_languages() -> None:
    assert len(REPLIES) >= 60
    assert len({title.partition(",")[0] for title in REPLIES}) >= 6


@pytest.mark.parametrize("title", REPLIES)
def test_every_line_is_either_new_or_left_out_for_a_reason(title: str) -> None:
    reply, _ = REPLIES[title]
    found = new_text(reply)
    written = sum(1 for line in reply.split("\n") if line.strip())
    assert (
        sum(len(cut.rows) for cut in found.cuts) + sum(1 for line in found.text.split("\n") if line)
        == written
    )
